"""The algorithms, one per file; the files of this folder are the registry."""

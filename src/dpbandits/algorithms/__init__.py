"""The algorithms, one a file; the folder's listing is the registry."""

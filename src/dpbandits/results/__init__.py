"""Finished runs on disk, tidy tables of these runs, and the manifests and summaries of tables."""

"""Finished runs on disk, tidy tables, their manifests and summaries."""

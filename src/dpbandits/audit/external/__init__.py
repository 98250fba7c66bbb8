"""Replays and samples of external policies: plain Python code that does not use the package."""

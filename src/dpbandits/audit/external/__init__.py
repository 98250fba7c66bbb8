"""Policies in plain Python that know nothing of the package: their replays and their samples."""

"""Stopping rules, one per file: they estimate the mean of one arm up to a relative error."""

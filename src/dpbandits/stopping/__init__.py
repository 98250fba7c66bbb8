"""Stopping rules, one per file: they estimate a mean, identify the best arm or test hypotheses."""

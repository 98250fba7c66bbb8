"""Searches for a budget: runs are added until it is clear which budget is enough."""

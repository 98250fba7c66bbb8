"""Searches and races that add runs until a decision is clear: a budget, or the best algorithms."""

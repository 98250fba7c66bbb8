"""Seed and play runs, and distribute them to workers."""

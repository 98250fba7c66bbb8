"""Indices: confidence radii, divergences, and loops that play the arm of largest index."""

"""Indices: confidence radii, divergences, and the loop that plays the arm of largest index."""

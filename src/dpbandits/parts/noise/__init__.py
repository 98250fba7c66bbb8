"""Noise: the Laplace and Gaussian mechanisms, integer noise, and local randomizers."""

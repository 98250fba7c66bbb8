"""Figures drawn from tidy tables."""

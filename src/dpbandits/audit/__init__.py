"""Measuring how much privacy an algorithm spends."""

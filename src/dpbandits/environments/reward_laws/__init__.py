"""Reward laws: the arm of each law and its absolute moments."""

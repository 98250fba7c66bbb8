"""Reward laws: a file has the arm of a law and its absolute moments."""

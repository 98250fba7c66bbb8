"""Reward laws, one family per file: the arm of each law and its absolute moments."""

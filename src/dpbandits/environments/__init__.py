"""Reward laws, the environments made of them, and the named instances of the papers."""

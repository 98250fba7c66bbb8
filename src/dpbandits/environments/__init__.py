"""Reward laws, environments, the named instances of the papers, and populations of users."""

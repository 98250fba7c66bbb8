"""Draw figures from tidy tables."""

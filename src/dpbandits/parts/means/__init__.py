"""Statistics of rewards: robust private means, posteriors, rewards that expire."""

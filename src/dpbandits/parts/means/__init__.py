"""Statistics of rewards: robust private means, draws from posteriors, and rewards that expire."""

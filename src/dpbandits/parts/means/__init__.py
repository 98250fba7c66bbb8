"""What is computed from rewards: robust private means, posteriors, rewards that expire."""

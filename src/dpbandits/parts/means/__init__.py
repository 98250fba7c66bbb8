"""Statistics of rewards: robust private means, draws from posteriors, and rewards that count only
up to a certain round.
"""

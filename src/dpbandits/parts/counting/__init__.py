"""Private prefix sums: trees, the counters that are made of them, and their bonuses."""

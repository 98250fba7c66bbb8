"""Private prefix sums: trees, counters that consist of trees, and the bonuses for their noise."""

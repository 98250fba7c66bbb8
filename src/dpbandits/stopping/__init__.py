"""Private stopping rules: how many samples of one arm are enough for a relative error."""

"""Runs that go where a decision is open: the budget that is needed, the map of the best."""

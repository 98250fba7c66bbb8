"""Bandits that know nothing of this package: they are played, replayed and audited as they are."""

"""Building blocks of algorithms: mechanisms, trees, estimators, radii, episodes, batches, ..."""

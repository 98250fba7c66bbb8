"""What algorithms are made of: mechanisms, estimators, radii, episodes, batches, argmax."""

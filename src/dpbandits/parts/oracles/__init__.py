"""Batches of labelled users, and predictors of their losses: parts of policies with an oracle."""

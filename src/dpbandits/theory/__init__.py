"""Bounds on regret and on numbers of samples: one function per theorem."""

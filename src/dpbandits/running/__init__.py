"""Give runs their seeds, play the runs, and distribute them to workers."""

"""Give runs their seeds, play them, and distribute them to workers."""

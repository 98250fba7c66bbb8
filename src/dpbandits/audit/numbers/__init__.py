"""Random numbers that are recorded, chosen or repeated, and that record all operations on them."""

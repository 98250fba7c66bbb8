"""Random numbers that are recorded, chosen or repeated, and that note all operations on them."""

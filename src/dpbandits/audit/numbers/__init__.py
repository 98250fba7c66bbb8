"""Random numbers that are recorded, chosen or given again, and note what is done to them."""

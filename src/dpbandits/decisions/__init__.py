"""Search for the smallest budget that is enough for a goal; runs are added until this is clear."""

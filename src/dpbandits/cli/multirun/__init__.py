"""The jobs of a multirun: run here or submitted, and the table that they have in common."""

"""The points of a multirun, and the table that they have in common."""

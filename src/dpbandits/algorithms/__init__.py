"""The algorithms: the package finds each algorithm by its file in this folder."""

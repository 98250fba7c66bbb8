"""One self-contained HTML page of everything in a folder of results."""

"""Make one self-contained HTML page about everything in a results folder."""

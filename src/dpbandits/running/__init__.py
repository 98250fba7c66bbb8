"""Seeds, playing runs, and handing them to workers."""

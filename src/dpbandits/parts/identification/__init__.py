"""Top Two identification of the best arm."""

"""What papers claim from their experiments, one file per paper, and the verdict of our own runs."""

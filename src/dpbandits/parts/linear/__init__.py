"""Linear algebra for small dimensions, designs and noisy vectors: parts of linear algorithms."""

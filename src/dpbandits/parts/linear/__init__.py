"""Parts of linear algorithms: linear algebra in small dimensions, designs and noisy vectors."""

"""Make the frozen settings that are run, from a configuration or a point of a sweep."""

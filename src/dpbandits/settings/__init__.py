"""From a configuration, or a point of a sweep, to the frozen settings that are run."""

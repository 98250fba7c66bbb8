"""From a configuration and the points of its sweep, make the frozen settings that are run."""

"""Make the settings that are run, from a configuration and the points of its sweep."""

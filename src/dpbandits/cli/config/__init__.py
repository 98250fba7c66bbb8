"""Composing a configuration with Hydra."""

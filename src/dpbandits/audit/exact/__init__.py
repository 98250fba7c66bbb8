"""Exact privacy losses, which are computed without sampling."""

"""Exact privacy losses, computed without sampling."""

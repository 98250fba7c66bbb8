"""Audit external policies by replays and samples. A policy is plain Python code that does not use
the package.
"""

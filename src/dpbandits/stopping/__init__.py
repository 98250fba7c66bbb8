"""Stopping rules, which estimate a mean, identify the best arm or test hypotheses: each file has
one rule.
"""

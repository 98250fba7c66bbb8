"""The claims of papers about their experiments, one file per paper, and the verdicts of our
own runs.
"""

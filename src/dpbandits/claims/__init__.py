"""Claims of papers about their experiments, with a file for each paper, and their verdicts from our
own runs.
"""

"""Search for the smallest budget that is enough for a goal; the search adds runs until the answer
is clear.
"""

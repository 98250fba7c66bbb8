"""Random numbers for replays: recorded, chosen or repeated numbers, which note all operations on
them.
"""

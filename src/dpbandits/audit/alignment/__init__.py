"""Alignments replayed: the noise of a run, shifted as a proof says, on neighbouring rewards."""

"""Replays of alignments: runs on neighbouring rewards with noise shifted as in a proof."""

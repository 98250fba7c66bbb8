"""Replays of alignments: runs on neighbouring rewards with the noise shifted as in the proof."""

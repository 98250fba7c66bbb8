"""Schedules of pulls and releases: episodes, phases, buffers, batches and elimination."""

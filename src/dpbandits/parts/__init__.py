"""Building blocks of algorithms, by purpose: noise, counting, indices, schedules, ..."""

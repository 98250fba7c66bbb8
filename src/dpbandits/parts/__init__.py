"""Building blocks of algorithms, by what they are for: noise, counting, indices, schedules, ..."""

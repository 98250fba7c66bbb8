"""Lower bounds on privacy losses from runs on neighbouring rewards."""

"""Write golden.json anew: run it when results are meant to change, and say so in CHANGELOG."""

import json

from test_conformance import GOLDEN, golden_counts

GOLDEN.write_text(json.dumps(golden_counts(), indent=1) + "\n")

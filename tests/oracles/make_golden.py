"""The pull counts of golden.json. Run this file if results are meant to change, and say so in the
CHANGELOG.
"""

import json

from helpers import GOLDEN, HEAVY, NAMES, SHORT, algorithm, bernoulli, play

C2 = bernoulli(0.75, 0.625, 0.5, 0.375, 0.25)
PARETO = {"law": "pareto", "means": [0.9, 0.5, 0.1], "shape": 1.8}
TWENTY = [0.9, *[0.8] * 5, *[0.7] * 5, *[0.6] * 5, *[0.5] * 4]
ROUND_BY_ROUND = [
    name for name in NAMES if algorithm(name).round_by_round or name in ("ucb", "kl_ucb")
]


def golden_counts():
    """Pulls of a seeded run of every algorithm; of those that play round by round also of a longer
    game with more arms.
    """
    counts = {}
    for name in NAMES:
        counts[name] = golden_game(name, PARETO if name in HEAVY else C2, 100_000)
    for name in ROUND_BY_ROUND:
        spec = (PARETO if name in HEAVY else C2) | {"means": TWENTY}
        counts[f"{name}, K = 20, T = 1e6"] = golden_game(name, spec, 10**6)
    return counts


def golden_game(name, spec, T):
    return play(name, spec, T, seed=42, **SHORT[name])[-1].tolist()


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden_counts(), indent=1) + "\n")

"""The pull counts of golden.json. Run this file if results are meant to change, and say so in the
CHANGELOG.
"""

import json

from conformance import C2, PARETO, ROWS
from helpers import GOLDEN, HEAVY, NAMES, algorithm, play

TWENTY = [0.9, *[0.8] * 5, *[0.7] * 5, *[0.6] * 5, *[0.5] * 4]
LONGER = ", K = 20, T = 1e6"


def golden_counts(games=None):
    """Pulls of a seeded run of every algorithm; of those that play round by round also of a longer
    game with more arms. Only some games, if they are named.
    """
    longer = [x for x in NAMES if algorithm(x).round_by_round or x == "kl_ucb"]
    return {game: pulls_of(game) for game in games or [*NAMES, *(x + LONGER for x in longer)]}


def pulls_of(game):
    name = game.removesuffix(LONGER)
    spec, T = PARETO if name in HEAVY else C2, 100_000
    if name != game:
        spec, T = spec | {"means": TWENTY}, 10**6
    return play(name, spec, T, seed=42, **ROWS[name].short)[-1].tolist()


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden_counts(), indent=1) + "\n")

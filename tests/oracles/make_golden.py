"""Write the recorded pull counts to golden.json. Run this file only if results are meant to change,
and say so in the CHANGELOG.
"""

import json

import numpy as np
from conformance import C2, IRIS, PARETO, ROWS
from helpers import GOLDEN, HEAVY, LINEAR, NAMES, algorithm, play

from dpbandits.contracts.question import USERS

TWENTY = [0.9, *[0.8] * 5, *[0.7] * 5, *[0.6] * 5, *[0.5] * 4]
LONGER = ", K = 20, T = 1e6"
ORACLES = [x for x in LINEAR if algorithm(x).actions == USERS and algorithm(x).private]
LOSSES = {", logistic": {}, ", quadratic": {"loss": "quadratic"}}
USER_GAMES = [x + loss for x in ORACLES for loss in LOSSES]
USER_GAMES.remove("fast_cb, quadratic")


def golden_counts(games=None):
    """Return the pulls of a seeded run of every algorithm. For algorithms that play round by round,
    also return those of a longer game with more arms; for policies with an oracle, the mistakes at
    the end of each batch. If games are named, only these are played.
    """
    longer = [x for x in NAMES if algorithm(x).round_by_round or x == "kl_ucb"]
    games = games or [*NAMES, *(x + LONGER for x in longer), *USER_GAMES]
    return {game: pulls_of(game) for game in games}


def pulls_of(game):
    if game in USER_GAMES:
        return mistakes_of(game)
    name = game.removesuffix(LONGER)
    spec, T = PARETO if name in HEAVY else C2, 100_000
    if name != game:
        spec, T = spec | {"means": TWENTY}, 10**6
    return play(name, spec, T, seed=42, **ROWS[name].short)[-1].tolist()


def mistakes_of(game, eps=20.0, plain=False):
    """Return the mistakes of a policy with an oracle in one pass, up to the end of each batch."""
    name, _, loss = game.partition(",")
    ends = np.append(2 ** np.arange(1, 8) - 1, 150)
    given = LOSSES["," + loss] | {"ridge": 0.1, "seed": 42, "eps": eps, "plain": plain}
    return play(name, IRIS, 150, checkpoints=ends, **given)[:, 0].astype(int).tolist()


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden_counts(), indent=1) + "\n")

"""From the arguments of an audit of players to its rows, every value checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from ...contracts.parameters import CONFIDENCE, POSITIVE
from ...errors import BadInput, plain
from ...running.progress import progress_bar
from ...settings.choices import plain_data
from ...settings.groups import default_keys
from ...validation import argument, each, whole, workers
from .audits import audit_player
from .players import Players, name_of


def players_audited(
    make: Players,
    eps: float | Sequence[float] | None,
    local: bool,
    horizon: int | Sequence[int] | None,
    runs: int | None,
    confidence: float | None,
    seed: int | None,
    jobs: int | None,
    others: Mapping[str, Any],
    exact: bool,
) -> list[dict[str, Any]]:
    """The rows of the audits of players, one for each budget.

    Args:
        make: what makes the players.
        eps: the budgets; 1 if None.
        local: whether each user's response is promised to be private.
        horizon: rounds of the games; several if None.
        runs, confidence, seed, jobs: as in ``dpbandits.audit``.
        others: arguments that an audit of players does not take, which must be None.
        exact: whether an exact loss is wanted, which no player has.

    Raises:
        BadInput: an argument has another value than it may have, or scikit-learn is not installed.
    """
    if not callable(make):
        raise BadInput(
            f"player={plain(make)}: it is called player(arms=K, horizon=T, eps=eps, rng=generator)"
        )
    where = f"player={name_of(make)}"
    if exact:
        raise BadInput(f"{where}: only algorithms have an exact loss")
    for name, value in others.items():
        if value is not None:
            raise BadInput(f"{where}: an audit of players takes no {name}")
    if find_spec("sklearn") is None:
        raise BadInput("an audit needs scikit-learn: pip install 'dpbandits[audit]'")
    keys = default_keys("audit")
    budgets = each(1.0 if eps is None else plain_data(eps))
    levels = [argument("eps", x, POSITIVE, math.nan) for x in budgets]
    games = [] if horizon is None else each(plain_data(horizon))
    lengths = [whole("horizon", T, at_least=2, at_most=1_000_000) for T in games]
    if runs is not None:
        runs = whole("runs", runs, at_least=100, at_most=10**8)
    share = keys["confidence"] if confidence is None else confidence
    share = argument("confidence", share, CONFIDENCE, math.nan)
    first = whole("seed", keys["seed"] if seed is None else seed, at_least=0)
    number = workers(keys["jobs"] if jobs is None else jobs)
    with progress_bar(len(levels)) as bar:
        bar.set_postfix_str(name_of(make))
        return [
            audit_player(make, x, local, lengths, runs, share, first, number, bar.update)
            for x in levels
        ]

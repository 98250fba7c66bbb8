"""From a configuration to the exact losses that it asks for, every value checked."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any

from tabulate import tabulate

from ..contracts.algorithm import Algorithm
from ..errors import BadInput, plain, unknown
from ..settings.groups import default_keys
from ..settings.resolve import check_names
from ..validation import each, folder, whole
from .action_loss import ROUNDING, exact_loss, method_of, usual_horizon
from .parameters import arguments_at
from .requests import NOTHING, budgets_of

SAMPLING = ("rule", "mechanism", "runs", "confidence", "seed", "short")
PROVED, VIOLATED = "proved", "VIOLATED"


@dataclass(frozen=True)
class Wanted:
    """An exact loss that is asked for; ``values`` are the algorithm's parameters as numbers."""

    algorithm: Algorithm
    values: Mapping[str, float]
    eps: float
    horizon: int
    arms: int

    def row(self) -> dict[str, Any]:
        """The loss as a row of the table; raises OutOfReach."""
        found = exact_loss(self.algorithm, self.values, self.eps, self.horizon, self.arms)
        limit = self.eps * (1.0 + ROUNDING)
        verdict = VIOLATED if found.low > limit else PROVED if found.high <= limit else ""
        return {
            "algo": self.algorithm.name, "eps": self.eps, "horizon": self.horizon,
            "arms": self.arms, "promised": self.eps, "low": found.low, "high": found.high,
            "verdict": verdict, "event": found.event, "rewards": found.rewards[0],
            "neighbours": found.rewards[1],
        }  # fmt: skip


def wanted(
    config: Mapping[str, Any],
    given: Collection[str],
    algorithm: Algorithm | None,
    spec: Mapping[str, Any],
) -> list[Wanted]:
    """The exact losses of a configuration: one for each budget and horizon.

    The arguments are those of ``requests.requested``.

    Raises:
        BadInput: a value is wrong, or python-flint is not installed.
        OutOfReach: no exact loss of this algorithm is known.
    """
    keys = default_keys("audit")
    for key in config:
        if key not in keys:
            raise unknown("key", key, keys)
    for key in SAMPLING:
        if config[key] != keys[key]:
            takes = "an exact loss takes algo, eps, horizon and arms; leave it out"
            raise BadInput(f"{key}={plain(config[key])}: {takes}")
    if algorithm is None:
        raise BadInput("exact=true: an algorithm is needed, as in algo=adap_ucb")
    if algorithm.budget is None:
        raise BadInput(f"algo={algorithm.name}: {NOTHING}")
    method_of(algorithm)  # or it is out of reach
    budgets = budgets_of(config, algorithm.name, algorithm.budget)
    if config["results"] is not None:
        folder("results", config["results"])
    arms = whole("arms", config["arms"], at_least=2, at_most=20)
    horizons = [] if config["horizon"] is None else each(config["horizon"])
    lengths = [whole("horizon", T, at_least=2) for T in horizons]
    own = [name for name in algorithm.domains if name not in (algorithm.budget, "eps_min")]
    if find_spec("flint") is None:
        raise BadInput("an exact loss needs python-flint: pip install 'dpbandits[exact]'")
    check_names(algorithm, own, spec, spec)
    found = []
    for eps, T in product(budgets, lengths or [usual_horizon(algorithm)]):
        values = {**spec, "eps": eps, "eps_min": eps}
        numbers = arguments_at(algorithm, values, T)
        named = dict(zip(algorithm.domains, numbers, strict=True))
        found.append(Wanted(algorithm, named, eps, T, arms))
    return found


def render_exact(rows: list[dict[str, Any]], style: str) -> str:
    """The table of exact losses as text, in a style of tabulate's."""
    head = ["audited", "arms", "rounds", "promised", "exact loss", "verdict"]
    cells = [
        [row["algo"], row["arms"], f"{row['horizon']:,}", f"{row['promised']:g}",
         interval(row["low"], row["high"]), row["verdict"] or "undecided"]
        for row in rows
    ]  # fmt: skip
    align = ("left", "right", "right", "right", "left", "left")
    return tabulate(cells, head, tablefmt=style, colalign=align, disable_numparse=True)


def interval(low: float, high: float) -> str:
    """A loss to ten digits, or as an interval, rounded outwards, if it is not known as well."""
    if high - low <= 1e-10 * high:
        return f"{(low + high) / 2:#.10g}"
    return f"[{math.floor(low * 1e7) / 1e7:.7f}, {math.ceil(high * 1e7) / 1e7:.7f}]"


def exact_in_words(row: Mapping[str, Any]) -> str:
    """Where a loss is attained."""
    return (
        f"{row['algo']} at eps {row['eps']:g}, {row['horizon']:,} rounds: attained by\n"
        f"  {row['event']}\n"
        f"  rewards    {row['rewards']}\n"
        f"  neighbours {row['neighbours']}"
    )

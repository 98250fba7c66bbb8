"""A log of plays with features as a bandit: replay by rejection (Li, Chu, Langford & Wang 2011)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadInput, plain
from ..validation import number_where, refuse_cells
from .contexts import LEAST, REPLAY
from .instances import Instance
from .labelled import LabelledInstance, actions_of, column_named, listed, read_source, users_of

# words in names of columns that may hold propensities
LIKE_PROPENSITIES = {"propensity", "propensities", "prob", "probs", "probability", "pscore"}
MARGIN = 5.0  # how many standard deviations the number of rows that count may lie below its mean
NONE_COUNTS = 1e-12  # the probability that no row of a run counts is neglected if it is smaller
ROUNDING = 1e-9  # relative tolerance for propensities
WITHOUT_FLOOR = (
    "env.propensity_floor is not given, so the smallest propensity of the file decides which rows "
    "count, and one row may move all"
)
ONLY_ORACLES = "on a log only policies with an oracle keep their promises"
UNABLE = "best_constant", "supervised"  # algorithms that need the rewards of all actions
NOT_ALONE = (
    "permutations of one log are not independent logs: intervals say nothing about other users; "
    "what is estimated is a policy as it learns from the rows that count"
)


@dataclass(frozen=True)
class LoggedInstance(LabelledInstance):
    """A log of plays; each row is shown once. If the policy chooses the logged action, the row
    counts with probability c/p, where p is the propensity of the row. In all other cases, the row
    does not count.
    """

    c: float = 1.0  # the probability with which a row counts; no propensity is smaller

    @property
    def largest_gap(self) -> float:  # type: ignore[override]
        return 1.0  # the loss of a row is at most 1

    @property
    def better(self) -> str:
        return "have a larger mean reward"

    @cached_property
    def means_logged(self) -> tuple[float, float, float, str]:
        """The mean reward of the log, of uniform play and of the best constant action, and the name
        of this action. Uniform and constant play are estimated with the weight 1/p for each row.
        """
        actions, rewards, allowed = self.environment.table.T
        K = len(self.classes)
        place = actions.astype(int)
        total = np.bincount(place, allowed * rewards, K)
        each = total / np.bincount(place, allowed, K)
        best = int(each.argmax())
        uniform = float(total.sum() / allowed.sum())
        return float(rewards.mean()), uniform, float(each[best]), self.classes[best]

    def references(self, T: int) -> tuple[float, float, str]:
        """Return the expected losses in T rows of uniform play and of the best constant action, and
        the name of this action.
        """
        _, uniform, best, name = self.means_logged
        return T * (1.0 - uniform), T * (1.0 - best), name

    def in_words(self, T: int) -> str:
        own, uniform, best, name = self.means_logged
        return (
            f"the mean reward of the log is {own:.4g}; weighted by 1/p it is {uniform:.4g} for "
            f"uniform play, and {best:.4g} for playing always {name}, the best constant action"
        )

    @property
    def first_known(self) -> int:
        """The number of rows after which practically every run has at least one row that counts.
        After fewer rows, the mean loss of a run may be undefined.
        """
        return math.ceil(math.log(NONE_COUNTS) / math.log1p(-min(self.c, 0.5)))

    def refuse_few(self, where: str, T: int) -> None:
        """Refuse a horizon at which too few rows may count in some run."""
        half = MARGIN * math.sqrt(1.0 - self.c) / 2.0
        # with this mean number of rows that count, the mean less MARGIN standard deviations is
        # LEAST
        needed = (half + math.sqrt(half**2 + LEAST)) ** 2
        if self.c * T < needed:
            found = f"{T:,} rows, each used with probability {self.c:.3g}, are too few"
            raise BadInput(
                f"{where}: {found}; at least {math.ceil(needed / self.c):,} are needed, so that "
                f"every run uses at least {LEAST}"
            )


def log(
    source: Any, action: Any = None, reward: Any = None, propensity: Any = None,
    propensity_floor: Any = None, features: Any = None, ranges: Any = None, bound: Any = None,
    scale: Any = "public", missing: Any = "refuse",
) -> Instance:  # fmt: skip
    """Rows of a log in a random order. A row has features as in ``labelled.labels``, an action, its
    reward in [0, 1], and the propensity, which is the probability with which this action was
    played. Without a column of propensities, the propensity is 1/K.
    """
    where, table, action = read_source(source, action, "action")
    others = {"action": action}
    for key, given in (("reward", reward), ("propensity", propensity)):
        others[key] = column_named(key, given, table.columns)
    if not others["reward"]:
        raise BadInput(f"{where}: env.reward=NAME is needed, the column of the rewards")
    if len(set(others.values())) < len(others):
        raise BadInput(f"{where}: action, reward and propensity must be different columns")
    is_given = bool(others["propensity"])
    if not is_given and features is None:
        for name in table.columns:
            if {*re.split(r"[\W_\d]+", name.lower())} & LIKE_PROPENSITIES:
                raise BadInput(
                    f"{where}: column {name} may hold propensities; if so, write "
                    f"env.propensity={name}; if not, list the features in env.features=[...]"
                )
    others = {key: name for key, name in others.items() if name}
    table, users = users_of(where, table, others, features, ranges, bound, scale, missing)
    actions, kinds = actions_of(where, table[action], "actions")
    rewards = _within(where, table[others["reward"]], "reward in [0, 1]", lambda r: r >= 0)
    K, c = len(kinds), 1.0 / len(kinds)
    p = np.full(len(actions), c)
    said = f"no column of propensities: the actions of the log count as uniform, 1/{K}"
    if is_given:
        p = _within(where, table[others["propensity"]], "propensity in (0, 1]", lambda p: p > 0)
        c, said = float(p.min()), f"propensities: column {others['propensity']}"
    if propensity_floor is not None:
        if not is_given:
            raise BadInput(
                f"propensity_floor={plain(propensity_floor)}: a column of propensities is needed, "
                f"env.propensity=NAME; without one, the floor is 1/{K}"
            )
        c = number_where("propensity_floor", propensity_floor, lambda c: 0 < c <= 1, "0 < c <= 1")
        if p.min() < c * (1.0 - ROUNDING):
            row = f"row {table.index[int(p.argmin())] + 1} has the propensity {p.min():.4g}"
            raise BadInput(f"propensity_floor={c:g}: {row}; a floor is at most every propensity")
    scarce: list[str] = []
    if p.max() > (1.0 - (K - 1) * c) * (1.0 + ROUNDING):
        row = f"row {table.index[int(p.argmax())] + 1} has the propensity {p.max():.4g}"
        scarce = [
            f"{row}, so another action has less than {c:.4g} for this user: means of policies that "
            "choose it are biased, since c must be at most the propensity of every action, also of "
            "actions that were not played"
        ]
    withdrawn = WITHOUT_FLOOR if is_given and propensity_floor is None else ""
    notes = (
        *users.notes, said, f"actions, which are public: {listed(kinds)}",
        f"a row counts with probability {c:.4g}; regret is the mean loss of the rows that count, 1 "
        "- reward, times the rows read", *scarce, NOT_ALONE,
    )  # fmt: skip
    env = users.environment(REPLAY, K, np.column_stack([actions, rewards, c / p]))
    instance = LoggedInstance(
        env, (), (), env.theta, 0.0, 1.0, 1.0, users.withdrawn or withdrawn, notes, 1, kinds, c
    )
    instance.refuse_few(where, len(actions))
    return instance


def _within(where: str, column: pd.Series, needed: str, holds: Any) -> np.ndarray:
    """Return the numbers of a column. Refuse numbers above 1, and numbers for which the function
    ``holds`` returns false.
    """
    found = np.asarray(pd.to_numeric(column, errors="coerce"), float)
    hint = "; divide rewards by a bound that is known in advance" * needed.startswith("reward")
    bad = ~(holds(found) & (found <= 1.0))
    refuse_cells(where, column, bad, f"a {needed} is needed{hint}")
    return found

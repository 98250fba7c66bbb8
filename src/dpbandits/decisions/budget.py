"""Search for the budget at which an algorithm reaches a given regret, or ratio to a baseline."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from ..comparison.pairs import Located
from ..comparison.pairs import ratio as ratio_of
from ..contracts.parameters import BUDGETS
from ..contracts.question import REGRET
from ..environments.labelled import LINES, LabelledInstance
from ..errors import BadInput, nearest, plain
from ..results.intervals import SAME
from ..results.summary import rounds, significant
from ..settings.choices import Choice
from ..settings.compose import request_from
from ..settings.request import Request
from ..settings.setting import Setting, data_of
from .search import ROUNDED_PRECISION, Found, Look, Search, check_search, goal_of, limits
from .subject import Subject, differing, with_values

SUPERVISED = "supervised"  # a reference that is an algorithm itself


def budgets_needed(
    algorithms: Sequence[Any],
    given: Mapping[str, Any],
    parameters: Mapping[str, Any],
    folders: tuple[str, ...],
    *,
    regret: float | None = None,
    ratio: float | None = None,
    baseline: Any = None,
    beats: str | None = None,
    least: float | None = None,
    most: float | None = None,
    precision: float = 1.25,
    runs: int = 2048,
) -> pd.DataFrame:
    """Return a table with the budget that each algorithm needs; see ``dpbandits.budget``.

    Args:
        algorithms: the algorithms, as ``dpbandits.run`` takes them.
        given: other keys of a run; the value None stands for the default.
        parameters: parameters of the algorithms.
        folders: the user's configuration folders.
        regret: the largest allowed mean regret. ratio: instead of ``regret``, the largest allowed
            ratio to the mean regret of the baseline.
        baseline: a non-private algorithm; None compares each algorithm with itself without privacy.
        beats: instead of ``regret`` and ``ratio``, a simple way to play on labelled data:
            ``uniform`` play, or the best ``constant`` action. The answer is the smallest budget at
            which the runs show that the algorithm makes fewer mistakes.
        least: the smallest budget that is tried; None for 1e-3, or .1 with ``beats``.
        most: the largest budget that is tried; None for 1e3, or 100 with ``beats``.
        precision: the requested ratio of the two ends of the interval that contains the answer.
        runs: the largest number of runs at one budget.
    """
    least = least if least is not None else 1e-3 if beats is None else 0.1
    most = most if most is not None else 1e3 if beats is None else 100.0
    least, most, precision, runs = check_search(least, most, precision, runs)
    if not algorithms:
        raise BadInput("algo=[]: at least one is needed")
    own = {k: x for k, x in parameters.items() if k not in BUDGETS}
    compose = partial(request_from, REGRET, parameters=own, folders=folders)
    needs = [_Need(compose, a, given, parameters, baseline, ratio is not None) for a in algorithms]
    apart = differing(needs)
    if beats is not None:
        if not (regret is None and ratio is None and baseline is None):
            raise BadInput("beats: leave regret, ratio and baseline out")
        if beats == SUPERVISED:
            raise BadInput(
                f"beats={beats}: {beats} is an algorithm, which has to be played; write ratio=1 "
                f"baseline={beats}"
            )
        if not isinstance(beats, str) or beats not in LINES:
            raise BadInput(f"beats={plain(beats)}: {nearest(plain(beats), LINES)}")
        goal, line = math.nan, LINES[beats]
    else:
        goal, line = goal_of("regret=R", regret, ratio, "mean regret"), ""
        if regret is not None and baseline is not None:
            raise BadInput(f"baseline={plain(baseline)}: only a goal ratio=R takes a baseline")
    rows = []
    for need, values in zip(needs, apart, strict=True):
        need.store = needs[0].store  # runs that several needs share are played once
        goal = goal if beats is None else need.of_line(beats)
        begun = time.monotonic()
        found = Search(need.located, goal, least, most, precision, runs).answer()
        if line and found.kind == "between":
            found = replace(found, budget=found.high)  # the means cross where runs show nothing
        rows.append({
            "algo": need.first.algo, **values, "budget": found.budget, "low": found.low,
            "high": found.high, "reached": not math.isnan(found.budget), "name": need.name,
            "env": need.first.env, "horizon": need.first.horizon, "goal": goal,
            "baseline": need.baseline, "runs": sum(need.played.values()),
            "seconds": round(time.monotonic() - begun, 2),
            "answer": crossing_in_words(found, need, values, goal, precision, line),
            "tried": [vars(look) for look in found.looks],
        })  # fmt: skip
    return pd.DataFrame(rows)


class _Need(Subject):
    """An algorithm whose budget is searched, with its baseline."""

    def __init__(
        self,
        compose: Callable[..., Request],
        algorithm: Any,
        given: Mapping[str, Any],
        parameters: Mapping[str, Any],
        baseline: Any,
        divided: bool,
    ):
        super().__init__(compose, {**given, "checkpoints": 1, "algo": algorithm})
        first = self.first
        if not first.algorithm.private:
            raise BadInput(f"algo={first.algo}: the algorithm is not private and takes no budget")
        self.largest = first.horizon * first.instance.largest_gap
        self.name = budget = first.budget_name
        own = algorithm.values if isinstance(algorithm, Choice) else {}
        if {**given, **parameters, **own}.get(budget) is not None:
            raise BadInput(f"{budget}: the search finds the value of {budget}; leave {budget} out")
        if first.population_spec:
            raise BadInput("population: each user has a privacy level; a search needs one budget")
        self._at = cache(self.at)
        self.reference: Setting | None = None
        self.baseline = ""  # the baseline in words; empty if there is none
        if divided and baseline is None:
            if not self.can_be_free:
                raise BadInput(
                    f"ratio=R: the limit is R times the regret without privacy, but {first.algo} "
                    "cannot be run without privacy; give a non-private baseline=NAME, or the limit "
                    "itself, regret=NUMBER"
                )
            self.reference = self._at(math.inf)
            self.baseline = f"{first.algo} without privacy"
        elif divided:
            self.reference = compose({**self.given, "algo": baseline}, parameters={}).only
            self.baseline = self.reference.algo
            if self.reference.algorithm.private:
                raise BadInput(f"baseline={self.baseline}: an algorithm without privacy is needed")
        self.played: dict[Setting, int] = {}  # how many runs of each setting the answer uses

    def of_line(self, beats: str) -> float:
        """Return the expected mistakes of the reference ``beats``, such as uniform play."""
        instance = data_of(self.first).instance
        if not isinstance(instance, LabelledInstance):
            where = f"env={self.first.env}"
            raise BadInput(
                f"beats={beats}: {where} has no reference results; use env=labels or env=log"
            )
        return float(instance.recorded(self.first.horizon)[beats])

    def located(self, budget: float, n: int) -> Located:
        """Return the mean regret of the first n runs at a budget, with limits.

        With a baseline, the result is the ratio of this mean to the mean regret of the baseline.
        The baseline has n runs, or more if more were played before.
        """
        if self.reference is None:
            return self._limits(self._at(budget), n)
        of = self._limits(self.reference, max(n, self.played.get(self.reference, 0)))
        return ratio_of(self._limits(self._at(budget), n), of)

    def stays_at(self, goal: float, look: Look) -> bool:
        """Return whether all runs of a test are equal to the goal, so that more runs are, too."""
        (away,) = self.measured(self._at(look.budget), look.runs, REGRET.statistic)
        of = np.ones(1)
        if self.reference is not None:
            (of,) = self.measured(self.reference, look.runs, REGRET.statistic)
        return bool(np.abs(away - goal * of).max() <= SAME * goal * of.max())

    def _limits(self, setting: Setting, n: int) -> Located:
        (regrets,) = self.measured(setting, n, REGRET.statistic)
        self.played[setting] = max(n, self.played.get(setting, 0))
        return limits(regrets, self.largest)


def crossing_in_words(
    found: Found,
    need: _Need,
    values: Mapping[str, Any],
    goal: float,
    precision: float,
    line: str,
) -> str:
    """Return the answer as a sentence. ``line`` is the reference to beat, such as uniform play, or
    empty.
    """
    name, of, setting = need.name, need.baseline, need.first
    aim = f"{goal:g} times the regret of {of}" if of else significant(goal)
    aim = f"the {aim} of {line}" if line else aim
    reached = f"below {aim}" if line else f"at most {aim}"
    sure = " (with 95 %)" if line else ""
    of_what = "ratio" if of else "mean regret"
    who = with_values(setting.algo, values)
    start = f"{who} on {setting.env}, T = {rounds(setting.horizon)}: "
    last = found.last
    measured = f"{significant(last.mean)} ({significant(last.low)} to {significant(last.high)})"
    if not math.isfinite(last.mean):
        return f"{start}the regret of {of} is 0 in all runs, so a goal regret=R is needed"
    if found.kind == "never":
        tried = f"the budgets tried, from {name}={found.looks[0].budget:g} to {last.budget:g}"
        return f"{start}regret is {reached} at none of {tried}; there it is {measured}"
    if found.kind == "open" and math.isnan(found.budget):
        budgets = ", ".join(f"{look.budget:g}" for look in found.unknown)
        more = "more runs are needed"
        if need.stays_at(goal, last):
            more = "all runs are equal to the goal, so that more runs do not help"
        return (
            f"{start}undecided at {name}={budgets}: the runs do not show whether regret is "
            f"{reached}; at {name}={last.budget:g} it is {measured}; {more}"
        )
    if found.kind == "always":
        end = f"regret is {reached}{sure} even at {name}={found.high:g}, the smallest tried"
    elif found.kind == "open":
        end = (
            f"regret is {reached}{sure} at {name}={found.high:g}; at smaller values, down to "
            f"{found.looks[0].budget:g}, the runs do not show whether it is, and a larger runs= may"
        )
    else:
        if line:
            end = f"the smallest {name} tried whose runs show{sure} that regret is {reached} is "
            end += f"{found.high:g}; at {name}={found.low:g} regret is above"
        else:
            end = f"regret crosses {aim} between {name}={found.low:g} and {found.high:g}, about at "
            end += f"{found.budget:g}"
        ends = [x for x in found.looks if x.budget in (found.low, found.high)]
        means = ", ".join(f"{significant(x.mean)} at {x.budget:g}" for x in ends)
        wide = found.high / found.low > ROUNDED_PRECISION * precision
        end += f" ({of_what}: {means})" + "; more runs would narrow this" * wide
    if found.again:
        again = ", ".join(f"{x:g}" for x in found.again)
        end += f". It is not monotone: above that again at {name}={again}"
    perhaps = [x for x in found.unknown if x.budget > found.high and x.mean > goal]
    if perhaps:
        means = ", ".join(f"{significant(x.mean)} at {name}={x.budget:g}" for x in perhaps)
        end += f". Undecided at larger {name}: a {of_what} of {means}"
    return start + end

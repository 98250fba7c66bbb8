"""The cost of privacy for a test (a stopping rule in an environment): how many more samples the
test needs with privacy.

With given budgets, the result is a table with the stopping times at these budgets (in the code: a
sheet). A search finds the smallest budget at which the stopping time reaches a goal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd

from ..comparison.pairs import Located
from ..comparison.pairs import ratio as ratio_of
from ..contracts.parameters import FRACTION, POSITIVE
from ..contracts.question import QUESTIONS, STOPPING
from ..errors import BadInput, plain
from ..results.frames import CHEAP
from ..results.intervals import (
    SAME,
    all_equal,
    another_value,
    at_least_zero,
    interval_of_mean,
    interval_of_quantile,
)
from ..results.summary import at_least, percent, significant
from ..settings.compose import request_from
from ..settings.request import Request
from ..validation import argument, as_integer, each, number_where, refuse_alike
from .search import ERROR, LOOKS, Found, Search, check_search, goal_of, limits, short
from .subject import Subject, differing, with_values

TIMES_GOAL = 10.0  # the default cap of a search, as a multiple of the goal in samples
FREE_TIMES = 100  # the default cap of runs without privacy, as a multiple of that cap
GOALS, NEXT_GOAL = 8, 1.1  # most goals that are tried instead of one out of reach; least step
FREE_RUNS = 64  # least number of runs without privacy that are played before a search
ENDS = 0.9  # a test counts as ending at a budget if at least this share of its runs ends
PRECISE = 1.25  # largest ratio of the two budgets between which a sheet finds that a test ends

WEEKS = 26.0  # weeks after which runs are cut, if the users per week are known
ABOVE = "a number above 0 is needed"
OWN_KEYS = {key for q in QUESTIONS if q.command == STOPPING.command for key in q.own_keys}

# The options of a sheet and of a search, in addition to the keys of ``bandit-stop``
OF_SHEET = ("eps", "per_week", "weeks", "runs")
OF_GOAL = ("samples", "ratio", "quantile", "per_week", "least", "most", "precision", "runs")


def cost_of_rules(
    rules: Sequence[Any], given: Mapping[str, Any], parameters: Mapping[str, Any],
    folders: tuple[str, ...],
) -> pd.DataFrame:  # fmt: skip
    """Return a table of the stopping times at the budgets ``eps`` if ``eps`` is given, else the
    smallest budget that reaches a goal.

    See ``dpbandits.budget``.
    """
    given = {key: value for key, value in given.items() if value is not None}
    wanted, answer = (OF_SHEET, sheet) if "eps" in given else (OF_GOAL, budget_for_samples)
    known = {*STOPPING.groups, *OWN_KEYS, "cap", "seed", "assume", "jobs", "backend", "results"}
    for key in given:
        if key not in (*wanted, *known):
            what = "a sheet of budgets" if "eps" in given else "the search for a budget of a rule"
            raise BadInput(f"{key}: {what} takes {', '.join(wanted)} and the keys of bandit-stop")
    options = {key: given.pop(key) for key in wanted if key in given}
    compose = partial(request_from, STOPPING, parameters=parameters, folders=folders)
    # a misspelt name is compared with all of these names
    named = dict.fromkeys([*OF_SHEET, *OF_GOAL, *sorted(known)]) | given
    found = rules_of(rules, named, compose)
    return answer(found, **options)


class _Rule(Subject):
    """A stopping rule whose budget is searched.

    Attributes:
        apart: the values of the parameters in which this rule differs from rules with the same
            name.
    """

    def __init__(self, rule: Any, given: Mapping[str, Any], compose: Callable[..., Request]):
        super().__init__(compose, {**given, "rule": rule})
        first = self.first
        self.name, self.env = first.algo, first.env
        self.apart: dict[str, Any] = {}
        if first.budget_name != "eps" or not first.algorithm.private:
            raise BadInput(f"rule={self.name}: a rule with a privacy budget eps is needed")

    def times(self, eps: float, n: int) -> np.ndarray:
        """Return the stopping times of the first n runs. If a run did not stop before the cap, its
        time is the cap.
        """
        return self.measured(self.at(eps), n, "stopping_time")[0]

    def ended(self, eps: float, n: int) -> float:
        """Return the share of the first n runs that stopped before the cap."""
        return float(self.measured(self.at(eps), n, "halted")[0].mean())

    @property
    def about(self) -> dict[str, Any]:
        """The columns that describe the rule: its name, its parameters, the environment, and keys
        such as ``delta`` that define a correct answer.
        """
        return {"rule": self.name, **self.apart, "env": self.env} | dict(self.first.goal)

    @property
    def title(self) -> str:
        """The name of the rule, its environment, and the keys that define a correct answer, as
        text.
        """
        goal = dict(self.first.goal)
        name = with_values(self.name, {k: x for k, x in self.apart.items() if k not in goal})
        return ", ".join([f"{name} on {self.env}", *(f"{k}={x:g}" for k, x in goal.items())])


def rules_of(
    rules: Sequence[Any], given: Mapping[str, Any], compose: Callable[..., Request]
) -> list[_Rule]:
    """Return a ``_Rule`` for each of the given rules.

    Some rules answer questions with special keys, such as ``mu0``. Keys such as ``mu0`` are passed
    only to rules that use them.
    """
    if not rules:
        raise BadInput("rule=[]: at least one is needed")
    for_all = {key: None if key in OWN_KEYS else x for key, x in given.items()}
    plain = [_Rule(rule, for_all, compose).first for rule in rules]
    own = [setting.question.own_keys for setting in plain]
    foreign = [set().union(*own) - keys for keys in own]
    found = [
        _Rule(rule, {k: x for k, x in given.items() if k not in others}, compose)
        for rule, others in zip(rules, foreign, strict=True)
    ]
    for rule, values in zip(found, differing(found), strict=True):
        rule.apart = values
    return found


def sheet(
    rules: Sequence[_Rule], *, eps: Any, per_week: float | None = None,
    weeks: float | None = None, runs: int = 200,
) -> pd.DataFrame:  # fmt: skip
    """Return a table with a row for each rule and budget; see ``dpbandits.budget``."""
    budgets = sorted({argument("eps", x, POSITIVE, math.nan) for x in each(eps)})
    refuse_alike("eps", budgets)
    runs = as_integer("runs", runs, at_least=20, at_most=10_000_000)
    users, cap = _users(per_week), rules[0].given["cap"]
    if weeks is not None and users is None:
        raise BadInput(f"weeks={plain(weeks)}: this key needs per_week=M")
    if weeks is not None and cap is not None:
        raise BadInput("cap and weeks: give only one of the two")
    if users is not None and cap is None:
        after = number_where("weeks", WEEKS if weeks is None else weeks, lambda x: x > 0, ABOVE)
        if users * after > STOPPING.largest_limit:
            most = f"at most {STOPPING.largest_limit / after:.3g} users a week are allowed"
            raise BadInput(f"per_week={plain(per_week)}: for {after:g} weeks, {most}")
        cap = math.ceil(users * after)
    rows = []
    for rule in rules:
        rule.given["cap"] = cap
        own, free, free_ended = [], math.nan, math.nan
        # answers can agree, but estimates cannot
        comparable = rule.can_be_free and "answer" in rule.first.question.measured
        names = ("stopping_time", "answer", "halted", "correct")
        answers = np.full(runs, math.nan)
        if rule.can_be_free:
            times, answers, halted, _ = rule.measured(rule.at(math.inf), runs, *names)
            free, free_ended = float(times.mean()), float(halted.mean())
        for x in budgets:
            setting = rule.at(x)
            times, answer, halted, correct = rule.measured(setting, runs, *names)
            ended = float(halted.mean())
            # a quantile does not interpolate between a run that ended and a run that was cut
            method: Any = "linear" if ended == 1.0 else "higher"
            low, high = math.nan, math.nan  # the mean has no interval if a run was cut
            if ended == 1.0:
                column = times[:, np.newaxis]
                (low,), (high,) = interval_of_mean(column)
                low = at_least_zero(column, low)[0]
            own.append({
                **rule.about, "eps": x, "samples": float(times.mean()), "low": low, "high": high,
                "slow": float(np.quantile(times, ENDS, method=method)),
                "weeks": times.mean() / users if users else math.nan,
                "ended": ended,
                "wrong": math.nan if np.isnan(correct).all() else float((correct == 0.0).mean()),
                "agree": float((answer == answers).mean()) if comparable else math.nan,
                "without_privacy": free, "free_ended": free_ended, "per_week": users or math.nan,
                "cap": setting.horizon, "runs": runs,
            })  # fmt: skip
        words = verdict(rule.title, own, *begins_to_end(rule, own, runs))
        rows += [row | {"answer": words} for row in own]
    return pd.DataFrame(rows)


def begins_to_end(
    rule: _Rule, rows: Sequence[Mapping[str, Any]], runs: int
) -> tuple[float, float]:  # fmt: skip
    """Find, by bisection, two neighbouring budgets such that the test ends at the larger budget,
    but not at the smaller budget.

    The test ends at a budget if at least the share ENDS of its runs stops before the cap.

    Returns:
        The largest budget at which the test does not end (0 if there is none), and the next larger
            budget, at which the test ends (infinity if there is none).
    """
    low = max((row["eps"] for row in rows if row["ended"] < ENDS), default=0.0)
    high = min((row["eps"] for row in rows if row["eps"] > low), default=math.inf)
    while 0.0 < PRECISE * low < high < math.inf:
        middle = short(math.sqrt(low * high))
        low, high = (low, middle) if rule.ended(middle, runs) >= ENDS else (middle, high)
    return low, high


def verdict(title: str, rows: Sequence[Mapping[str, Any]], low: float, high: float) -> str:
    """Return a sentence that sums up the rows of the rule with this ``title``.

    The sentence states the mean stopping time at one budget: among the budgets at which the test
    ends, the budget nearest to 1. The sentence also says from which budget on privacy costs less
    than 10 %, and names the two neighbouring budgets such that the test ends only at the larger
    budget. If some runs did not stop before the cap, a mean is stated with the words "at least".
    """
    first = rows[0]
    start, per_week = f"{title}: ", first["per_week"]
    limit = in_samples(first["cap"])
    if per_week == per_week:
        start += f"at {significant(per_week)} users a week, "
        limit = f"{first['cap'] / per_week:.3g} weeks"
    ends = [row for row in rows if row["ended"] >= ENDS]
    free, share = first["without_privacy"], first["free_ended"]
    ending = f" ({percent(share, 2)} of its runs end)" if share < ENDS else ""
    if not ends:
        nor = f", nor does the test without privacy{ending}" if ending else ""
        tried = f"none of the budgets that were tried, up to eps={rows[-1]['eps']:g},"
        return f"{start}{tried} ends in {limit}{nor}"

    def length(samples: float, ended: float) -> str:
        least = at_least(ended)
        if per_week != per_week:
            return f"{least}{in_samples(samples)}"
        weeks = f"{samples / per_week:.2g}"
        return f"{least}{weeks} week{'s' * (weeks != '1')}"

    near = min(ends, key=lambda row: abs(math.log(row["eps"])))
    text = f"{start}eps={near['eps']:g} costs {length(near['samples'], near['ended'])}"
    if free == free:
        text += f" instead of {length(free, share)} without privacy{ending}"

        def is_cheap(row: Mapping[str, Any]) -> bool:
            return bool(row["ended"] == 1.0 and row["samples"] <= CHEAP * free)

        cheap = [row["eps"] for row in takewhile(is_cheap, reversed(rows))]
        text += f"; privacy costs less than 10 % from eps={cheap[-1]:g} on" if cheap else ""
    if low > 0.0:
        text += f"; at eps={low:g} it does not end in {limit}"
    return text + (f", and at eps={high:g} it does" if 0.0 < low < high < math.inf else "")


def in_samples(n: float) -> str:
    return f"{significant(n)} sample{'s' * (n != 1)}"


def budget_for_samples(
    rules: Sequence[_Rule], *, samples: float | None = None, ratio: float | None = None,
    quantile: float | None = None, per_week: float | None = None, least: float = 1e-3,
    most: float = 1e3, precision: float = 1.25, runs: int = 2048,
) -> pd.DataFrame:  # fmt: skip
    """Return for each rule the smallest budget that reaches a goal.

    The goal is reached if the mean stopping time (or a quantile of it) is at most a number of
    samples, or at most a multiple of the time without privacy.
    """
    sheet_too = "; or give eps=[...] for a table of these budgets"
    goal = goal_of("samples=N", samples, ratio, "mean number of samples", sheet_too)
    share = None if quantile is None else argument("quantile", quantile, FRACTION, math.nan)
    least, most, precision, runs = check_search(least, most, precision, runs)
    users = _users(per_week)
    time_of = np.mean if share is None else partial(np.quantile, q=share)
    what = "mean" if share is None else f"{100 * share:g} % quantile"

    def row_of(rule: _Rule) -> dict[str, Any]:
        def without_privacy(n: int) -> tuple[float, float]:
            return float(time_of(rule.times(math.inf, n))), rule.ended(math.inf, n)

        free = free_ended = math.nan
        own_cap = rule.given["cap"]
        if own_cap is None and ratio is None:
            rule.given["cap"] = FREE_TIMES * cap_of(goal)
        if rule.can_be_free:
            free, free_ended = without_privacy(max(FREE_RUNS, runs // 8))
        elif ratio is not None:
            raise BadInput(f"ratio: {rule.name} cannot run without privacy; samples=N is needed")
        aim = goal if ratio is None else goal * free
        if own_cap is None:
            rule.given["cap"] = cap_of(aim)
        cap = float(rule.at(most).horizon)

        def measure(eps: float, n: int) -> Located:
            if ratio is None:
                return of_times(rule.times(eps, n), cap, share)
            baseline = rule.times(math.inf, n)
            return of_ratio(rule.times(eps, n), baseline, goal, cap, share)

        found = Search(measure, goal, least, most, precision, runs).answer()
        last = found.last
        more = "more runs help"
        if share is None:
            away = rule.times(last.budget, last.runs)
            away = away - (aim if ratio is None else goal * rule.times(math.inf, last.runs))
            if np.abs(away).max() <= SAME * aim:
                more = "all runs are equal to the goal, so that more runs do not help"
        cut = rule.ended(last.budget, last.runs) < 1.0
        if ratio is not None:
            free, free_ended = without_privacy(max(look.runs for look in found.looks))
            aim, cut = goal * free, cut or free_ended < 1.0
        if cut:
            more = "some runs did not end, so that a larger cap helps"
        instead = math.nan
        if found.kind == "never":
            if own_cap is None and free == free:
                rule.given["cap"] = cap_of(max(aim, free))
            instead = samples_reached(rule, last.budget, runs, share, own_cap is None)
        wanted, weeks = f"{significant(aim)} samples", f"{aim / users:.3g} weeks" if users else ""
        if ratio is not None:
            wanted = f"{goal:g} times that without privacy ({wanted}{', ' * bool(weeks)}{weeks})"
        elif users:
            wanted += f" ({weeks})"
        known = ""
        if free == free and (ratio is not None or found.kind == "never"):
            known = f"; it is {at_least(free_ended)}{significant(free)} without privacy"
        return {
            **rule.about, "budget": found.budget, "low": found.low, "high": found.high,
            "reached": not math.isnan(found.budget), "samples": aim, "without_privacy": free,
            "free_ended": free_ended,
            "answer": samples_in_words(
                f"{rule.title}: the {what}", found, wanted, known, instead, more
            ),
        }  # fmt: skip

    return pd.DataFrame(map(row_of, rules))


def cap_of(goal: float) -> int:
    """Return the default cap of a search for a goal in samples."""
    return math.ceil(TIMES_GOAL * max(goal, 1.0))


def of_times(times: np.ndarray, cap: float, share: float | None) -> Located:
    """Return the mean of stopping times, or their quantile at ``share``, with limits.

    Runs whose time is the cap may not have stopped. With such runs, the mean has no upper limit. A
    quantile has no upper limit if this limit would not be below the cap.
    """
    if share is None:
        found, known = limits(times, cap), times.max() < cap
    else:
        low, high = interval_of_quantile(times[:, np.newaxis], ERROR / LOOKS, share)
        ends = np.nan_to_num(low[0], nan=0.0), np.nan_to_num(high[0], nan=np.inf)
        found, known = Located(np.quantile(times, share), *ends), ends[1] < cap
    return found if known else found._replace(high=np.inf)


def of_ratio(
    times: np.ndarray, free: np.ndarray, goal: float, cap: float, share: float | None
) -> Located:
    """Return the ratio of stopping times to stopping times without privacy, with limits.

    Runs with the same number have the same rewards, with and without privacy. The limits of a ratio
    of means therefore come from the difference, in each run, between the time and ``goal`` times
    the time without privacy. The mean difference is positive if and only if the ratio is above
    ``goal``. The interval of the mean difference is narrower than an interval from two separate
    means. If all differences are equal, or all times equal the times without privacy, then other
    differences are rare (``another_value``), and bounded since times are at most the cap.
    """
    if share is not None:
        return ratio_of(of_times(times, cap, share), of_times(free, cap, share))
    apart = times - goal * free
    flat = bool(all_equal(apart))
    ends = (apart[:1],) * 2 if flat else interval_of_mean(apart[:, np.newaxis], ERROR / LOOKS)
    (low,), (high,) = ends
    if flat or (times == free).all():
        other = another_value(len(apart), ERROR / LOOKS)
        low, high = low - other * (low + goal * cap), high + other * (cap - high)
    low = low if free.max() < cap else -np.inf
    high = high if times.max() < cap else np.inf
    located = np.array([apart.mean(), low, high])
    return Located(*np.maximum(goal + located / free.mean(), 0.0))


def samples_reached(
    rule: _Rule, eps: float, runs: int, share: float | None, own_cap: bool
) -> float:  # fmt: skip
    """Return a goal ``samples``, with two digits, that a search would find to be reached at budget
    ``eps``.

    The cap of a search depends on its goal, unless the user gives a cap. If all runs are equal, the
    upper limit of the mean depends on the cap. Therefore goals are tried in ascending order as a
    search would try them, at most ``GOALS`` in total.

    Args:
        own_cap: whether the cap is computed from the goal.

    Returns:
        The goal; NaN if no goal was found, or if some runs did not stop before the cap.
    """

    def cap() -> float:
        return float(rule.at(eps).horizon)

    def measure(x: float, n: int) -> Located:
        return of_times(rule.times(x, n), cap(), share)

    goal, tries = measure(eps, runs).high, 0
    while goal < cap() and tries < GOALS:
        unit = 10.0 ** (math.floor(math.log10(goal)) - 1)
        goal, tries = float(math.ceil(goal / unit) * unit), tries + 1
        if own_cap:
            rule.given["cap"] = cap_of(goal)
        if Search(measure, goal, eps, eps, 2.0, runs).decide(eps, runs) < 0:
            return goal
        high = measure(eps, runs).high
        goal = max(NEXT_GOAL * goal, high if high < cap() else 0.0)
    return math.nan


def samples_in_words(
    start: str, found: Found, goal: str, known: str, instead: float, more: str
) -> str:
    """Return the answer of a search as a sentence.

    Args:
        start: the rule and the statistic, such as "RULE on ENV: the mean".
        found: the result of the search.
        goal: the goal, in words.
        known: the stopping time without privacy, in words; it may be empty.
        instead: a goal in samples that the largest budget reaches; used if no budget reaches the
            goal.
        more: what would help if the search is undecided, or why more runs do not help.
    """
    start, last = f"{start} stopping time is ", found.last
    if found.kind == "never":
        end = f"none: {start}above {goal} at every eps that was tried, up to {last.budget:g}{known}"
        if instead == instead:
            end += f"; samples={instead:g} is reached at eps={last.budget:g}"
        return end
    if math.isnan(found.budget):
        return f"undecided: {start}perhaps at most {goal} at eps={last.budget:g}{known}; {more}"
    if found.kind in ("always", "open"):
        return f"{start}at most {goal} at eps={found.high:g}, and perhaps below{known}"
    between = f"between eps={found.low:g} and {found.high:g}, about at {found.budget:g}"
    return f"{start}at most {goal} from an eps {between}{known}"


def _users(per_week: float | None) -> float | None:
    """Check the number of users per week, and return it."""
    return None if per_week is None else number_where("per_week", per_week, lambda x: x > 0, ABOVE)

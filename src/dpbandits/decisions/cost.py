"""The cost of privacy for a test: the stopping time against the budget, and the budget for
a goal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.parameters import FRACTION, POSITIVE
from ..contracts.question import QUESTIONS, STOPPING
from ..errors import BadInput
from ..results.summary import significant
from ..settings.compose import request_from
from ..settings.request import Request
from ..validation import argument, as_integer, each, number_where
from .search import Found, Search, check_search, limits, short
from .subject import Subject

TIMES_GOAL = 10.0  # samples after which a run of a search ends, as a multiple of the goal
FREE_RUNS = 64  # without privacy; they set the cap of a search for a ratio
CHEAP = 1.1  # times the samples without privacy: where privacy costs less than 10 %
ENDS = 0.9  # share of the runs that must end, for a test to end
PRECISE = 1.25  # ratio of the budgets between which a sheet finds that a test begins to end


Rules = Callable[[float | None, float], Iterable["_Rule"]]  # ``rules_of`` some rules
OWN_KEYS = {key for q in QUESTIONS if q.command == STOPPING.command for key in q.own_keys}

# The options of the two answers, beside the keys of ``bandit-stop``
OF_SHEET = ("eps", "per_week", "weeks", "runs")
OF_GOAL = ("samples", "ratio", "quantile", "per_week", "least", "most", "precision", "runs")


def cost_of_rules(
    rules: Sequence[Any], given: Mapping[str, Any], parameters: Mapping[str, Any],
    folders: tuple[str, ...],
) -> pd.DataFrame:  # fmt: skip
    """Return a sheet if budgets are given, else the budget for a goal; see ``dpbandits.budget``."""
    given = {key: value for key, value in given.items() if value is not None}
    wanted, answer = (OF_SHEET, sheet) if "eps" in given else (OF_GOAL, budget_for_samples)
    known = {*STOPPING.groups, *OWN_KEYS, "cap", "seed", "assume", "jobs", "backend", "results"}
    for key in given:
        if key not in (*wanted, *known):
            what = "a sheet of budgets" if "eps" in given else "the search for a budget of a rule"
            raise BadInput(f"{key}: {what} takes {', '.join(wanted)} and the keys of bandit-stop")
    options = {key: given.pop(key) for key in wanted if key in given}
    compose = partial(request_from, STOPPING, parameters=parameters, folders=folders)
    return answer(partial(rules_of, rules, given, compose), **options)


class _Rule(Subject):
    """A stopping rule whose budget is searched."""

    def __init__(self, rule: Any, given: Mapping[str, Any], compose: Callable[..., Request]):
        super().__init__(compose, {**given, "rule": rule})
        first = self.first
        self.name, self.env = first.algo, first.env
        if first.budget_name != "eps" or not first.algorithm.private:
            raise BadInput(f"rule={self.name}: a rule with a privacy budget eps is needed")

    def times(self, eps: float, n: int) -> np.ndarray:
        """Return the stopping times of the first n runs; a run that has not ended counts as
        the cap.
        """
        return self.measured(self.at(eps), n, "stopping_time")[0]


def rules_of(
    rules: Sequence[Any], given: Mapping[str, Any], compose: Callable[..., Request],
    per_week: float | None, weeks: float,
) -> list[_Rule]:  # fmt: skip
    """Return the rules; if the users per week are known, their runs end after some weeks.

    A key that belongs to the questions of some of the rules, such as ``mu0``, is passed only to
    these rules.
    """
    if per_week is not None and given.get("cap") is None:
        given = {**given, "cap": math.ceil(per_week * weeks)}
    if not rules:
        raise BadInput("rule=[]: at least one is needed")
    for_all = {key: x for key, x in given.items() if key not in OWN_KEYS}
    plain = [_Rule(rule, for_all, compose).first for rule in rules]
    own = [setting.question.own_keys for setting in plain]
    foreign = [set().union(*own) - keys for keys in own]
    return [
        _Rule(rule, {k: x for k, x in given.items() if k not in others}, compose)
        for rule, others in zip(rules, foreign, strict=True)
    ]


def sheet(
    rules: Rules, *, eps: Any, per_week: float | None = None, weeks: float = 26.0, runs: int = 200
) -> pd.DataFrame:
    """Return a row for each rule and budget; see ``dpbandits.budget``."""
    budgets = sorted({argument("eps", x, POSITIVE, math.nan) for x in each(eps)})
    runs = as_integer("runs", runs, at_least=20, at_most=10_000_000)
    per_week, weeks = _per_week(per_week, weeks)
    rows = []
    for rule in rules(per_week, weeks):
        own, free = [], math.nan
        names = ("stopping_time", "answer", "halted", "correct")
        answers = np.full(runs, math.nan)
        if rule.can_be_free:
            times, answers, *_ = rule.measured(rule.at(math.inf), runs, *names)
            free = float(times.mean())
        for x in budgets:
            setting = rule.at(x)
            times, answer, halted, correct = rule.measured(setting, runs, *names)
            error = times.std(ddof=1) / math.sqrt(runs)
            own.append({
                "rule": rule.name, "env": rule.env, "eps": x, "samples": float(times.mean()),
                "low": max(times.mean() - 1.96 * error, 0.0), "high": times.mean() + 1.96 * error,
                "slow": float(np.quantile(times, ENDS)),
                "weeks": times.mean() / per_week if per_week else math.nan,
                "ended": float(halted.mean()),
                "wrong": float((correct == 0.0).mean()) if halted.any() else math.nan,
                "agree": float((answer == answers).mean()) if free == free else math.nan,
                "without_privacy": free, "per_week": per_week or math.nan,
                "cap": setting.horizon, "runs": runs,
            })  # fmt: skip
        words = verdict(own, *begins_to_end(rule, own, runs))
        rows += [row | {"answer": words} for row in own]
    return pd.DataFrame(rows)


def begins_to_end(
    rule: _Rule, rows: Sequence[Mapping[str, Any]], runs: int
) -> tuple[float, float]:  # fmt: skip
    """Find between which budgets the test begins to end, by bisection.

    Returns:
        The largest budget at which the test does not end, and the next larger budget at which it
        ends; 0 and infinity if there is no such budget.
    """
    low = max((row["eps"] for row in rows if row["ended"] < ENDS), default=0.0)
    high = min((row["eps"] for row in rows if row["eps"] > low), default=math.inf)
    while 0.0 < PRECISE * low < high < math.inf:
        middle = short(math.sqrt(low * high))
        (halted,) = rule.measured(rule.at(middle), runs, "halted")
        low, high = (low, middle) if halted.mean() >= ENDS else (middle, high)
    return low, high


def verdict(rows: Sequence[Mapping[str, Any]], low: float, high: float) -> str:
    """Return the sheet of one rule as a sentence.

    It says what the budget nearest to 1 costs, at which budgets privacy is cheap, and between which
    budgets the test begins to end.
    """
    first = rows[0]
    start, per_week = f"{first['rule']} on {first['env']}: ", first["per_week"]
    limit = f"{significant(first['cap'])} samples"
    if per_week == per_week:
        start += f"at {significant(per_week)} users a week, "
        limit = f"{first['cap'] / per_week:.3g} weeks"
    ends = [row for row in rows if row["ended"] >= ENDS]
    free = first["without_privacy"]
    if not ends:
        nor = ", nor does the test without privacy" if free >= first["cap"] else ""
        tried = f"none of the budgets that were tried, up to eps={rows[-1]['eps']:g},"
        return f"{start}{tried} ends in {limit}{nor}"

    def length(samples: float) -> str:
        if per_week != per_week:
            return f"{significant(samples)} samples"
        weeks = f"{samples / per_week:.2g}"
        return f"{weeks} week{'s' * (weeks != '1')}"

    near = min(ends, key=lambda row: abs(math.log(row["eps"])))
    text = f"{start}eps={near['eps']:g} costs {length(near['samples'])}"
    if free == free:
        text += f" instead of {length(free)} without privacy"
        cheap = [row["eps"] for row in ends if row["samples"] <= CHEAP * free]
        text += f"; privacy costs less than 10 % from eps={min(cheap):g} on" if cheap else ""
    if low > 0.0:
        text += f"; at eps={low:g} it does not end in {limit}"
    return text + (f", and at eps={high:g} it does" if 0.0 < low < high < math.inf else "")


def budget_for_samples(
    rules: Rules, *, samples: float | None = None, ratio: float | None = None,
    quantile: float | None = None, per_week: float | None = None, least: float = 1e-3,
    most: float = 1e3, precision: float = 1.25, runs: int = 2048,
) -> pd.DataFrame:  # fmt: skip
    """Return for each rule the smallest budget that reaches a goal.

    The goal is that the mean stopping time, or a quantile of it, is at most a number of samples, or
    at most a multiple of the time without privacy.
    """
    if (samples is None) == (ratio is None):
        raise BadInput(
            "either samples=N or ratio=R is needed: the largest mean number of samples, or its "
            "ratio; or eps=[...] for a sheet"
        )
    key, goal = ("samples", samples) if ratio is None else ("ratio", ratio)
    goal = number_where(key, goal, lambda x: 0 < x < math.inf, "a number above 0 is needed")
    share = None if quantile is None else argument("quantile", quantile, FRACTION, math.nan)
    least, most, precision, runs = check_search(least, most, precision, runs)
    per_week, _ = _per_week(per_week, 1.0)
    rows = []
    for rule in rules(None, 1.0):
        time_of = np.mean if share is None else partial(np.quantile, q=share)
        free = math.nan
        if rule.can_be_free:
            free = float(time_of(rule.times(math.inf, max(FREE_RUNS, runs // 8))))
        elif ratio is not None:
            raise BadInput(f"ratio: {rule.name} cannot run without privacy; samples=N is needed")
        aim = goal if ratio is None else goal * free
        own_cap = rule.given.get("cap")
        if own_cap is None:
            rule.given["cap"] = math.ceil(TIMES_GOAL * max(aim, 1.0))

        def measure(eps: float, n: int, rule: _Rule = rule, aim: float = aim) -> np.ndarray:
            times = rule.times(eps, n)
            return times if share is None else (times > aim).astype(float)

        limit = aim if share is None else 1.0 - share
        largest = float(rule.at(most).horizon) if share is None else 1.0
        found = Search(measure, limit, least, most, precision, runs, None, largest).answer()
        what = "mean" if share is None else f"{100 * share:g} % quantile"
        instead = math.nan
        if found.kind == "never":
            if own_cap is None and free == free:
                rule.given["cap"] = math.ceil(TIMES_GOAL * max(aim, free))
            instead = samples_reached(rule, found.looks[-1].budget, runs, share)
        rows.append({
            "rule": rule.name, "env": rule.env, "budget": found.budget, "low": found.low,
            "high": found.high, "reached": not math.isnan(found.budget), "samples": aim,
            "without_privacy": free,
            "answer": in_words(rule, found, aim, free, what, per_week, instead),
        })  # fmt: skip
    return pd.DataFrame(rows)


def samples_reached(rule: _Rule, eps: float, runs: int, share: float | None) -> float:
    """Return a number of samples, with two digits, that a search would find to be reached at a
    budget.

    The number is blank if the cap ends too many runs.
    """
    times, cap = np.sort(rule.times(eps, runs)), float(rule.at(eps).horizon)
    if share is None:
        most = limits(times, cap).high if times[-1] < cap else math.inf
    else:
        tails = (
            (x, limits((times > x).astype(float), 1.0).high) for x in times[int(share * runs) :]
        )
        most = next((x for x, tail in tails if tail <= 1.0 - share), math.inf)
    if most >= cap:
        return math.nan
    unit = 10.0 ** (math.floor(math.log10(most)) - 1)
    return math.ceil(most / unit) * unit


def in_words(
    rule: _Rule, found: Found, aim: float, free: float, what: str, per_week: float | None,
    instead: float,
) -> str:  # fmt: skip
    """Return the answer of a search as a sentence.

    If no budget reaches the goal, it says how many samples would be reached ``instead``.
    """
    goal = f"{significant(aim)} samples"
    goal += f" ({aim / per_week:.3g} weeks)" if per_week else ""
    start, last = f"{rule.name} on {rule.env}: the {what} stopping time is ", found.looks[-1]
    if found.kind == "never":
        end = f"none: {start}above {goal} at every eps that was tried, up to {last.budget:g}"
        end += f"; it is {significant(free)} without privacy" if free == free else ""
        if instead == instead:
            end += f"; samples={instead:g} is reached at eps={last.budget:g}"
        return end
    if math.isnan(found.budget):
        return f"undecided: {start}perhaps at most {goal} at eps={last.budget:g}; more runs help"
    if found.kind in ("always", "open"):
        return f"{start}at most {goal} at eps={found.high:g}, and perhaps below"
    between = f"between eps={found.low:g} and {found.high:g}, about at {found.budget:g}"
    return f"{start}at most {goal} from an eps {between}"


def _per_week(per_week: float | None, weeks: float) -> tuple[float | None, float]:
    """Check the users per week and the number of weeks, and return them."""
    above = "a number above 0 is needed"
    users = None if per_week is None else number_where("per_week", per_week, lambda x: x > 0, above)
    return users, number_where("weeks", weeks, lambda x: x > 0, above)

"""Run a request: play what is missing, write its table, and print its summary."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence

from tabulate import tabulate

from ..contracts.guarantees import ExactCurve
from ..errors import plain
from ..results.naming import refuse_to_replace
from ..results.report import write_report
from ..results.run_store import Store
from ..results.size import check_size
from ..results.summary import render
from ..results.tables import unjudged
from ..running.monte_carlo import play_missing
from ..settings.request import Request
from ..settings.setting import Setting, data_of
from ..settings.sweep import swept_names
from ..theory.ren2020 import candidates


def run(request: Request, alone: bool = True, printed: bool = True) -> int:
    """Run what is missing, write the table, print its summary and, last, its path.

    The table of one of several jobs, which is not ``alone``, has a name of its own. The summary is
    printed if ``printed``.
    """
    start = time.monotonic()
    check_size(request)
    if alone:
        refuse_to_replace(request)
    _print_candidates(request.settings)
    _warn_of_zero_means(request.settings)
    store, played = play_missing(request)
    seconds = time.monotonic() - start if played else 0.0
    report(request, store, seconds, alone, printed)
    return 0


def report(
    request: Request, store: Store, seconds: float, alone: bool = True, printed: bool = True
) -> None:
    """Write the table of finished runs; print its summary, if ``printed``, and its path."""
    path, summary = write_report(request, store, seconds, alone)
    if printed:
        print(render(summary, request.question, "simple"))
        if unjudged(summary).any():
            print("Between mu0 and mu1 either answer may be given, and none is judged.")
        print("\n".join(_promises(request.settings)))
        for name in _default_budgets(request):
            print(f"{name}=1, the default; {name}=NUMBER sets it")
    print(path)


def _default_budgets(request: Request) -> list[str]:
    """The privacy budgets that algorithms have by default, since they were not given."""
    given = swept_names(request.config) | {k for k, x in request.config.items() if x is not None}
    own = [s for s in request.settings if s.algorithm.private and not s.population_spec]
    return [name for name in dict.fromkeys(s.budget_name for s in own) if name not in given]


def _promises(settings: Sequence[Setting]) -> Iterator[str]:
    """The guarantee of each algorithm, with numbers for what has only one value."""
    for name, algorithm in {s.algo: s.algorithm for s in settings}.items():
        if algorithm.private and all(math.isinf(s.budget) for s in settings if s.algo == name):
            yield f"{name}: not private: {algorithm.budget}=inf adds no noise"
            continue
        own = [s for s in settings if s.algo == name]
        names = () if algorithm.per_user else own[0].parameters
        values = {x: {s.parameters[x] for s in own} for x in names}
        single = {letter: next(iter(found)) for letter, found in values.items() if len(found) == 1}
        yield f"{name}: {algorithm.promise(single)}"
        broken = [_in_words(s) for s in own if len(own) > 1 and _is_broken(s)]
        if broken:
            where = "; ".join(dict.fromkeys(broken))
            yield f"{name}: its noise does NOT keep what is promised at {where}"
        for env, (what, assumed) in {s.env: x for s in own if (x := _void(s))}.items():
            yield f"{name}: not promised on {env}: {what}, but {assumed} is assumed"


def _in_words(setting: Setting) -> str:
    """The budget of a setting, and what a sweep has changed."""
    values = {setting.budget_name: f"{setting.budget:g}", **setting.columns}
    return " ".join(f"{name}={plain(value)}" for name, value in values.items())


def _is_broken(setting: Setting) -> bool:
    """Whether Gaussian noise that was chosen for an (eps, delta) is too small for it."""
    algorithm = setting.algorithm
    curve = algorithm.guarantee and algorithm.guarantee.gaussian
    if not isinstance(curve, ExactCurve):
        return False
    values = algorithm.numbers(setting.parameters)
    spent = curve.epsilon(values, values["delta"]) if math.isfinite(curve.mu(values)) else 0.0
    return spent > values["eps"] * (1.0 + 1e-9)


def _void(setting: Setting) -> tuple[str, str] | None:
    """What is found and what is assumed where ``assume=true`` has waived the privacy."""
    rewards = setting.algorithm.rewards
    if rewards is None or not rewards.waived_with_privacy:
        return None
    return rewards.violation(data_of(setting).instance, setting.parameters)


def _print_candidates(settings: Sequence[Setting]) -> None:
    """Where eps_min is chosen automatically: the leading term of the regret at each candidate."""
    seen = {(s.population_spec, s.budget, s.algorithm.leading_term): s for s in settings if s.auto}
    for setting in seen.values():
        term = setting.algorithm.leading_term or "V_L"
        terms = candidates(setting.population, term)
        best = sorted(sorted(terms, key=terms.__getitem__)[:10])
        chosen = setting.parameters["eps_min"]
        rows = [[f"{e:g}", f"{terms[e]:.4g}", "chosen" if e == chosen else ""] for e in best]
        many = f"the best {len(rows)} of {len(terms)} candidates"
        print(f"eps_min for {setting.algo}: {term} at {many}")
        print(tabulate(rows, ["eps_min", term, ""], disable_numparse=True), end="\n\n")


def _warn_of_zero_means(settings: Sequence[Setting]) -> None:
    """No estimate has a small relative error if the mean is 0: every run goes on to its cap."""
    arms = [s for s in settings if s.arm is not None and data_of(s).instance.means[0] == 0]
    for env, arm in dict.fromkeys((s.env, s.arm) for s in arms):
        print(
            f"env={env}: the mean of arm {arm} is 0, and no estimate has a relative error below 1; "
            "rules run to their cap",
            file=sys.stderr,
        )

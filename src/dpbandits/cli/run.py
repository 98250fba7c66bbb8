"""bandit-run: run a setting, a sweep or a paper's experiment."""

from __future__ import annotations

import math
import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from omegaconf import OmegaConf
from tabulate import tabulate

from ..comparison.table import compare, complete
from ..contracts.algorithm import Algorithm
from ..contracts.guarantees import ExactCurve
from ..contracts.question import COMPARED, REGRET, STATISTICS, Question
from ..errors import in_a_line, plain
from ..files import check_writable, package_folder, write_atomically
from ..results.formats import beside
from ..results.latex import INTERVAL, TableOptions, latex_of_summary
from ..results.manifest import refuse_to_replace, replaced_table, table_path
from ..results.references import lines_of_references
from ..results.report import table_of_means, write_report
from ..results.size import check_size
from ..results.summary import QUANTILES, text_of_summary
from ..results.tables import settings_table, unjudged
from ..results.tails import lines_of_tails
from ..running.monte_carlo import play_request
from ..settings.auto import Auto
from ..settings.groups import names_in
from ..settings.request import Request, limits_of
from ..settings.setting import Setting, data_of
from ..settings.sweep import swept_names
from ..theory.ren2020 import candidates
from .command import entry_point, table_options
from .help import version_line
from .lines import MAX_LINES, print_rest, shortened
from .status import preview
from .words import read_requests


def answer(question: Question, given: Namespace) -> int:
    """Do what a command line of ``bandit-run`` or ``bandit-stop`` requests."""
    if given.version:
        print(version_line())
        return 0
    options = table_options(given.keys)
    if given.info == "searchpath":
        print(package_folder("conf"), *given.folders, sep="\n")
        return 0
    requests = read_requests(
        given.words, given.folders, question, given.multirun, given.config_name
    )
    if given.cfg or given.info:
        files = [request.experiment_file for request in requests]
        shown = files if given.cfg else [file["defaults"] for file in files]
        header = "# @package _global_\n" if given.cfg else ""
        print(*(header + OmegaConf.to_yaml(x) for x in shown), sep="---\n", end="")
        return 0
    for request in requests:
        check_writable(request.folder)
        check_size(request)
        refuse_to_replace(request)
        _check_figure(request)
        if options is not None:
            _check_style(request, options)
    if given.dry_run:
        print(preview(requests))
        return 0
    for request in requests:
        run(request, options)
    return 0


def run(request: Request, style: TableOptions | None = None) -> None:
    """Play the missing runs and write the table. Print its summary and its path.

    If a style is given, the LaTeX file of the summary has this style.
    """
    start, question = time.monotonic(), request.question
    _print_candidates(request.settings)
    _warn_of_zero_means(request.settings)
    found = play_request(request, for_pages=True)
    total, played = found.total(request.settings), found.played
    if (stored := total - played) > 0:
        print(f"{stored:,} of {total:,} runs were stored; {played:,} were played", file=sys.stderr)
    if made := replaced_table(request):
        said = f"{table_path(request)}: the new table replaces {made}"
        print(in_a_line(f"{said}; results=DIR of another folder keeps both"), file=sys.stderr)
    path, summary = write_report(request, found, time.monotonic() - start if played else 0.0)
    if style is not None:
        shown = summary
        if style.best or not {*style.columns} <= {*summary, INTERVAL}:
            shown = complete(summary, compare(table_of_means(request, found)))
        text = latex_of_summary(shown, question, style)
        write_atomically(beside(path, ".tex"), f"{text}\n".encode())
    print(text_of_summary(summary.head(MAX_LINES), question, "simple"))
    print_rest(len(summary), beside(path, ".md"))
    print(*_lines_below(request, summary, path), path, sep="\n")


def _lines_below(request: Request, summary: pd.DataFrame, table: Path) -> Iterator[str]:
    """Yield the lines that are printed below the summary of a table."""
    yield from lines_of_tails(summary, request.question)
    yield from _not_reached(summary, request.auto)
    yield from lines_of_references(summary, request.records, request.question)
    if unjudged(summary).any():
        yield "If the mean is between mu0 and mu1, both answers are allowed, and neither is judged."
    more = f"more: {beside(table, '.json')} has the guarantee of each setting"
    yield from shortened(list(_promises(request.settings)), more)
    for name, value in _default_budgets(request).items():
        yield f"{name}={value} is the default budget; {name}=NUMBER sets another budget"


def _not_reached(summary: pd.DataFrame, auto: Auto | None) -> Iterator[str]:
    """Yield a line that says in how many settings ``runs=auto`` did not reach the precision."""
    if auto is None:
        return
    half = (summary["ci_high"] - summary["ci_low"]) / 2
    wide = ~(half <= auto.precision * summary["mean"].abs())  # also true without an interval
    if wide.any():
        where = f"{wide.sum()} of {len(summary)} settings"
        ended = f"max_runs={auto.max_runs}"
        if auto.max_time < math.inf:
            ended += f" and max_time={auto.max_time:g}"
        yield f"precision={auto.precision:g} is not reached in {where}, with {ended}"


def _check_figure(request: Request) -> None:
    """Refuse the figure of a user's experiment that bandit-plot would refuse."""
    name, described = request.config["experiment"], request.config["figure"]
    if name is None or described is None or name in names_in("experiment"):
        return
    from ..figures.draw import parse_figure  # matplotlib takes a second to import

    parse_figure(name, described, request.question)


def _check_style(request: Request, style: TableOptions) -> None:
    """Refuse a style that does not fit the summary of a request, before any run is played."""
    question = request.question
    columns = [*STATISTICS, *COMPARED, *(QUANTILES if question.quantiles else ())]
    if not question.plays_on:
        columns += ["correct", "halted", "correct_low", "correct_high"]
    sketched = dict.fromkeys(columns, 1.0) | {"tied": True}
    sketch = settings_table(request.settings).assign(**sketched)
    latex_of_summary(sketch, question, style)


def _default_budgets(request: Request) -> dict[str, str]:
    """Return the names and values of privacy budgets that have their default, since the user gave
    none.
    """
    given = swept_names(request.config) | {k for k, x in request.config.items() if x is not None}
    own = [s for s in request.settings if s.algorithm.private and not s.population_spec]
    usual = {(s.budget_name, f"{s.budget:g}"): None for s in own if s.budget_name not in given}
    return {n: ", ".join(x for name, x in usual if name == n) for n, _ in usual}


def _promises(settings: Sequence[Setting]) -> Iterator[str]:
    """Yield lines with the privacy guarantee of each algorithm. A symbol with a single value is
    replaced by this value.
    """
    for name, algorithm in {s.algo: s.algorithm for s in settings}.items():
        every = [s for s in settings if s.algo == name]
        own = [s for s in every if not (algorithm.private and math.isinf(s.budget))]
        if not own:
            yield f"{name}: not private: {algorithm.budget}=inf adds no noise"
            continue
        yield from dict.fromkeys(f"{name}: {words}" for words in _in_options(algorithm, own))
        if len(own) > 1:
            for broken, at in _broken(own).items():
                where = in_a_line("; ".join(at))
                yield f"{name}: the privacy that its noise provides {broken} at {where}"
        yield from dict.fromkeys(f"{name}: {limit}" for s in own for limit in limits_of(s))
    notes = ((s.env, line) for s in settings for line in data_of(s).instance.notes)
    yield from dict.fromkeys(f"{env}: {line}" for env, line in notes)


def _in_words(setting: Setting) -> str:
    """Return the budget of a setting, and the values that the sweep varies, as text."""
    values = {setting.budget_name: f"{setting.budget:g}", **setting.columns}
    return " ".join(f"{name}={plain(value)}" for name, value in values.items())


def _in_options(algorithm: Algorithm, settings: Sequence[Setting]) -> Iterator[str]:
    """Yield the guarantee for each choice of the options on which the guarantee depends."""
    kinds: dict[int, list[Setting]] = {}
    for setting in settings:
        kinds.setdefault(id(setting.guarantee), []).append(setting)
    for own in kinds.values():
        values = {pair for setting in own for pair in setting.values.items()}
        counts = Counter(letter for letter, _ in values)
        single = {letter: x for letter, x in values if counts[letter] == 1}
        levels = {s.budget for s in own if s.population_spec}
        if levels:
            single.pop("eps", None)  # eps is the level of a single user
        most = f"; the levels of these users are at most {max(levels):g}" if levels else ""
        yield f"{algorithm.promise(single)}{most}"


def _broken(settings: Sequence[Setting]) -> dict[str, dict[str, None]]:
    """Return the settings for which the promised (eps, delta)-DP is false or not proved, by the
    reason.
    """
    found: dict[str, dict[str, None]] = {}
    for setting in settings:
        gaussian = None if setting.guarantee is None else setting.guarantee.gaussian
        if isinstance(gaussian, ExactCurve) and (reason := gaussian.broken(setting.values)):
            found.setdefault(reason, {})[_in_words(setting)] = None
    return found


def _print_candidates(settings: Sequence[Setting]) -> None:
    """Print the leading term of the regret at the best candidates for an automatic eps_min."""
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
    """Warn of arms with mean 0. No estimate of such a mean has a small relative error, so every run
    of the rule continues up to its cap.
    """
    arms = [s for s in settings if s.arm is not None and data_of(s).instance.means[0] == 0]
    for env, arm in dict.fromkeys((s.env, s.arm) for s in arms):
        print(
            f"env={env}: the mean of arm {arm} is 0, and no estimate has a relative error below 1; "
            "rules run to their cap",
            file=sys.stderr,
        )


main = entry_point("run")(partial(answer, REGRET))

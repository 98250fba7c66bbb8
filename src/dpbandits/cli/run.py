"""bandit-run: run a setting, a multirun or a paper's experiment."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version

from omegaconf import OmegaConf
from tabulate import tabulate

from ..contracts.question import REGRET, Question
from ..errors import BadInput, unknown
from ..files import check_writable
from ..results.naming import refuse_to_replace
from ..results.report import write_report
from ..results.run_store import Store
from ..results.size import check_size
from ..results.summary import render
from ..running.monte_carlo import play_missing
from ..settings.request import Request
from ..settings.setting import Setting, data_of
from ..settings.sweep import swept_names
from ..settings.user_files import user_folders
from ..theory.ren2020 import candidates
from .command import entry_point, parser_of
from .config.compose import (
    Composed,
    as_hydra_overrides,
    compose_config,
    question_requested,
    read_request,
)
from .help import groups_listing, keys_listing
from .launch import call_hydra, multirun

USAGE = """\
usage: bandit-run [KEY=VALUE ...] [-m] [--config-dir DIR]

Run a private bandit algorithm, many times, and print its regret.

  bandit-run algo=adap_klucb env=bernoulli_c2 eps=0.5    one setting
  bandit-run -m algo=adap_ucb,adap_klucb eps=0.1,1       every combination (a Hydra multirun)
  bandit-run experiment=azize2022_fig4                   every setting of a paper's figure
  bandit-plot experiment=azize2022_fig4                  draw it

keys with their defaults (conf/config.yaml):
{keys}
  algo.NAME=VALUE, env.NAME=VALUE, population.NAME=VALUE and runner.NAME=VALUE set parameters

{groups}

{options}
"""
OPTIONS = """\
options:
  -m, --multirun      run every combination of comma-separated values
  --config-dir DIR    also look in DIR/{group}, DIR/env and DIR/experiment for your own files
  --completion SHELL  print the script for tab completion in bash, zsh or fish
  --cfg job           print the composed configuration (all of Hydra's options work)
  --version, --help"""
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")


@entry_point("bandit-run")
def main(argv: list[str]) -> int:
    return command_line(REGRET, USAGE, argv)


def command_line(question: Question, usage: str, argv: list[str]) -> int:
    """Run ``bandit-run`` or ``bandit-stop`` with the words of a command line."""
    parser = parser_of(question.command)
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--cfg", "-c", choices=("job", "hydra", "all"))
    parser.add_argument("--info", "-i", nargs="?", const="all", choices=INFO)
    parser.add_argument("--package", "-p")
    parser.add_argument("--resolve", action="store_true")
    parser.add_argument("--hydra-help", action="store_true")
    given = parser.parse_intermixed_args(argv)
    if given.help:
        keys, groups = keys_listing(question.keys_file), groups_listing(question)
        options = OPTIONS.format(group=question.group)
        print(usage.format(keys=keys, groups=groups, options=options), end="")
        return 0
    if given.version:
        print(f"dpbandits {version('dpbandits')}")
        return 0
    folders = user_folders(given.config_dir)
    question = question_requested(given.overrides, folders, question)
    if (given.package is not None or given.resolve) and not given.cfg:
        raise BadInput("--package and --resolve go with --cfg job")
    if given.resolve and given.cfg == "hydra":
        raise BadInput("--resolve: Hydra's settings refer to other keys; give --cfg job or all")
    if given.cfg or given.info or given.hydra_help:
        modes = {"--cfg": given.cfg, "--info": given.info, "-m": given.multirun}
        chosen = [mode for mode, value in modes.items() if value]
        if len(chosen) > 1:
            raise BadInput(f"{' and '.join(chosen)} do not go together: give one of them")
        words = as_hydra_overrides(given.overrides)
        composed = compose_config(words, folders, question.keys_file)
        if given.package is not None:
            _check_package(given.package, given.cfg, composed)
        call_hydra(question, argv, given.overrides)
        return 0
    if not given.multirun:
        request = read_request(given.overrides, folders, question)
        check_writable(request.folder)
        return run(request)
    return multirun(question, given.overrides, folders)


def _check_package(package: str, cfg: str, composed: Composed) -> None:
    """Refuse a part of the configuration that does not exist, or is a plain value."""
    config = {} if cfg == "hydra" else composed.config
    parts = {k: composed.contents.get(k, v) for k, v in config.items() if k != "experiment"}
    known = [name for name, part in parts.items() if isinstance(part, dict)]
    known += [] if cfg == "job" else ["hydra"]
    if "hydra" in known and package.split(".")[0] == "hydra":
        return  # Hydra reports errors of its own part
    if not OmegaConf.is_config(OmegaConf.select(OmegaConf.create(parts), package)):
        raise unknown("package", package, known)


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
        print("\n".join(_promises(request.settings)))
        for name in _default_budgets(request):
            print(f"{name}=1, the default; {name}=NUMBER sets it")
    print(path)


def _default_budgets(request: Request) -> list[str]:
    """The privacy budgets that algorithms have by default, since they were not given."""
    given = swept_names(request.config) | {k for k, x in request.config.items() if x is not None}
    own = [s for s in request.settings if s.algorithm.private and not s.population]
    return [name for name in dict.fromkeys(s.budget_name for s in own) if name not in given]


def _promises(settings: Sequence[Setting]) -> Iterator[str]:
    """The guarantee of each algorithm, with numbers for what has only one value."""
    for name, algorithm in {s.algo: s.algorithm for s in settings}.items():
        if algorithm.private and all(math.isinf(s.budget) for s in settings if s.algo == name):
            yield f"{name}: not private: {algorithm.budget}=inf adds no noise"
            continue
        own = [s.parameters for s in settings if s.algo == name]
        letters = algorithm.guarantee.letters if algorithm.guarantee else ()
        values = {x: {p[x] for p in own} for x in letters if x in own[0] and not algorithm.per_user}
        single = {letter: next(iter(found)) for letter, found in values.items() if len(found) == 1}
        yield f"{name}: {algorithm.promise(single)}"


def _print_candidates(settings: Sequence[Setting]) -> None:
    """Where eps_min is chosen automatically: the leading term of the regret at each candidate."""
    seen = {(s.population, s.budget, s.algorithm.leading_term): s for s in settings if s.auto}
    for setting in seen.values():
        term = setting.algorithm.leading_term or "V_L"
        terms = candidates(setting.crowd, term)
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

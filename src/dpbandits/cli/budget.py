"""bandit-budget: the privacy budget that an algorithm needs for a regret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from ..decisions.budget import budgets_needed
from ..errors import BadInput, unknown
from ..figures.budget_needed import budget_needed
from ..figures.style import save
from ..files import check_writable, write_atomically
from ..results.summary import budget as budget_in_words
from ..settings.choices import environment_choice
from ..settings.setting import as_json, digest
from ..settings.user_files import user_folders
from .command import Parser, entry_point
from .config.compose import value_of

USAGE = """\
usage: bandit-budget algo=NAME[,NAME ...] env=NAME horizon=T regret=R|ratio=R [KEY=VALUE ...]

Find the smallest privacy budget at which mean regret is at most R, or R times that without privacy.
Runs are added where they are needed; they are stored and not repeated.

  bandit-budget algo=adap_klucb env=bernoulli_c3 horizon=1e6 ratio=2
  bandit-budget algo=adap_klucb,dp_klucb env=bernoulli_c3 horizon=1e6 ratio=2 baseline=kl_ucb
  bandit-budget algo=adap_klucb env=bernoulli env.means=[.9,.8] horizon=1e5 regret=2000

  regret=R         the largest mean regret at the horizon
  ratio=R          instead of it, the largest ratio to the mean regret of the baseline
  baseline=NAME    an algorithm without privacy; by default each itself without privacy
  least=1e-3, most=1e3   the range of budgets that is searched
  precision=1.25   the ratio of the ends of the interval that is asked for
  runs=2048        runs at one budget, at most
  shuffle_arms=true, seed=0, assume=false, jobs=-1, backend=auto, results=results
  algo.NAME=VALUE, env.NAME=VALUE   parameters
  out=STEM         where STEM.md, STEM.pdf and STEM.png are written; RESULTS/budget-HASH

options:
  --config-dir DIR    also look in DIR/algo and DIR/env for your own files
"""
OWN: dict[str, Any] = {"regret": None, "ratio": None, "baseline": None, "least": 1e-3, "most": 1e3}
OWN |= {"precision": 1.25, "runs": 2048}
OF_RUNS: dict[str, Any] = {"env": None, "horizon": None, "seed": None, "assume": None, "jobs": None}
OF_RUNS |= {"backend": None, "results": "results", "shuffle_arms": True}
KEYS = ("algo", *OWN, *OF_RUNS, "out")
SHOWN = ("algo", "budget", "low", "high", "reached", "runs")


@entry_point("bandit-budget")
def main(argv: list[str]) -> int:
    parser = Parser("bandit-budget", add_help=False)
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--config-dir", "-cd")
    parser.add_argument("--help", "-h", action="store_true")
    given = parser.parse_intermixed_args(argv)
    if given.help:
        print(USAGE, end="")
        return 0
    keys = _keys(given.arguments)
    for key in ("algo", "env"):
        if key not in keys:
            raise BadInput(f"{key}=NAME is needed (see --help)")
    algorithms = str(keys.pop("algo")).split(",")
    parameters = _parameters("algo", keys)
    changed, out = _parameters("env", keys), keys.pop("out", None)
    own = {key: keys.get(key, default) for key, default in OWN.items()}
    runs: dict[str, Any] = {key: keys.get(key, default) for key, default in OF_RUNS.items()}
    name = digest(as_json({**keys, "algo": algorithms, "of": parameters, "in": changed}), length=8)
    if changed:
        runs["env"] = environment_choice("env", str(runs["env"]), changed)
    folders = user_folders(given.config_dir)
    stem = Path(out or Path(str(runs["results"])) / f"budget-{name}")
    if not stem.name or stem.is_dir():
        raise BadInput(f"out={out}: the path of a file is needed, not of a folder")
    check_writable(stem.parent)
    found = budgets_needed(algorithms, runs, parameters, folders, **own)
    print(text(found, "simple"), *found["answer"], sep="\n")
    page = f"{text(found, 'pipe')}\n\n" + "\n".join(f"* {x}" for x in found["answer"]) + "\n"
    write_atomically(stem.with_name(f"{stem.name}.md"), page.encode())
    for path in save(budget_needed(found), stem):
        print(path)
    print(f"{stem}.md")
    return 0


def text(found: pd.DataFrame, style: str) -> str:
    """The answers as a table."""
    rows = [
        [
            row["algo"], "none" if pd.isna(row["budget"]) else f"{row['name']}={row['budget']:g}",
            f"{row['low']:g}", budget_in_words(row["high"]) if row["reached"] else "",
            "yes" if row["reached"] else "no", row["runs"],
        ]
        for row in found.to_dict("records")
    ]  # fmt: skip
    return tabulate(rows, SHOWN, tablefmt=style, disable_numparse=True)


def _keys(words: list[str]) -> dict[str, Any]:
    """The keys of a command line with their values."""
    found: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise BadInput(f"{word}: KEY=VALUE is needed (see --help)")
        if key not in KEYS and key.partition(".")[0] not in ("algo", "env"):
            raise unknown("key", key, KEYS)
        names = key in ("algo", "out", "results")
        found[key] = text if names else value_of(word)
    return found


def _parameters(group: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Take the parameters of a group from the keys."""
    names = [key for key in keys if key.startswith(f"{group}.")]
    return {name.partition(".")[2]: keys.pop(name) for name in names}

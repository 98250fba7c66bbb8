"""bandit-budget: the privacy budget that an algorithm needs for a regret."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import Any

import pandas as pd
from tabulate import tabulate

from ..api.privacy import OF_SEARCH
from ..contracts.parameters import BUDGETS
from ..decisions.budget import budgets_needed
from ..decisions.cost import cost_of_rules
from ..errors import BadInput, unknown
from ..figures.cost_of_privacy import cost_of_privacy
from ..figures.regret_vs_budget import budget_needed
from ..figures.style import save
from ..files import check_writable, write_atomically
from ..results.latex import KEYS as LATEX
from ..results.latex import TableOptions, latex_of
from ..results.summary import budget as budget_in_words
from ..results.summary import significant
from ..settings.choices import environment_choice
from ..settings.setting import as_json, digest
from .command import entry_point, results_of, stem_of, table_options
from .completion import OWN_KEYS
from .words import value_of

SHOWN = ("algo", "budget", "low", "high", "reached", "runs")
COLUMNS_OF_SHEET = (
    "samples: the mean stopping time, with its 95 % interval from low to high; slow: what nine of "
    "ten runs do not exceed; ended, wrong, agree: the shares of runs that ended, that answered "
    "wrongly, and that gave the answer of the test without privacy on equal rewards"
)


@entry_point("budget")
def main(given: Namespace) -> int:
    keys = _keys(given.words)
    group = "rule" if "rule" in keys else "algo"
    for key in (group, "env"):
        if key not in keys:
            raise BadInput(f"{key}=NAME is needed (see --help)")
    names = str(keys.pop(group)).split(",")
    if "algo" in keys:
        raise BadInput("algo and rule: give only one of the two")
    parameters, changed = _parameters(group, keys), _parameters("env", keys)
    out = _taken(["out"], keys)
    options = table_options(_taken(LATEX, keys)) if group == "algo" else None
    name = digest(as_json({**keys, group: names, "of": parameters, "in": changed}), length=8)
    search = _taken(OF_SEARCH, keys) if group == "algo" else {}
    runs = {"results": "results", **keys}
    if changed:
        runs["env"] = environment_choice("env", str(runs["env"]), changed)
    stem = stem_of(out, results_of(runs) / f"budget-{name}")
    check_writable(stem.parent)
    texts: dict[str, str] = {}
    if group == "algo":
        found = budgets_needed(names, runs, parameters, given.folders, **search)
        answers, draw, render = list(found["answer"]), budget_needed, text
        tex = latex_of(_for_paper(found), SHOWN, options or TableOptions(), measured="budget")
        texts[".tex"] = f"{tex}\n"
    else:
        found = cost_of_rules(names, runs, parameters, given.folders)
        answers, draw, render = list(dict.fromkeys(found["answer"])), cost_of_privacy, text_of_rules
        if "slow" in found:
            answers.append(COLUMNS_OF_SHEET)
    print(render(found, "simple"), *answers, sep="\n")
    texts[".md"] = f"{render(found, 'pipe')}\n\n" + "".join(f"* {x}\n" for x in answers)
    for end, content in texts.items():
        write_atomically(stem.with_name(f"{stem.name}{end}"), content.encode())
    for path in save(draw(found), stem) if group == "algo" or "slow" in found else ():
        print(path)
    print(*(f"{stem}{end}" for end in texts), sep="\n")
    return 0


def _for_paper(found: pd.DataFrame) -> pd.DataFrame:
    """Return the answers with the columns ``ci_low``, ``ci_high`` and ``tied`` of a table for a
    paper.

    A budget is tied, so that it may be the smallest one, if its interval begins below the upper end
    of the interval of the smallest budget.
    """
    smallest = found["high"][found["budget"] == found["budget"].min()].min()
    tied = (found["low"] <= smallest) & found["budget"].notna()
    return found.assign(ci_low=found["low"], ci_high=found["high"], tied=tied)


def text_of_rules(found: pd.DataFrame, style: str) -> str:
    """Return the cost of privacy for stopping rules, or the budget for a goal, as a table."""
    shown = found.drop(columns=["answer", "env"]).dropna(axis=1, how="all")
    if shown["rule"].nunique() == 1:
        shown = shown.drop(columns="rule")
    shown = shown.map(lambda x: x if isinstance(x, str) else significant(x))
    right = {"showindex": False, "disable_numparse": True, "stralign": "right"}
    return tabulate(shown, "keys", style, **right)


def text(found: pd.DataFrame, style: str) -> str:
    """Return the answers as a table."""
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
    """Return the keys of a command line with their values."""
    found: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise BadInput(f"{word}: KEY=VALUE is needed (see --help)")
        known = (*OWN_KEYS["budget"], *BUDGETS)  # a search refuses a budget
        if key not in known and key.partition(".")[0] not in ("algo", "rule", "env"):
            raise unknown("key", key, OWN_KEYS["budget"])
        names = key in ("algo", "rule", "out", "results", *LATEX)
        value = None if names else value_of(word)
        found[key] = text if value is None else value.value
        if value is not None and value.many:
            raise BadInput(f"{word}: one value is needed; put text with a comma in quotes")
    return found


def _taken(names: Iterable[str], keys: dict[str, Any]) -> dict[str, Any]:
    """Remove the named keys from ``keys``, and return those that were there."""
    return {name: keys.pop(name) for name in names if name in keys}


def _parameters(group: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Remove the parameters of a group from the keys, and return them."""
    taken = _taken([key for key in keys if key.startswith(f"{group}.")], keys)
    return {name.partition(".")[2]: value for name, value in taken.items()}

"""bandit-budget: the privacy budget that an algorithm needs for a regret."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pandas as pd
from tabulate import tabulate

from ..api.privacy import answers_of
from ..contracts.parameters import BUDGETS
from ..contracts.question import GOALS
from ..errors import BadInput
from ..figures.answers import figure_of_answer
from ..figures.origin import files_of
from ..figures.style import save
from ..files import check_writable, write_atomically
from ..results.latex import KEYS as LATEX
from ..results.latex import latex_of_budgets
from ..results.summary import significant, with_cut_runs
from ..settings.choices import environment_choice
from ..settings.hints import unknown_key
from ..settings.setting import as_json, digest
from ..validation import new_file
from .command import entry_point, results_of, table_options
from .completion import COMMANDS, OWN_KEYS
from .words import value_of

TEXTS = ("algo", "rule", "out", "results", *LATEX)  # keys whose values are not parsed
SHOWN = ("algo", "budget", "low", "high", "reached", "runs")
COLUMNS_OF_SHEET = (
    "samples: the mean stopping time, with its 95 % interval from low to high if all runs ended; "
    "slow: what nine of ten runs do not exceed; ended, wrong, agree: the shares of runs that "
    "ended, that answered wrongly, and that gave the answer of the test without privacy on equal "
    "rewards; free_ended: the share of runs that ended without privacy"
)


@entry_point("budget")
def main(given: Namespace) -> int:
    keys, typed = _values(given), given.keys
    group = "rule" if "rule" in typed else "algo"
    for key in (group, "env"):
        if key not in typed:
            raise BadInput(f"{key}=NAME is needed (see --help)")
    if {"algo", "rule"} <= {*typed}:
        raise BadInput("algo and rule: give only one of the two")
    names = typed[group].split(",")
    parameters, changed = _parameters(group, keys), _parameters("env", keys)
    options = table_options(typed)
    name = digest(as_json({**keys, group: names, "of": parameters, "in": changed}), length=8)
    runs = {"results": "results", **keys}
    if changed:
        runs["env"] = environment_choice("env", str(runs["env"]), changed)
    usual = results_of(typed) / f"budget-{name}"
    stem, formats = files_of(new_file("out", typed.get("out", usual)))
    has_figure = group == "algo" or "eps" in keys
    if not has_figure and len(formats) == 1:
        how = f"write out={stem}, or give eps=[...] instead for a figure, too"
        raise BadInput(f"out={typed['out']}: samples=N and ratio=R write tables only; {how}")
    check_writable(stem.parent, typed.get("out"))
    found = answers_of(group, names, runs, parameters, given.folders)
    render = text if group == "algo" else text_of_rules
    answers = [*dict.fromkeys(found["answer"]), *[COLUMNS_OF_SHEET] * ("slow" in found)]
    tex = f"{latex_of_budgets(found, options)}\n"  # refuses unknown columns before any print
    print(render(found, "simple"), *answers, sep="\n")
    below = "".join(f"* {x}\n" for x in answers)
    texts = {".tex": tex, ".md": f"{render(found, 'pipe')}\n\n{below}"}
    for end, content in texts.items():
        write_atomically(stem.with_name(f"{stem.name}{end}"), content.encode())
    if has_figure:
        print(*save(figure_of_answer(found), stem, formats), sep="\n")
    print(*(f"{stem}{end}" for end in texts), sep="\n")
    return 0


def text_of_rules(found: pd.DataFrame, style: str) -> str:
    """Return the cost of privacy for stopping rules, or the budget for a goal, as a table."""
    shown = found.drop(columns=["answer", "env"]).dropna(axis=1, how="all")
    fixed = [name for name in ("rule", *GOALS) if name in shown and shown[name].nunique() == 1]
    shown = shown.drop(columns=fixed)
    words = shown.map(_cell)
    shown = pd.DataFrame(
        {str(name): with_cut_runs(found, str(name), words[name]) for name in words}
    )
    right = {"showindex": False, "disable_numparse": True, "stralign": "right"}
    return tabulate(shown, "keys", style, **right)


def _cell(x: Any) -> str:
    if isinstance(x, bool):
        return "yes" if x else "no"
    return x if isinstance(x, str) else "" if pd.isna(x) else significant(x)


def text(found: pd.DataFrame, style: str) -> str:
    """Return the answers as a table."""
    rows = [
        [
            row["algo"], "none" if pd.isna(row["budget"]) else f"{row['name']}={row['budget']:g}",
            f"{row['low']:g}", f"{row['high']:g}" if row["reached"] else "",
            "yes" if row["reached"] else "no", row["runs"],
        ]
        for row in found.to_dict("records")
    ]  # fmt: skip
    return tabulate(rows, SHOWN, tablefmt=style, disable_numparse=True)


def _values(given: Namespace) -> dict[str, Any]:
    """Return the values of the keys that decide the answer, including keys such as
    ``algo.alpha``.
    """
    groups = COMMANDS["budget"]["groups"]
    chosen = {g: given.keys[g].partition(",")[0] for g in groups if g in given.keys}
    found: dict[str, Any] = {key: given.keys[key] for key in ("results",) if key in given.keys}
    known = (*OWN_KEYS["budget"], *BUDGETS)  # a search refuses budgets later
    own = [f"{key}={text}" for key, text in given.keys.items() if key not in TEXTS]
    for word in (*own, *given.words):
        key, equals, text = word.partition("=")
        if not equals:
            raise BadInput(f"{word}: KEY=VALUE is needed (see --help)")
        if key not in known and key.partition(".")[0] not in groups:
            raise unknown_key(key, text, OWN_KEYS["budget"], chosen, given.folders)
        value = value_of(word)
        if value.many:
            raise BadInput(f"{word}: one value is needed; put text with a comma in quotes")
        found[key] = value.value
    return found


def _parameters(group: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Remove the parameters of a group from the keys, and return them."""
    taken = [key for key in keys if key.startswith(f"{group}.")]
    return {key.partition(".")[2]: keys.pop(key) for key in taken}

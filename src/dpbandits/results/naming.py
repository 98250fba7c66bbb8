"""The names of tables and of the environments in them, and the check that protects tables from
being replaced.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import BadInput
from ..settings.request import BESIDE_RECORDS, Request
from ..settings.setting import Setting, digest, without_paths
from .formats import SUMMARY_CSV, beside
from .manifest import UNREADABLE, read_manifest
from .summary import rounds
from .varying import SETTING

# The beginnings of the names of CSV files that other commands write; these files hold no runs.
FINDINGS = ("claims", "audit", "exact")


def table_path(request: Request) -> Path:
    """Return the path of a request's table.

    The name is that of the experiment; without an experiment it is made of the settings and their
    hash.
    """
    described = (setting.described for setting in request.settings)
    name = digest(*described, str(request.auto or request.runs), length=8)
    experiment = request.config["experiment"]
    if experiment is not None:
        stem = str(experiment)
    elif len(request.settings) > 1:
        stem = f"sweep-{name}"
    else:
        stem = f"{_label(request.settings[0])}-{name}"
    return request.folder / f"{stem}.{request.format}"


def _label(setting: Setting) -> str:
    """Return a setting's part of the name of its table."""
    budget = f"{setting.budget_name}{setting.budget:g}"
    values = {"budget": budget, "horizon": rounds(setting.horizon), **dict(setting.goal)}
    parts = [pattern.format(values[key]) for key, pattern in setting.question.label]
    if math.isinf(setting.budget):
        parts = parts[1:]
    return f"{setting.algo}-{setting.env}{''.join(parts)}"


def refuse_to_replace(request: Request) -> None:
    """Refuse to replace the table or the pages of an experiment by a table that lacks their rows.

    A table may be replaced by one with at least as many runs of the same settings, since the new
    table contains the old one. It may also be replaced by a table with the same keys, since then
    the old table is out of date: the experiment's file or an algorithm has changed. If there are
    pages but no table, as in a fresh checkout, a request with changed keys may replace them only if
    they show its settings and number of runs.

    Raises:
        BadInput: rows would be lost.
    """
    path, name = table_path(request), request.config["experiment"]
    if name is None:
        return
    given = " ".join(request.changed) or f"experiment={name}"
    with contextlib.suppress(*UNREADABLE):
        manifest = read_manifest(path)
        keys = [str(key) for key in manifest["changed"]]
        runs = manifest["config"]["runs"]
        same = _content(manifest["settings"].values()) == _content(
            s.record for s in request.settings
        )
        more = runs == "auto" if request.auto else runs != "auto" and float(runs) <= request.runs
        if not (same and more) and set(keys) != set(request.changed):
            made = f"with {' '.join(keys)}" if keys else "as it stands"
            raise BadInput(
                f"{given}: {path} is the table of the experiment {made}; "
                "results=DIR of another folder keeps both"
            )
        return
    page = beside(path, ".md")
    if request.changed and page.exists() and not _is_summary_of(request):
        raise BadInput(
            f"{given}: {page} was made with other keys; results=DIR of another folder keeps both"
        )


def _is_summary_of(request: Request) -> bool:
    """Return whether the summary beside a request's table has its settings and number of runs."""
    with contextlib.suppress(*UNREADABLE):
        summary = pd.read_csv(beside(table_path(request), SUMMARY_CSV), dtype={SETTING: str})
        same = set(summary[SETTING]) == {setting.id for setting in request.settings}
        return same and set(summary["runs"]) == {request.runs}
    return False


def made_by_others(request: Request) -> list[str]:
    """Return the algorithms of which another version made the table that a request replaces."""
    with contextlib.suppress(*UNREADABLE):
        made = read_manifest(table_path(request))["settings"].values()
        now = {setting.algo: setting.version for setting in request.settings}
        before = {str(words["algo"]): words["version"] for words in made}
        return [name for name, was in before.items() if now.get(name, was) != was]
    return []


def _content(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the settings of a table as JSON text, without the versions of the algorithms."""
    settings = [
        {k: without_paths(x) for k, x in words.items() if k not in ("version", *BESIDE_RECORDS)}
        for words in records
    ]
    return json.dumps(settings, sort_keys=True)

"""The name of a table, and the tables that must not be replaced."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..settings.request import Request, experiment_request
from ..settings.setting import Setting, digest
from .manifest import UNREADABLE, read_manifest
from .summary import rounds


def table_path(request: Request, alone: bool = True) -> Path:
    """Where the table of a request is written: the name of its experiment, or of what is run with a
    hash of it. One of several jobs is not ``alone``: its name needs the hash.
    """
    described = (setting.described for setting in request.settings)
    name = digest(*described, str(request.runs), length=8)
    experiment = request.config["experiment"]
    if experiment is not None:
        stem = str(experiment) if alone else f"{experiment}-{name}"
    elif len(request.settings) > 1:
        stem = f"sweep-{name}"
    else:
        stem = f"{_label(request.settings[0])}-{name}"
    return request.folder / f"{stem}.csv"


def _label(setting: Setting) -> str:
    """The setting in the name of its table."""
    values = {"eps": setting.eps, "horizon": rounds(setting.horizon), **dict(setting.goal)}
    parts = [pattern.format(values[key]) for key, pattern in setting.question.label]
    if math.isinf(setting.eps):
        parts = parts[1:]
    return f"{setting.algo}-{setting.env}{''.join(parts)}"


def refuse_to_replace(request: Request) -> None:
    """Refuse to replace the table of an experiment as its file defines it by one with other keys.

    Raises:
        BadInput: that would happen.
    """
    path, name = table_path(request), request.config["experiment"]
    if name is None or not request.changed or not path.exists():
        return
    unchanged = experiment_request(request.question, str(name), request.folders)
    now, then = (
        _content(r.runs, (setting.record for setting in r.settings)) for r in (request, unchanged)
    )
    with contextlib.suppress(*UNREADABLE):
        manifest = read_manifest(path)
        if now != then == _content(manifest["config"]["runs"], manifest["settings"]):
            raise BadInput(
                f"{' '.join(request.changed)}: {path} is the table of the experiment as it "
                "stands; results=DIR keeps both"
            )


def _content(runs: float, records: Iterable[Mapping[str, Any]]) -> str:
    """The runs and settings of a table, without the versions of the algorithms."""
    settings = [{name: x for name, x in words.items() if name != "version"} for words in records]
    return json.dumps([float(runs), settings], sort_keys=True)

"""The name of a table, and what must not be written over."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from ..cli.config.compose import Request, read_request
from ..errors import BadInput
from ..settings.setting import digest
from ..validation import file_at
from .tables import UNREADABLE, record


def table_path(request: Request, alone: bool = True) -> Path:
    """Where the table of a request is written: under the experiment's name, or that of what was
    run and a hash of all of it. One of several jobs is not ``alone``, and needs the hash.
    """
    return request.results / f"{_name(request, alone)}.csv"


def _name(request, alone):
    name = digest(*(cell.setting for cell in request.cells), str(request.runs), length=8)
    experiment = request.config["experiment"]
    if experiment is not None:
        return str(experiment) if alone else f"{experiment}-{name}"
    if len(request.cells) > 1:
        return f"sweep-{name}"
    return f"{request.kind.label(request.cells[0])}-{name}"


def refuse_to_replace(request: Request) -> None:
    """Do not write a table of an experiment with other keys over one of it as it stands.

    Raises:
        BadInput: that would happen.
    """
    path, name = table_path(request), request.config["experiment"]
    if name is None or not request.changed or not path.exists():
        return
    as_it_stands = read_request([f"experiment={name}"], request.folders, request.kind)
    now, then = (_content(r.runs, map(record, r.cells)) for r in (request, as_it_stands))
    with contextlib.suppress(*UNREADABLE):
        manifest = json.loads(file_at(path.with_suffix(".json")).read_text())
        if now != then == _content(manifest["config"]["runs"], manifest["cells"]):
            raise BadInput(
                f"{' '.join(request.changed)}: {path} is the table of the experiment as it "
                "stands; results=DIR keeps both"
            )


def _content(runs, records):
    """The runs and settings of a table, whatever the version that played them."""
    settings = [{name: x for name, x in words.items() if name != "version"} for words in records]
    return json.dumps([float(runs), settings], sort_keys=True)

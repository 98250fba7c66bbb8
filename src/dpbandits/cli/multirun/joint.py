"""What the jobs of a multirun have in common: one request for all, whose table is that of all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...contracts.algorithm import Algorithm, find_file, load
from ...contracts.parameters import BUDGETS
from ...contracts.question import Question
from ...errors import BadInput
from ...results.size import check_size
from ...results.tables import described
from ...results.varying import disambiguate
from ...settings.groups import default_keys, is_name
from ...settings.request import Request
from ...settings.setting import Setting
from ..config.compose import key_of, multirun_points


def joined(requests: Sequence[Request]) -> Request:
    """The request of all settings of several requests, each with a column for what varies.

    Raises:
        BadInput: they have no table in common.
    """
    first = requests[0]
    if len({request.question.name for request in requests}) > 1:
        raise BadInput("regrets and stopping times are in no table together")
    if len({request.folder for request in requests}) > 1:
        raise BadInput("the results are in several folders")
    settings: dict[Setting, Setting] = {}
    runs: dict[Setting, int] = {}
    for request in requests:
        for setting in request.settings:
            same = settings.get(setting, setting)
            settings[setting] = replace(same, columns={**setting.columns, **same.columns})
            runs[setting] = max(runs.get(setting, 0), request.runs)
    looks = [_look(setting) for setting in settings.values()]
    more = disambiguate(looks, [setting.record for setting in settings.values()])
    pairs = zip(settings.values(), more, strict=True)
    config = {key: _together([r.config.get(key) for r in requests]) for key in first.config}
    if isinstance(config.get("experiment"), list):
        config["experiment"] = None
    request = replace(
        first,
        config=config,
        settings=[replace(one, columns={**one.columns, **own}) for one, own in pairs],
        runs=min(runs.values()),
    )
    check_size(request)
    return request


def _look(setting: Setting) -> dict[str, Any]:
    """The columns of a setting in a table of its own."""
    about = described(setting)
    names = [name for name in (*setting.question.columns, *BUDGETS) if name in about]
    return {name: about[name] for name in names} | dict(setting.columns)


def _together(values: Sequence[Any]) -> Any:
    """The value of a key of all requests, or the list of its values."""
    distinct = [x for i, x in enumerate(values) if x not in values[:i]]
    return distinct[0] if len(distinct) == 1 else distinct


def points_of(
    question: Question, overrides: list[str], folders: tuple[str, ...]
) -> list[list[str]]:
    """The points of a multirun, each once, without the privacy budgets that its algorithm does not
    take although that of another point does: UCB and AdaP-UCB can be run with ``eps=1``.
    """
    points = list(multirun_points(overrides, folders))
    algorithms = [_algorithm(question, point, folders) for point in points]
    taken = {algorithm.budget for algorithm in algorithms if algorithm}
    kept = {}
    for point, algorithm in zip(points, algorithms, strict=True):
        foreign = taken & set(BUDGETS) - {algorithm.budget} if algorithm else set()
        words = [word for word in point if key_of(word) not in foreign]
        kept[tuple(words)] = words
    return list(kept.values())


def _algorithm(
    question: Question, point: Sequence[str], folders: tuple[str, ...]
) -> Algorithm | None:
    """The algorithm that a point chooses; None if there is none, which is reported later."""
    group = question.group
    chosen = [word.partition("=")[2] for word in point if key_of(word) == group]
    name = [default_keys(question.keys_file)[group], *chosen][-1]
    if not is_name(name):
        return None
    with suppress(BadInput):
        return load(find_file(str(name), folders, group))
    return None

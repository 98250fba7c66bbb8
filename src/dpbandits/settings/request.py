"""Requests: the settings to run, how often, by which workers, and where their runs are stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..contracts.algorithm import Algorithm
from ..contracts.parameters import BUDGETS
from ..contracts.question import COMPUTED, GOALS, QUESTIONS, Question
from ..environments.labelled import LabelledInstance
from ..errors import BadInput, plain, unknown
from ..files import check_folder
from ..validation import as_integer, folder, number_where, one_of, table_format, workers
from .auto import FIRST_RUNS, MOST_RUNS, Auto, auto_of
from .composed import INLIER, LABEL, Groups
from .groups import default_keys, file_keys
from .resolve import resolve
from .setting import Setting, data_of
from .sweep import grids, swept_names

# Values that a manifest holds for a setting beside its record: the displayed name and line of a
# user's algorithm, the number of looks at its runs, and the lines of reference of its data
SHOWN, LOOKS, REFERENCES = "shown", "looks", "references"
BESIDE_RECORDS = LABEL, SHOWN, LOOKS, REFERENCES
WORD = re.compile(r"[\w.:/@%+,\[\]-]+", re.ASCII)
EXAMPLES = {"address": "tcp://HOST:8786", "time": "04:00:00", "mem": "4G"}
BACKENDS = ("auto", "threads", "processes")
AT_LEAST_ONE = "a number of at least 1 is needed"
# Keys of conf/config.yaml on which no row of a table depends; a new such key must be added here
DECIDES_NO_ROW = {"jobs", "backend", "results", "runner", "figure", "format", "max_rows"}
# Columns that tables, summaries and comparisons have besides those of a question
COLUMNS = [
    "setting", "seed", "run", "version", "label", "metric", "resolution", "of_constant", *COMPUTED
]  # fmt: skip
SHARED = {*BUDGETS, "eps_min", *GOALS}


@dataclass(frozen=True)
class Request:
    """The settings to run, and how to run and store them."""

    question: Question
    # the configuration as plain data, with the names that are chosen in groups
    config: Mapping[str, Any]
    settings: list[Setting]  # the checked settings
    runs: int  # the number of independent runs of each setting; with ``auto``, the smallest number
    max_rows: float  # the largest number of rows that a table may have
    format: str  # the format of the file of the table
    jobs: int  # the number of workers; -1 for one worker per core
    backend: str  # threads, processes or auto
    results: Path | None  # the folder in which runs are stored, None for no folder
    runner: str  # whose workers play the runs: local, dask or slurm
    runner_keys: Mapping[str, Any]  # the parameters of the runner
    groups: Groups  # what is chosen in the groups of configuration files
    auto: Auto | None = None  # the condition until which runs are added, or None
    # the overrides that decide what is run, except for the name of an experiment
    changed: tuple[str, ...] = ()

    @property
    def experiment_file(self) -> dict[str, Any]:
        """The contents, as Hydra reads them, of an experiment's file that asks for the same
        request.
        """
        groups, chosen = self.groups, (*self.question.groups, "runner")
        varied = [group for group in chosen if group in swept_names(self.config)]
        single = [group for group in chosen if group not in varied]
        needed = [g for g in chosen if not all(g in grid for grid in grids(self.config))]
        included: dict[str, str | None] = {k: x for k, x in groups.base.choices.items() if "@" in k}
        if isinstance(groups.values.get(INLIER), Mapping) and f"env@{INLIER}" in included:
            included[f"env@{INLIER}"] = None  # a whole law replaces the file
        choices = {group: self.config[group] for group in needed} | included
        found: dict[str, Any] = {
            "defaults": [*({f"override /{key}": name} for key, name in choices.items()), "_self_"]
        }
        found |= {k: x for k, x in self.config.items() if k not in (*chosen, "experiment")}
        for group in single[:-1]:
            source = groups.sources[group, self.config[group]]
            found[group] = groups.filled(source, {}, resolve=False).get(group, {})
        found |= {group: groups.set_for_all(group) for group in varied}
        return {**found, "runner": dict(self.runner_keys)}

    @property
    def most_runs(self) -> int:
        """The largest number of runs of each setting."""
        return self.runs if self.auto is None else self.auto.max_runs

    @property
    def only(self) -> Setting:
        """The setting of a request with a single setting; a request with several is refused."""
        if len(self.settings) > 1:
            raise BadInput("one environment and one value of each parameter are needed")
        return self.settings[0]

    @cached_property
    def records(self) -> dict[str, dict[str, Any]]:
        """The records of the settings by their ids, see ``record_of``."""
        return {setting.id: self.record_of(setting) for setting in self.settings}

    def record_of(self, setting: Setting) -> dict[str, Any]:
        """Return the record of a setting with further values for a manifest.

        These are the label of its environment, the displayed name and line of a user's algorithm,
        the lines of reference of its data and, for ``runs=auto``, the number of looks at its runs.
        """
        found, instance = setting.record, data_of(setting).instance
        if setting.env in self.groups.labels:
            found[LABEL] = self.groups.labels[setting.env]
        if setting.algorithm.shown:
            found[SHOWN] = dict(setting.algorithm.shown)
        if self.auto is not None:
            found[LOOKS] = len(self.auto.looks())
        if isinstance(instance, LabelledInstance):
            found[REFERENCES] = instance.recorded(setting.horizon)
        return found

    @property
    def folder(self) -> Path:
        """The results folder; the request must have one, as every request of a command has."""
        assert self.results is not None
        return self.results


def refuse_taken_names(algorithm: Algorithm) -> None:
    """Refuse an algorithm with a parameter that has the name of a key of the command or of a
    column.

    The parameter would replace that key or column.
    """
    of_questions = {x for q in QUESTIONS for x in (*q.columns, *q.measured)}
    keys = default_keys(algorithm.question.keys_file)
    for name in algorithm.domains:
        if name in {*COLUMNS, *of_questions, *keys} - SHARED:
            kind = "key" if name in keys else "column of tables"
            raise BadInput(
                f"{algorithm.group}={algorithm.name}: its parameter {name} has the name of a "
                f"{kind}; rename the parameter"
            )


def decides_rows(key: str) -> bool:
    """Return whether a key decides what is run; the name of an experiment does not count."""
    return key.partition(".")[0] not in {*DECIDES_NO_ROW, "experiment"}


def make_request(
    question: Question,
    config: Mapping[str, Any],
    groups: Groups,
    runner: Mapping[str, Any],
    changed: tuple[str, ...] = (),
) -> Request:
    """Check a configuration and return its request; ``runner`` holds the runner's parameters.

    Raises:
        BadInput: a value cannot be run.
    """
    known = default_keys(question.keys_file)
    for key in config:
        if key not in known:
            raise unknown("key", key, known)
    jobs, auto = workers(config["jobs"]), auto_of(config, known)
    backend = one_of(BACKENDS, "backend", config["backend"])
    results = None if config["results"] is None else folder("results", config["results"])
    if results is not None:
        check_folder(results)
    try:
        runs = FIRST_RUNS if auto else as_integer("runs", config["runs"], 1, MOST_RUNS)
    except BadInput as error:
        raise BadInput(f"{error}, or auto") from None
    return Request(
        question=question,
        config=config,
        settings=resolve(question, config, groups),
        runs=runs,
        max_rows=number_where("max_rows", config["max_rows"], lambda x: x >= 1, AT_LEAST_ONE),
        format=table_format(config["format"]),
        jobs=jobs,
        backend=backend,
        results=results,
        runner=config["runner"],
        runner_keys=_runner_keys(config, runner),
        auto=auto,
        changed=changed,
        groups=groups,
    )


def _runner_keys(config: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check the parameters of a runner and return them.

    Each must be a single word, since parameters of Slurm are written into a script.
    """
    name = config["runner"]
    usual = file_keys("runner", name)  # raises an error if there is no such runner
    found = {**usual, **given}
    for key, value in found.items():
        if key not in usual:
            raise BadInput(f"runner.{key}: runner={name} has no such parameter")
        if key == "cpus_per_task":
            found[key] = as_integer("runner.cpus_per_task", value, 1, 1024)
        elif value is None and usual[key] is None:
            continue
        elif not (isinstance(value, str) and WORD.fullmatch(value)):
            example = f", such as {EXAMPLES[key]}" if key in EXAMPLES else ""
            raise BadInput(f"runner.{key}={plain(value)}: text without spaces is needed{example}")
    if name != "local" and config["backend"] != "auto":
        decides = f"runner={name} decides where runs are played; leave backend out"
        raise BadInput(f"backend={config['backend']}: {decides}")
    if name == "slurm" and config["jobs"] == -1:
        raise BadInput("jobs=N is needed with runner=slurm")
    return found

"""Requests: the settings to run, the number of runs, the workers, and the folder of the runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..contracts.algorithm import Algorithm
from ..contracts.parameters import BUDGETS
from ..contracts.question import COMPUTED, GOALS, QUESTIONS, USERS, Question
from ..environments.labelled import LabelledInstance
from ..environments.logged import ONLY_ORACLES, LoggedInstance
from ..errors import BadInput, plain, unknown
from ..files import check_folder
from ..validation import as_integer, folder, number_where, one_of, table_format, workers
from .auto import FIRST_RUNS, MOST_RUNS, Auto, auto_of
from .composed import INLIER, LABEL, Groups
from .groups import default_keys, file_keys
from .resolve import resolve
from .setting import Setting, data_of
from .sweep import grids, swept_names

# Values that a manifest has for a setting besides its record: the displayed name and line of a
# user's algorithm, how often its runs are examined, the reference results on its data, and the
# limits of its privacy promise
SHOWN, LOOKS, REFERENCES, LIMITS = "shown", "looks", "references", "limits"
BESIDE_RECORDS = LABEL, SHOWN, LOOKS, REFERENCES, LIMITS
WORD = re.compile(r"[\w.:/@%+,\[\]-]+", re.ASCII)
EXAMPLES = {"address": "tcp://HOST:8786", "time": "04:00:00", "mem": "4G"}
FILE = "--config-name="  # begins the word in ``Request.changed`` with the name of a user's file
BACKENDS = ("auto", "threads", "processes")
AT_LEAST_ONE = "a number of at least 1 is needed"
# Keys of conf/config.yaml on which no row of a table depends; a new such key must be added here
DECIDES_NO_ROW = {"jobs", "backend", "results", "runner", "figure", "format", "max_rows"}
# Columns that tables, summaries and comparisons have besides the columns of a question
COLUMNS = [
    "setting", "seed", "run", "version", "label", "metric", "resolution", "of_constant", *COMPUTED
]  # fmt: skip
SHARED = {*BUDGETS, "eps_min", *GOALS}


@dataclass(frozen=True)
class Request:
    """The settings to run, and how to run and store them."""

    question: Question
    config: Mapping[str, Any]  # the configuration as plain data; its groups are names
    settings: list[Setting]  # the settings, checked
    runs: int  # independent runs of each setting; with ``auto`` the smallest number
    max_rows: float  # the largest number of rows of a table that is made
    format: str  # format of the file of the table
    jobs: int  # number of workers, or -1 for one per core
    backend: str  # threads, processes or auto
    results: Path | None  # folder in which runs are stored, None for none
    runner: str  # the runner that plays the runs: local, dask or slurm
    runner_keys: Mapping[str, Any]  # the runner's parameters
    groups: Groups  # the choices in the groups of configuration files
    auto: Auto | None = None  # the condition that ends the adding of runs, or None
    # the overrides that decide what is run, except for the name of an experiment
    changed: tuple[str, ...] = ()

    @property
    def experiment_file(self) -> dict[str, Any]:
        """The contents of the experiment file, in Hydra's format, that defines the same request."""
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
        """The only setting of a request. A request with several settings is refused."""
        if len(self.settings) > 1:
            raise BadInput("one environment and one value of each parameter are needed")
        return self.settings[0]

    @cached_property
    def records(self) -> dict[str, dict[str, Any]]:
        """The records of the settings by their ids, see ``record_of``."""
        return {setting.id: self.record_of(setting) for setting in self.settings}

    def record_of(self, setting: Setting) -> dict[str, Any]:
        """Return the record of a setting with further values for a manifest.

        The further values are the label of the environment, the displayed name and line of a user's
        algorithm, the reference results on the data, the limits of the privacy promise and, for
        ``runs=auto``, how often the runs are examined.
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
        if limits := [*limits_of(setting)]:
            found[LIMITS] = limits
        return found

    @property
    def folder(self) -> Path:
        """The results folder. The request must have a results folder, as all requests of commands
        do.
        """
        assert self.results is not None
        return self.results


def refuse_taken_names(algorithm: Algorithm) -> None:
    """Refuse an algorithm with a parameter that is named like a key of the command or a column.

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
    """Return whether the rows of a table depend on a key. A table's rows do not depend on the name
    of its experiment.
    """
    return key.partition(".")[0] not in {*DECIDES_NO_ROW, "experiment"}


def limits_of(setting: Setting) -> Iterator[str]:
    """Yield phrases that limit the privacy promise of a setting. One phrase says that the promise
    does not hold in this environment, another phrase what is promised to a user whose data are used
    several times.
    """
    guarantee, instance = setting.guarantee, data_of(setting).instance
    if math.isinf(setting.budget):  # nothing is promised
        return
    if why := _void(setting):
        yield f"privacy is not promised on {setting.env}: {why}"
    times = math.ceil(setting.horizon * instance.passes / max(instance.rounds, 1))
    if guarantee is not None and guarantee.notion != "none" and min(times, instance.passes) > 1:
        eps, delta = guarantee.of_group(setting.values, times)
        promised = f"({eps:.4g}, {delta:.3g})-DP" if delta < 1 else "none"
        yield (
            f"a user returns {times} times on {setting.env}, so the privacy that is "
            f"promised to a user is {promised} at {setting.budget_name}={setting.budget:g}"
        )


def _void(setting: Setting) -> str:
    """Return why the privacy promise of a setting does not hold on its environment; the text is
    empty if the promise holds.

    There are three reasons: private contexts are scaled by numbers computed from the data, a policy
    without an oracle plays a log, or ``assume=true`` has waived an assumption that the privacy
    needs.
    """
    rewards, guarantee = setting.algorithm.rewards, setting.guarantee
    instance = data_of(setting).instance
    if guarantee is not None and guarantee.of_contexts and instance.withdrawn:
        return instance.withdrawn
    if isinstance(instance, LoggedInstance) and setting.algorithm.actions != USERS:
        return ONLY_ORACLES
    if rewards is None or not rewards.waived_with_privacy:
        return ""
    found = rewards.violation(instance, setting.parameters)
    return f"{found[0]}, but {found[1]} is assumed" if found else ""


def make_request(
    question: Question,
    config: Mapping[str, Any],
    groups: Groups,
    runner: Mapping[str, Any],
    changed: tuple[str, ...] = (),
) -> Request:
    """Check a configuration and return its request. ``runner`` has the runner's parameters.

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

    Each value must be a single word, since parameters of Slurm are written into a script.
    """
    name = config["runner"]
    usual = file_keys("runner", name)  # raises if there is no such runner
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

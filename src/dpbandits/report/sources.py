"""Read a results folder: tables of runs, claims, and summaries whose tables are not stored."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..claims.claim import kind
from ..contracts.question import QUESTIONS, REGRET, Question
from ..errors import BadInput, together
from ..results import metrics
from ..results.formats import FINDINGS, SUMMARY_CSV, bare_name, tables_in
from ..results.manifest import UNREADABLE, read_manifest
from ..results.reading import NAMES
from ..results.records import Record, agreeing
from ..results.summary import describing
from ..results.table import Table
from ..results.varying import SETTING
from ..settings.compose import request_from
from ..settings.groups import about, is_name, names_in, question_of
from ..settings.request import FILE
from ..theory.problem import Problem, problems
from ..validation import read_csv


@dataclass(frozen=True)
class Source:
    """One table of a folder, or only its summary if the table does not exist any more.

    Attributes:
        question: the question that its runs answer.
        summary: the summary of the table, see ``Table.summary``.
        table: the table, or None.
        recorded: all known records, by the ids of their settings. The reward laws that these
            records name may be unknown here.
        says: the description of an experiment of the package.
        command: the command that makes the table; empty if it is unknown.
        own: the names in the command that stand for files in the user's folder.
        heading: the title of the table, if this is not its name.
        made: the seeds of the table, and the versions and the commit in its manifest.
    """

    name: str
    question: Question
    summary: pd.DataFrame
    table: Table | None = None
    recorded: Mapping[str, Record] = field(default_factory=dict)
    says: str = ""
    command: str = ""
    made: str = ""
    metric: str = metrics.REGRET
    own: list[str] = field(default_factory=list)
    heading: str = ""

    @property
    def title(self) -> str:
        """The title of the table. For metrics other than pseudo-regret, the metric is added."""
        of = "" if self.metric == metrics.REGRET else f" ({metrics.METRICS[self.metric]})"
        return f"{self.heading or self.name}{of}"

    @cached_property
    def problems(self) -> list[Problem]:
        """The problems of the settings, to which theorems may apply.

        The list is empty if the metric is not pseudo-regret, if a setting has no record, or if an
        environment is not known in this process.
        """
        if self.metric == metrics.REGRET and self.question.plays_on:
            with suppress(BadInput, KeyError, TypeError, AttributeError):
                return problems([self.recorded[own] for own in self.summary[SETTING]])
        return []


def sources_in(
    results: Path, metric: str, folders: Sequence[str] = ()
) -> tuple[list[Source], list[str]]:
    """Return the tables of a folder, experiments first. The function also returns sentences about
    tables that are left out.

    Raises:
        BadInput: the folder is missing, or nothing in it can be shown.
    """
    if not results.is_dir():
        raise BadInput(f"results={results}: there is no such folder")
    tables, ours = tables_in(results), names_in("experiment")
    counts = Counter(map(bare_name, tables))  # dp.save may have written a name in two formats
    files = {bare_name(x) if counts[bare_name(x)] == 1 else x.name: x for x in tables}
    summaries = {name: results / f"{name}{SUMMARY_CSV}" for name in ours if name not in counts}
    files |= {name: file for name, file in summaries.items() if file.is_file()}
    names = [name for name in files if not name.startswith(FINDINGS)]
    if not names:
        raise BadInput(f"results={results}: the folder has no tables (*.csv) and no summaries")
    names.sort(key=lambda name: (name not in ours, name))
    return gathered(names, lambda name: source_of_file(name, files[name], metric, folders))


def gathered(names: Iterable[str], make: Callable[[str], Source]) -> tuple[list[Source], list[str]]:
    """Call ``make`` for each name. Return the sources that ``make`` returns, and a sentence for
    each name for which ``make`` raises BadInput.

    Raises:
        BadInput: ``make`` raises BadInput for all names.
    """
    found, notes = [], []
    for name in names:
        try:
            found.append(make(name))
        except BadInput as error:
            reason = str(error).removeprefix(f"{name}: ")
            notes.append(f"Left out: {name}: {reason}.")
            refusal = error
    if not found:
        raise refusal
    return found, notes


def source_of(
    name: str, table: Table, metric: str, folders: Sequence[str] = (), **more: Any
) -> Source:
    """Return the source of a table, for one statistic.

    Raises:
        BadInput: the table does not have this statistic.
    """
    table = table.measured(metric, folders)
    with suppress(BadInput, KeyError, TypeError, AttributeError):
        table.known("theorems", folders)  # loads the laws that the records name
    more |= {"recorded": table.records, "metric": table.metric}
    return Source(name, table.question, table.summary(), table, **more)


def source_of_file(name: str, file: Path, metric: str, folders: Sequence[str]) -> Source:
    """Return the source of a table's file, or of a summary, with the facts in the manifest."""
    if file.name.endswith(SUMMARY_CSV):
        return source_of_summary(name, file, metric)
    more: dict[str, Any] = {"says": says_of(name)}
    table = Table.of_file(file)
    with suppress(*UNREADABLE):
        manifest = read_manifest(file)
        config = manifest["config"]
        question = next(q for q in QUESTIONS if q.group in config)
        own = [f"experiment={config['experiment']}"] if config.get("experiment") else []
        changed = [str(word) for word in manifest["changed"]]
        more["command"] = shlex.join([question.command, *own, *changed])
        files = [word.removeprefix(FILE) for word in changed if word.startswith(FILE)]
        more["own"] = [*files, *own_names(config, table.settings, question.group)]
        seeds = together(map(str, table.settings["seed"].unique()))
        made = {"seed": seeds, **manifest["versions"], "commit": manifest["commit"]}
        more["made"] = ", ".join(f"{key} {x}" for key, x in made.items() if x is not None)
    return source_of(name, table, metric, folders, **more)


def own_names(config: Mapping[str, Any], table: pd.DataFrame, group: str) -> list[str]:
    """Return the names in a configuration and its table that the package does not know."""
    found = {"experiment": [config.get("experiment")]} | {g: table[g] for g in (group, "env")}
    named = [(g, x) for g, names in found.items() for x in dict.fromkeys(names) if is_name(x)]
    return [name for g, name in named if name not in names_in(g)]


def source_of_summary(name: str, file: Path, metric: str) -> Source:
    """Return the source of an experiment of the package whose summary exists without its table.

    Raises:
        BadInput: the file is not a summary, or another statistic than pseudo-regret is requested.
    """
    if metric != metrics.REGRET:
        raise BadInput(f"metric={metric}: a table is needed, but only a summary exists")
    summary = read_csv(str(file), file, words=NAMES)
    if not {SETTING, "mean", "ci_low", "ci_high", "runs"} <= set(summary.columns):
        raise BadInput(f"{file}: not a summary of dpbandits")
    question, recorded = question_of(name) or REGRET, {}
    with suppress(BadInput):
        settings = summary.set_index(SETTING)
        request = request_from(question, {"experiment": name}, {})
        recorded = agreeing(settings[describing(settings)], request.records, question)
    command = f"{question.command} experiment={name}"
    return Source(name, question, summary, None, recorded, says_of(name), command)


def says_of(name: str) -> str:
    """Return the description of an experiment of the package; empty for other tables."""
    if name not in names_in("experiment"):
        return ""
    return about("experiment", name).partition(" Cost:")[0]


def claims_in(results: Path | None) -> list[dict[Any, str]]:
    """Return the table of claims in a folder, with a row for each claim.

    A row also has the ``kind`` of the verdict, such as reproduced, and the ``basis`` of the claim.
    """
    if results is None or not (file := results / f"claims{SUMMARY_CSV}").is_file():
        return []
    found = pd.read_csv(file, dtype=str, keep_default_na=False)
    basis = found["published"].str.extract(r"\(([^()]*)\)$", expand=False).fillna("unknown")
    return found.assign(kind=found["verdict"].map(kind), basis=basis).to_dict("records")

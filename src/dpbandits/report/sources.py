"""What a folder of results holds: tables of runs, else the summaries of experiments."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..contracts.question import QUESTIONS, REGRET
from ..errors import BadInput
from ..results import metrics
from ..results.concat import concat_tables
from ..results.formats import SUMMARY_CSV, bare_name, tables_in
from ..results.manifest import UNREADABLE, read_manifest
from ..results.naming import FINDINGS
from ..results.reading import read_table
from ..results.records import SETTINGS, Records, metric_of, with_metric
from ..results.varying import SETTING
from ..settings.compose import request_from
from ..settings.groups import about, default_keys, names_in, question_of, read_experiment
from ..validation import read_csv
from .study import MEASURED, share
from .words import unicode_of

UNSHOWN = ("std", "runs_needed", "halted", "correct_low", "correct_high")  # columns of summaries
SEPARATE = 12  # tables of one's own that have a section each; more of them share one


@dataclass(frozen=True)
class Source:
    """One table of a folder, or the summary that remains of it.

    Attributes:
        name: its name without suffix.
        says: what it is about, in a sentence; empty for runs of one's own.
        command: the command that makes it, several in lines, or None if it is not known.
        versions: versions of packages by name, empty if they are not recorded.
        commit: the commit of the sources.
        table: the tidy table, or None.
        summary: its summary if there is no table.
        metric: the statistic that the column ``regret`` of the table holds.
    """

    name: str
    title: str
    says: str = ""
    command: str | None = None
    seed: Any = None
    versions: Mapping[str, str] | None = None
    commit: str | None = None
    table: pd.DataFrame | None = None
    summary: pd.DataFrame | None = None
    metric: str = metrics.REGRET

    @property
    def records(self) -> Records:
        """The records of its settings by their ids; none if there is no manifest."""
        shown = self.summary if self.table is None else self.table
        return Records({} if shown is None else shown.attrs.get(SETTINGS, {}))


def sources_in(results: Path) -> tuple[list[Source], list[str]]:
    """The tables of a folder, experiments first, and sentences about what was left out.

    Raises:
        BadInput: the folder is missing, or holds neither tables nor summaries.
    """
    if not results.is_dir():
        raise BadInput(f"results={results}: there is no such folder")
    found, notes = [], []
    for file in tables_in(results):
        if not file.name.startswith(FINDINGS):
            try:
                found.append(source_of_table(bare_name(file), read_table(file), file))
            except BadInput as error:
                notes.append(f"Left out: {error}.")
    ours = names_in("experiment")
    found, parts = without_parts(found, ours)
    if parts:
        notes.append(f"Left out: {parts} tables whose settings are all in another one.")
    for stops in (False, True):
        own = {
            source.name: (source, table)
            for source in found
            if source.name not in ours and (table := source.table) is not None
            and ("rule" in table) == stops
        }  # fmt: skip
        if len(own) > SEPARATE:
            try:
                joined = shared(own)
            except BadInput as error:
                notes.append(f"{len(own)} tables have a section each: {error}.")
            else:
                found = [joined, *(source for source in found if source.name not in own)]
                notes.append(f"{len(own)} tables share the section {joined.title!r}.")
    names = {source.name for source in found}
    for name in ours:
        file = results / f"{name}{SUMMARY_CSV}"
        if name not in names and file.is_file():
            found.append(source_of_summary(name, file))
    if not found:
        raise BadInput(f"results={results}: the folder has no tables (*.csv) and no summaries")
    found.sort(key=lambda source: (source.name not in ours, source.name))
    return found, notes


def without_parts(found: list[Source], ours: Collection[str]) -> tuple[list[Source], int]:
    """The sources without tables of one's own whose settings are all in another, as those of the
    jobs of a multirun are; experiments of ours remain.
    """
    kept: list[Source] = []
    for source in sorted(found, key=lambda s: (-len(s.records), s.name)):
        own = source.records.keys()
        stays = source.name in ours or not own
        if stays or not any(own <= other.records.keys() for other in kept):
            kept.append(source)
    return kept, len(found) - len(kept)


def by_metric(found: list[Source], metric: str) -> tuple[list[Source], list[str]]:
    """The sources with another statistic than pseudo-regret, and sentences about what has none.

    Raises:
        BadInput: there is no such metric, or nothing that has it.
    """
    metrics.check_metric(metric)
    made, notes = [], []
    for source in found:
        try:
            made.append(_with_metric(source, metric))
        except BadInput as error:
            notes.append(f"Left out: {source.title}: {error}.")
    if not made:
        raise BadInput(notes[0].removeprefix("Left out: ").removesuffix("."))
    return made, notes


def _with_metric(source: Source, metric: str) -> Source:
    """A source with another statistic; one of ``dpbandits.measured`` keeps its own."""
    if source.table is None:
        if metric == metrics.REGRET:
            return source
        raise BadInput(f"metric={metric}: a table is needed, and there is a summary only")
    table = with_metric(source.table, metric)
    metric = metric_of(table)
    if metric == metrics.REGRET:
        return source
    title = f"{source.title} ({metrics.METRICS[metric]})"
    return replace(source, title=title, table=table, metric=metric)


def shared(own: Mapping[str, tuple[Source, pd.DataFrame]]) -> Source:
    """Tables of one's own, all of regrets or all of stopping times, as one source.

    Raises:
        BadInput: they hold settings that cannot be told apart.
    """
    table = concat_tables([table for _, table in own.values()])
    first, _ = next(iter(own.values()))
    title = "Stopping times of your own" if "rule" in table else "Runs of your own"
    seeds = ", ".join(map(str, sorted(table["seed"].unique())))
    return replace(
        first, name=title.lower().replace(" ", "-"), title=title, says=f"{len(own)} tables.",
        command="\n".join(source.command or "" for source, _ in own.values()).strip() or None,
        seed=seeds, table=table,
    )  # fmt: skip


def source_of_table(name: str, table: pd.DataFrame, file: Path | None = None) -> Source:
    """The source of a tidy table; what its manifest holds if it has one."""
    title, says = named(name)
    if file is not None:
        with suppress(*UNREADABLE):
            manifest = read_manifest(file)
            config = manifest["config"]
            return Source(
                name, title, says, command_of(config, manifest.get("changed", [])),
                config["seed"], manifest.get("versions"), manifest.get("commit"),
                table,
            )  # fmt: skip
    seed = ", ".join(map(str, sorted(table["seed"].unique())))
    return Source(name, title, says, None, seed, table=table)


def source_of_summary(name: str, file: Path) -> Source:
    """The source of an experiment of the package of which only the summary is there."""
    title, says = named(name)
    question = question_of(name) or REGRET
    summary = read_summary(file)
    with suppress(BadInput):
        summary.attrs[SETTINGS] = Records(request_from(question, {"experiment": name}, {}).records)
    command = f"{question.command} experiment={name}"
    seed = read_experiment(name).get("seed", default_keys(question.keys_file)["seed"])
    return Source(name, title, says, command, seed, summary=summary)


def named(name: str) -> tuple[str, str]:
    """The title and the description of an experiment of the package, or of runs of one's own."""
    if name not in names_in("experiment"):
        return name, ""
    figure = read_experiment(name).get("figure")
    title = figure.get("title") if isinstance(figure, Mapping) else None
    says = about("experiment", name).partition(" Cost:")[0]
    if title:
        return unicode_of(title), says
    return (says.rstrip("."), says.rstrip(".")) if 0 < len(says) < 160 else (name, says)


def command_of(config: Mapping[str, Any], changed: Iterable[str]) -> str:
    """The command that makes a table, from its manifest."""
    stops = "rule" in config
    question = next(q for q in QUESTIONS if (q.group == "rule") == stops)
    words = list(map(str, changed))
    if config.get("experiment") is not None:
        words.insert(0, f"experiment={config['experiment']}")
    return " ".join([question.command, *map(shlex.quote, words)])


def read_summary(file: Path) -> pd.DataFrame:
    """The summary of a table: the columns of the settings, then ``mean``, its interval ``low`` to
    ``high``, ``q10``, ``median``, ``q90`` and ``runs``, and of stopping rules ``correct`` in words.

    Raises:
        BadInput: it is no such summary.
    """
    found = read_csv(str(file), file, words=[SETTING])
    found = found.rename(columns={"ci_low": "low", "ci_high": "high"})
    if not {SETTING, "mean", "low", "high", "runs"} <= set(found.columns):
        raise BadInput(f"{file}: not a summary of dpbandits")
    if "correct" in found:
        found["correct"] = [share(x) for x in found["correct"]]
    unknown = {name: np.nan for name in MEASURED if name not in found}
    return found.drop(columns=[*UNSHOWN], errors="ignore").assign(**unknown)


def ledger_in(results: Path | None) -> list[dict[str, str]]:
    """The rows of a folder's ledger of claims, if there is one, by the heads of its columns."""
    file = results / f"claims{SUMMARY_CSV}" if results is not None else None
    if file is None or not file.is_file():
        return []
    found = pd.read_csv(file, dtype=str, keep_default_na=False)
    return [{str(head): str(x) for head, x in row.items()} for row in found.to_dict("records")]

"""Make tidy tables of finished runs in pieces, and write tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..contracts.parameters import BUDGETS
from ..contracts.question import BEST_ARM, HYPOTHESES, STOPPING
from ..environments.instances import Instance
from ..environments.logged import LoggedInstance
from ..settings.setting import Setting, data_of
from .formats import write_pieces
from .run_store import Store
from .varying import ROWS, SETTING, comparable, details, disambiguate, of_game, with_budgets


class Finished(NamedTuple):
    """The finished runs of a setting."""

    setting: Setting
    instance: Instance  # the environment of the setting
    # int64 array (runs, C, K), pulls of each arm up to each checkpoint, or float64 array (runs, C,
    # 1), the regret: the setting's question defines which of the two
    pulls: np.ndarray
    answers: np.ndarray  # float64 array (runs,), the answers, NaN for a run without an answer

    @property
    def halted(self) -> np.ndarray:
        """Whether a stopping rule gave an answer, bool array (runs,)."""
        return np.isfinite(self.answers)

    @property
    def true_mean(self) -> float:
        """The mean mu of the rewards of the only arm."""
        return float(self.instance.means[0])

    def final(self, name: str) -> np.ndarray:
        """Return a measured column at the end of each run, float64 array (runs,)."""
        return MEASURED[name](self)[:, -1].astype(float)

    def correct(self) -> np.ndarray:
        """Return whether each answer is right. The value is NaN for a run without an answer, and if
        both hypotheses are right answers.
        """
        return np.where(self.halted, RIGHT[self.setting.question](self), np.nan)


def near_the_mean(f: Finished) -> np.ndarray:
    """Return whether each estimate is within ``rel_error |true mean|`` of the true mean."""
    error = dict(f.setting.goal)["rel_error"]
    return np.abs(f.answers - f.true_mean) <= error * abs(f.true_mean)


def among_the_best(f: Finished) -> np.ndarray:
    """Return whether each answer is the number of an arm of largest mean."""
    return np.isin(f.answers, np.flatnonzero(f.instance.gaps == 0.0))


def true_hypothesis(f: Finished) -> np.ndarray:
    """Return whether each answer is the true hypothesis: 0 for a mean of at most mu0, 1 for a mean
    of at least mu1; NaN if the mean lies between mu0 and mu1.
    """
    goal, mu = dict(f.setting.goal), f.true_mean
    holds = 0.0 if mu <= goal["mu0"] else 1.0 if mu >= goal["mu1"] else np.nan
    return np.full(f.answers.shape, np.nan) if np.isnan(holds) else f.answers == holds


RIGHT = {STOPPING: near_the_mean, BEST_ARM: among_the_best, HYPOTHESES: true_hypothesis}


def regret(f: Finished) -> np.ndarray:
    """Return the regret up to each checkpoint, float64 array (runs, C).

    The regret is the sum of pulls times gaps. Runs that were recorded as regret are returned
    unchanged.
    """
    per_arm = f.setting.question.record.per_arm
    return (f.pulls * f.instance.gaps).sum(axis=2) if per_arm else f.pulls[:, :, 0]


# The functions that compute the measured columns; each returns an array (runs, C), (1, C) or (runs,
# 1)
MEASURED: dict[str, Callable[[Finished], np.ndarray]] = {
    "t": lambda f: f.setting.rounds()[np.newaxis],
    "regret": regret,
    "stopping_time": lambda f: np.where(
        f.halted, f.pulls[:, -1].sum(axis=1), f.setting.horizon
    ).astype(np.int64)[:, np.newaxis],
    "estimate": lambda f: f.answers[:, np.newaxis],
    "answer": lambda f: f.answers[:, np.newaxis],
    "halted": lambda f: f.halted.astype(np.int64)[:, np.newaxis],
    "correct": lambda f: f.correct()[:, np.newaxis],
}
WHOLE_OR_BLANK = ("answer", "correct")


def described(setting: Setting) -> dict[str, Any]:
    """Return the values of all columns that can describe a setting."""
    return {
        "algo": setting.algo,
        "rule": setting.algo,
        "env": setting.env,
        "arm": setting.arm,
        "true_mean": float(setting.instance.means[0]),
        **dict.fromkeys(BUDGETS, np.nan if setting.algorithm.private else np.inf),
        setting.budget_name: setting.budget,
        **dict(setting.goal),
        setting.question.limit: setting.horizon,
    }


def load_finished(store: Store, setting: Setting, runs: int) -> Finished:
    """Load the first ``runs`` finished runs of a setting."""
    stored = store.load(setting)
    found = [stored[run] for run in range(runs)]
    store.played_with.update(run.libraries for run in found)
    pulls, answers = np.stack([run.pulls for run in found]), np.array([run.answer for run in found])
    return Finished(setting, data_of(setting).instance, pulls, answers)


def batches(rows: Sequence[int] | np.ndarray) -> Iterator[slice]:
    """Yield slices of the list of settings, so that a slice has at most ROWS rows of a table. If a
    single setting has more rows than ROWS, it has a separate slice. ``rows`` has the number of rows
    of each setting.
    """
    ends = np.cumsum(rows)
    start = before = 0
    while start < len(rows):
        stop = max(start + 1, int(np.searchsorted(ends, before + ROWS, side="right")))
        yield slice(start, stop)
        start, before = stop, ends[stop - 1]


def rows_of_a_run(setting: Setting) -> int:
    """Return the number of rows that one run has in a table."""
    return len(setting.rounds()) if setting.question.plays_on else 1


def settings_table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return the columns of a tidy table that describe settings, a row for each setting.

    Columns that describe environments have no blanks. The type of a column is the common type of
    its values.
    """
    question = settings[0].question
    describing = with_budgets(question.columns, {s.algorithm.budget for s in settings})
    of_games = {name for s in settings for name in s.columns if of_game(name)}
    rows: list[dict[str, Any]] = []
    for setting in settings:
        about = described(setting)
        written = {name: comparable(value) for name, value in setting.columns.items()}
        if missing := of_games - written.keys():
            written |= {k: v for k, v in details(setting.record) if k in missing}
        rows.append({name: about[name] for name in describing} | {"seed": setting.seed} | written)
    if len({tuple(row.items()) for row in rows}) < len(rows):
        # without privacy, two games look alike that differ in a reference such as ${eps}
        shown = [{k: x for k, x in row.items() if not pd.isna(x)} for row in rows]
        more = disambiguate(shown, [setting.record for setting in settings])
        rows = [found | row for row, found in zip(rows, more, strict=True)]
    alike: dict[tuple, list[int]] = {}  # settings with the same columns of the same types
    for i, (row, setting) in enumerate(zip(rows, settings, strict=True)):
        row[SETTING] = setting.id
        alike.setdefault(tuple((k, type(v)) for k, v in row.items()), []).append(i)
    parts = [pd.DataFrame([rows[i] for i in group], index=group) for group in alike.values()]
    table = pd.concat(parts).sort_index()
    first = [*describing, "seed"]
    varied = [name for name in table.columns if name not in (*first, SETTING)]
    return table[[*first, *varied, SETTING]]


def measured(finished: Finished) -> dict[str, np.ndarray]:
    """Return the column of run numbers and the measured columns of the runs of a setting.

    ``halted`` is 1 for a run that stopped before its cap, and 0 for a run that was stopped at its
    cap. If ``halted`` is 0, the stopping time is the cap, and the columns ``estimate`` (of the
    mean) or ``answer`` (the number of an arm, or of a hypothesis) and ``correct`` are blank.
    ``correct`` is 1 if the answer is right (see ``RIGHT``), else 0. On a log, rounds before
    ``LoggedInstance.first_known`` are left out.
    """
    numbers = np.arange(len(finished.answers))[:, np.newaxis]
    names = finished.setting.question.measured
    arrays = np.broadcast_arrays(numbers, *(MEASURED[name](finished) for name in names))
    if isinstance(finished.instance, LoggedInstance):
        known = finished.setting.rounds() >= finished.instance.first_known
        arrays = tuple(x[:, known] for x in arrays)
    return dict(zip(["run", *names], (x.ravel() for x in arrays), strict=True))


def rows_in_store(
    store: Store, several: Sequence[tuple[Setting, Setting, int]]
) -> Iterator[pd.DataFrame]:
    """Load the rows of settings in batches of about ROWS rows.

    Args:
        store: the finished runs.
        several: for each setting, the setting that gives the id, the setting whose runs are loaded,
            and the number of its runs.
    """
    for some in batches([n * rows_of_a_run(played) for _, played, n in several]):
        parts = [
            pd.DataFrame({SETTING: setting.id, **measured(load_finished(store, played, n))})
            for setting, played, n in several[some]
        ]
        yield parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def unjudged(summary: pd.DataFrame) -> pd.Series:
    """Return which settings of a summary have a mean between two hypotheses.

    For these settings both answers are right, and ``correct`` is blank.
    """
    if not {"mu0", "mu1"} <= set(summary.columns):
        return pd.Series(False, index=summary.index)
    return summary["true_mean"].between(summary["mu0"], summary["mu1"], inclusive="neither")


def write_table(path: Path, table: pd.DataFrame) -> str:
    """Write a table in the format of its name, see ``write_pieces``."""
    starts = range(0, max(len(table), 1), ROWS)
    return write_pieces(path, (table[start : start + ROWS] for start in starts))

"""Add runs until means are precise enough (``runs=auto``), and estimate the time of these runs.

The runs of a setting are examined in their order, and only at a few fixed numbers of runs. The code
calls such an examination a look (``Auto.looks``). The numbers of runs at which a setting is
examined do not depend on how many runs are already stored. Playing ends at the first examination
that finds enough runs (``enough``). Each of K examinations computes its interval at 1/K of the
error level (Bonferroni). So, with probability 95 %, the intervals of all examinations contain the
mean, also the interval of the last examination.

The table of a paper's experiment has the paper's number of runs. But the means and intervals of an
experiment use more runs if the additional runs are estimated to take less than a minute. The
estimate is the same on every machine (``means_of_experiment``).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import joblib
import numpy as np

from ..contracts.question import CONTEXTUAL
from ..results.intervals import AMPLE, SAME, TAIL, interval_of_mean, mean_of_runs, tail_is_seen
from ..results.report import Means
from ..results.run_store import Store
from ..results.tables import load_finished
from ..settings.auto import Auto
from ..settings.groups import names_in
from ..settings.request import Request
from ..settings.setting import Setting
from .work import is_played_singly

# Estimated seconds on two cores, from results/times.md: A_RUN for a run that is played in blocks;
# A_ROUND for a round that is played singly; A_REPORT for a singly played round with local privacy;
# A_CONTEXT for a singly played round with contexts. If there are d weights, a round with contexts
# takes A_SOLVE d^3 seconds more, as measured for LDP-OLS on wide data
A_RUN, A_ROUND, A_REPORT, A_CONTEXT, A_SOLVE = 1e-4, 1.5e-8, 6e-8, 5e-7, 3e-10
MINUTE = 60.0  # seconds that the additional runs for the means of an experiment may cost
OF_EXPERIMENTS = Auto(precision=0.02, max_runs=100_000)
# Number of checkpoints of a run that is played only for means; T/2 and T are among them
CHECKPOINTS = 4

# A function of settings and a number of runs, which plays the first runs of each setting and
# returns how many of these runs were missing
Play = Callable[[Sequence[Setting], int], int]


def enough(values: np.ndarray, precision: float, looks: int) -> bool:
    """Return whether the values of n runs, float64 array (n,), are enough for the given precision.

    The values are enough if they show the tail of their law, no value dominates, and half of the
    interval of the mean is at most ``precision`` times the mean. The median dominates if fewer than
    AMPLE values differ from the median, since then the number of different values is a matter of
    chance.
    """
    column = values[:, np.newaxis]
    differ = np.abs(values - np.median(values)) > SAME * np.abs(values).max()
    if not tail_is_seen(column)[0] or differ.sum() < AMPLE:
        return False
    low, high = interval_of_mean(column, TAIL / looks)
    return bool((high - low)[0] / 2 <= precision * abs(mean_of_runs(column)[0]))


def play_until_enough(request: Request, store: Store, play: Play) -> tuple[list[int], int]:
    """Play the settings of a request with ``runs=auto``.

    Runs up to the first examination are always played. Later runs are not begun if, by the measured
    time of earlier runs, they would take longer than ``max_time``.

    Returns:
        The number of runs of each setting, and how many runs were played.
    """
    auto, start = request.auto, time.monotonic()
    assert auto is not None
    jobs = request.jobs if request.jobs > 0 else joblib.cpu_count()

    def affordable(settings: Sequence[Setting], more: int) -> np.ndarray:
        if auto.max_time == math.inf:
            return np.full(len(settings), True)
        runs = [store.load(setting).values() for setting in settings]
        each = [sum(run.seconds for run in found) / len(found) for found in runs]
        left = auto.max_time - (time.monotonic() - start)
        return within(np.array(each) * more / jobs, left)

    return _play(request.settings, auto, auto.looks(), store, play, affordable)


def seconds_of_means(request: Request) -> float:
    """Estimate the longest possible time of the additional runs for an experiment's means."""
    if not has_means(request):
        return 0.0
    looks = OF_EXPERIMENTS.looks(request.runs)
    cheap = np.flatnonzero(can_be_added(request.settings, looks))
    each = [estimated_seconds(request.settings[i]) for i in cheap]
    return min(MINUTE, sum(each) * (looks[-1] - looks[0]))


def has_means(request: Request) -> bool:
    """Return whether the means of a request may use more runs than its table.

    The result is true for experiments of the package whose number of runs is fixed and whose keys
    are unchanged.
    """
    ours = request.config["experiment"] in names_in("experiment")
    return ours and not request.changed and request.auto is None


def means_of_experiment(request: Request, store: Store, play: Play) -> tuple[Means | None, int]:
    """Play the runs from which the means of a paper's experiment are computed.

    Returns:
        The runs for the means, or None if the means use the runs of the table; and how many runs
            were played.
    """
    if not has_means(request):
        return None, 0
    looks, spent = OF_EXPERIMENTS.looks(request.runs), 0.0
    cheap = can_be_added(request.settings, looks)
    stored = [coarse(s) if c else s for s, c in zip(request.settings, cheap, strict=True)]

    def affordable(settings: Sequence[Setting], more: int) -> np.ndarray:
        nonlocal spent
        costs = np.array([estimated_seconds(setting) for setting in settings]) * more
        chosen = within(costs, MINUTE - spent)
        spent += float(costs[chosen].sum())
        return chosen

    some = [setting for setting, c in zip(stored, cheap, strict=True) if c]
    added, played = _play(some, OF_EXPERIMENTS, looks, store, play, affordable)
    runs = np.full(len(stored), request.runs)
    runs[cheap] = added
    return Means(stored, runs.tolist(), np.where(cheap, len(looks), 1).tolist()), played


def can_be_added(settings: Sequence[Setting], looks: Sequence[int]) -> np.ndarray:
    """Return whether runs can be added to each setting of an experiment, bool array.

    The runs between the first and the second examination must take less than a minute in total.
    Cheap settings are chosen first.
    """
    if len(looks) == 1 or looks[0] >= looks[1]:
        return np.full(len(settings), False)
    costs = np.array([estimated_seconds(setting) for setting in settings])
    return within(costs * (looks[1] - looks[0]), MINUTE)


def within(costs: np.ndarray, left: float) -> np.ndarray:
    """Choose costs with a sum of at most ``left``, and return which costs are chosen, bool array.

    Lower costs are chosen first. Equal costs are chosen together or not at all.
    """
    each, place, counts = np.unique(costs, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(each * counts) <= left)[place])


def is_played_in_blocks(setting: Setting) -> bool:
    """Return whether runs are played in blocks, so that their time does not grow with the horizon.

    With UCB, the time grows slowly, since the number of blocks grows slowly.
    """
    return setting.algorithm.private and not is_played_singly(setting)


def estimated_seconds(setting: Setting) -> float:
    """Estimate the time of one run in seconds."""
    if is_played_in_blocks(setting):
        return A_RUN
    local = setting.guarantee is not None and setting.guarantee.notion == "local"
    a_round = A_REPORT if local else A_ROUND
    if setting.question == CONTEXTUAL:
        a_round = A_CONTEXT + A_SOLVE * len(setting.instance.theta) ** 3
    return a_round * setting.horizon


def coarse(setting: Setting) -> Setting:
    """Return the setting with few checkpoints. The runs with few checkpoints equal the runs with
    many checkpoints, but take less memory.
    """
    small = is_played_in_blocks(setting) and setting.question.plays_on
    return replace(setting, checkpoints=min(CHECKPOINTS, setting.checkpoints)) if small else setting


def _play(
    settings: Sequence[Setting],
    auto: Auto,
    looks: Sequence[int],
    store: Store,
    play: Play,
    affordable: Callable[[Sequence[Setting], int], np.ndarray],
) -> tuple[list[int], int]:
    """Play settings until an examination finds enough runs of each setting, or no more runs are
    affordable.
    """
    counts, left, played = np.full(len(settings), looks[0]), np.arange(len(settings)), 0
    for before, n in zip([0, *looks], looks, strict=False):
        if before and len(left):
            left = left[affordable([settings[int(i)] for i in left], n - before)]
        some = [settings[int(i)] for i in left]
        if not some:
            break
        played += play(some, n)
        counts[left] = n
        final = (load_finished(store, s, n).final(s.question.statistic) for s in some)
        left = left[[not enough(values, auto.precision, len(looks)) for values in final]]
    return counts.tolist(), played

"""Find stored records and answers that no run of a setting can have."""

from __future__ import annotations

import numpy as np

from ..contracts.question import BEST_ARM, HYPOTHESES, PULLS
from ..environments.logged import LoggedInstance
from ..settings.setting import Setting, data_of

MAX_ESTIMATE = 1e100  # the largest number that a table may hold
ROUNDING = 1e-9  # relative error of the sum of the regrets of many rounds


def impossible(setting: Setting, records: np.ndarray, answers: np.ndarray) -> str:
    """Return a text that says which stored value no run of a setting can have, such as ``pulls that
    decrease``; empty if all values are possible.

    Args:
        setting: the setting.
        records: the records of its runs, array (runs, C, K) or (runs, C, 1).
        answers: the answers that the runs returned, float64 array (runs,), NaN for a run without an
            answer.
    """
    rounds, record = setting.rounds(), setting.question.record
    arms = len(data_of(setting).instance.means)
    if records.shape[1:] != (len(rounds), record.width(arms)):
        return "records of other checkpoints or arms"
    pulls = record.name == PULLS
    if found := (_impossible_pulls if pulls else _impossible_regrets)(setting, records, rounds):
        return found
    played = records[:, -1].sum(axis=1) if pulls else np.full(len(records), setting.horizon)
    return _impossible_answers(setting, played, answers, arms)


def _impossible_pulls(setting: Setting, pulls: np.ndarray, rounds: np.ndarray) -> str:
    if pulls.dtype != np.int64:
        return "pulls that are no integers"
    if (pulls < 0).any() or (pulls > rounds[:, np.newaxis]).any():
        return "pulls below 0 or above the number of rounds"
    if (np.diff(pulls, axis=1) < 0).any():
        return "pulls that decrease"
    if (pulls.sum(axis=2, dtype=float) > 1.5 * rounds).any():  # a sum of integers could overflow
        return "more pulls than rounds"
    played = pulls.sum(axis=2)
    ended = played[:, -1:]
    if (played != np.minimum(rounds, ended)).any():
        return "another number of pulls than of rounds"
    if setting.question.plays_on and (ended != setting.horizon).any():
        return "runs that end before the horizon"
    return ""


def _impossible_regrets(setting: Setting, regrets: np.ndarray, rounds: np.ndarray) -> str:
    if regrets.dtype != np.float64 or not np.isfinite(regrets).all():
        return "regret that is not finite"
    instance = data_of(setting).instance
    mean = isinstance(instance, LoggedInstance)  # mean loss times t may decrease
    if (regrets < 0).any() or (not mean and (np.diff(regrets, axis=1) < 0).any()):
        return "regret that decreases or is below 0"
    with np.errstate(over="ignore"):
        most = instance.largest_gap * rounds[:, np.newaxis] * (1 + ROUNDING)
    return "more regret than its rounds can cost" if (regrets > most).any() else ""


def _impossible_answers(
    setting: Setting, played: np.ndarray, answers: np.ndarray, arms: int
) -> str:
    question, given = setting.question, ~np.isnan(answers)
    if question.plays_on:
        return "an answer, though none is asked for" if given.any() else ""
    # A rule that tests after 2, 4, 8, ... samples may end before its cap without an answer
    if (played[given] < 1).any():
        return "an answer without a sample"
    found = answers[given]
    if question is BEST_ARM:
        fits = np.isin(found, np.arange(arms))
    elif question is HYPOTHESES:
        fits = np.isin(found, (0.0, 1.0))
    else:
        fits = np.abs(found) <= MAX_ESTIMATE
    return "" if fits.all() else f"the answer {found[~fits][0]:g}"

"""Tasks: some runs of a setting that one worker plays, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..environments.blocks import has_no_blocks
from ..settings.setting import Setting

EPISODIC = 10_000  # rounds that take about as long as an episodic run


@dataclass(frozen=True)
class Task:
    """Some runs of a setting, played one after the other by one worker."""

    setting: Setting
    runs: tuple[int, ...]  # the numbers of the runs
    one_by_one: bool  # whether its running time grows with the horizon
    deaths: int = 0  # of workers that have played these runs

    @property
    def cost(self) -> float:
        """The approximate time that it takes, in rounds played one by one."""
        rounds = self.setting.horizon if self.one_by_one else EPISODIC
        return float(len(self.runs) * min(rounds, self.setting.horizon))


def whole(setting: Setting, runs: Sequence[int]) -> Task:
    """The task of all these runs."""
    no_blocks = has_no_blocks(setting.instance.environment)
    return Task(setting, tuple(runs), setting.algorithm.round_by_round or no_blocks)

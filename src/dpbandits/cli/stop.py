"""bandit-stop: run a rule that samples until it knows a mean, the best arm, or a hypothesis."""

from __future__ import annotations

from ..contracts.question import STOPPING
from .command import entry_point
from .run import command_line

USAGE = """\
usage: bandit-stop [KEY=VALUE ...] [-m] [--config-dir DIR]

Sample until the mean of an arm is known to a relative error, the best arm is found, or one of two
hypotheses about a mean is decided; print when a rule stops, and how often its answer is correct.

  bandit-stop rule=dp_nas_exp env=sign env.mean=-0.2 eps=0.5 rel_error=0.1 beta=0.05
  bandit-stop rule=dp_nas env=bernoulli env.means=[.9,.8] arm=0    an arm of any environment
  bandit-stop rule=adap_tt env=bernoulli env.means=[.9,.6,.5] delta=0.01 eps=0.1   the best arm
  bandit-stop rule=dp_sprt env=bernoulli env.means=[.3] mu0=0.3 mu1=0.7 eps=1      which mean
  bandit-stop -m rule=nas,dp_nas rel_error=0.1,0.5                 every combination
  bandit-stop experiment=sajed2019_stopping                        every setting of an experiment
  bandit-plot experiment=sajed2019_stopping                        draw it

keys with their defaults (conf/stop.yaml):
{keys}
  env.NAME=VALUE, rule.NAME=VALUE and runner.NAME=VALUE set parameters

{groups}

{options}
"""


@entry_point("bandit-stop")
def main(argv: list[str]) -> int:
    return command_line(STOPPING, USAGE, argv)

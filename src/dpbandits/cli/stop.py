"""bandit-stop: run a stopping rule, which samples one arm until its mean is known well enough."""

from __future__ import annotations

import sys

from .kinds import STOPPING
from .run import command_line, guarded

USAGE = """\
usage: bandit-stop [KEY=VALUE ...] [-m] [--config-dir DIR]

Sample one arm until its mean is known to a relative error; print when a rule stops, and how often
its estimate is right.

  bandit-stop rule=dp_nas_exp env=sign env.mean=-0.2 eps=0.5 rel_error=0.1 beta=0.05
  bandit-stop rule=dp_nas env=bernoulli env.means=[.9,.8] arm=0    an arm of any environment
  bandit-stop -m rule=nas,dp_nas rel_error=0.1,0.5                 every combination
  bandit-stop experiment=sajed2019_stopping                        every setting of an experiment
  bandit-plot experiment=sajed2019_stopping                        draw it

keys (with their defaults; see conf/stop.yaml):
  arm=0 eps=null rel_error=0.25 beta=0.05 R=1 cap=1e9 runs=20 seed=0 jobs=-1 results=results
  backend=auto runner=local; env.NAME=VALUE, rule.NAME=VALUE and runner.NAME=VALUE for their
  parameters

{groups}

options:
  -m, --multirun      run every combination of comma-separated values
  --config-dir DIR    also look in DIR/rule, DIR/env and DIR/experiment for your own files
  --cfg job           print the composed configuration (all of Hydra's options work)
  --version, --help
"""


def main() -> None:
    """Entry point of ``bandit-stop``."""
    guarded("bandit-stop", lambda: command_line(STOPPING, USAGE, sys.argv[1:]))

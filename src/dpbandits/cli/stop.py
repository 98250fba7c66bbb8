"""bandit-stop: run a rule that samples until it knows a mean, the best arm, or a hypothesis."""

from functools import partial

from ..contracts.question import STOPPING
from .command import entry_point
from .run import answer

main = entry_point("stop")(partial(answer, STOPPING))

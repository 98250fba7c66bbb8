"""bandit-stop: run a rule that samples until it knows a mean, the best arm, or a hypothesis."""

from ..contracts.question import STOPPING
from .run import command

main = command(STOPPING)

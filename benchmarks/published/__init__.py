"""Published bandits from local checkouts, as players: a few lines each, and none of their code."""

from .checkouts import CHECKOUTS as CHECKOUTS
from .players import PLAYERS as PLAYERS
from .players import Published as Published

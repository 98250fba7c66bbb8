"""Published bandits from local checkouts, as policies: a few lines each, and none of their code."""

from .checkouts import CHECKOUTS as CHECKOUTS
from .policies import POLICIES as POLICIES
from .policies import Published as Published

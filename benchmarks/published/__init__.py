"""Published bandits as policies: a few lines for each, which call the code in a local checkout."""

from .checkouts import CHECKOUTS as CHECKOUTS
from .policies import POLICIES as POLICIES
from .policies import Published as Published

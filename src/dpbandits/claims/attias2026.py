"""Claims about the policies with an oracle of Attias et al. 2026."""

import numpy as np

from ..comparison.pairs import Located
from ..results.intervals import clopper_pearson
from .claim import claim
from .statistics import Part, Parts, Runs, part

SETS = (
    "biopsy", "olive", "titanic", "juice", "election", "chile", "loan", "jobs", "spam", "monica",
    "churn", "card",
)  # fmt: skip
# Pairs with their eps: the first algorithm is better on more than 65 of the authors' 100 sets
BETTER = (
    (1.0, "bpo", "vpo"), (1.0, "bpo", "square_cb"), (1.0, "bpo", "fast_cb"),
    (1.0, "bpo", "oracle_ucb"), (1.0, "bpo", "reg_cb"), (1.0, "bpo", "ada_cb"),
    (np.inf, "bpo", "vpo"), (np.inf, "ada_cb", "oracle_ucb"), (1.0, "square_cb", "ada_cb"),
)  # fmt: skip


def share(one: Runs, other: Runs, above: float = -np.inf, below: float = np.inf) -> Part:
    """Return the share of the data sets on which the mean of one algorithm is below the mean of
    another algorithm.

    The interval over the data sets is the interval of Clopper & Pearson.
    """
    means = [[runs(env=env).final().mean() for env in SETS] for runs in (one, other)]
    count, n = sum(x < y for x, y in zip(*means, strict=True)), len(SETS)
    ends = clopper_pearson(np.array(count), n, one.tail)
    found = Located(count / n, *map(float, ends))
    return part(found, one, other, above=above, below=below)


@claim(
    "AL1", "authors' code, win rates over 100 sets of OpenML",
    "78, 74, 72, 93, 94, 93; 98, 73; 84 of 100", "unread", "attias2026",
)  # fmt: skip
def who_wins_on_the_authors_sets_wins_on_ours(runs: Runs) -> Parts:
    """At eps 1, BPO makes fewer mistakes than each of the six other algorithms on most data sets,
    and SquareCB makes fewer mistakes than AdaCB. Without privacy, BPO makes fewer mistakes than
    VPO, and AdaCB fewer than LinUCB. We compare the pairs for which the published number of wins is
    not between 35 and 65 of 100.

    We have twelve other data sets, with the same constants on all of them. The runs decide whether
    a share is above one half only if nearly all of the twelve data sets agree.
    """
    for eps, better, worse in BETTER:
        yield share(runs(eps=eps)(algo=better), runs(eps=eps)(algo=worse), above=0.5)


@claim(
    "AL2", "authors' code, win rates over 100 sets of OpenML", "56-44; 15-84", "unread",
    "attias2026",
)  # fmt: skip
def adacb_and_squarecb_change_places(runs: Runs) -> Parts:
    """AdaCB makes fewer mistakes than SquareCB on most data sets without privacy, and on few data
    sets at eps 1.

    At eps 1 AdaCB spends half of its budget on the moments of its bonus. Without privacy the
    published majority is small, so twelve data sets can hardly decide this part.
    """
    free, private = runs(eps=np.inf), runs(eps=1.0)
    yield share(free(algo="ada_cb"), free(algo="square_cb"), above=0.5)
    yield share(private(algo="ada_cb"), private(algo="square_cb"), below=0.5)

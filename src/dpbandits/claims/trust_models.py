"""Three models of trust for one elimination algorithm: users trust a shuffler, or a server, or
nobody.
"""

from itertools import pairwise

from ..comparison import pairs
from .claim import claim
from .statistics import Part, Parts, Runs, located, part, ratio

LEVELS = (0.1, 0.25, 0.5, 1.0, 2.0)


def ratio_of_ratios(over: Runs, of: Runs, levels: tuple[float, float], above: float) -> Part:
    """Return the ratio of two regrets at one budget, divided by their ratio at another budget."""
    finals = [runs(eps=eps).final() for eps in levels for runs in (over, of)]
    found = located(finals, "mean", over.tail / 2.0)
    first, second = (pairs.ratio(found.of(i), found.of(i + 1)) for i in (0, 2))
    return part(pairs.ratio(first, second), over(eps=levels[0]), of(eps=levels[1]), above=above)


@claim("TM1", "our setting", "within 5 %; growing as eps falls", "ours", "trust_models")
def a_shuffler_costs_no_more_than_a_server(runs: Runs) -> Parts:
    """At every eps, the regret of an elimination algorithm with a shuffler is at most 1.05 times
    the regret of the same algorithm with a trusted server. With nobody to trust, the regret is
    above both, by a factor that grows as eps falls. We measure the factor on C2, since on C1 the
    algorithm without trust eliminates no arm before T at small eps.

    The coins of a batch have about the same variance as the server's exact Gaussian noise, while
    the noise of randomised response grows with the batch. On C1 at eps .1, with nobody to trust,
    all runs have the same regret, the largest possible one. The two ratios there have a lower limit
    (30) and no upper limit, which the claim does not need.
    """
    for panel in runs(algo="shuffle_se").each(env=["bernoulli_c2", "bernoulli_c1"]):
        shuffler, server, nobody = (panel(trust=x) for x in ("shuffler", "server", "nobody"))
        for eps in LEVELS:
            yield ratio(shuffler(eps=eps), server(eps=eps), below=1.05)
            for other in (shuffler, server):
                yield ratio(nobody(eps=eps), other(eps=eps), above=1)
    easy = runs(algo="shuffle_se", env="bernoulli_c2")
    for levels in pairwise(LEVELS):
        yield ratio_of_ratios(easy(trust="nobody"), easy(trust="shuffler"), levels, above=1)

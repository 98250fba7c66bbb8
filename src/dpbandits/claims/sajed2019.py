"""Sajed & Sheffet 2019: DP-SE and DP-UCB."""

from ..comparison import pairs
from ..comparison.pairs import located
from .claim import claim
from .statistics import Parts, Runs, largest_ratio, part, ratio

ENVS = "bernoulli_c1", "bernoulli_c2", "bernoulli_c3", "bernoulli_c4"
LEVELS = 0.1, 0.25, 0.5, 1.0


@claim("S1", "Sajed & Sheffet 2019, Fig. 1", "at least 5", "printed", "sajed2019_fig1")
def dp_se_beats_dp_ucb(runs: Runs) -> Parts:
    """The regret of DP-UCB is at least 5 times the regret of DP-SE in every setting (here K = 5).

    With the bonus of Mishra & Thakurta, DP-UCB still explores every arm at this horizon.
    """
    for panel in runs.each(env=ENVS, eps=LEVELS):
        yield ratio(panel(algo="dp_ucb"), panel(algo="dp_se"), above=5)


@claim("S2", "Sajed & Sheffet 2019, Fig. 1", "much more", "printed", "sajed2019_fig1")
def eps_moves_dp_ucb_more(runs: Runs) -> Parts:
    """The regret of DP-UCB depends on eps much more than the regret of DP-SE.

    The bonus of DP-UCB is proportional to 1/eps, but most epochs of DP-SE do not depend on eps.
    """
    # much more: the ratio of the largest to the smallest regret is at least twice as large
    for panel in runs.each(env=ENVS):
        ucb, se = panel(algo="dp_ucb"), panel(algo="dp_se")
        finals = [x.final() for algo in (ucb, se) for x in algo.each(eps=LEVELS)]
        found = located(finals, "mean", runs.tail / 28)  # 28 pairs of eight settings
        ratios = largest_ratio(found.of(slice(4))), largest_ratio(found.of(slice(4, None)))
        yield part(pairs.ratio(*ratios), ucb, se, above=2)

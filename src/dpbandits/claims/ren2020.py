"""Ren et al. 2020: HeLDP-UCB-L and HeLDP-UCB-B under local DP with equal or individual levels."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import pearsonr

from ..comparison.pairs import Located, located
from ..results.intervals import rounded
from ..settings.setting import Setting
from ..theory.ren2020 import LEADING_TERMS
from .claim import claim
from .statistics import Parts, Runs, about, growth, part, ratio

BOTH = "heldp_ucb_l", "heldp_ucb_b"


def leading_term(setting: Setting) -> float:
    """Return the leading term of a setting's regret, V_L or V_B."""
    term = LEADING_TERMS[str(setting.algorithm.leading_term)]
    return term(setting.population, setting.parameters["eps_min"])


def linear_fit(terms: Sequence[float], found: Located) -> Located:
    """Return R^2 of a linear fit of regrets to terms, with limits.

    R^2 is not monotone in the regrets. Therefore the function moves each regret in turn to its two
    limits, which gives the largest gain and the largest loss of R^2 by this regret. The upper limit
    is R^2 plus the root of the sum of squared gains. The lower limit is R^2 minus the root of the
    sum of squared losses.
    """

    def of(regrets: np.ndarray) -> Any:
        return pearsonr(np.broadcast_to(terms, regrets.shape), regrets, axis=-1).statistic ** 2

    value, k = of(found.value), len(found.value)
    moved = np.tile(found.value, (2, k, 1))
    for end, limits in enumerate((found.low, found.high)):
        moved[end, range(k), range(k)] = limits
    moves = of(moved) - value
    gain, loss = (np.sqrt((np.maximum(x.max(axis=0), 0.0) ** 2).sum()) for x in (moves, -moves))
    return Located(*(rounded(x, 1.0) for x in (value, value - loss, min(value + gain, 1.0))))


@claim("R1", "Ren et al. 2020, Fig. 1 (c)", "1.6; 8.6", "printed", "ren2020_fig1c")
def times_ucb_at_eps_2(runs: Runs) -> Parts:
    """At eps 2 on four laws of rewards, the regret of HeLDP-UCB-B is 1.6 times the regret of UCB,
    and the regret of HeLDP-UCB-L 8.6 times.

    Our two ratios are within a tenth of the printed ratios.
    """
    ucb = runs(algo="ucb")
    yield ratio(runs(algo="heldp_ucb_b"), ucb, **about(1.6))
    yield ratio(runs(algo="heldp_ucb_l"), ucb, **about(8.6))


@claim("R2", "Ren et al. 2020, Fig. 1 (d)", "74; 210", "printed", "ren2020_fig1d")
def times_ucb_at_eps_02(runs: Runs) -> Parts:
    """At eps .2 on four laws of rewards, the regret of HeLDP-UCB-B is 74 times the regret of UCB,
    and the regret of HeLDP-UCB-L 210 times.

    Our ratios are larger: by 8 % for HeLDP-UCB-B (we allow a tenth, which is inside the interval),
    and by a fifth for HeLDP-UCB-L. Our ratios are nearer to the ratios 101 and 441 of the theory.
    Our two ratios still grow with t, and exceed the printed ratios already earlier in the run
    (results/ablations.md).
    """
    ucb = runs(algo="ucb")
    yield ratio(runs(algo="heldp_ucb_b"), ucb, **about(74))
    yield ratio(runs(algo="heldp_ucb_l"), ucb, **about(210))


@claim("R3", "Ren et al. 2020, Fig. 1 (a, b)", "23; 4.5", "figure", "ren2020_fig1a",
       "ren2020_fig1b")  # fmt: skip
def times_ucb_at_eps_1(runs: Runs) -> Parts:
    """At eps 1 on Bernoulli rewards, the regret of HeLDP-UCB-L is 23 times the regret of UCB, and
    the regret of HeLDP-UCB-B 4.5 times.

    Our two ratios are within a tenth of the printed ratios.
    """
    ucb = runs(algo="ucb")
    yield ratio(runs(algo="heldp_ucb_l", eps=1.0), ucb, **about(23))
    yield ratio(runs(algo="heldp_ucb_b", eps=1.0), ucb, **about(4.5))


@claim("R4", "Ren et al. 2020, Fig. 2", "R^2 = 0.9977", "printed", "ren2020_fig2")
def regret_is_linear_in_the_leading_term(runs: Runs) -> Parts:
    """The final regrets of Fig. 1 (e)-(h) are a linear function of V_L or V_B, with an R^2 above
    .99 (the threshold is ours).

    The regrets are linear by this threshold; the printed R^2 is just above our interval.
    """
    regrets = located([x[:, -1] for x in runs.measured.values()], "mean", runs.tail)
    yield part(linear_fit([*map(leading_term, runs.measured)], regrets), runs, above=0.99)


@claim("R5", "Ren et al. 2020, Fig. 1 (e)-(h)", "so in every panel", "both", "ren2020_fig2")
def every_eps_min_converges(runs: Runs) -> Parts:
    """The regret converges for every choice of eps_min. In (e) the choices of eps_min have
    increasing regret in the order 100, 2, 1, .2; in (g) and (h) 1.0 has the smallest regret and 2.0
    the largest.

    All orders are as printed. The regret converges, except perhaps for HeLDP-UCB-L with eps_min .2:
    from T/2 to T it grows by 21 %, and its interval contains the fifth that we allow.
    """
    uniform, normal = "uniform_levels", "clipped_normal"
    # regret at T over regret at T/2: 2 if regret is linear, 1.04 if it is proportional to ln T
    for case in runs(population=uniform).each(eps_min=[0.2, 1.0, 2.0, 100.0], algo=BOTH):
        yield growth(case, below=1.2)
    for case in runs(population=normal).each(eps_min=[0.5, 1.0, 1.5, 2.0], algo=BOTH):
        yield growth(case, below=1.2)
    panel_e = runs(algo="heldp_ucb_l", population=uniform)
    for worse, better in pairwise([0.2, 1.0, 2.0, 100.0]):
        yield ratio(panel_e(eps_min=worse), panel_e(eps_min=better), above=1)
    panels_g_h = list(runs.each(algo=BOTH, population=[normal]))
    for panel in panels_g_h:
        for other in panel.each(eps_min=[0.5, 1.5, 2.0]):
            yield ratio(other, panel(eps_min=1.0), above=1)
    for panel in panels_g_h:
        for other in panel.each(eps_min=[0.5, 1.0, 1.5]):
            yield ratio(panel(eps_min=2.0), other, above=1)


@claim("R6", "Ren et al. 2020, Fig. 1 (a, b) and section 4.1", "increase", "printed",
       "ren2020_fig1a", "ren2020_fig1b")  # fmt: skip
def regret_grows_with_1_over_eps(runs: Runs) -> Parts:
    """The regrets of HeLDP-UCB-L and HeLDP-UCB-B grow as 1/eps grows (eps 2, 1, .5, .2).

    From one eps to the next, the regret grows by a factor of 2.6 to 3.7 (HeLDP-UCB-L) and of 2.7 to
    5.1 (HeLDP-UCB-B).
    """
    for smaller, larger in pairwise([0.2, 0.5, 1.0, 2.0]):
        for algo in runs.each(algo=BOTH):
            yield ratio(algo(eps=smaller), algo(eps=larger), above=1)

"""Han et al. 2021: greedy learners with local privacy, LDP-SGD and LDP-OLS."""

from .claim import claim
from .statistics import Parts, Runs, growth, ratio

LEVELS = 0.5, 1.0


def greedy(runs: Runs):
    """Yield the runs of each greedy learner: LDP-SGD, and LDP-OLS with two calibrations."""
    yield from runs.each(algo=["ldp_sgd"])
    yield from runs.each(algo=["ldp_ols"], calibration=["printed", "exact"])


@claim("HL1", "Han et al. 2021, experiments", "both below LDP-UCB", "unread", "han2021")
def greedy_learners_beat_ldp_lin_ucb(runs: Runs) -> Parts:
    """LDP-SGD and LDP-OLS have less regret than LDP-UCB (LDP-LinUCB as printed) at eps .5 and 1 and
    T = 1e6.

    The bonus of LDP-LinUCB is so large that LDP-LinUCB learns hardly anything. On average its
    regret is 19 times the regret of LDP-SGD at eps .5 and 49 times at eps 1; 10 and 23 times the
    regret of LDP-OLS as printed; and 49 and 82 times the regret of LDP-OLS with exact noise.
    """
    for case in runs.each(eps=LEVELS):
        for learner in greedy(case):
            yield ratio(case(algo="ldp_lin_ucb", variant="printed"), learner, above=1)


@claim("HL2", "Han et al. 2021, Theorems on contexts drawn anew", "sqrt(T)/eps", "unread",
       "han2021")  # fmt: skip
def regret_of_greedy_learners_grows_as_the_root(runs: Runs) -> Parts:
    """The regret of LDP-SGD and LDP-OLS grows as sqrt(T): it grows from T/2 to T = 1e6 by a factor
    below 2^.6.

    The factor is at most 1.44, below 2^.6 = 1.52. However, there are only 20 runs, whose regret
    varies much, and the interval of LDP-OLS as printed at eps .5 reaches 1.64.
    """
    for case in runs.each(eps=LEVELS):
        for learner in greedy(case):
            yield growth(learner, below=2**0.6)

"""Zhou & Zhang 2024: CTL-UCB and LTC-UCB with outliers before and after the local randomizer."""

from .claim import claim
from .statistics import Parts, Runs, excess_ratio, growth, ratio

ALPHAS, LEVELS = (0.02, 0.05, 0.06, 0.07), (0.1, 0.3)


@claim("ZZ1", "Zhou & Zhang 2024, Fig. 4", "sublinear", "printed", "zhou2024")
def regret_is_sublinear(runs: Runs) -> Parts:
    """At alpha .02 the regret of CTL-UCB and LTC-UCB is sublinear in T: from T/2 to T it grows by a
    factor below 2^(3/4), the rate of the theorem without outliers (this threshold is ours).

    At eps .3 the growth is below this factor. At eps .1 the exploration takes most of the 1e5
    rounds, and so does the time until an arm has 4,096 pulls; before this time, the truncation
    hides the best arm.
    """
    for case in runs(env_alpha=0.02).each(eps=LEVELS, algo=["ctl_ucb", "ltc_ucb"]):
        yield growth(case, below=1.68)


@claim("ZZ2", "Zhou & Zhang 2024, Fig. 4", "LTC above CTL, gap grows", "printed", "zhou2024")
def outliers_of_reports_cost_more(runs: Runs) -> Parts:
    """Outliers that replace reports (LTC-UCB) raise the regret more than outliers that replace
    rewards (CTL-UCB), and the difference grows with alpha and with 1/eps.

    At alpha .05 and above, the regret of LTC-UCB is higher by a tenth at eps .1 and by 43 % to 82 %
    at eps .3; at alpha .02 the two regrets are nearly equal. At eps .3 the difference grows with
    alpha. At alpha .07 the difference is larger at eps .3 than at eps .1, where both algorithms
    have little less regret than a policy that plays all arms in turn. There are 1,000 runs, some of
    which never settle on the best arm.
    """
    for case in runs.each(env_alpha=ALPHAS, eps=LEVELS):
        yield ratio(case(algo="ltc_ucb"), case(algo="ctl_ucb"), above=1)
    ltc, ctl = runs(eps=0.3)(algo="ltc_ucb"), runs(eps=0.3)(algo="ctl_ucb")
    yield excess_ratio(ltc, ctl, env_alpha=[0.07, 0.05], above=1)  # the gaps at these alpha
    ltc, ctl = runs(env_alpha=0.07)(algo="ltc_ucb"), runs(env_alpha=0.07)(algo="ctl_ucb")
    yield excess_ratio(ltc, ctl, eps=[0.1, 0.3], above=1)


@claim("ZZ3", "Zhou & Zhang 2024, Fig. 5", "both lower", "figure", "zhou2024")
def ldpr_se_is_above_both(runs: Runs) -> Parts:
    """With outliers CTL-UCB and LTC-UCB have a lower final regret than LDPR-SE, with the literal
    and with the practical constant of LDPR-SE.

    LDPR-SE eliminates no arm within 1e5 rounds at eps .1, or with its literal constant. At eps .1
    all algorithms have nearly the regret of a policy that plays all arms in turn.
    """
    for algo, env in (("ctl_ucb", "zhou_ctl"), ("ltc_ucb", "zhou_ltc")):
        for case in runs.each(env_alpha=ALPHAS, eps=LEVELS):
            for ldpr_se in case(algo="ldpr_se", env=env).each(c=["literal", "practical"]):
                yield ratio(ldpr_se, case(algo=algo, env=env), above=1)

"""Hu & Hegde 2022: Lazy-DP-TS and DP-TS, with DP-SE and Anytime-Lazy-UCB."""

from .claim import claim
from .statistics import Parts, Runs, ratio

LEVELS = {"bernoulli_c2": (0.1, 0.25, 0.5, 1.0, 500.0), "hu_bernoulli": (0.5, 1.0, 500.0)}


@claim("HH1", "Hu & Hegde 2022, Figs. 1-5 and appendix", "always lower", "printed", "hu2022")
def lazy_dp_ts_is_lowest(runs: Runs) -> Parts:
    """Lazy-DP-TS has a lower final regret than DP-SE and Anytime-Lazy-UCB at every eps (natural
    logarithms are our choice, and we derived the index of Anytime-Lazy-UCB).

    Lazy-DP-TS adds noise only once per buffer, like the other two algorithms, and a draw from a
    posterior explores less than a confidence radius. At eps .1, where the noise dominates, the
    regret of DP-SE is within 15 % of the regret of Lazy-DP-TS.
    """
    for env, levels in LEVELS.items():
        for panel in runs(env=env).each(eps=levels):
            for other in panel.each(algo=["dp_se", "anytime_lazy_ucb"]):
                yield ratio(other, panel(algo="lazy_dp_ts"), above=1)


@claim("HH2", "Hu & Hegde 2022, section 4", "lower; inferior", "printed", "hu2022")
def dp_ts_is_lower_without_noise_only(runs: Runs) -> Parts:
    """DP-TS has a lower final regret than Lazy-DP-TS at eps 500, and a much higher final regret at
    eps up to 1 (natural logarithms and the factor 2 for "much" are our choice).

    Without noise DP-TS is Thompson sampling on all rewards. With noise, its bonus has an additional
    factor log O compared with the bonus of Lazy-DP-TS. The appendix of the paper also finds a lower
    regret for DP-SE than for DP-TS on its second instance at eps 1. In our runs DP-SE has a higher
    regret there with natural logarithms, and a lower regret with base 2 (algo.log=base2).
    """
    for env in LEVELS:
        panel = runs(env=env, eps=500.0)
        yield ratio(panel(algo="lazy_dp_ts"), panel(algo="dp_ts"), above=1)
    for env, levels in LEVELS.items():
        for panel in runs(env=env).each(eps=levels[:-1]):
            yield ratio(panel(algo="dp_ts"), panel(algo="lazy_dp_ts"), above=2)

"""Errors of rules that name an arm or a hypothesis, at the boundary of their hypotheses: 10,000
runs each, with the exact interval at 99 %.
"""

import numpy as np
import pytest
from helpers import algorithm

import dpbandits as dp
from dpbandits.contracts.question import STOPPING
from dpbandits.results.intervals import clopper_pearson
from dpbandits.running.play import play_many
from dpbandits.settings.compose import request_from

RUNS, TAIL = 10_000, 0.005


def share_of(answer, rule, means, eps, cap, parameters, **goal):
    """The interval of the probability that a rule gives an answer."""
    given = {"rule": rule, "env": dp.bernoulli(means), "cap": cap, "seed": 11} | goal
    given |= {"eps": eps} if algorithm(rule).private else {}
    setting = request_from(STOPPING, given, parameters).settings[0]
    answers = np.array([found.answer for found in play_many(setting, range(RUNS))])
    wrong = np.array([float((answers == answer).sum())])
    low, high = clopper_pearson(wrong, np.array([float(RUNS)]), TAIL)
    return low[0], high[0]


def errors(mu0, mu1, eps, **factors):
    """The intervals of both errors of DP-SPRT, where the mean is mu0 and where the mean is mu1."""
    goal = {"mu0": mu0, "mu1": mu1, "alpha": 0.05, "beta": 0.1}
    given = "dp_sprt", eps, 10**6, factors
    return [
        share_of(answer, given[0], [mean], *given[1:], **goal)
        for mean, answer in ((mu0, 1), (mu1, 0))
    ]


@pytest.mark.long
@pytest.mark.parametrize("eps", [0.5, 2.0, np.inf])
@pytest.mark.parametrize(("mu0", "mu1"), [(0.3, 0.7), (0.05, 0.2)])
def test_dp_sprt_errs_at_most_as_promised(mu0, mu1, eps):
    """With noise the whole interval lies below; without noise Wald's bounds are nearly reached."""
    alpha, beta = errors(mu0, mu1, eps)
    end = 0 if eps == np.inf else 1
    assert alpha[end] <= 0.05 and beta[end] <= 0.1


@pytest.mark.long
@pytest.mark.parametrize(
    ("eps", "factors"), [(np.inf, {"c1": 0.5}), (0.5, {"c2": 0.0}), (2.0, {"c1": 0.5, "c2": 0.2})]
)
def test_factors_below_1_void_the_error_rates(eps, factors):
    """The controls: the same check rejects them."""
    alpha, beta = errors(0.3, 0.7, eps, **factors)
    assert alpha[0] > 0.05 and beta[0] > 0.1


TIED = [
    ("adap_tt", {}), ("adap_tt_star", {}), ("dp_se_bai", {}), ("tt_ucb", {}), ("ctb_tt", {}),
    ("nprr_ab", {}), ("nprr_ab", {"grid": 3}), ("nprr_ab", {"assignment": "hidden"}),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("rule", "parameters"), TIED)
def test_each_of_two_tied_arms_is_named_at_most_as_often_as_promised(rule, parameters):
    """A rule that errs with probability delta just beside a tie names each arm at most so often at
    the tie, by continuity: its runs end at the cap.
    """
    found = share_of(0, rule, [0.5, 0.5], 2.0, 2000, parameters, delta=0.1)
    assert found[1] <= 0.1


@pytest.mark.long
def test_a_rule_that_stops_too_soon_is_seen():
    """The control: the rule for another delta does not keep the promise, and its own delta does."""
    tied = 0, "nprr_ab", [0.5, 0.5], 2.0, 2000, {}
    assert share_of(*tied, delta=0.02)[1] <= 0.02 < share_of(*tied, delta=0.999)[0]

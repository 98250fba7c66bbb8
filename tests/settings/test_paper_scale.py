"""The experiments are run at the scale of their papers."""

import numpy as np
import pytest
from sweeps import requested

from dpbandits.contracts.question import REGRET
from dpbandits.settings.groups import question_of

BUDGETS = {0.1, 0.25, 0.5, 1.0}
EVERYWHERE = {f"bernoulli_c{i}" for i in (1, 2, 3, 4)}
PHASES = {"dp_klucb", "dp_imed"}
FOUR = {
    "horizon": {10**7}, "algo": {"dp_ucb", "dp_se", "adap_ucb", "adap_klucb"}, "budget": BUDGETS,
    "gamma": {0.1}, "beta": {1 / 1e7}, "alpha": {3.1},
}  # fmt: skip
# What the papers ran: runs, and values of keys and parameters, among the settings that have them
PAPERS = {
    "azize2022_fig2": (20, FOUR | {"env": {"bernoulli_c2"}, "budget": {1.0}}),
    "azize2022_fig3": (20, {"horizon": {10**7}}),
    "azize2022_fig4": (20, FOUR | {"env": {"bernoulli_c1"}}),
    "azize2022_fig5": (20, FOUR | {"env": {"bernoulli_c2"}}),
    "azize2022_fig6": (20, FOUR | {"env": {"bernoulli_c3"}}),
    "azize2022_fig7": (20, FOUR | {"env": {"bernoulli_c4"}}),
    "azize2022_fig8": (20, {"horizon": {10**7}, "algo": {"adap_ucb", "adap_klucb"},
     "env": {"bernoulli_c1"}, "budget": {1.0}, "alpha": {1, 3.1}}),
    "sajed2019_fig1": (30, {"horizon": {5 * 10**7}, "algo": {"dp_ucb", "dp_se"},
     "env": EVERYWHERE, "budget": BUDGETS, "gamma": {0.1}, "beta": {1 / 5e7}}),
    "azize2025": (100, {"horizon": {10**6}, "env": EVERYWHERE, "first": {0}, "alpha": {2, 3.1},
     "algo": {*PHASES, "adap_klucb", "dp_se", "kl_ucb", "lazy_dp_ts"},
     "budget": {0.01, 0.1, 0.5, 1.0, np.inf}}),
    "azize2025_alpha": (1000, {"horizon": {10**6}, "algo": PHASES, "env": EVERYWHERE,
     "budget": {0.1, 1.0}, "first": {0}, "alpha": {1.1, 1.5, 2, 3}}),
    "hu2022": (50, {"horizon": {10**5}, "log": {0.0}, "env": {"bernoulli_c2", "hu_bernoulli"},
     "algo": {"lazy_dp_ts", "dp_ts", "anytime_lazy_ucb", "dp_se", "ts"},
     "budget": {0.1, 0.25, 0.5, 1.0, 500.0, np.inf}}),
    "azize2023_zcdp": (1000, {"horizon": {10**5, 10**6, 10**7}, "algo": {"adac_ucb"}, "beta": {1},
     "env": {"bernoulli_c2"}}),
    "azize2023_bai": (1000, {"delta": {0.01}, "means": {(0.95, 0.9, 0.9, 0.9, 0.5),
     (0.75, 0.7, 0.7, 0.7, 0.7)}}),
    "sajed2019_stopping": (200, {"env": {"sign"}, "budget": {0.1, 0.5, 1.0, np.inf}, "beta": {0.05},
     "R": {1.0}, "rel_error": {0.1, 0.25, 0.5}, "means": {(x,) for x in (0.05, 0.1, 0.2, 0.5)}}),
}  # fmt: skip


@pytest.mark.parametrize("name", PAPERS)
def test_paper_scale(name):
    runs, expected = PAPERS[name]
    request = requested(question=question_of(name) or REGRET, experiment=name)
    assert request.runs == runs
    found = [
        {"horizon": s.horizon, "algo": s.algo, "env": s.env, "budget": s.budget}
        | {"means": tuple(np.abs(s.instance.means))} | s.parameters | dict(s.goal)
        for s in request.settings
    ]  # fmt: skip
    for key, values in expected.items():
        assert {x[key] for x in found if key in x} == values, key


def test_fig3_spans_both_regimes():
    budgets = sorted(s.budget for s in requested(experiment="azize2022_fig3").settings)
    assert (budgets[0], budgets[-1]) == (0.05, 10)
    ratios = np.diff(np.log(budgets))
    assert ratios.max() < 1.2 * ratios.min()

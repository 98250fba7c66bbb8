"""The experiments are run at the scale of their papers."""

import json

import numpy as np
import pytest
from sweeps import requested

from dpbandits.contracts.question import STOPPING

BUDGETS = {0.1, 0.25, 0.5, 1.0}
FOUR = {"dp_ucb", "dp_se", "adap_ucb", "adap_klucb"}
EVERYWHERE = {f"bernoulli_c{i}" for i in (1, 2, 3, 4)}
PHASES = {"dp_klucb", "dp_imed"}
OFTEN = {"gamma": {0.1}, "beta": {1 / 1e7}, "alpha": {3.1}}
# What the papers ran: horizon, runs, algorithms, environments, budgets, and values of parameters,
# among those of the settings that have them
PAPERS = {
    "azize2022_fig2": (1e7, 20, FOUR, {"bernoulli_c2"}, {1.0}, OFTEN),
    "azize2022_fig4": (1e7, 20, FOUR, {"bernoulli_c1"}, BUDGETS, OFTEN),
    "azize2022_fig5": (1e7, 20, FOUR, {"bernoulli_c2"}, BUDGETS, OFTEN),
    "azize2022_fig6": (1e7, 20, FOUR, {"bernoulli_c3"}, BUDGETS, OFTEN),
    "azize2022_fig7": (1e7, 20, FOUR, {"bernoulli_c4"}, BUDGETS, OFTEN),
    "azize2022_fig8": (1e7, 20, {"adap_ucb", "adap_klucb"}, {"bernoulli_c1"}, {1.0},
     {"alpha": {1, 3.1}}),
    "sajed2019_fig1": (5e7, 30, {"dp_ucb", "dp_se"}, EVERYWHERE, BUDGETS,
     {"gamma": {0.1}, "beta": {1 / 5e7}}),
    "azize2025": (1e6, 100, {*PHASES, "adap_klucb", "dp_se", "kl_ucb", "lazy_dp_ts"}, EVERYWHERE,
     {0.01, 0.1, 0.5, 1.0, np.inf}, {"first": {0}, "alpha": {2, 3.1}}),
    "azize2025_alpha": (1e6, 1000, PHASES, EVERYWHERE, {0.1, 1.0},
     {"first": {0}, "alpha": {1.1, 1.5, 2, 3}}),
}  # fmt: skip


@pytest.mark.parametrize("name", PAPERS)
def test_paper_scale(name):
    horizon, runs, algorithms, environments, budgets, values = PAPERS[name]
    request = requested(experiment=name)
    assert request.runs == runs
    assert {s.horizon for s in request.settings} == {int(horizon)}
    assert {s.algo for s in request.settings} == algorithms
    assert {s.env for s in request.settings} == environments
    assert {s.budget for s in request.settings} == budgets
    for key, expected in values.items():
        assert {s.parameters[key] for s in request.settings if key in s.parameters} == expected


def test_scale_of_hu_and_hegde():
    request = requested(experiment="hu2022")
    private = {"lazy_dp_ts", "dp_ts", "anytime_lazy_ucb", "dp_se"}
    assert request.runs == 50 and {s.horizon for s in request.settings} == {10**5}
    budgets = {"bernoulli_c2": {0.1, 0.25, 0.5, 1.0, 500.0}, "hu_bernoulli": {0.5, 1.0, 500.0}}
    expected = {(env, algo, eps) for env in budgets for algo in private for eps in budgets[env]}
    expected |= {(env, "ts", np.inf) for env in budgets}
    assert {(s.env, s.algo, s.budget) for s in request.settings} == expected
    assert {s.parameters["log"] for s in request.settings if "log" in s.parameters} == {0.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["tao2022_central", "tao2022_local", "wu2023_raw", "wu2023_central"]
)
def test_scale_of_experiments_that_no_paper_specifies(name):
    """T = 1e6; 200 runs where one takes less than 10 ms, else 20; literal constants at 1e12 and,
    locally at v = .5, at 4e15.
    """
    request = requested(experiment=name)
    assert request.runs == (200 if name in ("tao2022_local", "wu2023_raw") else 20)
    for setting in request.settings:
        values, spec = setting.parameters, json.loads(setting.env_spec)
        if name.startswith("wu"):
            assert (setting.horizon, values.get("k", 2.0), values.get("v", 1.0)) == (10**6, 2, 1)
            assert values.get("alpha1", spec["alpha"]) == spec["alpha"]
            assert setting.budget in {0.1, 0.5, 1.0} and spec["alpha"] in {0, 0.02, 0.05, 0.1}
        elif "twopoint" in setting.env:
            local = setting.algo == "ldpr_se"
            assert values["c"] == (28 if local else 24)
            far = local and spec["v"] == 0.5
            assert setting.horizon == (4 * 10**15 if far else 10**12)
            assert values["u"] == pytest.approx(1.0) and values["v"] == spec["v"]
        else:
            assert setting.horizon == 10**6 and setting.env == f"pareto_v0{10 * values['v']:g}"
            assert setting.budget in {0.5, 1.0, np.inf}
            assert spec["shape"] == pytest.approx(1.05 + values["v"])


def test_scale_of_the_price_of_zcdp():
    request = requested(experiment="azize2023_zcdp")
    assert request.runs == 1000 and {s.algo for s in request.settings} == {"adac_ucb"}
    assert {s.parameters["beta"] for s in request.settings} == {1}
    assert {s.env for s in request.settings} == {"bernoulli_c2"}
    for T in (10**5, 10**6, 10**7):
        budgets = {s.budget for s in request.settings if s.horizon == T}
        assert {0.1, 0.5, 1, 1000, np.inf} <= budgets and min(budgets) == 0.1


def test_fig3_spans_both_regimes():
    request = requested(experiment="azize2022_fig3")
    budgets = sorted(setting.budget for setting in request.settings)
    assert (budgets[0], budgets[-1], request.runs) == (0.05, 10, 20)
    assert {setting.horizon for setting in request.settings} == {10**7}
    ratios = np.diff(np.log(budgets))
    assert ratios.max() < 1.2 * ratios.min()


@pytest.mark.slow
def test_scale_of_the_experiment_on_the_best_arm():
    request = requested(question=STOPPING, experiment="azize2023_bai")
    assert request.runs == 1000 and len(request.settings) == 2 * (1 + 13 * 4) + 6
    assert {s.budget for s in request.settings} >= {0.001, 0.01, 1000, np.inf}
    assert {dict(s.goal)["delta"] for s in request.settings} == {0.01}
    means = {tuple(s.instance.means) for s in request.settings}
    assert means == {(0.95, 0.9, 0.9, 0.9, 0.5), (0.75, 0.7, 0.7, 0.7, 0.7)}


def test_scale_of_the_experiment_on_stopping_times():
    request = requested(question=STOPPING, experiment="sajed2019_stopping")
    assert request.runs == 200 and len(request.settings) == 4 * 3 * (1 + 3 + 3)
    assert {abs(s.instance.means[0]) for s in request.settings} == {0.05, 0.1, 0.2, 0.5}
    assert {s.budget for s in request.settings} == {0.1, 0.5, 1.0, np.inf}
    goals = [dict(s.goal) for s in request.settings]
    assert {goal["rel_error"] for goal in goals} == {0.1, 0.25, 0.5}
    assert {(goal["beta"], goal["R"]) for goal in goals} == {(0.05, 1.0)}
    assert {s.env for s in request.settings} == {"sign"}

"""Bounds for linear and contextual bandits."""

import math

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.theory.azize_linear import adac_gope_phases, cube, gope_phases


def test_bounds_of_arms_do_not_apply_to_features_and_contexts():
    table = dp.bounds(algo="adac_gope", env="linear_sphere", rho=1, horizon=1e5)
    assert set(table["bound"]) == {
        "Azize's thesis, Theorem 5.12", "Azize's thesis, Alg. 8, private phases summed"
    }  # fmt: skip
    table = dp.bounds(algo="adac_oful", env="contextual", rho=1, horizon=1e5)
    assert list(table["bound"]) == ["Azize's thesis, Theorem 5.17"] and table["value"].isna().all()


def test_the_lower_bound_of_the_cube_applies_to_its_corners():
    corners = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    table = dp.bounds(algo="gope", env=dp.linear(corners, [0.5, 0.5]), horizon=1e4)
    assert table["value"].tolist() == pytest.approx([math.exp(-2) / 8 * 2 * 100])
    assert cube(3, 1e6) == pytest.approx(3 * cube(1, 1e6))


def test_summed_phases_are_above_the_regret_and_close_to_it_without_elimination():
    for rho in (0.01, 1.0):
        table = dp.run(algo="adac_gope", env="linear_sphere", rho=rho, horizon=1e6, runs=5, jobs=1)
        assert dp.summary(table)["mean"][0] < adac_gope_phases(3, 10, rho, 1e6, 0.001)
    assert gope_phases(3, 10, 1e6, 0.001) <= adac_gope_phases(3, 10, 1.0, 1e6, 0.001)
    assert np.isfinite(gope_phases(2, 5, 1e15, 0.01))


def test_summed_phases_have_the_lengths_of_the_text():
    """Eq. (5.6), whose second term has f under the root."""
    d, K, rho, delta, T = 3, 10, 0.1, 0.001, 5e4
    total, left = 2 * delta * T, T
    for l in (1, 2, 3, 4, 5):
        beta, x = 0.5**l, delta / (K * l * (l + 1))
        f = d + 2 * math.sqrt(d * math.log(2 / x)) + 2 * math.log(2 / x)
        c = 8 * d / beta**2 * math.log(4 / x) + 2 * d / beta * math.sqrt(2 * f / rho)
        total += min(2, 8 * beta) * min(c + d * (d + 1) / 2, left)
        left = max(left - c - d * (d + 1) / 2, 0)
    assert left == 0
    assert adac_gope_phases(d, K, rho, T, delta) == pytest.approx(total, rel=1e-12)


@pytest.mark.slow
def test_adac_gope_has_the_regret_of_its_text_on_the_thesis_instance():
    """About 5,200 with f outside the root."""
    table = dp.run(
        algo="adac_gope", env="azize_linear", rho=0.1, horizon=1e4, runs=20, jobs=1, assume=True
    )
    assert 2200 < dp.summary(table)["mean"][0] < 3200


def test_upper_bounds_need_noise_of_at_most_1_without_outliers():
    """The controls have bounded rewards, or normal noise of standard deviation 1."""
    arms, theta = [[1, 0], [0, 1]], [0.6, -0.6]
    signs, small, large = (
        dp.linear(arms, theta, noise=noise, sigma=sigma)
        for noise, sigma in (("sign", 1), ("gaussian", 1), ("gaussian", 1.1))
    )

    def count(env, algo="gope", **given):
        return len(dp.bounds(algo=algo, env=env, horizon=1e5, assume=True, **given))

    assert count(signs) == count(small) == 1 and count(large) == 0
    assert count(dp.contaminated(signs, 0.1, [0, 0])) == 0
    assert count(signs, "adac_gope", rho=1) == 2
    assert count(signs, dp.algorithm("adac_gope", noise="sums"), rho=1) == 1
    contexts = {"theta": [0.5, 0.5], "center": [0, 0], "variance": 0.1, "ball": True}
    for noise, sigma, found in (("sign", 1, 1), ("gaussian", 1, 1), ("gaussian", 1.1, 0)):
        env = dp.contextual(3, **contexts, noise=noise, sigma=sigma)
        assert count(env, "adac_oful", rho=1) == found


def test_bounds_of_contexts_need_means_that_the_learner_models(tmp_path):
    """Rewards of a table have no linear mean. The learner's link must be that of the rewards."""
    (tmp_path / "rows.csv").write_text("x,a,b\n.1,1,-1\n.9,-1,1\n")
    rows = dp.contextual_table(tmp_path / "rows.csv", 2)
    linear, logistic = (
        dp.contextual(3, [0, 0], 0.1, theta=[0.5, 0.5], link=x) for x in ("linear", "logistic")
    )
    curved = dp.algorithm("ldp_sgd", link="logistic")
    for algo, fits in (
        ("adac_oful", [linear]), ("ldp_ols", [linear]), ("ldp_sgd", [linear]), (curved, [logistic])
    ):  # fmt: skip
        for env in (linear, logistic, rows):
            assert (len(dp.bounds(algo=algo, env=env, horizon=1e5)) == 1) == (env in fits)

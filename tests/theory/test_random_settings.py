"""Settings drawn at random: no bound with a number contradicts simulated regret or stopping times.

Each kind of bound is compared as it is meant. An exact upper bound is at least the mean regret
less 5 standard errors, and an exact lower bound on samples at most the mean stopping time plus as
many; a bound that holds with some probability is compared with the share of runs. An asymptotic
lower bound says nothing of a given horizon: it is compared with regret at T = 1e12, where it is
at most a thousandth of T times the smallest gap. Bounds for the worst instance, and orders, are
not compared.
"""

import json
import math

import numpy as np
import pytest
from helpers import settings
from test_theorems import sign_regret

import dpbandits as dp
from dpbandits.results.run_store import Memory
from dpbandits.results.tables import MEASURED, load_finished
from dpbandits.running.monte_carlo import run_settings
from dpbandits.theory import azize2022, azize2024, sajed2019
from dpbandits.theory.bounds import ASYMPTOTIC, EXACT, LOWER, UPPER, bounds_for, where_it_holds
from dpbandits.theory.problem import problem

pytestmark = pytest.mark.long

LONG = 1e12


def budget(rng):
    return float(10 ** rng.uniform(-3, 4))


def means(rng, most=20):
    """Gaps from .001 to 1, all equal in a third of the instances; the best mean is often 1."""
    gaps = 10 ** rng.uniform(-3, 0, rng.integers(1, most))
    gaps = np.append(np.full_like(gaps, gaps[0]) if rng.random() < 0.3 else gaps, 0)
    best = 1.0 if rng.random() < 0.2 else rng.uniform(gaps.max(), 1)
    return [float(m) for m in np.round(np.clip(best - gaps, 0, 1), 6)]


def horizon(rng, most):
    return int(10 ** rng.uniform(0.5, most))


def constant(rng):
    return float(rng.choice([3.001, 3.1, 4, 10]))


def of_global(algo, rng):
    given = {"algo": algo, "env": dp.bernoulli(means(rng)), "horizon": horizon(rng, 6)}
    if algo == "adap_ucb":
        return given | {"eps": budget(rng), "alpha": constant(rng)}
    if algo == "adac_ucb":
        return given | {"rho": budget(rng), "beta": constant(rng)}
    order = 1 + float(10 ** rng.uniform(-2, 3))
    return given | {"eps": budget(rng), "order": order, "beta": constant(rng)}


def of_local(algo, rng):
    """Users of one level, or of several, some of which may send nothing."""
    given = {"algo": algo, "env": dp.bernoulli(means(rng)), "horizon": horizon(rng, 5)}
    if rng.random() < 0.5:
        return given | {"eps": budget(rng)}
    levels = [budget(rng) for _ in range(rng.integers(2, 5))]
    silent = [0.0] * int(rng.integers(4))
    population = dp.population("levels", levels=sorted(silent + levels))
    return given | {"population": population, "eps_min": float(rng.choice(levels))}


def linear_arms(rng, most=20, most_d=6):
    """Actions of length 1, nearly parallel in half of the instances, and a theta, of length 1."""
    d = int(rng.integers(2, most_d))
    K = int(rng.integers(d, most))
    arms = rng.standard_normal((K, d))
    arms /= np.linalg.norm(arms, axis=1)[:, None]
    if rng.random() < 0.5:
        arms = arms[0] + 10 ** rng.uniform(-3, -1) * arms
        arms /= np.linalg.norm(arms, axis=1)[:, None]
    theta = rng.standard_normal(d)
    return arms, theta / np.linalg.norm(theta)


def of_linear(algo, rng):
    arms, theta = linear_arms(rng)
    given = {"algo": algo, "env": dp.linear((arms * (1 - 1e-9)).tolist(), theta.tolist())}
    given |= {"horizon": horizon(rng, 6), "delta": float(10 ** rng.uniform(-6, -1))}
    return given | ({"rho": budget(rng)} if algo == "adac_gope" else {})


def of_asymptotics(algo, rng):
    return {"algo": algo, "env": dp.bernoulli(means(rng)), "horizon": LONG, "eps": budget(rng)}


SHORT = [("adap_ucb", of_global), ("adac_ucb", of_global), ("adar_ucb", of_global)]
SHORT += [("heldp_ucb_l", of_local), ("heldp_ucb_b", of_local)]
SHORT += [("gope", of_linear), ("adac_gope", of_linear)]
ASYMPTOTICALLY = ["adap_ucb", "adap_klucb", "dp_se", "dp_klucb"]  # at 1e12: they play in blocks


def played(draw, algo, n, runs, seed):
    """Settings drawn at random, as problems, with the regrets of their runs."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n):
        found += settings(**draw(algo, rng))
    store = Memory()
    run_settings(found, runs, 1, "auto", store)
    about = [problem(json.loads(json.dumps(s.record))) for s in found]
    regrets = [MEASURED["regret"](load_finished(store, s, runs))[:, -1] for s in found]
    return list(zip(about, regrets, strict=True))


def fractions(played, status, side):
    """For each bound, its value over the mean regret, less or plus 5 standard errors: all of the
    upper bounds must be above 1, and all of the lower ones below.
    """
    found = {}
    for about, regret in played:
        error = 5 * regret.std(ddof=1) / math.sqrt(len(regret))
        at_stake = 1e-3 * about.T * min(g for g in about.instance.gaps if g > 0)
        for bound in bounds_for(about)[0]:
            value = bound.value(about)
            if (bound.status, bound.side) == (status, side) and (side == UPPER or value < at_stake):
                mean = regret.mean() + (error if side == LOWER else -error)
                found.setdefault(bound.source, []).append(value / max(mean, 1e-9))
    return {source: np.array(values) for source, values in found.items()}


@pytest.mark.parametrize(("algo", "draw"), SHORT)
def test_exact_upper_bounds_are_above_the_regret_of_random_settings(algo, draw):
    """The control: a twentieth of each bound is found to be too small."""
    found = fractions(played(draw, algo, 60, 20, seed=1), EXACT, UPPER)
    assert found
    for source, x in found.items():
        assert x.min() > 1, source
        assert x.min() < 20, source


@pytest.mark.parametrize("algo", ASYMPTOTICALLY)
def test_asymptotic_lower_bounds_are_below_the_regret_of_random_settings_at_1e12(algo):
    """The control: twice the bound is above the regret of DP-KLUCB in some settings."""
    found = fractions(played(of_asymptotics, algo, 40, 20, seed=2), ASYMPTOTIC, LOWER)
    assert {"Azize & Basu 2022, Theorem 3", "Azize et al. 2025, Theorem 1"} <= set(found)
    for source, x in found.items():
        assert len(x) >= 10 and x.max() < 1, source
    if algo == "dp_klucb":
        assert 2 * max(x.max() for x in found.values()) > 1


def test_the_linear_lower_bound_is_below_the_regret_of_random_settings_at_1e12():
    """Of AdaP-UCB on signs (see ``sign_regret``). The control: the printed Theorem 5 is above it,
    where a dominant arm is nearly parallel to the best one.
    """
    rng, above = np.random.default_rng(3), 0
    for _ in range(30):
        arms, theta = linear_arms(rng)
        means = arms @ theta
        gaps = means.max() - means
        if np.sort(gaps)[1] < 1e-3:
            continue
        eps = budget(rng)
        regret = sign_regret(arms, theta, eps, LONG, 10)
        most = regret.mean() + 5 * regret.std(ddof=1) / math.sqrt(10)
        if azize2022.linear_lower(arms, theta, eps, LONG) < 1e-3 * LONG * np.sort(gaps)[1]:
            assert azize2022.linear_lower(arms, theta, eps, LONG) < most
        x = 10 ** rng.uniform(-4, -1)
        pair = np.array([[1, 0], [1, x]])
        regret = sign_regret(pair, [0.1, -0.2 / x], eps, LONG, 10)
        most = regret.mean() + 5 * regret.std(ddof=1) / math.sqrt(10)
        assert azize2022.linear_lower(pair, [0.1, -0.2 / x], eps, LONG) < most
        above += azize2022.linear_lower_printed(pair, [0.1, -0.2 / x], eps, LONG) > most
    assert above >= 5


def stopped(rule, rng, runs, **given):
    """The stopping times of a rule, the cap for a run that has not stopped."""
    table = dp.stop(rule, runs=runs, jobs=1, seed=int(rng.integers(1e6)), **given)
    return table["stopping_time"].to_numpy(dtype=float)


def test_bounds_on_samples_of_an_estimate_hold_in_random_settings():
    """Theorem 3.3 of Sajed & Sheffet fails with probability beta at most, Theorem 3.4 with 3/4. The
    control: a thousandth of the upper bound is exceeded more often, and a thousand times the lower
    bound less often.
    """
    rng, n, caught = np.random.default_rng(4), 100, [0, 0]
    for _ in range(40):
        mu, a = float(10 ** rng.uniform(-3, 0)), float(rng.uniform(0.05, 0.95))
        given = {"eps": budget(rng), "beta": float(10 ** rng.uniform(-6, math.log10(0.08)))}
        numbers = {"R": 1.0, "a": a, "mu": mu, **given}
        least = sajed2019.stopping_lower(**numbers)
        most = where_it_holds(sajed2019.stopping_upper, **numbers)
        cap = 1e15
        env = dp.environment("sign", mean=mu)
        times = stopped("dp_nas_exp", rng, n, env=env, rel_error=a, R=1, cap=cap, **given)
        chance = n * given["beta"]
        if not math.isnan(most):
            assert (times > most).sum() <= chance + 5 * math.sqrt(chance + 1)
            caught[0] += (times > most / 1000).sum() > chance + 5 * math.sqrt(chance + 1)
        assert (times > least).sum() >= n / 4 - 5 * math.sqrt(n * 3 / 16)
        caught[1] += (times > 1000 * least).sum() < n / 4 - 5 * math.sqrt(n * 3 / 16)
    assert min(caught) > 0


@pytest.mark.parametrize("rule", ["dp_se_bai", "adap_tt", "adap_tt_star"])
def test_bounds_on_samples_for_the_best_arm_hold_in_random_settings(rule):
    """The control: a hundred times the bound is above the mean of some."""
    rng, caught = np.random.default_rng(5), 0
    for _ in range(12):
        arms, eps = means(rng, 8), budget(rng)
        arms = [max(min(m, 0.999), 0.001) for m in arms]
        delta = float(10 ** rng.uniform(-4, -0.6))
        if sum(m == max(arms) for m in arms) > 1 or np.diff(np.sort(arms))[-1] < 1e-3:
            continue
        bound = azize2024.samples_lower_of_divergence(arms, eps, delta)
        assert azize2024.samples_lower(arms, eps, delta) <= bound * (1 + 1e-6)
        times = stopped(rule, rng, 20, env=dp.bernoulli(arms), eps=eps, delta=delta, cap=1e12)
        most = times.mean() + 5 * times.std(ddof=1) / math.sqrt(20)
        assert bound < most
        caught += 100 * bound > most
    assert caught

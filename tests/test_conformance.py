"""Every algorithm: rounds counted, compiled equal to plain, decisions and regret of the paper."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import references
from helpers import (
    HEAVY,
    LOCAL,
    NAMES,
    PRIVATE,
    SHORT,
    SIGMAS,
    arguments,
    bernoulli,
    defaults,
    eliminated,
    play,
    reference_arguments,
    table,
    without_noise,
)

from dpbandits.environments.populations import build_population
from dpbandits.environments.users import arrival
from dpbandits.mechanisms import laplace
from dpbandits.registry import ALGORITHMS, load
from dpbandits.seeds import ENVIRONMENT, LEARNER, generator

C2 = bernoulli(0.75, 0.625, 0.5, 0.375, 0.25)
GOLDEN = Path(__file__).parent / "golden.json"
HORIZONS = [1, 2, 4, 5, 6, 63, 64, 65, 1000]


def test_every_algorithm_has_a_configuration_and_a_reference():
    files = sorted(f.stem for f in ALGORITHMS.glob("*.py") if f.stem != "__init__")
    assert files == NAMES
    assert all(callable(getattr(references, name)) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_configuration(name):
    domains = load(ALGORITHMS / f"{name}.py").domains
    assert sorted(defaults(name)) == sorted(set(domains) - {"eps", "eps_min"})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("T", HORIZONS)
def test_every_round_is_played_and_recorded(name, T):
    all_played = {"prae_r": 9, "prae_c": math.inf}.get(name, 5)  # batches; arms at random
    for eps in (1e-3, 1.0, 1e3, without_noise(name)):
        for changes in ({}, SHORT[name]):
            every = np.arange(1, T + 1)
            pulls = play(name, C2, T, eps=eps, checkpoints=every, **changes)
            assert (pulls.sum(axis=1) == every).all()
            assert (np.diff(pulls, axis=0, prepend=0).sum(axis=1) == 1).all()
            assert (np.diff(pulls, axis=0) >= 0).all()
            assert (pulls[-1] >= 1).all() or T < all_played


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("eps", [1e-100, 1e-9, 1e9, 1e300])
def test_extreme_budgets_are_played(name, eps):
    """Nothing overflows into a wrong count, whatever the budget."""
    for T in (1, 2, 1000, 2**20):
        for changes in ({}, SHORT[name]):
            if name == "robust_ucb" or (name == "dpr_ucb" and T > 1000):
                continue
            assert play(name, PARETO, T, eps=eps, **changes)[-1].sum() == T


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "spec",
    [
        C2,
        {"law": "twopoint_heavy", "means": [0.7, 0.5], "v": 1.0, "g": 1.2},
        table(np.random.default_rng(5).random((700, 3))),
    ],
    ids=["bernoulli", "twopoint", "table"],
)
def test_compiled_equals_plain_python(name, spec):
    for eps in (0.3, without_noise(name)):
        for run in range(3):
            compiled = play(name, spec, 700, eps=eps, run=run, **SHORT[name])
            plain = play(name, spec, 700, eps=eps, run=run, plain=True, **SHORT[name])
            assert (compiled == plain).all()


PARETO = {"law": "pareto", "means": [0.9, 0.5, 0.1], "shape": 1.8}
STUDENT = {"law": "student", "means": [3, 1, 2], "scale": 0.5, "df": 2.5}
LAWS = {
    "pareto": PARETO,
    "student": STUDENT,
    "lognormal": {"law": "lognormal", "means": [0.1, 0.9, 0.5], "sigma": 1.5},
    "outliers": {
        "law": "contaminated",
        "inlier": PARETO,
        "alpha": 0.05,
        "outlier": {"law": "unseen", "k": 2},
        "relative": False,
    },
    "outlying laws": {
        "law": "contaminated",
        "inlier": STUDENT,
        "alpha": 0.1,
        "outlier": [
            {"law": "point_mass", "value": -30},
            {"law": "discrete", "values": [9, 5, 7], "probabilities": [0.2, 0.3, 0.5]},
            {"law": "gaussian", "mean": 5, "sd": 1},
        ],
        "relative": False,
    },
    "empirical": {"law": "empirical", "file": None, "columns": ["good", "bad"]},
}


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("law", LAWS)
def test_compiled_equals_plain_python_under_heavy_tails(name, law, tmp_path):
    """Blocks of truncated rewards and histograms, sums of noise and expired rewards."""
    spec = LAWS[law]
    if law == "empirical":
        spec = spec | {"file": str(tmp_path / "rewards.csv")}
        Path(spec["file"]).write_text("bad,good\n0,0.5\n-1,1\n0.25,9\n")
    for eps in (1.0, without_noise(name)):
        for run in range(2):
            compiled = play(name, spec, 1500, eps=eps, run=run, **SHORT[name])
            plain = play(name, spec, 1500, eps=eps, run=run, plain=True, **SHORT[name])
            assert (compiled == plain).all()


CROWDS = {
    "levels": {"kind": "levels", "levels": [0, 0.2, 1, 2, 100], "shares": None},
    "unequal": {"kind": "levels", "levels": [3, 0.5, 1], "shares": [0.2, 0.5, 0.3]},
    "normal": {"kind": "clipped_normal", "mean": 1.0, "sd": 1.0, "low": 0.0, "high": 100.0},
}
OF_MANY_LAWS = {
    "law": "mixed",
    "arms": [
        {"law": "bernoulli", "mean": 0.9},
        {"law": "beta", "a": 4, "b": 1},
        {"law": "beta", "a": 2, "b": 3},
        {"law": "discrete", "values": [0.1, 0.4, 1.0], "probabilities": [0.2, 0.3, 0.5]},
        {"law": "uniform", "low": 0.0, "high": 1.0},
    ],
}
GAUSSIAN = {"law": "gaussian", "means": [0.9, 0.1], "sd": 1.0, "sigmoid": False}


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("kind", CROWDS)
def test_compiled_equals_plain_python_in_a_crowd(name, kind):
    spec = GAUSSIAN if load(ALGORITHMS / f"{name}.py").rewards is None else OF_MANY_LAWS
    given = {"crowd": build_population(CROWDS[kind])}
    for eps_min in (0.2, 1.0):
        for run in range(3):
            compiled = play(name, spec, 700, run=run, eps_min=eps_min, **given)
            plain = play(name, spec, 700, run=run, eps_min=eps_min, plain=True, **given)
            assert (compiled == plain).all()
            assert (compiled[-1] > 0).all()


def reference_plays(name, reward, K, T, noise, eps, uniform):
    """The arms that the reference plays; users of a local algorithm all have the level eps."""
    values = {p: 1 / T if v == "1/horizon" else v for p, v in defaults(name).items()}
    if name in LOCAL:
        values |= {"eps_min": eps, "level": lambda t: eps, "uniform": uniform}
    elif name in PRIVATE:
        values["eps"] = eps
    return getattr(references, name)(reward, K, T, noise, **values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["continuous", "dyadic"])
def test_without_noise_every_decision_is_the_paper_s(name, kind):
    """On fixed rewards and with eps infinite an algorithm is deterministic: round by round the
    arms are those of the slow reference, ties included (dyadic rewards make ties). Of a local
    algorithm, whose users have finite levels, the reference draws what the kernel draws."""
    rng = np.random.default_rng(11)
    K, T, eps = 4, 1500, without_noise(name)
    for trial in range(3):
        means = np.linspace(0.9, 0.9 - 0.2 * (trial + 1), K)
        if kind == "continuous":
            rewards = np.clip(means + rng.uniform(-0.1, 0.1, (T, K)), 0, 1)
        else:
            rewards = (rng.random((T, K)) < means).astype(float)
        coins = generator(0, 0, LEARNER)
        plays = reference_plays(
            name,
            references.table_reward(rewards),
            K,
            T,
            lambda scale, coins=coins: laplace(coins, scale) if math.isfinite(eps) else 0.0,
            eps,
            coins.random,
        )
        expected = np.cumsum(np.eye(K, dtype=int)[plays], axis=0)
        every = np.arange(1, T + 1)
        assert (play(name, table(rewards), T, eps=eps, checkpoints=every) == expected).all()


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("eps_min", [0.2, 1.5])
def test_in_a_crowd_every_decision_is_the_paper_s(name, eps_min):
    """With noise, compiled: the reference draws its users and its noise as the kernel does."""
    K, T = 4, 4000
    crowd = build_population(CROWDS["normal"])
    rewards = np.linspace(0.8, 0.2, K) + np.random.default_rng(6).uniform(-0.2, 0.2, (T, K))
    coins, learner, users = generator(0, 0, ENVIRONMENT), generator(0, 0, LEARNER), crowd.users()
    plays = getattr(references, name)(
        references.table_reward(rewards),
        K,
        T,
        lambda scale: laplace(learner, scale),
        eps_min,
        lambda t: users.level[arrival(users, coins)],
        learner.random,
    )
    expected = np.cumsum(np.eye(K, dtype=int)[plays], axis=0)
    every = np.arange(1, T + 1)
    given = {"checkpoints": every, "crowd": crowd, "eps_min": eps_min}
    assert (play(name, table(rewards), T, **given) == expected).all()
    other = play(name, table(rewards), T, seed=1, **given)  # control: other noise, other rounds
    assert (other != expected).any()


def mean_and_error(samples):
    samples = np.asarray(samples, dtype=float)
    return samples.mean(), samples.std(ddof=1) / math.sqrt(len(samples))


def apart(first, second):
    """How many standard errors lie between the means of two samples."""
    (a, da), (b, db) = mean_and_error(first), mean_and_error(second)
    return abs(a - b) / math.hypot(da, db)


# Settings in which elimination, bonus and noise all matter: means, eps, horizon, and the runs of
# the reference.
DEFAULT = ([0.9, 0.6, 0.3], 2, 2000, 80)
STATISTICAL = {
    "ucb": ([0.9, 0.6, 0.3], 1, 300, 150),
    "kl_ucb": ([0.9, 0.6, 0.3], 1, 300, 150),
    "dp_ucb": ([0.9, 0.6, 0.3], 8, 1000, 40),
    "dp_ucb_bound": ([0.9, 0.6, 0.3], 8, 1000, 40),
    "dp_se": ([0.9, 0.75, 0.6], 0.5, 8000, 60),
    "adap_ucb": ([0.9, 0.6, 0.3], 8, 1000, 150),
    "adap_klucb": ([0.9, 0.6, 0.3], 8, 1000, 150),
    "heldp_ucb_ls": ([0.9, 0.6, 0.3], 4, 4000, 60),
    "heldp_ucb_bs": ([0.9, 0.6, 0.3], 2, 4000, 60),
}


def regrets(name, means, eps, T, runs):
    pulls = [play(name, bernoulli(*means), T, eps=eps, seed=3, run=r)[-1] for r in range(runs)]
    return np.array(pulls) @ (max(means) - np.array(means))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_mean_regret_is_the_reference_s(name):
    """Independent random numbers, the same law: mean and spread of the regret agree."""
    means, eps, T, runs = STATISTICAL.get(name, DEFAULT)
    rng = np.random.default_rng(17)
    slow = []
    for _ in range(runs):
        reward = references.bernoulli_reward(means, rng)
        plays = reference_plays(
            name, reward, len(means), T, lambda b: rng.laplace(0, b), eps, rng.random
        )
        slow.append(sum(max(means) - means[a] for a in plays))
    fast = regrets(name, means, eps, T, 2000)
    assert apart(slow, fast) < SIGMAS
    # control: another budget or (not private) a regret of half as much again is told apart
    other = regrets(name, means, eps / 10, T, 2000) if name in PRIVATE else 1.5 * fast
    assert apart(slow, other) > SIGMAS


def golden_counts():
    return {name: play(name, C2, 100_000, seed=42)[-1].tolist() for name in NAMES}


def test_golden_counts():
    """Pulls of seeded runs: a change of results is a decision (make_golden.py), not an accident."""
    assert golden_counts() == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("name", PRIVATE)
def test_less_privacy_costs_less(name):
    T = 200_000
    loose, tight = (
        np.mean([play(name, C2, T, eps=e, run=r)[-1] @ [0, 1, 2, 3, 4] for r in range(10)])
        for e in (10.0, 0.05)
    )
    assert loose < tight


@pytest.mark.parametrize("name", ["dp_se", "adap_ucb", "adap_klucb"])
def test_episodic_algorithms_play_a_trillion_rounds(name):
    pulls = play(name, C2, 10**12, checkpoints=np.array([10**6, 10**12]))
    assert pulls.sum(axis=1).tolist() == [10**6, 10**12]
    assert pulls[-1].argmax() == 0


def test_split_budget_of_dp_ucb_has_k_times_the_noise():
    whole, split = (
        np.std([play("dp_ucb", C2, 3000, eps=0.5, run=r, tree_budget=b)[-1, 0] for r in range(300)])
        for b in ("whole", "split")
    )
    assert split > 2 * whole
    assert arguments("dp_ucb", 1.0, 10, tree_budget="split")[-1] == 1.0

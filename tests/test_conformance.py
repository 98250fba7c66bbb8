"""Every algorithm: rounds counted, compiled equal to plain, decisions and regret of the paper."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import references
from helpers import NAMES, PRIVATE, SIGMAS, arguments, bernoulli, defaults, play, table

from dpbandits.registry import ALGORITHMS, load

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
    assert sorted(defaults(name)) == sorted(p for p in domains if p != "eps")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("T", HORIZONS)
def test_every_round_is_played_and_recorded(name, T):
    for eps in (1e-3, 1.0, 1e3, math.inf):
        every = np.arange(1, T + 1)
        pulls = play(name, C2, T, eps=eps, checkpoints=every)
        assert (pulls.sum(axis=1) == every).all()
        assert (np.diff(pulls, axis=0, prepend=0).sum(axis=1) == 1).all()
        assert (np.diff(pulls, axis=0) >= 0).all()
        assert (pulls[-1] >= 1).all() or T < 5


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
    for eps in (0.3, math.inf):
        for run in range(3):
            compiled = play(name, spec, 700, eps=eps, run=run)
            assert (compiled == play(name, spec, 700, eps=eps, run=run, plain=True)).all()


def reference_plays(name, reward, K, T, noise, eps):
    values = {p: 1 / T if v == "1/horizon" else v for p, v in defaults(name).items()}
    if name in PRIVATE:
        values["eps"] = eps
    return getattr(references, name)(reward, K, T, noise, **values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["continuous", "dyadic"])
def test_without_noise_every_decision_is_the_paper_s(name, kind):
    """On fixed rewards and with eps infinite an algorithm is deterministic: round by round the
    arms are those of the slow reference, ties included (dyadic rewards make ties)."""
    rng = np.random.default_rng(11)
    K, T = 4, 1500
    for trial in range(3):
        means = np.linspace(0.9, 0.9 - 0.2 * (trial + 1), K)
        if kind == "continuous":
            rewards = np.clip(means + rng.uniform(-0.1, 0.1, (T, K)), 0, 1)
        else:
            rewards = (rng.random((T, K)) < means).astype(float)
        plays = reference_plays(
            name, references.table_reward(rewards), K, T, lambda scale: 0.0, math.inf
        )
        expected = np.cumsum(np.eye(K, dtype=int)[plays], axis=0)
        every = np.arange(1, T + 1)
        assert (play(name, table(rewards), T, eps=math.inf, checkpoints=every) == expected).all()


def mean_and_error(samples):
    samples = np.asarray(samples, dtype=float)
    return samples.mean(), samples.std(ddof=1) / math.sqrt(len(samples))


def apart(first, second):
    """How many standard errors lie between the means of two samples."""
    (a, da), (b, db) = mean_and_error(first), mean_and_error(second)
    return abs(a - b) / math.hypot(da, db)


# Settings in which elimination, bonus and noise all matter: means, eps, horizon, and the runs of
# the reference.
STATISTICAL = {
    "ucb": ([0.9, 0.6, 0.3], 1, 300, 150),
    "kl_ucb": ([0.9, 0.6, 0.3], 1, 300, 150),
    "dp_ucb": ([0.9, 0.6, 0.3], 8, 1000, 40),
    "dp_ucb_bound": ([0.9, 0.6, 0.3], 8, 1000, 40),
    "dp_se": ([0.9, 0.75, 0.6], 0.5, 8000, 60),
    "adap_ucb": ([0.9, 0.6, 0.3], 8, 1000, 150),
    "adap_klucb": ([0.9, 0.6, 0.3], 8, 1000, 150),
}


def regrets(name, means, eps, T, runs):
    pulls = [play(name, bernoulli(*means), T, eps=eps, seed=3, run=r)[-1] for r in range(runs)]
    return np.array(pulls) @ (max(means) - np.array(means))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_mean_regret_is_the_reference_s(name):
    """Independent random numbers, the same law: mean and spread of the regret agree."""
    means, eps, T, runs = STATISTICAL[name]
    rng = np.random.default_rng(17)
    slow = []
    for _ in range(runs):
        reward = references.bernoulli_reward(means, rng)
        plays = reference_plays(name, reward, len(means), T, lambda b: rng.laplace(0, b), eps)
        slow.append(sum(max(means) - means[a] for a in plays))
    fast = regrets(name, means, eps, T, 4000)
    assert apart(slow, fast) < SIGMAS
    # control: another budget or (not private) a regret of half as much again is told apart
    other = regrets(name, means, eps / 10, T, 4000) if name in PRIVATE else 1.5 * fast
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

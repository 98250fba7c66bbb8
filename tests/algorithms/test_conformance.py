"""Every algorithm: rounds counted, compiled equal to plain, decisions and regret of the paper."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import references
from helpers import (
    EVERY,
    GAUSSIAN_NOISE,
    GOLDEN,
    HEAVY,
    LOCAL,
    NAMES,
    NASH,
    PRIVATE,
    SHORT,
    SIGMAS,
    SIGNS,
    SUMS,
    THOMPSON,
    algorithm,
    bernoulli,
    contaminated,
    defaults,
    eliminated,
    play,
    reference_arguments,
    table,
    without_noise,
)
from in_law import apart, apart_in_sizes
from make_golden import C2, PARETO, golden_counts
from scipy.special import rel_entr
from tiers import every, first

from dpbandits.contracts.algorithm import HOMES
from dpbandits.contracts.parameters import BUDGETS
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import build_population
from dpbandits.environments.users import arrival
from dpbandits.parts.means import largest_draw
from dpbandits.parts.noise.mechanisms import laplace
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator

ELIMINATING = ("dp_se", "dpr_se", "ldpr_se", "prae_c", "prae_r")
BOTH = {name: [{}, SHORT[name]] if SHORT[name] else [{}] for name in NAMES}
HORIZONS = [1, 2, 4, 5, 6, 63, 64, 65, 1000]


def test_every_algorithm_has_a_configuration_and_a_reference():
    files = sorted(f.stem for f in HOMES["algo"].glob("*.py") if f.stem != "__init__")
    assert files == EVERY
    assert all(callable(getattr(references, name)) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_configuration(name):
    domains = algorithm(name).domains
    assert sorted(defaults(name)) == sorted(set(domains) - {*BUDGETS, "eps_min"})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("T", HORIZONS)
def test_every_round_is_played_and_recorded(name, T):
    # batches; at random; arms that are explored one after the other
    late = {"prae_r": 9} | dict.fromkeys(("prae_c", "ts", *NASH), math.inf)
    late |= dict.fromkeys(SIGNS, 200)
    all_played = late.get(name, 5)
    for eps in (1e-3, 1.0, 1e3, without_noise(name)):
        for changes in BOTH[name]:
            every = np.arange(1, T + 1)
            pulls = play(name, C2, T, eps=eps, checkpoints=every, **changes)
            assert (pulls.sum(axis=1) == every).all()
            assert (np.diff(pulls, axis=0, prepend=0).sum(axis=1) == 1).all()
            assert (np.diff(pulls, axis=0) >= 0).all()
            assert (pulls[-1] >= 1).all() or all_played > T


@pytest.mark.parametrize("name", sorted(set(HEAVY) & set(PRIVATE)))
@pytest.mark.parametrize("eps", [1e-100, 1e-9, 1e9, 1e300])
def test_extreme_budgets_are_played(name, eps):
    """Planned lengths from 1 round to more than any number, levels and noises to match."""
    for T in (1, 2, 1000, 2**17):
        for changes in BOTH[name]:
            assert play(name, PARETO, T, eps=eps, **changes)[-1].sum() == T


def compiled_as_plain(name, spec, T, **given):
    """The pulls of a compiled run, which must be those of plain Python."""
    compiled = play(name, spec, T, **given)
    assert (compiled == play(name, spec, T, plain=True, **given)).all()
    return compiled


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
            compiled_as_plain(name, spec, 700, eps=eps, run=run, **SHORT[name])


STUDENT = {"law": "student", "means": [2.5, 0, 1], "scale": 0.5, "df": 2.5}
LAWS = {
    "pareto": PARETO,
    "student": STUDENT,
    "lognormal": {"law": "lognormal", "means": [0.1, 0.9, 0.5], "sigma": 1.5},
    "outliers": contaminated(PARETO, 0.1, {"law": "unseen", "k": 2}),
    "outlying laws": contaminated(
        STUDENT,
        0.1,
        [
            {"law": "point_mass", "value": -30},
            {"law": "discrete", "values": [9, 5, 7], "probabilities": [0.2, 0.3, 0.5]},
            {"law": "gaussian", "mean": 5, "sd": 1},
        ],
    ),
    "empirical": {"law": "empirical", "file": None, "columns": ["good", "bad"]},
}


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("law", first(LAWS))
def test_compiled_equals_plain_python_under_heavy_tails(name, law, tmp_path):
    """Blocks of truncated rewards and histograms, sums of noise, rewards that expire."""
    spec, every = LAWS[law], np.arange(1, 6001)
    if law == "empirical":
        spec = spec | {"file": str(tmp_path / "rewards.csv")}
        Path(spec["file"]).write_text("bad,good\n0,0.5\n-1,1\n0.25,9\n")
    for eps in (4.0, without_noise(name)):
        given = {"eps": eps, "checkpoints": every} | SHORT[name]
        compiled = compiled_as_plain(name, spec, 6000, **given)
        if law == "student" and name in ELIMINATING:
            assert eliminated(arms_of(compiled), 3)


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
    spec = GAUSSIAN if algorithm(name).rewards is None else OF_MANY_LAWS
    given = {"population": build_population(CROWDS[kind])}
    for eps_min in (0.2, 1.0):
        for run in range(3):
            compiled = compiled_as_plain(name, spec, 700, run=run, eps_min=eps_min, **given)
            assert (compiled[-1] > 0).all()


def reference_plays(name, spec, reward, T, noise, eps, rng, **changes):
    """The arms that the reference plays; users of a local algorithm all have the level eps."""
    values = reference_arguments(name, eps, T, spec, **changes)
    if name in LOCAL:
        values |= {"level": lambda t: eps}
    if name in (*LOCAL, *SIGNS, *SUMS, *NASH) or name == "ts" or "forced" in values:
        values |= {"uniform": rng.random}
    if name in THOMPSON:
        values |= {"draw_beta": rng.beta}
    K = len(build(spec).means)
    return getattr(references, name)(reward, K, T, noise, **values)


def fixed_rewards(kind, means, T, rng):
    if kind == "dyadic":  # ties
        return (rng.random((T, len(means))) < means).astype(float)
    rewards = means + rng.uniform(-0.1, 0.1, (T, len(means)))
    if kind == "continuous":
        return np.clip(rewards, 0, 1)
    outliers = rng.choice([-64.0, -1.0, 4.0, 16.0], rewards.shape)
    return np.where(rng.random(rewards.shape) < 0.04, outliers, np.round(4 * rewards, 1))


@pytest.mark.parametrize(
    ("name", "kind"),
    every(3, [(name, kind) for name in NAMES for kind in ("continuous", "dyadic")])
    + every(4, [(name, "outliers") for name in HEAVY]),
)
def test_without_noise_every_decision_is_the_paper_s(name, kind, monkeypatch):
    """On fixed rewards and with eps infinite an algorithm is deterministic: round by round the
    arms are those of the slow reference, ties included (dyadic rewards make ties). Where posteriors
    are drawn, the reference draws what the kernel draws; so it does of a local algorithm, whose
    users have finite levels, and in a forced phase."""
    if name in THOMPSON:  # which draws in every round only in plain Python, and without bounds
        monkeypatch.setattr(largest_draw, "OFTEN", -1.0)
    rng = np.random.default_rng(11)
    K, T, eps = 4, 10_000 if name.startswith("prae") else 1500, without_noise(name)
    changes = SHORT[name]
    if kind == "outliers" and name.startswith("prae"):
        changes = changes | {"alpha1": 0.1}
    for trial in range(3):
        means = np.linspace(0.9, 0.9 - 0.2 * (trial + 1), K)
        rewards = fixed_rewards(kind, means, T, rng)
        env_rng = generator(0, 0, LEARNER)
        plays = reference_plays(
            name,
            table(rewards),
            references.table_reward(rewards.tolist()),
            T,
            lambda scale, env_rng=env_rng: laplace(env_rng, scale),
            eps,
            env_rng,
            **changes,
        )
        if trial == 2 and name in ELIMINATING and name in HEAVY:
            assert eliminated(plays, K)
        given = {"eps": eps, "checkpoints": np.arange(1, T + 1)} | changes
        given |= {"plain": name in THOMPSON}
        assert (arms_of(play(name, table(rewards), T, **given)) == plays).all()


def ucb_index(mean, N, log_t):
    return mean + np.sqrt(2 * log_t / N)


def kl_ucb_index(mean, N, log_t):
    """By bisection: the largest q with N kl(mean, q) <= ln t."""
    low, high = mean, np.ones_like(mean)
    for _ in range(45):
        q = (low + high) / 2
        inside = N * (rel_entr(mean, q) + rel_entr(1 - mean, 1 - q)) <= log_t
        low, high = np.where(inside, q, low), np.where(inside, high, q)
    return low


@pytest.mark.slow
@pytest.mark.parametrize(("name", "index"), [("ucb", ucb_index), ("kl_ucb", kl_ucb_index)])
def test_every_round_of_a_long_game_has_an_arm_of_largest_index(name, index):
    """Longer than the reference can play: the index of every arm before each round, from the arms
    that were played; up to rounding, so that ties are not looked at."""
    K, T = 4, 10**5
    means = np.array([0.55, 0.5, 0.5, 0.4])
    rewards = (np.random.default_rng(5).random((T, K)) < means).astype(float)
    arms = arms_of(play(name, table(rewards), T, checkpoints=np.arange(1, T + 1)))
    played = np.eye(K)[arms]
    N, S = (np.cumsum(x, axis=0)[K - 1 : -1] for x in (played, played * rewards))
    found = index(S / N, N, np.log(np.arange(K + 1, T + 1))[:, np.newaxis])

    def largest(arms):
        return found[np.arange(T - K), arms] > found.max(axis=1) - 1e-9

    assert largest(arms[K:]).all()
    late = slice(T // 2, None)
    assert not largest(arms[K - 1 : -1])[late].all()  # control: the arm of the round before


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("eps_min", [0.2, 1.5])
def test_in_a_crowd_every_decision_is_the_paper_s(name, eps_min):
    """With noise, compiled: the reference draws its users and its noise as the kernel does."""
    K, T = 4, 4000
    crowd = build_population(CROWDS["normal"])
    rewards = np.linspace(0.8, 0.2, K) + np.random.default_rng(6).uniform(-0.2, 0.2, (T, K))
    env_rng, learner, users = generator(0, 0, ENVIRONMENT), generator(0, 0, LEARNER), crowd.users()
    plays = getattr(references, name)(
        references.table_reward(rewards),
        K,
        T,
        lambda scale: laplace(learner, scale),
        eps_min,
        lambda t: users.level[arrival(users, env_rng)],
        learner.random,
    )
    given = {"checkpoints": np.arange(1, T + 1), "population": crowd, "eps_min": eps_min}
    assert (arms_of(play(name, table(rewards), T, **given)) == plays).all()
    other = play(name, table(rewards), T, seed=1, **given)  # control: other noise, other rounds
    assert (arms_of(other) != plays).any()


def arms_of(pulls):
    """The arm of each round from the pulls up to each round."""
    return np.diff(pulls, axis=0, prepend=0).argmax(axis=1)


def foul(*means):
    inlier = {"law": "student", "means": list(means), "scale": 0.5, "df": 2.5}
    return contaminated(inlier, 0.1, [-30, 2, 3])


# Settings in which elimination, bonus and noise all matter: environment, eps, horizon, the runs of
# the reference, and changes of parameters.
NINE_SIX_THREE = bernoulli(0.9, 0.6, 0.3)
HEAVY_NINE = {"law": "pareto", "means": [0.9, 0.6, 0.3], "shape": 1.8}
DEFAULT = (NINE_SIX_THREE, 2, 2000, 80, {})
OF_HU_AND_HEGDE = "lazy_dp_ts", "dp_ts", "anytime_lazy_ucb"
STATISTICAL = {
    "ucb": (NINE_SIX_THREE, 1, 300, 150, {}),
    "kl_ucb": (NINE_SIX_THREE, 1, 300, 150, {}),
    "dp_ucb": (NINE_SIX_THREE, 8, 1000, 40, {}),
    "dp_ucb_bound": (NINE_SIX_THREE, 8, 1000, 40, {}),
    "dp_se": (bernoulli(0.9, 0.75, 0.6), 0.5, 8000, 60, {}),
    "adap_ucb": (NINE_SIX_THREE, 8, 1000, 150, {}),
    "adap_klucb": (NINE_SIX_THREE, 8, 1000, 150, {}),
    "ts": (NINE_SIX_THREE, 1, 300, 200, {}),
    "heldp_ucb_ls": (NINE_SIX_THREE, 4, 4000, 60, {}),
    "heldp_ucb_bs": (NINE_SIX_THREE, 2, 4000, 60, {}),
    "robust_ucb": (HEAVY_NINE, 1, 500, 100, {"u": 0.5, "v": 0.7}),
    "dpr_ucb": (HEAVY_NINE, 60, 1000, 150, {"c": 0.3}),
    "dpr_se": (HEAVY_NINE, 2, 3000, 150, {"c": 1, "u": 0.7}),
    "ldpr_se": (HEAVY_NINE, 8, 3000, 200, {"c": 0.5, "u": 0.5}),
    "ncb": (NINE_SIX_THREE, 1, 500, 150, {"c": 1}),
    "gdp_ncb": (NINE_SIX_THREE, 8, 2000, 100, {"c": 0.5}),
    "ldp_ncb": (NINE_SIX_THREE, 8, 2000, 60, {"c": 0.5, "alpha": 1}),
    "prae_r": (foul(2, 1, 0), 0.5, 8000, 100, {"alpha1": 0.1}),
    "prae_c": (foul(3, 1.5, 0), 0.2, 8000, 150, {"alpha1": 0.1} | SHORT["prae_c"]),
}


def drawn_reward(spec, rng):
    """Rewards of an environment, from the definition of its law."""
    if spec["law"] == "bernoulli":
        return references.bernoulli_reward(spec["means"], rng)
    if spec["law"] == "contaminated":
        clean = drawn_reward(spec["inlier"], rng)
        return lambda a, t: spec["outlier"][a] if rng.random() < spec["alpha"] else clean(a, t)
    if spec["law"] == "student":
        return lambda a, t: spec["means"][a] + spec["scale"] * rng.standard_t(spec["df"])
    if spec["law"] == "mixed":
        draws = {
            "bernoulli": lambda arm: float(rng.random() < arm["mean"]),
            "beta": lambda arm: rng.beta(arm["a"], arm["b"]),
            "discrete": lambda arm: rng.choice(arm["values"], p=arm["probabilities"]),
            "uniform": lambda arm: rng.uniform(arm["low"], arm["high"]),
        }
        return lambda a, t: draws[spec["arms"][a]["law"]](spec["arms"][a])
    assert spec["law"] == "pareto"
    s = spec["shape"]  # rng.pareto draws how much more than 1 a Pareto variable of scale 1 is
    return lambda a, t: spec["means"][a] * (s - 1) / s * (1 + rng.pareto(s))


def pulls_of_runs(name, spec, eps, T, runs=600, seed=4, **changes):
    """The pulls of each arm in some runs, int array (runs, K)."""
    found = [play(name, spec, T, eps=eps, seed=seed, run=r, **changes)[-1] for r in range(runs)]
    return np.array(found)


def slow_plays(name, spec, eps, T, runs, **changes):
    """The arms that the reference plays in each of some runs with noise of its own."""
    rng = np.random.default_rng(17)
    noise = {
        "dist_dp_se": lambda _, b: references.discrete_laplace(b, rng),
        "dist_rdp_se": lambda _, b: references.skellam(b, rng),
    }.get(name, rng.normal if name in GAUSSIAN_NOISE else rng.laplace)
    for _ in range(runs):
        reward = drawn_reward(spec, rng)
        yield reference_plays(name, spec, reward, T, lambda b: noise(0, b), eps, rng, **changes)


# Games of some algorithms in which the noise matters little and much, by their tier: budget, arms,
# horizon and parameters; and by what the budget is multiplied in a control, from which budget on
FIVE_ARMS = bernoulli(0.75, 0.625, 0.5, 0.375, 0.25)
OF_BUDGETS = {
    ("adac_ucb", "adar_ucb"): (
        "slow",
        [
            (0.05, NINE_SIX_THREE, 500, {"beta": 1}),
            (0.3, bernoulli(0.5, 0.9), 800, {"beta": 3.1}),
            (1.0, FIVE_ARMS, 1000, {"beta": 1}),
            (5.0, bernoulli(0.8, 0.1, 0.7), 700, {"beta": 2}),
        ],
        (1 / 30, 0.0),
    ),
    OF_HU_AND_HEGDE: (
        "long",
        [
            (0.05, NINE_SIX_THREE, 500, {}),
            (0.3, bernoulli(0.5, 0.9), 800, {"log": "base2"}),
            (1.0, FIVE_ARMS, 1000, {}),
            (5.0, bernoulli(0.8, 0.1, 0.7), 700, {}),
        ],
        (30, 5.0),  # at small budgets and horizons every arm looks as good
    ),
    SUMS: (
        "slow",
        [
            (0.05, NINE_SIX_THREE, 3000, {"p": 0.1}),
            (0.3, OF_MANY_LAWS, 2500, {"p": 0.5, "batches": "quadrupled"}),  # encoded at random
            (1.0, FIVE_ARMS, 2500, {"p": 1.0}),
            (5.0, bernoulli(0.8, 0.1, 0.7), 2000, {}),
        ],
        (1 / 4, 0.3),
    ),
    ("dp_klucb", "dp_imed"): (
        "long",
        [
            (0.05, bernoulli(0.9, 0.2), 2000, {}),
            (0.3, bernoulli(0.6, 0.5, 0.1), 1000, {"alpha": 1.5}),
            (1.0, FIVE_ARMS, 1500, {}),
            (5.0, bernoulli(0.3, 0.5), 600, {"alpha": 3.0}),
            (0.4, bernoulli(0.5, 0.8, 0.6), 800, {"first": 4.0}),
        ],
        (1 / 10, 0.0),
    ),
}
GAMES = [
    pytest.param(name, *game, control, marks=getattr(pytest.mark, tier))
    for names, (tier, games, control) in OF_BUDGETS.items()
    for name in names
    for game in games
]


@pytest.mark.parametrize(("name", "eps", "spec", "T", "changes", "control"), GAMES)
def test_mean_pulls_are_the_reference_s(name, eps, spec, T, changes, control):
    """Independent random numbers, the same law; the control is another budget."""
    changes, (factor, least) = changes | ({"order": 4} if name == "adar_ucb" else {}), control
    K = len(build(spec).means)
    slow = [np.bincount(x, minlength=K) for x in slow_plays(name, spec, eps, T, 150, **changes)]

    right, wrong = (pulls_of_runs(name, spec, x * eps, T, **changes) for x in (1, factor))
    assert apart_in_sizes(slow, right) < SIGMAS
    assert eps < least or apart_in_sizes(slow, wrong) > SIGMAS


OF_SIGNS = [
    (0.05, (0.9, 0.3), 1500, 0.05),
    (0.3, (0.9, 0.6, 0.3), 2000, 0.1),
    (1.0, (0.3, 0.9), 1500, 0.0),
    (5.0, (0.2, 0.9, 0.5), 1500, 0.2),
]


@pytest.mark.long
@pytest.mark.parametrize(("eps", "means", "T", "alpha"), OF_SIGNS)
@pytest.mark.parametrize("name", SIGNS)
def test_mean_pulls_under_an_adversary_are_the_reference_s(name, eps, means, T, alpha):
    """Outliers that know the truncation level, in place of rewards and of reports."""
    stage = "rewards" if name == "ctl_ucb" else "reports"
    clean, K = {"law": "pareto", "means": list(means), "shape": 3}, len(means)
    foul = contaminated(clean, alpha, {"law": "largest", "k": 2}, stage=stage)
    rng, changes = np.random.default_rng(8), {"alpha1": alpha}
    values = reference_arguments(name, eps, T, clean, **changes)
    slow = []
    for _ in range(120):
        reward = drawn_reward(clean, rng)
        outliers = {"uniform": rng.random, "is_outlier": lambda: rng.random() < alpha}
        plays = getattr(references, name)(reward, K, T, None, **values, **outliers)
        slow.append(np.bincount(plays, minlength=K))

    assert apart(slow, pulls_of_runs(name, foul, eps, T, **changes)) < SIGMAS
    if eps == 0.3:  # the control: another budget
        assert apart(slow, pulls_of_runs(name, foul, 10 * eps, T, **changes)) > SIGMAS


# Those whose pulls are compared with the reference's above
COMPARED = {*SIGNS, *(name for names in OF_BUDGETS for name in names)}


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name not in COMPARED])
def test_mean_regret_is_the_reference_s(name):
    """Independent random numbers, the same law: mean and spread of the regret agree."""
    spec, eps, T, runs, changes = STATISTICAL.get(name, DEFAULT)
    gaps = build(spec).gaps
    slow = [gaps[plays].sum() for plays in slow_plays(name, spec, eps, T, runs, **changes)]
    fast = pulls_of_runs(name, spec, eps, T, seed=3, **changes) @ gaps
    assert apart(slow, fast) < SIGMAS
    # control: another budget or (not private) a regret of half as much again is told apart
    other = 1.5 * fast
    if name in PRIVATE:
        other = pulls_of_runs(name, spec, eps / 10, T, seed=3, **changes) @ gaps
    assert apart(slow, other) > SIGMAS


@pytest.mark.long
def test_golden_counts():
    """Pulls of seeded runs: a change of results is a decision (make_golden.py), not an accident."""
    assert golden_counts() == json.loads(GOLDEN.read_text())


OTHERS = ("adap_ucb", "adap_klucb", "dp_klucb", "dp_imed", "anytime_lazy_ucb", *GAUSSIAN_NOISE)


@pytest.mark.parametrize("name", [*ELIMINATING, *OTHERS, *SUMS])
def test_episodic_algorithms_play_a_trillion_rounds(name):
    pulls = play(name, C2, 10**12, checkpoints=np.array([10**6, 10**12]), **SHORT[name])
    assert pulls.sum(axis=1).tolist() == [10**6, 10**12]
    assert pulls[-1].argmax() == 0

"""Let the slow references of tests/oracles play the games of the conformance table."""

import inspect
import itertools
import math
from dataclasses import replace
from functools import cache

import greedy_references
import helpers
import identification_references
import linear_references
import naive
import numpy as np
import oracle_references
import private_references
import references
import stopping_references
from conformance import ROWS, Game
from helpers import (
    GAUSSIAN_NOISE,
    RULES,
    THOMPSON,
    algorithm,
    arguments,
    play,
    records,
    reference_arguments,
    table,
    without_noise,
)

from dpbandits.contracts.question import ARMS, BEST_ARM, FEATURES, STOPPING
from dpbandits.environments.catalogue import build
from dpbandits.parts.linear.design import d_optimal
from dpbandits.parts.means import largest_draw
from dpbandits.parts.noise.mechanisms import laplace
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator
from dpbandits.stopping.sparse_vector import first_above

ORACLES = (
    references, linear_references, private_references, greedy_references, oracle_references,
    stopping_references, identification_references,
)  # fmt: skip


@cache
def reference(name):
    """Return the reference of an algorithm or a rule, or None if there is none."""
    homes = ORACLES[-2:] if name in RULES else ORACLES[:-2]
    return next((getattr(x, name) for x in homes if hasattr(x, name)), None)


# Arms


def reference_plays(name, reward, K, T, noise, values, **drawn):
    """Return the arms that the reference plays. Its arguments are the values of the parameters and,
    if its signature has them, functions for uniform numbers, Beta draws, users' levels and
    outliers.
    """
    function = reference(name)
    taken = inspect.signature(function).parameters
    asked = {key: draw for key, draw in drawn.items() if key in taken}
    return function(reward, K, T, noise, **values, **asked)


def drawn_by(rng, eps):
    """Return these functions for references, if all users have the level eps."""
    return {"uniform": rng.random, "draw_beta": rng.beta, "level": lambda t: eps}


def drawn_reward(spec, rng):
    """Return a function that draws rewards of an environment by the definition of its law."""
    if spec["law"] == "bernoulli":
        return references.bernoulli_reward(spec["means"], rng)
    if spec["law"] == "contaminated":
        clean = drawn_reward(spec["inlier"], rng)
        if isinstance(spec["outlier"], dict):  # it depends on the algorithm
            return clean
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
    if spec["law"] == "sign":
        return lambda a, t: 1.0 if rng.random() < (1 + spec["mean"]) / 2 else -1.0
    assert spec["law"] == "pareto"
    s = spec["shape"]  # rng.pareto draws a Pareto variable of scale 1, minus 1
    return lambda a, t: spec["means"][a] * (s - 1) / s * (1 + rng.pareto(s))


def noise_of(name, rng, own):
    """Return a function of a scale that draws the noise that an algorithm adds."""
    if name in GAUSSIAN_NOISE:
        return lambda b: rng.normal(0, b)
    if own.get("trust") == "server":
        return lambda b: rng.normal(0, b)
    integers = {
        "dist_dp_se": references.discrete_laplace, "dist_rdp_se": references.skellam,
        "shuffle_se": lambda b, rng: rng.binomial(round(4 * b * b), 0.5) - 2 * b * b,
    }  # fmt: skip
    return (lambda b: integers[name](b, rng)) if name in integers else lambda b: rng.laplace(0, b)


def slow_pulls_of_arms(name, game, rng):
    K, spec = len(build(game.spec).means), game.spec
    values = reference_arguments(name, game.eps, game.T, spec, **game.own)
    drawn = drawn_by(rng, game.eps)
    if spec["law"] == "contaminated":
        drawn |= {"is_outlier": lambda: rng.random() < spec["alpha"]}
    noise = noise_of(name, rng, game.own)
    for _ in range(game.runs):
        reward = drawn_reward(spec, rng)
        plays = reference_plays(name, reward, K, game.T, noise, values, **drawn)
        yield np.bincount(plays, minlength=K)


def pulls_of_loop(name, game):
    """Return the pulls of each arm by the naive loop of the benchmarks."""
    means, play = np.array(game.spec["means"]), getattr(naive, name)
    numbers = arguments(name, game.eps, game.T, build(game.spec), **game.own)
    rngs = (generator(1, run, ENVIRONMENT) for run in range(game.of_package))
    return np.array([play(rng, means, game.T, *numbers) for rng in rngs])


def fixed_rewards(kind, means, T, rng):
    if kind == "dyadic":  # ties
        return (rng.random((T, len(means))) < means).astype(float)
    rewards = means + rng.uniform(-0.1, 0.1, (T, len(means)))
    if kind == "continuous":
        return np.clip(rewards, 0, 1)
    outliers = rng.choice([-64.0, -1.0, 4.0, 16.0], rewards.shape)
    return np.where(rng.random(rewards.shape) < 0.04, outliers, np.round(4 * rewards, 1))


def arms_of(pulls):
    """Return the arm of each round, computed from the pulls up to each round."""
    return np.diff(pulls, axis=0, prepend=0).argmax(axis=1)


def on_fixed_rewards(name, kind):
    """Yield the arms that the package and the reference play, on three tables of rewards and
    without noise.

    In three cases the reference gets the random numbers of the kernel: draws from posteriors, local
    algorithms (whose users have finite levels), and forced phases.
    """
    K, T, eps = 4, ROWS[name].fixed_rounds, without_noise(name)
    own, rng = ROWS[name].short, np.random.default_rng(11)
    if kind == "outliers" and "alpha1" in algorithm(name).domains:
        own = {"alpha1": 0.1} | own
    for trial in range(3):
        means = np.linspace(0.9, 0.9 - 0.2 * (trial + 1), K)
        rewards, learner = fixed_rewards(kind, means, T, rng), generator(0, 0, LEARNER)
        values = reference_arguments(name, eps, T, table(rewards), **own)
        theirs = reference_plays(
            name,
            references.table_reward(rewards.tolist()),
            K,
            T,
            lambda scale, learner=learner: laplace(learner, scale),
            values,
            **drawn_by(learner, eps),
        )
        given = {"eps": eps, "checkpoints": np.arange(1, T + 1), "plain": name in THOMPSON} | own
        yield arms_of(play(name, table(rewards), T, **given)), theirs


# Features and contexts


def slow_linear(name, game, rng, wrong, own=None):
    """Return the pulls of each arm, or the regret, in some runs."""
    spec, T, function = game.spec, game.T, reference(name)
    values = reference_arguments(name, game.eps, T, spec, **game.own) | wrong
    if algorithm(name).actions == FEATURES:
        x, theta = (np.array(spec[key]) for key in ("features", "theta"))
        sigma = None if spec["noise"] == "sign" else spec["sigma"]
        runs = range(game.runs)
        return [function(x, theta, sigma, T, rng=rng, design=d_optimal, **values) for _ in runs]
    values |= {} if own is None else {"own": own}
    return np.reshape(function(spec, T, game.runs, rng=rng, **values), (-1, 1))


# Rules


class Replay:
    """Laplace variables of scale 1 that are drawn in advance, for a reference and for
    ``first_above``.
    """

    def __init__(self, values):
        self.all = values
        self.values = iter(values)
        self.used = 0
        self.drew_the_first = False

    def first_above(self, rng, n, scale, level):
        for i in range(1, n + 1):
            minus_A = -scale * self.all[self.used + i - 1]
            if level <= 0 or minus_A > level:
                self.used += i
                return i, minus_A
        self.used += n
        return n + 1, 0.0


def slow_answer(name, game, reward, rng, noise, wrong):
    """Return the number of samples and the estimate, or the pulls and the answer; NaN for no
    answer.
    """
    values = reference_arguments(name, game.eps, game.T, game.spec, **game.own)
    function = reference(name)
    if algorithm(name).question is STOPPING:
        a, beta, R = (values[key] for key in ("rel_error", "beta", "R"))
        time, answer = function(lambda t: reward(0, t), noise, game.eps, a, beta, R, game.T)
        return [time, math.nan if answer is None else answer]
    rounds = itertools.count(1)
    if algorithm(name).question is BEST_ARM:
        values |= {"K": len(build(game.spec).means)}
    sample = lambda a: reward(a, next(rounds))  # noqa: E731
    pulls, answer = function(sample, rng, cap=game.T, **{**values, **wrong})
    return [*pulls, math.nan if answer is None else answer]


def answers_of_package(name, game, **given):
    """Return the same as ``slow_answer``, but for the package."""
    given = {"spec": game.spec, "T": game.T, "eps": game.eps} | game.own | given
    return [[*x.pulls[-1], x.answer] for x in records(name, **given)]


def of_same_noise(name, game, patch):
    """Return the answers of a rule in plain Python and of its reference, with the same noise. The
    reference draws A_t at every t. The rule DP-NAS asks which of the next A_t is the first below a
    level, and gets the answer from the same A_t.
    """
    reward = references.table_reward(game.spec["rewards"])
    learner, rng = generator(0, 0, LEARNER), np.random.default_rng(0)
    tests = Replay(rng.laplace(0, 1, game.T))
    helpers.replace(patch, first_above, tests.first_above)

    def noise(scale):
        of_test = tests.drew_the_first and scale != 4 * game.own["R"] / game.eps
        tests.drew_the_first = True
        if name == "dp_nas" and of_test:
            return scale * next(tests.values)
        return laplace(learner, scale)

    theirs = slow_answer(name, game, reward, rng, noise, {})
    return answers_of_package(name, game, plain=True), [theirs]


# What the tests compare


def compared_exactly(name, game, wrong, patch):
    """Yield pairs: what the package plays, and what the reference plays (perhaps with an error)."""
    if name in THOMPSON:  # they draw in every round only in plain Python without bounds
        patch.setattr(largest_draw, "OFTEN", -1.0)
    if not isinstance(game, Game):
        yield from on_fixed_rewards(name, game)
    elif name in RULES:
        yield of_same_noise(name, game, patch)
    else:
        given = {"eps": game.eps, "seed": 5, "runs": range(game.runs)} | game.own
        found = [x.pulls[-1] for x in records(name, game.spec, game.T, **given)]
        one, theirs = replace(game, runs=1), []
        for run in range(game.runs):
            env_rng, learner = (generator(5, run, x) for x in (ENVIRONMENT, LEARNER))
            theirs.append(slow_linear(name, one, env_rng, wrong, learner)[0])
        yield found, theirs


@cache
def of_package(name, i, other=False):
    """Return the results of the package's runs of a game in which laws are compared, (runs,
    columns).
    """
    game = ROWS[name].in_law[i]
    given = {"spec": game.spec, "T": game.T, "eps": game.eps, "seed": 4} | game.own
    given |= {"runs": range(game.of_package)} | (game.other if other else {})
    return np.array([_columns(name, *x) for x in records(name, **given)])


def of_reference(name, i, wrong):
    """Return the same for the reference, with or without an error."""
    game, rng = ROWS[name].in_law[i], np.random.default_rng(17)
    if name in RULES:
        found = []
        for _ in range(game.runs):
            reward = drawn_reward(game.spec, rng)
            noise = lambda b: rng.laplace(0, b)  # noqa: E731
            *pulls, answer = slow_answer(name, game, reward, rng, noise, wrong)
            found.append(_columns(name, [pulls], answer))
        return np.array(found)
    if game.loop and hasattr(naive, name):
        return pulls_of_loop(name, game)
    if algorithm(name).actions == ARMS:
        return np.array(list(slow_pulls_of_arms(name, game, rng)))
    return np.array(slow_linear(name, game, rng, wrong))


def _columns(name, recorded, answer):
    """Return the last record and, for a rule, the answer. The number 10 stands for no answer."""
    answers = [10.0 if math.isnan(answer) else answer] if name in RULES else []
    return [*recorded[-1], *answers]

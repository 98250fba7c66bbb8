"""The noise of policies with an oracle, recovered from whole games, has the law of its definition.

The games play the policies' own files, so the tests also see which scale a fit chooses for its
noise, and how it splits the budget. The definition of the noise of a batch of n rows with features
X, losses y and D = K p numbers of features:

* logistic oracle: theta minimises mean log-loss + L/2 |theta|^2 + b.theta/n, where the length of b
  has the law Gamma(D, 2/u). A policy without a bonus spends eps on b, a policy with a bonus eps/2.
* quadratic oracle: G = X'X + W and theta = (G + lam n I)^-1 (X'y + w), where W and w spend half of
  rho each, for a sensitivity of sqrt 2. W is (N + N')/2 of independent normal numbers N.
* bonus of a policy with the logistic oracle: G = X'X + W spends (eps/2, delta).
"""

import math
from typing import NamedTuple

import numpy as np
import oracle_references as slow
import pytest
from helpers import P_VALUE, algorithm, arguments, mistaken, replace
from scipy.special import expit
from scipy.stats import chi2, gamma, kstest, norm
from tiers import every, first

from dpbandits.contextual_game import new_contextual_game
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.parts.oracles import batches, logistic, moments

IRIS = {"law": "labels", "source": "sklearn:iris"}
POLICIES = ("square_cb", "vpo", "bpo", "fast_cb", "reg_cb", "ada_cb", "oracle_ucb")
BONUSES = POLICIES[-3:]
T, K, D = 15, 3, 15  # batches of 1, 2 and 4 rows are fitted; the last batch is not
DELTA = 1e-3
FIT, MOMENTS = batches.fit, batches.release_moments
GRAM, SOLVE = moments.noisy_gram, moments.fit_quadratic
PERTURB, DRAW = logistic.fit_logistic, logistic.draw_perturbation


class Fit(NamedTuple):
    """A fit on a batch, and what it released."""

    X: np.ndarray  # (n, D)
    y: np.ndarray  # (n,)
    theta: np.ndarray  # (D,)
    b: np.ndarray | None  # (D,), or None if the oracle is quadratic
    G: np.ndarray | None  # (D, D), or None if no moments are released
    widening: np.ndarray  # (D, D), what the fit has added to V; (0, 0) without a bonus


def whole(G):
    """The symmetric matrix of a lower triangle."""
    return np.tril(G) + np.tril(G, -1).T


def fits(patch, name, eps, games, fault, **own):
    """All fits of some games that a policy plays in plain Python.

    ``fault`` is (function, right, wrong), a mistake in the source of a function, or None; if the
    function is None, the mistake is in the policy itself.
    """
    broken, play = fault and fault[0], algorithm(name).function
    play = mistaken(play, *fault[1:]) if fault and broken is None else play.py_func
    made = {each: mistaken(*fault) if broken is each else each for each in (GRAM, DRAW)}
    grams, noise = [], []

    def record_gram(*given):
        grams.append(made[GRAM](*given))
        return grams[-1]

    def record_perturbation(rng, b, u):
        made[DRAW](rng, b, u)
        noise.append(b.flatten())

    replace(patch, GRAM, record_gram)
    replace(patch, DRAW, record_perturbation)
    if broken not in (None, GRAM, DRAW):
        replace(patch, broken, mistaken(*fault))
    fit, found = batches.fit, []

    def record_fit(rng, now):
        before = now.V.copy()
        fit(rng, now)
        n, j = int(now.clock[0]), (int(now.clock[2]) - 1) % len(now.theta)
        X = [np.kron(np.eye(K)[now.actions[i]], now.features[now.rows[i]]) for i in range(n)]
        b, G = noise.pop() if noise else None, whole(grams.pop()) if grams else None
        y, theta = now.losses[:n].copy(), now.theta[j].flatten()
        found.append(Fit(np.array(X), y, theta, b, G, whole(now.V - before)))
        assert not (noise or grams)  # each is drawn once

    replace(patch, fit, record_fit)
    instance, users, rng = build(IRIS), homogeneous(eps).users(), np.random.default_rng(0)
    numbers = arguments(name, eps, T, instance, **own)
    for _ in range(games):
        play(new_contextual_game(instance.environment, users, rng, T, np.array([T])), rng, *numbers)
    assert [len(each.y) for each in found] == [1, 2, 4] * games
    return found


def is_normal(x):
    """Whether numbers are standard normal: their law, and the sum of their squares."""
    x = np.concatenate(x)
    sum_of_squares = chi2(len(x)).cdf(x @ x)
    return kstest(x, norm.cdf).pvalue > P_VALUE and abs(2 * sum_of_squares - 1) < 1 - P_VALUE


def is_gamma(x, shape):
    """Whether numbers have the law Gamma(shape, 1): their law, and their sum."""
    total = gamma(shape * len(x)).cdf(np.sum(x))
    return kstest(x, gamma(shape).cdf).pvalue > P_VALUE and abs(2 * total - 1) < 1 - P_VALUE


def rho_of(eps):
    """The rho with rho + 2 sqrt(rho ln(1/delta)) = eps."""
    L = math.log(1 / DELTA)
    return (math.sqrt(L + eps) - math.sqrt(L)) ** 2


def wrong_noise(name, loss, eps=1.0, lam=0.02, calibration="tight", fault=None, games=10):
    """What differs from its definition in some games: the law of the noise b, W or w, or the ridge
    L of the logistic oracle.
    """
    own = {"calibration": calibration, "ridge": lam}
    if name != "fast_cb":
        own |= {"loss": loss, "delta": DELTA}
    with pytest.MonkeyPatch.context() as patch:
        found = fits(patch, name, eps, games, fault, **own)
    has_bonus, wrong, lengths, diagonal, below, w = name in BONUSES, set(), [], [], [], []
    half = eps / 2 if has_bonus else eps
    rho = rho_of(eps) / 2 if loss == "quadratic" else rho_of(half)  # of W, and of w
    sd = math.sqrt(2) / math.sqrt(2 * rho)
    for X, y, theta, b, G, widening in found:
        n = len(y)
        assert (b is None) == (loss == "quadratic")
        assert (G is None) == (loss == "logistic" and not has_bonus)
        assert not has_bonus or np.allclose(widening, G)
        if loss == "logistic":
            L, u = slow.perturbation(half, n, lam, calibration)
            lengths.append(np.linalg.norm(b) * u / 2)
            gradient = X.T @ (expit(X @ theta) - y) + n * L * theta + b
            wrong |= {"L"} if np.linalg.norm(gradient) > 1e-6 * np.linalg.norm(b) else set()
        else:
            w.append(((G + lam * n * np.eye(D)) @ theta - X.T @ y) / sd)
        if G is not None:
            W = (G - X.T @ X) / sd
            diagonal.append(np.diag(W))
            below.append(W[np.tril_indices(D, -1)] * math.sqrt(2))
    wrong |= {"b"} if lengths and not is_gamma(lengths, D) else set()
    wrong |= {"W"} if below and not (is_normal(diagonal) and is_normal(below)) else set()
    return wrong | ({"w"} if w and not is_normal(w) else set())


# a budget at which noise needs a larger ridge than lam, and a budget at which lam is enough
SETTINGS = [(name, calibration, *pair) for pair in ((1.0, 0.02), (6.0, 1.0))
            for calibration in ("tight", "printed") for name in POLICIES]  # fmt: skip


@pytest.mark.parametrize(("name", "calibration", "eps", "lam"), every(6, SETTINGS))
def test_the_noise_of_logistic_fits(name, calibration, eps, lam):
    assert not wrong_noise(name, "logistic", eps, lam, calibration)


@pytest.mark.parametrize("name", every(4, [name for name in POLICIES if name != "fast_cb"]))
def test_the_noise_of_quadratic_fits(name):
    assert not wrong_noise(name, "quadratic")


# fmt: off
PURE, BONUS = ("square_cb", "logistic"), ("ada_cb", "logistic")
SQUARES, BOTH = ("square_cb", "quadratic"), ("ada_cb", "quadratic")
FAULTS = [
    (BONUS, FIT, "eps / 2.0 if has_bonus", "eps if has_bonus", "bL"),  # the budget is not split
    (SQUARES, SOLVE, "gaussian(rng, sd)", "gaussian(rng, 0.5 * sd)", "w"),
    (BONUS, MOMENTS, "1.0 / root_rho(eps / 2.0", "0.5 / root_rho(eps / 2.0", "W"),
    (SQUARES, MOMENTS, "ROOT2 / root_rho", "0.5 * ROOT2 / root_rho", "Ww"),
    (PURE, FIT, "else now.oracle.eps)", "else 2.0 * now.oracle.eps)", "bL"),
    (BONUS, MOMENTS, "1.0 / root_rho(eps / 2.0", "1.0 / root_rho(eps", "W"),
    (BOTH, MOMENTS, "ROOT2 / root_rho", "1.0 / root_rho", "Ww"),  # rho is not split
    (BOTH, SOLVE, "gaussian(rng, sd)", "gaussian(rng, 0.5 * sd)", "w"),
    (SQUARES, GRAM, "gaussian(rng, sd)", "gaussian(rng, 0.5 * sd)", "W"),
    (SQUARES, GRAM, "ROOT_HALF * sd", "0.5 * ROOT_HALF * sd", "W"),
    (SQUARES, None, "eps, delta,", "eps, 0.5,", "Ww"),
    (PURE, PERTURB, "found.u)", "2.0 * found.u)", "b"),
    (PURE, DRAW, "(2.0 / u)", "(1.0 / u)", "b"),
    (PURE, None, "Oracle(eps,", "Oracle(2.0 * eps,", "bL"),
    (BONUS, None, "Oracle(eps,", "Oracle(2.0 * eps,", "bLW"),
]
# fmt: on


@pytest.mark.parametrize(("policy", "function", "right", "wrong", "seen"), first(FAULTS, 5))
def test_too_little_noise_is_noticed(policy, function, right, wrong, seen):
    """The controls: mistakes in the choice of a scale, in the noise, and in the policy."""
    name, loss = policy
    assert wrong_noise(name, loss, fault=(function, right, wrong)) == set(seen)

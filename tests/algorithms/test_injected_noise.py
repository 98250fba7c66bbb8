"""Fed with the noise of the slow reference, a kernel plays its rounds with its noise scales.

The kernels run as plain Python. Noise is ``scale`` times a number fixed in advance, a bit
is decided by a uniform number fixed in advance; each scale and each probability is written down,
and so is each number that noise is added to.
"""

import importlib
import itertools
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
import references
import slow_games
from conformance import ROWS
from helpers import (
    COUNTS,
    GAUSSIAN_NOISE,
    GLOBAL,
    HEAVY,
    LOCAL,
    PRIVATE,
    SIGNS,
    SUMS,
    Fault,
    NotApplied,
    Uniform,
    algorithm,
    eliminated,
    mutant,
    mutated,
    play,
    reference_arguments,
    replace,
    table,
)
from tiers import every, first

from dpbandits import game
from dpbandits.environments import blocks, laws, users
from dpbandits.parts.counting import hybrid_counters, trees
from dpbandits.parts.indices import argmax as optimism
from dpbandits.parts.indices import radii
from dpbandits.parts.means import estimators, largest_draw, posteriors
from dpbandits.parts.noise import discrete_noise, mechanisms, shuffled_coins
from dpbandits.parts.noise import local_randomizers as curators
from dpbandits.parts.schedules import batches, buffers, phases

ARMS = 4
BUDGETS = (0.3, 1.0, 4.0, 20.0)
LAZY = ("lazy_dp_ts", "anytime_lazy_ucb")
TREES = [name for name in PRIVATE if not ROWS[name].hides]


@dataclass
class Played:
    """What a kernel or its reference did: arms, and what its noise was made of."""

    arms: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    scales: list[float] = field(default_factory=list)  # of noise
    hidden: list[float] = field(default_factory=list)  # what noise is added to
    chances: list[float] = field(default_factory=list)  # of a bit to be 1

    def __eq__(self, other):
        return np.array_equal(self.arms, other.arms) and all(
            len(x) == len(y) and np.allclose(x, y, rtol=1e-12, atol=tiny)
            for x, y, tiny in (
                (self.scales, other.scales, 1e-15),
                (self.hidden, other.hidden, 1e-9),
                (self.chances, other.chances, 1e-15),
            )
        )


class Noise(float):
    """Noise that writes down the number that it is added to; optionally, so does the sum."""

    __array_ufunc__ = None  # NumPy's numbers leave the addition to it

    def __new__(cls, value, hidden, and_the_sum=False, place=None):
        number = super().__new__(cls, value)
        number.hidden, number.and_the_sum, number.place = hidden, and_the_sum, place
        return number

    def __radd__(self, x):
        value, place = float(x) + float(self), self.place
        if place is None:
            place = len(self.hidden)
            self.hidden.append(0.0)
        self.hidden[place] += float(x)
        return Noise(value, self.hidden, True, place) if self.and_the_sum else value


@dataclass
class Setting:
    """One game: rewards, users and noise fixed in advance."""

    name: str
    rewards: np.ndarray  # (T, K)
    eps: float
    levels: np.ndarray  # (T,), of the users of a local algorithm
    changes: dict
    laplaces: np.ndarray  # (T,), of scale 1
    uniforms: np.ndarray  # (T,)

    def noise(self, played):
        """A function from a scale to Laplace noise."""
        draws = itertools.cycle(self.laplaces)

        def draw(scale):
            played.scales.append(float(scale))
            value = scale * next(draws)
            if self.name in TREES:  # sums of nodes and of noise, in different orders
                return value
            return Noise(value, played.hidden, and_the_sum=self.name == "prae_c")

        return draw

    def uniform(self, played):
        draws = itertools.cycle(self.uniforms)
        return lambda: Uniform(next(draws), played.chances)

    def draw_beta(self):
        """A function from the parameters of a Beta law to a draw from it."""
        return np.random.default_rng(len(self.name)).beta

    def users(self):
        T = len(self.levels)
        coth = np.array([users.half_coth(x) for x in self.levels])
        return users.Users(self.levels, np.tanh(self.levels / 2), coth, np.ones(T), np.zeros(4))


def setting(name, eps, trial, levels=None, T=None, **changes):
    """A setting of an algorithm; ``levels`` are those of the users, by default all eps.

    Levels differ a little, so that no two arms of equal histories are told apart by rounding.
    """
    T = T or ROWS[name].fed_rounds
    rng = np.random.default_rng([trial, len(name)])
    means = np.linspace(0.9, 0.9 - 0.22 * (trial % 3 + 1), ARMS)
    if name in HEAVY:
        rewards = heavy_tails(name, means, trial, T, rng)
    elif name in GLOBAL:
        rewards = (rng.random((T, ARMS)) < means).astype(float)
    elif algorithm(name).rewards is None:
        rewards = rng.normal(4 * means, 1.0, (T, ARMS))
    else:
        rewards = np.clip(means + rng.uniform(-0.3, 0.3, (T, ARMS)), 0, 1)
    return Setting(
        name=name,
        rewards=rewards,
        eps=eps,
        levels=rng.choice([eps] if levels is None else levels, T) * (1 + 0.01 * rng.random(T)),
        changes=changes,
        laplaces=rng.laplace(size=T),
        uniforms=rng.random(T),
    )


def heavy_tails(name, means, trial, T, rng):
    """Rewards of infinite variance and outliers; those of prae_c lie around 0, -D and D."""
    center, width = {"prae_c": ((0, -7, 7)[trial % 3], 12), "prae_r": (0, 6)}.get(name, (0.5, 0.5))
    rewards = center + width * (means - 0.5) + 0.2 * rng.standard_t(2, (T, ARMS))
    outliers = rng.choice([-40.0, -3.0, 5.0, 100.0], rewards.shape)
    return np.where(rng.random(rewards.shape) < 0.03, outliers, rewards)


def kernel_plays(given, faults=None, function=None):
    """What the kernel does; ``faults`` replace functions: from a function to what it becomes,
    ``function`` replaces the kernel."""
    played = Played()
    noise, arrivals, exact = given.noise(played), itertools.count(), radii.kl_upper
    T = len(given.rewards)
    functions = {
        mechanisms.laplace: lambda rng, scale: noise(scale),
        mechanisms.gaussian: lambda rng, deviation: noise(deviation),
        discrete_noise.discrete_laplace: lambda rng, scale: np.round(noise(scale)),
        discrete_noise.skellam: lambda rng, variance: np.round(noise(variance**0.5)),
        shuffled_coins.heads: lambda rng, N: np.round(N / 2.0 + noise(N**0.5 / 2.0)),
        users.arrival: lambda users, env_rng: next(arrivals),
        exact: lambda p, d, *least: one_if_close(exact(p, d, *least)),
        **noise_by_the_round(given, played),
    }
    for original, become in (faults or {}).items():
        functions[original] = become(functions.get(original, original))

    class RegretTarget:
        random = staticmethod(given.uniform(played))
        beta = staticmethod(given.draw_beta())

    with pytest.MonkeyPatch.context() as patch:
        for original, new in functions.items():
            replace(patch, original, new)
        patch.setattr(largest_draw, "OFTEN", -1.0)  # as the reference, all draws in every round
        pulls = play(
            given.name,
            table(given.rewards),
            T,
            eps=given.eps,
            checkpoints=np.arange(1, T + 1),
            plain=True,
            population=given,
            learner=RegretTarget(),
            function=function,
            **given.changes,
        )
    played.arms = np.diff(pulls, axis=0, prepend=0).argmax(axis=1)
    return played


def noise_by_the_round(given, played):
    """For ldpr_se: its reference draws noise for every reward, one after the other, and its
    kernel the sum of an arm's noises in an epoch. Here the kernel receives, for an arm that was
    played in certain rounds, the sum of what the reference draws in these rounds."""
    in_turn, turns = game.pull_reports_in_turn, []

    def pull_reports_in_turn(game, active, rounds, level, largest, sums, sent):
        start, k = game.clock[0], len(active)
        turns[:] = [range(start + i, start + rounds, k) for i in range(k)]
        in_turn(game, active, rounds, level, largest, sums, sent)

    def laplace_sum(rng, n, scale):
        rounds = turns.pop(0)
        assert len(rounds) == n
        played.scales.extend([scale] * len(rounds))
        return Noise(scale * given.laplaces[rounds].sum(), played.hidden)

    return {in_turn: pull_reports_in_turn, mechanisms.laplace_sum: laplace_sum}


def reference_plays(given):
    """What the reference does."""
    played = Played()
    T, spec = len(given.rewards), table(given.rewards)
    values = reference_arguments(given.name, given.eps, T, spec, **given.changes)
    drawn = {"uniform": given.uniform(played), "draw_beta": given.draw_beta()}
    drawn |= {"level": lambda t: given.levels[t - 1]}
    reward, exact = references.table_reward(given.rewards.tolist()), references.kl_upper
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(references, "kl_upper", lambda p, d: one_if_close(exact(p, d)))
        arms = slow_games.reference_plays(
            given.name, reward, ARMS, T, given.noise(played), values, **drawn
        )
    played.arms = np.array(arms)
    if given.name == "ldpr_se":
        sum_by_arm(played)
    return played


def sum_by_arm(played):
    """What ldpr_se hides in the rounds of an epoch, of one scale, as the sum of each arm; an
    epoch that the horizon cuts is left out."""
    epochs = [list(same) for _, same in itertools.groupby(played.scales)]
    if len(played.scales) == len(played.arms):
        epochs.pop()
    rewards, played.hidden, start = np.array(played.hidden), [], 0
    for epoch in epochs:
        rounds = np.arange(start, start + len(epoch))
        arms = played.arms[rounds]
        played.hidden += [rewards[rounds][arms == a].sum() for a in np.unique(arms)]
        start += len(epoch)
    del played.scales[start:]


def one_if_close(q):
    """Indices so close to 1 are ties, which rounding breaks in one way or the other."""
    return 1.0 if q > 1 - 1e-15 else q


@cache
def game_fed(name, eps, trial, i=None):
    """A game with the parameters of a row, or with others, and what the reference does in it."""
    own = {} if i is None else ROWS[name].fed[i]
    given = setting(
        name, eps, trial, **(ROWS[name].fed[-1] if name in LOCAL and i is None else own)
    )
    return given, reference_plays(given)


def heavy_game(name, i, eps):
    return game_fed(name, eps, i, i)


def numbers_of(names):
    return [(name, i) for name in names for i in range(len(ROWS[name].fed))]


OTHERS = numbers_of(name for name in PRIVATE if name not in HEAVY)
FED = [
    pytest.param(*x, marks=pytest.mark.slow) if "T" in ROWS[x[0]].fed[x[1]] else x for x in OTHERS
]
FED += every(3, numbers_of(name for name in PRIVATE if name in HEAVY))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "i"), every(2, FED))
@pytest.mark.parametrize("eps", first(BUDGETS))
def test_an_algorithm_is_its_reference(name, i, eps):
    """Also where rewards are truncated, arms eliminated, and users silent."""
    given, reference = game_fed(name, eps, i if name in HEAVY else BUDGETS.index(eps) % 3, i)
    kernel, sent = kernel_plays(given), len(reference.scales + reference.chances)
    assert kernel == reference
    assert len(set(kernel.arms)) == ARMS
    assert sent or (name == "ldpr_se" and eps <= 1)
    if name in (*SIGNS, *LOCAL):  # every user sends a number whose level is large enough
        assert sent == (given.levels >= given.changes.get("eps_min", 0.0)).sum()
    elif name in HEAVY and "T" not in ROWS[name].fed[i]:
        assert eps < 20 or eliminated(kernel.arms, ARMS)


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize("window", [0.2, 4.0])
def test_a_leader_that_is_not_recomputed_is_the_reference_s(i, window, monkeypatch):
    """In wide windows that happens in short games, too."""
    kept = []

    def watched(keeps):
        def keeps_lead(*given):
            kept.append(keeps(*given))
            return kept[-1]

        return keeps_lead

    monkeypatch.setattr(optimism, "WINDOW", window)
    given, reference = heavy_game("dpr_ucb", i, 4.0)
    assert kernel_plays(given, {optimism.keeps_lead: watched}) == reference
    assert sum(kept) > 20


def shared(noise):
    """Noise that is drawn once for each scale."""
    drawn = {}

    def draw(rng, scale):
        if scale not in drawn:
            drawn[scale] = noise(rng, scale)
        return drawn[scale]

    return draw


def sign_of_any(u, r, tanh, M):
    """``convert_to_sign`` for a reward that is not truncated."""
    largest = curators.largest_sign(M, tanh)
    sent = curators.convert_to_bernoulli(u, 0.5 + 0.5 * r / M, tanh)
    return largest if sent == 1.0 else -largest


BOUNDED = [name for name in GLOBAL if name not in (*HEAVY, *GAUSSIAN_NOISE, *SUMS, *COUNTS)]
OF_HEAVY_TAILS = ["dpr_ucb", "dpr_se", "prae_r", "prae_c"]
WITH_BITS = ["heldp_ucb_b", "heldp_ucb_bs"]


def with_argument(i, change):
    """A fault: the function gets another argument ``i`` than it should."""
    return lambda f: lambda *given: f(*given[:i], change(given[i]), *given[i + 1 :])


def times(i, factor):
    """A fault: argument ``i`` is multiplied by a factor."""
    return with_argument(i, lambda x: factor * x)


def instead(function):
    """A fault: another function takes the place of the right one."""
    return lambda right: function


OF_PHASES, OF_POSTERIORS = ["dp_klucb", "dp_imed"], ["lazy_dp_ts", "dp_ts"]
PRAE, TRUNCATING = ["prae_r", "prae_c"], ["dpr_se", "ldpr_se", "prae_r", "prae_c"]
# faults: the algorithms that would suffer, the function at fault, and what it becomes
FAULTS = {
    "half the noise": (BOUNDED, mechanisms.laplace, times(1, 1 / 2)),
    "0.9 of the noise": (OF_HEAVY_TAILS, mechanisms.laplace, times(1, 0.9)),
    "0.9 of a sum of noise": (["ldpr_se"], mechanisms.laplace_sum, times(2, 0.9)),
    "one draw for all arms": ([*BOUNDED, *OF_HEAVY_TAILS], mechanisms.laplace, shared),
    "half the Gaussian noise": (GAUSSIAN_NOISE, mechanisms.gaussian, times(1, 1 / 2)),
    "half the discrete Laplace noise": (["dist_dp_se"], discrete_noise.discrete_laplace,
     times(1, 1 / 2)),
    "half the Skellam noise": (["dist_rdp_se"], discrete_noise.skellam, times(1, 1 / 4)),
    "half the coins": (COUNTS, shuffled_coins.heads, times(1, 1 / 4)),
    "the coins of one arm for all": (COUNTS, shuffled_coins.heads, shared),
    "a delta that is a tenth larger": (COUNTS, shuffled_coins.least_bits, times(1, 1.1)),
    "one sum's noise for all arms": (["dist_dp_se"], discrete_noise.discrete_laplace, shared),
    "a modulus without room for noise": (SUMS, discrete_noise.most_noise, times(0, 0)),
    "signs of rewards that are not truncated": (SIGNS, curators.convert_to_sign,
     instead(sign_of_any)),
    "signs of rewards that are clipped": (SIGNS, curators.convert_to_sign,
     lambda convert: lambda u, r, tanh, M: convert(u, min(max(r, -M), M), tanh, M)),
    "signs that are not scaled": (SIGNS, curators.largest_sign, instead(lambda M, eps: M)),
    "one Gaussian draw for all arms": (GAUSSIAN_NOISE, mechanisms.gaussian, shared),
    "a rho for twice the rho": (GAUSSIAN_NOISE, mechanisms.gaussian_mean, times(3, 2)),
    "a bonus without the noise": (GAUSSIAN_NOISE, radii.gaussian_hoeffding, times(1, np.inf)),
    "a bonus of the noise's variance, not of twice that": (GAUSSIAN_NOISE, radii.gaussian_hoeffding,
     times(1, 2)),
    "an episode of one round too few": (["adap_ucb", "adap_klucb", *GAUSSIAN_NOISE], game.pulls,
     lambda pulls: lambda g, a: max(pulls(g, a) - 1, 1)),
    "a level too few": (TREES, trees.tree_node_scale, with_argument(0, lambda levels: levels - 1)),
    "a phase that is a round longer": (OF_PHASES, phases.play, with_argument(5, lambda n: n + 1.0)),
    "phases of half the length": (OF_PHASES, phases.play_phase,
     with_argument(5, lambda alpha: (1.0 + alpha) / 2.0)),
    "buffers that hold one reward more": (LAZY, buffers.room_in_buffer,
     lambda room: lambda buffers, a: room(buffers, a) + (buffers.length[a] > 0)),
    "epochs that end a reward later": (["dp_ts"], hybrid_counters.new_hybrid_counters,
     lambda new: lambda K, T: new(K, T)._replace(end=np.full(K, 2))),
    "posteriors of half as many rewards": (OF_POSTERIORS, posteriors.draw_mean, times(2, 1 / 2)),
    "means that are not clipped": (OF_POSTERIORS, posteriors.draw_mean,
     instead(lambda rng, mean, n: rng.beta(max(mean * n, 0) + 1, max(n - mean * n, 0) + 1))),
    "rewards that are never truncated": (TRUNCATING, blocks.truncate, instead(lambda x, level: x)),
    "rewards that are clipped": (TRUNCATING, blocks.truncate,
     instead(lambda x, level: min(max(x, -level), level))),
    "levels that do not heed the outliers": (PRAE, estimators.truncation_level, times(4, 0.0)),
    "radii that do not heed the outliers": (PRAE, radii.robust_order, times(4, 0.0)),
    "a forced phase of half the length": (PRAE, batches.forced_batches, times(2, 1 / 2)),
    "a bin too few": (["prae_c"], estimators.bins, lambda bins: lambda D, r: bins(D, r) - 1),
    "bins that are not emptied": (["prae_c"], estimators.private_mode,
     with_argument(1, lambda counts: counts + np.arange(len(counts)))),
    "half the noise of the mode": (["prae_c"], estimators.private_mode, times(3, 2)),
    "a curator of Laplace noise 0.7/eps": (["heldp_ucb_l", "heldp_ucb_ls"], mechanisms.laplace,
     times(1, 0.7)),
    "tanh(eps) for tanh(eps/2)": (WITH_BITS, game.tanh_half_level,
     lambda tanh: lambda game, user: 2 * tanh(game, user) / (1 + tanh(game, user) ** 2)),
    "coth(eps) for coth(eps/2)": (WITH_BITS, game.coth_half_level,
     lambda coth: lambda game, user: (coth(game, user) + 1 / coth(game, user)) / 2),
    "bits that are not made unbiased": (WITH_BITS, curators.unbiased, instead(lambda x, c: x)),
    "no sigmoid": (["heldp_ucb_ls", "heldp_ucb_bs"], laws.sigmoid, instead(lambda r: r)),
    "users who should be silent": (LOCAL, game.privacy_level,
     lambda level: lambda game, user: 6 * level(game, user)),
}  # fmt: skip
SUFFERING = [(fault, name) for fault, (names, _, _) in FAULTS.items() for name in names]


# The only ones of the games below in which noise alone would leave the range of the sums
NOISIEST = {"dist_dp_se": (1.0, 14, 1), "dist_rdp_se": (0.3, 1, 0)}


def games_of(name):
    """Games of the comparisons above, and what the reference does in them, one after the other."""
    variants = range(len(ROWS[name].fed))
    if name in HEAVY:
        rounds = itertools.product((1.0, 4.0, 0.3, 20.0), variants)
        yield from (heavy_game(name, i, eps) for eps, i in rounds)
        return
    yield game_fed(name, 1.0, 1)
    if name in NOISIEST:
        yield game_fed(name, *NOISIEST[name])
    if name in (*SUMS, *COUNTS):  # close decisions
        some = itertools.product((0.05, 0.1, 0.3, 1.0), variants, range(20))
        yield from (game_fed(name, eps, trial, i) for eps, i, trial in some)
    if name in (*LAZY, "dp_ts"):
        yield from (game_fed(name, 20.0, trial, i) for i in variants for trial in range(3))


@pytest.mark.parametrize(("fault", "name"), SUFFERING, ids=map(" in ".join, SUFFERING))
@pytest.mark.long
def test_a_fault_is_seen(fault, name):
    """Controls: the comparisons above tell a faulty kernel apart."""
    _, *function_and_become = FAULTS[fault]
    assert Fault(*function_and_become).is_seen(games_of(name), kernel_plays)


@pytest.mark.slow
def test_a_fault_that_is_not_applied_is_an_error():
    """Not a pass, nor a fault that is not seen: the test has to be mended."""
    game = [heavy_game("ctl_ucb", 0, 1.0)]
    with pytest.raises(NotApplied, match="no game calls truncate"):  # signs are truncated elsewhere
        Fault(blocks.truncate, lambda kept: lambda x, level: x).is_seen(game, kernel_plays)
    with pytest.raises(NotApplied, match="no module of the package holds kernel_plays"):
        Fault(kernel_plays, lambda f: f).is_seen(game, kernel_plays)
    level = curators.largest_sign, lambda largest: lambda M, tanh: M
    assert Fault(*level).is_seen(game, kernel_plays)
    other = [(game[0][0], Played())]
    with pytest.raises(NotApplied, match="without the fault either"):
        Fault(*level).is_seen(other, kernel_plays)
    with pytest.raises(NotApplied, match="does not hold 'largest'"):
        mutated("M / tanh", "largest", "least")


# Other controls: an algorithm, a formula in its kernel, and a wrong one.
MUTANTS = [
    ("adac_ucb", "rounds_played(game) + 1", "2 * rounds_played(game)"),
    ("adac_ucb", "(n, rho, l)", "(2.0 * n, rho, l)"),
    ("adac_ucb", "beta * math.log", "math.log"),
    ("adar_ucb", "eps / order", "order / eps"),
    ("adar_ucb", "eps / order", "eps / order / 2.0"),
    ("adar_ucb", "(n, rho, l)", "(n, eps, l)"),
    ("dp_klucb", "rounds_played(game) + 1)", "2.0 * rounds_played(game))"),
    ("dp_klucb", "l / phases.length[a], eps", "2.0 * l / phases.length[a], eps"),
    ("dp_klucb", "l / phases.length[a], eps", "l / phases.length[a], np.inf"),
    ("dp_klucb", "np.argmax(index), alpha", "np.argmax(index), alpha + 1.0"),
    ("dp_imed", "+ math.log(n)", ""),
    ("dp_imed", "n * private", "private"),
    ("dp_imed", "best, eps)", "best, 2.0 * eps)"),
    ("dp_imed", "best = max(best, m)", "best = 1.0"),
    ("lazy_dp_ts", "length[a], eps, 3.0", "length[a], eps, 1.5"),
    ("lazy_dp_ts", "tail(1.0, eps, 3.0)", "tail(1.0, eps, 1.5)"),
    ("lazy_dp_ts", "race, t, log", "race, 2 * t, log"),
    ("lazy_dp_ts", "width[a] = laplace_tail(buffers.length[a], eps, 3.0)", "width[a] = 0.0"),
    ("dp_ts", "math.sqrt(8.0)", "math.sqrt(4.0)"),
    ("dp_ts", "race, t, log", "race, 2 * t, log"),
    ("dp_ts", "* logarithm(O + 1.0, log)", ""),
    ("dp_ts", "logarithm(O + 1.0, log)", "logarithm(O + 2.0, log)"),
    ("dp_ts", "width[a] = ", "width[a] = -"),
    ("ts", "S[a] / n[a]", "S[a] / (n[a] + 1.0)"),
    ("ts", "n[a] += 1.0", "n[a] += 2.0"),
    ("ts", "random(rng) <", "0.5 <"),
    ("anytime_lazy_ucb", "3.0 * logarithm", "2.0 * logarithm"),
    ("anytime_lazy_ucb", "float(t)", "2.0 * t"),
    ("anytime_lazy_ucb", "math.sqrt(l / O)", "math.sqrt(l / (2.0 * O))"),
    ("anytime_lazy_ucb", "laplace_tail(O, eps, l)", "laplace_tail(O, 2.0 * eps, l)"),
    ("dpr_ucb", "truncate(pull.x, B)", "pull.x"),
    ("dpr_ucb", "eps * u / log_T**1.5", "eps * u / log_T"),
    ("dpr_ucb", "eps * u / log_T**1.5", "u / log_T**1.5 / eps / 2.0"),
    ("dpr_ucb", "K, first, 1.0 / (1.0 + v)", "K, first, 0.5"),
    ("dpr_ucb", "levels, 2.0 * B", "levels, B"),
    ("dpr_ucb", "levels, 2.0 * B, params.eps", "levels + 1, 2.0 * B, params.eps"),
    ("dpr_ucb", "(1.5 * v + 1.0)", "1.5 * v"),
    ("dpr_ucb", "(4.0 / (N * params.eps))", "(2.0 / (N * params.eps))"),
    ("dpr_ucb", "(N * params.eps)", "N"),
    ("dpr_ucb", "c * u ** (1.0 / (1.0 + v)) * log_T", "c * log_T"),
    ("dpr_se", "D = 2.0**-tau", "D = 4.0**-tau"),
    ("dpr_se", "4.0 * k", "8.0 * k"),
    ("dpr_se", "epoch(tau, len(S)", "epoch(tau, K"),
    ("dpr_se", "tau**2", "tau"),
    ("dpr_se", "L / eps + 1.0", "L / eps"),
    ("dpr_se", "** (1.0 / v) * L", "* L"),
    ("dpr_se", "u * R * eps / L", "u * R / L"),
    ("dpr_se", "R, B, eps)", "R, B / 2.0, eps)"),
    ("dpr_se", "c / 2.0 * err", "c / 4.0 * err"),
    ("dpr_se", "(L / (R * eps)) ** (v / (1.0 + v))", "math.sqrt(L / R)"),
    ("ldpr_se", "D = 4.0**-tau", "D = 2.0**-tau"),
    ("ldpr_se", "8.0 * len(S)", "4.0 * len(S)"),
    ("ldpr_se", "+ L)", "+ 1.0)"),
    ("ldpr_se", "L / eps**2", "L / eps"),
    ("ldpr_se", "u * math.sqrt(R) * eps", "u * R * eps"),
    ("ldpr_se", "2.0 * B, eps", "B, eps"),
    ("ldpr_se", "math.sqrt(L / R) / eps", "math.sqrt(L) / R / eps"),
    ("ldpr_se", "c / 2.0 * err", "c * err"),
    ("ctl_ucb", "1.5 * l / params.alpha", "l / params.alpha"),
    ("ctl_ucb", "if params.alpha > 0.0 else l", "if params.alpha > 0.0 else 0.5 * l"),
    ("ctl_ucb", "c * (math.sqrt(4.0) / eps)", "c * math.sqrt(4.0)"),
    ("ctl_ucb", "c * (math.sqrt(4.0) / eps) ** (1.0 - 1.0 / k)", "c * math.sqrt(4.0) / eps"),
    ("ctl_ucb", "1.0 / k), -power)", "1.0 / k), -0.9 * power)"),
    ("ctl_ucb", "power = arms(game), 0.5 - 0.5 / k", "power = arms(game), 0.5"),
    ("ctl_ucb", "max(t + 1, 2)", "max(2 * t, 2)"),
    ("ctl_ucb", "alpha, math.tanh(0.5 * eps)", "alpha, math.tanh(eps)"),
    ("ctl_ucb", "alpha1 ** (-1.0 / k)", "alpha1 ** (-0.5 / k)"),
    ("ltc_ucb", "(eps / alpha1) ** (1.0 / k)", "(1.0 / alpha1) ** (1.0 / k)"),
    ("dist_dp_se", "b = 1.0", "b = 2.0"),
    ("dist_dp_se", "base**b", "base**(b + 1.0)"),
    ("dist_dp_se", "4.0 if batches else 2.0", "3.0 if batches else 2.0"),
    ("dist_dp_se", "granularity(l, eps, s)", "2 * granularity(l, eps, s)"),
    ("dist_dp_se", "noise(rng, g / eps)", "noise(rng, 0.5 * g / eps)"),
    ("dist_dp_se", "(float(l) * g)", "float(l)"),
    ("dist_dp_se", "hoeffding(l, math.log(4.0", "hoeffding(l, math.log(2.0"),
    ("dist_dp_se", "math.log(2.0 * len(S)", "math.log(4.0 * len(S)"),
    ("dist_dp_se", "mean, 2.0 * w)", "mean, w)"),
    ("dist_dp_se", "math.sqrt(2.0) / eps)", "2.0 / eps)"),
    ("dist_rdp_se", "scale**2", "scale**2 / 4.0"),
    ("dist_rdp_se", "math.sqrt(2.0) / (s * eps)", "2.0 / (s * eps)"),
    ("dist_rdp_se", "2.0, s, sigma", "2.0, 2.0 * s, sigma"),
    ("shuffle_se", "b = 1.0", "b = 2.0"),
    ("shuffle_se", "math.log(4.0", "math.log(2.0"),
    ("shuffle_se", "* b**2 / p", "* b / p"),
    ("shuffle_se", "+ N) / (4.0", ") / (4.0"),
    ("shuffle_se", "+ s * s", ""),
    ("shuffle_se", "mean, 2.0 * w)", "mean, w)"),
    ("shuffle_se", "1.0 / mu_for", "2.0 / mu_for"),
    ("prae_r", "3.0 * math.log(4.0 / delta) / alpha1", "1.5 * math.log(4.0 / delta) / alpha1"),
    ("prae_r", "3.0 * math.log(4.0 / delta) / alpha1", "6.0 * math.log(4.0 / delta) / alpha1"),
    ("prae_r", "forced == 1", "forced == 0"),
    ("prae_r", "constants == 1", "constants == 0"),
    ("prae_r", "2.0 * radius", "radius"),
    ("prae_r", "robust_order(B, eps, l1", "robust_order(B, eps, l4"),
    ("prae_r", "truncation_level(B, eps, l1", "truncation_level(B, eps, l4"),
    ("prae_r", "raw_moment_bound(B, eps, l4", "raw_moment_bound(B, eps, l1"),
    ("prae_c", "2.0 * until", "until"),
    ("prae_c", "3.0 * l4 / alpha1", "l4 / alpha1"),
    ("prae_c", "4.0 * D / (r * delta)", "4.0 * D / delta"),
    ("prae_c", "min(1.0, eps)", "1.0"),
    ("prae_c", "min(1.0, eps)", "eps"),
    ("prae_c", "8.0 + 8.0 / eps", "80.0 + 20.0 / eps"),
    ("prae_c", "80.0 + 20.0 / eps", "20.0 + 80.0 / eps"),
    ("prae_c", "-D - r", "-D"),
    ("prae_c", "int(n), J, M", "int(n), 0.0, M"),
    ("prae_c", "2.0 * radius", "radius"),
    ("prae_c", "constants == 1", "constants == 0"),
    ("prae_c", "central_moment_bound(n,", "central_moment_bound(2.0 * n,"),
    ("prae_c", "robust_order(n,", "robust_order(2.0 * n,"),
]


# in a part that one algorithm has
MUTANTS_OF_PARTS = [
    ("anytime_lazy_ucb", "schedules.leads", "leads, bound, n = 1,", "leads, bound, n = most,"),
    ("anytime_lazy_ucb", "schedules.leads", "t + n - 1, log", "t + n - 2, log"),
    ("ctl_ucb", "indices.optimism", "statistic[least] > bar", "statistic[least] >= bar - 1.0"),
    ("ctl_ucb", "indices.optimism", "enough(params, 1.0)", "enough(params, 0.5)"),
    ("ctl_ucb", "means.truncation_levels", "math.frexp(n)", "math.frexp(2.0 * n)"),
    ("ctl_ucb", "means.truncation_levels", "2.0 * n", "4.0 * n"),
    ("ctl_ucb", "means.truncation_levels", "math.sqrt(n / 4.0)", "math.sqrt(n / 2.0)"),
    ("ctl_ucb", "means.truncation_levels", "(levels.eps * math.sqrt", "(math.sqrt"),
    ("ctl_ucb", "means.truncation_levels", "-0.5 / levels.k", "-1.0 / levels.k"),
    ("ctl_ucb", "means.truncation_levels", "levels.k), levels.cap)", "levels.k), math.inf)"),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "part", "right", "wrong"), [(x[0], "", *x[1:]) for x in MUTANTS] + MUTANTS_OF_PARTS
)
def test_a_wrong_formula_is_seen(name, part, right, wrong):
    module = importlib.import_module(f"dpbandits.algorithms.{name}")
    wrong_in = importlib.import_module(f"dpbandits.parts.{part}") if part else module
    given, played = next(games_of(name))
    assert kernel_plays(given) == played
    imported_anew = mutant(module, "", "") if part else nullcontext()
    with mutant(wrong_in, right, wrong), imported_anew:
        function = getattr(module, name).py_func
        assert any(kernel_plays(g, function=function) != played for g, played in games_of(name))


@pytest.mark.parametrize(
    ("fault", "name"),
    [("a level too few", "dp_ucb"), ("bits that are not made unbiased", "heldp_ucb_b")],
)
def test_a_fault_changes_what_is_played(fault, name):
    """The rounds alone, without the scales, tell as well."""
    _, function, become = FAULTS[fault]
    given, applied = setting(name, 1.0, 1), Fault(function, become)
    right, wrong = kernel_plays(given), kernel_plays(given, {function: applied})
    assert applied.calls
    assert not np.array_equal(right.arms, wrong.arms)

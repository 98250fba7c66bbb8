"""Exact losses of actions: closed forms against brute force, and against the compiled code."""

import math
from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from helpers import algorithm

from dpbandits.algorithms import dp_se, dpr_se, prae_r
from dpbandits.audit.exact import one_bit
from dpbandits.audit.exact.elimination import endings, tail
from dpbandits.audit.exact.episodic import Episodic, exactly, extreme_pairs, sequences
from dpbandits.audit.exact.exponential_polynomials import Rate
from dpbandits.audit.exact.loss import OutOfReach, certified
from dpbandits.audit.exact.methods import (
    adap_ucb_game,
    episodic_candidates,
    exact_loss,
    lazy_ucb_game,
)
from dpbandits.audit.exact.one_bit import player
from dpbandits.audit.targets.decisions import target_of
from dpbandits.audit.targets.games import game_on
from dpbandits.authoring import UNIT_INTERVAL, local_dp, pull, rounds_left
from dpbandits.contracts.algorithm import from_function
from dpbandits.game import pulls_of
from dpbandits.parts.indices.radii import kl_upper
from dpbandits.parts.noise.local_randomizers import send_bit
from dpbandits.running.play import play_loop

pytestmark = pytest.mark.extra("flint")
VALUES = {
    "adap_ucb": {"alpha": 3.1},
    "anytime_lazy_ucb": {"log": "natural"},
    "dp_se": {"beta": 1.0},
    "dpr_se": {"u": 1.0, "v": 0.5, "c": 1.0, "beta": 1.0},
    "prae_r": {"k": 2.0, "alpha1": 0.0, "delta": 0.5, "constants": "unit", "forced": "batch"},
}
EPISODIC = {"adap_ucb": adap_ucb_game, "anytime_lazy_ucb": lazy_ucb_game}


def loss(name, horizon, eps=1.0):
    return exact(name, VALUES[name], eps, horizon)


def exact(name, values, eps, horizon, arms=2):
    return exact_loss(target_of(algorithm(name), eps, values), horizon, arms)


def numbers(name):
    return algorithm(name).numbers(VALUES.get(name, {}))


def game_of(name, weakness=1.0):
    """How the package describes an episodic algorithm at eps 1; a twin has noise x ``weakness``."""
    game = EPISODIC[name](numbers(name), 1.0)
    return replace(game, rate=game.rate / weakness)


def loss_of_twin(name, horizon):
    """With 4/10 of the noise."""
    return certified(lambda: episodic_candidates(game_of(name, 0.4), horizon), 1e-6)


def frequencies(name, table, eps, runs, since=0):
    """How often the compiled algorithm plays each sequence of actions after some rounds."""
    T = len(table)
    rounds = np.arange(max(since, 1), T + 1)
    made = algorithm(name)
    game = game_on(target_of(made, eps, {}), table.astype(float), checkpoints=rounds)
    values = numbers(name) | {"eps": eps, "eps_min": eps}
    arguments = tuple(float(values[x]) for x in made.domains)
    traces, _ = play_loop(made, game, np.random.default_rng(0), arguments, runs)
    pulls = pulls_of(traces, T)
    if since == 0:
        pulls = np.concatenate([np.zeros_like(pulls[:, :1]), pulls], axis=1)
    actions = np.diff(pulls, axis=1).argmax(axis=2)
    sequences, counts = np.unique(actions, axis=0, return_counts=True)
    return {tuple(map(int, s)): int(n) for s, n in zip(sequences, counts, strict=True)}


def deviation(counts, probability, runs):
    """The largest distance of a frequency from its probability, in standard errors."""
    assert set(counts) <= set(probability)
    worst = 0.0
    for actions, p in probability.items():
        error = math.sqrt(max(p * (1 - p), 1e-9) / runs)
        worst = max(worst, abs(counts.get(actions, 0) / runs - p) / error)
    return worst


def on_table(game, table):
    """The exact probability of each sequence of actions on rewards that are fixed in advance."""
    T, found = len(table), {}
    for leaf in sequences(game, T, all_cases):
        at = tuple(int(sum(table[t, leaf.actions[t]] for t in r)) for r in leaf.releases)
        found[leaf.actions] = float(leaf.probability[at])
    return found


def all_cases(sizes):
    return set(product(*(range(n + 1) for n in sizes)))


@pytest.mark.slow
def test_values_of_a_numerical_prototype():
    """Controls: 4/10 of the noise gives 10/4 of the loss, and is found not to be private."""
    short, long = loss("adap_ucb", 8), loss("adap_ucb", 15)
    assert (short.low, short.high) == pytest.approx((0.9999753133,) * 2, abs=1e-10)
    assert 1 - 1e-12 < long.low <= long.high <= 1 + 1e-9
    twin = loss_of_twin("adap_ucb", 15)
    assert twin.low > 2.4999999 and twin.high < 2.5 + 1e-9
    assert loss_of_twin("anytime_lazy_ucb", 8).low > 2.49


@pytest.mark.parametrize("eps", [0.1, 2.0])
@pytest.mark.parametrize("name", EPISODIC)
def test_a_loss_is_enclosed_and_within_the_promise(name, eps):
    """The loss at a longer horizon is no smaller: the first actions are the same."""
    before = 0.0
    for T in (2, 4, 8):
        found = loss(name, T, eps)
        assert 0 <= found.high - found.low <= 1e-6
        assert before <= found.high <= eps * (1 + 1e-9)
        before = found.low
    assert before > 0.9 * eps


@pytest.mark.parametrize("T", [5, 7])
@pytest.mark.parametrize("name", EPISODIC)
def test_extreme_rewards_are_the_worst(name, T):
    """For each sequence of actions, against all tables of 0 and 1; control: not any rewards are."""
    game = game_of(name)
    weaker = 0
    for leaf in sequences(game, T, all_cases):
        sizes = tuple(len(rounds) for rounds in leaf.releases)
        extreme = {frozenset(pair) for pair in extreme_pairs(sizes)}
        losses = {True: 0.0, False: 0.0}
        for case, i in product(all_cases(sizes), range(len(sizes))):
            if case[i] < sizes[i]:
                other = (*case[:i], case[i] + 1, *case[i + 1 :])
                ratio = (leaf.probability[case] / leaf.probability[other]).log()
                among = frozenset((case, other)) in extreme
                losses[among] = max(losses[among], abs(float(ratio)))
        assert losses[False] <= losses[True] + 1e-12
        weaker += losses[False] < losses[True] - 1e-6
    assert weaker


@pytest.mark.slow
@pytest.mark.parametrize(("name", "T"), [("adap_ucb", 9), ("anytime_lazy_ucb", 9)])
def test_probabilities_are_those_of_the_compiled_algorithm(name, T):
    """Control: the probabilities of a twin with 0.8 of the noise are rejected."""
    runs = 200_000
    table = np.random.default_rng(5).integers(2, size=(T, 2))
    counts = frequencies(name, table, 1.0, runs)
    exact = on_table(game_of(name), table)
    assert sum(exact.values()) == pytest.approx(1.0, abs=1e-12)
    assert deviation(counts, exact, runs) < 5
    twin = on_table(game_of(name, weakness=0.8), table)
    assert sum(twin.values()) == pytest.approx(1.0, abs=1e-12)
    assert deviation(counts, twin, runs) > 5


@pytest.mark.slow
def test_an_index_that_is_off_is_seen():
    """Control of the comparison with the compiled algorithm: a bonus of 0.9 is rejected."""
    runs, table = 200_000, np.random.default_rng(5).integers(2, size=(9, 2))
    game = game_of("adap_ucb")
    off = Episodic(lambda n, t: 0.9 * game.bonus(n, t), game.rewards, True, game.rate)
    assert deviation(frequencies("adap_ucb", table, 1.0, runs), on_table(off, table), runs) > 5


def density(x):
    """Of the sum of two Laplace variables of scale 1."""
    return (1 + abs(x)) * np.exp(-abs(x)) / 4


def test_the_tail_of_two_laplace_variables():
    x = np.linspace(-60, 60, 1_200_001)
    for border in (-7.0, -0.5, 0.0, 2.0, 11.0):
        above = np.trapezoid(np.where(x > border, density(x), 0.0), x)
        assert float(tail(exactly(border))) == pytest.approx(above, rel=1e-4)


@pytest.mark.slow
def test_an_epoch_of_dp_se():
    """The prototype's .931 is a gap of 0.3 in epochs of 10 pulls; brute force over all sums.

    Control: with 4/10 of the noise the loss exceeds the budget.
    """
    removed, kept = endings(10, 0.3, 1.0)
    assert ratio(removed) == pytest.approx(1 - math.log(15 / 14)) == pytest.approx(0.931, abs=1e-4)
    for found in (removed, kept):
        worst = worst_of_all(found is removed, 10, 3.0)
        assert abs(ratio(found)) == pytest.approx(worst, rel=1e-4)
    assert abs(ratio(next(endings(10, 0.3, 1 / 0.4)))) > 1.5


def ratio(found):
    first, second, *_ = found
    return float((second / first).log())


def worst_of_all(removes, R, border):
    """Over all differences of sums."""
    z = np.linspace(-80, 80, 800_001)

    def probability(d):
        inside = z > border - d if removes else abs(z + d) <= border
        return np.trapezoid(np.where(inside, density(z), 0.0), z)

    p = np.array([probability(d) for d in range(-R, R + 1)])
    return abs(np.diff(np.log(p))).max()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dp_se", "dpr_se", "prae_r"])
def test_epochs_are_those_of_the_compiled_algorithm(name):
    """How often the first epoch removes arm 1; control: with one more reward it differs."""
    runs = 100_000
    if name == "dp_se":
        (R, width), B = dp_se.epoch(1, 2, 1.0, 1.0), 0.5
    elif name == "dpr_se":
        R, B, width = dpr_se.epoch(1, 2, 1.0, *numbers(name).values())
    else:
        R, B, width = prae_r.batch(1, 1.0, *[*numbers(name).values()][:4])
    R = int(R)
    border = exactly(width) * R / exactly(2 * B)
    d = int(float(Fraction(int(border.p), int(border.q))))  # in units of 2B
    # one arm after the other, or in turn; in the last two rounds arm 0 twice if it alone is left
    step, T = (1, 4 * R + 2) if name == "prae_r" else (2, 2 * R + 2)
    table = np.full((T, 2), 0.0 if name == "dp_se" else -B)
    table[: step * d : step, 0] += 2 * B
    counts = frequencies(name, table, 1.0, runs, since=T - 2)
    share = counts[0, 0] / runs
    p, off = (float(tail(border - exactly(x))) for x in (d, d + 1))
    error = math.sqrt(p * (1 - p) / runs)
    assert abs(share - p) < 5 * error < abs(share - off)


def test_the_index_of_adap_klucb_saturates():
    """Why its exact loss is out of reach: a tie from .9 on, and rounding just below."""
    p = np.linspace(0.85, 1.0, 10_001)
    index = np.array([kl_upper(x, 3.1 * math.log(3)) for x in p])
    assert (index[p >= 0.9] == 1.0).all() and index[0] < 1.0
    longer = np.diff([kl_upper(x, 3.1 * math.log(6) / 2) for x in np.linspace(0.9, 0.92, 10_001)])
    assert -1e-15 < longer.min() < 0.0


@pytest.mark.parametrize("eps", [1e-60, 1e-3, 50.0])
def test_budgets_of_any_size(eps):
    found = exact("adap_ucb", VALUES["adap_ucb"], eps, 6)
    assert 0.8 * eps < found.low <= found.high <= eps * (1 + 1e-9)
    assert found.high - found.low <= 1e-6 * min(eps, 1.0)


def test_dpr_se_at_long_horizons():
    """With the paper's constants; control: 8/10 of the noise exceeds the budget."""
    values = VALUES["dpr_se"] | {"c": 24.0, "beta": 1e-10}
    found = exact("dpr_se", values, 0.5, 10**10)
    assert 0.4999 < found.low <= found.high < 0.5 and "in units of" in found.rewards[0]
    R, B, width = dpr_se.epoch(1, 2, 0.5, *values.values())
    first, second, *_ = next(endings(int(R), width, 0.5 / 0.8, 2 * B))
    assert float((second / first).log()) > 0.62


@pytest.mark.parametrize("alpha1", [0.0, 0.05])
def test_prae_r_at_long_horizons(alpha1):
    """Its forced batches take rounds, and no budget; control: 8/10 of the noise exceeds it."""
    values = VALUES["prae_r"] | {"alpha1": alpha1, "delta": 1e-6}
    found = exact("prae_r", values, 0.5, 10**6)
    assert 0.4999 < found.low <= found.high < 0.5
    until = 3 * math.log(4e6) / alpha1 if alpha1 else 0
    first = 2 ** max(math.ceil(math.log2(max(until, 1))), 1)  # the first batch that is not forced
    T = (first - 2) + 2 * first
    assert exact("prae_r", values, 0.5, T).event.startswith("epoch 1 of")
    with pytest.raises(OutOfReach, match=f"the first epoch has 2 x {first} rounds"):
        exact("prae_r", values, 0.5, T - 1)
    others = [*algorithm("prae_r").numbers(values).values()][:4]
    R, M, width = prae_r.batch(math.log2(first), 0.5, *others)
    p, q, *_ = next(endings(int(R), width, 0.5 / 0.8, 2 * M))
    assert float((q / p).log()) > 0.55


@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_dp_se_at_long_horizons(eps):
    found = loss("dp_se", 10**6, eps)
    assert 0.999 * eps < found.low <= found.high < eps
    assert "removes arm 1" in found.event
    with pytest.raises(OutOfReach, match="the first epoch has 2 x 355 rounds"):
        loss("dp_se", 100, 1.0)


@pytest.mark.parametrize(("name", "K", "T"), [("heldp_ucb_b", 2, 8), ("heldp_ucb_bs", 3, 6)])
def test_one_bit_is_all_that_actions_reveal(name, K, T):
    for eps in (0.1, 1.0):
        found = exact(name, {}, eps, T, K)
        assert found.low == pytest.approx(eps, rel=1e-12) and found.high - found.low < 1e-14


@pytest.mark.parametrize("K", [2, 5])
def test_two_rounds_of_bits_reveal_nothing(K):
    """Each arm is pulled once first, so that no action depends on the only bit."""
    found = exact("heldp_ucb_b", {}, 1.0, 2, K)
    assert 0.0 == found.low <= found.high < 1e-15 and found.event == "actions 01"


@pytest.mark.slow
@pytest.mark.parametrize(("K", "T"), [(2, 7), (3, 6)])
def test_probabilities_of_bits_are_those_of_the_compiled_algorithm(K, T):
    """On rewards that depend on the round; control: those of another budget are rejected."""
    runs, rewards = 100_000, np.array([1, 0, 1, 1, 0, 1, 0])[:T]
    table = np.repeat(rewards[:, None], K, axis=1)
    counts = frequencies("heldp_ucb_b", table, 1.0, runs)
    for eps, fits in ((1.0, True), (0.8, False)):
        play = player(target_of(algorithm("heldp_ucb_b"), eps, {}), K)
        found, unit = one_bit.probabilities(play, T, (0.0, 1.0))
        assert all(total == unit for total in sum(found.values()).ravel())
        exact = {a: float(Fraction(p[tuple(rewards[:-1])], unit)) for a, p in found.items()}
        assert (deviation(counts, exact, runs) < 5) is fits


def test_rewards_between_the_extremes_lose_no_more():
    """The weight of an event is linear in the law of each bit."""
    event = np.random.default_rng(3).integers(2, size=(2, 2, 2)).astype(object)
    law = np.array([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    most, *_ = one_bit.worst_neighbours(one_bit.over_bits(event, law))
    middle = np.array([[Fraction(3, 5), Fraction(2, 5)], [Fraction(1, 3), Fraction(2, 3)]])
    assert one_bit.worst_neighbours(one_bit.over_bits(event, middle))[0] < most


def played(choose):
    """An algorithm that pulls arm 0 and then the arm of ``choose(rng, reward, eps)``."""

    def bits(game, rng, eps_min):
        a = 0
        while rounds_left(game) > 0:
            a = int(choose(rng, pull(game, a), eps_min))

    made = from_function(bits, "algo", UNIT_INTERVAL, local_dp("a test", send_bit))
    return lambda: exact_loss(target_of(made, 1.0, {}), 5)


def test_twins_with_local_privacy():
    """A bit of twice the budget is measured; raw rewards and other draws are refused."""
    assert played(send_bit)().high == pytest.approx(1.0, rel=1e-12)
    assert played(lambda rng, x, eps: send_bit(rng, x, 2 * eps))().low > 1.99
    with pytest.raises(OutOfReach, match="with the same bits and other rewards"):
        played(lambda rng, x, eps: max(send_bit(rng, x, eps), x))()
    with pytest.raises(OutOfReach, match="something other than one bit"):
        played(lambda rng, x, eps: send_bit(rng, x, eps) * send_bit(rng, x, eps))()
    with pytest.raises(OutOfReach, match="something other than one bit"):
        played(lambda rng, x, eps: rng.normal() > 0)()
    with pytest.raises(OutOfReach, match="change from round to round"):
        levels = iter(np.linspace(1.0, 2.0, 1000))
        played(lambda rng, x, eps: send_bit(rng, x, next(levels)))()


def value(f, x):
    """The value of a piecewise function; a breakpoint belongs to the piece on its left."""
    place = exactly(x)
    return f._value(f.pieces[bisect_left(f.places, place)], place)


def test_exponential_polynomials():
    """Products, shifts and integrals, against numerical integration."""
    unit = Rate(exactly(0.5))
    f, g = unit.laplace(1, exactly(0.25)), unit.laplace(4, exactly(-1.0))
    h = f * (g.integral().shifted(exactly(2.0)) - g.integral().shifted(exactly(-0.75)))
    x = np.linspace(-90, 90, 1_800_001)

    def law(rate, center):
        return rate / 2 * np.exp(-rate * abs(x - center))

    F = np.cumsum(law(2.0, -1.0)) * (x[1] - x[0])
    between = np.interp(x + 2.0, x, F) - np.interp(x - 0.75, x, F)
    values = law(0.5, 0.25) * between
    assert float(h.total()) == pytest.approx(np.trapezoid(values, x), rel=1e-4)
    for at in (-3.0, -1.5, 0.25, 0.5, 4.0):
        assert float(value(h, at)) == pytest.approx(np.interp(at, x, values), rel=1e-3)
    square = (f * f).integral()  # rates that cancel leave powers of x
    assert (f * unit.laplace(1, exactly(3.0))).integral().pieces[1][0].degree() == 1
    assert float(value(square, 0.25)) == pytest.approx(0.5 * 0.125)


@pytest.mark.parametrize(
    ("name", "horizon", "arms", "reason"),
    [
        ("adap_ucb", 10**6, 2, "in reach are horizons up to 31"),
        ("adap_ucb", 8, 3, "in reach are 2 arms"),
        ("heldp_ucb_b", 40, 2, "in reach are horizons up to 11"),
        ("dp_klucb", 8, 2, "the sum of all earlier ones"),
        ("adap_klucb", 8, 2, "in reach is adap_ucb"),
        ("adac_ucb", 8, 2, "its promise is a mu"),
        ("prae_c", 8, 2, "a mode of noisy bins"),
        ("dist_dp_se", 8, 2, "in reach is dp_se"),
        ("ctl_ucb", 8, 2, "one response is known exactly"),
    ],
)
def test_what_is_out_of_reach_says_why(name, horizon, arms, reason):
    values = {"alpha": 3.1, "eps_min": 1.0}
    with pytest.raises(OutOfReach, match=reason) as refused:
        exact(name, values, 1.0, horizon, arms)
    assert "\n" not in str(refused.value) and "{" not in str(refused.value)


@pytest.mark.parametrize(
    ("trust", "reason"),
    [
        ("shuffler", "of a sum with coins is infinite"),
        ("server", "of Gaussian noise has no bound"),
        ("nobody", "draws something other than one bit"),
    ],
)
def test_the_reason_is_about_the_option(trust, reason):
    values = {"delta": 1e-5, "p": 0.1, "trust": trust}
    with pytest.raises(OutOfReach, match=reason):
        exact("shuffle_se", values, 1.0, 7)


@pytest.mark.parametrize(("name", "eps", "horizon"), [("adap_ucb", 1e4, 5), ("dp_se", 1.0, 100)])
def test_a_loss_out_of_reach_is_named(name, eps, horizon):
    """Since several budgets and horizons may be asked for at once."""
    with pytest.raises(OutOfReach, match=rf"^{name} at eps={eps:g}, horizon={horizon}: \w+"):
        exact(name, VALUES[name], eps, horizon)

"""NPRR: the law of a response, the loss of its authors' code, intervals that hold at all times."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from helpers import algorithm, broken_twin, defaults, setting
from refusals import message_of

import dpbandits as dp
from dpbandits.audit.alignment.align import align
from dpbandits.audit.exact.one_bit import ScriptedUniforms
from dpbandits.audit.exact.release import release_loss
from dpbandits.audit.targets.decisions import target_of
from dpbandits.audit.targets.publishing import LocalRandomizerTarget
from dpbandits.contracts.question import STOPPING
from dpbandits.results.intervals import clopper_pearson
from dpbandits.running.play import play_many
from dpbandits.stopping.nprr_ab import kept, respond, weight_at

GRIDS = (1, 2, 3, 8)
BUDGETS = (0.1, 1.0, 2.0)


def law(x, G, q):
    """P(z = k/G) by the definition, for e^eps = q and x a fraction."""
    r, j = (q - 1) / (q + G), min(math.floor(G * x), G - 1)
    rounded = {j: 1 - (G * x - j), j + 1: G * x - j}
    return [r * rounded.get(k, 0) + (1 - r) / (G + 1) for k in range(G + 1)]


def law_of_code(x, G, eps):
    """From what the randomizer compares its uniform number with."""
    rng = ScriptedUniforms((False,) * G)
    assert respond(rng, float(x), kept(eps, G), G) == 1.0
    return np.diff([0.0, *rng.chances, 1.0])


@pytest.mark.parametrize("G", GRIDS)
@pytest.mark.parametrize("eps", BUDGETS)
def test_the_law_of_a_response_is_its_definition(G, eps):
    for x in [Fraction(i, 24) for i in range(25)]:
        found = law_of_code(x, G, eps)
        assert found == pytest.approx([float(p) for p in law(x, G, Fraction(math.exp(eps)))])
        mean = np.arange(G + 1) @ found / G
        r = kept(eps, G)
        assert mean == pytest.approx(r * float(x) + (1 - r) / 2)
        outcomes = [respond(ScriptedUniforms((False,) * k + (True,)), float(x), r, G)
                    for k in range(G)]  # fmt: skip
        assert outcomes == [k / G for k in range(G)]


def largest_ratio(laws):
    """Of the probabilities of an outcome under two of the laws."""
    pairs = permutations(laws, 2)
    return max(p / s for one, two in pairs for p, s in zip(one, two, strict=True))


@pytest.mark.parametrize("G", GRIDS)
@pytest.mark.parametrize("q", [Fraction(11, 10), Fraction(3), Fraction(8)])
def test_the_largest_ratio_of_a_response_is_exactly_that_of_the_budget(G, q):
    """All points, and all pairs of rewards on the grid and between its points."""
    laws = [law(Fraction(i, 2 * G), G, q) for i in range(2 * G + 1)]
    assert largest_ratio(laws) == q


def law_of_authors(x, G, q):
    """The law of their code: the uniform point is round(u G)/G with u uniform in [0, 1], so that
    each end has half of the mass of another point.
    """
    r, j = (q - 1) / (q + G), min(math.floor(G * x), G - 1)
    rounded = {j: 1 - (G * x - j), j + 1: G * x - j}
    uniform = [Fraction(1, 2 * G if k in (0, G) else G) for k in range(G + 1)]
    return [r * rounded.get(k, 0) + (1 - r) * uniform[k] for k in range(G + 1)]


@pytest.mark.parametrize("G", GRIDS)
def test_the_uniform_point_of_the_authors_code_spends_more(G):
    """docs/errata.md: the loss is ln(1 + 2 G (e^eps - 1)/(G + 1)), eps for G = 1 only."""
    for q in (Fraction(11, 10), Fraction(3), Fraction(8)):
        laws = [law_of_authors(Fraction(i, G), G, q) for i in range(G + 1)]
        worst = largest_ratio(laws)
        assert worst == 1 + 2 * G * (q - 1) / (G + 1)
        assert (worst == q) == (G == 1) and worst >= q
    e = math.exp(2.0)
    assert round(math.log(1 + 2 * 3 * (e - 1) / 4), 2) == 2.36


def hidden_law(x, Z, G, q):
    """P(z) of the message of a user whose device drew Z."""
    return law((2 * x * Z - 2 * x * (1 - Z) + 2) / 4, G, q)


@pytest.mark.parametrize("G", GRIDS)
def test_a_message_that_hides_the_arm_is_private_for_arm_and_reward_together(G):
    q = Fraction(3)
    laws = [hidden_law(Fraction(i, 4), Z, G, q) for i, Z in product(range(5), (0, 1))]
    assert largest_ratio(laws) == q


@pytest.mark.slow
def test_a_hidden_arm_leaves_decisions_that_hide_a_reward():
    """A reward alone moves the message half of the way, so that it spends less."""
    own = defaults("nprr_ab") | {"delta": 0.5, "assignment": "hidden"}
    found = align(target_of(algorithm("nprr_ab"), 1.0, own, (64, 512), (2,)), 8, seed=1)
    assert found.holds and found.entered > 0
    assert found.spent == pytest.approx(math.log((1 + math.e) / 2), abs=0.01)


@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("assignment", ["open", "hidden"])
def test_the_audit_s_response_is_that_of_the_grid(eps, assignment):
    """The exact loss of the default; a finer grid compares its number several times."""
    own = defaults("nprr_ab") | {"delta": 0.5, "assignment": assignment}
    target = LocalRandomizerTarget(algorithm("nprr_ab"), eps, own)
    assert release_loss(target) == pytest.approx(eps)
    finer = LocalRandomizerTarget(algorithm("nprr_ab"), eps, own | {"grid": 3.0})
    z, rng = np.zeros(1), np.random.default_rng(0)
    seen = {float(z[0]) for _ in range(200) if finer.output(rng, np.array([1.0]), z) is None}
    assert seen == {0.0, 1 / 3, 2 / 3, 1.0}


# Intervals at all times at once


def misses(mean, G, eps, a, runs, horizon, width=1.0, fixed=False):
    """In how many runs the interval of the package's formula misses the mean at any time t."""
    rng, r = np.random.default_rng(7), kept(eps, G)
    p = np.cumsum(mean * np.array(law_of_code(1, G, eps)) + (1 - mean) * law_of_code(0, G, eps))
    l = math.log(2 / a)
    t = np.arange(1, horizon + 1)
    weight = np.minimum(1, np.sqrt(8 * l / (t * np.log(t + 1))))
    if fixed:
        weight = np.ones(horizon)  # Hoeffding's interval of each t alone
    found = 0
    for some in np.array_split(np.arange(runs), max(runs // 500, 1)):
        z = np.searchsorted(p, rng.random((len(some), horizon)), side="right") / G
        center = np.cumsum(weight * (z - (1 - r) / 2), axis=1) / (r * np.cumsum(weight))
        radius = (l + np.cumsum(weight**2) / 8) / (r * np.cumsum(weight))
        if fixed:
            radius = np.sqrt(l / (2 * t)) / r
        found += int((np.abs(center - mean) > width * radius).any(axis=1).sum())
    return found


@pytest.mark.long
@pytest.mark.parametrize("lag", [1, 300, 5000])
def test_arms_share_weights_and_one_that_is_far_behind_computes_its_own(lag):
    """Two arms, one ``lag`` responses behind the other, with room for 1,024 weights."""
    l, weights, known, found = math.log(2 / 0.05), np.full(1024, np.nan), 0, []
    for n in range(1, 10_001):
        for t in (n, n - lag):
            if t > 0:
                weight, known = weight_at(t, weights, known, l)
                found.append((t, weight))
    t, weight = np.array(found).T
    assert weight == pytest.approx(np.minimum(1, np.sqrt(8 * l / (t * np.log(t + 1)))), rel=1e-14)


def share(k, runs):
    """The interval of a probability, for what has happened in k runs."""
    low, high = clopper_pearson(np.array([float(k)]), np.array([float(runs)]))
    return low[0], high[0]


@pytest.mark.slow
@pytest.mark.parametrize("G", [1, 3])
@pytest.mark.parametrize(("mean", "eps"), [(0.5, 2.0), (0.05, 0.5)])
def test_the_interval_holds_at_all_times(mean, eps, G):
    """10,000 runs of 3,000 users; the controls are half of the width and an interval for one t."""
    runs, a = 10_000, 0.1
    assert share(misses(mean, G, eps, a, runs, 3000), runs)[1] <= a
    assert share(misses(mean, G, eps, a, runs, 3000, width=0.5), runs)[0] > a
    if G == 1:  # the variance of other responses is below that which Hoeffding allows for
        assert share(misses(mean, G, eps, a, runs, 3000, fixed=True), runs)[0] > a


HALF = "l + Q[a] / 8.0", "0.5 * (l + Q[a] / 8.0)"
WHOLE = "(1.0 - r) / 2.0)", "(1.0 - r))"


def stopped(mistake, assignment, G, delta, runs, cap):
    """The interval of the share of runs in which the rule, or a twin, names one of equal arms."""
    given = {"env": dp.bernoulli([0.5, 0.5]), "eps": 2.0, "delta": delta, "cap": cap, "seed": 5}
    found = setting(STOPPING, rule="nprr_ab", assignment=assignment, grid=G, **given)
    if mistake:
        function = broken_twin("nprr_ab", *mistake)
        found = replace(found, algorithm=replace(found.algorithm, function=function))
    answers = np.array([record.answer for record in play_many(found, range(runs))])
    return share(np.isfinite(answers).sum(), runs)


@pytest.mark.slow
@pytest.mark.parametrize("G", [1, 3])
@pytest.mark.parametrize("assignment", ["open", "hidden"])
def test_the_kernel_s_intervals_hold_at_all_times(assignment, G):
    """The rule stops if its intervals exclude that the means are equal: with hidden arms in 7.1 %
    (G = 1) and .6 % (G = 3) of 10,000 runs; with open arms, where two intervals have to miss
    together, in .05 % and .01 %.

    The controls: half of the radius stops 15 to 71 % of the runs. With hidden arms, 1 - r for the
    mean (1 - r)/2 of random responses stops all. With open arms, that mean cancels.
    """
    given = assignment, G, 0.1, 10_000, 3000
    assert stopped(None, *given)[1] <= 0.1
    for mistake in (HALF, WHOLE) if assignment == "hidden" else (HALF,):
        assert stopped(mistake, *given)[0] > 0.1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"env": dp.bernoulli([0.3, 0.6, 0.2])}, "it has 3 arms, but nprr_ab assumes two arms"),
        ({"grid": 1.5}, "rule.grid=1.5: a whole number from 1 to 100 is needed"),
        ({"grid": 101}, "rule.grid=101: a whole number from 1 to 100"),
        ({"assignment": "opem"}, "rule.assignment=opem: open or hidden"),
        ({"alpha": 0.1}, "alpha: nprr_ab takes no alpha; it takes delta, shuffle_arms"),
        ({"env": dp.gaussian([0.3, 0.6])}, "assumes rewards in [0, 1]"),
    ],
)
def test_bad_input_is_one_line(given, words):
    said = message_of(dp.stop, "nprr_ab", **{"env": dp.bernoulli([0.3, 0.6]), "runs": 1, **given})
    assert words in said and "\n" not in said

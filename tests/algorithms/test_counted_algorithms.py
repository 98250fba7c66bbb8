"""DP-UCB, its tight version and DPR-UCB with other trees and calibrated bonuses."""

import importlib
import itertools

import numpy as np
import pytest
import references
from conformance import C2, PARETO
from helpers import Fault, algorithm, mutant, play, table
from test_injected_noise import kernel_plays, reference_plays, setting

from dpbandits.parts.counting import chernoff, counters, honaker, kary, node_scales, trees
from dpbandits.parts.indices import counted_optimism
from dpbandits.parts.indices.optimism import exhaustive_optimism

TREES, BONUSES = ("binary", "honaker", "kary"), ("literal", "calibrated")
VARIANTS = [pair for pair in itertools.product(TREES, BONUSES) if pair != ("binary", "literal")]
BASE = {"dp_ucb": {}, "dp_ucb_bound": {}, "dpr_ucb": {"c": 0.1, "u": 1.0, "v": 0.5}}
COUNTED = [(name, *variant) for name in BASE for variant in VARIANTS]


def game_of(name, tree, bonus, eps, trial=1, **changes):
    """The reference minimises numerically for each arm in each round: 400 rounds."""
    return setting(name, eps, trial, T=400, tree=tree, bonus=bonus, **BASE[name] | changes)


@pytest.mark.parametrize(("tree", "bonus"), VARIANTS)
def test_without_noise_dp_ucb_is_ucb(tree, bonus):
    """Of a calibrated bonus nothing is left; nor is of the literal one, which is divided by eps."""
    rewards = np.random.default_rng(3).random((1500, 4))
    every = {"checkpoints": np.arange(1, 1501)}
    found = play("dp_ucb", table(rewards), 1500, eps=np.inf, tree=tree, bonus=bonus, **every)
    assert (found == play("ucb", table(rewards), 1500, **every)).all()


def every_index_in_every_round(game, rng, literal, least, budget, tree, bonus):
    """``dp_ucb_with_counters`` by its definition."""
    own = counters.new_counters(
        len(game.counts), game.horizon, int(tree), int(bonus), 1.0, 0.0, budget
    )

    def observe(_, rng, pull, statistics):
        N, S = statistics[0] + 1.0, statistics[2] + pull.x
        return N, S + counters.counter_noise(own, rng, pull.a, int(N)), S

    def index(_, a, log_t, statistics):
        N, total, _ = statistics
        value = counters.noise_bonus(own, a, log_t, literal)
        return (total + value) / N + np.sqrt(2.0 * max(log_t, least) / N)

    exhaustive_optimism(observe, index)(game, rng, None)


@pytest.mark.slow
@pytest.mark.parametrize("eps", [1.0, 0.01, 30.0, np.inf])
@pytest.mark.parametrize(
    ("name", "tree", "bonus"), [variant for variant in COUNTED if variant[0] != "dpr_ucb"]
)
def test_the_arm_of_largest_index_is_played_in_every_round(name, tree, bonus, eps, monkeypatch):
    T, module = 2500, importlib.import_module(f"dpbandits.algorithms.{name}")
    given = {"eps": eps, "tree": tree, "bonus": bonus, "checkpoints": np.arange(1, T + 1)}
    found = play(name, C2, T, **given)
    monkeypatch.setattr(module, "dp_ucb_with_counters", every_index_in_every_round)
    assert (found == play(name, C2, T, plain=True, **given)).all()


# Controls

FAULTS = {
    "half the noise": (
        node_scales.node_scale,
        lambda scale: lambda scales, end: scale(scales, end) / 2,
        COUNTED,
    ),
    "a level too few": (
        trees.tree_node_scale,
        lambda scale: lambda levels, sensitivity, eps: scale(levels - 1, sensitivity, eps),
        COUNTED,
    ),
    "a level of a k-ary tree too few": (
        kary.kary_levels,
        lambda levels: lambda T, k: max(levels(T, k) - 1, 2),
        [("dp_ucb", "kary", "literal"), ("dpr_ucb", "kary", "calibrated")],
    ),
    "a quantile at half of l": (
        chernoff.noise_quantile,
        lambda quantile: lambda noise, a, l: quantile(noise, a, l / 2),
        [variant for variant in COUNTED if variant[2] == "calibrated"],
    ),
    "a binary tree": (
        honaker.honaker_noise,
        lambda noise: (
            lambda own, rng, a, n, scales: counters.tree_noise(
                own.prefix, a, n, counters.laplace(rng, node_scales.node_scale(scales, float(n)))
            )
        ),
        [variant for variant in COUNTED if variant[1] == "honaker"],
    ),
}
SUFFERING = [(fault, *variant) for fault, (_, _, those) in FAULTS.items() for variant in those]


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "name", "tree", "bonus"), SUFFERING)
def test_a_fault_is_seen(fault, name, tree, bonus):
    function, become, _ = FAULTS[fault]
    given = game_of(name, tree, bonus, 4.0)
    try:
        assert Fault(function, become).is_seen([(given, reference_plays(given))], kernel_plays)
    except IndexError:  # of a tree that is too small
        assert "too few" in fault


MUTANTS = [
    ("dp_ucb", "bonus) / N[a] + math.sqrt(2.0", "bonus) / N[a] + math.sqrt(1.0"),
    ("dp_ucb", "x + bonus + gain", "x + 2.0 * bonus + gain"),
    ("dp_ucb", "(total + q - u * l + MARGIN", "(total - u * l + MARGIN"),
    ("dp_ucb", "bounds.slope[a] = u / N", "bounds.slope[a] = -u / N"),
    ("dp_ucb", "while N[a] > 0.0 and computed[a] < t", "while N[a] > 0.0 and computed[a] < 1"),
    ("dp_ucb", "1.0, 0.0, budget", "2.0, 0.0, budget"),
    ("dpr_ucb", "int(N)), S", "int(N) + 1), S"),
    ("dp_ucb_bound", "bonus) / N[a] + math.sqrt(2.0", "bonus) / N[a] + math.sqrt(1.0"),
    ("dp_ucb_bound", "math.sqrt(2.0 * max(log_t, least) / N[a])", "math.sqrt(2.0 * log_t / N[a])"),
    ("dpr_ucb", "u * B**-v", "B**-v / 2.0"),
    ("dpr_ucb", "S += truncate(pull.x, B) + bias", "S += truncate(pull.x, B)"),
    ("dpr_ucb", "2.0 * u * B ** (1.0 - v)", "u * B ** (1.0 - v)"),
    ("dpr_ucb", "B * l / (3.0 * N)", "B * l / N"),
    ("dpr_ucb", "2.0 * first", "first"),
    ("dpr_ucb", "4.0 * log_t + math.log(2.0)", "4.0 * log_t"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "right", "wrong"), MUTANTS)
def test_a_wrong_formula_is_seen(name, right, wrong, monkeypatch):
    games = [game_of(name, "kary", "calibrated", eps) for eps in (4.0, 20.0)]
    module = importlib.import_module(f"dpbandits.algorithms.{name}")
    played = "dpr_ucb_with_counters" if name == "dpr_ucb" else "dp_ucb_with_counters"
    with mutant(counted_optimism, right, wrong):
        monkeypatch.setattr(module, played, getattr(counted_optimism, played))
        function = getattr(module, name).py_func
        assert any(kernel_plays(g, function=function) != reference_plays(g) for g in games)


def test_the_default_is_the_paper_s_tree_and_bonus():
    for name in BASE:
        assert list(algorithm(name).domains)[-2:] == ["tree", "bonus"]
        chosen = play(name, PARETO if name == "dpr_ucb" else C2, 500)
        given = {"tree": "binary", "bonus": "literal"}
        assert (chosen == play(name, PARETO if name == "dpr_ucb" else C2, 500, **given)).all()
    assert set(references.COUNTERS) == set(TREES)

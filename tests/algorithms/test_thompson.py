"""Games of Thompson sampling have the law of games in which all arms are drawn in every round."""

import importlib.util
import inspect
import math
import sys

import numpy as np
import pytest
from helpers import P_VALUE, SIGMAS, THOMPSON, algorithm, arguments, bernoulli, game_of, mutated
from scipy.stats import kstest

from dpbandits.parts.means import largest_draw
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator

# Exploration makes up for rounds in which a wrong bound has hidden an arm: many games are needed
MEANS, T, RUNS = (0.9, 0.3, 0.3, 0.3), 2000, 48_000
EPS = {"dp_ts": 1000.0, "lazy_dp_ts": 300.0, "ts": math.inf}
CHANGES = {
    "right": ("OFTEN = 0.25", "OFTEN = 0.25"),
    # in plain Python these games are, round by round, those of the slow references
    "direct": ("OFTEN = 0.25", "OFTEN = -1.0"),
    "too small": ("return -math.log1p(-q)", "return -0.9 * math.log1p(-q)"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


def imported(module, name, folder, right="", wrong=""):
    """A copy of a module of the package, with a change."""
    file = folder / f"{name.replace(' ', '_')}.py"
    file.write_text(mutated(inspect.getsource(module), right, wrong))
    spec = importlib.util.spec_from_file_location(f"{module.__package__}.{file.stem}", file)
    copy = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


PULLS = {}


def pulls(name, change, folder):
    """Pulls of each arm in many games, int64 array (runs, K)."""
    if (name, change) not in PULLS:
        part = imported(largest_draw, f"part {change} {name}", folder, *CHANGES[change])
        module = imported(inspect.getmodule(algorithm(name).function), f"{name} {change}", folder)
        module.largest_draw, module.new_race = part.largest_draw, part.new_race
        given, found = arguments(name, EPS[name], T), []
        for run in range(RUNS):
            game = game_of(bernoulli(*MEANS), T, env_rng=generator(1, run, ENVIRONMENT))
            getattr(module, name)(game, generator(len(change), run, LEARNER), *given)
            found.append(game.counts)
        PULLS[name, change] = np.array(found)
    return PULLS[name, change]


def differs(one, other):
    """Whether the laws of pulls do: their means, their variances, or a two-sample test."""
    parts = []
    for x, y in zip(one.T, other.T, strict=True):
        for power in (1, 2):
            a, b = ((z - np.concatenate([x, y]).mean()) ** power for z in (x, y))
            parts.append(abs(a.mean() - b.mean()) / np.sqrt((a.var() + b.var()) / len(x)) > SIGMAS)
        parts.append(kstest(x, y).pvalue < P_VALUE)
    return any(parts)


@pytest.mark.long
@pytest.mark.parametrize("name", THOMPSON)
def test_the_law_is_that_of_draws_of_all_arms(name, folder):
    assert not differs(pulls(name, "right", folder), pulls(name, "direct", folder))


@pytest.mark.long
@pytest.mark.parametrize("name", THOMPSON)
def test_a_bound_that_is_too_small_by_a_tenth_is_noticed(name, folder):
    """Control."""
    assert differs(pulls(name, "too small", folder), pulls(name, "direct", folder))

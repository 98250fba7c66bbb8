"""What several tests need: playing an algorithm, compiled or plain, and its default parameters."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.game import new_game, pulls_at_checkpoints
from dpbandits.inputs import argument
from dpbandits.kernel import PACKAGE
from dpbandits.registry import ALGORITHMS, load
from dpbandits.seeds import ENVIRONMENT, LEARNER, generator

CONF = PACKAGE.parent.parent / "conf"
NAMES = sorted(file.stem for file in (CONF / "algo").glob("*.yaml"))
PRIVATE = [name for name in NAMES if load(ALGORITHMS / f"{name}.py").private]
LOCAL = [name for name in NAMES if load(ALGORITHMS / f"{name}.py").local]
GLOBAL = [name for name in PRIVATE if name not in LOCAL]
SIGMAS = 5.0


def without_noise(name: str) -> float:
    """The eps at which an algorithm adds no noise that matters; users' levels are finite."""
    return 1e9 if name in LOCAL else math.inf


@cache
def defaults(name: str) -> dict:
    return yaml.safe_load(Path(CONF / "algo" / f"{name}.yaml").read_text())


def arguments(name: str, eps: float, T: int, **changes) -> list[float]:
    """The numbers that a kernel receives."""
    values = defaults(name) | changes
    domains = load(ALGORITHMS / f"{name}.py").domains
    values |= {"eps": eps, "eps_min": eps} | changes
    return [argument(p, values[p], domain, T) for p, domain in domains.items()]


def play(
    name,
    spec,
    T,
    eps=1.0,
    seed=0,
    run=0,
    checkpoints=None,
    plain=False,
    crowd=None,
    learner=None,
    **changes,
):
    """Pulls at the checkpoints of one run, int64 array (C, K).

    ``crowd`` is a population of users (default: all of level eps), ``learner`` a generator that
    replaces the learner's own, ``changes`` are parameters of the algorithm.
    """
    function = load(ALGORITHMS / f"{name}.py").function
    if checkpoints is None:
        checkpoints = np.unique(np.geomspace(1, T, 30).astype(int))
    instance = build(spec)
    users = (crowd or homogeneous(eps)).users()
    game = new_game(instance.environment, users, generator(seed, run, ENVIRONMENT), T, checkpoints)
    function = function.py_func if plain else function
    learner = learner or generator(seed, run, LEARNER)
    function(game, learner, *arguments(name, eps, T, **changes))
    return pulls_at_checkpoints(game)


def bernoulli(*means):
    return {"law": "bernoulli", "means": list(means)}


def table(rewards):
    return {"law": "table", "rewards": np.asarray(rewards).tolist(), "file": None}


class Uniform(float):
    """A uniform number that writes down what it is compared with."""

    def __new__(cls, value, chances):
        number = super().__new__(cls, value)
        number.chances = chances
        return number

    def __lt__(self, chance):
        self.chances.append(float(chance))
        return float(self) < chance

"""Helpers of several tests: find algorithms and settings, play games, simulate faults."""

import dataclasses
import importlib
import inspect
import itertools
import math
import sys
import tracemalloc
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType

import numpy as np
import yaml
from scipy.stats import norm
from sweeps import requested

from dpbandits.compiled import answer_of, is_compiled
from dpbandits.contracts.algorithm import Algorithm, find_file, load
from dpbandits.contracts.assumptions import Bounded
from dpbandits.contracts.guarantees import RDP, ZCDP
from dpbandits.contracts.parameters import Named
from dpbandits.contracts.question import ARMS, REGRET, STOPPING, question_for
from dpbandits.environments.catalogue import build
from dpbandits.environments.instances import Instance
from dpbandits.environments.populations import homogeneous
from dpbandits.files import PACKAGE
from dpbandits.game import new_game, pulls_of, rounds_played
from dpbandits.running.play import GAMES, Record, play_loop
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator
from dpbandits.settings import resolve
from dpbandits.settings.setting import Setting

CONF = PACKAGE.parent.parent / "conf"
TESTS = Path(__file__).parents[1]
TWINS = TESTS / "twins"  # the folder of broken algorithms and correct variants
GOLDEN = TESTS / "oracles" / "golden.json"
EVERY = sorted(file.stem for file in (CONF / "algo").glob("*.yaml"))
RULES = sorted(file.stem for file in (CONF / "rule").glob("*.yaml"))


def algorithm(name: str) -> Algorithm:
    """Return the algorithm or stopping rule of the package with this name."""
    return load(find_file(name, group="rule" if name in RULES else "algo"))


NAMES = [name for name in EVERY if algorithm(name).actions == ARMS]
LINEAR = [name for name in EVERY if name not in NAMES]  # for features and contexts: tests/linear
MEAN_RULES = [name for name in RULES if algorithm(name).question is STOPPING]
PRIVATE = [name for name in NAMES if algorithm(name).private]
PRIVATE_RULES = [name for name in RULES if algorithm(name).private]
LOCAL = [name for name in NAMES if algorithm(name).per_user]  # users may have own levels
GAUSSIAN_NOISE = [n for n in PRIVATE if algorithm(n).guarantee.gaussian in (ZCDP, RDP)]
GLOBAL = [name for name in PRIVATE if name not in LOCAL]
# for heavy tails or outliers
HEAVY = [name for name in NAMES if not isinstance(algorithm(name).rewards, Bounded | None)]
SIGNS = ("ctl_ucb", "ltc_ucb")  # users send signs of rewards with heavy tails
NASH = ("ncb", "gdp_ncb", "ldp_ncb")  # they begin with random arms
SUMS = ("dist_dp_se", "dist_rdp_se")  # a server that only sums
COUNTS = ("shuffle_se",)  # a server that counts bits
WEIGHTED = ("eps_greedy", "exp3")  # they draw arms
THOMPSON = ("ts", "lazy_dp_ts", "dp_ts")  # they draw from posteriors
SIGMAS = 5.0
P_VALUE = 2 * norm.sf(SIGMAS)  # of a right law, at a fixed seed; that of a wrong one is below 1e-9


def without_noise(name: str) -> float:
    """Return an eps at which an algorithm adds no visible noise, finite if users have levels."""
    return 1e9 if name in (*LOCAL, *SIGNS) else math.inf


@cache
def defaults(name: str) -> dict:
    return yaml.safe_load(
        Path(CONF / ("rule" if name in RULES else "algo") / f"{name}.yaml").read_text()
    )


def arguments(name: str, eps: float, T: int, instance: Instance | None = None, **changes):
    """Return the numbers that a kernel receives. ``eps`` stands for any budget, and values ``auto``
    are computed from the instance.
    """
    values = defaults(name) | {"eps": eps, "rho": eps, "eps_min": eps} | changes
    instance = instance or build(bernoulli(1, 0))
    return resolve.arguments(algorithm(name), values, T, "a test's", instance)


def settings(question=REGRET, **given) -> list[Setting]:
    """Return the settings of ``dp.run``, or of ``dp.stop``, with these arguments."""
    return requested(question=question, **given).settings


def setting(question=REGRET, **given) -> Setting:
    """Return the only setting of ``dp.run`` with these arguments."""
    [found] = settings(question, **given)
    return found


def reference_arguments(name: str, eps: float, T: int, spec: dict, **changes) -> dict:
    """Return what a reference receives: numbers, except for named options and a provable c1."""
    domains = algorithm(name).domains
    values = defaults(name) | changes
    numbers = arguments(name, eps, T, build(spec), **changes)
    named = {p for p, x in domains.items() if isinstance(x, Named) and x.others is None}
    words = {p: value for p, value in values.items() if p in named}
    words |= {p: value for p, value in values.items() if value == "provable"}
    return dict(zip(domains, numbers, strict=True)) | words


def play(name, spec, T, run=0, **given):
    """Return what is recorded at the checkpoints of one run (see ``records``)."""
    [found] = records(name, spec, T, runs=[run], **given)
    return found.pulls


def records(
    name,
    spec,
    T,
    eps=1.0,
    seed=0,
    runs=(0,),
    checkpoints=None,
    plain=False,
    population=None,
    learner=None,
    function=None,
    **changes,
):
    """Yield the records of some runs of an algorithm or a rule: its pulls at the checkpoints, int64
    array (C, K), or its regret, float64 array (C, 1), and its answer.

    ``population`` are the users (by default all have the level eps), ``learner`` is a generator
    that replaces the learner's generator, ``function`` replaces the function of the algorithm, and
    ``changes`` are parameters of the algorithm.
    """
    source, instance = algorithm(name), build(spec)
    source = dataclasses.replace(source, function=function) if function else source
    question = question_for(source.question, instance.actions)
    instance = instance.alone(0) if question.one_arm else instance
    numbers = arguments(name, eps, T, instance, **changes)
    begin, read = GAMES[question.record.name]
    if checkpoints is None:
        checkpoints = np.unique(np.geomspace(1, T, 30).astype(int))
    users = (population or homogeneous(eps)).users()
    for run in runs:
        env_rng = generator(seed, run, ENVIRONMENT)
        game = begin(instance.environment, users, env_rng, T, checkpoints)
        own = learner or generator(seed, run, LEARNER)
        answer = answer_in(game, source, own, numbers, plain)
        assert rounds_played(game) <= T
        [recorded] = read(game.trace[np.newaxis], T if question.plays_on else None)
        yield Record(recorded, answer)


def pulls_at_checkpoints(game):
    """Return the pulls of each arm up to each checkpoint of a finished game, (C, K)."""
    return pulls_of(game.trace[np.newaxis], game.horizon)[0]


def answer_in(game, source: Algorithm, learner, numbers, plain=False):
    """Let an algorithm play a game with these arguments, and return the number that it returns (NaN
    for none). It runs as plain Python, or compiled in the loop whose machine code is cached.
    """
    if plain or not is_compiled(source.function):
        function = getattr(source.function, "py_func", source.function)
        return answer_of(function(game, learner, *numbers))
    _, [answer] = play_loop(source, game, learner, tuple(map(float, numbers)), 1)
    return float(answer)


def game_of(spec, T=10**9, checkpoints=None, env_rng=1, population=None):
    """Return a game before its first round; ``env_rng`` is its generator of rewards, or a seed."""
    return games_of(spec, T, checkpoints, population)(env_rng)


def games_of(spec, T=10**9, checkpoints=None, population=None):
    """Return a function of ``env_rng`` that makes such games in one environment."""
    environment, users = build(spec).environment, (population or homogeneous(1.0)).users()
    rounds = np.array([T] if checkpoints is None else checkpoints)
    return lambda env_rng: new_game(environment, users, np.random.default_rng(env_rng), T, rounds)


def game_with(population, env_rng):
    """Return a game whose users come from a population."""
    return game_of(bernoulli(0.5, 0.4), env_rng=env_rng, population=population)


def bernoulli(*means):
    return {"law": "bernoulli", "means": list(means)}


def two_arms(law):
    """Return an instance with two arms that both have this law."""
    return build({"law": "mixed", "arms": [law, law]})


def contaminated(inlier, alpha, outlier, relative=False, **more):
    """Return an environment whose rewards (or reports) are outliers with probability alpha."""
    given = {"inlier": inlier, "alpha": alpha, "outlier": outlier, "relative": relative}
    return {"law": "contaminated"} | given | more


def table(rewards):
    return {"law": "table", "rewards": np.asarray(rewards).tolist(), "file": None}


def eliminated(arms, K: int) -> bool:
    """Return whether one of K arms was eliminated: it is not played in the second half of the
    rounds.

    If arms are played in turn or in doubling batches, every remaining arm is played then.
    """
    return len(np.unique(arms[len(arms) // 2 :])) < K


def peak_of(work):
    """Return the largest memory, in bytes, that some work needs in addition to its input."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class NotApplied(Exception):
    """The error if a fault was not really simulated, so that the test shows nothing."""


def replace(patch, original, new):
    """Replace a function by ``new`` wherever the package calls it.

    Raises:
        NotApplied: no module of the package has the function.
    """
    places = 0
    for name, module in list(sys.modules.items()):
        if name.startswith("dpbandits."):
            for bound, value in list(vars(module).items()):
                if value is original:
                    patch.setattr(module, bound, new)
                    places += 1
                elif inspect.isfunction(getattr(value, "py_func", value)):
                    places += _replace_in_closures(patch, value, original, new)
    if not places:
        raise NotApplied(f"no module of the package holds {original.__name__}, which is replaced")


def _replace_in_closures(patch, function, original, new):
    """Replace a function also in closures, which call it, and return the number of replacements."""
    places = 0
    for cell in getattr(getattr(function, "py_func", function), "__closure__", None) or ():
        if cell.cell_contents is original:
            patch.setattr(cell, "cell_contents", new)
            places += 1
        elif inspect.isfunction(cell.cell_contents):
            places += _replace_in_closures(patch, cell.cell_contents, original, new)
    return places


class Fault:
    """A function that is replaced, and its faulty replacement, whose calls are counted."""

    def __init__(self, original, become):
        self.original, self.become, self.calls = original, become, 0

    def __call__(self, function):
        """Return the faulty function, made from what is now in place of the original."""
        wrong = self.become(function)

        def faulty(*given):
            self.calls += 1
            return wrong(*given)

        return faulty

    def is_seen(self, games, plays):
        """Return whether the fault changes how some game is played.

        Args:
            games: pairs of a game and what is played in it without the fault.
            plays: a function of a game and of faults ``{original: become}`` that returns what is
                played.

        Raises:
            NotApplied: the faulty function was not called in any game, or even without the fault a
                game is not played as expected.
        """
        seen = False
        for game, right in games:
            seen = plays(game, {self.original: self}) != right
            if seen:
                break
        if not self.calls:
            raise NotApplied(f"no game calls {self.original.__name__}, which is replaced")
        if seen and plays(game, {}) != right:
            raise NotApplied("a game is not played as expected without the fault either")
        return seen


def mutated(source, right, wrong):
    """Return a source with a mistake in it.

    Raises:
        NotApplied: the source does not contain the text to change, since it has been rewritten.
            Then its mutants must be rewritten, too.
    """
    if right not in source:
        raise NotApplied(f"the source does not hold {right!r}, which is replaced")
    return source.replace(right, wrong)


TWINS_MADE = itertools.count()  # machine code is linked by name, so names must differ


def _executed(module, right="", wrong=""):
    """Execute the source of a module again, with a mistake in it, and return its names."""
    names = {"__name__": f"twin_{next(TWINS_MADE)}", "__package__": module.__package__}
    exec(mutated(inspect.getsource(module), right, wrong), names)
    return names


@cache
def broken_twin(rule, right, wrong, part=None):
    """Return a stopping rule, to be compiled, with a mistake in its source or in the source of a
    module whose functions it calls.
    """
    own = importlib.import_module(f"dpbandits.stopping.{rule}")
    if part is None:
        return _executed(own, right, wrong)[rule]
    called = importlib.import_module(f"dpbandits.{part}")
    names, broken = _executed(own), _executed(called, right, wrong)
    names |= {n: broken[n] for n, x in vars(called).items() if names.get(n) is x and n in broken}
    return names[rule]


def replaced(function, **names):
    """A function in which other functions have these names."""
    plain = getattr(function, "py_func", function)
    return FunctionType(plain.__code__, plain.__globals__ | names, plain.__name__)


def mistaken(function, right, wrong):
    """Return a function in plain Python with a mistake in its source."""
    plain = getattr(function, "py_func", function)
    source, names = inspect.getsource(plain), dict(plain.__globals__)
    exec(mutated(source[source.index("def ") :], right, wrong), names)
    return names[plain.__name__]


@contextmanager
def mutant(module, right, wrong):
    """Replace a module by one with a mistake in its source for the time of a block."""
    before = dict(vars(module))
    try:
        exec(mutated(inspect.getsource(module), right, wrong), vars(module))
        yield
    finally:
        vars(module).clear()
        vars(module).update(before)


class Uniform(float):
    """A uniform number that records with which numbers it is compared."""

    def __new__(cls, value, chances):
        number = super().__new__(cls, value)
        number.chances = chances
        return number

    def __lt__(self, chance):
        self.chances.append(float(chance))
        return float(self) < chance

    def __sub__(self, _):
        return 0.0  # so close to any approximation that the exact probability must be computed

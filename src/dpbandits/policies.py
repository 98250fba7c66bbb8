"""Make policies (objects that choose arms) and play them, in runs and in audits.

A policy is an object in plain Python, written by a user or taken from another package. One of its
methods returns an arm, and another method receives the reward of this arm. Methods and parameters
are recognised by their names, see ``CHOOSES``, ``RECEIVES`` and ``ROLES``.
"""

from __future__ import annotations

import inspect
import operator
import re
import typing
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from numbers import Real
from typing import Any, Literal, get_args, get_origin

import numpy as np

from .contextual_game import NOT_COUNTED, ROW, contexts, dimension
from .contextual_game import play as pull_with_contexts
from .errors import BadInput, either, plain
from .game import arms, features, rounds_left
from .game import pull as pull_arm

Make = Callable[..., Any]  # a class, or a function that returns a policy
CHOOSES = "choose", "act", "choice", "select_arm", "predict"
RECEIVES = "receive", "update", "getReward", "partial_fit", "learn"
SHOWN = "contexts", "context", "features", "X"  # parameters for the contexts of the round
LISTS = "decisions", "actions", "arms", "rewards"  # parameters for a list with one value
# The parameter for the arm has one of ARM_WORDS in its name, the parameter for the reward one of
# REWARD_WORDS. Some policies take the reward first
ARM_WORDS = {
    "arm", "arms", "action", "actions", "a", "choice", "chosen", "decision", "decisions", "pulled",
    "index", "k", "i",
}  # fmt: skip
REWARD_WORDS = {"reward", "rewards", "r", "payoff", "payoffs", "gain", "outcome"}
ROLES = {
    **dict.fromkeys(("arms", "n_arms", "num_arms", "nbArms", "K"), "arms"),
    **dict.fromkeys(("horizon", "T"), "horizon"),
    **dict.fromkeys(("dimension", "n_features", "d"), "dimension"),
    **dict.fromkeys(("rng", "generator"), "rng"),
    **dict.fromkeys(("seed", "random_state"), "seed"),
}
# Other names of the parameter ``eps``, if there is neither ``eps`` nor ``rho``. The name
# ``epsilon`` is not among them: it is also the share of random arms of an epsilon-greedy policy
BUDGET_NAMES = "budget", "privacy_budget"
USUAL = "arms", "horizon", "eps", "rng"  # passed to a policy with ``**anything``
NEEDED = (
    f"a policy has the method {either(CHOOSES)}, which returns an arm, and the method "
    f"{either(RECEIVES)}, which receives the arm and its reward"
)


class GameOver(BaseException):
    """The exception in a game all of whose rounds have been played. A policy with its own loop need
    not catch this exception.
    """


def policy_name(make: Make) -> str:
    """Return the name of a class or function that makes policies. For a ``functools.partial``,
    return the name of its function.
    """
    while isinstance(make, partial):
        make = make.func
    return str(getattr(make, "__name__", type(make).__name__))


def make_policy(make: Make, K: int, T: int, rng: Any, values: Mapping[str, Any], d: int = 0) -> Any:
    """Make a new policy for K arms, T rounds and contexts of dimension d.

    Args:
        make: the class or function that makes the policy.
        K: number of arms.
        T: number of rounds.
        rng: generator of the policy's random numbers. If the policy takes a seed, the seed is drawn
            from this generator.
        values: the values of parameters that are not in ROLES. The budget is called ``eps``, even
            if the parameter has another name of BUDGET_NAMES.
        d: dimension of the contexts, 0 if there are none.
    """
    roles = {"arms": K, "horizon": T, "dimension": d, "rng": rng}
    taken = parameters_of(make)
    given = {budget_name(taken) if name == "eps" else name: x for name, x in values.items()}
    for name in taken:
        if ROLES.get(name) == "seed":
            given[name] = int(rng.integers(2**31))
        elif name in ROLES:
            given[name] = roles[ROLES[name]]
    policy = make(**given)
    if hasattr(policy, "startGame"):  # policies of SMPyBandits have this method
        policy.startGame()
    return policy


def parameters_of(make: Make) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class or function that makes policies, by name."""
    kind = inspect.Parameter
    found: dict[str, inspect.Parameter] = {}
    try:
        signature = inspect.signature(make).parameters
    except (TypeError, ValueError):
        raise BadInput(f"policy={plain(make)}: a class without a signature") from None
    for name, parameter in signature.items():
        if parameter.kind is kind.VAR_KEYWORD:
            found |= {n: kind(n, kind.KEYWORD_ONLY) for n in USUAL if n not in found}
        elif parameter.kind is not kind.VAR_POSITIONAL:
            found[name] = parameter
    return found


def budget_name(names: Collection[str]) -> str:
    """Return the given name that stands for the budget eps."""
    if "eps" in names or "rho" in names:
        return "eps"
    return next((name for name in BUDGET_NAMES if name in names), "eps")


def play_policy(
    policy: Any, pull: Callable[[int], float | None], K: int, rounds: int, show: Any = None
) -> None:
    """Play rounds with a policy.

    Args:
        policy: an object with one method of CHOOSES and one of RECEIVES, or with a method
            ``play(pull)``. This method is a loop that calls ``pull(arm) -> reward`` until ``pull``
            raises GameOver.
        pull: a function that plays an arm and returns its reward, or None in a round from which the
            policy learns nothing.
        K: number of arms.
        rounds: number of rounds.
        show: a function that returns the contexts of a round, float64 array (K, d); None if there
            are none.

    Raises:
        BadInput: the policy lacks these methods, or chooses an arm that does not exist.
    """
    name, left = type(policy).__name__, rounds

    def pulled(arm: Any) -> float:
        nonlocal left
        while left:
            left -= 1
            if (reward := pull(_arm(name, arm, K))) is not None:
                return reward
        raise GameOver

    if hasattr(policy, "play"):
        _refuse_deferred(name, "play", policy.play)
        with suppress(GameOver):
            policy.play(pulled)
        return
    methods = [next((n for n in some if hasattr(policy, n)), "") for some in (CHOOSES, RECEIVES)]
    if not all(methods):
        raise BadInput(f"policy={name}: {NEEDED}")
    choose, receive = (getattr(policy, n) for n in methods)
    for own, method in zip(methods, (choose, receive), strict=True):
        _refuse_deferred(name, own, method)
    if show is None:
        _refuse_contexts(name, *zip(methods, (choose, receive), strict=True))
    seen = _shown(choose) if show is not None else ""
    learn = _receiver(f"policy={name}: {methods[1]}", receive, show is not None)
    in_turn, learned = False, 0
    for t in range(rounds):
        x = None if show is None else show()
        if in_turn and learned < K:
            arm = learned
        else:
            try:
                arm = choose(**{seen: x}) if seen else choose()
            except Exception:
                if t or methods[0] != "predict":
                    raise
                in_turn, arm = True, 0  # ``predict`` needs data, so each arm is first played once
        a = _arm(name, arm, K)
        if (reward := pull(a)) is not None:
            learn(a, reward, x)
            learned += 1


def _arm(name: str, arm: Any, K: int) -> int:
    """Return the number of the arm that a policy chose; raise BadInput if the arm does not
    exist.
    """
    one = isinstance(arm, list | tuple | np.ndarray) and np.size(arm) == 1
    x: Any = np.ravel(arm)[0] if one else arm
    try:
        a = operator.index(x)
    except TypeError:
        number = float(x) if isinstance(x, Real | np.bool_) else np.nan
        a = int(number) if number.is_integer() else -1
    if 0 <= a < K:
        return a
    shown = plain(arm) if isinstance(arm, Real) else f"{plain(arm)} ({type(arm).__name__})"
    raise BadInput(f"policy={name}: it chose arm {shown} of {K} arms, 0 to {K - 1}")


def _refuse_deferred(name: str, own: str, method: Any) -> None:
    """Refuse a method whose call does not run its body: an async function or a generator."""
    deferred = (
        inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction,
    )  # fmt: skip
    if any(is_deferred(method) for is_deferred in deferred):
        raise BadInput(f"policy={name}: {own} must be an ordinary method, without async or yield")


def _refuse_contexts(name: str, *methods: tuple[str, Callable[..., Any]]) -> None:
    """Refuse a policy whose methods need contexts, since the game has none."""
    for own, method in methods:
        with suppress(ValueError):  # a method of C may have no signature
            for x, p in inspect.signature(method).parameters.items():
                needed = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
                if x in SHOWN and needed:
                    raise BadInput(f"policy={name}: {own} takes {x}, but the environment has none")


def _shown(method: Callable[..., Any]) -> str:
    """Return the name of the parameter of a method that gets the contexts, or "" if no parameter
    gets them.
    """
    return next((n for n in inspect.signature(method).parameters if n in SHOWN), "")


def _receiver(
    where: str, method: Callable[..., Any], shows: bool
) -> Callable[[int, float, np.ndarray | None], Any]:
    """Return a function ``learn(arm, reward, contexts)`` that calls the given method of a policy.
    The method gets these values in the order that the names of its parameters indicate.

    Raises:
        BadInput: the method does not take these values; the message begins with ``where``.
    """
    kind, signature = inspect.Parameter, inspect.signature(method)
    own = [
        p for p in signature.parameters.values()
        if p.name not in SHOWN and p.kind not in (kind.VAR_POSITIONAL, kind.VAR_KEYWORD)
    ][:2]  # fmt: skip
    names, seen = [p.name for p in own], _shown(method) if shows else ""
    first = len(own) == 2 and _is_reward_first(*names)
    named = any(p.kind is kind.KEYWORD_ONLY for p in own)

    def values(a: int, r: float, x: np.ndarray | None) -> tuple[list, dict[str, Any]]:
        pair, shown = (r, a) if first else (a, r), {seen: x} if seen else {}
        if not own:  # a parameter such as *args takes the values
            return [*shown.values(), *pair], {}
        given = [(p, [v] if p.name in LISTS else v) for p, v in zip(own, pair, strict=True)]
        by_name = {p.name: v for p, v in given if p.kind is not kind.POSITIONAL_ONLY}
        return [v for p, v in given if p.kind is kind.POSITIONAL_ONLY], by_name | shown

    try:
        if len(own) == 1:
            raise TypeError(f"one value is taken, {names[0]}")
        args, given = values(0, 0.0, None)
        signature.bind(*args, **given)
    except TypeError as error:
        raise BadInput(f"{where}: {error}; {NEEDED}") from None
    if not seen and not first and not named and not {*names} & {*LISTS}:
        return lambda a, r, x: method(a, r)

    def learn(a: int, r: float, x: np.ndarray | None) -> None:
        args, given = values(a, r, x)
        method(*args, **given)

    return learn


def _is_reward_first(one: str, two: str) -> bool:
    """Return whether the names of two parameters say that the first parameter gets the reward and
    the second parameter the arm.
    """
    words = [{x.lower() for x in re.findall("[A-Z]?[a-z]+|[A-Z]+", n)} for n in (one, two)]
    arms = [bool(some & ARM_WORDS) and not some & REWARD_WORDS for some in words]
    if arms[0] != arms[1]:
        return arms[1]
    is_reward = [
        bool(s & REWARD_WORDS) or n[0] in "rR" for s, n in zip(words, (one, two), strict=True)
    ]
    return is_reward == [True, False]


def algorithm_of(make: Make) -> Callable[..., None]:
    """Return the algorithm ``function(game, rng, *parameters)``, which makes a policy with ``make``
    and plays it. The parameters of the algorithm are the parameters of ``make`` that are not in
    ROLES, if their values are numbers or one of several names. The budget is always called ``eps``.

    Raises:
        BadInput: a class lacks the methods of a policy.
    """
    if isinstance(make, type) and not hasattr(make, "play"):
        for some in (CHOOSES, RECEIVES):
            if not any(hasattr(make, n) for n in some):
                raise BadInput(f"policy={make.__name__}: {NEEDED}")
    hints: dict[str, Any] = {}
    with suppress(Exception):  # hints may use names that exist only for type checkers
        hints = typing.get_type_hints(getattr(make, "__init__", make), include_extras=True)
        hints = hints or typing.get_type_hints(make, include_extras=True)
    kind = inspect.Parameter
    taken = parameters_of(make)
    found = [p for n, p in taken.items() if _is_number(n, p, hints.get(n))]
    found = sorted(found, key=lambda p: p.default is not kind.empty)
    names = tuple(p.name for p in found)
    whole = tuple(p.name for p in found if type(p.default) is int or hints.get(p.name) is int)
    options = {n: get_args(hints[n]) for n in names if get_origin(hints.get(n)) is Literal}

    def with_values(*numbers: float) -> Make:
        """Return a function that makes policies with the given values of their parameters."""
        values: dict[str, Any] = dict(zip(names, numbers, strict=True))
        for name, x in values.items():
            if name in options:
                values[name] = options[name][int(x)]
            elif name in whole and x == np.rint(x):
                values[name] = int(x)
        return partial(make, **values)

    def play(game: Any, rng: np.random.Generator, *numbers: float) -> None:
        K, T, of_contexts = arms(game), rounds_left(game), hasattr(game, "shown")
        show: Any = None
        if of_contexts:
            show, d = lambda: contexts(game).copy(), dimension(game)
        elif d := features(game).shape[1]:
            show = lambda: features(game).copy()  # noqa: E731
        pull = pull_with_contexts if of_contexts else pull_arm
        policy = make_policy(with_values(*numbers), K, T, rng, {}, d)

        def reward_of(a: int) -> float | None:
            reward = float(pull(game, a))
            return None if of_contexts and game.clock[ROW] == NOT_COUNTED else reward

        play_policy(policy, reward_of, K, T, show)

    made: Any = play
    made.with_values = with_values
    start = [kind(n, kind.POSITIONAL_OR_KEYWORD) for n in ("game", "rng")]
    public = {n: n for n in names} | {budget_name(taken): "eps"}
    own = [p.replace(kind=kind.POSITIONAL_OR_KEYWORD, name=public[p.name]) for p in found]
    made.__signature__ = inspect.Signature([*start, *own])
    made.__annotations__ = {public[n]: hints[n] for n in names if n in hints}
    return play


def _is_number(name: str, parameter: inspect.Parameter, hint: Any) -> bool:
    """Return whether a parameter is not in ROLES, and has a value that is a number or one of
    several names.
    """
    usual = parameter.default
    number = isinstance(usual, int | float) and not isinstance(usual, bool)
    named = get_origin(hint) is Literal
    return name not in ROLES and (usual is inspect.Parameter.empty or number or named)

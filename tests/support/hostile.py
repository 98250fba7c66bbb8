"""Values that no argument expects, and a quick valid call of each public function."""

import datetime
import enum
import inspect
import json
import math
import os
import random
import signal
import sys
from collections import Counter, UserList, deque, namedtuple
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from refusals import checked_line

import dpbandits as dp
from dpbandits.contracts.question import REGRET, STOPPING, Question
from dpbandits.errors import BadInput
from dpbandits.settings.choices import Choice
from dpbandits.settings.compose import request_from


def raising(*names: str, base: type = object) -> type:
    """Return a class whose methods with these names raise an error."""

    def refuse(self, *given, **named):
        raise RuntimeError(f"hostile\n{names}")

    return type("Hostile", (base,), dict.fromkeys(names, refuse))


class Word(enum.StrEnum):
    ONE = "ucb"


Pair = namedtuple("Pair", "a b")


def endless_list() -> list:
    found: list = []
    found.append(found)
    return found


def nested_list(depth: int = 900) -> list:
    found: list = [1]
    for _ in range(depth):
        found = [found]
    return found


TEXTS = [
    "auto", "1/horizon", "literal", "practical", "provable", "batch", "threads", "inf", "NaN", "",
    " ", "é", "\u2028", "a\nb", "a\0b", "\x1b[31m", "x" * 5000, "../up", "1e400", "1_000", "0x10",
    "٣", "$\\frac$", "_target_",
]  # fmt: skip
OF_ONE_METHOD = (
    "__repr__", "__bool__", "__eq__", "__hash__", "__len__", "__iter__", "__float__", "__int__",
    "__index__", "__fspath__", "__call__", "__getattr__", "__array__", "__contains__", "to_numpy",
)  # fmt: skip
# Python expressions for the hostile values; each is evaluated again for each call
EXPRESSIONS = [
    "pd.NA", "pd.NaT", "math.nan", "math.inf", "-math.inf", "0", "-1", "1.5", "1e308", "10**400",
    "10**5000", "True", "False", "np.array([])", "np.array(1.0)", "np.array([1.0])",
    "np.array([1.0, 2.0])", "np.eye(2)", "np.array([pd.NA, object()], dtype=object)",
    "np.array(['ucb', 'ts'])", "np.zeros(2, dtype=[('a', int), ('b', float)])",
    "np.ma.masked_array([1.0, 2.0], mask=[True, False])", "np.bool_(True)", "np.float32(0.5)",
    "np.int8(2)", "np.str_('ucb')", "np.datetime64('2020-01-01')", "Decimal('0.5')",
    "Decimal('sNaN')", "Fraction(1, 2)", "1 + 0j", "np.complex64(1)", "Path('nothing/here')",
    "b'1'", "bytearray(b'ucb')", "memoryview(b'ab')", "(x for x in [1, 2])", "iter([1.0])",
    "set()", "{0.5, 1.0}", "frozenset()", "deque([1])", "UserList([1, 2])", "range(0)",
    "range(10**12)", "[]", "()", "[None]", "[[1]]", "[pd.NA]", "[1, object()]", "['', 0, ()]",
    "endless_list()", "nested_list()", "{}", "{1: 2}", "{'a': 1}", "{'law': []}",
    "{'law': 'bernoulli'}", "{pd.NA: pd.NA}", "object()", "int", "len", "np.sin", "lambda: None",
    "math", "...", "NotImplemented", "SimpleNamespace(to_numpy=lambda: 1)", "Word.ONE",
    "Pair(1, 2)", "datetime.date(2020, 1, 1)", "pd.Series([0.5, 1.0])",
    "pd.Series([pd.NA, 1], dtype='Int64')", "pd.Categorical(['a', 'b'])", "pd.DataFrame()",
    "pd.DataFrame({'a': [1, 2]})", "pd.DataFrame([[1, 2]], columns=['algo', 'algo'])",
    "dp.bernoulli([0.5, 0.4])", "dp.algorithm('ucb')", "ValueError('x')", r"'\ud800'",
    "raising('__str__', '__repr__', base=str)('ucb')", "Choice('nothing')",
    "raising('__float__', '__repr__', base=float)(0.5)",
    "raising('__int__', '__repr__', base=int)(2)", "raising('__iter__', '__len__', base=list)([1])",
    "raising('items', 'keys', base=dict)({'a': 1})",
]  # fmt: skip
USED = {
    x.__name__: x
    for x in (
        Choice, Decimal, Fraction, Pair, Path, SimpleNamespace, UserList, Word, datetime, deque,
        endless_list, math, nested_list, raising,
    )
} | {"dp": dp, "np": np, "pd": pd}  # fmt: skip
MADE: dict[str, Callable[[], Any]] = {
    **{code: partial(eval, code, USED) for code in EXPRESSIONS},
    **{f"text {text[:9]!r}": lambda text=text: text for text in TEXTS},
    **{f"an object whose {name} fails": raising(name) for name in OF_ONE_METHOD},
}


QUICK = {"horizon": 30, "runs": 2, "jobs": 1}
OF_RUN = {"algo": "adap_klucb", "env": "bernoulli_c2", **QUICK}


def valid_calls(folder: Path) -> dict[str, dict[str, Any]]:
    """Return, for each public function, arguments with which it returns at once."""
    data, users, log = (folder / f"{name}.csv" for name in ("data", "users", "log"))
    log.write_text("x,action,reward\n" + "0.1,a,1\n0.1,b,0\n" * 200)
    data.write_text("a,b\n0.1,0.9\n0.8,0.2\n")
    users.write_text("x,a,b\n0.1,0.9,0.1\n0.8,0.2,0.3\n")
    table = dp.run(**OF_RUN)
    saved = dp.save(table, folder / "table.csv")
    means = {"means": [0.9, 0.8]}
    return {
        "run": OF_RUN,
        "stop": {"rule": "dp_nas_exp", "cap": 50, "runs": 2, "jobs": 1},
        "load": {"path": saved},
        "save": {"table": table, "path": folder / "copy.csv"},
        "summary": {"table": table},
        "measured": {"table": table, "metric": "average"},
        "compare": {"table": table},
        "plot": {"table": table},
        "latex": {"table": table},
        "report": {"tables": table, "out": folder / "report.html"},
        "bounds": {"algo": "adap_ucb", "env": "bernoulli_c2", "horizon": 100},
        "budget": {"algo": "dp_se", "env": "bernoulli_c2", "horizon": 50, "ratio": 9.0,
                   "precision": 900.0, "runs": 32, "jobs": 1},
        "audit": {"mechanism": "laplace_release", "runs": 100, "jobs": 1},
        "algorithm": {"algo": "adap_ucb", "alpha": 1.0},
        "reproduce": {"experiment": "nothing", "results": folder / "results"},
        "environment": {"name": "bernoulli_c2", "arms": 3},
        "population": {"name": "levels"},
        "bernoulli": means,
        "bernoulli_family": {"family": "c1"},
        "one_better": {"gap": 0.5},
        "uniform_means": {"low": 0.1, "high": 0.9},
        "sign": {"mean": 0.5},
        "gaussian": means,
        "pareto": {**means, "shape": 3.0},
        "student": means,
        "lognormal": {**means, "sigma": 0.5},
        "mixed": {"arms": [{"law": "beta", "a": 4, "b": 1}, {"law": "beta", "a": 1, "b": 1}]},
        "twopoint_heavy": {**means, "v": 0.9},
        "contaminated": {"inlier": "bernoulli_c2", "alpha": 0.1},
        "empirical": {"file": data},
        "table": {"rewards": np.tile([0.5, 0.6], (30, 1))},
        "linear": {"features": np.eye(2), "theta": [0.5, 0.1]},
        "linear_sphere": {},
        "contextual": {"K": 2, "center": [0.5, 0.1], "variance": 0.1},
        "contextual_table": {"file": users, "K": 2},
        "labelled": {"data": "sklearn:iris"},
        "logged": {"data": log},
        "levels": {"levels": [0.5, 1.0]},
        "clipped_normal": {"mean": 1.0, "sd": 0.1},
    }  # fmt: skip


WITHOUT_ARGUMENTS = {"algorithms", "rules", "environments", "experiments"}
OTHERS = {"BadInput", "CannotRead", "CannotWrite", "RunsFailed", "__version__", "kernel"}


def hostile_calls(valid: dict[str, dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Return all calls with one hostile argument, as names of the function, the argument and the
    value.
    """
    return [
        (name, argument, value)
        for name, given in valid.items()
        for argument in dict.fromkeys([*_arguments(getattr(dp, name)), *given])
        for value in MADE
    ]


def _arguments(function: Callable) -> Iterator[str]:
    for name, parameter in inspect.signature(function).parameters.items():
        yield "alpha" if parameter.kind is inspect.Parameter.VAR_KEYWORD else name


def outcome(valid: dict[str, dict[str, Any]], call: tuple[str, str, str], plays: bool) -> str:
    """Return ``accepted``, or ``refused`` if the call raises an error of one line. Any other error
    is raised.

    If the function makes an environment, a population or an algorithm, a run with it is requested,
    and played if ``plays``.
    """
    name, argument, value = call
    try:
        found = getattr(dp, name)(**{**valid[name], argument: MADE[value]()})
        if isinstance(found, Choice):
            question, given = _with(name, found)
            if plays:
                (dp.stop if question is STOPPING else dp.run)(**given)
            else:
                request_from(question, given, {})
    except BadInput as error:
        checked_line(str(error))
        return "refused"
    return "accepted"


def _with(name: str, found: Choice) -> tuple[Question, dict[str, Any]]:
    """Return a request that uses a value that a function has made."""
    if name in ("levels", "clipped_normal", "population"):
        return REGRET, {"algo": "heldp_ucb_l", "population": found, "eps_min": 0.5, **QUICK}
    if name == "algorithm":
        return REGRET, {"algo": found, **QUICK}
    if name == "sign":
        return STOPPING, {"rule": "dp_nas_exp", "env": found, "cap": 50, "runs": 2, "jobs": 1}
    of_contexts = ("contextual", "contextual_table", "labelled", "logged")
    algo = "lin_ucb" if name in of_contexts else "gope" if name.startswith("linear") else "ucb"
    quick = QUICK | ({"horizon": 400} if name == "logged" else {})
    return REGRET, {"algo": algo, "env": found, "assume": True, **quick}


def outcomes_of(
    valid: dict[str, dict[str, Any]],
    calls: list[tuple[str, str, str]],
    tries: int,
    plays: bool = False,
) -> Counter:
    """Count the outcomes of a sample of calls, the same in every test run. Errors are raised."""
    counts: Counter = Counter()
    for call in random.Random(0).sample(calls, min(tries, len(calls))):
        try:
            counts[outcome(valid, call, plays)] += 1
        except BaseException as error:
            error.add_note(f"of dp.{call[0]}({call[1]}={call[2]})")
            raise
    return counts


def too_long(*_):
    raise TimeoutError("a call does not end")


def ends_of(folder: Path, tries: int, seconds: int = 60) -> Counter:
    """Count how a sample of calls ends in this process: accepted, refused, traceback or hang."""
    os.chdir(folder)
    valid, counts = valid_calls(folder), Counter[str]()
    calls = hostile_calls(valid)
    signal.signal(signal.SIGALRM, too_long)
    for call in random.Random(1).sample(calls, min(tries, len(calls))):
        signal.alarm(seconds)
        try:
            counts[outcome(valid, call, plays=True)] += 1
        except BaseException as error:
            print(call, repr(error), file=sys.stderr)
            counts["hang" if isinstance(error, TimeoutError) else "traceback"] += 1
        signal.alarm(0)
    return counts


if __name__ == "__main__":
    print(json.dumps(ends_of(Path(sys.argv[1]), int(sys.argv[2]))))

"""Run, compare and trust differentially private multi-armed bandits.

Everything starts here:

>>> import dpbandits as dp
>>> table = dp.run(algo=["adap_klucb", "dp_se"], env="bernoulli_c2", eps=[0.1, 1], horizon=1e5, runs=5)
>>> list(dp.summary(table)["algo"].unique())
['adap_klucb', 'dp_se']

If an argument is a list, every value is run. Algorithms and environments are given by name, as
values (``dp.algorithm("adap_ucb", alpha=1)``, ``dp.bernoulli([0.9, 0.8])``) or as your own
functions. Files are written only if ``results=DIR`` is given.
"""  # noqa: E501

from .cli import command_name as _command_name
from .cli import leave_when_interrupted as _leave_when_interrupted

if _command := _command_name():  # the imports below are slow
    _leave_when_interrupted(_command)

import sys as _sys
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _sys.platform == "win32":  # the package needs signals, file owners and a shell of POSIX
    _REFUSAL = "dpbandits runs on Linux and macOS; on Windows use it inside WSL"
    if _command:  # a command prints one line, no traceback
        print(f"{_command}: {_REFUSAL}", file=_sys.stderr)
        _sys.exit(2)
    raise ImportError(_REFUSAL)

# Each of these packages has the name of a function that is imported below. Python binds the name of
# a package only when it first imports the package, so the packages are imported here, and the
# functions keep their names.
for _package in ("algorithms", "audit", "environments", "report"):
    _import_module(f"{__name__}.{_package}")

from .api.lists import algorithms, environments, experiments, rules
from .api.pictures import bounds, plot, report
from .api.privacy import audit, budget
from .api.runs import algorithm, reproduce, run, stop
from .api.tables import compare, latex, load, measured, save, summary
from .calls import forget_half_imported as _forget_half_imported
from .environment_values import (
    bernoulli, bernoulli_family, clipped_normal, contaminated, contextual, contextual_table,
    empirical, environment, gaussian, labelled, levels, linear, linear_sphere, logged, lognormal,
    mixed, one_better, pareto, population, sign, student, table, twopoint_heavy, uniform_means,
)  # fmt: skip
from .errors import BadInput, CannotRead, CannotWrite
from .errors import similar as _similar

if _TYPE_CHECKING:
    from .compiled import kernel
    from .running.failures import RunsFailed

__version__: str

__all__ = [
    "BadInput", "CannotRead", "CannotWrite", "RunsFailed", "__version__", "algorithm", "algorithms",
    "audit", "bernoulli", "bernoulli_family", "bounds", "budget", "clipped_normal", "compare",
    "contaminated", "contextual", "contextual_table", "empirical", "environment", "environments",
    "experiments", "gaussian", "kernel", "labelled", "latex", "levels", "linear", "linear_sphere",
    "load", "logged", "lognormal", "measured", "mixed", "one_better", "pareto", "plot",
    "population", "report", "reproduce", "rules", "run", "save", "sign", "stop", "student",
    "summary", "table", "twopoint_heavy", "uniform_means",
]  # fmt: skip

_IMPORTED_WHEN_USED = {"kernel": ".compiled", "RunsFailed": ".running.failures"}


def __getattr__(name: str) -> _Any:
    if name in _IMPORTED_WHEN_USED:
        try:
            return getattr(_import_module(_IMPORTED_WHEN_USED[name], __name__), name)
        except KeyboardInterrupt:
            _forget_half_imported()
            raise
    if name == "__version__":
        from importlib.metadata import version

        return version("dpbandits")
    near = _similar(name, __all__)
    hint = f"; did you mean {near}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted(__all__)

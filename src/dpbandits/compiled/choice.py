"""Which back-end compiles: ``quick`` if it knows this Numba, else ``plain``; the results are equal.

``quick`` takes private names of Numba, which change without notice. It is chosen if it was tested
with this version of Numba and if each of these names exists. The environment's variable
DPBANDITS_COMPILER overrides that. Processes that this one starts inherit the choice.
"""

from __future__ import annotations

import os
import sys

import numba

from ..errors import BadInput, first_line, nearest
from .quick import TESTED, missing

VARIABLE = "DPBANDITS_COMPILER"
PLAIN, QUICK = NAMES = "plain", "quick"
COST = "same results, but compiling an algorithm takes 8 to 40 s instead of about 5 s"


def compiler() -> str:
    """The name of the back-end that compiles."""
    return _chosen


def is_forced() -> bool:
    """Whether the choice is that of the environment's variable."""
    return _why == VARIABLE


def fall_back(error: BaseException) -> None:
    """Choose plain because quick has failed."""
    global _chosen, _why
    _chosen, _why = PLAIN, f"quick failed with numba {numba.__version__} ({first_line(error)})"


def restore() -> None:
    """Choose quick again: plain has failed, too."""
    global _chosen, _why
    _chosen, _why = QUICK, ""


def report() -> None:
    """Print one line, once, if plain was chosen because quick does not work here."""
    global _why
    if _why and not is_forced():
        print(f"compiling with the plain back-end: {_why}; {COST}", file=sys.stderr, flush=True)
        os.environ[VARIABLE], _why = _chosen, VARIABLE


def _choose() -> tuple[str, str]:
    """The back-end, and why plain was chosen or VARIABLE."""
    wanted = os.environ.get(VARIABLE)
    if wanted in NAMES:
        return wanted, VARIABLE
    if wanted:
        raise BadInput(f"{VARIABLE}={wanted}: {nearest(wanted, NAMES)}")
    version = tuple(int(x) for x in numba.__version__.split(".")[:2])
    if not TESTED[0] <= version <= TESTED[1]:
        why = f"quick was not tested with numba {numba.__version__}"
    else:
        why = next((f"numba {numba.__version__} lacks {name}" for name in missing()), "")
    return (PLAIN, why) if why else (QUICK, "")


_chosen, _why = _choose()

"""Choose the back-end that compiles, ``quick`` or ``plain``. Their results are equal.

``quick`` uses private names of Numba, which may change in any version. ``quick`` is chosen if it
was tested with the installed version of Numba and all these names exist. The environment variable
DPBANDITS_COMPILER overrides this rule. Child processes use the back-end of their parent.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

from ..errors import BadInput, first_line, nearest
from .quick import TESTED, missing

VARIABLE = "DPBANDITS_COMPILER"
PLAIN, QUICK = NAMES = "plain", "quick"
COST = "same results, but compiling an algorithm takes 4 to 11 s instead of 3 to 4"


def compiler() -> str:
    """Return the name of the back-end that compiles."""
    global _chosen, _why
    if not _chosen:
        _chosen, _why = _choose()
    return _chosen


def has_fallen_back() -> bool:
    """Return whether plain is in use since quick has failed in this process."""
    return _failed


def fall_back(error: BaseException | None) -> bool:
    """Change the back-end, and return whether it was changed.

    If quick has failed with ``error``, choose plain. If ``error`` is None, plain has failed, too,
    and quick is chosen again. A choice that the user forces by VARIABLE is never changed.
    """
    global _chosen, _why, _failed
    if _why == VARIABLE or (error and compiler() == PLAIN):
        return False
    said = f"quick failed with numba {version('numba')} ({first_line(error)})" if error else ""
    _chosen, _why = (PLAIN, said) if error else (QUICK, "")
    _failed = error is not None
    return True


def report_choice() -> None:
    """If plain was chosen because quick does not work here, print one line, only once."""
    global _why
    compiler()
    if _why not in ("", VARIABLE):
        print(f"compiling with the plain back-end: {_why}; {COST}", file=sys.stderr, flush=True)
        os.environ[VARIABLE], _why = _chosen, VARIABLE


def wanted_compiler() -> str:
    """Return the back-end that VARIABLE names, or "" if it is not set.

    Raises:
        BadInput: VARIABLE names no back-end.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted and wanted not in NAMES:
        raise BadInput(f"{VARIABLE}={wanted}: {nearest(wanted, NAMES)}")
    return wanted


def is_tested() -> bool:
    """Return whether the tests have passed with this version of Numba."""
    import numba

    release = tuple(int(x) for x in numba.__version__.split(".")[:2])
    return TESTED[0] <= release <= TESTED[1]


def _choose() -> tuple[str, str]:
    """Return the back-end and the reason: why quick cannot be used, VARIABLE if forced, or ""."""
    if wanted := wanted_compiler():
        return wanted, VARIABLE
    import numba  # imported here, since a command whose runs are finished does not need Numba

    if not is_tested():
        why = f"quick was not tested with numba {numba.__version__}"
    else:
        why = next((f"numba {numba.__version__} lacks {name}" for name in missing()), "")
    return (PLAIN, why) if why else (QUICK, "")


_chosen = wanted_compiler()
_why = VARIABLE if _chosen else ""
_failed = False  # whether quick has failed since it was chosen

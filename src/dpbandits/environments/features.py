"""Scale the features of users by public numbers, so that one user's record changes only the
features of this user.

The public numbers are ``ranges`` and ``bound``. After the scaling, each row longer than 1 is
divided by its own length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import BadInput, plain, unknown
from ..validation import as_number, is_list, number_where, one_of
from .contexts import ContextualEnvironment, contextual_environment

SCALES = ("public", "standard")
# If one column has more than this share of the sum of all squares, other columns have hardly any
# influence
DOMINATES = 0.9
# The numbers of a scaled column are about 1; a column with a smaller range than this is constant
ROUNDING = 1e-14
BY_DATA = "scale=standard scales each column by the data, so one row moves the features of all rows"


class UnitRows(NamedTuple):
    """Features of users; each row has length at most 1."""

    rows: np.ndarray  # float64 array (n, p)
    withdrawn: str  # why privacy of contexts is not promised; empty if it is promised
    notes: tuple[str, ...]  # messages that tell the user what was changed

    def environment(self, law: int, K: int, table: np.ndarray) -> ContextualEnvironment:
        """Return the environment of K actions in which each row is a user.

        For ``law`` and ``table`` see ``ContextualEnvironment``.
        """
        theta = np.zeros(K * self.rows.shape[1])
        return contextual_environment(law, K, theta, rows=self.rows, table=table)


def unit_rows(x: np.ndarray, names: Sequence[str], ranges: Any, bound: Any, scale: Any) -> UnitRows:
    """Scale the columns ``names`` of ``x`` and project each row onto the unit ball.

    Args:
        x: float64 array (n, p).
        names: the names of its columns.
        ranges: the public ranges of some columns, as ``{NAME: [low, high]}``. Each range is mapped
            to [-1, 1], and values outside it are clipped. None means that no range is public.
        bound: a public number by which features are divided, or None.
        scale: ``standard`` divides the centred columns by their standard deviations.

    Raises:
        BadInput: a range is given for a column that does not exist, a range or the bound is
            invalid, or scaled values are infinite.
    """
    x, notes = np.array(x, float), []
    standard = one_of(SCALES, "scale", scale) == "standard"
    if standard and (ranges or bound is not None):
        raise BadInput("scale=standard: leave out ranges and bound, or choose scale=public")
    if standard:
        # without this scaling, the square of 1e200 would overflow
        x = np.ldexp(x, -np.frexp(np.abs(x).max(axis=0))[1])
        varies = np.ptp(x, axis=0) > ROUNDING
        x = (x - x.mean(axis=0)) / np.where(varies, x.std(axis=0), np.inf)
    if ranges is not None and not isinstance(ranges, Mapping):
        raise BadInput(f"ranges={plain(ranges)}: a range per column is needed, {{NAME: [0, 1]}}")
    for name, ends in (ranges or {}).items():
        if plain(name) not in names:
            raise BadInput(f"ranges: {unknown('column', plain(name), names)}")
        low, high = range_of(f"ranges.{plain(name)}", ends)
        column = x[:, list(names).index(plain(name))]
        if outside := int(((column < low) | (column > high)).sum()):
            notes.append(f"{outside:,} rows leave the range of {plain(name)} and are clipped")
        column[:] = 2.0 * ((np.clip(column, low, high) - low) / (high - low)) - 1.0
    if bound is not None:
        with np.errstate(over="ignore"):
            x /= number_where("bound", bound, lambda b: b > 0, "a number above 0 is needed")
        if not np.isfinite(x).all():
            raise BadInput(
                f"bound={plain(bound)}: a feature divided by the bound is too large for a number"
            )
    # without this division, the square of 1e200 would overflow
    largest = np.abs(x).max(axis=1, initial=1.0, keepdims=True)
    x /= largest
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0 / largest)
    squares = (x**2).sum(axis=0)
    if len(names) > 1 and not standard and squares.max() > DOMINATES * squares.sum():
        name = names[int(squares.argmax())]
        scaled = "COLUMN" if name in map(plain, ranges or ()) else name
        share = f"{100 * squares.max() / squares.sum():.0f} %"
        notes.append(
            f"{name} makes up {share} of the squared length of all rows; public ranges give "
            f"features equal weight: env.ranges={{{scaled}: [LOW, HIGH]}}"
        )
    return UnitRows(x, BY_DATA if standard else "", tuple(notes))


def range_of(key: str, ends: Any) -> tuple[float, float]:
    """Check a public range: two numbers, the smaller one first."""
    if is_list(ends) and len(ends) == 2:
        low, high = (as_number(key, x) for x in ends)
        if low < high and math.isfinite(high - low):
            return low, high
    raise BadInput(f"{key}={plain(ends)}: two numbers are needed, the smaller one first")

"""Symbols and numbers as they are written on the page: Unicode in the place of LaTeX."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

from ..contracts.display import symbol
from ..results.summary import significant

LETTERS = {
    "epsilon": "ε", "rho": "ρ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "mu": "μ",
    "min": "min", "times": "×", "le": "≤", "ge": "≥", "log": "log", "sqrt": "√", "infty": "∞",
}  # fmt: skip
DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def unicode_of(text: str) -> str:
    """Text whose mathematics, between dollar signs, is written in Unicode."""

    def formula(found: re.Match) -> str:
        inside = re.sub(r"\\([a-z]+)", lambda m: LETTERS.get(m[1], m[1]), found[1])
        return re.sub(r"[{}]|\\,", "", inside)

    return re.sub(r"\$([^$]*)\$", formula, text)


def name_of(column: str) -> str:
    """A parameter or budget: ε for eps, gap for env.gap."""
    return unicode_of(symbol(column))


def power(T: float) -> str:
    """A number of rounds: 10⁷, or 5 × 10⁷; small or crooked ones as they are."""
    exponent = math.floor(math.log10(T)) if T > 0 else 0
    factor = T / 10**exponent
    if exponent < 4 or float(f"{factor:.2g}") != factor:
        return f"{T:,.0f}" if float(T).is_integer() else f"{T:g}"
    ten = f"10{str(exponent).translate(DIGITS)}"
    return ten if factor == 1 else f"{factor:g} × {ten}"


def value(column: str, x: Any) -> str:
    """The value of a column in a label."""
    if column in ("horizon", "cap"):
        return power(float(x))
    return f"{x:g}" if isinstance(x, float) else str(x)


def number(x: Any) -> str:
    """A number with four digits, empty for a missing one."""
    if pd.isna(x):
        return ""
    if math.isinf(x):
        return "∞"
    return significant(x)

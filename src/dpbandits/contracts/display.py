"""What tables and figures print for the names of algorithms, environments and parameters."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..files import PACKAGE, package_folder

DASHES = "solid", "dashed", "dashdotted", "dotted"
MAX_PRINTED_CHARACTERS = 60  # the largest length of the printed name of a user's algorithm
GREEK = ("rho", "alpha", "beta", "gamma", "delta")
SYMBOLS = {name: f"${name}$" for name in "kvcuDR"} | {name: f"$\\{name}$" for name in GREEK}
SYMBOLS |= {"eps": r"$\epsilon$", "eps_min": r"$\epsilon_{\min}$", "horizon": "$T$"}
SYMBOLS |= {"trust": "trusted"}  # as in "nobody trusted"
SYMBOLS |= {"alpha1": r"$\alpha_1$", "c1": "$c_1$", "mu0": r"$\mu_0$", "mu1": r"$\mu_1$"}


def display_name(name: str) -> str:
    """Return the printed name of an algorithm or a stopping rule: AdaP-KLUCB for ``adap_klucb``.

    The printed name is the constant ``NAME`` of the file or the class. A name without this constant
    is returned unchanged.
    """
    return str(_declared(name).get("NAME", _own.get(name, {}).get("NAME", name)))


def line_of(name: str) -> tuple[str, str] | None:
    """Return the names of the colour and the dash of an algorithm's lines in all figures.

    The constant ``LINE`` of the algorithm's file or class has both names. Without this constant,
    the result is None.
    """
    return _declared(name).get("LINE", _own.get(name, {}).get("LINE"))


def declare_own(name: str, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Set how a user's algorithm is shown from now on.

    Args:
        name: the name of the algorithm.
        constants: the constants of the loaded algorithm, or of the records of its runs. Only NAME
            and LINE are used.

    Returns:
        The valid constants among NAME and LINE, as the records store them.
    """
    shown, line = constants.get("NAME"), constants.get("LINE")
    found: dict[str, Any] = {}
    if isinstance(shown, str) and shown.isprintable() and 0 < len(shown) <= MAX_PRINTED_CHARACTERS:
        found["NAME"] = shown
    colour, dash = line if isinstance(line, list | tuple) and len(line) == 2 else ("", "")
    if isinstance(colour, str) and dash in DASHES:
        found["LINE"] = colour, dash
    _own[name] = found
    return found


_own: dict[str, dict[str, Any]] = {}  # the constants of users' algorithms, by the algorithm's name


def symbol(name: str) -> str:
    """Return the symbol of a parameter in figures: the Greek letter for ``alpha``, ``env.alpha``.

    A name without a symbol is returned with spaces in place of underscores.
    """
    last = name.rpartition(".")[2]
    return SYMBOLS.get(last, last.replace("_", " "))


@cache
def environment_title(name: str) -> str:
    """Return the title of an environment of the package: C2 for ``bernoulli_c2``.

    The title is the text of the file's first comment up to the colon. Any other name is returned
    unchanged.
    """
    file = package_folder("conf") / "env" / f"{name}.yaml"
    if name.isidentifier() and file.is_file():
        first, _, _ = file.read_text().removeprefix("# ").partition("\n")
        return first.partition(":")[0]
    return name


@cache
def _declared(name: str) -> dict[str, Any]:
    """Return the constants NAME and LINE in the file of an algorithm or a stopping rule.

    The file is parsed, not imported, because an import loads the compiler.
    """
    found: dict[str, Any] = {}
    for folder in ("algorithms", "stopping"):
        file = PACKAGE / folder / f"{name}.py"
        if not (name.isidentifier() and file.is_file()):
            continue
        for node in ast.parse(file.read_text()).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=("NAME" | "LINE") as constant)]):
                    found[constant] = ast.literal_eval(node.value)
    return found

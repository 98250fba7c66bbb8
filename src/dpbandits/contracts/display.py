"""What people see in the place of names: of algorithms, environments and parameters."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from ..files import PACKAGE, package_folder

GREEK = ("rho", "alpha", "beta", "gamma", "delta")
SYMBOLS = {name: f"${name}$" for name in "kvcuDR"} | {name: f"$\\{name}$" for name in GREEK}
SYMBOLS |= {"eps": r"$\epsilon$", "eps_min": r"$\epsilon_{\min}$", "horizon": "$T$"}
SYMBOLS |= {"alpha1": r"$\alpha_1$", "c1": "$c_1$", "mu0": r"$\mu_0$", "mu1": r"$\mu_1$"}


def display_name(name: str) -> str:
    """The printed name of an algorithm or a stopping rule: AdaP-KLUCB for ``adap_klucb``.

    It is the constant ``NAME`` of the algorithm's file. Any other name, such as that of a user's
    algorithm, is returned unchanged.
    """
    return str(_declared(name).get("NAME", name))


def line_of(name: str) -> tuple[str, str] | None:
    """The names of the colour and the dash of an algorithm's lines, the same in all figures.

    They are the constant ``LINE`` of its file; None for an algorithm of a user.
    """
    return _declared(name).get("LINE")


def symbol(name: str) -> str:
    """The symbol of a parameter in figures: the Greek letter for alpha, or env.alpha."""
    last = name.rpartition(".")[2]
    return SYMBOLS.get(last, last.replace("_", " "))


@cache
def environment_title(name: str) -> str:
    """The title of an environment of the package, with which its file begins: C2 for bernoulli_c2.

    Any other name is returned unchanged.
    """
    file = package_folder("conf") / "env" / f"{name}.yaml"
    if name.isidentifier() and file.is_file():
        first, _, _ = file.read_text().removeprefix("# ").partition("\n")
        return first.partition(":")[0]
    return name


@cache
def _declared(name: str) -> dict[str, Any]:
    """The constants of an algorithm's file, which is parsed and not imported: an import loads the
    compiler.
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

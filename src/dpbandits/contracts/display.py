"""The names of algorithms, environments and parameters as tables and figures print them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
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
    """Return the printed name of an algorithm or rule, such as AdaP-KLUCB for ``adap_klucb``.

    The printed name is the constant ``NAME`` in the file or class of the algorithm. If there is no
    such constant, the argument is returned unchanged.
    """
    return str(_constants(name).get("NAME", name))


def line_of(name: str) -> tuple[str, str] | None:
    """Return the names of the colour and the dash of an algorithm's lines in all figures.

    The constant ``LINE`` in the algorithm's file or class has both names. If there is no such
    constant, the result is None.
    """
    return _constants(name).get("LINE")


def _constants(name: str) -> dict[str, Any]:
    """Return the constants NAME and LINE of an algorithm of the package or of a user."""
    return {**_own.get(name, {}), **_declared(name)}


def declare_own(name: str, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Set the printed name, line and labels of a user's algorithm from now on.

    Args:
        name: the name of the algorithm.
        constants: constants of the loaded algorithm, or constants in the records of its runs. Only
            NAME, LINE and ``labels`` are used.

    Returns:
        The valid constants among NAME, LINE and ``labels``, as the records store them. If there is
            no NAME, a label for the algorithm itself serves as its NAME.
    """
    found: dict[str, Any] = {}
    labels = _labels(constants.get("labels"))
    own = labels.pop(name, None)
    shown, line = constants.get("NAME", own), constants.get("LINE")
    if labels:
        found["labels"] = labels
    if isinstance(shown, str) and shown.isprintable() and 0 < len(shown) <= MAX_PRINTED_CHARACTERS:
        found["NAME"] = shown
    colour, dash = line if isinstance(line, list | tuple) and len(line) == 2 else ("", "")
    if isinstance(colour, str) and dash in DASHES:
        found["LINE"] = colour, dash
    _own[name] = found
    return found


def _labels(given: Any) -> dict[str, str]:
    """Return the constant ``labels`` if it maps texts to printable texts, else an empty dict: a
    class may have an attribute of this name for another purpose.
    """
    if not isinstance(given, Mapping):
        return {}
    texts = [*given, *given.values()]
    usable = all(isinstance(x, str) and x.isprintable() and x for x in texts)
    short = usable and max(map(len, texts), default=0) <= MAX_PRINTED_CHARACTERS
    return dict(given) if short else {}


def own_labels(names: Iterable[Any]) -> dict[str, str]:
    """Return, in one dict, the ``labels`` that users' algorithms with these names declare. If two
    algorithms declare a label for the same word, the first label is used.
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(map(str, names)):
        found = {**_own.get(name, {}).get("labels", {}), **found}
    return found


_own: dict[str, dict[str, Any]] = {}  # the constants of users' algorithms, by the algorithm's name


def symbol(name: str, algos: Iterable[Any] = ()) -> str:
    """Return the symbol of a parameter in figures, such as the Greek letter for ``env.alpha``.

    If a user's algorithm among ``algos`` declares a label for the parameter, the label is the
    symbol. If there is no symbol, the name is returned with spaces in place of underscores.
    """
    if (label := own_labels(algos).get(name)) is not None:
        return label
    last = name.rpartition(".")[2]
    return SYMBOLS.get(last, last.replace("_", " "))


@cache
def environment_title(name: str) -> str:
    """Return the title of an environment of the package, such as C2 for ``bernoulli_c2``.

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

"""The reference of ``dpbandits.theory``: the function of each theorem, by paper."""

from importlib import import_module
from itertools import groupby

from dpbandits.theory.bounds import every_bound

from .markdown import paragraphs

INTRODUCTION = """\
Each theorem is a function of numbers. The function raises `ConditionFailed` if a condition on these
numbers fails. [bounds.md](../bounds.md) lists the formulas, kinds and conditions of all theorems.
`bandit-bounds` and `dp.bounds` compute the bounds that apply to a setting."""


def pages() -> dict[str, str]:
    """The page."""
    names = sorted({(b.function.__module__, b.function.__name__) for b in every_bound()})
    parts = ["# dpbandits.theory", INTRODUCTION]
    for module, of_module in groupby(names, key=lambda pair: pair[0]):
        about = (import_module(module).__doc__ or "").partition("\n\n")[0]
        functions = "\n".join(f".. autofunction:: {module}.{name}" for _, name in of_module)
        short = module.rpartition(".")[2]
        parts += [f"## {short}", about.strip(), f"```{{eval-rst}}\n{functions}\n```"]
    return {"theory": paragraphs(*parts)}

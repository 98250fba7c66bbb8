"""The page docs/coverage.md: what the five papers number, and where it is here.

``python docs/builder/coverage_page.py > docs/coverage.md`` makes it from docs/coverage.yaml, which
says how places are written, and from the numbers of the theorems in ``dpbandits.theory``.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from dpbandits.claims.claim import load_claims
from dpbandits.theory.bounds import every_bound

TOP = Path(__file__).parents[2]
HEAD = """\
# Coverage

This page shows where the package contains the numbered algorithms, theorems, figures and tables of
five papers. (The package was first made for the algorithms of these papers.) It lists a lemma,
remark or definition only if the package uses it or if [errata.md](errata.md) says that it is false.
The last column names the function, experiment, claim or test for each item, or says why there is
none. Paths begin at the top of the repository or in `src/dpbandits`. If a theorem states a formula,
it is a function of [bounds.md](bounds.md), and the kind of the bound is in parentheses. Tests
compare each such function with values that we computed by hand or with another function
(`tests/theory/test_theorems.py`); tests also compare exact bounds with simulations.
`python docs/builder/coverage_page.py > docs/coverage.md` makes this page from `docs/coverage.yaml`,
and a test checks that every place exists.

"""
KINDS = "experiment", "claim"  # of places that are no paths


def items() -> dict[str, dict[str, dict]]:
    """What the papers number: paper, number, and ``what``, ``here`` and ``but``."""
    return yaml.safe_load((TOP / "docs" / "coverage.yaml").read_text())


def bounds_of(paper: str, item: str) -> list[str]:
    """The functions of a theorem, with the kind of their bounds."""
    number = re.compile(re.escape(f"{paper}, {item}") + r"\b(?!\.)")
    found = [bound for bound in every_bound() if number.match(bound.source)]
    return [f"{_module(b.function)}::{b.function.__name__} ({b.status})" for b in found]


def places() -> Iterator[tuple[str, Path, str]]:
    """Every place that is named: as written, its file, and the name in it (empty for the file)."""
    for numbers in items().values():
        for item in numbers.values():
            for place in item.get("here", ()):
                yield place, *located(place)


def located(place: str) -> tuple[Path, str]:
    """The file of a place and the name in it."""
    kind, _, name = place.partition(" ")
    if kind == "experiment":
        return TOP / "conf" / kind / f"{name}.yaml", ""
    if kind == "claim":
        found = load_claims().get(name)
        if not found:
            return TOP / name, ""
        return Path(inspect.getfile(found.parts)), found.parts.__name__
    path, _, name = place.partition("::")
    home = TOP if (TOP / path.split("/")[0]).exists() else TOP / "src" / "dpbandits"
    return home / path, name


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD.rstrip("\n")]
    for paper, numbers in items().items():
        rows = ["| item | content | where |", "|---|---|---|"]
        for number, item in numbers.items():
            here = [*bounds_of(paper, number), *item.get("here", ())]
            cells = "; ".join(_shown(place) for place in here)
            but = item.get("but", "")
            cells = f"{cells}: {but}" if cells and but else cells or f"none: {but}"
            rows.append(f"| {number} | {item['what']} | {_linked(cells)} |")
        parts += [f"## {paper}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _module(function) -> str:
    return function.__module__.removeprefix("dpbandits.").replace(".", "/") + ".py"


def _shown(place: str) -> str:
    if place.startswith("docs/"):
        return place
    kind, _, name = place.partition(" ")
    return f"{kind} `{name}`" if kind in KINDS else f"`{kind}`{f' {name}' if name else ''}"


def _linked(text: str) -> str:
    """With links to pages."""
    return re.sub(r"docs/(\w+\.md)", r"[\1](\1)", text)


if __name__ == "__main__":
    print(page(), end="")

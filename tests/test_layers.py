"""The architecture, read from the imports."""

import ast

import pytest

from dpbandits.files import PACKAGE

# What each part may import of the package; a part is a module or a folder at its top.
MAY_IMPORT = {
    "kernel": set(),
    "errors": set(),
    "files": {"errors"},
    "parameters": set(),
    "assumptions": set(),
    "guarantees": set(),
    "seeds": set(),
    "inputs": {"errors", "parameters"},
    "environments": {"kernel", "errors", "inputs"},
    "game": {"kernel", "environments"},
    "mechanisms": {"kernel"},
    "curators": {"environments", "kernel", "mechanisms"},
    "radii": {"kernel"},
    "estimators": {"environments", "kernel", "mechanisms", "radii"},
    "optimism": {"kernel", "powers"},
    "powers": {"kernel"},
    "episodes": {"kernel", "game", "mechanisms"},
    "batches": {"kernel", "game"},
    "algorithms": {
        "kernel", "environments", "game", "mechanisms", "curators", "radii", "optimism", "episodes",
        "parameters", "assumptions", "batches", "estimators", "guarantees", "powers",
    },
    "stopping": {"assumptions", "game", "guarantees", "kernel", "mechanisms", "parameters"},
    "theory": {"assumptions", "environments", "estimators", "radii"},
    "registry": {"assumptions", "errors", "guarantees", "kernel", "parameters"},
    "cell": {"environments", "errors", "registry"},
    "budgets": {"environments", "errors", "inputs", "parameters", "registry", "theory"},
    "settings": {
        "budgets", "cell", "environments", "errors", "inputs", "parameters", "registry",
    },
    "privacy": {
        "assumptions", "cell", "curators", "environments", "errors", "estimators", "figures",
        "files", "game", "inputs", "kernel", "mechanisms", "parameters", "registry", "settings",
        "store",
    },
    "play": {"cell", "environments", "game", "kernel", "seeds"},
    "trial": {"cell", "environments", "game", "kernel", "play", "registry", "seeds"},
    "trial_settings": {
        "budgets", "environments", "errors", "inputs", "parameters", "registry", "settings",
        "trial",
    },
    "outcomes": {"errors", "kept", "store", "summary", "trial"},
    "kept": {"cell", "errors", "files"},
    "store": {"cell", "errors", "files", "inputs", "kept", "kernel"},
    "engines": {"errors"},
    "compiling": {"cell", "kernel", "play"},
    "runner": {
        "cell", "compiling", "engines", "environments", "errors", "files", "kept", "kernel", "play",
    },
    "progress": {"cell", "kept"},
    "summary": {"store"},
    "figures": {"files", "store"},
    "outcome_figures": {"errors", "figures", "outcomes", "summary"},
    "claims": {"cell", "errors", "kept", "store", "summary", "theory"},
    "cli": {
        "cell", "claims", "engines", "environments", "errors", "figures", "files", "inputs",
        "kept", "kernel", "outcome_figures", "outcomes", "privacy", "progress", "registry",
        "runner",
        "settings", "store", "summary", "theory", "trial", "trial_settings",
    },
}  # fmt: skip


def part_of(file):
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file):
    """The parts of the package that a file imports."""
    depth = len(file.relative_to(PACKAGE).parts)
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpbandits"):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            inside = (a.name for a in node.names if a.name.startswith("dpbandits."))
            yield from (name.split(".")[1] for name in inside)


FILES = [f for f in sorted(PACKAGE.rglob("*.py")) if f != PACKAGE / "__init__.py"]


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_layers_point_one_way(file):
    part = part_of(file)
    assert set(imports(file)) - {part} <= MAY_IMPORT[part]


def test_the_table_has_no_cycle_and_no_stranger():
    assert set(MAY_IMPORT) == {part_of(f) for f in FILES}
    done = set()
    while done != set(MAY_IMPORT):
        ready = {p for p, needs in MAY_IMPORT.items() if needs <= done} - done
        assert ready, "a cycle"
        done |= ready


def test_imports_are_found():
    assert set(imports(PACKAGE / "algorithms" / "dp_se.py")) == {
        "assumptions", "game", "guarantees", "kernel", "mechanisms", "parameters", "radii"
    }  # fmt: skip

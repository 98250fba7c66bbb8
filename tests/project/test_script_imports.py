"""Scripts outside the package import what the package has."""

import ast
from importlib import import_module
from importlib.util import find_spec

import pytest
from helpers import CONF

TOP = CONF.parent
SCRIPTS = sorted(
    file
    for folder in ("experiments", "benchmarks", "docs")
    for file in (TOP / folder).rglob("*.py")
)


def imports_of(text):
    """The modules of the package that a script imports from, each with a name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpbandits"):
            yield from ((node.module, alias.name) for alias in node.names)


def lacking(text):
    """The names that the package lacks."""
    return [f"{module}.{name}" for module, name in imports_of(text) if not exists(module, name)]


def exists(module, name):
    found = import_module(module)
    return hasattr(found, name) or (
        hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None
    )


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_script_imports_what_exists(file):
    assert lacking(file.read_text()) == []


def test_a_name_that_is_gone_is_found():
    """The control."""
    text = "from dpbandits.results.run_store import RunStore, is_gone\nfrom dpbandits import cli"
    assert lacking(text) == ["dpbandits.results.run_store.is_gone"]

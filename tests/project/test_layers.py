"""The layers of the package: no module imports from a layer above its own."""

import os
import shutil
import sys

import pytest
from commands import captured

from dpbandits.files import PACKAGE

pytestmark = [pytest.mark.slow, pytest.mark.extra("importlinter")]
CHECK = """\
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(sys.argv[1], no_cache=True))
"""
CONFIGURATION = PACKAGE.parent.parent / "pyproject.toml"


def checked(folder):
    """Check the package in a folder against the layers: the exit code and what is printed."""
    path = os.environ | {"PYTHONPATH": str(folder)}
    done = captured(sys.executable, "-c", CHECK, str(CONFIGURATION), cwd=folder, env=path)
    return done.returncode, done.stdout + done.stderr


def test_no_module_imports_from_a_layer_above_its_own():
    code, printed = checked(PACKAGE.parent)
    assert code == 0, printed
    assert "Contracts: 3 kept, 0 broken." in printed


# a file of the package, what is appended to it, and what the check prints of that
FAULTS = {
    "at the top of a module": ("errors.py", "from .cli import run",
     "dpbandits.errors -> dpbandits.cli.run"),
    "inside a function": ("settings/sweep.py",
     "def late():\n    from ..api import summary\n\n    return summary",
     "dpbandits.settings.sweep -> dpbandits.api"),
    "of the package itself": ("parts/indices/radii.py", "from dpbandits import summary",
     "dpbandits.parts.indices.radii -> dpbandits"),
    "of a layer beside it": ("theory/bounds.py", "from ..stopping import nas",
     "dpbandits.theory.bounds -> dpbandits.stopping.nas"),
    "in an algorithm": ("algorithms/ucb.py", "from ..environments.instances import Instance",
     "dpbandits.algorithms is not allowed to import dpbandits.environments"),
    "in a module that has no layer": ("stray.py", "", "- dpbandits.stray"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_an_import_against_the_layers_is_found(fault, tmp_path):
    """The control: the check fails for a copy of the package with one more import."""
    file, text, reason = FAULTS[fault]
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=ignored)
    with open(tmp_path / PACKAGE.name / file, "a") as module:
        module.write(f"\n\n{text}\n")
    code, printed = checked(tmp_path)
    assert code == 1
    assert reason in printed, printed

"""Windows, which lacks what the package needs of POSIX, is refused in one line."""

import sys

import pytest
from commands import captured

REFUSAL = "dpbandits runs on Linux and macOS; on Windows use it inside WSL"


def imported_on(platform, program):
    """A process that takes itself for another platform's and imports the package's commands."""
    code = f"import sys; sys.platform = {platform!r}; sys.argv = [{program!r}]; "
    code += "import dpbandits.errors"
    return captured(sys.executable, "-c", code)


def test_an_import_fails_with_the_reason():
    done = imported_on("win32", "notebook.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"ImportError: {REFUSAL}"


@pytest.mark.parametrize("command", ["bandit-run", "dpbandits"])
@pytest.mark.parametrize("ending", ["", ".exe"])
def test_a_command_ends_with_one_line(command, ending):
    done = imported_on("win32", f"/Scripts/{command}{ending}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{command}: {REFUSAL}\n"


def test_other_platforms_are_not_refused():
    """Control."""
    done = imported_on(sys.platform, "/bin/bandit-run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

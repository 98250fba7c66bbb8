"""No configuration ends with a traceback: it can be run, or is refused in one line."""

from functools import partial

import pytest
from fuzz import command_lines, composed, configurations, end_of_command, outcomes, requested


@pytest.mark.long
def test_configurations_are_run_or_refused():
    counts = outcomes(configurations(), composed, tries=1200)
    assert counts.total() >= 1200 and min(counts["valid"], counts["refused"]) > 120, counts


@pytest.mark.long
def test_command_lines_are_run_or_refused(tmp_path):
    counts = outcomes(command_lines(), partial(requested, tmp_path), tries=80)
    assert counts.total() >= 80 and min(counts["valid"], counts["refused"]) > 5, counts


class LostError(Exception):
    """An error that is not a BadInput."""


@pytest.mark.long
def test_a_validator_that_fails_is_found(monkeypatch):
    def broken(key, value, at_least, at_most=0):
        if not isinstance(value, int | float):
            raise LostError
        return 1

    monkeypatch.setattr("dpbandits.settings.resolve.as_integer", broken)
    monkeypatch.setattr("dpbandits.settings.request.as_integer", broken)
    with pytest.raises(LostError):
        outcomes(configurations(), composed, tries=3000)  # it stops at the first


@pytest.mark.slow
def test_a_message_of_two_lines_is_found(monkeypatch):
    monkeypatch.setattr("dpbandits.errors.in_a_line", lambda text: f"{text}\n")
    with pytest.raises(AssertionError, match="not one line"):
        outcomes(configurations(), composed, tries=150)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "end"),
    [
        ("raise ValueError", "traceback"),
        ("import os; print('two', 'lines', sep='\\n', file=os.sys.stderr); os._exit(2)", "untidy"),
        ("import os, time\ntry: time.sleep(9)\nexcept KeyboardInterrupt: os._exit(130)", "stopped"),
        ("import time\ntry: time.sleep(9)\nexcept KeyboardInterrupt: time.sleep(9)", "hang"),
    ],
)
def test_commands_that_end_badly_are_found(tmp_path, script, end):
    """The control of the bad input that docs/reliability.md counts."""
    file = tmp_path / "script.py"
    file.write_text(script)
    assert end_of_command(tmp_path / "folder", [str(file)], {}, limit=0.5) == end

"""Fixtures that several test files share."""

import sys

import pytest
from refusals import complaint


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """A function that runs a command in an own folder and returns its complaint."""
    monkeypatch.chdir(tmp_path)

    def refuse(module, given: list[str]) -> str:
        before = sorted(tmp_path.rglob("*"))
        name = f"bandit-{module.__name__.rpartition('.')[2]}"
        monkeypatch.setattr(sys, "argv", [name, *given])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        assert sorted(tmp_path.rglob("*")) == before
        return complaint(name, stopped.value.code, *capsys.readouterr())

    return refuse

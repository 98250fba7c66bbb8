"""Commands in this process, which play nothing: what each was asked for, or how it refused that."""

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any, NamedTuple

import pandas as pd
import pytest
from matplotlib.figure import Figure

# What plays, or draws, by the module of the command; all of it is checked before
HEAVY = {
    "run": ["run"],
    "stop": [],
    "status": ["report"],
    "bounds": ["report"],
    "audit": ["settle"],
    "budget": ["budgets_needed", "text", "save", "budget_needed", "write_atomically"],
    "claims": ["settle"],
    "compare": ["compare", "render", "note", "write_atomically"],
    "plot": ["figure_of_table", "experiment_figure", "curves_of", "name_axes", "rescale", "save",
             "in_text"],
    "report": ["report_of_folder", "write_atomically"],
}  # fmt: skip


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str
    asked: list[Any]  # the arguments of what would have played or drawn

    @property
    def refused(self) -> bool:
        """Whether it refused its input in one line, the only other end than success."""
        if self.code == 0:
            return False
        assert self.code == 2 and self.out == "", self
        assert self.err.startswith("bandit-") and self.err.endswith("\n"), self
        line = self.err[:-1]
        assert line.isprintable() and len(line) < 3000, self
        return True


def recording(asked: list[Any], name: str) -> Callable[..., Any]:
    """What stands in the place of a function that plays or draws."""

    def record(*given: Any, **named: Any) -> Any:
        asked.append((name, given, named))
        if name in ("run", "settle"):
            return 0
        if name == "experiment_figure":
            return given[1] / "figure", Figure()
        if name in ("compare", "budgets_needed"):
            return pd.DataFrame({"runs": [100], "answer": [""]})
        return [] if name == "save" else ""

    return record


def ended(monkeypatch: pytest.MonkeyPatch, *words: str) -> Ended:
    """Run a command; any error that a user would see as a traceback is raised."""
    name = words[0].removeprefix("bandit-")
    module = import_module(f"dpbandits.cli.{name}")
    home = import_module("dpbandits.cli.run") if name == "stop" else module
    asked: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", list(words))
        for function in HEAVY["run" if name == "stop" else name]:
            patch.setattr(home, function, recording(asked, function))
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
            module.main()
    code = end.value.code
    return Ended(code if isinstance(code, int) else int(code is not None), out.getvalue(),
                 err.getvalue(), asked)  # fmt: skip

"""Run commands in this process without playing anything, and find out what each would do, or how it
refuses its input.
"""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any, NamedTuple

import pytest
from refusals import checked_line

# For each module of a command, the functions that play, write or take long. All input is checked
# before they are called
HEAVY = {
    "run": ["cli.run.run"],
    "stop": ["cli.run.run"],
    "status": ["cli.status.text_of_status"],
    "bounds": ["cli.bounds.text_of_bounds"],
    "audit": ["cli.audit.report_findings"],
    "budget": ["decisions.budget.Search.answer"],
    "claims": ["cli.claims.play_request"],
    "compare": ["cli.compare.write_atomically"],
    "plot": ["figures.style.save"],
    "report": ["cli.report.write_atomically"],
    "results": ["cli.results._remove"],
}


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str
    asked: list[Any]  # the arguments of the functions that would have played or drawn

    @property
    def refused(self) -> bool:
        """Whether it refused its input in one line. Its only other end is success."""
        if self.code == 0:
            return False
        assert self.code == 2 and self.out == "", self
        assert checked_line(self.err.removesuffix("\n")).startswith("bandit-"), self
        return True


def ended(monkeypatch: pytest.MonkeyPatch, *words: str) -> Ended:
    """Run a command. An error that a user would see as a traceback is raised."""
    name = words[0].removeprefix("bandit-")
    asked: list[Any] = []

    def record(*given: Any, **named: Any) -> Any:
        asked.append((given, named))
        sys.exit(0)

    module = import_module(f"dpbandits.cli.{name}")
    out, err = io.StringIO(), io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", list(words))
        for function in HEAVY[name]:
            patch.setattr(f"dpbandits.{function}", record)
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
            module.main()
    code = end.value.code
    code = code if isinstance(code, int) else int(code is not None)
    return Ended(code, out.getvalue(), err.getvalue(), asked)

"""Helpers for tests of runs: requests, the words of commands with the same meaning, and their
tables.
"""

import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import PIPE, Popen
from textwrap import indent
from typing import Any

import numpy as np

from dpbandits.contracts.question import (
    BEST_ARM,
    CONTEXTUAL,
    HYPOTHESES,
    REGRET,
    STOPPING,
    Question,
)
from dpbandits.errors import plain
from dpbandits.results.formats import csv_of
from dpbandits.results.report import write_report
from dpbandits.results.run_store import RunStore
from dpbandits.running.monte_carlo import play_request, run_request
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import default_keys
from dpbandits.settings.request import Request

MAIN = "from dpbandits.cli.run import main; main()"
COMMAND = [sys.executable, "-c", MAIN]

THREE = {"law": "bernoulli", "means": [0.9, 0.2, 0.3]}

# For each question a sweep that takes a second
QUICK: dict[str, dict[str, Any]] = {
    REGRET.name: {"algo": ["ucb", "dp_se", "adap_ucb"], "eps": [0.5, 2], "horizon": 20_000},
    STOPPING.name: {"rule": ["nas", "dp_nas", "dp_nas_exp"], "eps": [0.5, 2], "rel_error": 0.5},
    BEST_ARM.name: {"rule": ["tt_ucb", "dp_se_bai", "adap_tt"], "env": THREE, "eps": [0.5, 2]},
    HYPOTHESES.name: {"rule": "dp_sprt", "env": THREE, "arm": [0, 1], "eps": [0.5, 2]},
    CONTEXTUAL.name: {
        "algo": ["rs_oful", "adac_oful"],
        "env": "contextual",
        "rho": [0.5, 2],
        "horizon": 500,
    },
}


def requested(
    results: Path | None = None,
    question: Question = REGRET,
    folders: tuple[str, ...] = (),
    **given: Any,
) -> Request:
    """Return the request of some keys. A name that is not a key is a parameter of the algorithm."""
    keys = default_keys(question.keys_file)
    parameters = {name: given.pop(name) for name in [*given] if name not in keys}
    return request_from(question, given | {"results": results}, parameters, folders)


def quick(results: Path | None, question: Question = REGRET, **given: Any) -> Request:
    """Return the request of the quick sweep of a question, with five runs of each setting and two
    workers.
    """
    return requested(results, question, **({"runs": 5, "jobs": 2} | QUICK[question.name] | given))


def words(**given: Any) -> list[str]:
    """Return the words of a command that requests the same. A list of values is a sweep."""
    return [f"{'sweep.' * isinstance(x, list)}{key}={plain(x)}" for key, x in given.items()]


def csv_after(request: Request) -> bytes:
    """Play the missing runs of a request, and return its table as CSV."""
    return csv_of(run_request(request)[0])


def report(request: Request) -> Path:
    """Play the missing runs of a request, write its table, and return the path of the table."""
    return write_report(request, play_request(request), 0.0)[0]


def stored(request: Request) -> dict[tuple[int, int], bytes]:
    """Return the content of each stored run, by the position of its setting and its number."""
    store = RunStore(request.results)
    return {
        (i, run): found.pulls.tobytes() + np.float64(found.answer).tobytes()
        for i, setting in enumerate(request.settings)
        for run, found in store.load(setting).items()
    }


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, given by their paths in a folder, and make missing folders."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def own_algorithm(folder: Path, name: str, source: str, parameters: str = "{}") -> Path:
    """Write the two files of an algorithm into a configuration folder."""
    home = folder / "algo"
    write(home, {f"{name}.yaml": parameters, f"{name}.py": source})
    return home


def pulling(name: str, first: str = "pass", parameters: str = "", arm: str = "0") -> str:
    """Return the source of an algorithm that runs some code, and then pulls an arm in every round.
    In the code, ``here`` is the folder of the algorithm.
    """
    return f"""
import os, signal, time
from pathlib import Path
from dpbandits.game import pull, rounds_left

def {name}(game, rng, {parameters}):
    here = Path(__file__).parent
{indent(first, "    ")}
    while rounds_left(game):
        pull(game, {arm})
"""


def started(*words: str, before: str = "", **more: Any) -> Popen:
    """Start ``bandit-run`` in a new process, after some code. What it prints can be read."""
    pipes = {"stdout": PIPE, "stderr": PIPE, "text": True}
    return Popen([sys.executable, "-c", before + MAIN, *words], **(pipes | more))


def heeding_ctrl_c() -> None:
    """Let a new process react to Ctrl-C, which shells let background processes ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def until(condition: Callable[[], Any], process: Popen, seconds: float = 240.0) -> Any:
    """Wait until a condition holds while a command runs, and return its value."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    return found

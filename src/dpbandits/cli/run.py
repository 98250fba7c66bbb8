"""bandit-run: run a setting, a multirun or a paper's experiment."""

from __future__ import annotations

import argparse
import errno
import itertools
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from omegaconf import OmegaConf

from ..contracts.algorithm import Algorithm
from ..errors import BadInput, FileTrouble, unknown
from ..files import check_writable, package_folder, write_atomically
from ..results.naming import refuse_to_replace, table_path
from ..results.tables import write_manifest, write_table
from ..running.failures import report
from ..running.tasks import run_cells
from ..settings.setting import Unit
from .config.compose import (
    Config,
    Request,
    compose_config,
    in_hydras_words,
    kind_of,
    read_request,
)
from .config.user_files import user_folders
from .kinds import BANDITS, Kind
from .launch import call_hydra, multirun

USAGE = """\
usage: bandit-run [KEY=VALUE ...] [-m] [--config-dir DIR]

Run a private bandit algorithm, many times, and print its regret.

  bandit-run algo=adap_klucb env=bernoulli_c2 eps=0.5    one setting
  bandit-run -m algo=adap_ucb,adap_klucb eps=0.1,1       every combination (a Hydra multirun)
  bandit-run experiment=azize2022_fig4                   every setting of a paper's figure
  bandit-plot experiment=azize2022_fig4                  draw it

keys (with their defaults; see conf/config.yaml):
  eps=null eps_min=null horizon=1e7 runs=20 seed=0 jobs=-1 results=results checkpoints=100
  shuffle_arms=false backend=auto runner=local assume=false sweep=null; algo.NAME=VALUE,
  env.NAME=VALUE, population.NAME=VALUE and runner.NAME=VALUE for their parameters

{groups}

options:
  -m, --multirun      run every combination of comma-separated values
  --config-dir DIR    also look in DIR/algo, DIR/env and DIR/experiment for your own files
  --cfg job           print the composed configuration (all of Hydra's options work)
  --version, --help
"""


LONGEST = 2000  # characters of a complaint
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")


class Parser(argparse.ArgumentParser):
    """An argument parser that fails in one line."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def parser_of(command: str) -> Parser:
    """The parser of a command that takes overrides as Hydra does."""
    parser = Parser(command, add_help=False)
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("--config-dir", "-cd")
    parser.add_argument("--multirun", "-m", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    return parser


def listing(kind: Kind) -> str:
    """The algorithms, environments and so on, each with what its file says first."""
    width = min(shutil.get_terminal_size().columns, 110)
    lines = []
    for group in (*kind.groups, "runner", "experiment"):
        lines.append(f"{group}=")
        for file in sorted((package_folder("conf") / group).glob("*.yaml")):
            if group == "experiment" and kind_of([f"experiment={file.stem}"], (), kind) != kind:
                continue
            comments = itertools.takewhile(
                lambda line: line.startswith("# "), file.read_text().splitlines()
            )
            about = " ".join(x[2:] for x in comments if not x.startswith("# @"))
            name = f"  {file.stem:<22}"
            lines.append(
                textwrap.fill(
                    name + about, width, subsequent_indent=" " * len(name), break_on_hyphens=False
                )
            )
    return "\n".join(lines)


def main() -> None:
    """Entry point of ``bandit-run``."""
    guarded("bandit-run", lambda: command_line(BANDITS, USAGE, sys.argv[1:]))


def guarded(name: str, command) -> None:
    """Run a command: bad input ends with one line and exit code 2."""
    try:
        code = command()
        print(end="", flush=True)  # what cannot be written is told here, not after the end
    except BadInput as error:
        print(f"{name}: {one_line(error)}", file=sys.stderr)
        code = 2
    except FileTrouble as error:
        print(f"{name}: {error}; what was kept before is kept", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted; finished runs are kept", file=sys.stderr)
        sys.stderr.flush()
        os._exit(130)  # do not wait for kernels that are still running
    except BrokenPipeError:
        os._exit(141)
    except OSError as error:
        if error.filename is not None or error.errno not in FULL:
            raise
        print(f"{name}: cannot write the output ({error.strerror})", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    sys.exit(code)


def one_line(error: BadInput) -> str:
    """What to say of bad input, which may itself be long or hold what a terminal would act on."""
    words = " ".join(str(error).split())
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    return (
        shown if len(shown) <= LONGEST else f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 2 :]}"
    )


def command_line(kind: Kind, usage: str, argv: list[str]) -> int:
    """Do what the words after a command of a kind say."""
    parser = parser_of(kind.command)
    parser.add_argument("--version", action="store_true")
    hydras = [
        parser.add_argument("--cfg", "-c", choices=("job", "hydra", "all")),
        parser.add_argument("--info", "-i", nargs="?", const="all", choices=INFO),
        parser.add_argument("--package", "-p"),
        parser.add_argument("--resolve", action="store_true", default=None),
        parser.add_argument("--hydra-help", action="store_true", default=None),
    ]
    given = parser.parse_intermixed_args(argv)
    if given.help:
        print(usage.format(groups=listing(kind)), end="")
        return 0
    if given.version:
        print(f"dpbandits {version('dpbandits')}")
        return 0
    folders = user_folders(given.config_dir)
    kind = kind_of(given.overrides, folders, kind)
    if (given.package is not None or given.resolve) and not given.cfg:
        raise BadInput("--package and --resolve go with --cfg job")
    if any(getattr(given, option.dest) is not None for option in hydras):
        modes = {"--cfg": given.cfg, "--info": given.info, "-m": given.multirun}
        chosen = [mode for mode, value in modes.items() if value]
        if len(chosen) > 1:
            raise BadInput(f"{' and '.join(chosen)} do not go together: give one of them")
        config = compose_config(tuple(in_hydras_words(given.overrides)), folders, kind)
        if given.package is not None:
            check_package(given.package, given.cfg, config)
        call_hydra(kind, argv, given.overrides, lambda _: None)
        return 0
    if not given.multirun:
        request = read_request(given.overrides, folders, kind)
        check_writable(request.results)
        return run(request)
    return multirun(kind, argv, given.overrides, folders)


def check_package(package: str, cfg: str, config: Config) -> None:
    """Refuse a part of the configuration that is not there, or is no part but a value."""
    told = {} if cfg == "hydra" else {k: x for k, x in config.items() if k != "experiment"}
    parts = {name: config.aside.get(f"{name}_spec", value) for name, value in told.items()}
    known = [name for name, part in parts.items() if isinstance(part, dict)]
    known += [] if cfg == "job" else ["hydra"]
    if "hydra" in known and package.split(".")[0] == "hydra":
        return  # Hydra tells of its own
    if not OmegaConf.is_config(OmegaConf.select(OmegaConf.create(parts), package)):
        raise unknown("package", package, known)


def run(request: Request, alone: bool = True) -> int:
    """Run what is missing, write the table, print its summary and, last, its path.

    One of several jobs is not ``alone``: its table must not have the name of another's.
    """
    start, kind = time.monotonic(), request.kind
    path = table_path(request, alone)
    if alone:
        refuse_to_replace(request)
    kind.tell(request.cells)
    done, failures = run_cells(
        request.cells,
        request.runs,
        request.jobs,
        request.backend,
        request.results,
        request.engine,
    )
    if failures:
        return report(kind.command, failures)
    table = kind.tidy(request.results, request.cells, request.runs)
    write_table(path, table)
    summary = kind.summarize(table)
    for suffix, style in ((".md", "pipe"), (".tex", "latex_booktabs")):
        text = kind.render(summary, style) + "\n"
        write_atomically(path.with_suffix(suffix), text.encode())
    seconds = time.monotonic() - start if done else 0.0
    write_manifest(path.with_suffix(".json"), request.config, request.cells, seconds)
    print(kind.render(summary, "simple"))
    print("\n".join(promises(request.cells)))
    print(path)
    return 0


def promises(cells: Sequence[Unit]) -> list[str]:
    """What each algorithm promises; its budget as a number if it has one only."""
    budgets: dict[str, tuple[Algorithm, set[float]]] = {}
    for cell in cells:
        budgets.setdefault(cell.algo, (cell.algorithm, set()))[1].add(cell.eps)
    return [
        f"{name}: {algorithm.promise(*(eps if len(eps) == 1 and not algorithm.local else ()))}"
        for name, (algorithm, eps) in budgets.items()
    ]

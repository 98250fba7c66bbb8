"""What Hydra itself answers: ``--cfg``, ``--info`` and ``--hydra-help``."""

from __future__ import annotations

import argparse
import io
import sys
from contextlib import redirect_stderr, redirect_stdout

from omegaconf import OmegaConf

from ...contracts.question import Question
from ...errors import BadInput, unknown
from ...files import package_folder
from .compose import Composed, as_hydra_overrides, compose_config

INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")


def takes_hydra(parser: argparse.ArgumentParser) -> None:
    """Add the options that Hydra answers to a parser."""
    parser.add_argument("--cfg", "-c", choices=("job", "hydra", "all"))
    parser.add_argument("--info", "-i", nargs="?", const="all", choices=INFO)
    parser.add_argument("--package", "-p")
    parser.add_argument("--resolve", action="store_true")
    parser.add_argument("--hydra-help", action="store_true")


def answered(question: Question, given: argparse.Namespace, folders: tuple[str, ...]) -> bool:
    """Whether Hydra has answered an option of the command line, which holds ``given``.

    Raises:
        BadInput: options do not go together, or Hydra refuses one.
    """
    if (given.package is not None or given.resolve) and not given.cfg:
        raise BadInput("--package and --resolve go with --cfg job")
    if given.resolve and given.cfg == "hydra":
        raise BadInput("--resolve: Hydra's settings refer to other keys; give --cfg job or all")
    if not (given.cfg or given.info or given.hydra_help):
        return False
    modes = {"--cfg": given.cfg, "--info": given.info, "-m": given.multirun}
    chosen = [mode for mode, value in modes.items() if value]
    if len(chosen) > 1:
        raise BadInput(f"{' and '.join(chosen)} do not go together: give one of them")
    words = as_hydra_overrides(given.words)
    composed = compose_config(words, folders, question.keys_file)
    if given.package is not None:
        _check_package(given.package, given.cfg, composed)
    _call_hydra(question, given)
    return True


def _check_package(package: str, cfg: str, composed: Composed) -> None:
    """Refuse a part of the configuration that does not exist, or is a plain value."""
    config = {} if cfg == "hydra" else composed.config
    parts = {k: composed.contents.get(k, v) for k, v in config.items() if k != "experiment"}
    known = [name for name, part in parts.items() if isinstance(part, dict)]
    known += [] if cfg == "job" else ["hydra"]
    if "hydra" in known and package.split(".")[0] == "hydra":
        return  # Hydra reports errors of its own part
    if not OmegaConf.is_config(OmegaConf.select(OmegaConf.create(parts), package)):
        raise unknown("package", package, known)


def _call_hydra(question: Question, given: argparse.Namespace) -> None:
    """Let Hydra answer an option of its own, such as --cfg; it wants overrides after options.

    Its output is printed when it has ended, since it answers an error of writing with a traceback.

    Raises:
        BadInput: Hydra refuses the option.
    """
    import hydra

    options = [word for word in given.line if word not in given.words]
    sys.argv = [question.command, *options, *as_hydra_overrides(given.words)]
    main = hydra.main(str(package_folder("conf")), question.keys_file, version_base="1.3")
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(lambda _: None)()
    except SystemExit as ended:
        if ended.code:
            reason = err.getvalue().strip().rpartition("\n")[2]
            raise BadInput(f"{' '.join(options)}: {reason}") from None
    print(out.getvalue(), end="")
    print(err.getvalue(), end="", file=sys.stderr)

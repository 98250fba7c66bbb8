"""bandit-run: run a setting, a sweep or a paper's experiment."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from omegaconf import OmegaConf

from ..contracts.question import REGRET, Question
from ..files import check_writable
from ..results.latex import KEYS as LATEX
from ..results.size import check_size
from ..settings.user_files import user_folders
from .command import (
    USAGE,
    entry_point,
    table_options,
    takes_folder,
    takes_multirun,
    version_line,
)
from .help import groups_listing, keys_listing
from .request import run
from .words import read_requests


def command(question: Question) -> Callable[[], None]:
    """The entry point of ``bandit-run`` or ``bandit-stop``."""

    def lists() -> dict[str, str]:
        keys, groups = keys_listing(question.keys_file), groups_listing(question)
        options = (USAGE / "options.txt").read_text().format(group=question.group)
        return {"keys": keys, "groups": groups, "options": f"{options}\n\n{version_line()}"}

    name = question.command.removeprefix("bandit-")

    @entry_point(name, takes_folder, takes_multirun, _takes_others, lists=lists)
    def main(given: Namespace) -> int:
        return _run(question, given)

    return main


def _takes_others(parser: ArgumentParser) -> None:
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--cfg", "-c", choices=("job",))


def _run(question: Question, given: Namespace) -> int:
    if given.version:
        print(version_line())
        return 0
    folders = user_folders(given.config_dir)
    keys = dict(x.split("=", 1) for x in given.words if x.partition("=")[0] in LATEX and "=" in x)
    options = table_options(keys)
    words = [word for word in given.words if word.partition("=")[0] not in keys]
    requests = read_requests(words, folders, question, given.multirun)
    if given.cfg:
        print(*(OmegaConf.to_yaml(request.keys) for request in requests), sep="---\n", end="")
        return 0
    for request in requests:
        check_writable(request.folder)
        check_size(request)
    for request in requests:
        run(request, options)
    return 0


main = command(REGRET)

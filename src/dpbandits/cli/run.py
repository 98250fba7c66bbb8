"""bandit-run: run a setting, a multirun or a paper's experiment."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from ..contracts.question import REGRET, Question
from ..files import check_writable
from ..settings.user_files import user_folders
from .command import USAGE, entry_point, takes_folder, takes_multirun, version_line
from .config.answers import answered, takes_hydra
from .config.compose import question_requested, read_request
from .help import groups_listing, keys_listing
from .multirun.launch import multirun
from .request import run


def command(question: Question) -> Callable[[], None]:
    """The entry point of ``bandit-run`` or ``bandit-stop``."""

    def lists() -> dict[str, str]:
        keys, groups = keys_listing(question.keys_file), groups_listing(question)
        options = (USAGE / "options.txt").read_text().format(group=question.group)
        return {"keys": keys, "groups": groups, "options": f"{options}\n\n{version_line()}"}

    name = question.command.removeprefix("bandit-")

    @entry_point(name, takes_folder, takes_multirun, _takes_version, takes_hydra, lists=lists)
    def main(given: Namespace) -> int:
        return _run(question, given)

    return main


def _takes_version(parser: ArgumentParser) -> None:
    parser.add_argument("--version", action="store_true")


def _run(question: Question, given: Namespace) -> int:
    if given.version:
        print(version_line())
        return 0
    folders = user_folders(given.config_dir)
    question = question_requested(given.words, folders, question)
    if answered(question, given, folders):
        return 0
    if not given.multirun:
        request = read_request(given.words, folders, question)
        check_writable(request.folder)
        return run(request)
    return multirun(question, given.words, folders)


main = command(REGRET)

"""bandit-run: run a setting, a multirun or a paper's experiment."""

from __future__ import annotations

from ..contracts.question import REGRET, Question
from ..files import check_writable
from ..settings.user_files import user_folders
from .command import entry_point, parser_of, version_line
from .config.answers import add_options, answered
from .config.compose import question_requested, read_request
from .help import groups_listing, keys_listing
from .launch import multirun
from .request import run

USAGE = """\
usage: bandit-run [KEY=VALUE ...] [-m] [--config-dir DIR]

Run a private bandit algorithm, many times, and print its regret.

  bandit-run algo=adap_klucb env=bernoulli_c2 eps=0.5    one setting
  bandit-run -m algo=adap_ucb,adap_klucb eps=0.1,1       every combination (a Hydra multirun)
  bandit-run experiment=azize2022_fig4                   every setting of a paper's figure
  bandit-plot experiment=azize2022_fig4                  draw it

keys with their defaults (conf/config.yaml):
{keys}
  algo.NAME=VALUE, env.NAME=VALUE, population.NAME=VALUE and runner.NAME=VALUE set parameters

{groups}

{options}
"""
OPTIONS = """\
options:
  -m, --multirun      run every combination of comma-separated values
  --config-dir DIR    also look in DIR/{group}, DIR/env and DIR/experiment for your own files
  --completion SHELL  print the script for tab completion in bash, zsh or fish
  --cfg job           print the composed configuration (all of Hydra's options work)
  --version, --help"""


@entry_point("bandit-run")
def main(argv: list[str]) -> int:
    return command_line(REGRET, USAGE, argv)


def command_line(question: Question, usage: str, argv: list[str]) -> int:
    """Run ``bandit-run`` or ``bandit-stop`` with the words of a command line."""
    parser = parser_of(question.command)
    parser.add_argument("--version", action="store_true")
    add_options(parser)
    given = parser.parse_intermixed_args(argv)
    if given.help:
        keys, groups = keys_listing(question.keys_file), groups_listing(question)
        options = OPTIONS.format(group=question.group)
        print(usage.format(keys=keys, groups=groups, options=options), version_line(), sep="\n")
        return 0
    if given.version:
        print(version_line())
        return 0
    folders = user_folders(given.config_dir)
    question = question_requested(given.overrides, folders, question)
    if answered(question, argv, given, folders):
        return 0
    if not given.multirun:
        request = read_request(given.overrides, folders, question)
        check_writable(request.folder)
        return run(request)
    return multirun(question, given.overrides, folders)

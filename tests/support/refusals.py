"""Helpers of the tests of bad input: requests, quick commands, the form of an error message."""

import shlex
from typing import Any

from dpbandits.cli.words import value_of
from dpbandits.contracts.question import Question
from dpbandits.errors import BadInput
from dpbandits.settings.choices import Choice
from dpbandits.settings.compose import request_from
from dpbandits.settings.composed import read_group
from dpbandits.settings.groups import default_keys

# Keys with which a line that is accepted by mistake does not run for minutes
QUICK = {"horizon": "100", "runs": "1", "jobs": "1"}
QUICK_STOP = {"cap": "100", "runs": "1", "jobs": "1"}


def arguments(line: str, quick: dict[str, str] = QUICK) -> list[str]:
    """The words of a command line, with the keys of a quick run where it has none."""
    given = shlex.split(line)
    keys = {override.partition("=")[0].lstrip("+~") for override in given}
    return given + [f"{key}={value}" for key, value in quick.items() if key not in keys]


def complaint(name: str, code: int | None, out: str, err: str) -> str:
    """The message of a command that refused its input: one line, exit code 2, no output."""
    assert (code, out) == (2, ""), err
    assert err.startswith(f"{name}: ")
    assert err.endswith("\n") and len(err.splitlines()) == 1
    return err.removeprefix(f"{name}: ")


def checked_line(message: str) -> str:
    """A message of a refusal, which must be one line that can be printed."""
    assert message and message.isprintable() and len(message) < 3000, f"not one line: {message!r}"
    return message


def message_of(call, *given: Any, **named: Any) -> str:
    """The message, in the one line that a command prints, with which a call refuses its input."""
    try:
        call(*given, **named)
    except BadInput as error:
        return str(error)
    raise AssertionError(f"{given} {named} is not refused")


def request_of(line: str, question: Question):
    """The request of the words KEY=VALUE and GROUP.NAME=VALUE, without composing a configuration.

    The values are passed to the function behind ``dp.run`` and ``dp.stop``, so that a line takes a
    millisecond.
    """
    values = {word.key: word.value for word in map(value_of, shlex.split(line))}
    given = {key: value for key, value in values.items() if "." not in key}
    parts: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        group, _, name = key.partition(".")
        if name:
            parts.setdefault(group, {})[name] = value
    parameters = parts.pop(question.group, {})
    for group, changes in parts.items():
        name = given.get(group, default_keys(question.keys_file)[group])
        given[group] = _changed(group, name, changes)
    return request_from(question, given, parameters)


def _changed(group: str, name: str, changes: dict[str, Any]) -> Choice:
    """A file of a group with some values changed; ``inlier.NAME`` changes an inner mapping."""
    contents = read_group(group, name)
    inner = changes.pop("inlier", None)
    if isinstance(inner, str):
        contents["inlier"] = read_group(group, inner)
    elif inner is not None:
        contents["inlier"] = inner
    for key, value in changes.items():
        outer, _, last = key.rpartition(".")
        (contents[outer] if outer else contents)[last] = value
    return Choice(name, changes, contents)

"""Helpers for tests of bad input: requests, quick commands, and checks of error messages."""

import shlex
from typing import Any

from dpbandits.cli.words import value_of
from dpbandits.contracts.question import Question
from dpbandits.errors import BadInput
from dpbandits.settings.choices import Choice
from dpbandits.settings.compose import request_from
from dpbandits.settings.composed import read_group
from dpbandits.settings.groups import default_keys

# Keys that limit the time of a run, in case a line is accepted by mistake
QUICK = {"horizon": "100", "runs": "1", "jobs": "1"}
QUICK_STOP = {"cap": "100", "runs": "1", "jobs": "1"}


def arguments(line: str, quick: dict[str, str] = QUICK) -> list[str]:
    """Return the words of a command line, with the keys of a quick run added."""
    given = shlex.split(line)
    keys = {override.partition("=")[0].lstrip("+~") for override in given}
    return given + [f"{key}={value}" for key, value in quick.items() if key not in keys]


def complaint(name: str, code: int | None, out: str, err: str) -> str:
    """Check that a command refused its input (one line, exit code 2, no output), and return its
    message.
    """
    assert (code, out) == (2, ""), err
    assert err.startswith(f"{name}: ")
    assert err.endswith("\n") and len(err.splitlines()) == 1
    return err.removeprefix(f"{name}: ")


def checked_line(message: str) -> str:
    """Check that a message is one printable line, and return it."""
    assert message and message.isprintable() and len(message) < 3000, f"not one line: {message!r}"
    return message


def message_of(call, *given: Any, **named: Any) -> str:
    """Return the message with which a call refuses its input, as the one line that a command
    prints.
    """
    try:
        call(*given, **named)
    except BadInput as error:
        return str(error)
    raise AssertionError(f"{given} {named} is not refused")


def request_of(line: str, question: Question):
    """Return the request of words KEY=VALUE and GROUP.NAME=VALUE, without composing a
    configuration.

    The values are passed to the function that ``dp.run`` and ``dp.stop`` call, so a line takes only
    a millisecond.
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
    """Return a file of a group with changed values; ``inlier.NAME`` changes an inner mapping."""
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

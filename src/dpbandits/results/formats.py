"""Read and write files of tables (CSV, compressed CSV, Parquet), and name the files beside them."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import BadInput
from ..files import write_atomically
from ..validation import FORMATS, NO_PYARROW

# Names of CSV files that begin with these words hold no runs: other commands write them.
FINDINGS = ("claims", "audit", "exact")
SUMMARY_CSV = ".summary.csv"  # the ending of a table's summary, which is no table of runs
NUMBER = "%.12g"  # the form of numbers in CSV files


def format_of(table: Path) -> str:
    """Return the format of a table's file: the ending of its name if this is a format, else CSV."""
    return next((x for x in FORMATS[1:] if table.name.lower().endswith(f".{x}")), "csv")


def bare_name(table: Path) -> str:
    """Return the name of a table's file without the ending of its format."""
    ending = f".{format_of(table)}"
    found = table.name.lower().endswith(ending)
    return table.name[: -len(ending)] if found else table.name


def beside(table: Path, suffix: str) -> Path:
    """Return the path beside a table that has the table's name and another suffix."""
    return table.with_name(bare_name(table) + suffix)


def tables_in(folder: Path) -> list[Path]:
    """Return the files in a folder that have names of tables, sorted."""
    found = (file for name in FORMATS for file in folder.glob(f"*.{name}"))
    return sorted(file for file in found if not file.name.endswith(SUMMARY_CSV))


def write_pieces(path: Path, pieces: Iterable[pd.DataFrame]) -> str:
    """Write a table to a file, and return the SHA-256 checksum of the file.

    Equal runs give files with equal bytes. The bytes of a CSV file do not depend on the division
    into pieces.
    """
    checksum = hashlib.sha256()

    def content() -> Iterator[bytes]:
        for some in WRITERS[format_of(path)](pieces):
            checksum.update(some)
            yield some

    write_atomically(path, content())
    return checksum.hexdigest()


def csv_of(table: pd.DataFrame, header: bool = True) -> bytes:
    """Return a table as the bytes of a CSV file: the same bytes for the same runs."""
    text: str = table.to_csv(index=False, header=header, float_format=NUMBER, lineterminator="\n")
    return text.encode()


def _csv(pieces: Iterable[pd.DataFrame]) -> Iterator[bytes]:
    return (csv_of(piece, header=i == 0) for i, piece in enumerate(pieces))


class _Written(io.BytesIO):
    """A file in memory whose written bytes can be taken out before the file is complete."""

    _taken = 0  # number of bytes that were taken out

    def tell(self) -> int:
        return self._taken + super().tell()

    def take(self) -> bytes:
        """Return the bytes that were written since the last call, and free their memory."""
        found, self._taken = self.getvalue(), self.tell()
        self.seek(0)
        self.truncate()
        return found


def _csv_gz(pieces: Iterable[pd.DataFrame]) -> Iterator[bytes]:
    written = _Written()
    with gzip.GzipFile("", "wb", fileobj=written, mtime=0) as file:
        for piece in _csv(pieces):
            file.write(piece)
            yield written.take()
    yield written.take()


def _parquet(pieces: Iterable[pd.DataFrame]) -> Iterator[bytes]:
    arrow = _pyarrow("format=parquet")
    written, writer = _Written(), None
    for piece in pieces:
        words = piece.select_dtypes(exclude=["number", "bool"]).columns
        plain = piece.astype(dict.fromkeys(words, object))
        rows = arrow.Table.from_pandas(plain, preserve_index=False).replace_schema_metadata(None)
        if writer is None:
            writer = arrow.parquet.ParquetWriter(arrow.PythonFile(written, mode="w"), rows.schema)
        writer.write_table(rows.cast(writer.schema))
        yield written.take()
    if writer is not None:
        writer.close()
        yield written.take()


def _pyarrow(where: str) -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise BadInput(f"{where}: {NO_PYARROW}") from None
    return pyarrow


WRITERS: dict[str, Callable[[Iterable[pd.DataFrame]], Iterator[bytes]]] = {
    "csv": _csv,
    "csv.gz": _csv_gz,
    "parquet": _parquet,
}


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a table in Parquet.

    Raises:
        BadInput: the file cannot be read.
    """
    arrow = _pyarrow(str(path))
    try:
        table = arrow.parquet.read_table(path, partitioning=None)
        return pd.DataFrame(table.to_pandas())
    except (OSError, ValueError, KeyError, arrow.ArrowException) as error:
        raise BadInput(f"{path}: not a readable Parquet file ({error})") from None


def parquet_pieces(path: Path, rows: int, columns: list[str] | None) -> Iterator[pd.DataFrame]:
    """Yield a table in Parquet, or some of its columns, in pieces of ``rows`` rows."""
    with _pyarrow(str(path)).parquet.ParquetFile(path) as file:
        if len({*file.schema_arrow.names}) < len(file.schema_arrow.names):
            raise BadInput(f"{path}: each column of a tidy table needs a unique name")
        for batch in file.iter_batches(rows, columns=columns):
            piece = pd.DataFrame(batch.to_pandas(split_blocks=True))
            categories = piece.select_dtypes("category").columns
            yield piece.astype(dict.fromkeys(categories, object))

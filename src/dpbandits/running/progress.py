"""The progress bar, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import warnings
from typing import Any

BAR = "{percentage:3.0f}%|{bar}| {elapsed} spent, {remaining} left{postfix}"


def write_above_bar(line: str) -> None:
    """Write a line to the standard error, above a progress bar if one is shown."""
    from tqdm import tqdm

    tqdm.write(line, file=sys.stderr)
    sys.stderr.flush()


def announce_imports() -> None:
    """Print that libraries are being imported, if progress is shown (on a terminal or in Jupyter).

    The first call of a session imports Numba and pandas. The imports take seconds, in which no
    progress bar can be shown.
    """
    if "numba" not in sys.modules and _is_shown():
        said = "importing Numba and pandas, once in a session: a few seconds ..."
        print(said, file=sys.stderr, flush=True)


def _is_shown() -> bool:
    """Return whether progress is shown: on a terminal and in Jupyter."""
    is_terminal = getattr(sys.stderr, "isatty", None)  # standard error may be None
    return "ipykernel" in sys.modules or bool(is_terminal and is_terminal())


def progress_bar(total: float) -> Any:
    """Return a progress bar that is shown only on a terminal and in Jupyter.

    Args:
        total: the amount of work, in any unit.
    """
    with warnings.catch_warnings():
        # tqdm warns if ipywidgets are missing (the bar is then text in Jupyter, too), and if no
        # thread can be started (then no thread monitors the bar)
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm  # the import is slow

        return tqdm(total=total, disable=not _is_shown(), bar_format=BAR)

"""The progress bar, on a terminal or in a notebook."""

from __future__ import annotations

from typing import Any

BAR = "{percentage:3.0f}%|{bar}| {elapsed} spent, {remaining} left, now {postfix}"


def progress_bar(total: float) -> Any:
    """A progress bar, shown on a terminal and in Jupyter, nowhere else.

    Args:
        total: the amount of work, in any unit.
    """
    from tqdm.auto import tqdm  # it takes a while to import
    from tqdm.std import tqdm as on_terminals

    in_notebook = tqdm.display is not on_terminals.display
    return tqdm(total=total, disable=False if in_notebook else None, bar_format=BAR)

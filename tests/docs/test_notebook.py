"""The notebooks of the documentation run from their first cell to their last."""

import pytest
from extras import require
from helpers import CONF

require("nbclient")
import nbformat  # noqa: E402
from builder import notebooks  # noqa: E402

pytestmark = [pytest.mark.extra("nbclient"), pytest.mark.slow]
FOLDER = CONF.parent / "docs" / "notebooks"


def executed(name):
    """The code cells of a notebook, executed: the text of a cell and what it gives. The stored
    outputs show the same text.
    """
    file = FOLDER / f"{name}.ipynb"
    found = notebooks.executed(file)
    assert shown(found) == shown(nbformat.read(file, as_version=4)), "make docs stores outputs anew"
    return [cell for cell in found.cells if cell.cell_type == "code"]


def shown(notebook):
    """The text of each output of each cell, without progress bars."""
    return [
        [out.get("text") or out.data.get("text/plain") for out in cell.get("outputs", [])
         if out.get("name") != "stderr"]
        for cell in notebook.cells
    ]  # fmt: skip


def outputs_of(cells, text):
    """What the first cell that contains a text gives."""
    return next(cell.outputs for cell in cells if text in cell.source)


def data_of(cells, text):
    shown = "execute_result", "display_data"
    return next(out.data for out in outputs_of(cells, text) if out.output_type in shown)


def text_of(cells, text):
    """What the first cell that contains a text gives, as text."""
    return data_of(cells, text)["text/plain"]


@pytest.fixture(scope="module")
def comparison():
    return executed("compare")


@pytest.fixture(scope="module")
def verification():
    return executed("verify")


def test_a_table_and_a_figure_in_two_lines(comparison):
    assert "image/png" in data_of(comparison, "dp.plot(table)")
    assert "adap_klucb" in text_of(comparison, "dp.summary(table)")


def test_a_progress_bar_is_shown(comparison):
    streams = [out.text for out in outputs_of(comparison, "dp.plot(table)") if "text" in out]
    assert any("100%|" in text for text in streams)


def test_an_audit_finds_nothing(comparison):
    assert "consistent" in text_of(comparison, 'dp.audit("adap_klucb"')


def test_a_mistake_is_one_line(comparison):
    (output,) = outputs_of(comparison, "dp.BadInput")
    assert output.text == "eps=-1: a number above 0, or inf (no noise), is needed\n"


def test_an_algorithm_is_defined_in_the_notebook(verification):
    table = text_of(verification, "algorithms = [mine, plain")
    compiled, plain = (row.split() for row in table.splitlines()[1:3])
    assert (compiled[1], plain[1]) == ("explore_then_commit", "plain")
    apart = [names for names in zip(compiled, plain, strict=True) if len({*names}) > 1]
    assert len(apart) == 3  # the row, the algorithm and the id of its setting; the same numbers


def test_what_is_private_passes(verification):
    assert "consistent" in text_of(verification, "dp.audit(dp.algorithm(mine")
    assert "aligned in 100 of 100" in text_of(verification, '"aligned", "replays", "alignment"')


def test_a_broken_twin_is_caught(verification):
    """As the text of the notebook says: by the audit and by the replays, or by these alone."""
    assert "VIOLATED" in text_of(verification, "dp.audit(dp.algorithm(broken")
    (cost,) = outputs_of(verification, 'print(found.loc[0, "alignment"])')
    assert "the cost is 2, and the budget 1" in cost.text
    assert "MISALIGNED" in text_of(verification, "dp.audit(dp.algorithm(peeking")
    last = [cell for cell in verification if cell.source.startswith("print(found")][-1]
    assert "hides two different changes" in last.outputs[0].text


def test_private_contexts():
    cells = executed("contexts")
    exact = outputs_of(cells, "for calibration in")[0].text
    assert "mu = 0.03014" in exact and "mu = 0.3884: exactly (1, 0.001)-DP" in exact
    assert "NOT what is promised" in outputs_of(cells, "8e5")[0].text
    assert "private_lin_ucb" in text_of(cells, "wine = dp.contextual_table")

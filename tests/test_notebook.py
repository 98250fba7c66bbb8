"""The notebook of the documentation runs from its first cell to its last."""

import pytest
from extras import require
from helpers import CONF

nbclient = require("nbclient")
nbformat = require("nbformat")
pytestmark = pytest.mark.extra("nbclient")
TOUR = CONF.parent / "docs" / "tour.ipynb"


@pytest.fixture(scope="module")
def cells():
    """The notebook's code cells, executed: the text of a cell and what it gives."""
    notebook = nbformat.read(TOUR, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs_of(cells, text):
    """What the first cell that contains a text gives."""
    return next(cell.outputs for cell in cells if text in cell.source)


def data_of(cells, text):
    return next(out.data for out in outputs_of(cells, text) if out.output_type == "execute_result")


def test_a_table_and_a_figure_in_two_lines(cells):
    assert "image/png" in data_of(cells, "dp.plot(table)")
    assert "adap_klucb" in data_of(cells, "dp.summary(table)")["text/plain"]


def test_a_progress_bar_is_shown(cells):
    streams = [out.text for out in outputs_of(cells, "dp.plot(table)") if "text" in out]
    assert any("100%|" in text for text in streams)


def test_an_algorithm_is_defined_in_the_notebook(cells):
    table = data_of(cells, "def explore_then_commit")["text/plain"]
    compiled, plain = (row.split() for row in table.splitlines()[1:3])
    assert (compiled[1], plain[1]) == ("explore_then_commit", "plain")
    assert compiled[2:] == plain[2:]  # the same numbers
    assert "consistent" in data_of(cells, "dp.audit")["text/plain"]


def test_a_mistake_is_one_line(cells):
    (output,) = outputs_of(cells, "dp.BadInput")
    assert output.text == "eps=-1: a number above 0 (inf adds no noise) is needed\n"

"""Execute the notebooks, or those that are named, and store what their cells show.

Times, progress bars and the version of Python are not stored, so that a notebook changes only if a
result does.
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
SECONDS = 600  # of a cell


def executed(file: Path) -> nbformat.NotebookNode:
    """A notebook with the outputs of its cells, which may include progress bars."""
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # tables that cells write
        place = {"metadata": {"path": folder}}
        NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            record_timing=False,
            resources=place,
            coalesce_streams=True,
        ).execute()
    return notebook


def stored(file: Path, notebook: nbformat.NotebookNode) -> None:
    """Write the cells of a notebook with their outputs, without progress bars."""
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
    notebook.metadata = nbformat.read(file, as_version=4).metadata
    nbformat.write(notebook, file)


def main() -> None:
    for file in sorted(FOLDER.glob("*.ipynb")):
        if file.stem in (sys.argv[1:] or [file.stem]):
            stored(file, executed(file))


if __name__ == "__main__":
    main()

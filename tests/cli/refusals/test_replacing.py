"""bandit-run does not replace the table of an experiment by one with other keys."""

import json

import pytest
from refusals import message_of

from dpbandits.cli.run import run
from dpbandits.cli.words import read_request
from dpbandits.errors import BadInput
from dpbandits.results.naming import table_path


@pytest.fixture
def path(tmp_path):
    """A function that runs an experiment with some keys and returns the path of its table."""

    def run_with(*keys):
        words = ["experiment=azize2022_fig8", "jobs=1", *keys, f"results={tmp_path}"]
        request = read_request(words, ())
        run(request)
        return table_path(request)

    return run_with


@pytest.mark.long
@pytest.mark.parametrize(
    ("smaller", "refused", "stands", "same"),
    [
        (["runs=2", "runs=3", ""], ["runs=2", "seed=1", "horizon=3000"], "as it stands", "runs=20"),
        (["runs=2 horizon=2000", "horizon=2000 runs=3"],
         ["horizon=3000 runs=3", "runs=3 seed=1", "horizon=2000 runs=2", ""],
         "with horizon=2000 runs=3", "runs=3.0 horizon=2e3"),
    ],
)  # fmt: skip
def test_a_table_is_replaced_only_by_one_that_contains_its_rows(
    path, smaller, refused, stands, same
):
    for keys in smaller:  # each contains the rows of the one before
        whole = path(*keys.split()).read_bytes()
    for keys in refused:
        given = keys or "experiment=azize2022_fig8"
        with pytest.raises(BadInput, match=f"^{given}: .* {stands}; results=DIR keeps both"):
            path(*keys.split())
    table = path(*same.split())
    assert table.read_bytes() == whole  # changes nothing
    table.with_suffix(".json").unlink()
    assert path("runs=2").read_bytes() != whole  # control: nobody knows whose table it is


@pytest.mark.long
def test_a_table_that_is_out_of_date_is_replaced(path):
    """The same keys gave other settings when the experiment's file was another one."""
    for keys in ((), ("horizon=2000", "runs=2")):
        table = path(*keys)
        file = table.with_suffix(".json")
        manifest = json.loads(file.read_text())
        manifest["settings"].popitem()
        file.write_text(json.dumps(manifest))
        whole = table.read_bytes()
        table.write_text("of before")
        assert path(*keys).read_bytes() == whole
        assert message_of(path, "seed=1").startswith("seed=1: ")
        file.unlink()

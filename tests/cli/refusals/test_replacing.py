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
def test_the_table_of_an_experiment_is_not_replaced(path):
    assert path("runs=2") == path("runs=3") == path()  # each contains the rows of the one before
    whole = path().read_bytes()
    for key in ("runs=2", "seed=1", "horizon=3000"):
        with pytest.raises(BadInput, match=f"^{key}: .* as it stands; results=DIR keeps both"):
            path(key)
    assert path("runs=20").read_bytes() == whole  # changes nothing
    path().with_suffix(".json").unlink()
    assert path("runs=2").read_bytes() != whole  # control: nobody knows whose table it is


@pytest.mark.long
def test_a_table_of_other_keys_is_not_replaced_either(path):
    whole = path("horizon=2000", "runs=3").read_bytes()
    others = [["horizon=3000", "runs=3"], ["runs=3", "seed=1"], ["horizon=2000", "runs=2"], []]
    for keys in others:
        given = " ".join(keys) or "experiment=azize2022_fig8"
        with pytest.raises(BadInput, match=f"^{given}: .* with horizon=2000 runs=3; results=DIR"):
            path(*keys)
    assert path("runs=3.0", "horizon=2e3").read_bytes() == whole
    assert path("runs=4", "horizon=2000").read_bytes() != whole  # contains its rows


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

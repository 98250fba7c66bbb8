"""bandit-run does not replace the table of an experiment by one with other keys."""

import pytest

from dpbandits.cli.config.compose import read_request
from dpbandits.cli.run import run
from dpbandits.errors import BadInput
from dpbandits.results.naming import table_path


def test_the_table_of_an_experiment_is_not_replaced(tmp_path):
    def path(*keys):
        words = ["experiment=azize2022_fig8", "jobs=1", *keys, f"results={tmp_path}"]
        request = read_request(words, ())
        assert run(request) == 0
        return table_path(request)

    assert path("runs=2") == path("runs=3") == path()  # the first two are replaced
    whole = path().read_bytes()
    for key in ("runs=2", "seed=1", "horizon=3000"):
        with pytest.raises(BadInput, match=f"^{key}: .* as it stands; results=DIR keeps both"):
            path(key)
    assert path("runs=20").read_bytes() == whole  # changes nothing
    (tmp_path / "azize2022_fig8.json").unlink()
    assert path("runs=2").read_bytes() != whole  # control: nobody knows whose table it is

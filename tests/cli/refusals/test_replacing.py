"""bandit-run does not replace the table of an experiment by one with other keys."""

import json

import pandas as pd
import pytest
from refusals import message_of

from dpbandits.cli import run as bandit_run
from dpbandits.cli.run import run
from dpbandits.cli.words import read_request
from dpbandits.errors import BadInput
from dpbandits.results.formats import SUMMARY_CSV, beside
from dpbandits.results.manifest import refuse_to_replace, table_path, write_manifest
from dpbandits.results.tables import write_table
from dpbandits.results.varying import SETTING


@pytest.fixture
def path(tmp_path):
    """A function that runs an experiment with some keys and returns the path of its table."""

    def run_with(*keys):
        words = ["experiment=azize2022_fig8", "jobs=1", *keys, f"results={tmp_path}"]
        request = read_request(words, ())
        refuse_to_replace(request)
        run(request)
        return table_path(request)

    return run_with


@pytest.mark.long
def test_the_table_of_an_experiment_is_not_replaced(path):
    assert path("runs=2") == path("runs=3") == path()  # each contains the rows of the one before
    whole = path().read_bytes()
    for key in ("runs=2", "seed=1", "horizon=3000"):
        with pytest.raises(
            BadInput, match=f"^{key}: .* as it stands; results=DIR of another folder keeps both"
        ):
            path(key)
    assert path("runs=20").read_bytes() == whole  # changes nothing
    table = path()
    for suffix in (".json", ".md"):
        table.with_suffix(suffix).unlink()
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
        table.with_suffix(".md").unlink()


@pytest.mark.parametrize(
    ("before", "now", "refused"),
    [
        ("runs=auto precision=.1", "runs=auto precision=.2", True),
        ("runs=auto max_runs=500", "runs=auto max_runs=400", True),
        ("runs=auto", "runs=auto max_time=5", True),
        ("runs=auto", "runs=200", True),
        ("runs=auto max_time=5", "runs=auto precision=.01", False),
    ],
)
def test_a_table_of_as_many_runs_as_needed_is_replaced_only_by_more(before, now, refused, tmp_path):
    first, second = (
        read_request(["experiment=azize2022_fig8", *words.split(), f"results={tmp_path}"], ())
        for words in (before, now)
    )
    write_manifest(table_path(first), "", first, 1.0, ())
    if refused:
        assert message_of(refuse_to_replace, second).startswith(f"{now}: ")
    else:
        refuse_to_replace(second)


def pages_alone(folder, *words):
    """Write the pages of an experiment without its table, as a fresh checkout has them."""
    request = read_request(["experiment=azize2022_fig4", *words, f"results={folder}"], ())
    path = table_path(request)
    settings = [setting.id for setting in request.settings]
    write_table(beside(path, SUMMARY_CSV), pd.DataFrame({SETTING: settings, "runs": request.runs}))
    beside(path, ".md").write_text("| a |\n")
    return beside(path, ".md")


PARQUET = pytest.param("format=parquet seed=1", marks=pytest.mark.extra("pyarrow"))


@pytest.mark.parametrize("change", ["runs=10", "horizon=1e5 runs=10 checkpoints=20", PARQUET])
def test_pages_without_a_table_are_not_replaced_by_those_of_other_keys(change, tmp_path):
    page = pages_alone(tmp_path)
    words = ["experiment=azize2022_fig4", *change.split(), f"results={tmp_path}"]
    given = " ".join(word for word in change.split() if not word.startswith("format"))
    said = f"{given}: {page} was made with other keys; results=DIR of another folder keeps both"
    assert message_of(refuse_to_replace, read_request(words, ())) == said


@pytest.mark.parametrize("option", ["--dry-run", "-m"])
def test_no_experiment_is_run_if_the_table_of_another_would_be_replaced(refused, tmp_path, option):
    page = pages_alone(tmp_path / "results").relative_to(tmp_path)
    words = ["-m", option, "experiment=azize2022_fig8,azize2022_fig4", "runs=2"]
    assert refused(bandit_run, words).startswith(f"-m runs=2: {page} was made with other keys")


def test_a_file_of_all_keys_changes_an_experiment(refused, tmp_path):
    page = pages_alone(tmp_path / "results").relative_to(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "all.yaml").write_text("defaults: [config, _self_]\nhorizon: 500\n")
    words = ["--config-dir", "mine", "--config-name", "all", "experiment=azize2022_fig4"]
    said = f"--config-name=all: {page} was made with other keys"
    assert refused(bandit_run, words).startswith(said)


@pytest.mark.extra("pyarrow")
def test_pages_without_a_table_are_made_again_by_their_own_keys(tmp_path):
    pages_alone(tmp_path)
    for keys in ([], ["runs=20"], ["format=parquet"]):
        words = ["experiment=azize2022_fig4", *keys, f"results={tmp_path}"]
        refuse_to_replace(read_request(words, ()))

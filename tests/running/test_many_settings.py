"""Many small settings: what they share is built once, and each file is opened few times."""

import pickle

import numpy as np
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from sweeps import report, requested

from dpbandits.cli import words
from dpbandits.cli.words import read_request, value_of
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import build_population
from dpbandits.files import opened
from dpbandits.results import run_store
from dpbandits.results.run_store import RunStore
from dpbandits.running.status import status_of
from dpbandits.settings import resolve, setting
from dpbandits.settings.setting import data_of

EPS = [0.1, 0.5, 1, 2, 5]


@pytest.fixture
def built(monkeypatch):
    """The configurations of environments and populations that are built."""
    found = []
    for module in (resolve, setting):
        for function in (build, build_population):
            counted = lambda spec, f=function: found.append(spec) or f(spec)  # noqa: E731
            monkeypatch.setattr(module, function.__name__, counted)
    return found


def run_and_look(folder, **given):
    request = requested(folder, **({"runs": 1, "jobs": 1, "horizon": 100} | given))
    report(request)
    for one in request.settings:
        assert status_of(folder, one, request.runs).done == request.runs
    return len(request.settings)


def test_environments_and_populations_are_built_once_for_a_sweep(tmp_path, built):
    assert run_and_look(tmp_path, algo=["dp_se", "ucb"], eps=EPS) == len(EPS) + 1
    assert len(built) == 1
    built.clear()
    envs = [{"law": "bernoulli", "means": [x, 0.1]} for x in (0.2, 0.3)]
    run_and_look(tmp_path, algo="dp_se", env=envs)
    assert len(built) == 2  # control: two distinct ones
    built.clear()
    levels = {"kind": "levels", "levels": [0.5, 1], "shares": None}
    given = {"algo": "heldp_ucb_b", "population": levels, "eps_min": [0.5, 0.75, 1]}
    assert run_and_look(tmp_path, **given) == 3
    assert len(built) == 2  # and an environment


def test_files_are_read_once_for_a_sweep_and_once_for_each_setting_elsewhere(tmp_path, built):
    """They may be edited; see test_tasks.py for what happens then."""
    run_and_look(tmp_path, algo="dp_se")  # compiled in this process, which reads files, too
    built.clear()
    file = tmp_path / "data.csv"
    file.write_text("a,b\n" + "0,1\n" * 100)
    env = {"law": "table", "file": str(file), "rewards": None}
    request = requested(tmp_path, algo="dp_se", env=env, eps=EPS, horizon=100, runs=1, jobs=1)
    keys = [one.key for one in request.settings]
    assert len(set(keys)) == len(EPS) and len(built) == 1
    report(request)
    assert len(built) == 1
    for one in pickle.loads(pickle.dumps(request.settings)):  # what other processes receive
        assert data_of(one) is data_of(one)
    assert len(built) == 1 + len(EPS)


@pytest.fixture
def request_of_eps(tmp_path):
    """A request of five settings, and its folder."""
    return requested(tmp_path, algo="dp_se", eps=EPS, horizon=100, runs=1, jobs=1)


def test_a_file_of_runs_is_opened_at_most_twice_by_a_command(request_of_eps, monkeypatch):
    opens, request = [], request_of_eps
    monkeypatch.setattr(run_store, "opened", lambda *given: opens.append(given) or opened(*given))
    report(request)
    assert len(opens) <= 2 * len(EPS)  # merged with what is stored, and read for the table
    opens.clear()
    report(request)
    assert len(opens) == 2 * len(EPS)  # which runs are finished, and read for the table
    opens.clear()
    for one in request.settings:
        status_of(request.results, one, 1)
    assert len(opens) == len(EPS)


def test_the_header_of_an_array_is_parsed_once_for_files_alike(request_of_eps):
    report(request_of_eps)
    run_store._header.cache_clear()
    store = RunStore(request_of_eps.results)
    for one in request_of_eps.settings:
        assert store.read(one)
    assert run_store._header.cache_info().misses <= 5  # one for each array of a file


def test_stored_arrays_are_read_as_numpy_reads_them(tmp_path):
    for array in (np.arange(6).reshape(1, 2, 3), np.asfortranarray(np.eye(3)), np.zeros((0, 2))):
        np.save(tmp_path / "one.npy", array)
        found = run_store.array_of((tmp_path / "one.npy").read_bytes())
        assert found.dtype == array.dtype and np.array_equal(found, array)


NUMBERS = "1,0,-1,1.5,1e5,1E5,1e-05,-0.25,1.0e+3,-0, 7 ,12345678901234567890,1e6,0.1"
LONG = ",".join([NUMBERS] * 3)


@pytest.mark.parametrize(
    "override",
    [
        f"sweep={{eps:[{LONG}],b:[a,b,[1,2]],c:{{d:[1]}}}}",
        f"sweep.eps=[{LONG}]",
        f"sweep.eps=[{LONG},word]",
        f"sweep={{a:[{LONG}],b:[0,numbers],c:['x',[{LONG}]]}}",
        f"sweep={{a:[{LONG}],b:[0,numbers]}}",
        f"sweep.a=[{LONG},01,1_0,+1,.5,1.,inf,nan]",
    ],
)
def test_a_long_list_of_numbers_is_what_hydra_makes_of_it(override):
    (parsed,) = OverridesParser.create().parse_overrides([override])
    assert repr(value_of(override).value) == repr(parsed.value())


def test_hydra_does_not_parse_long_lists_of_numbers(monkeypatch):
    lengths, parse = [], words._parsed
    monkeypatch.setattr(
        words, "_parsed", lambda word, text: lengths.append(len(text)) or parse(word, text)
    )
    request = read_request([f"sweep={{eps:[{','.join(map(str, range(1, 200)))}]}}"], ())
    assert len(request.settings) == 199
    assert max(lengths) < 40

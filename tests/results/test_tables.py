"""Tables in pieces: the bytes of the whole, in memory that does not grow with their rows."""

import itertools

import numpy as np
import pandas as pd
import pytest
from helpers import peak_of
from sweeps import own_algorithm, pulling, quick, report, requested

from dpbandits.contracts.question import QUESTIONS
from dpbandits.errors import CannotWrite, plain
from dpbandits.files import write_atomically
from dpbandits.results import tables
from dpbandits.results.formats import csv_of, write_pieces
from dpbandits.results.report import write_report
from dpbandits.results.run_store import Memory, Run
from dpbandits.results.table import Table
from dpbandits.results.tables import described, load_finished, measured
from dpbandits.running.monte_carlo import play_request


def as_one(store, settings, runs):
    """The table as one frame of one frame a setting, and its CSV."""
    question, parts = settings[0].question, []
    for setting in settings:
        about = described(setting)
        written = {
            k: plain(v) if isinstance(v, list | dict) else v for k, v in setting.columns.items()
        }
        rows = measured(load_finished(store, setting, runs))
        if "correct" in rows:
            rows["correct"] = pd.array(rows["correct"], dtype="Int64")
        columns = {name: about[name] for name in question.columns} | {"seed": setting.seed}
        columns["setting"] = setting.id
        parts.append(pd.DataFrame(columns | written | rows))
    table = pd.concat(parts, ignore_index=True)
    first, last = [*question.columns, "seed"], ["setting", "run", *question.measured]
    varied = [name for name in table.columns if name not in (*first, *last)]
    return table[[*first, *varied, *last]]


def in_pieces(store, request):
    """The table of a request in pieces, as it is written."""
    return Table.of_store(store, request.settings, request.runs).pieces()


def odd_sweep(folder):
    """Columns of whole numbers and fractions, of numbers and words, and that some settings lack."""
    own_algorithm(folder, "odd", pulling("odd", parameters="eps, x, y"), "{x: 1, y: 2}")
    own_algorithm(folder, "bare", pulling("bare"))
    env = {"law": "twopoint_heavy", "means": [0.2, 0.1], "v": 1}
    return requested(
        folders=(str(folder),),
        algo=["odd", "bare"],
        env=[{**env, "g": g} for g in (None, 1 / 3, 1)] + ["bernoulli_c2"],
        x=[1, 1 / 3, "1/horizon", 12345678901234],
        y=[3, 4],
        horizon=[7, 30],
        runs=3,
        jobs=1,
    )


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 100, 10**6])
@pytest.mark.parametrize("sweep", ["regret", "stopping", "odd"])
def test_the_bytes_of_a_table_do_not_depend_on_its_pieces(tmp_path, monkeypatch, sweep, rows):
    if sweep == "odd":
        request = odd_sweep(tmp_path / "mine")
    else:
        question = next(q for q in QUESTIONS if q.name == sweep)
        request = (
            quick(tmp_path, question, horizon=2000)
            if sweep == "regret"
            else quick(tmp_path, question)
        )
    store = play_request(request).store
    right = as_one(store, request.settings, request.runs)
    monkeypatch.setattr(tables, "ROWS", rows)
    monkeypatch.setattr("dpbandits.results.table.ROWS", rows)
    found = Table.of_store(store, request.settings, request.runs).frame()
    pd.testing.assert_frame_equal(found, right)
    tables.write_table(tmp_path / "saved.csv", found)
    pieces = list(in_pieces(store, request))
    write_pieces(tmp_path / "pieces.csv", pieces)
    assert (len(pieces) > 1) == (rows < len(right))
    for name in ("saved.csv", "pieces.csv"):
        assert (tmp_path / name).read_bytes() == csv_of(right)


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_a_summary_made_in_pieces_is_that_of_the_table(tmp_path, monkeypatch, question):
    request = quick(tmp_path, question)
    played = play_request(request)
    right = Table.of_store(played.store, request.settings, played.runs).summary()
    before = report(request).read_bytes()
    monkeypatch.setattr(tables, "ROWS", 7)
    path, found = write_report(request, played, 0.0)
    pd.testing.assert_frame_equal(found, right, check_exact=True)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows_of_a_table(tmp_path, monkeypatch):
    """The control makes the table before it is written."""
    monkeypatch.setattr(tables, "ROWS", 200)
    monkeypatch.setattr("dpbandits.results.table.ROWS", 200)
    runs, eps = 10, [k / 10 for k in range(1, 21)]
    requests = [
        requested(tmp_path, algo="dp_se", eps=some, horizon=1e5, checkpoints=80, runs=runs)
        for some in (eps[:2], eps)
    ]
    store = Memory()
    for setting in requests[1].settings:
        pulls = np.ones((runs, len(setting.rounds()), 5), int)
        store.save(setting, {run: Run(pulls[run], 1.0, 1.0) for run in range(runs)})

    def write(request):
        write_pieces(tmp_path / "table.csv", in_pieces(store, request))

    peaks = [peak_of(lambda r=r: write(r)) for r in requests]
    whole = [
        peak_of(lambda r=r: csv_of(Table.of_store(store, r.settings, runs).frame()))
        for r in requests
    ]
    assert peaks[1] < 1.5 * peaks[0]
    assert whole[1] > 4 * whole[0]  # control


def test_a_table_that_cannot_be_written_leaves_the_older_one(tmp_path):
    file = tmp_path / "table.csv"
    write_atomically(file, [b"old\n", b"rows\n"])

    def full():
        yield b"new\n"
        raise OSError(28, "No space left on device")

    def interrupted():
        yield b"new\n"
        raise KeyboardInterrupt

    with pytest.raises(CannotWrite, match=f"cannot write {file}"):
        write_atomically(file, full())
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, interrupted())
    assert file.read_bytes() == b"old\nrows\n"
    assert sorted(f.name for f in tmp_path.iterdir()) == ["table.csv"]


def test_batches_have_at_most_the_rows_of_one():
    """Mutation that it catches: all settings are in one batch after the first."""
    rows = np.random.default_rng(0).integers(1, tables.ROWS // 3, size=50)
    rows[7] = 2 * tables.ROWS
    found = [rows[part] for part in tables.batches(rows)]
    assert np.concatenate(found).tolist() == rows.tolist()
    for some, after in itertools.pairwise(found):
        assert some.sum() <= tables.ROWS or len(some) == 1
        assert some.sum() + after[0] > tables.ROWS  # no batch is smaller than it must be

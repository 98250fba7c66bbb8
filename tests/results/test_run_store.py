"""Finished runs on disk: none is lost, damage is noticed, and the bytes of tables do not change.

The lock, atomic writes and the checksum have controls: without them the same checks fail.
"""

import errno
import json
import math
import os
import struct
import sys
import time
import zipfile

import faults
import numpy as np
import pytest
from commands import captured
from helpers import peak_of
from sweeps import csv_after, quick, requested
from tiers import every

from dpbandits.contracts.question import QUESTIONS, REGRET
from dpbandits.errors import CannotRead, CannotWrite
from dpbandits.results import run_store
from dpbandits.results.run_store import Damaged, Run, RunStore, check_runs, read_runs
from dpbandits.running.monte_carlo import run_request

pytestmark = pytest.mark.usefixtures("any_runs")

EACH_QUESTION = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """The tables of the quick sweeps, by question."""
    return {q.name: csv_after(quick(tmp_path_factory.mktemp(q.name), q)) for q in QUESTIONS}


def with_runs(results, question=REGRET):
    """The request of the quick sweep, when its runs are stored, and the files of its settings."""
    request, store = quick(results, question), RunStore(results)
    run_request(request)
    return request, [store.file(setting) for setting in request.settings]


def same(runs, pulls, answer):
    """Runs of one setting that all have these pulls and this answer."""
    return dict.fromkeys(runs, Run(pulls, answer, 1.0))


@pytest.mark.long
@pytest.mark.parametrize("careless", [False, True])
def test_two_writers_lose_nothing(tmp_path, careless):
    control = ["careless"] if careless else []
    for_all = ["writers", ",".join(q.name for q in QUESTIONS), tmp_path, "25", *control]
    done = captured(sys.executable, faults.__file__, *for_all)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == {q.name for q in QUESTIONS}
    assert all((counts["lost"] > 0) == careless for counts in found.values()), found


def test_saved_runs_are_added_to_those_stored(tmp_path):
    (setting,) = requested(algo="dp_se", horizon=10).settings
    for run in (2, 0):
        RunStore(tmp_path).save(setting, same([run], np.full((2, 5), run), run / 4))
    found = RunStore(tmp_path).load(setting)
    assert {run: one.answer for run, one in sorted(found.items())} == {0: 0.0, 2: 0.5}
    assert (found[2].pulls == 2).all()


def test_a_file_is_read_again_only_if_it_has_changed(tmp_path, monkeypatch):
    (setting,) = requested(algo="dp_se", horizon=10).settings
    store, reads = RunStore(tmp_path), []
    monkeypatch.setattr(
        run_store, "read_runs", lambda file, record: reads.append(file) or read_runs(file)
    )
    assert store.finished(setting) == frozenset()
    RunStore(tmp_path).save(setting, same([1], np.zeros((2, 5), int), 0.0))
    reads.clear()
    assert store.finished(setting) == store.finished(setting) == {1} and len(reads) == 1
    RunStore(tmp_path).save(setting, same([4], np.zeros((2, 5), int), 0.0))
    reads.clear()
    assert store.finished(setting) == {1, 4} and len(reads) == 1


def edit(member):
    """A function that changes one array of a file, and writes the file as NumPy does."""

    def edited(file, other):
        with np.load(file) as members:
            arrays = dict(members)
        changed = {member: np.nan_to_num(arrays[member]) + 1}
        np.savez_compressed(file, **arrays | changed)

    return edited


DAMAGES = {
    "cut": lambda file, other: file.write_bytes(file.read_bytes()[:-40]),
    "half": lambda file, other: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "empty": lambda file, other: file.write_bytes(b""),
    "nonsense": lambda file, other: file.write_bytes(b"nonsense" * 100),
    "edited pulls": edit("pulls"),
    "edited answers": edit("answers"),
    "of another setting": lambda file, other: file.write_bytes(other.read_bytes()),
    "without checksum": lambda file, other: np.savez(
        file, runs=[0], pulls=[[[0]]], answers=[0.0], seconds=[0]
    ),
}


@pytest.mark.slow
@EACH_QUESTION
@pytest.mark.parametrize("damage", every(4, DAMAGES))
def test_damage_is_noticed_reported_and_repaired(tmp_path, capsys, right, damage, question):
    request, files = with_runs(tmp_path, question)
    assert csv_after(request) == right[question.name]
    assert "damaged" not in capsys.readouterr().err
    DAMAGES[damage](*files[:2])
    damaged = files[0].read_bytes()
    with pytest.raises(Damaged):
        read_runs(files[0])
    assert csv_after(request) == right[question.name]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"damaged: {files[0]}") and line.endswith("its runs are played again")
    assert files[0].with_suffix(".damaged").read_bytes() == damaged  # to be examined


def bomb(file):
    """Write 4 MB of zeros that compress to four kilobytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("runs.npy", bytes(2**22))


def huge(file):
    with open(file, "wb") as opened:
        opened.truncate(2**43)  # no bytes on the disk


ODD = {
    "a pipe": os.mkfifo,
    "a folder": lambda file: (file / "inner").mkdir(parents=True),
    "a device": lambda file: file.symlink_to("/dev/zero"),
    "a link to a pipe": lambda file: (
        os.mkfifo(file.with_suffix(".pipe")),
        file.symlink_to(file.with_suffix(".pipe").name),
    ),
    "a bomb": bomb,
    "huge": huge,
}


@pytest.mark.parametrize("odd", ODD)
def test_only_regular_files_of_a_plausible_size_are_read(tmp_path, monkeypatch, odd):
    monkeypatch.setattr(run_store, "MOST_ARRAYS", 2**20)
    store, (setting,) = RunStore(tmp_path), requested(algo="dp_se", horizon=10).settings
    file = store.file(setting)
    for aside in (".damaged", ".damaged1"):  # what was set aside before is preserved
        file.parent.mkdir(parents=True, exist_ok=True)
        ODD[odd](file)
        start = time.process_time()
        with pytest.raises(Damaged, match=r"more bytes than|the file has|regular file"):
            store.finished(setting)
        assert time.process_time() - start < 0.2
        store.save(setting, same([3], np.zeros((2, 5), int), 0.5))
        assert store.finished(setting) == {3} and file.is_file() and not file.is_symlink()
        assert os.path.lexists(file.with_suffix(aside))
        file.unlink()
        file.with_suffix(".pipe").unlink(missing_ok=True)


def test_a_bomb_that_says_that_it_is_small_is_not_unpacked(tmp_path):
    """4 MB of zeros in each array, whose directory says a hundred bytes."""
    file = tmp_path / "bomb.npz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as members:
        for name in run_store.MEMBERS:
            members.writestr(f"{name}.npy", bytes(2**22))
    size = struct.pack("<I", 2**22)
    file.write_bytes(file.read_bytes().replace(size, struct.pack("<I", 100)))

    def refused():
        with pytest.raises(Damaged):
            read_runs(file)

    assert peak_of(refused) < 2**20


def test_runs_that_compress_too_well_to_be_plausible_are_stored_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(run_store, "MOST_ARRAYS", 1000)
    store, (setting,) = RunStore(tmp_path), requested(algo="dp_se", horizon=10).settings
    store.save(setting, same(range(1000), np.zeros((100, 5), int), 0.5))
    assert store.finished(setting) == set(range(1000))
    assert store.file(setting).stat().st_size > 1000 * 100 * 5 * 8
    monkeypatch.setattr(run_store, "MOST_ARRAYS", 2**28)
    store.save(setting, {})
    assert store.finished(setting) == set(range(1000))
    assert store.file(setting).stat().st_size < 100_000  # control


@pytest.mark.parametrize("odd", ["a pipe", "a folder", "a device", "huge"])
def test_a_reason_of_a_failure_that_is_no_text_is_ignored(tmp_path, odd):
    store, (setting,) = RunStore(tmp_path), requested(algo="dp_se", horizon=10).settings
    file = store.failure_file(setting)
    file.parent.mkdir(parents=True)
    ODD[odd](file)
    assert store.failure(setting) is None


@pytest.mark.parametrize("damage", ["edited pulls", "of another setting"])
def test_without_a_checksum_damage_is_not_noticed(tmp_path, monkeypatch, right, damage):
    """The control: the checksums of ZIP do not detect these."""
    monkeypatch.setattr(run_store, "checksum", lambda *_: bytes(32))
    request, files = with_runs(tmp_path)
    assert csv_after(request) == right["regret"]
    DAMAGES[damage](*files[2:4])
    assert csv_after(request) != right["regret"]


@pytest.mark.slow
def test_no_flipped_byte_changes_a_result(tmp_path):
    request = requested(tmp_path, algo="adap_ucb", horizon=100, runs=2, checkpoints=4, jobs=1)
    run_request(request)
    store, (setting,) = RunStore(tmp_path), request.settings
    file, right = store.file(setting), store.load(setting)
    whole, noticed = file.read_bytes(), 0
    for i in range(len(whole)):
        file.write_bytes(whole[:i] + bytes([whole[i] ^ 0x5A]) + whole[i + 1 :])
        found = store.load(setting)
        noticed += found == {}
        assert not found or all((found[r].pulls == right[r].pulls).all() for r in (0, 1))
    assert noticed > len(whole) / 2


@pytest.mark.parametrize("error", [OSError(errno.EIO, "bad disk"), OSError(errno.EMFILE, "files")])
def test_a_read_that_fails_is_not_damage(tmp_path, monkeypatch, error):
    """A file that cannot be read now is left as it is, since it may be read later."""
    request, files = with_runs(tmp_path)
    before = files[0].read_bytes()

    def failing(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(run_store, "opened", failing)
        with pytest.raises(CannotRead, match=f"cannot read {files[0]}"):
            RunStore(tmp_path).save(request.settings[0], same([7], np.zeros((3, 5), int), 0.0))
        with pytest.raises(CannotRead):
            run_request(request)
    assert files[0].read_bytes() == before


def test_the_remainder_of_a_killed_writer_is_overwritten(tmp_path, right):
    request, store = quick(tmp_path), RunStore(tmp_path)
    for file in map(store.file, request.settings):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name(f".{file.name}.part").write_bytes(b"half a fi")
    assert csv_after(request) == right["regret"]
    assert not list(tmp_path.rglob("*.part"))


def test_the_reason_of_a_failure_is_stored_until_the_setting_is_finished(tmp_path):
    request, store = requested(tmp_path, algo="dp_se", horizon=10), RunStore(tmp_path)
    (setting,) = request.settings
    store.note_failure(setting, "no luck")
    assert store.failure(setting) == "no luck"
    run_request(request)
    assert store.failure(setting) is None


@pytest.mark.parametrize("where", ["runs", "of its hash"])
def test_runs_are_not_stored_through_links(tmp_path, where):
    store, (setting,) = RunStore(tmp_path / "results"), requested(algo="dp_se").settings
    folder = store.file(setting).parent
    folder = folder.parent if where == "runs" else folder
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / store.failure_file(setting).name).touch()
    folder.parent.mkdir(parents=True)
    folder.symlink_to(outside)
    runs = same([0], np.zeros((2, 5), int), 0.5)
    for change in (
        lambda: store.save(setting, runs),
        lambda: store.note_failure(setting, "no luck"),
        *([lambda: store.forget_failure(setting)] if where != "runs" else []),
    ):
        with pytest.raises(CannotWrite, match=f"cannot write {folder} .the folder is a link"):
            change()
    assert [f.name for f in outside.iterdir()] == [store.failure_file(setting).name]
    folder.unlink()
    store.save(setting, runs)  # control
    assert store.finished(setting) == {0}


def test_only_runs_that_took_long_wait_for_the_disk(tmp_path, monkeypatch):
    """What a power cut damages is noticed, and played again."""
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    store, (setting,) = RunStore(tmp_path), requested(algo="dp_se").settings
    short = {0: Run(np.zeros((2, 5), int), 0.5, 0.9)}
    store.save(setting, short)
    assert synced == []
    store.save(setting, {1: short[0]})
    assert len(synced) == 1 and store.finished(setting) == {0, 1}


def test_control_characters_and_length_of_a_stored_reason(tmp_path):
    store, (setting,) = RunStore(tmp_path), requested(algo="dp_se").settings
    store.note_failure(setting, "")
    store.failure_file(setting).write_bytes(b"\x1b[2J\r" + b"x" * 10_000)
    reason = store.failure(setting)
    assert reason.startswith("\\x1b[2J xxx") and len(reason) < 600 and reason.isprintable()


def written(file, change):
    """Write runs with the right checksum after a change of their arrays."""
    arrays = {name: value.copy() for name, value in np.load(file).items() if name != "checksum"}
    arrays |= change(arrays)
    arrays["checksum"] = np.frombuffer(run_store.checksum(file.stem, *arrays.values()), np.uint8)
    np.savez(file, **arrays)


WRONG = {
    "unchanged": lambda a: {},  # the control
    "too few checkpoints": lambda a: {"pulls": a["pulls"][:, 1:]},
    "too few arms": lambda a: {"pulls": a["pulls"][:, :, 1:]},
    "too few runs": lambda a: {"pulls": a["pulls"][1:]},
    "too few answers": lambda a: {"answers": a["answers"][1:]},
    "flat": lambda a: {"pulls": a["pulls"].ravel()},
    "a number": lambda a: {"runs": np.array(3)},
    "twice": lambda a: {"runs": np.zeros_like(a["runs"])},
    "negative number": lambda a: {"runs": a["runs"] - 1},
    "bool": lambda a: {"pulls": a["pulls"] > 0},
    "bool numbers": lambda a: {"runs": a["runs"] > 0},
    "complex": lambda a: {"pulls": a["pulls"] + 0j},
    "complex answers": lambda a: {"answers": a["answers"] + 0j},
    "floats": lambda a: {"pulls": a["pulls"] + 0.0},
    "words": lambda a: {"pulls": a["pulls"].astype(str)},
    "negative": lambda a: {"pulls": a["pulls"] * np.array([2, -1])},
    "another sum": lambda a: {"pulls": a["pulls"] + 1},
    "falling": lambda a: {"pulls": a["pulls"][:, :, ::-1] * 0 + a["pulls"][:, ::-1]},
    "endless": lambda a: {"seconds": a["seconds"] + np.inf},
    "before": lambda a: {"seconds": a["seconds"] - 1e9},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_runs_with_a_right_checksum_that_no_run_can_have_are_damaged(tmp_path, monkeypatch, wrong):
    monkeypatch.setattr(run_store, "check_runs", check_runs)
    env = {"law": "bernoulli", "means": [0.9, 0.1]}
    (setting,) = requested(tmp_path, algo="dp_se", env=env, horizon=10, checkpoints=4).settings
    store, rounds = RunStore(tmp_path), setting.rounds()
    pulls = np.stack([rounds - rounds // 3, rounds // 3], axis=1)
    store.save(setting, {run: Run(pulls, math.nan, 1.0) for run in (0, 1)})
    written(store.file(setting), WRONG[wrong])
    if wrong == "unchanged":
        assert store.finished(setting) == {*store.read(setting)} == {0, 1}
        return
    for read in (store.finished, store.read):
        with pytest.raises(Damaged):
            read(setting)
    assert store.load(setting) == {}
    store.save(setting, {2: Run(pulls, math.nan, 1.0)})
    assert store.finished(setting) == {2} and store.file(setting).with_suffix(".damaged").is_file()

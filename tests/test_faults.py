"""What goes wrong on the way: nothing finished is lost or played again, and the bytes are the same.

Kills, two writers and checksums have a control in which the check fails.
"""

import errno
import io
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from faults import on_disk

from dpbandits import files
from dpbandits.cli.config.compose import read_request
from dpbandits.cli.run import run
from dpbandits.errors import BadInput, CannotRead, CannotWrite
from dpbandits.results import run_store as kept
from dpbandits.results.naming import table_path
from dpbandits.results.run_store import Damaged, Kept, cell_file, load_runs, read_kept, save_runs
from dpbandits.running import precompile as compiling
from dpbandits.running import tasks as runner

SWEEP = ["sweep={algo:[ucb,dp_se,adap_ucb],eps:[0.5,2]}", "horizon=20000", "runs=5", "jobs=2"]
LONG = ["sweep={algo:[dp_ucb,dp_se,adap_ucb],eps:[0.2,0.5,1,2]}", "horizon=1e7", "runs=4", "jobs=2"]
COMMAND = [sys.executable, "-c", "from dpbandits.cli.run import main; main()"]


def asked(folder, *overrides, folders=()):
    return read_request([*(overrides or SWEEP), f"results={folder}"], folders)


def table(request):
    """The bytes of a request's table, after its sweep is finished."""
    assert run(request) == 0
    return table_path(request).read_bytes()


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """The table of the sweep that nothing disturbs."""
    return table(asked(tmp_path_factory.mktemp("whole")))


def faults(*words):
    driver = Path(__file__).with_name("faults.py")
    done = subprocess.run(
        [sys.executable, driver, *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(tmp_path):
    found = faults("kills", tmp_path, 0, 220)
    print(found)
    assert found["kills"] >= 220 and found["in_a_write"] > 0 and found["sweeps"] > 1
    assert found["lost"] == found["again"] == found["other_bytes"] == 0


@pytest.mark.slow
def test_kills_are_seen_to_lose_what_is_not_written_whole(tmp_path):
    assert faults("kills", tmp_path, 0, 60, "careless")["lost"] > 0


@pytest.mark.slow
def test_commands_that_are_killed_again_and_again(tmp_path):
    """The clock of a kill starts when something new is kept: the command is past its imports."""
    chance, kills, in_the_middle = random.Random(1), 0, 0
    whole, request = (asked(tmp_path / name, *LONG) for name in "ab")
    right, total = table(whole), len(on_disk(whole))
    while kills < 16:
        before, files_before = on_disk(request), written(request)
        process = subprocess.Popen(
            [*COMMAND, *LONG, f"results={request.results}"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while written(request) == files_before and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.2))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        after = on_disk(request)
        assert before.items() <= after.items()  # nothing lost or changed
        assert len(after) > len(before) or len(before) == total  # it has played
        in_the_middle += len(after) < total
        if process.returncode == 0:
            assert table_path(request).read_bytes() == right
            shutil.rmtree(request.results)  # once more, from nothing
    assert in_the_middle >= 8
    assert table(request) == right


def written(request):
    """When each file of kept runs was written."""
    return {f: f.stat().st_mtime_ns for f in request.results.glob("cells/*/*.npz")}


def test_two_writers_lose_nothing(tmp_path):
    assert faults("writers", tmp_path / "a", 25)["lost"] == 0
    assert faults("writers", tmp_path / "b", 25, "careless")["lost"] > 0  # control


@pytest.mark.slow
def test_two_processes_on_one_folder(tmp_path, right):
    command = [*COMMAND, *SWEEP, f"results={tmp_path}"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths = {process.communicate()[0].splitlines()[-1] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert Path(*paths).read_bytes() == right


SLOW = """
import os, time
from pathlib import Path
from dpbandits.game import pull, rounds_left

def slow(game, rng, eps):
    here = Path(__file__).parent
    (here / f"{os.getpid()}.begun").touch()
    while len(list(here.glob("*.begun"))) < 2:  # the other has not begun
        time.sleep(0.01)
    with open(here / "played", "a") as log:
        log.write(f"{eps}\\n")
    time.sleep(0.1)
    while rounds_left(game):
        pull(game, rng.integers(5))
"""
BLIND = "from dpbandits import runner; runner._known = lambda *_: frozenset(); "


@pytest.mark.parametrize("blind", [False, True])
def test_two_processes_share_the_work(tmp_path, blind):
    """What one has kept the other does not play; the control does not look and plays it all."""
    home = tmp_path / "mine" / "algo"
    home.mkdir(parents=True)
    (home / "slow.yaml").write_text("{}")
    (home / "slow.py").write_text(SLOW)
    words = ["algo=slow", f"sweep.eps={list(range(1, 31))}", "horizon=5", "runs=1", "jobs=1"]
    where = [f"results={tmp_path}", f"--config-dir={tmp_path / 'mine'}", "backend=threads"]
    start = [COMMAND[0], "-c", (BLIND if blind else "") + COMMAND[2]]
    both = [subprocess.Popen([*start, *words, *where], stdout=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate() and process.returncode for process in both] == [0, 0]
    played = (home / "played").read_text().split()
    assert set(played) == {f"{eps:.1f}" for eps in range(1, 31)}
    assert len(played) == 60 if blind else len(played) < 45


def test_a_lock_goes_with_its_process(tmp_path):
    code = f"""if 1:
        import time; from pathlib import Path; from dpbandits.files import locked
        with locked(Path({str(tmp_path)!r})):
            print("held", flush=True); time.sleep(60)"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.kill()
    start = time.monotonic()
    files.write_atomically(tmp_path / "file", b"")
    assert time.monotonic() - start < 1


def edited(file, other):
    """The same file with other numbers, as NumPy writes it."""
    with np.load(file) as members:
        arrays = dict(members)
    np.savez_compressed(file, **arrays | {"outcomes": arrays["outcomes"] + 1})


DAMAGES = {
    "cut": lambda file, other: file.write_bytes(file.read_bytes()[:-40]),
    "half": lambda file, other: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "empty": lambda file, other: file.write_bytes(b""),
    "nonsense": lambda file, other: file.write_bytes(b"nonsense" * 100),
    "edited": edited,
    "of another cell": lambda file, other: file.write_bytes(other.read_bytes()),
    "without checksum": lambda file, other: np.savez(file, runs=[0], outcomes=[[0]], seconds=[0]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_noticed_told_and_run_again(tmp_path, capsys, right, damage):
    request = asked(tmp_path)
    assert table(request) == right
    assert "damaged" not in capsys.readouterr().err
    file, other = (cell_file(tmp_path, cell) for cell in request.cells[:2])
    DAMAGES[damage](file, other)
    with pytest.raises(Damaged):
        read_kept(file)
    assert table(request) == right
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"damaged: {file}") and told.endswith("its runs are played again")


@pytest.mark.parametrize("damage", ["edited", "of another cell"])
def test_without_a_checksum_damage_is_not_noticed(tmp_path, monkeypatch, right, damage):
    """The control: ZIP's own checksums say nothing of these."""
    monkeypatch.setattr(kept, "checksum", lambda *_: bytes(32))
    request = asked(tmp_path)
    assert table(request) == right
    DAMAGES[damage](*(cell_file(tmp_path, cell) for cell in request.cells[2:4]))
    assert table(request) != right


@pytest.mark.parametrize("error", [OSError(errno.EIO, "bad disk"), OSError(errno.EMFILE, "files")])
def test_a_read_that_fails_is_not_damage(tmp_path, monkeypatch, error):
    """What cannot be read now is left as it is: it may be read later."""
    request = asked(tmp_path)
    table(request)
    cell, file = request.cells[0], cell_file(tmp_path, request.cells[0])
    before = file.read_bytes()

    def failing(path):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", failing)
        with pytest.raises(CannotRead, match=f"cannot read {file}"):
            save_runs(tmp_path, cell, Kept({7: np.zeros((3, 5), int)}, {7: 0.0}))
        with pytest.raises(CannotRead):
            run(request)
    assert file.read_bytes() == before


def test_a_damaged_file_is_set_aside(tmp_path, right):
    request = asked(tmp_path)
    table(request)
    file = cell_file(tmp_path, request.cells[0])
    DAMAGES["half"](file, None)
    cut = file.read_bytes()
    assert table(request) == right
    assert file.with_suffix(".damaged").read_bytes() == cut


@pytest.mark.parametrize("every", [runner.SAVE_EVERY, math.inf])
def test_finished_runs_wait_ten_seconds_at_most(tmp_path, monkeypatch, every):
    """Pieces of a cell that come far apart, a second each; the control writes finished cells."""
    request, now = asked(tmp_path), 0.0
    tasks = runner._tasks({cell: list(range(50)) for cell in request.cells}, workers=8)
    ended, longest = {}, 0.0
    monkeypatch.setattr(runner, "SAVE_EVERY", every)
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: now))

    def outcomes():
        nonlocal now, longest
        for task in sorted(tasks, key=lambda task: task.runs):
            now += 1.0
            yield runner.Outcome(task, dict.fromkeys(task.runs, np.zeros((1, 5), int))), 1.0
            ended.update({(task.cell, run): now for run in task.runs})
            kept = {(cell, run) for cell in request.cells for run in load_runs(tmp_path, cell)}
            longest = max(longest, *(now - ended[key] for key in ended.keys() - kept), 0.0)

    assert runner._keep(outcomes(), tasks, tmp_path) == (50 * len(request.cells), [])
    assert all(len(load_runs(tmp_path, cell)) == 50 for cell in request.cells)
    assert (longest > 10.0) == (every == math.inf), longest


def test_what_a_killed_writer_left_is_written_over(tmp_path, right):
    request = asked(tmp_path)
    for cell in request.cells:
        file = cell_file(tmp_path, cell)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name(f".{file.name}.part").write_bytes(b"half a fi")
    assert table(request) == right
    assert not list(tmp_path.rglob("*.part"))


class Failing:
    """A file on a disk that fills at random moments, in the middle of a write."""

    def __init__(self, chance, path, mode):
        self.chance, self.file = chance, open(path, mode)  # noqa: SIM115

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, content):
        if self.chance.random() < 0.5:
            self.file.write(content[: self.chance.randrange(len(content))])
            self.file.flush()
            raise OSError(self.chance.choice(ERRORS), "the disk says no")
        self.file.write(content)


ERRORS = (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT)


@pytest.mark.slow
def test_a_disk_that_fills_at_random_moments(tmp_path, monkeypatch, right):
    chance, refused = random.Random(0), 0
    monkeypatch.setattr(runner, "SAVE_EVERY", 0.0)
    for sweep in range(5):
        request, done = asked(tmp_path / str(sweep)), None
        before = {}
        while done != 0:
            with monkeypatch.context() as patch:
                patch.setattr(files, "open", lambda *a: Failing(chance, *a), raising=False)
                try:
                    done = run(request)
                except CannotWrite as error:
                    refused += 1
                    assert "the disk says no" in str(error)
            after = {c: load_runs(request.results, c) for c in request.cells}
            for cell, runs in before.items():
                assert all((after[cell][r] == runs[r]).all() for r in runs)
            assert not list(request.results.rglob("*.part"))
            before = after
        assert table_path(request).read_bytes() == right
    assert refused > 25


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1800, 1800))


@pytest.mark.slow
def test_a_disk_that_is_really_full(tmp_path, right):
    """No file may pass some bytes: of the cells some fit. One line, exit code 1, and later on."""
    for cell in asked(tmp_path).cells:
        runner.compile_kernel(cell)
    command = [*COMMAND, *SWEEP, f"results={tmp_path}"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert line.startswith(f"bandit-run: cannot write {tmp_path}") and "File too large" in line
    assert not list(tmp_path.rglob("*.part"))
    request = asked(tmp_path)
    kept = {cell: load_runs(tmp_path, cell) for cell in request.cells}
    whole = [cell_file(tmp_path, c) for c, runs in kept.items() if len(runs) == request.runs]
    written = [file.stat().st_mtime_ns for file in whole]
    assert table(request) == right
    assert [file.stat().st_mtime_ns for file in whole] == written  # a part may be completed
    for cell, runs in kept.items():
        after = load_runs(tmp_path, cell)
        assert all((after[r] == runs[r]).all() for r in runs)


@pytest.mark.parametrize("folder", ["/proc/results", "/dev/null/results"])
def test_a_folder_that_cannot_be_written(folder):
    done = subprocess.run([*COMMAND, *SWEEP, f"results={folder}"], capture_output=True, text=True)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and line.startswith(f"bandit-run: results={folder}: a writable")


MORTAL = """
import os, signal
from pathlib import Path
from dpbandits.game import pull, rounds_left

def mortal(game, rng, eps):
    here = Path(__file__).parent
    if {condition}:
        (here / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    while rounds_left(game):
        pull(game, rng.integers(5))
"""
WORKERS = ["sweep={algo:[mortal,ucb],eps:[0.5,1,2]}", "horizon=50", "runs=3", "jobs=2"]


def mortal(folder, condition, words=WORKERS, algorithm=MORTAL):
    home = folder / "mine" / "algo"
    home.mkdir(parents=True, exist_ok=True)
    (home / "mortal.yaml").write_text("{}")
    (home / "mortal.py").write_text(algorithm.format(condition=condition))
    command = [
        *COMMAND,
        *words,
        f"results={folder / 'results'}",
        f"--config-dir={folder / 'mine'}",
    ]
    return subprocess.run(command, capture_output=True, text=True)


def csv(folder):
    return next((folder / "results").glob("*.csv")).read_bytes()


@pytest.mark.slow
def test_a_worker_that_dies_once_costs_nothing(tmp_path):
    condition = 'eps == 1 and os.path.exists(here / "mortal") and not (here / "died").exists()'
    for name in ("a", "b"):
        (tmp_path / name / "mine" / "algo").mkdir(parents=True)
    (tmp_path / "a" / "mine" / "algo" / "mortal").touch()
    for name in ("a", "b"):
        done = mortal(tmp_path / name, condition)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a" / "mine" / "algo" / "died").exists()
    assert not (tmp_path / "b" / "mine" / "algo" / "died").exists()
    assert csv(tmp_path / "a") == csv(tmp_path / "b")


@pytest.mark.slow
def test_a_worker_that_always_dies_stops_only_its_own_setting(tmp_path):
    done = mortal(tmp_path, "eps == 1")
    assert done.returncode == 1
    *_, summary, failed = done.stderr.splitlines()
    assert "3 runs failed; finished runs are kept" in summary
    assert failed == (
        "bandit-run: failed: mortal on bernoulli_c2, eps 1, T 50: the worker died of it: killed, "
        "out of memory, or a crash (3 runs)"
    )
    kept_cells = [f.name.split("-")[0] for f in tmp_path.rglob("*.npz")]
    assert sorted(kept_cells) == ["mortal", "mortal", "ucb"]
    (note,) = tmp_path.rglob("*.failed")
    assert note.read_text().startswith("the worker died")
    assert mortal(tmp_path, "False").returncode == 0  # mended: another version, all is run
    assert csv(tmp_path).count(b"mortal") > 0


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_two_passing_deaths_cost_nothing(tmp_path, jobs):
    """The worker dies in the pool, and once more when its task is alone."""
    condition = 'len(list(here.glob("d[0-9]"))) < 2'
    words = ["algo=mortal", "eps=1", "horizon=50", "runs=40", f"jobs={jobs}"]
    counted = '(here / ("d" + str(len(list(here.glob("d[0-9]")))))).touch()'
    faulty = MORTAL.replace('(here / "died").touch()', counted)
    done = mortal(tmp_path, condition, words, faulty)
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.rglob("*.npz")
    assert len(read_kept(file).outcomes) == 40 and not list(tmp_path.rglob("*.failed"))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_kills_its_worker_costs_no_other_run(tmp_path, jobs):
    words = ["algo=mortal", "eps=1", "horizon=50", "runs=40", f"jobs={jobs}"]
    done = mortal(tmp_path, "rng.bit_generator.seed_seq.spawn_key[0] == 29", words)
    assert done.returncode == 1
    assert "mortal: 1 run failed" in done.stderr.replace("bandit-run", "mortal")
    (file,) = tmp_path.rglob("*.npz")
    assert sorted(read_kept(file).outcomes) == [r for r in range(40) if r != 29]


REPLACING = """
from pathlib import Path
from dpbandits.game import pull, rounds_left

def replacing(game, rng):
    here = Path(__file__).parent
    if (here / "next.csv").exists():
        (here / "next.csv").replace(here / "data.csv")
    while rounds_left(game):
        pull(game, 0)
"""


def test_data_that_are_replaced_meanwhile_have_no_part_in_it(tmp_path):
    """Runs on the old data are kept as such: the new data are played on, as in another folder."""
    home = tmp_path / "algo"
    home.mkdir()
    (home / "replacing.yaml").write_text("{}")
    (home / "replacing.py").write_text(REPLACING)
    old, new = "a,b\n" + "0,1\n" * 9, "a,b\n" + "1,0\n" * 9
    (home / "data.csv").write_text(old)
    (home / "next.csv").write_text(new)
    regrets = []
    for folder in ("kept", "kept", "others"):
        words = ["algo=replacing", "env=table", f"env.file={home / 'data.csv'}", "horizon=9"]
        words += ["runs=3", "backend=threads", f"results={tmp_path / folder}"]
        regrets.append(table(read_request(words, (str(tmp_path),))))
        assert (home / "data.csv").read_text() == new
    first, *later = (pd.read_csv(io.BytesIO(text))["regret"].max() for text in regrets)
    assert (first, later) == (9, [0, 0])


def test_a_worker_that_reads_other_data_says_so(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("a,b\n0,1\n")
    words = ["algo=ucb", "env=table", f"env.file={file}", "horizon=1", f"results={tmp_path}"]
    (cell,) = read_request(words, ()).cells
    task = runner.Task(cell, (0,), False)
    assert cell.key
    file.write_text("a,b\n1,0\n")
    outcome = runner._finish(task)
    assert not outcome.played and "its data changed while it was played" in outcome.trace
    file.write_text("a,b\n0,1\n")
    assert runner._finish(task).played


def test_an_algorithm_that_cannot_be_loaded_any_more_is_no_death(tmp_path, monkeypatch):
    (cell,) = read_request(["algo=ucb", "horizon=1", f"results={tmp_path}"], ()).cells

    def load(file):
        raise BadInput(f"cannot import {file}")

    monkeypatch.setattr("dpbandits.cell.load", load)
    outcome = runner._finish(runner.Task(cell, (0,), False))
    assert not outcome.played and "BadInput: cannot import" in outcome.trace


@pytest.mark.parametrize("executable", ["", None, "/no/python"])
def test_what_no_process_can_be_started_for_is_compiled_here(executable, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(compiling, "is_cached", lambda loop: False)
    compiling.compile_elsewhere(asked(tmp_path).cells)


def test_the_reason_of_a_failure_is_its_exception():
    head = "Traceback (most recent call last):\n"
    for told in ("numba.core.errors.TypingError: Failed in nopython mode", "Diverged: too long"):
        trace = f"{head}  File y\nValueError: no\n\nDuring handling of it:\n\n{head}"
        trace += f"  File x\n    z()\n{told}\nUnknown attribute\n\nDuring: Pass inference\n"
        assert runner.Failure(None, (0,), trace).reason == told
    assert runner.Failure(None, (0,), "the worker died of it").reason == "the worker died of it"


UNLUCKY = """
from pathlib import Path
from dpbandits.game import pull, rounds_left

def unlucky(game, rng, eps):
    if Path(__file__).with_name("broken").exists() and rng.random() < 0.1:
        raise RuntimeError("no luck")
    while rounds_left(game):
        pull(game, 0)
"""


def test_runs_beside_one_that_fails_are_kept(tmp_path, capsys):
    home = tmp_path / "mine" / "algo"
    home.mkdir(parents=True)
    (home / "unlucky.yaml").write_text("{}")
    (home / "unlucky.py").write_text(UNLUCKY)
    words = ["algo=unlucky", "eps=1", "horizon=10", "runs=200", "jobs=1"]
    request = asked(tmp_path, *words, folders=(str(tmp_path / "mine"),))
    (home / "broken").touch()
    assert run(request) == 1
    done = set(load_runs(tmp_path, request.cells[0]))
    failed = 200 - len(done)
    assert 5 < failed < 50 and not list(tmp_path.glob("*.csv"))
    said = capsys.readouterr().err.splitlines()
    assert said[-1].endswith(f"T 10: RuntimeError: no luck ({failed} runs)")
    (home / "broken").unlink()
    missing, failures = runner.run_cells(request.cells, 200, 1, "auto", tmp_path)
    assert (missing, failures) == (failed, [])


def test_a_failure_is_forgotten_when_its_cell_succeeds(tmp_path):
    (cell,) = asked(tmp_path, "algo=dp_se", "horizon=10").cells
    kept.note_failure(tmp_path, cell, "no luck")
    assert kept.failure_of(tmp_path, cell) == "no luck"
    assert run(asked(tmp_path, "algo=dp_se", "horizon=10")) == 0
    assert kept.failure_of(tmp_path, cell) is None


def test_the_table_of_an_experiment_as_it_stands_is_not_written_over(tmp_path, capsys):
    def path(*keys):
        request = asked(tmp_path, "experiment=azize2022_fig8", "jobs=1", *keys)
        assert run(request) == 0
        return table_path(request)

    assert path("runs=2") == path("runs=3") == path()  # the first two are nobody's table
    whole = path().read_bytes()
    for key in ("runs=2", "seed=1", "horizon=3000"):
        with pytest.raises(BadInput, match=f"^{key}: .* as it stands; results=DIR keeps both"):
            path(key)
    assert path("runs=20").read_bytes() == whole  # nothing is changed by this
    (tmp_path / "azize2022_fig8.json").unlink()
    assert path("runs=2").read_bytes() != whole  # control: nobody knows whose table it is


@pytest.mark.slow
def test_the_time_left_is_about_right(tmp_path, monkeypatch):
    """Half-way the bar knows what is left, also where tasks are of different length."""
    bars = []

    class Bar(runner.tqdm):
        def __init__(self, **keys):
            super().__init__(**keys | {"disable": False, "file": io.StringIO()})
            self.told = []
            bars.append(self)

        def update(self, n):
            super().update(n)
            done = self.format_dict
            rate = done["rate"] or done["n"] / done["elapsed"]
            self.told.append((time.monotonic(), (done["total"] - done["n"]) / rate))

    def finish(task):
        time.sleep(task.cost / 2e6)
        return runner.Outcome(task, {run: np.zeros((2, 5)) for run in task.runs})

    request = asked(tmp_path, "sweep={algo:[ucb,dp_ucb],horizon:[1e4,1e5,2e5]}", "runs=5")
    for cell in request.cells:
        runner.compile_kernel(cell)
    monkeypatch.setattr(runner, "tqdm", Bar)
    monkeypatch.setattr(runner, "_finish", finish)
    runner.run_cells(request.cells, request.runs, 1, "threads", tmp_path)
    (bar,) = bars
    print([(round(bar.told[-1][0] - at, 2), round(left, 2)) for at, left in bar.told])
    end = bar.told[-1][0]
    middle = [(end - at, left) for at, left in bar.told[len(bar.told) // 4 : -3]]
    assert len(middle) > 3
    assert all(left == pytest.approx(truth, rel=0.4, abs=0.1) for truth, left in middle)


def test_saving_beside_what_another_process_kept(tmp_path):
    (cell,) = asked(tmp_path, "algo=dp_se", "horizon=10").cells
    for number in (2, 0):
        save_runs(tmp_path, cell, Kept({number: np.full((2, 5), number)}, {number: 0.5}))
    assert sorted(load_runs(tmp_path, cell)) == [0, 2]

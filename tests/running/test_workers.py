"""A worker that dies costs only the run that kills it."""

import re
from textwrap import indent

import psutil
import pytest
from sweeps import csv_after, own_algorithm, pulling, requested, started, until

from dpbandits.results.run_store import RunStore
from dpbandits.running.failures import RunsFailed

DYING = """
(here / ("d" + str(len(list(here.glob("d[0-9]")))))).touch()  # one more at each death
os.kill(os.getpid(), signal.SIGKILL)
"""
DEATH = "its worker died: it was killed, ran out of memory, or crashed"

pytestmark = pytest.mark.slow


def mortal(folder, condition, **given):
    """A request whose algorithm kills its worker on a condition, and the algorithm's folder."""
    first = f"if {condition}:{indent(DYING, '    ')}"
    home = own_algorithm(folder, "mortal", pulling("mortal", first, "eps", "rng.integers(5)"))
    given = {"horizon": 50, "jobs": 2, **given}
    return requested(folder / "results", folders=(str(folder),), **given), home


def without_ids(content):
    """A table without the ids of its settings, which follow the folder that the algorithm uses."""
    return re.sub(rb",[0-9a-f]{16},", b",", content)


SWEEP = {"algo": ["mortal", "ucb"], "eps": [0.5, 1, 2], "runs": 3}
ALONE = {"algo": "mortal", "eps": 1, "runs": 40}
PARALLEL = pytest.mark.parametrize("jobs", [1, 2])


@pytest.mark.long
def test_a_worker_that_always_dies_stops_only_its_own_setting(tmp_path):
    request, _ = mortal(tmp_path, "eps == 1", **SWEEP)
    with pytest.raises(RunsFailed) as caught:
        csv_after(request)
    assert str(caught.value).startswith("3 runs failed; mortal on bernoulli_c2, eps 1, T 50: ")
    assert sorted(r for failure in caught.value.failures for r in failure.runs) == [0, 1, 2]
    assert {(f.setting.budget, f.reason) for f in caught.value.failures} == {(1, DEATH)}
    found = [f.name.split("-")[0] for f in tmp_path.rglob("*.npz")]
    assert sorted(found) == ["mortal", "mortal", "ucb"]
    failed = [s for s in request.settings if RunStore(request.results).failure(s) == DEATH]
    assert [(s.algo, s.budget) for s in failed] == [("mortal", 1)]


@PARALLEL
def test_two_deaths_in_succession_cost_nothing(tmp_path, jobs):
    """The worker dies in the pool, and once more when its task is played alone."""
    condition = 'len(list(here.glob("d[0-9]"))) < 2'
    (request, home), (healthy, control) = (
        mortal(tmp_path / name, condition, **SWEEP, jobs=jobs) for name in "ab"
    )
    for name in ("d0", "d1"):
        (control / name).touch()
    assert without_ids(csv_after(request)) == without_ids(csv_after(healthy))
    assert len(list(home.glob("d[0-9]"))) == 2
    assert not list(tmp_path.rglob("*.failed"))


@pytest.mark.long
@PARALLEL
def test_a_run_that_kills_its_worker_costs_no_other_run(tmp_path, jobs):
    condition = "rng.bit_generator.seed_seq.spawn_key[0] == 29"
    request, _ = mortal(tmp_path, condition, **ALONE, jobs=jobs)
    with pytest.raises(RunsFailed, match=r"^1 run failed"):
        csv_after(request)
    found = RunStore(request.results).load(request.settings[0])
    assert sorted(found) == [r for r in range(40) if r != 29]


@pytest.mark.long
def test_processes_end_soon_after_a_command_that_is_killed(tmp_path):
    own_algorithm(tmp_path, "sleepy", pulling("sleepy", "time.sleep(0.1)"))
    given = ["algo=sleepy", "horizon=10", "runs=1000", "jobs=2", f"--config-dir={tmp_path}"]
    command = started(*given, f"results={tmp_path}")
    until(lambda: list(tmp_path.rglob("*.npz")), command)
    workers = [
        child
        for child in psutil.Process(command.pid).children(recursive=True)
        if "popen_loky_posix" in " ".join(child.cmdline())
    ]
    command.kill()
    command.wait()
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert len(workers) == 2 and not alive

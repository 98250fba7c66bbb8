"""The runner: the same bytes whatever the workers, resuming, and shuffled arms."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from helpers import CONF, HEAVY, NAMES

from dpbandits.cli.config.compose import read_request
from dpbandits.game import new_game, pulls_at_checkpoints
from dpbandits.results.run_store import cell_file, load_runs
from dpbandits.results.tables import tidy, write_table
from dpbandits.running.play import play, play_many
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator, state_in_memory, states
from dpbandits.running.tasks import run_cells

SWEEP = "sweep={algo:[ucb,dp_ucb,dp_se,adap_ucb,adap_klucb],eps:[0.5,2]}"
SMALL = [SWEEP, "horizon=20000", "runs=7", "seed=0"]


def request(tmp_path, *overrides):
    return read_request([*overrides, f"results={tmp_path}"], ())


def csv_bytes(tmp_path, *overrides, jobs=1, backend="auto"):
    asked = request(tmp_path, *overrides)
    _, failures = run_cells(asked.cells, asked.runs, jobs, backend, asked.results)
    assert not failures
    write_table(tmp_path / "table.csv", tidy(asked.results, asked.cells, asked.runs))
    return (tmp_path / "table.csv").read_bytes()


def test_bytes_do_not_depend_on_jobs_or_backend(tmp_path):
    first = csv_bytes(tmp_path / "1", *SMALL)
    for jobs, backend in ((2, "threads"), (4, "threads"), (2, "processes"), (4, "processes")):
        folder = tmp_path / f"{jobs}{backend}"
        assert csv_bytes(folder, *SMALL, jobs=jobs, backend=backend) == first
    assert csv_bytes(tmp_path / "seed", *SMALL, "seed=1") != first  # control


def test_a_run_depends_on_its_seed_and_number_alone(tmp_path):
    asked = request(tmp_path, "algo=dp_se", "horizon=5000")
    (cell,) = asked.cells
    assert (play(cell, 3) == play(cell, 3)).all()
    few, many = csv_bytes(tmp_path / "a", *SMALL, "runs=2"), csv_bytes(tmp_path / "b", *SMALL)
    few, many = (
        pd.read_csv(tmp_path / name / "table.csv").query("run < 2").reset_index(drop=True)
        for name in "ab"
    )
    pd.testing.assert_frame_equal(few, many)


@pytest.mark.parametrize("name", NAMES)
def test_runs_of_one_call_are_those_of_calls_of_their_own(tmp_path, name):
    """In one call each run starts afresh, with the states of generators that are its own."""
    env = "pareto_v09" if name in HEAVY else "bernoulli_c2"
    words = [f"algo={name}", f"env={env}", "horizon=3000", f"seed={2**61}", "assume=true"]
    (cell,) = request(tmp_path, *words).cells
    runs = (4, 0, 100_000)
    for run, pulls in zip(runs, play_many(cell, runs), strict=True):
        rngs = [generator(cell.seed, run, stream) for stream in (ENVIRONMENT, LEARNER)]
        game = new_game(cell.instance.environment, cell.crowd.users(), rngs[0], 3000, cell.rounds())
        cell.algorithm.function(game, rngs[1], *cell.arguments)
        assert (pulls == pulls_at_checkpoints(game)).all()
        assert (pulls == play(cell, run)).all()


def test_the_rounds_of_a_curve_begin_with_the_first_and_end_with_the_last(tmp_path):
    for T in (1, 2, 5, 24, 25, 26, 60, 10**6):
        (cell,) = request(tmp_path, "algo=dp_ucb", f"horizon={T}").cells
        rounds = cell.rounds()
        assert rounds[0] == 1 and rounds[-1] == T and (np.diff(rounds) > 0).all()
        assert (play(cell, 0).sum(axis=1) == rounds).all()


def test_a_generator_is_set_to_the_state_of_another():
    rng = generator(0, 0, 0)
    memory = state_in_memory(rng)
    for seed in (0, 7, 2**61):
        for state, run in zip(states(seed, range(20), LEARNER), range(20), strict=True):
            rng.integers(5, dtype=np.uint32)  # leaves half a number over
            memory[:] = state
            other = generator(seed, run, LEARNER)
            assert rng.integers(2**32, size=3, dtype=np.uint32).tolist() == (
                other.integers(2**32, size=3, dtype=np.uint32).tolist()
            )
            assert rng.random() == other.random()


def test_seeds_and_runs_differ(tmp_path):
    cells = [request(tmp_path, "algo=dp_ucb", "horizon=5000", f"seed={s}").cells[0] for s in (0, 1)]
    curves = {play(cell, run).tobytes() for cell in cells for run in (0, 1, 2)}
    assert len(curves) == 6


def test_noise_does_not_move_rewards(tmp_path):
    """The first rewards are those of another eps: the learner's stream is its own."""
    loose, tight = (
        request(tmp_path, "algo=dp_ucb", "horizon=6", f"eps={eps}").cells[0] for eps in (1e6, 0.1)
    )
    assert (play(loose, 0)[:5] == play(tight, 0)[:5]).all()


def test_shuffled_arms_are_reported_under_their_own_number(tmp_path):
    (plain,) = request(tmp_path, "algo=adap_klucb", "horizon=50000", "eps=5").cells
    (shuffled,) = request(
        tmp_path, "algo=adap_klucb", "horizon=50000", "eps=5", "shuffle_arms=true"
    ).cells
    assert plain.key != shuffled.key
    first = [int(np.argmax(play(shuffled, run)[0])) for run in range(12)]
    assert len(set(first)) > 1  # the arm played first differs
    for run in range(12):
        assert play(shuffled, run)[-1].argmax() == play(plain, run)[-1].argmax() == 0


def test_a_damaged_cell_is_run_again(tmp_path):
    before = csv_bytes(tmp_path, *SMALL)
    asked = request(tmp_path, *SMALL)
    damages = [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b"nonsense"]
    for cell, damage in zip(asked.cells, damages, strict=False):
        file = cell_file(asked.results, cell)
        file.write_bytes(damage(file.read_bytes()))
        assert load_runs(asked.results, cell) == {}
    assert csv_bytes(tmp_path, *SMALL) == before


def test_no_flipped_byte_passes_for_a_result(tmp_path):
    csv_bytes(tmp_path, "algo=adap_ucb", "horizon=100", "runs=2", "checkpoints=4")
    (cell,) = request(tmp_path, "algo=adap_ucb", "horizon=100", "runs=2", "checkpoints=4").cells
    file, right = cell_file(tmp_path, cell), load_runs(tmp_path, cell)
    whole, noticed = file.read_bytes(), 0
    for i in range(len(whole)):
        file.write_bytes(whole[:i] + bytes([whole[i] ^ 0x5A]) + whole[i + 1 :])
        damaged = load_runs(tmp_path, cell)
        noticed += damaged == {}
        assert damaged == {} or all((damaged[r] == right[r]).all() for r in (0, 1))
    assert noticed > len(whole) / 2


KILLED = [
    "sweep={algo:[dp_ucb,dp_se,adap_ucb],eps:[0.2,0.5,1,2]}",
    "horizon=3e6",
    "runs=4",
]


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_resumed_equals_uninterrupted(tmp_path, stop):
    """Killed in the middle of an experiment, the same command finishes it to the same bytes."""
    command = [sys.executable, "-c", "from dpbandits.cli.run import main; main()"]
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = subprocess.Popen(
        [*command, *KILLED, "jobs=1", f"results={killed}"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in a background
    )
    while len(list(killed.glob("cells/*/*.npz"))) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, stop)
    _, stderr = process.communicate()
    assert process.returncode == (130 if stop == signal.SIGINT else -9)
    if stop == signal.SIGINT:
        assert "interrupted; finished runs are kept" in stderr
        assert "Traceback" not in stderr
    kept = {f: f.stat().st_mtime_ns for f in killed.glob("cells/*/*.npz")}
    assert 2 <= len(kept) < 12
    assert not list(killed.glob("*.csv"))
    complete = {f for f in kept if len(np.load(f)["runs"]) == 4}
    for folder in (killed, whole):
        subprocess.run([*command, *KILLED, f"results={folder}"], check=True, capture_output=True)
    (first,), (second,) = (list(f.glob("*.csv")) for f in (killed, whole))
    assert first.read_bytes() == second.read_bytes()
    assert all(f.stat().st_mtime_ns == kept[f] for f in complete)


def test_every_key_of_the_configuration_is_commented():
    for line in (CONF / "config.yaml").read_text().splitlines():
        if line and line[0].isalpha() and line.rstrip()[-1] != ":":
            assert "#" in line, line

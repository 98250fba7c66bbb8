"""Runs with a right checksum and a value that no run of their setting can have are not used."""

import math
import time
import zipfile

import numpy as np
import pytest
from sweeps import requested

from dpbandits.contracts.question import (
    BEST_ARM,
    CONTEXTUAL,
    HYPOTHESES,
    QUESTIONS,
    REGRET,
    STOPPING,
)
from dpbandits.results import run_store
from dpbandits.results.possible import impossible
from dpbandits.results.run_store import Damaged, RunStore
from dpbandits.running import play
from dpbandits.running.monte_carlo import run_request
from dpbandits.settings.setting import data_of

ASKED = {
    REGRET: {"algo": "dp_se", "env": "bernoulli_c2"},
    STOPPING: {"rule": "dp_nas_exp", "eps": 5},
    BEST_ARM: {"rule": "adap_tt", "env": "bernoulli_c2", "eps": 5},
    HYPOTHESES: {"rule": "dp_sprt", "env": "bernoulli", "eps": 5},
    CONTEXTUAL: {"algo": "lin_ucb", "env": "contextual"},
}
NUMBERS = [-1, -5, -(2**62), 2**62, 2**63 - 1, 10**6 + 1]
FLOATS = [math.inf, -math.inf, 1e300, -1e300, 1e308]


def at(place, value):
    """A change of one entry of an array."""

    def change(array):
        array[place] = value
        return array

    return change


def everywhere(value):
    return lambda array: np.full_like(array, value)


def forgeries(question):
    """Changes of each array of a record beyond its range, as pairs of a member and a change."""
    whole = question.record.per_arm
    for value in [*NUMBERS, *([] if whole else [*FLOATS, math.nan])]:
        for place in ((0, 0, 0), (0, -1, -1), (-1, 1, 0)):
            yield "pulls", at(place, value)
        yield "pulls", everywhere(value)
    if whole:
        yield "pulls", lambda pulls: pulls + 2**62  # the sum over four arms wraps
        yield "pulls", lambda pulls: pulls * 0
        yield "pulls", lambda pulls: pulls + 1
    else:
        yield "pulls", lambda regrets: -regrets - 1
        yield "pulls", lambda regrets: regrets + 1e6
    yield "pulls", lambda records: records[:, ::-1] + np.arange(records.shape[1])[::-1, None]
    wrong = {STOPPING: [], BEST_ARM: [-5.0, 99.0, 0.5, -1.0], HYPOTHESES: [-5.0, 99.0, 0.5, 2.0]}
    for value in [*FLOATS, *wrong.get(question, [0.0, 1.0])]:
        yield "answers", at(0, value)
        yield "answers", everywhere(value)
    for value in (*FLOATS, math.nan, -1.0, -1e-9):
        yield "seconds", at(0, value)
    for value in (-1, -(2**62), 2**62, 10**7):
        yield "runs", at(0, value)
    yield "libraries", lambda words: np.array([b"x" * 10_000] * len(words))


@pytest.fixture(scope="module", params=QUESTIONS, ids=lambda q: q.name)
def played(request, tmp_path_factory):
    """A setting of each question, its store, and the arrays of its runs."""
    folder = tmp_path_factory.mktemp("forged")
    given = ASKED[request.param]
    if "rule" in given:
        asked = requested(folder, STOPPING, **given, cap=10**6, runs=3)
    else:
        asked = requested(folder, **given, horizon=2000, runs=3, checkpoints=8)
    run_request(asked)
    (setting,) = asked.settings
    assert setting.question is request.param
    file = RunStore(folder).file(setting)
    with np.load(file) as members:
        arrays = {name: members[name] for name in run_store.MEMBERS[:-1]}
    return folder, setting, file, arrays


def written(file, arrays):
    """Write runs with the right checksum."""
    right = np.frombuffer(run_store.checksum(file.stem, *arrays.values()), np.uint8)
    np.savez(file, **arrays, checksum=right)


def test_no_forged_value_is_accepted(played):
    folder, setting, file, arrays = played
    written(file, arrays)
    assert len(RunStore(folder).read(setting)) == 3  # control
    accepted = []
    for i, (member, change) in enumerate(forgeries(setting.question)):
        written(file, arrays | {member: change(arrays[member].copy())})
        try:
            RunStore(folder).read(setting)
            accepted.append((i, member))
        except Damaged:
            pass
    assert accepted == [] and i > 40


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "sparse"])
def test_a_file_of_other_sizes_than_its_setting_has_is_not_read(tmp_path, stored):
    """A sparse file of 3 GB, with and without an archive at its end."""
    (setting,) = requested(tmp_path, algo="dp_se", horizon=10).settings
    file = RunStore(tmp_path).file(setting)
    file.parent.mkdir(parents=True)
    with open(file, "wb") as opened:
        opened.truncate(3 * 2**30)
        if stored:
            opened.seek(0, 2)
            with zipfile.ZipFile(opened, "w") as members:
                members.writestr("runs.npy", bytes(1000))
    start = time.process_time()
    with pytest.raises(Damaged):
        RunStore(tmp_path).read(setting)
    assert time.process_time() - start < 0.2


@pytest.mark.parametrize("answer", [99.0, -5.0, 0.5, math.inf])
def test_an_answer_that_no_rule_can_give_fails_a_run(monkeypatch, answer):
    loop = play.play_loop

    def faulty(*given):
        traces, answers = loop(*given)
        answers[:] = answer
        return traces, answers

    (setting,) = requested(question=STOPPING, **ASKED[BEST_ARM], cap=10**6).settings
    assert play.play(setting, 0).answer == 0.0  # control
    monkeypatch.setattr(play, "play_loop", faulty)
    with pytest.raises(ValueError, match="what no run can: the answer"):
        play.play(setting, 0)


@pytest.mark.parametrize(("times", "words"), [(1.0, ""), (1.001, "more regret than its rounds")])
def test_regret_may_be_as_large_as_a_wrong_action_in_every_round_makes_it(times, words):
    given = {"algo": "uniform_play", "env": {"law": "labels", "source": "sklearn:iris"}}
    [setting] = requested(**given, checkpoints=3).settings
    rounds = setting.rounds().astype(float)
    regrets = times * rounds * data_of(setting).instance.largest_gap
    found = impossible(setting, regrets.reshape(1, -1, 1), np.array([math.nan]))
    assert found == "" if not words else found.startswith(words)

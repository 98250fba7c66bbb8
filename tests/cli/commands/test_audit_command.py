"""bandit-audit: what it prints, writes and stores.

What it refuses stands in ``refusals.txt`` and is tested in ``audit/test_audit_requests``.
"""

import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from helpers import TWINS
from sweeps import own_algorithm

from dpbandits.audit import findings
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.cli import audit as command
from dpbandits.environments.catalogue import build


@pytest.fixture
def audited(ended):
    """A function that audits, and returns the exit code, the output and the messages."""
    return lambda *words: ended(command, *words)


@pytest.mark.slow
def test_the_command_prints_writes_and_stores(audited, tmp_path, monkeypatch):
    words = ["mechanism=laplace_release", "eps=0.5,1", "runs=2000"]
    code, out, _ = audited(*words)
    assert code == 0 and sum(x.endswith("consistent") for x in out.splitlines()) == 2
    assert "consistent: no sample and no replay" in out
    path = Path(out.splitlines()[-1])
    table = pd.read_csv(tmp_path / path)
    assert list(table["eps"]) == [0.5, 1.0]
    assert {"measured", "exact", "verdict", "event", "count_first", "runs", "seed"} <= {*table}
    for suffix in (".png", ".pdf"):
        assert (tmp_path / "results/figures" / path.stem).with_suffix(suffix).is_file()
    before = path.read_bytes()
    stored_rows = sorted((tmp_path / "results/audits").glob("*.json"))
    assert len(stored_rows) == 2
    with monkeypatch.context() as patch:
        patch.setattr(findings, "audit", lambda *_: pytest.fail("audited twice"))
        assert audited(*words)[:2] == (0, out)
    assert path.read_bytes() == before
    row = json.loads(stored_rows[0].read_text())
    stored_rows[0].write_text(json.dumps(row)[:40])  # cut short
    assert audited(*words)[:2] == (0, out)


@pytest.mark.slow
def test_a_violation_is_reported_with_its_witness(audited, tmp_path):
    own_algorithm(tmp_path, "plain_no_eps", (TWINS / "plain_no_eps.py").read_text())
    words = ["--config-dir", ".", "algo=plain_no_eps", "runs=200", "horizon=[8]", "jobs=1"]
    code, out, _ = audited(*words)
    assert code == 3
    assert "VIOLATED" in out and "event      pulls of arm" in out and "runs each" in out
    first, second = (
        build({"law": "table", "rewards": None, "file": str(file)}).environment.table
        for file in sorted((tmp_path / "results/audits").glob("*.csv"))
    )
    assert (first != second).sum() == 1


MINE = """\
from dpbandits.authoring import UNIT_INTERVAL, arms, global_dp, laplace, one_release, pull_sum
from dpbandits.authoring import rounds_left

REWARDS = UNIT_INTERVAL
GUARANTEE = global_dp("its author"ALIGNMENT)


def mine(game, rng, eps):
    n, a, best = rounds_left(game) // (2 * arms(game)), 0, float("-inf")
    for b in range(arms(game)):
        mean = pull_sum(game, b, n) / max(n, 1) + laplace(rng, SCALE / (eps * max(n, 1)))
        a, best = (b, mean) if mean > best else (a, best)
    pull_sum(game, a, rounds_left(game))
"""
ONE = ", alignment=one_release"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "alignment", "code", "said"),
    [
        (1.0, ONE, 0, "mine at eps 0.1: aligned in 100 of 100 replays; the changed reward entered"),
        (0.8, ONE, 3, "replays: the cost is 0.125, and the budget 0.1\n  neighbours the reward of"),
        (1.0, "", 0, 'GUARANTEE = global_dp("SOURCE", alignment=one_release)'),
    ],
)
def test_an_alignment_is_replayed_first(audited, scale, alignment, code, said, tmp_path):
    """Noise of .8 of its scale, at eps .1, is not seen by a few thousand runs."""
    source = MINE.replace("ALIGNMENT", alignment).replace("SCALE", str(scale))
    own_algorithm(tmp_path, "mine", source)
    words = ["--config-dir", ".", "algo=mine", "eps=0.1", "runs=200", "horizon=[8]", "jobs=1"]
    found, out, _ = audited(*words)
    assert found == code and said in out
    table = pd.read_csv(tmp_path / out.splitlines()[-1])
    (verdict,) = table["verdict"]
    assert verdict == ("MISALIGNED" if code else "consistent") and verdict in out
    replays, aligned = table.loc[0, ["replays", "aligned"]]
    assert (replays > aligned) == (code == 3) and (replays > 0) == bool(alignment)


def test_an_audit_without_scikit_learn_gets_one_line(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    line = "an audit needs scikit-learn: pip install 'dpbandits[audit]'\n"
    assert refused(command, ["algo=dp_se", "eps=1"]) == line


@pytest.mark.slow
def test_noise_beyond_single_precision_is_audited(audited):
    words = ["mechanism=tree", "eps=1e-60", "runs=200"]
    code, out, err = audited(*words)
    assert code == 0 and "consistent" in out and "Warning" not in err


def test_an_algorithm_that_fails_is_reported(audited, tmp_path):
    source = "def failing(game, rng, eps):\n    raise ValueError('no way')\n"
    own_algorithm(tmp_path, "failing", source)
    code, _, err = audited("--config-dir", ".", "algo=failing", "jobs=1")
    assert code == 1
    assert "no way" in err and err.endswith("bandit-audit: failed: failing; see above\n")


@pytest.mark.long
def test_several_are_audited_side_by_side_as_one_after_the_other(audited, tmp_path, monkeypatch):
    """Also if one of them fails; the control of ``jobs=1``: nothing leaves this process."""
    for name, body in (("failing", "raise ValueError('no way')"), ("calm", "dp.pull(game, 0)")):
        text = f"import dpbandits.authoring as dp\n\ndef {name}(game, rng, eps):\n"
        text += f"    while dp.rounds_left(game) > 0:\n        {body}\n"
        own_algorithm(tmp_path, name, text)
    words = ["--config-dir", ".", "algo=failing,calm", "runs=100", "horizon=[4]", "eps=1,2"]
    said = []
    for jobs in (2, 1):
        folder = tmp_path / str(jobs)
        options = [f"jobs={jobs}", f"results={folder}"]
        code, out, err = audited(*words, *options)
        assert code == 1 and err.count("ValueError: no way") == 2
        assert err.endswith("bandit-audit: failed: failing; see above\n")
        said.append(out.replace(str(folder), ""))
        assert len(list((folder / "audits").glob("*.json"))) == 2
        if jobs == 2:
            monkeypatch.setattr(findings, "_in_process", lambda *_: pytest.fail("a process"))
    assert said[0] == said[1] and said[0].count("calm") > 0


@pytest.mark.long
def test_mechanisms_have_their_runs_however_many_are_audited(audited, tmp_path, monkeypatch):
    """If processes got their functions by value, these would be plain Python, with a 25th of the
    runs.
    """
    found = []
    some = ("algo=dp_imed", "mechanism=epoch_mean", "algo=adac_ucb rho=1")
    monkeypatch.setattr(command, "everything", lambda _: [["eps=1", *x.split()][-2:] for x in some])
    for words in (["jobs=2"], ["mechanism=epoch_mean", "eps=1"]):
        code, out, err = audited(*words)
        assert code == 0 and "Warning" not in err, err
        found.append(pd.read_csv(tmp_path / out.splitlines()[-1]).set_index("name"))
    assert list(found[0].index) == ["dp_imed", "epoch_mean", "adac_ucb"]
    assert found[0].loc["epoch_mean", "runs"] >= 100_000
    for column in ("runs", "measured", "count_first"):
        assert found[0].loc["epoch_mean", column] == found[1].loc["epoch_mean", column]


def test_a_mechanism_is_sent_by_name_and_a_changed_one_is_not():
    tree = MECHANISMS["tree"]
    assert pickle.loads(pickle.dumps(tree)) is tree
    make, values = replace(tree, sizes=(3,)).__reduce__()
    changed = make(*values)
    assert (changed.name, changed.sizes, changed.values) == ("tree", (3,), tree.values)

"""The ledger: every claim is there, its numbers are right, and a false one is not reproduced."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from helpers import CONF

from dpbandits.claims import Part, claim, in_words, measure, ratio, sample, spread, verdict
from dpbandits.cli.claims import is_cheap, load_claims
from dpbandits.cli.config.compose import read_request
from dpbandits.errors import BadInput
from dpbandits.running.tasks import run_cells

CLAIMS = load_claims(CONF / "claim")
TEXT = {"source": "s", "says": "s", "published": "p", "why": "w", "experiments": ["azize2022_fig8"]}


def test_every_claim_of_the_papers_is_in_the_ledger():
    names = [f"A{i}" for i in range(1, 7)] + ["S1", "S2"] + [f"R{i}" for i in range(1, 6)]
    assert sorted(CLAIMS) == sorted(names)
    for c in CLAIMS.values():
        assert c.why.endswith(".") and "TODO" not in c.why
        assert c.says.endswith(".")


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """All settings of Fig. 8 in small."""
    folder = tmp_path_factory.mktemp("claims")
    words = ["experiment=azize2022_fig8", "horizon=20000", f"results={folder}", "checkpoints=4"]
    cells = read_request(words, ()).cells
    run_cells(cells, 60, 2, "auto", folder)
    return [sample(folder, cell, 60) for cell in cells]


def settled(samples, **part):
    parts = measure(claim("X", TEXT | {"parts": [part]}), samples)
    return parts, verdict(parts)


OVER, OF = {"alpha": 3.1}, {"alpha": 1}
BOTH = {"algo": ["adap_ucb", "adap_klucb"]}


def test_true_false_and_mixed_claims(samples):
    """A deliberately false claim is not reproduced; a claim true for some parts is so partly."""
    given = {"statistic": "ratio", "over": OVER, "of": OF, "at": BOTH}
    parts, words = settled(samples, **given, above=1)
    assert (len(parts), words) == (2, "reproduced")
    assert settled(samples, **given, above=100)[1] == "not reproduced"
    assert settled(samples, **given, below=1)[1] == "not reproduced"
    assert settled(samples, **given, about=50, within=0.1)[1] == "not reproduced"
    middle = sum(part.value for part in parts) / 2
    below = settled(samples, **given, below=middle)[0]
    assert [part.holds for part in below].count(True) <= 1
    twice = TEXT | {"parts": [given | {"above": 1}, given | {"above": 100}]}
    assert verdict(measure(claim("X", twice), samples)) == "partly"


def test_the_numbers_are_those_of_the_runs(samples):
    by_words = {(s.cell.algo, s.words["alpha"]): s for s in samples}
    over, of = by_words["adap_ucb", 3.1], by_words["adap_ucb", 1.0]
    (part,), _ = settled(samples, statistic="ratio", over=OVER, of=OF, at={"algo": "adap_ucb"})
    assert part.value == pytest.approx(over.final.mean() / of.final.mean())
    assert part.low < part.value < part.high
    (part,), _ = settled(samples, statistic="regret", of={"algo": "adap_ucb", "alpha": 1})
    error = of.final.std(ddof=1) / np.sqrt(60)
    assert part.value == pytest.approx(of.final.mean())
    assert part.high - part.low == pytest.approx(2 * 1.96 * error, rel=0.15)
    (part,), _ = settled(samples, statistic="growth", of={"algo": "adap_ucb", "alpha": 1})
    assert part.value == pytest.approx(of.final.mean() / of.half.mean()) and part.value > 1
    (part,), _ = settled(
        samples, statistic="spread", of={"algo": "adap_ucb"}, across={"alpha": [1, 3.1]}
    )
    assert part.value == pytest.approx(over.final.mean() / of.final.mean())
    assert spread([np.ones(3), 4 * np.ones(3), 2 * np.ones(3)], -1) == 4
    assert ratio([np.array([2.0, 4.0]), np.array([1.0, 2.0])], -1) == 2


def test_a_tie_is_a_tie():
    tie, held = Part("a", 1.0, 0.9, 1.1, 1.0, np.inf), Part("b", 2.0, 1.9, 2.1, 1.0, np.inf)
    failed = Part("c", 0.5, 0.4, 0.6, 1.0, np.inf)
    assert [p.holds for p in (tie, held, failed)] == [None, True, False]
    assert verdict([tie, held]) == "partly" and verdict([tie]) == "not reproduced"
    text = in_words([tie, held, failed, held])
    assert text.startswith("2 of 4 hold, 1 tied; farthest off: 0.5 [0.4, 0.6] (c)")


def test_bad_claims_are_refused(samples):
    with pytest.raises(BadInput, match="says is missing"):
        claim("X", TEXT | {"parts": [{}], "says": ""})
    with pytest.raises(BadInput, match="did you mean parts"):
        claim("X", TEXT | {"part": [{}]})
    with pytest.raises(BadInput, match="did you mean ratio"):
        settled(samples, statistic="ratioo", of=OF)
    with pytest.raises(BadInput, match="2 settings, not one"):
        settled(samples, statistic="regret", of={"alpha": 1})


def bandit_claims(*words):
    code = "from dpbandits.cli.claims import main; main()"
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command(tmp_path):
    words = ["A5", "horizon=3000", "runs=5", f"results={tmp_path}"]
    done = bandit_claims(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(tmp_path / "claims-A5.csv")
    ledger = (tmp_path / "claims-A5.md").read_text()
    assert (
        "Azize & Basu 2022, Fig. 8" in ledger
        and "\\toprule" in (tmp_path / "claims-A5.tex").read_text()
    )
    table = pd.read_csv(tmp_path / "claims-A5.csv")
    assert set(table["part"]) <= {"holds", "fails", "tie"} and len(table) == 3
    again = bandit_claims(*words)
    assert again.stdout == done.stdout
    other = bandit_claims(*words, "seed=1")
    assert other.stdout.splitlines()[-1].endswith("claims-A5-seed1.csv")
    assert (pd.read_csv(tmp_path / "claims-A5-seed1.csv")["value"] != table["value"]).all()


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("A9", "unknown claim 'A9'"),
        ("run=3", "did you mean runs"),
        ("runs=1", "runs=1: a whole number of at least 2"),
        ("horizon=0", "horizon=0:"),
        ("results=/dev/null", "results=/dev/null"),
    ],
)
def test_bandit_claims_refuses(word, complaint):
    done = bandit_claims(word)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_every_claim_is_measured_in_small(tmp_path):
    done = bandit_claims("horizon=3000", "runs=3", f"results={tmp_path}")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "claims.csv")
    assert set(table["claim"]) == set(CLAIMS)
    assert table[["value", "ci_low", "ci_high"]].notna().all(axis=None)


@pytest.mark.slow
def test_verdicts_on_cheap_claims_do_not_depend_on_the_seed(tmp_path):
    """A3 and A5 at full scale, 500 runs of two seeds: the same verdicts, part by part."""
    found = []
    for seed in (0, 1):
        done = bandit_claims("A3", "A5", f"seed={seed}", "runs=500", f"results={tmp_path}")
        assert done.returncode == 0, done.stderr
        found.append(pd.read_csv(done.stdout.splitlines()[-1]))
    assert (found[0]["part"] == found[1]["part"]).all()
    assert np.allclose(found[0]["value"], found[1]["value"], rtol=0.1)


def test_cheap_runs_are_those_of_episodic_algorithms():
    cells = read_request(["experiment=azize2022_fig2"], ()).cells
    assert {c.algo for c in cells if is_cheap(c)} == {"dp_se", "adap_ucb", "adap_klucb"}

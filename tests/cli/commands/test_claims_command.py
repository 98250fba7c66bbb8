"""bandit-claims: the ledger that it writes, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from commands import command

from dpbandits.cli.claims import stem_of


def test_ledgers_of_other_values_have_other_names():
    values = [{"T": 10**6}, {"T": 10**6 + 1}, {"seed": "1"}, {"runs": 200}, {"runs": 201}, {}]
    assert len({stem_of(["A1"], changed) for changed in values}) == len(values)
    assert (
        stem_of(["A1", "A2"], {"T": 3000, "seed": "1", "runs": 5})
        == "claims-A1-A2-T3000-seed1-runs5"
    )
    assert stem_of([], {"T": None, "seed": None, "runs": None}) == "claims"


@pytest.mark.long
def test_some_claims_are_measured(tmp_path):
    words = ["A5", "horizon=3000", "runs=5", f"results={tmp_path}"]
    done = command("bandit-claims", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(tmp_path / "claims-A5-T3000-runs5.csv")
    assert "Azize & Basu 2022, Fig. 8" in (tmp_path / "claims-A5-T3000-runs5.md").read_text()
    assert r"\toprule" in (tmp_path / "claims-A5-T3000-runs5.tex").read_text()
    row = pd.read_csv(tmp_path / "claims-A5-T3000-runs5.summary.csv").iloc[0]
    assert row["verdict"].startswith("at horizon=3000: ") and pd.isna(row["why"])
    table = pd.read_csv(tmp_path / "claims-A5-T3000-runs5.csv")
    assert set(table["part"]) <= {"holds", "fails", "undecided"} and len(table) == 3
    again = command("bandit-claims", "A5", *words)  # a claim that is named twice is written once
    assert again.stdout == done.stdout
    other = command("bandit-claims", *words, "seed=1")
    assert other.stdout.splitlines()[-1].endswith("claims-A5-T3000-seed1-runs5.csv")
    assert (
        pd.read_csv(tmp_path / "claims-A5-T3000-seed1-runs5.csv")["value"] != table["value"]
    ).all()


@pytest.mark.long
def test_verdicts_on_cheap_claims_do_not_depend_on_the_seed(tmp_path):
    """A3 and A5 at full scale, 500 runs of two seeds: the same verdicts, part by part."""
    found = []
    for seed in (0, 1):
        done = command(
            "bandit-claims", "A3", "A5", f"seed={seed}", "runs=500", f"results={tmp_path}"
        )
        assert done.returncode == 0, done.stderr
        found.append(pd.read_csv(done.stdout.splitlines()[-1]))
    assert (found[0]["part"] == found[1]["part"]).all()
    assert np.allclose(found[0]["value"], found[1]["value"], rtol=0.1)

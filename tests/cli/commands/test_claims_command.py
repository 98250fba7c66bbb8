"""bandit-claims: the ledger that it writes, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from commands import command

from dpbandits.claims.claim import load_claims
from dpbandits.claims.samples import Sample, is_cheap, sample
from dpbandits.cli import claims
from dpbandits.running.monte_carlo import run_settings
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import read_experiment
from dpbandits.settings.sweep import swept_names

pytestmark = pytest.mark.long


def test_some_claims_are_measured(tmp_path):
    words = ["A5", "horizon=3000", "runs=5", f"results={tmp_path}"]
    done = command("bandit-claims", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(tmp_path / "claims-A5.csv")
    assert "Azize & Basu 2022, Fig. 8" in (tmp_path / "claims-A5.md").read_text()
    assert r"\toprule" in (tmp_path / "claims-A5.tex").read_text()
    table = pd.read_csv(tmp_path / "claims-A5.csv")
    assert set(table["part"]) <= {"holds", "fails", "undecided"} and len(table) == 3
    again = command("bandit-claims", *words)
    assert again.stdout == done.stdout
    other = command("bandit-claims", *words, "seed=1")
    assert other.stdout.splitlines()[-1].endswith("claims-A5-seed1.csv")
    assert (pd.read_csv(tmp_path / "claims-A5-seed1.csv")["value"] != table["value"]).all()


def test_every_claim_is_measured_in_small(bandit, monkeypatch):
    """Three runs of each setting, and few rounds unless an experiment varies the horizon: then the
    regrets of what would be played round by round are made up.
    """
    of_horizons = {
        name
        for claim in load_claims().values()
        for name in claim.experiments
        if "horizon" in swept_names(read_experiment(name))
    }

    def small(question, given, parameters):
        limit = {} if given["experiment"] in of_horizons else {question.limit: 1000}
        return request_from(question, {**given, **limit, "runs": 3}, parameters)

    def is_short(setting):
        return is_cheap(setting) or setting.horizon <= 1000 or not setting.question.plays_on

    def play(settings, *how):
        return run_settings(list(filter(is_short, settings)), *how)

    def measured(store, setting, runs):
        if is_short(setting):
            return sample(store, setting, runs)
        final = np.random.default_rng(int(setting.horizon)).gamma(2.0, size=runs)
        return Sample(setting, final, final / 2)

    monkeypatch.setattr(claims, "request_from", small)
    monkeypatch.setattr(claims, "run_settings", play)
    monkeypatch.setattr(claims, "sample", measured)
    table = pd.read_csv(bandit(claims, "runs=3")[-1])
    assert set(table["claim"]) == set(load_claims())
    measured = table[["value", "ci_low", "ci_high"]].notna().all(axis=1)
    assert (table["part"][~measured] == "undecided").all()  # 0 by 0, in so few rounds
    assert measured.mean() > 0.9


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

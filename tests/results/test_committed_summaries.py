"""The committed summaries of experiments: each row has an interval, or says why it has none, more
runs of less than a minute would mend no warning, and the pages show the summaries in today's form.
"""

import numpy as np
import pandas as pd
import pytest
from sweeps import requested

from dpbandits.contracts.question import QUESTIONS, REGRET
from dpbandits.files import package_folder
from dpbandits.results.summary import text_of_summary
from dpbandits.running.auto import MINUTE, OF_EXPERIMENTS, can_be_added, estimated_seconds
from dpbandits.settings.groups import names_in, question_of

RESULTS = package_folder("conf").parent / "results"
SUMMARIES = {file.name.partition(".")[0]: file for file in sorted(RESULTS.glob("*.summary.csv"))}
EXPERIMENTS = [name for name in SUMMARIES if name in names_in("experiment")]
# Means of 4,000 runs, to about 5, at T = 1e7, of laws with one value of probability .88 to .99
MEANS = {
    ("adap_ucb", "bernoulli_c3", 0.25): 3752,
    ("adap_klucb", "bernoulli_c3", 0.25): 3660,
    ("adap_ucb", "bernoulli_c2", 0.1): 7736,
    ("adap_ucb", "bernoulli_c4", 0.1): 10_536,
    ("adap_klucb", "bernoulli_c4", 0.1): 10_478,
    ("adap_ucb", "bernoulli_c3", 0.1): 7329,
    ("dp_se", "bernoulli_c1", 1.0): 11_657,
    ("dp_se", "bernoulli_c2", 0.5): 4454,
}


def flat(summary):
    """The rows whose interval has no width."""
    return summary[summary["ci_low"] == summary["ci_high"]]


def mendable(summary, request):
    """The rows with a warning although their next look costs less than a minute, together with that
    of all rows with as many runs of the same cost, and with the runs that were added.
    """
    looks = OF_EXPERIMENTS.looks(request.runs)
    cheap = can_be_added(request.settings, looks)
    cost = np.array([estimated_seconds(setting) for setting in request.settings])
    runs = summary["runs"].to_numpy()
    warned = summary["runs_needed"].to_numpy() > runs
    spent = (cost * (runs - request.runs))[cheap].sum()
    further = np.array([min([n for n in looks if n > own], default=np.inf) for own in runs])
    found = []
    for i in np.flatnonzero(warned & cheap & np.isfinite(further)):
        alike = cheap & (cost == cost[i]) & (runs == runs[i])
        if spent + (cost * (further - runs))[alike].sum() <= MINUTE:
            found.append(i)
    return summary.iloc[found]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_interval_has_no_width(name):
    assert flat(pd.read_csv(SUMMARIES[name])).empty


def test_an_interval_without_width_is_noticed():
    """Control; a row without an interval is none."""
    rows = pd.DataFrame({"ci_low": [1.0, 2.0, np.nan], "ci_high": [1.5, 2.0, np.nan]})
    assert list(flat(rows).index) == [1]


@pytest.mark.slow
@pytest.mark.parametrize(("style", "ending"), [("pipe", "md"), ("latex", "tex")])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_page_is_the_text_of_its_summary(name, style, ending):
    """If this fails, write the pages anew from the stored runs: experiments/all.py NAME."""
    file = RESULTS / f"{name}.{ending}"
    if not file.exists():  # which_global has thousands of rows
        assert name == "which_global"
        return
    page, summary = file.read_text(), pd.read_csv(SUMMARIES[name], dtype={"setting": str})
    of_summary = [q for q in QUESTIONS if q.group in summary]
    questions = [q for q in of_summary if q.quantiles == ("median" in summary)]
    assert any(page.startswith(text_of_summary(summary, q, style)) for q in questions)
    control = summary.assign(mean=summary["mean"] * 1.01)
    assert not any(page.startswith(text_of_summary(control, q, style)) for q in questions)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_warning_would_be_mended_by_runs_of_less_than_a_minute(name):
    question = question_of(name) or REGRET
    request = requested(None, question, experiment=name)
    summary = pd.read_csv(SUMMARIES[name], dtype={"setting": str})
    assert list(summary["setting"]) == [setting.id for setting in request.settings]
    assert mendable(summary, request).empty
    looks = OF_EXPERIMENTS.looks(request.runs)
    if can_be_added(request.settings, looks).any():  # control: the runs of the paper alone
        few = summary.assign(runs=request.runs, runs_needed=request.runs + 1)
        assert len(mendable(few, request))


def test_intervals_contain_the_means_of_laws_with_a_dominating_value():
    figures = [pd.read_csv(SUMMARIES[f"azize2022_fig{n}"]) for n in (4, 5, 6, 7)]
    rows = pd.concat(figures).set_index(["algo", "env", "eps"])
    for key, mean in MEANS.items():
        row = rows.loc[key]
        assert row["ci_low"] - 15 <= mean <= row["ci_high"] + 15, key

"""Rings around what cannot be told from the best."""

import numpy as np
import pandas as pd
import pytest
from legends import note_of
from refusals import message_of

import dpbandits as dp


@pytest.fixture(scope="module")
def table():
    """Regrets of three algorithms at two budgets: b is told from the best, c is not."""
    rng = np.random.default_rng(1)
    rows = [
        {"algo": algo, "env": "x", "eps": eps, "horizon": 100, "seed": 0, "run": run, "t": t,
         "regret": t * (mean + rng.random())}
        for algo, mean in (("dp_se", 5.0), ("adap_ucb", 9.0), ("adap_klucb", 5.0))
        for eps in (0.5, 1.0) for run in range(30) for t in (50, 100)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def rings(figure):
    """The colour and the places of all rings."""
    lines = (line for ax in figure.axes for line in ax.get_lines())
    found = [x for x in lines if x.get_markerfacecolor() == "none" and x.get_marker() == "o"]
    return {(x.get_markeredgecolor(), *map(float, p)) for x in found for p in x.get_xydata()}


@pytest.mark.slow
@pytest.mark.parametrize("x", ["t", "eps"])
def test_rings_are_around_the_means_that_are_tied_with_the_best(table, x):
    """Catches: a note that says the smallest mean of all, which may be of no private algorithm."""
    tied = dp.compare(table).query("tied")
    assert set(tied["algo"]) == {"dp_se", "adap_klucb"}
    column = "horizon" if x == "t" else x
    found = rings(dp.plot(table, x=x, marks=True))
    places = set(zip(tied[column].astype(float), tied["mean"], strict=True))
    assert "the smallest mean of its budget" in note_of(dp.plot(table, x=x, marks=True))
    assert {(at, mean) for _, at, mean in found} == places
    assert len({colour for colour, *_ in found}) == 2
    assert not rings(dp.plot(table, x=x))


def test_rings_stand_in_the_panel_of_their_environment():
    rows = [
        (algo, env, eps, run, 9, 1.0 + run + 10 * (env == "y"))
        for algo in ("dp_se", "adap_ucb") for env in "xy" for eps in (0.5, 1.0) for run in (0, 1)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["algo", "env", "eps", "run", "t", "regret"])
    for mean, ax in zip((1.5, 11.5), dp.plot(frame, x="eps", marks=True).axes, strict=True):
        assert {mean} == {y for x in ax.get_lines() if x.get_marker() == "o" for y in x.get_ydata()}


@pytest.mark.parametrize("how", [{"kind": "tail"}, {"x": "horizon"}])
def test_figures_without_games_refuse_marks(table, how):
    longer = table.assign(horizon=200, t=2 * table["t"])
    both = pd.concat([table, longer])
    assert "marks" in message_of(dp.plot, both, marks=True, **how)


def test_values_that_are_all_small_are_drawn(table):
    """Such as average regret; an axis of time that is logarithmic begins where some are shown."""
    slow = table.assign(t=table["t"].replace(50, 1), regret=0.04)
    (left, _), _ = (ax.get_xlim() for ax in dp.plot(slow, x="t").axes)
    assert left > 0.0

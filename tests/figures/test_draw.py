"""The figure of a table, and the kinds of figures that the files of experiments describe."""

import numpy as np
import pandas as pd
import pytest

import dpbandits as dp
from dpbandits.errors import BadInput
from dpbandits.figures import draw
from dpbandits.figures.bands import curve_of
from dpbandits.figures.draw import KINDS, figure_of_experiment
from dpbandits.figures.style import Chart
from dpbandits.settings import groups

REGRETS = pd.DataFrame({"algo": ["ucb"]})


@pytest.mark.parametrize(
    ("figure", "parts"),
    [
        ("{kind: tme, title: x}", ["figure.kind of experiment mine: 'tme'", "did you mean time?"]),
        ("{title: x}", ["figure.kind of experiment mine: 'null'", "time_panels"]),
        ("{kind: [time]}", ["figure.kind of experiment mine: '[time]'", "did you mean time?"]),
        ("{kind: time, bnad: ci}", ["figure.kind=time of experiment mine: 'bnad'", "mean band?"]),
        ("{kind: budget, terms: x}", ["'terms'", "title"]),
        ("{kind: contamination, theorems: true}", ["'theorems'"]),
        ("{kind: contamination, k: much}", ["figure.k=much: a finite number"]),
        ("{kind: stopping, theorems: 3}", ["figure.theorems=3: true or false"]),
        ("{kind: time, band: wide}", ["figure.band=wide: ci or std or quantiles"]),
        ("{kind: time, title: 3}", ["figure.title=3: text"]),
        ("{kind: stopping}", ["figure.kind=stopping of experiment mine", "cannot draw regret"]),
        ("time", ["figure=time of experiment mine", "{kind: time, title: TITLE}"]),
        ("{kind: time", ["mine.yaml: not a readable YAML file"]),
    ],
)
def test_a_bad_figure_is_refused_in_one_line(tmp_path, monkeypatch, figure, parts):
    for module in (draw, groups):
        monkeypatch.setattr(module, "package_folder", lambda name: tmp_path / name)
    (tmp_path / "conf" / "experiment").mkdir(parents=True)
    (tmp_path / "conf" / "experiment" / "mine.yaml").write_text(f"figure: {figure}\n")
    with pytest.raises(BadInput) as refused:
        figure_of_experiment("mine", REGRETS)
    assert all(part in str(refused.value) for part in parts), refused.value


def test_a_table_without_contamination_is_refused():
    with pytest.raises(BadInput, match=r"no column env\.alpha"):
        KINDS["contamination"](REGRETS, "title")


def test_jupyter_displays_a_figure():
    assert Chart(figsize=(1, 1))._repr_png_().startswith(b"\x89PNG")


def test_bands():
    rows = pd.DataFrame({"t": [1] * 4 + [2] * 4, "regret": [0, 2, 4, 6, 1, 1, 1, 1]})
    std = curve_of(rows, "t", "std")
    assert std["middle"].tolist() == [3, 1]
    assert std["high"][0] == pytest.approx(3 + np.sqrt(20 / 3))
    ci = curve_of(rows, "t", "ci")
    assert 0 < ci["low"][0] < 3 < ci["high"][0] < 6
    assert (ci["low"][1], ci["high"][1]) == (1, 1)
    quantiles = curve_of(rows, "t", "quantiles")
    assert quantiles.iloc[0].tolist() == pytest.approx([1, 3, 3, 0.6, 5.4])  # t, mean, median, ends


def test_a_reference_is_drawn_in_the_panel_of_every_budget():
    rows = []
    for algo in ("mine", "ucb"):
        for eps in (0.1, 1.0) if algo == "mine" else (np.inf,):
            for run in range(3):
                for t in (1, 10, 100):
                    rows.append((algo, "e", eps, 100, 0, run, t, t * (1 + run)))
    names = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
    figure = dp.plot(pd.DataFrame(rows, columns=names))
    assert [len(ax.lines) for ax in figure.axes] == [2, 2]


@pytest.mark.slow
def test_a_game_has_no_panel_at_a_budget_at_which_it_was_not_played():
    other = dp.bernoulli([0.9, 0.1])
    given = {"horizon": 300, "runs": 2}
    parts = dp.run(["adap_ucb", "ucb"], "bernoulli_c1", eps=[0.5, 1], **given)
    table = pd.concat([parts, dp.run(["adap_ucb", "ucb"], other, eps=[1], **given)])
    figure = dp.plot(table)
    assert [ax.get_visible() for ax in figure.axes] == [True, True, False, True]
    labels = [(bool(ax.get_xlabel()), bool(ax.get_ylabel())) for ax in figure.axes]
    assert labels == [(True, True), (False, False), (False, False), (True, True)]


def test_a_game_without_private_algorithms_is_drawn_at_every_budget():
    private = dp.run("dp_se", "bernoulli_c1", eps=1, horizon=300, runs=2)
    free = [dp.run("ucb", env, horizon=300, runs=2) for env in ("bernoulli_c1", "bernoulli_c3")]
    figure = dp.plot(pd.concat([private, *free]), x="t")
    assert [(ax.get_visible(), len(ax.lines)) for ax in figure.axes] == [(True, 2), (True, 1)]


def test_bands_that_reach_zero_do_not_stretch_the_axis():
    table = dp.run("ucb", "bernoulli_c2", horizon=1000, runs=5)
    assert table.loc[table["t"] == 1, "regret"].min() == 0
    (ax,) = dp.plot(table).axes
    assert ax.get_ylim()[1] < 10 * table["regret"].max()


def test_a_parameter_that_varies_in_one_panel_only_is_drawn():
    varied = dp.run(dp.algorithm("adap_ucb", alpha=[1, 2]), "bernoulli_c1", horizon=500, runs=2)
    other = dp.run(dp.algorithm("adap_ucb", alpha=[3.0]), "bernoulli_c2", horizon=500, runs=2)
    figure = dp.plot(pd.concat([varied, other], ignore_index=True))
    assert [len(ax.lines) for ax in figure.axes] == [2, 1]
    colours = {line.get_color() for ax in figure.axes for line in ax.lines}
    assert len(colours) == 3

"""Figures that a user chooses: columns, filters, sizes, files, and pyplot's current figure."""

import subprocess
import sys
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from legends import legend_of
from matplotlib.text import Text
from PIL import Image
from refusals import message_of

import dpbandits as dp
from dpbandits.figures.choices import axis_of, check_columns, several_columns
from dpbandits.figures.columns import value_title
from dpbandits.figures.draw import figure_as_chosen, figure_of_table
from dpbandits.figures.labels import (
    budget_title,
    environment_titles,
    finite_budgets,
    meanings,
    scientific,
    usual_title,
)
from dpbandits.figures.options import FigureOptions
from dpbandits.results.table import Table


@pytest.fixture(scope="module")
def table():
    envs = ["bernoulli_c1", "bernoulli_c2"]
    given = {"eps": [0.1, 1], "horizon": 300, "runs": 3, "jobs": 1}
    return dp.run(["adap_ucb", "dp_se", "ucb"], envs, **given)


@pytest.mark.slow
def test_a_figure_is_the_current_one_of_pyplot(table, tmp_path, monkeypatch):
    """The file that pyplot writes was empty. Without pyplot no figure stays open."""
    figure = dp.plot(table, eps=1)
    assert plt.gcf() is figure
    plt.savefig(tmp_path / "x.png")
    assert np.asarray(Image.open(tmp_path / "x.png").convert("L")).min() < 50
    plt.close("all")
    assert "no room" in message_of(dp.plot, table, width=1.2, height=1)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    alone = dp.plot(table, eps=1)
    monkeypatch.undo()
    assert not plt.get_fignums() and alone.canvas.manager is None
    alone.show()
    assert alone.canvas.manager is not None


@pytest.mark.slow
@pytest.mark.extra("IPython")
def test_jupyter_shows_a_figure_once(table, monkeypatch):
    """Mutation: the figure stays open, and Jupyter shows it again at the end of the cell."""
    from IPython import display

    shown = []
    monkeypatch.setattr(display, "display", lambda data, raw: shown.append(set(data)))
    figure = dp.plot(table, eps=1)
    figure._ipython_display_()
    assert plt.get_fignums()  # a window of another back-end stays open
    monkeypatch.setattr("matplotlib.get_backend", lambda: "inline")
    figure._ipython_display_()
    assert shown == [{"image/png", "text/plain"}] * 2 and not plt.get_fignums()


@pytest.mark.slow
def test_the_file_has_the_size_that_is_asked_for(table, tmp_path):
    dp.plot(table, eps=1, out=tmp_path / "x.png", figsize=[4, 3], dpi=50)
    assert Image.open(tmp_path / "x.png").size == (200, 150)
    dp.plot(table, eps=1, out=tmp_path / "both")
    assert {file.name for file in tmp_path.glob("*.p*")} == {"x.png", "both.pdf", "both.png"}
    for words, given in {
        "out=a.jpg: figures are written as pdf, png, svg, pgf": {"out": "a.jpg"},
        "figsize=[4,3]: figsize contains the width; leave width or figsize out": {
            "figsize": [4, 3],
            "width": 4,
        },
        "figsize=4: two lengths in inches are needed, such as [5.5,3]": {"figsize": 4},
        "dpi=1: dots per inch from 10 to 2400 are needed": {"dpi": 1},
        "ylim=[2,1]: the first number must be below the second": {"ylim": [2, 1]},
    }.items():
        assert message_of(dp.plot, table, **given) == words


@pytest.mark.slow
def test_limits_budgets_and_environments_are_chosen(table):
    figure = dp.plot(table, ylim=[1, 500], eps=0.1, env=["bernoulli_c2"])
    (ax,) = figure.axes
    assert ax.get_ylim() == (1, 500) and ax.get_title() == r"$\epsilon$ = 0.1"
    assert legend_of(figure) == ["AdaP-UCB", "DP-SE", "UCB"]
    assert len(dp.plot(table, x="t").axes) == 4
    assert "unknown eps '0.2': did you mean 0.1?" in message_of(dp.plot, table, eps=0.2)
    assert "unknown env 'c1'" in message_of(dp.plot, table, env="c1")


def test_a_column_that_describes_algorithms_needs_no_place_in_a_figure():
    """It has one value on each line. Control: a column with two values at a point of a line."""
    rows = [(a, e, r, m * e + r) for a, m in (("ts", 3), ("ucb", 7)) for e in (1.0, 2.0)
            for r in range(4)]  # fmt: skip
    found = pd.DataFrame(rows, columns=["algo", "eps", "run", "regret"]).assign(t=9)
    found["family"] = found["algo"].map({"ts": "posterior"})
    (ax,) = dp.plot(found, x="eps", hue="algo").axes
    assert [line.get_ydata().tolist() for line in ax.lines] == [[4.5, 7.5], [8.5, 15.5]]
    halves = found.assign(half=found["run"] // 2)
    assert "several values of half:" in message_of(dp.plot, halves, x="eps", hue="algo")


@pytest.mark.slow
def test_any_column_is_the_axis_a_line_or_a_panel(table):
    """Each point is the mean of the runs of its setting alone."""
    figure = dp.plot(table, x="eps", hue="algo", col="env")
    assert [ax.get_title() for ax in figure.axes] == ["C1", "C2"]
    ends = table[(table["t"] == 300) & (table["env"] == "bernoulli_c2")]
    means = ends[ends["algo"] == "dp_se"].groupby("eps")["regret"].mean()
    (line,) = (x for x in figure.axes[1].lines if x.get_label() == "DP-SE")
    assert line.get_xdata().tolist() == [0.1, 1] and line.get_ydata() == pytest.approx(means)
    figure = dp.plot(table, x="t", hue="eps", col="algo", env="bernoulli_c1")
    assert [ax.get_title() for ax in figure.axes] == ["AdaP-UCB", "DP-SE", "UCB"]
    assert legend_of(figure) == [r"$\epsilon$ = 0.1", r"$\epsilon$ = 1", "without privacy"]
    (ax,) = dp.plot(table, x="env", eps=1).axes
    assert [label.get_text() for label in ax.get_xticklabels()] == ["C1", "C2"]


def test_points_are_not_means_over_a_column_that_has_no_place(table):
    message = message_of(dp.plot, table, x="eps", hue="env")
    assert message.startswith("the table has several values of algo: choose one")
    assert "unknown hue 'algos': did you mean algo?" in message_of(dp.plot, table, hue="algos")
    assert "hue=eps: a figure of kind=tail takes no hue" in message_of(
        dp.plot, table, kind="tail", hue="eps"
    )


@pytest.mark.slow
def test_all_texts_are_written_for_latex_with_usetex(table):
    """Notes hold %, names of a user _ and #. Mutation: the note alone is escaped."""
    rows = table.assign(algo=table["algo"].replace("ucb", "my_own & 50%#^"))
    with plt.rc_context({"text.usetex": True}):
        figure = dp.plot(rows, title="a_b & 5 % of $x_1$", x="algo", col="env", eps=1)
        found = [text.get_text() for text in figure.findobj(Text)]
        found += [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert r"a\_b \& 5 \% of $x_1$" in found and r"my\_own \& 50\%\#\^{}" in found
    assert any(r"95 \% interval" in text for text in found)
    outside = "".join(part for text in found for part in text.split("$")[::2])
    bare = [c for i, c in enumerate(outside) if c in "%&#_" and outside[i - 1] != "\\"]
    assert not bare


MISTAKES = [
    "--help", "x.csv widht=3", "x.csv legend=tpo", "--show no.pdf", "no.csv", "t.csv only=dp_sse",
    "experiment=azize2025 results=nowhere", "t.csv font=latx", "t.csv palette=okabe",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("line", MISTAKES)
def test_help_and_mistakes_do_not_wait_for_matplotlib(line, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dp.save(table, "t.csv")
    code = (
        "import sys; from dpbandits.cli.plot import main\n"
        "try: main()\nexcept SystemExit: sys.exit('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True)
    assert done.returncode == 0 and (done.stdout or done.stderr)


def test_a_title_is_a_sentence_about_its_environment_if_there_is_one():
    """Mutation that it catches: the capital letter of an article in the middle."""
    frame = pd.DataFrame({"algo": ["ucb", "ucb"], "t": [1, 100], "regret": [1.0, 5.0]})
    assert usual_title(Table.of_frame(frame)) == "UCB, $T$ = 100"
    for env, title in (("log", "a log of plays with features"), ("bernoulli", "Bernoulli")):
        shown = usual_title(Table.of_frame(frame.assign(env=env)))
        assert shown == f"UCB on {title}, $T$ = 100"


@pytest.mark.slow
def test_an_algorithm_without_privacy_has_no_budget_in_its_label(table):
    """Catches: labels such as UCB, eps = inf."""
    mine = table[table["algo"] == "dp_se"]
    free = mine[mine["eps"] == 1].assign(eps=np.inf, setting="free")
    names = legend_of(dp.plot([table, free], x="algo", env="bernoulli_c1"))
    assert "UCB" in names and "DP-SE, without privacy" in names
    assert not any("inf" in name for name in names)


@pytest.mark.slow
def test_without_hue_every_varied_column_has_its_lines(table):
    """Two environments in one panel were refused. Each point is the mean of one setting."""
    figure = dp.plot(table, col="algo", x="eps", only=["dp_se"])
    assert legend_of(figure) == ["C1", "C2"]
    ends = table[(table["t"] == 300) & (table["algo"] == "dp_se")]
    for line, env in zip(figure.axes[0].lines, ("bernoulli_c1", "bernoulli_c2"), strict=True):
        means = ends[ends["env"] == env].groupby("eps")["regret"].mean()
        assert line.get_ydata() == pytest.approx(means)


def test_an_algorithm_that_is_never_private_needs_no_choice_of_its_budget(table):
    """One budget was chosen, but the figure was refused for want of one."""
    figure = dp.plot(table, hue="algo", col="env", x="algo", eps=1)
    assert legend_of(figure) == ["AdaP-UCB", "DP-SE", "UCB"]
    figure = dp.plot(table, hue="env", x="algo", eps=0.1)
    ends = table[(table["t"] == 300) & ~table["eps"].eq(1)]
    means = ends.groupby(["env", "algo"])["regret"].mean()
    for line, env in zip(figure.axes[0].lines, ("bernoulli_c1", "bernoulli_c2"), strict=True):
        assert line.get_ydata() == pytest.approx(means[env])
    free = table[(table["algo"] == "dp_se") & (table["eps"] == 1)].assign(eps=np.inf, setting="x")
    message = message_of(dp.plot, [table, free], hue="env", x="algo", eps=0.1)
    assert "several values of eps: choose one value" in message  # control


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (10_000, "$10^{4}$"),
        (50_000_000, r"$5 \times 10^{7}$"),
        (0.001, "$10^{-3}$"),
        (0.0025, r"$2.5 \times 10^{-3}$"),
        (123_456_789, "123456789"),
        (9.99999e4, r"$9.99999 \times 10^{4}$"),
    ],
)
def test_numbers_are_powers_of_ten_unless_this_would_round_them(number, text):
    assert scientific(number) == text


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("algo", "dp_se", "DP-SE"),
        ("env", "bernoulli_c1", "C1"),
        ("eps", 0.5, r"$\epsilon$ = 0.5"),
        ("eps", np.inf, "without privacy"),
        ("rho", np.nan, "without privacy"),
        ("c", np.nan, "no $c$"),
        ("horizon", 20_000.0, r"$T$ = $2 \times 10^{4}$"),
        ("calibration", "printed", "printed calibration"),
    ],
)
def test_values_of_columns_are_titles(name, value, text):
    assert value_title(name, value) == text


def test_budgets_of_panels_are_the_finite_ones_in_ascending_order():
    frame = pd.DataFrame({"algo": "a", "eps": [1.0, 0.1, np.inf], "t": 9, "regret": 1.0})
    assert finite_budgets(Table.of_frame(frame)) == [("eps", 0.1), ("eps", 1.0)]
    assert finite_budgets(Table.of_frame(frame[2:])) == [("eps", np.inf)]
    assert budget_title("eps", np.inf) == "not private"
    assert budget_title("eps", 0.1) == r"$\epsilon$ = 0.1"


def test_words_are_explained_once_and_only_as_whole_words():
    assert meanings(["a, coded", "b, coded"]) == (
        ' In labels, "coded" means as in the authors\' code.'
    )
    assert meanings(["uncoded", "printedly"]) == ""


@pytest.mark.parametrize(("arms", "is_shown"), [(2, True), (6, True), (7, False)])
def test_the_means_of_a_law_are_part_of_its_title_if_they_are_few(arms, is_shown):
    table = Table.of_frame(pd.DataFrame({"algo": ["a"], "env": "bernoulli", "t": 9, "regret": 1.0}))
    means = [0.5] * arms
    record = {"env": "bernoulli", "env_spec": {"law": "bernoulli", "means": means}}
    found = replace(table, records={"x": record})
    shown = " " + ", ".join(["0.5"] * arms) if is_shown else ""
    assert environment_titles(found) == {"bernoulli": f"Bernoulli{shown}"}
    other = record | {"env_spec": {"law": "bernoulli", "means": [0.1]}}
    several = replace(table, records={"x": record, "y": other})
    assert environment_titles(several) == {"bernoulli": "Bernoulli"}


def made(**columns):
    """A table of two settings for each value in the lists of some columns, and its last round."""
    rows = pd.DataFrame(columns).assign(run=0, t=columns.get("horizon", 9), regret=1.0)
    return Table.of_frame(pd.concat([rows.assign(algo=algo) for algo in ("dp_se", "ucb")]))


@pytest.mark.parametrize(
    ("columns", "x", "found"),
    [
        ({"eps": [0.1, 0.2, 0.5, 1.0]}, None, "t"),
        ({"eps": [0.1, 0.2, 0.5, 1.0, 2.0]}, None, "eps"),
        ({"rho": [0.1, 0.2, 0.5, 1.0, 2.0]}, None, "rho"),
        ({"c": [1.0, 2.0]}, "c", "c"),
        ({"c": [1.0, 2.0]}, "t", "t"),
        ({"c": [1.0, 2.0]}, "eps", "x=eps: no algorithm in the table has a finite privacy budget"),
        ({"horizon": [10.0, 20.0]}, "horizon", "horizon"),
        ({"word": ["p", "q"]}, "word", "unknown x 'word'"),
    ],
)
def test_the_axis_is_the_one_that_suits_the_table_or_is_asked_for(columns, x, found):
    if "x" in found:
        assert message_of(axis_of, made(**columns), x).startswith(found[:20])
    else:
        assert axis_of(made(**columns), x) == found


def test_columns_that_vary_are_those_with_several_values():
    """Words and blanks count, but no budget of an algorithm that is never private."""
    table = made(eps=[0.1, 1.0], word=["p", "q"], c=[1.0, np.nan], one=[3.0, 3.0])
    assert set(several_columns(table)) == {"algo", "eps", "word", "c"}
    free = pd.DataFrame({"algo": ["dp_se", "ucb"], "eps": [1.0, np.inf], "t": 9, "regret": 1.0})
    assert several_columns(Table.of_frame(free)) == ["algo"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": "t"}, ""),
        ({"x": "word", "col": "algo"}, ""),
        ({"hue": "t"}, "hue=t: not a column of settings; choose from algo, "),
        ({"col": "wrd"}, "unknown col 'wrd': did you mean word?"),
        ({"x": "wrd", "hue": "algo"}, "unknown x 'wrd': did you mean word?"),
    ],
)
def test_columns_that_a_figure_cannot_show_are_refused(given, message):
    columns = {"x": None, "hue": None, "col": None} | given
    table = made(eps=[0.1, 1.0], word=["p", "q"])
    if message:
        assert message_of(check_columns, table, **columns).startswith(message)
    else:
        check_columns(table, **columns)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"kind": "tal"},
            "kind=tal: tail or wins is needed; or leave kind out; did you mean tail?",
        ),
        ({"kind": "xyz"}, "kind=xyz: tail or wins is needed; or leave kind out"),
        ({"kind": "tail", "band": "std"}, "band=std: a figure of kind=tail takes no band"),
        ({"kind": "tail", "x": "eps"}, "x=eps: a figure of kind=tail takes no x"),
        ({"x": "c", "marks": True}, "marks=true: a figure against x=c takes no marks; figures"),
        ({"hue": "c", "marks": True}, "marks=true: a figure with hue=, with col=, or with x= of"),
    ],
)
def test_what_a_kind_of_figure_does_not_take_is_refused(given, message):
    table = made(eps=[0.1, 0.1], c=[1.0, 2.0])
    assert message_of(figure_of_table, table, "title", **given).startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "average"}, "metric=average: bounds apply only to pseudo-regret"),
        ({"metric": "nash", "bounds": None, "band": "std"}, "band=std: Nash regret is one number"),
        ({"metric": "nash", "bounds": None, "kind": "tail"}, "kind=tail: Nash regret is one"),
    ],
)
def test_bounds_and_spreads_are_refused_for_metrics_that_have_none(given, message):
    table = dp.run("ucb", "bernoulli_c2", horizon=10, runs=2, jobs=1)
    options = {"bounds": "bounds=true"} | given
    chosen = FigureOptions()
    assert message_of(figure_as_chosen, Table.of_frame(table), chosen, **options).startswith(
        message
    )

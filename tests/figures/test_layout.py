"""Panels that are wide enough, and titles and legends that say nothing twice."""

import itertools
import math

import matplotlib
import pandas as pd
import pytest
from legends import legend_of, note_of
from matplotlib.figure import Figure
from refusals import message_of
from report_tables import stopping_times

import dpbandits as dp
from dpbandits.contracts.question import REGRET
from dpbandits.figures import placement
from dpbandits.figures.labels import setting_text, usual_title
from dpbandits.figures.layout import arranged
from dpbandits.figures.options import WIDTHS, FigureOptions
from dpbandits.figures.placement import lay_out, size_of, text_width
from dpbandits.figures.style import finish, own_legend, styled, subplots
from dpbandits.results.summary import in_markdown, text_of_summary
from dpbandits.results.table import Table


def regrets(envs, budgets, algos=("dp_se", "ucb")):
    rows = [
        (algo, env, eps, run, t, t + run + 1)
        for algo, env, eps in itertools.product(algos, envs, budgets)
        for run in range(2)
        for t in (1, 10, 100)
    ]
    return pd.DataFrame(rows, columns=["algo", "env", "eps", "run", "t", "regret"])


ENVS = [f"bernoulli_c{i}" for i in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("rows", "columns", "found"),
    [
        (1, 4, (2, 2)),
        (4, 1, (2, 2)),
        (1, 3, (1, 3)),
        (4, 4, (4, 4)),
        (4, 2, (2, 4)),
        (2, 6, (4, 3)),
    ],
)
def test_panels_are_wide_enough(rows, columns, found):
    """A row of four stands in two rows, a high grid is turned, a wide one is broken. Narrow
    columns of a paper have fewer panels in a row."""
    grid = [[(i, j) for j in range(columns)] for i in range(rows)]
    places, most = arranged(grid)
    assert (len(places) // most, most) == found
    assert {place for place in places if place} == {place for row in grid for place in row}
    with FigureOptions(width=3.25).applied():
        assert arranged(grid)[1] <= 2


@pytest.mark.slow
@pytest.mark.parametrize("width", ["text", "column"])
def test_a_width_alone_keeps_panels_readable(width):
    figure = dp.plot(regrets(ENVS, [0.01, 0.1, 0.5, 1]), x="t", width=width)
    figure.draw_without_rendering()
    for ax in figure.axes:
        assert ax.get_window_extent().width >= 0.9 * figure.dpi or not ax.get_visible()


@pytest.mark.slow
def test_titles_stand_above_columns_and_at_the_end_of_rows():
    """Mutation: each panel has the title of its row and of its column."""
    figure = dp.plot(regrets(ENVS[:3], [0.1, 0.5, 1]), x="t")
    budgets = [rf"$\epsilon$ = {eps:g}" for eps in (0.1, 0.5, 1)]
    assert [ax.get_title() for ax in figure.axes] == [*budgets, *[""] * 6]
    beside = [[text.get_text() for text in ax.texts] for ax in figure.axes]
    assert beside == [[], [], ["C1"], [], [], ["C2"], [], [], ["C3"]]


@pytest.mark.slow
def test_what_the_title_says_stands_in_no_panel_and_no_legend():
    """The control is a title that does not say it."""
    table = regrets(ENVS[1:2], [0.1, 1], ["dp_se"]).assign(alpha=2.0)
    table = pd.concat([table, table.assign(alpha=3.0)])
    for title, said in {"DP-SE on C2": True, "Ours": False}.items():
        figure = dp.plot(table, x="t", title=title)
        assert figure.axes[0].get_title() == r"C2, $\epsilon$ = 0.1"[4 * said :]
        labels = legend_of(figure)
        assert labels[0] == r"DP-SE, $\alpha$ = 2"[7 * said :]


@pytest.mark.slow
@pytest.mark.parametrize(
    "title, other, is_said",
    [("DP-SE beside HeLDP-UCB", "ucb", True), ("DP-SE and UCB", "ucb", False),
     ("DP-SEE", "ucb", False), ("DP-SE, a comparison", "a", False)],
)  # fmt: skip
def test_a_name_is_left_out_only_where_the_title_says_whose_lines_these_are(title, other, is_said):
    """Mutation that it catches: a name is left out because it is a part of a word of the title."""
    free = regrets(ENVS[1:2], [math.inf], [other])
    table = pd.concat([regrets(ENVS[1:2], [0.1, 1], ["dp_se"]), free])
    labels = legend_of(dp.plot(table, col="env", title=title))
    assert labels[:2] == [
        r"DP-SE, $\epsilon$ = 0.1"[7 * is_said :],
        r"DP-SE, $\epsilon$ = 1"[7 * is_said :],
    ]


@pytest.mark.slow
def test_words_of_labels_are_explained_in_the_note():
    table = regrets(ENVS[:1], [1], ["ldp_ols"])
    both = [table.assign(calibration=word) for word in ("printed", "exact")]
    figure = dp.plot(pd.concat(both))
    labels = legend_of(figure)
    assert labels == ["printed calibration", "exact calibration"]
    note = note_of(figure)
    assert note.endswith(
        'In labels, "printed" means as in the paper and "exact" means the least noise for the '
        "budget. These lines coincide: printed calibration and exact calibration."
    )


def test_tables_in_markdown_hold_names_as_they_are():
    """A label <script> was HTML in the pages of results. The control is the style for terminals."""
    found = summary_of_frame(regrets(ENVS[:1], [1], ["<b>"]))
    for style, name in {"pipe": "&lt;b&gt;", "simple": "<b>"}.items():
        assert name in text_of_summary(found, REGRET, style)
    assert in_markdown([["<script>", "a|b", 1]]) == [["&lt;script&gt;", r"a\|b", "1"]]


def summary_of_frame(frame):
    return Table.of_frame(frame).summary()


@pytest.mark.slow
def test_a_note_names_lines_as_the_legend_does():
    """Mutation that it catches: the note has the labels that ``labels=`` replaced."""
    table = regrets(ENVS[:1], [1], ["ldp_ols"])
    both = [table.assign(calibration=word) for word in ("printed", "exact")]
    labels = {"LDP-OLS, printed calibration": "MINE"}
    assert "These lines coincide: MINE and exact" in note_of(
        dp.plot(pd.concat(both), labels=labels)
    )


def test_an_axis_that_panels_share_shows_the_means_of_each():
    """Mutation that it catches: a scale chosen by means over several panels."""
    table = regrets(ENVS[:2], [0.1, 1], ["dp_se"])
    table.loc[table["env"] == ENVS[0], "regret"] = 0.0
    figure = dp.plot(table, x="eps", col="env")
    assert {ax.get_yscale() for ax in figure.axes} == {"linear"}


@pytest.mark.parametrize("value", ["abc", "1e400"])
def test_a_budget_that_is_refused_is_named(value):
    message = message_of(FigureOptions.parse, {"eps": value})
    assert message.startswith(f"eps={value}")


def test_words_of_titles_and_of_legends_in_panels_are_explained():
    """Catches: explanations of the labels of the figure's legend alone."""

    @styled
    def draw():
        figure, ((left, right),) = subplots(1, 2)
        left.plot([1, 2], label="LDP-OLS, coded")
        own_legend(left)
        right.set_title("eigenvalue bonus")
        return finish(figure, "exact", Table.of_frame(regrets(ENVS[:1], [1])), "A note.")

    note = note_of(draw())
    assert '"coded" means as in the authors\' code and "eigenvalue" means from' in note
    assert '"exact"' not in note


@pytest.mark.parametrize(
    ("name", "value", "label"),
    [
        ("tree", "honaker", "Honaker's tree"),
        ("tree", "kary", "19-ary tree"),
        ("tree", "binary", "binary tree"),
        ("bonus", "literal", "the paper's bonus"),
        ("c", "literal", "the paper's $c$"),
        ("c", "practical", "our $c$"),
        ("c", 24.0, "$c$ = 24"),
        ("version", "b76e2953cbb4", "version = b76e2953cbb4"),
        ("version", "2ee68cf70feb", "version = 2ee68cf70feb"),
    ],
)
def test_names_in_code_are_words_in_labels(name, value, label):
    assert setting_text(name, value) == label


@pytest.mark.slow
def test_panels_are_never_narrower_than_nine_tenths_of_an_inch():
    """Control: at a width of 1.2 inches a panel had .48 inches."""
    table = regrets(ENVS[:1], [1])
    message = message_of(dp.plot, table, width=1.2)
    assert message.startswith("width=1.2, ") and "at least 0.9 inches wide" in message
    figure = dp.plot(table, width=2.0)
    figure.draw_without_rendering()
    assert 2.0 * figure.axes[0].get_position().width >= 0.9


@pytest.mark.slow
def test_a_legend_is_never_a_quarter_of_the_figure():
    """Control: sixteen long labels at the width of a page."""
    names = [f"an algorithm with a name that is as long as a sentence {i}" for i in range(16)]
    figure = dp.plot(regrets(ENVS[:1], [1], names), width=5.5)
    figure.draw_without_rendering()
    box = figure.legends[0].get_children()[0].get_children()[1].get_window_extent()
    assert box.height < 0.25 * figure.bbox.height


def test_a_horizon_that_belongs_to_the_environment_is_not_in_the_title():
    """Catches: by T, although no game has several horizons."""
    table = regrets(ENVS[:2], [1, 2])
    of_env = table[(table["env"] == ENVS[0]) | (table["t"] < 100)]
    horizons = {ENVS[0]: 100, ENVS[1]: 10}
    of_env = of_env.assign(horizon=of_env["env"].map(horizons))
    assert usual_title(Table.of_frame(of_env)).endswith(r"by $\epsilon$")


@pytest.mark.slow
def test_other_algorithms_are_thin_beside_the_three_trusts():
    from dpbandits.figures.draw import load_script

    ours = regrets(ENVS[:1], [0.1, 1], ["shuffle_se"])
    both = [ours.assign(trust="server"), ours.assign(trust="nobody")]
    table = pd.concat([*both, regrets(ENVS[:1], [0.1, 1], ["dp_se", "adap_klucb"])])
    (ax,) = load_script("trust_models").draw(Table.of_frame(table)).axes
    wide = {line.get_label(): line.get_linewidth() for line in ax.lines}
    thin = [wide.pop("DP-SE"), wide.pop("AdaP-KLUCB")]
    assert len(wide) == 2 and max(thin) < 0.7 * min(wide.values())


def test_the_note_says_why_a_bar_cannot_be_seen():
    note = note_of(dp.plot(stopping_times()))
    assert "A bar that cannot be seen is shorter than its mark." in note


@pytest.mark.parametrize(
    ("rows", "columns", "inches"),
    [
        (1, 1, 2.3),
        (1, 2, 1.7),
        (1, 4, 1.7),
        (2, 1, 2.3),
        (2, 2, 1.692),
        (2, 4, 1.05),
        (3, 1, 1.733),
        (6, 1, 1.05),
    ],
)
def test_panels_have_a_height_that_suits_their_width(rows, columns, inches):
    """Panels of a single row are at least 1.7 inches high, other panels at least 1.05 inches."""
    width, height = size_of(rows, columns)
    assert width == WIDTHS["text"]
    assert (height - 0.75 - 0.2 * (rows - 1)) / rows == pytest.approx(inches, abs=1e-3)
    assert size_of(rows, columns, 4.0)[1] == pytest.approx(4.75 + 0.2 * (rows - 1))


def laid_out(title="", note="", labels=("one", "two"), panels=("",), xlabel="", **options):
    """A row of panels with these titles, and around them a title, a note and a legend."""

    @styled
    def draw():
        figure, axes = subplots(1, len(panels))
        for ax, words in zip(axes[0], panels, strict=True):
            ax.set(title=words, xlabel=xlabel)
        lines = {label: axes[0, 0].plot([1, 2], label=label)[0] for label in labels}
        figure.heading = lay_out(figure, title, note, lines)
        return figure

    with FigureOptions(**options).applied():
        return draw()


def height_of_panels(figure):
    figure.draw_without_rendering()
    return figure.axes[0].get_window_extent().height / figure.dpi


LONG = " ".join(["independently"] * 12)


@pytest.mark.parametrize(
    "texts",
    [{"title": "A title"}, {"note": LONG}, {"labels": [f"algorithm {i}" for i in range(20)]}],
    ids=["title", "note", "legend"],
)
def test_a_figure_grows_by_the_height_of_its_texts(texts):
    bare, higher = laid_out(), laid_out(**texts)
    assert higher.get_figheight() > bare.get_figheight()
    assert height_of_panels(higher) == pytest.approx(height_of_panels(bare), rel=0.1)


@pytest.mark.parametrize("lines", [2, 6, 10, 30])
def test_the_legend_is_as_wide_as_there_is_room_for(lines):
    """It fits into the figure, and with one column more it would not."""
    figure = laid_out(labels=[f"algorithm {i}" for i in range(lines)])
    assert height_of_panels(figure) > 1.2
    (legend,) = figure.legends
    columns, width = legend._ncols, legend.get_window_extent().width / figure.bbox.width
    assert width <= 1
    wider = width / columns * (columns + 1)
    assert wider > 0.8 or -(-lines // (columns + 1)) == -(-lines // columns)


def test_a_figure_does_not_grow_if_the_user_chose_its_height():
    assert laid_out("A title", height=4.0).get_figheight() == 4.0
    with matplotlib.rc_context({"figure.figsize": (6.0, 3.0)}):
        assert laid_out("A title").get_size_inches().tolist() == [6.0, 3.0]
        assert laid_out("A title", width=5.5).get_figheight() > 3.0


def test_lines_of_titles_and_notes_are_as_wide_as_the_figure():
    figure = laid_out(LONG, LONG)
    for text, size in ((figure.heading.get_text(), 9), (figure.get_supxlabel(), 7)):
        *lines, _ = (text_width(line, size) / 72 / 5.5 for line in text.split("\n"))
        assert lines and all(0.8 < width < 0.98 for width in lines), lines
    assert "\n" not in laid_out(LONG[:60]).heading.get_text()


@pytest.mark.parametrize("panels", [2, 3])
def test_titles_that_are_wider_than_their_panel_are_broken_after_commas(panels):
    means = ", ".join(f"0.{i}" for i in range(10, 60))
    figure = laid_out(panels=["C1, by eps", *[means] * (panels - 1)])
    assert figure.axes[0].get_title() == "C1, by eps"
    *lines, _ = figure.axes[-1].get_title().split("\n")
    assert lines and all(line.endswith(",") for line in lines)
    assert all(0.7 < text_width(line, 8) / 72 / 4.7 * panels < 0.98 for line in lines)
    assert figure.get_figheight() > laid_out(panels=["C1"] * panels).get_figheight() + 0.2


@pytest.mark.parametrize("panels", [2, 3])
def test_a_label_that_is_longer_than_an_axis_stands_once(panels):
    """The controls are a short label, and a single panel."""
    for label, times in {LONG: 1, "regret": panels}.items():
        figure = laid_out(panels=[""] * panels, xlabel=label)
        assert [ax.get_xlabel() for ax in figure.axes].count(label) == times


def test_a_label_that_is_longer_than_the_vertical_axes_stands_once():
    """In the middle of three panels, or below the first one of two."""
    for rows, label, found in (
        (3, LONG[:22], ["", LONG[:22], ""]),
        (2, LONG[:60], [LONG[:60], ""]),
        (3, "regret", ["regret"] * 3),
    ):
        figure = Figure(figsize=(5.5, 3.5))
        for ax in figure.subplots(rows):
            ax.set_ylabel(label)
        with matplotlib.rc_context({"axes.labelsize": 8}):
            placement._join_labels(figure)
        assert [ax.get_ylabel() for ax in figure.axes] == found


@pytest.mark.parametrize(
    ("titles", "found", "beside"),
    [
        (["C1, a", "C1, b", "C2, a", "C2, b"], ["a", "b", "", ""], ["C1", "C2"]),
        (["C1, a", "C1, b", "C2, a", "C3, b"], ["C1, a", "C1, b", "C2, a", "C3, b"], []),
        (["x", "y", "x", "z"], ["x", "y", "", "z"], []),
        (["Mine, a", "Mine, b", "Mine, c", "Mine, d"], ["a", "b", "c", "d"], []),
    ],
)
def test_titles_of_a_grid_say_nothing_twice(titles, found, beside):
    """What a row has in common stands at its end, and what a column has in common above it. The
    figure's title says "mine".
    """
    figure = Figure()
    for ax, title in zip(figure.subplots(2, 2).flat, titles, strict=True):
        ax.set_title(title)
    placement._shorten_titles(figure, "Of mine")
    assert [ax.get_title() for ax in figure.axes] == found
    assert [text.get_text() for ax in figure.axes for text in ax.texts] == beside


def test_labels_of_a_legend_that_are_too_wide_are_broken_or_stand_in_one_column():
    half, whole = LONG[:70], LONG
    for labels, is_broken in (([half, half.upper()], False), ([whole, whole.upper()], True)):
        figure = laid_out(labels=labels)
        figure.draw_without_rendering()
        (legend,) = figure.legends
        assert legend._ncols == 1 and legend.get_window_extent().width < figure.bbox.width
        assert all(("\n" in x.get_text()) == is_broken for x in legend.get_texts())


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"width": 2.8}, ""),
        ({"width": 2.0}, "width=2, "),
        ({"width": 2.8, "height": 2.0}, ""),
        ({"width": 2.8, "height": 0.9}, "height=0.9: no room for 2 panels, at least 0.9 inches "),
    ],
)
def test_a_size_is_refused_if_a_panel_would_be_too_small(size, message):
    if message:
        assert message in message_of(laid_out, panels=["", ""], **size)
    else:
        laid_out(panels=["", ""], **size)

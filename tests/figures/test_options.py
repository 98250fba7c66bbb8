"""The style of a figure: each option changes what it names and nothing is clipped."""

import itertools
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from commands import captured
from legends import legend_of
from matplotlib import image, style
from matplotlib.backends import backend_pgf
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from refusals import message_of
from tiers import first

import dpbandits as dp
from dpbandits.cli import plot
from dpbandits.figures.labels import plain_text, usual_title
from dpbandits.figures.options import PALETTE, PALETTES, FigureOptions
from dpbandits.figures.origin import comment, files_of, formats_of, origin_in, origin_of
from dpbandits.figures.output import TEX, in_tex, in_text, usual_tex
from dpbandits.figures.placement import wrapped
from dpbandits.figures.style import OTHERS, rendered, save
from dpbandits.results.table import Table

ALGORITHMS = {"dp_se": 5.0, "adap_ucb": 9.0, "adap_klucb": 4.0, "dp_ucb": 20.0}


def regrets(budgets=(0.1, 1.0)):
    """A table of regret of four algorithms, three runs each."""
    rows = [
        (algo, "bernoulli_c2", eps, 100, 0, run, t, mean * t**0.5 * (1 + 1 / eps) + run)
        for algo, mean in ALGORITHMS.items()
        for eps in budgets for run in range(3) for t in (1, 10, 50, 100)
    ]  # fmt: skip
    return pd.DataFrame(
        rows, columns=["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
    )


def texts(figure):
    """All texts of a figure that are seen."""
    figure.draw_without_rendering()
    found = figure.findobj(matplotlib.text.Text)
    return [text for text in found if text.get_visible() and text.get_text()]


def colours(figure):
    """The colour of each label of the legend."""
    pairs = [zip(*ax.get_legend_handles_labels(), strict=True) for ax in figure.axes]
    return {label: to_hex(line.get_color()) for pair in pairs for line, label in pair}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "inches"),
    first([("column", 3.25), (5.5, 5.5), ("text", 5.5), ("ieee-column", 3.5)]),
)
def test_the_width_and_the_height_are_in_inches(width, inches):
    figure = dp.plot(regrets([1.0]), width=width, height=2.5)
    assert tuple(figure.get_size_inches()) == (inches, 2.5)
    assert dp.plot(regrets([1.0]), width=width).get_figwidth() == inches


@pytest.mark.slow
def test_the_size_of_the_user_s_settings_is_respected():
    with matplotlib.rc_context({"figure.figsize": (6.0, 3.0)}):
        assert tuple(dp.plot(regrets()).get_size_inches()) == (6.0, 3.0)
        assert dp.plot(regrets(), width=7.0).get_figwidth() == 7.0
    assert tuple(dp.plot(regrets()).get_size_inches()) != (6.0, 3.0)


@pytest.mark.slow
@pytest.mark.parametrize("size", first([{"width": "column"}, {}, {"width": 5.5, "height": 2.6}]))
def test_no_text_is_clipped_at_the_edge_of_the_figure(size):
    figure = dp.plot(regrets(), marks=True, **size)
    width, height = figure.get_size_inches() * figure.dpi
    for text in texts(figure):
        box = text.get_window_extent()
        assert box.x0 >= -1 and box.x1 <= width + 1, text
        assert box.y0 >= -1 and box.y1 <= height + 1, text


def test_lines_of_a_note_fit_and_mathematics_stays_whole():
    note = "Lines: mean of 3 runs. Rings: not told from the best at $T = 5 \\times 10^7$ rounds."
    lines = wrapped(note, 150, 7.5).split("\n")
    assert lines[0] == "Lines: mean of 3 runs." and " ".join(lines) == note
    assert all(line.count("$") % 2 == 0 for line in lines) and len(lines) > 2
    assert wrapped(note, 1000, 7.5) == note


@pytest.mark.parametrize("room", range(40, 160, 40))
def test_lines_break_beside_no_equals_sign(room):
    """The control is that the narrow ones break at all."""
    title = "AdaP-UCB on C1, $T$ = $10^{5}$, by a = 2"
    lines = wrapped(title, room, 10).split("\n")
    assert " ".join(lines) == title and (room > 100 or len(lines) > 1)
    assert not any(line.startswith("=") or line.endswith("=") for line in lines)


def test_a_broken_title_is_one_line_of_text():
    assert plain_text("0.9, 0.8,\n0.7\n$\\epsilon$ = 1") == "0.9, 0.8, 0.7, eps = 1"


def test_a_title_names_nothing_that_has_one_value():
    table = regrets().assign(population="levels", eps_min=0.1)
    assert usual_title(Table.of_frame(table)).endswith(", by $\\epsilon$")
    table.loc[table["eps"] == table["eps"].max(), "population"] = "file"
    assert usual_title(Table.of_frame(table)).endswith(", by $\\epsilon$, population")


@pytest.mark.slow
def test_a_size_without_room_for_panels_is_refused():
    assert "no room for 2 panels" in message_of(dp.plot, regrets(), width=2, height=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("font", "family"),
    first([("latex", "cmr10"), ("serif", "STIXGeneral"), ("sans", "DejaVu Sans")]),
)
def test_all_texts_have_the_font(font, family):
    found = {text.get_fontfamily()[0] for text in texts(dp.plot(regrets(), font=font))}
    assert found == {family}


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("font", first(["latex", "serif"]))
def test_a_font_has_all_characters(font):
    assert rendered(dp.plot(regrets(), font=font, marks=True), "pdf")


@pytest.mark.slow
def test_title_note_and_legend_can_be_chosen():
    words = [text.get_text() for text in texts(dp.plot(regrets()))]
    assert "4 algorithms on C2, $T$ = 100, by $\\epsilon$" in words
    assert any(word.startswith("Lines show the mean of 3 runs") for word in words)
    bare = dp.plot(regrets(), title="", note=False, legend="none")
    words = [text.get_text() for text in texts(bare)]
    assert not legend_of(bare) and not any("Lines" in x or "algorithms" in x for x in words)
    assert "My $K=5$" in [x.get_text() for x in texts(dp.plot(regrets(), title="My $K=5$"))]


@pytest.mark.slow
@pytest.mark.parametrize("legend", first(["right", "top", "inside"]))
def test_the_legend_stands_where_it_is_asked_for(legend):
    figure = dp.plot(regrets(), legend=legend, width=7.0, title="Mine")
    assert legend_of(figure) == ["DP-SE", "AdaP-UCB", "AdaP-KLUCB", "DP-UCB"]
    figure.draw_without_rendering()
    inside = figure.axes[0].get_legend() is not None
    box = (figure.axes[0].get_legend() if inside else figure.legends[0]).get_window_extent()
    panel = figure.axes[-1].get_window_extent()
    assert inside == (legend == "inside")
    assert (box.x0 > panel.x1) == (legend == "right") and (box.y0 > panel.y1) == (legend == "top")
    assert "Mine" in [text.get_text() for text in texts(figure)]


@pytest.mark.slow
def test_algorithms_are_chosen_ordered_and_named():
    figure = dp.plot(
        regrets(), only=["dp_se", "dp_ucb", "adap_ucb"], order=["dp_ucb"], labels={"dp_se": "Ours"}
    )
    assert legend_of(figure) == ["DP-UCB", "Ours", "AdaP-UCB"]
    assert legend_of(dp.plot(regrets(), labels={"DP-SE": "DP-SE [7]"}))[0] == "DP-SE [7]"


@pytest.mark.slow
def test_an_infinite_budget_can_be_chosen():
    """Catches: inf, which a message offers, is refused as no finite number."""
    table = regrets([1.0])
    both = pd.concat([table, table[table["algo"] == "dp_se"].assign(eps=np.inf)])
    for budgets in ("inf", np.inf, [np.inf]):
        assert legend_of(dp.plot(both, eps=budgets)) == ["DP-SE"]


@pytest.mark.slow
def test_what_is_not_highlighted_is_grey():
    found = colours(dp.plot(regrets(), highlight=["dp_se"]))
    assert found.pop("DP-SE") == PALETTE["blue"].lower()
    assert set(found.values()) == {OTHERS[0].lower()} and len(found) == 3


@pytest.mark.slow
def test_the_greys_of_what_is_not_highlighted_differ():
    """Mutation: the dashes are taken in turn, and begin again with the same grey."""
    one = regrets()[lambda rows: rows["algo"] == "dp_se"]
    table = pd.concat([one.assign(algo=f"a{i}") for i in range(40)])
    lines = dp.plot(table, highlight=["a0"]).axes[0].lines
    looks = {(to_hex(x.get_color()), str(x._dash_pattern)) for x in lines}
    assert len(looks) == len({x.get_label() for x in lines}) == 40


@pytest.mark.slow
def test_the_axes_have_the_scales():
    for scale in ("log", "linear"):
        for ax in dp.plot(regrets(), xscale=scale, yscale=scale).axes:
            assert (ax.get_xscale(), ax.get_yscale()) == (scale, scale)
            assert ax.get_xlim()[0] == (1 if scale == "log" else 0)


def test_a_figure_is_drawn_in_the_user_s_axes():
    mine = Figure(figsize=(4, 3))
    ax = mine.subplots()
    assert dp.plot(regrets([1.0]), ax=ax, title="Mine", legend="inside") is mine
    assert len(ax.get_lines()) == 4 and ax.get_title() == "Mine" and not mine.legends
    assert tuple(mine.get_size_inches()) == (4, 3)
    assert "2 panels" in message_of(dp.plot, regrets(), ax=ax)
    assert "ax=3:" in message_of(dp.plot, regrets(), ax=3)
    assert "width=4:" in message_of(dp.plot, regrets([1.0]), ax=ax, width=4)


BAD = [
    ({"width": "colunm"}, "width=colunm:", "did you mean column?"),
    ({"width": 0.1}, "width=0.1:", "inches from 1 to 30"),
    ({"height": "tall"}, "height=tall:", "inches"),
    ({"height": 31}, "height=31:", "inches from 1 to 30"),
    ({"dpi": 2401}, "dpi=2401:", "from 10 to 2400"),
    ({"dpi": 9}, "dpi=9:", "from 10 to 2400"),
    ({"ylim": [1, 1]}, "ylim=[1,1]:", "below the second"),
    ({"ylim": [1, 2, 3]}, "ylim=[1,2,3]:", "two numbers"),
    ({"figsize": [4]}, "figsize=[4]:", "inches"),
    ({"font": "latx"}, "'latx'", "did you mean latex?"),
    ({"legend": "left"}, "legend=left:", "top, right, inside or none"),
    ({"note": "no"}, "note=no:", "true or false"),
    ({"title": "$x_{$"}, "title=$x_{$:", "dollar"),
    ({"labels": {}}, "labels={}:", "dp_se"),
    ({"labels": {"dp_sse": "x"}}, "'dp_sse'", "did you mean dp_se?"),
    ({"only": ["dp_sse"]}, "'dp_sse'", "did you mean dp_se?"),
    ({"only": ["dp_ucb"], "highlight": ["dp_se"]}, "algorithm in highlight:", "dp_ucb"),
    ({"eps": "-inf"}, "eps=-inf:", "finite"),
    ({"order": ["ucb1"]}, "order", "'ucb1'"),
    ({"highlight": 3}, "highlight=3:", "list of names"),
    ({"only": ["dp_se", "dp_se"]}, "only=[dp_se,dp_se]:", "once"),
    ({"xscale": "sqrt"}, "xscale=sqrt:", "log or linear"),
    ({"yscale": "symlog"}, "yscale=symlog:", "log or linear"),
    ({"palette": "okabe"}, "'okabe'", "did you mean okabe-ito?"),
    ({"palette": ["#12"]}, "palette=[#12]:", "#12 is no colour"),
    ({"colors": ["blue"]}, "colors=[blue]:", "such as {dp_se: blue}"),
    ({"colors": {"dp_se": "blu"}}, "colors.dp_se=[blu]:", "blu is no colour"),
    ({"colors": {"dp_sse": "blue"}}, "'dp_sse'", "did you mean dp_se?"),
]


@pytest.mark.parametrize(("options", "key", "reason"), BAD)
def test_a_bad_option_is_refused_in_one_line(options, key, reason):
    message = message_of(dp.plot, regrets(), **options)
    assert key in message and reason in message and "\n" not in message, message


def test_the_ends_of_ranges_are_allowed():
    given = {"width": 1, "height": 30, "dpi": 10, "ylim": [-1, 0], "eps": [0.1, "inf"]}
    found = FigureOptions.parse(given)
    assert (found.width, found.height, found.dpi) == (1, 30, 10)
    assert (found.ylim, found.eps) == ((-1, 0), (0.1, np.inf))
    assert FigureOptions.parse({"dpi": 2400, "figsize": (4, 3)}).width == 4


@pytest.mark.parametrize(
    ("given", "drawn"),
    [
        ({}, "bacb"),
        ({"only": "a,b"}, "bab"),
        ({"order": "c"}, "cbba"),
        ({"order": "c,a", "highlight": "b"}, "cabb"),
        ({"only": "a,b", "order": "a"}, "abb"),
    ],
)
def test_settings_are_chosen_and_ordered_by_their_algorithms(given, drawn):
    names = [*"bacb"]
    assert "".join(names[i] for i in FigureOptions.parse(given).numbers(names)) == drawn


@pytest.mark.parametrize(
    ("out", "formats", "found"),
    [
        ("a.pdf", None, ("a", ["pdf"])),
        ("a.PNG", ["png"], ("a", ["png"])),
        ("a", None, ("a", ["pdf", "png"])),
        ("a", ["svg", "pgf"], ("a", ["svg", "pgf"])),
        ("eps0.5", ["svg"], ("eps0.5", ["svg"])),
        ("a.jpg", None, "out=a.jpg: figures are written as pdf, png, svg, pgf"),
        (
            "a.pdf",
            ["png"],
            "format=png: the suffix of out=a.pdf is another format; write out=a, or",
        ),
    ],
)
def test_the_files_of_a_figure_are_named_by_out_and_format(out, formats, found):
    if isinstance(found, str):
        assert message_of(files_of, Path(out), formats).startswith(found)
    else:
        assert files_of(Path(out), formats) == (Path(found[0]), found[1])
    assert formats_of("[pdf,png]") == formats_of("pdf,png") == ["pdf", "png"]
    assert "did you mean pdf?" in message_of(formats_of, "pdff")


def test_the_first_line_of_a_pgf_says_how_it_was_made(tmp_path):
    """A figure of which nothing is known has no such line."""
    origin = origin_of(["a1"], "bandit-plot (x)")
    (tmp_path / "a.pgf").write_bytes(comment(origin) + b"\\begin{pgfpicture}")
    assert origin_in(tmp_path / "a.pgf") == origin and comment(None) == b""
    assert origin["command"] == "bandit-plot (x)" and "command" not in origin_of([], "")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", first(["pdf", "png", "svg"]))
def test_a_file_says_how_it_was_made(tmp_path, bandit, suffix):
    regrets().to_csv(tmp_path / "a (b).csv", index=False)
    table = dp.load(tmp_path / "a (b).csv")
    ids = table[table["algo"].isin(["dp_se", "dp_ucb"])]["setting"].unique().tolist()
    line = f"'{tmp_path}/a (b).csv' only=dp_se,dp_ucb out={tmp_path}/mine.{suffix}"
    assert bandit(plot, line) == [f"{tmp_path}/mine.{suffix}"]
    made = origin_in(tmp_path / f"mine.{suffix}")
    assert made["command"].startswith("bandit-plot '") and "only=dp_se,dp_ucb" in made["command"]
    assert made["settings"] == ids and len(ids) == 4 and made["version"].startswith("dpbandits ")
    shown = bandit(plot, f"--show {tmp_path}/mine.{suffix}")
    assert shown[0] == f"command: {made['command']}" and shown[-1] == f"settings: {' '.join(ids)}"


def test_a_file_that_says_nothing_is_refused(tmp_path):
    for name in ("a.png", "a.pdf", "a.svg", "a.pgf", "a.txt"):
        (tmp_path / name).write_bytes(b"/Subject (x)")
        assert "does not say how it was made" in message_of(origin_in, tmp_path / name)
    assert "no such file" in message_of(origin_in, tmp_path / "none.pdf")


@pytest.mark.slow
def test_pgf_needs_latex(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    message = message_of(save, dp.plot(regrets()), tmp_path / "a", ["pdf", "pgf"])
    assert "format=pgf:" in message and "format=pdf needs no LaTeX" in message
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, TEX)), reason="LaTeX is not installed")
def test_a_document_takes_a_figure_with_odd_names_as_pgf(tmp_path):
    env = {"law": "bernoulli", "means": [0.6, 0.5], "label": r"A & B #1, 50% of x_y ~^{} $\a"}
    chart = dp.plot(dp.run("ucb", env=env, horizon=50, runs=2), font="latex", title="$T_1$")
    save(chart, tmp_path / "a", ["pgf"])
    lines = [r"\documentclass{article}", r"\usepackage{pgf}", r"\def\mathdefault#1{#1}"]
    lines += [r"\begin{document}", r"\input{a.pgf}", r"\end{document}"]
    (tmp_path / "b.tex").write_text("\n".join(lines))
    program = next(filter(shutil.which, TEX))
    done = captured(program, "-interaction=nonstopmode", "b.tex", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "b.pdf").stat().st_size > 5000, done.stdout


def test_a_pgf_begins_with_its_origin_whatever_latex_writes(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: name)
    written = lambda buffer, format: buffer.write(b"picture")  # noqa: E731
    chart = SimpleNamespace(savefig=written, origin=origin_of(["a1"], "bandit-plot (x)"))
    assert rendered(chart, "pgf") == comment(chart.origin) + b"picture"


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("my_algo & 50%", r"my\_algo \& 50%"),
        (r"$\epsilon_1$ = \$5, a_b", r"$\epsilon_1$ = \$5, a\_b"),
        ("costs $5", r"costs \$5"),
        ("~{}#\\", r"\textasciitilde{}\{\}\#\textbackslash{}"),
        ("\N{MINUS SIGN}1, $\N{MINUS SIGN}1$", r"\ensuremath{-}1, $\ensuremath{-}1$"),
    ],
)
def test_texts_for_latex(text, tex):
    """With ``text.usetex``, percent signs and circumflexes are escaped, too."""
    assert in_tex(text) == tex
    assert usual_tex(text) == tex.replace("%", r"\%")
    assert usual_tex("a^2 in $x^2$") == r"a\^{}2 in $x^2$"


@pytest.mark.extra("plotext")
def test_a_figure_as_text_has_the_lines_that_are_seen():
    """Points outside the axes, and panels without runs, are left out."""
    figure = Figure()
    first, hidden = figure.subplots(1, 2)
    first.plot([1, 2, 3], [1, 2, 900], label="$\\epsilon$ = 1")
    first.plot([1, 2], [3, 3], label="_none")
    first.set(xlim=(0, 4), ylim=(0, 4), title="C1,\n$T$ = 9", xlabel="round $t$", ylabel="regret")
    hidden.set(title="hidden", visible=False)
    figure.heading = figure.suptitle("Title")
    lines = in_text(figure).splitlines()
    assert lines[0] == "Title" and "C1, T = 9" in lines[1]
    shown = "\n".join(lines)
    assert "eps = 1" in shown and "round t" in shown and "regret" in shown
    assert "hidden" not in shown and "none" not in shown and "900" not in shown


@pytest.mark.slow
def test_a_latex_that_fails_is_reported_in_one_line(tmp_path, monkeypatch):
    program = tmp_path / "pdflatex"
    program.write_text("#!/bin/sh\necho '! LaTeX Error: no such package.'\nexit 1\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    backend_pgf.LatexManager._get_cached_or_new_impl.cache_clear()  # of a process that runs
    message = message_of(save, dp.plot(regrets()), tmp_path / "a", ["pgf"])
    assert message.startswith("format=pgf: LaTeX cannot measure the text (")
    assert not list(tmp_path.glob("a.*"))


# Machado, Oliveira & Fernandes 2009: linear RGB as seen with a severe deficiency
DEFICIENCIES = {
    "none": np.eye(3).tolist(),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


def lab(colour, deficiency):
    """A colour as it is seen with a deficiency, in CIELAB."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(DEFICIENCIES[deficiency]) @ linear, 0, 1)
    x = TO_XYZ @ seen / TO_XYZ.sum(axis=1)
    x, y, z = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def closest(palette, deficiency):
    """The distance of the two colours of a palette that are most alike."""
    seen = [lab(colour, deficiency) for colour in palette]
    return min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colours_differ_for_colour_blind_readers(deficiency):
    assert closest(PALETTE.values(), deficiency) > 15
    for palette in PALETTES.values():
        assert closest(palette, deficiency) > 12


def test_red_and_green_are_no_such_colours():
    """Control: the simulation makes these alike."""
    assert closest(["#D62728", "#8C8A1A"], "none") > 50
    assert closest(["#D62728", "#7A6A10"], "deutan") < 12


def test_lines_of_one_declared_colour_differ_in_one_figure():
    table = regrets().replace({"algo": {"dp_se": "dist_dp_se", "dp_ucb": "dist_rdp_se"}})
    assert len(set(colours(dp.plot(table)).values())) == 4


@pytest.mark.slow
def test_colours_of_algorithms_can_be_given():
    """By the names of our palette, of matplotlib, or as codes; no other algorithm has them."""
    given = {"dp_se": "sky blue", "dp_ucb": "crimson"}
    found = colours(dp.plot(regrets(), colors=given))
    assert found["DP-SE"] == "#56b4e9" and found["DP-UCB"] == "#dc143c"
    assert len(set(found.values())) == len(found)


def test_the_command_and_python_share_their_options():
    found = FigureOptions.parse({"width": "text", "only": ["a"], "title": None})
    assert (found.width, found.only, found.title) == (5.5, ("a",), None)
    assert json.dumps(list(found.rc()["font.family"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ylim": (0, 9)}, "ylim=[0,9]: a logarithmic axis shows numbers above 0; yscale=linear"),
        ({"ylim": (-1, 9), "yscale": "log"}, "ylim=[-1,9]: a logarithmic axis"),
        ({"labels": {"dp_se": "\u65e5"}, "figsize": (5.5, 2.2)}, "DejaVu Sans has no character"),
        (
            {"title": "\u65e5 $T$"},
            "(U+65E5); font=NAME chooses an installed font with this character",
        ),
        ({"out": "paper.pfd"}, "out=paper.pfd: figures are written as pdf, png, svg, pgf"),
        ({"out": "fig/"}, "out=fig/: the path of a file is needed, not of a folder"),
        ({"out": "."}, "out=.: the path of a file is needed, not of a folder"),
        ({"colors": {"dp_se": "blakc"}}, "did you mean black?"),
        ({"colors": {"dp_se": "vermilion"}}, "did you mean vermillion?"),
        ({"palette": ["darkgren", "red"]}, "did you mean darkgreen?"),
        ({"hue": "run"}, "hue=run: not a column of settings; choose from algo, eps"),
        ({"col": "setting"}, "col=setting: not a column of settings; choose from"),
        ({"x": "run"}, "x=run: not a column of settings; choose from t, eps"),
    ],
)
def test_what_a_figure_cannot_show_is_refused(given, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in message_of(dp.plot, regrets(), **given)
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_limits_from_zero_on_a_linear_axis():
    linear = dp.plot(regrets(), ylim=(0, 9), yscale="linear").axes[0]
    average = dp.plot(regrets(), metric="average", ylim=(0.5, 9)).axes[0]
    assert (linear.get_ylim(), average.get_ylim()) == ((0, 9), (0.5, 9))


@pytest.mark.slow
def test_names_as_text_with_commas(tmp_path):
    figure = dp.plot(regrets(), only="dp_se, adap_ucb", highlight="dp_se", out=tmp_path / "e0.5")
    assert legend_of(figure) == ["DP-SE", "AdaP-UCB"]
    assert sorted(x.name for x in tmp_path.iterdir()) == ["e0.5.pdf", "e0.5.png"]


@pytest.mark.slow
def test_figures_are_white_in_a_dark_style(tmp_path):
    """In the user's own dark axes, black lines are white."""
    with style.context("dark_background"):
        figure = dp.plot(regrets((1.0,)))
        figure.savefig(tmp_path / "dark.png")
        axes = Figure().add_subplot()
        dp.plot(regrets((1.0,)), ax=axes, colors={"dp_se": "black"})
    assert set(to_rgb(figure.get_facecolor()) + figure.axes[0].get_facecolor()) == {1.0}
    assert (image.imread(tmp_path / "dark.png")[0, 0] == 1.0).all()
    assert all(sum(to_rgb(text.get_color())) < 1 for text in texts(figure))
    assert colours(axes.figure)["DP-SE"] == "#ffffff"
    assert all(sum(to_rgb(x.get_color())) > 2 for x in axes.get_legend().get_texts())


def test_environments_are_chosen_by_their_labels_too():
    given = {"horizon": 20, "runs": 2, "jobs": 1, "backend": "threads"}
    means = {"Coins": [0.6, 0.5], "Dice": [0.9, 0.5]}
    envs = [dp.environment("bernoulli", means=x, label=name) for name, x in means.items()]
    tables = [dp.run("ucb", env, **given) for env in envs]
    assert len(dp.plot(tables, env="Dice").axes) == 1
    assert len(dp.plot(tables, env="bernoulli").axes) == 2
    assert "choose from" in message_of(dp.plot, tables, env="Tea")


def test_other_axes_of_the_user_s_figure_keep_their_scales_and_labels():
    """Mutation: the scales, or the names of a metric, are those of all axes of the figure."""
    mine, other = Figure().subplots(1, 2)
    other.set(ylabel="pseudo-regret", title="of others")
    dp.plot(regrets((1.0,)), ax=mine, xscale="log", yscale="log", metric="average")
    assert (mine.get_xscale(), mine.get_ylabel()) == ("log", "average regret")
    assert (other.get_xscale(), other.get_ylabel()) == ("linear", "pseudo-regret")

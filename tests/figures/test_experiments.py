"""Every experiment runs in small, is drawn from its table alone, and is reproduced."""

import inspect
import itertools
import json
import os
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import yaml
from commands import command
from helpers import CONF
from legends import legend_of
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.text import Text
from PIL import Image
from sweeps import requested

import dpbandits as dp
from dpbandits.errors import BadInput
from dpbandits.figures import experiments
from dpbandits.figures.colours import APART, distance
from dpbandits.figures.draw import KINDS, figure_of_experiment
from dpbandits.figures.experiments import experiment_figure
from dpbandits.figures.options import WIDTHS
from dpbandits.figures.style import BOUND, Chart, save
from dpbandits.files import package_folder
from dpbandits.results.manifest import is_current
from dpbandits.results.table import Table
from dpbandits.settings.groups import question_of

EXPERIMENTS = list(dp.experiments().index)
OF_HORIZONS = {"chowdhury2023"}  # which vary the horizon: only the runs are fewer
DRAWN_AGAIN = {"azize2022_fig8", "sajed2019_stopping", "ren2020_fig1e"}  # one of each kind


def reproduced(name, folder):
    """The two files of the figure of an experiment in small."""
    limit = question_of(name).limit
    small = {} if name in OF_HORIZONS else {limit: 3000}
    pdf, png = dp.reproduce(name, folder, runs=2, **small)
    assert (pdf, png) == tuple(folder / "figures" / f"{name}.{x}" for x in ("pdf", "png"))
    assert pdf.read_bytes().startswith(b"%PDF")
    assert np.asarray(Image.open(png).convert("L")).std() > 5
    return pdf, png


def check_readable(figure):
    """At the width of a paper's text: letters of 7 points and more, legends of at most a quarter of
    the height, and any two lines that differ by dash (or mark) or by 20 in CIELAB, in grey and to
    the colour-blind.
    """
    figure.draw_without_rendering()
    texts = [x for x in figure.findobj(Text) if x.get_visible() and x.get_text().strip()]
    assert figure.get_figwidth() == WIDTHS["text"]
    assert min(text.get_fontsize() for text in texts) >= 7
    for legend in figure.legends:
        titled = legend.get_title().get_window_extent().height
        assert legend.get_window_extent().height - titled < figure.bbox.height / 4
    panels = [ax.get_window_extent().width for ax in figure.axes if ax.get_visible()]
    assert min(panels) >= 0.9 * figure.dpi
    looks = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            line = handle[0] if isinstance(handle, tuple) else handle
            if isinstance(line, Line2D) and line.get_gid() != BOUND:
                dash = line.get_linestyle(), line._dash_pattern
                looks[label] = line.get_marker() if dash[0] == "None" else dash, line.get_color()
    for one, other in itertools.combinations(looks.values(), 2):
        assert one[0] != other[0] or distance(to_hex(one[1]), to_hex(other[1])) >= APART


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [n if n in DRAWN_AGAIN else pytest.param(n, marks=pytest.mark.long) for n in EXPERIMENTS],
)
def test_an_experiment_is_reproduced_in_small_and_may_have_bounds(name, tmp_path):
    """One figure of each kind is drawn again, with the same bytes."""
    pdf, png = reproduced(name, tmp_path)
    check_readable(experiment_figure(name, tmp_path)[1])
    if name in DRAWN_AGAIN:
        before = pdf.read_bytes(), png.read_bytes()
        stem, figure = experiment_figure(name, tmp_path)
        assert stem == pdf.with_suffix("") and isinstance(figure, Chart)
        save(figure, stem)
        assert before == (pdf.read_bytes(), png.read_bytes())
    table = dp.load(tmp_path / f"{name}.csv")
    if "bounds" in inspect.signature(figure_of_experiment(name, Table.of_frame(table))).parameters:
        _, drawn = experiment_figure(name, tmp_path, bounds=True)
        texts = legend_of(drawn)
        assert any("bound" in text for text in texts)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_describes_its_figure_or_has_a_script(name):
    described = yaml.safe_load((CONF / "experiment" / f"{name}.yaml").read_text()).get("figure")
    assert (described is None) == (package_folder("experiments") / f"{name}.py").is_file()
    assert described is None or (described["kind"] in KINDS and described["title"])


@pytest.mark.long
def test_one_script_reproduces_all_experiments_and_leaves_alone_what_is_current(tmp_path):
    script = package_folder("experiments") / "all.py"
    names = ["azize2022_fig3", "azize2022_fig8", "sajed2019_stopping"]
    words = [script, *names, "horizon=300", "runs=2", f"results={tmp_path}"]
    done = command(*words)
    assert done.returncode == 0, done.stderr
    drawn = sorted(f.name for f in (tmp_path / "figures").glob("*.pdf"))
    assert drawn == [f"{name}.pdf" for name in names]
    made = {f: f.stat().st_mtime_ns for f in tmp_path.rglob("*") if f.suffix in (".csv", ".png")}
    bytes_of = {f: f.read_bytes() for f in made}
    tables = [tmp_path / f"{name}.csv" for name in names]
    tables[0].write_text(tables[0].read_text().replace("ucb", "kcb"))  # edited
    assert command(*words).returncode == 0
    touched = {f for f, before in made.items() if f.stat().st_mtime_ns != before}
    summary = tables[0].with_suffix(".summary.csv")
    assert touched == {tables[0], summary, tmp_path / "figures" / f"{names[0]}.png"}
    assert all(f.read_bytes() == before for f, before in bytes_of.items())
    bad = command(script, "azize")
    assert (bad.returncode, len(bad.stderr.splitlines())) == (2, 1)


@pytest.mark.slow
def test_a_table_is_current_if_its_manifest_says_so(tmp_path):
    dp.reproduce("azize2022_fig3", tmp_path, horizon=300, runs=2)
    request = requested(tmp_path, experiment="azize2022_fig3", horizon=300, runs=2)
    table = tmp_path / "azize2022_fig3.csv"
    current = partial(is_current, table, request.config, request.settings)
    assert current()
    assert not is_current(table, request.config | {"runs": 3}, request.settings)
    others = [replace(setting, seed=1) for setting in request.settings]
    assert not is_current(table, request.config, others)
    manifest = table.with_suffix(".json")
    right = json.loads(manifest.read_text())
    for wrong in (None, [], 3, right | {"config": []}, right | {"sources": "those of before"}):
        manifest.write_text(json.dumps(wrong))
        assert not current()
    manifest.write_text(json.dumps(right))
    assert current()
    table.with_suffix(".md").write_text("")
    assert not current()


def test_a_figure_is_drawn_again_after_a_change_of_what_draws_it(tmp_path, monkeypatch):
    monkeypatch.setattr("dpbandits.figures.draw.package_folder", lambda name: tmp_path / name)
    table, figures = tmp_path / "mine.csv", [tmp_path / "mine.pdf", tmp_path / "mine.png"]
    described = tmp_path / "conf" / "experiment" / "mine.yaml"
    before = [table.with_suffix(".json"), described, tmp_path / "experiments" / "mine.py"]
    for file in [*figures, *before]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("content")
        os.utime(file, (0, 1 if file in before else 2))
    are_newer = partial(experiments._are_newer, figures, table, described)
    assert are_newer()
    for file in before:
        os.utime(file, (0, 3))
        assert not are_newer()
        os.utime(file, (0, 1))
    before[-1].unlink()
    assert are_newer()
    figures[0].write_text("")
    assert not are_newer()


@pytest.mark.long
def test_changes_do_not_replace_the_table_of_an_experiment(tmp_path):
    """As in bandit-run, unless the table contains that of before."""
    for runs in (2, 3, None):
        dp.reproduce("azize2022_fig8", tmp_path, **({"runs": runs} if runs else {}))
    table = tmp_path / "azize2022_fig8.csv"
    whole = table.read_bytes()
    with pytest.raises(
        BadInput, match=r"^runs=2: .* as it stands; results=DIR of another folder keeps both"
    ):
        dp.reproduce("azize2022_fig8", tmp_path, runs=2, jobs=1)
    assert table.read_bytes() == whole
    dp.reproduce("azize2022_fig8", tmp_path, jobs=1)
    dp.reproduce("azize2022_fig8", tmp_path / "other", runs=2)
    page = table.with_suffix(".md")
    for file in (table.with_suffix(".json"), table):  # as in a fresh checkout
        file.unlink()
        with pytest.raises(BadInput, match=rf"^runs=2: {page} was made with other keys; results="):
            dp.reproduce("azize2022_fig8", tmp_path, runs=2)
    dp.reproduce("azize2022_fig8", tmp_path)  # its own keys
    assert table.read_bytes() == whole
    for suffix in (".json", ".md"):
        table.with_suffix(suffix).unlink()
    dp.reproduce("azize2022_fig8", tmp_path, runs=2)  # control: nobody knows whose table it is
    assert table.read_bytes() != whole


@pytest.mark.slow
def test_a_figure_of_fewer_runs_or_rounds_than_the_file_asks_for_says_so(tmp_path):
    for runs, horizon, said in ((2, 300, True), (50, 10**7, False)):
        rows = [("heldp_ucb_l", "ren_bernoulli", 1.0, horizon, 0, run, t, t)
                for run in range(runs) for t in (1, horizon)]  # fmt: skip
        columns = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
        pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "ren2020_fig1a.csv", index=False)
        _, figure = experiment_figure("ren2020_fig1a", tmp_path)
        title = figure.legends[0].get_title().get_text()
        assert ("2 runs of 300 rounds; not paper scale" in title) == said
        assert ("paper scale" in title) == said

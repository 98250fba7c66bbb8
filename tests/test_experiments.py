"""Every experiment composes, runs in small, and is drawn from its table alone."""

import inspect
import json
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
import yaml
from dpbandits.cli.kinds import BANDITS
from helpers import CONF
from PIL import Image

from dpbandits.cli.config.compose import kind_of, read_request
from dpbandits.cli.plot import experiment_figure
from dpbandits.cli.run import run
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.contracts.display import display_name
from dpbandits.environments.catalogue import build
from dpbandits.errors import BadInput
from dpbandits.figures import draw
from dpbandits.figures.bands import mean_and_band
from dpbandits.figures.draw import KINDS, figure_of_experiment, figure_of_table, load_script
from dpbandits.figures.style import Chart, save
from dpbandits.files import package_folder
from dpbandits.results.tables import is_current, read_table
from dpbandits.theory.azize2022 import lower_bound_terms, privacy_threshold

EXPERIMENTS = sorted(f.stem for f in (CONF / "experiment").glob("*.yaml"))
BUDGETS = {0.1, 0.25, 0.5, 1.0}
FOUR = {"dp_ucb", "dp_se", "adap_ucb", "adap_klucb"}
# What the papers ran: horizon, runs, algorithms, environments, budgets.
PAPERS = {
    "azize2022_fig2": (1e7, 20, FOUR, {"bernoulli_c2"}, {1.0}),
    "azize2022_fig4": (1e7, 20, FOUR, {"bernoulli_c1"}, BUDGETS),
    "azize2022_fig5": (1e7, 20, FOUR, {"bernoulli_c2"}, BUDGETS),
    "azize2022_fig6": (1e7, 20, FOUR, {"bernoulli_c3"}, BUDGETS),
    "azize2022_fig7": (1e7, 20, FOUR, {"bernoulli_c4"}, BUDGETS),
    "azize2022_fig8": (1e7, 20, {"adap_ucb", "adap_klucb"}, {"bernoulli_c1"}, {1.0}),
    "sajed2019_fig1": (
        5e7,
        30,
        {"dp_ucb", "dp_se"},
        {f"bernoulli_c{i}" for i in (1, 2, 3, 4)},
        BUDGETS,
    ),
}


@pytest.mark.parametrize("name", PAPERS)
def test_paper_scale(name):
    horizon, runs, algorithms, environments, budgets = PAPERS[name]
    asked = read_request([f"experiment={name}"], ())
    assert {cell.horizon for cell in asked.cells} == {int(horizon)}
    assert asked.runs == runs
    assert {cell.algo for cell in asked.cells} == algorithms
    assert {cell.env for cell in asked.cells} == environments
    assert {cell.eps for cell in asked.cells} == budgets
    for cell in asked.cells:
        named = dict(zip(cell.algorithm.domains, cell.arguments, strict=True))
        if cell.algo == "dp_ucb":
            assert named["gamma"] == 0.1
        if cell.algo == "dp_se":
            assert named["beta"] == 1 / horizon
        if cell.algo.startswith("adap"):
            assert named["alpha"] == 3.1 or name == "azize2022_fig8"


def test_scale_of_the_experiments_of_our_own():
    """SPEC: T = 1e6, 20 runs; literal constants at 1e12 and, locally at v = .5, at 4e15."""
    for name in ("tao2022_central", "tao2022_local", "wu2023_raw", "wu2023_central"):
        asked = read_request([f"experiment={name}"], ())
        assert asked.runs == 20
        for cell in asked.cells:
            named = dict(zip(cell.algorithm.domains, cell.arguments, strict=True))
            spec = json.loads(cell.env_spec)
            if name.startswith("wu"):
                assert (cell.horizon, named.get("k", 2.0), named.get("v", 1.0)) == (10**6, 2, 1)
                assert named.get("alpha1", spec["alpha"]) == spec["alpha"]
                assert cell.eps in {0.1, 0.5, 1.0} and spec["alpha"] in {0, 0.02, 0.05, 0.1}
            elif "twopoint" in cell.env:
                local = cell.algo == "ldpr_se"
                assert named["c"] == (28 if local else 24)
                far = local and spec["v"] == 0.5
                assert cell.horizon == (4 * 10**15 if far else 10**12)
                assert named["u"] == pytest.approx(1.0) and named["v"] == spec["v"]
            else:
                assert cell.horizon == 10**6 and cell.env == f"pareto_v0{10 * named['v']:g}"
                assert cell.eps in {0.5, 1.0, np.inf}
                assert spec["shape"] == pytest.approx(1.05 + named["v"])


@pytest.mark.slow
def test_the_orders_of_theorem_4_are_measured(tmp_path):
    """Tao et al. 2022: regret like 1/eps, and like gap^(-1/v) for small gaps; heavier tails cost
    more. The first epochs of large gaps are the control: there the slope is another."""
    assert (
        run(read_request(["experiment=tao2022_orders", "runs=3", f"results={tmp_path}"], ())) == 0
    )
    table = read_table(tmp_path / "tao2022_orders.csv")
    last = table[table["t"] == table["horizon"]]
    five, two = last[last["env.means"].isna()], last[last["env.means"].notna()]
    by_eps = five.groupby(["v", "eps"])["regret"].mean().unstack("eps")
    for _, row in by_eps.iterrows():
        slope = np.polyfit(np.log(row.index), np.log(row), 1)[0]
        assert slope == pytest.approx(-1, abs=0.01)
    assert (by_eps.diff().iloc[1:] < 0).all(axis=None)
    gaps = two["env.means"].map(lambda text: np.ptp(json.loads(text)))
    for v, rows in two.groupby("v"):
        means = rows.groupby(gaps)["regret"].mean()
        small, large = means.iloc[:3], means.iloc[-2:]
        slope = np.polyfit(np.log(small.index), np.log(small), 1)[0]
        assert slope == pytest.approx(-1 / v, rel=0.1)
        assert large.iloc[1] > large.iloc[0]


@pytest.mark.slow
def test_contamination_costs_what_it_should(tmp_path):
    """PRAE-R: outliers just inside the truncation level cost regret, more of them more."""
    sweep = "sweep={algo:[prae_r],env:[wu_raw],env.alpha:[0,.005,.02],eps:[1.0]}"
    assert run(read_request([sweep, "horizon=1e6", "runs=10", f"results={tmp_path}"], ())) == 0
    table = read_table(next(tmp_path.glob("*.csv")))
    last = table[table["t"] == table["horizon"]].groupby("env.alpha")["regret"].mean()
    assert last.is_monotonic_increasing and last.iloc[-1] > 10 * last.iloc[0]


def test_practical_constants_are_the_measured_ones():
    rows = (CONF.parent / "results" / "practical_constants.md").read_text().splitlines()[2:]
    chosen = {row.split("|")[1].strip(): float(row.split("|")[-2]) for row in rows}
    assert set(chosen) == {"dpr_ucb", "dpr_se", "ldpr_se"}
    for name, c in chosen.items():
        assert load(find_file(name)).domains["c"].names["practical"] == c


def test_fig3_spans_both_regimes():
    asked = read_request(["experiment=azize2022_fig3"], ())
    budgets = sorted(cell.eps for cell in asked.cells)
    assert (budgets[0], budgets[-1], asked.runs, asked.cells[0].horizon) == (0.05, 10, 20, 10**7)
    ratios = np.diff(np.log(budgets))
    assert ratios.max() < 1.2 * ratios.min()


def test_named_instances():
    instances = {
        "bernoulli_c1": [0.75, 0.70, 0.70, 0.70, 0.70],
        "bernoulli_c2": [0.75, 0.625, 0.5, 0.375, 0.25],
        "bernoulli_c3": [0.75, 0.53125, 0.375, 0.28125, 0.25],
        "bernoulli_c4": [0.75, 0.71875, 0.625, 0.46875, 0.25],
        "bernoulli_gap": [0.8, 0.1, 0.1, 0.1, 0.1],
        "twopoint_heavy": [0.9, 0.7, 0.5, 0.3, 0.1],
    }
    for env, means in instances.items():
        asked = read_request([f"env={env}", "algo=ucb"], ()) if "heavy" not in env else None
        spec = {"law": "twopoint_heavy", "means": means, "v": 0.9, "g": None}
        instance = asked.cells[0].instance if asked else build(spec)
        assert instance.means == pytest.approx(means, abs=1e-15)
    wide = read_request(["env=bernoulli_c2", "env.arms=11", "algo=ucb"], ()).cells[0].instance
    assert wide.means == pytest.approx(np.linspace(0.75, 0.25, 11))


def test_twopoint_heavy_has_the_moment_that_it_promises():
    for v in (0.5, 0.9):
        spec = {"law": "twopoint_heavy", "means": [0.9, 0.3], "v": v, "g": None}
        env = build(spec).environment
        moments = env.parameters[:, 2] * env.parameters[:, 1] ** (1 + v)
        assert moments == pytest.approx([1.0, 1 / 3])


LONG = {"tao2022_calibration", "wu2023_central", "wu2023_raw", "tao2022_orders", "ren2020_fig2"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in EXPERIMENTS]
)
def test_smoke(name, tmp_path, capsys):
    longest = "horizon" if kind_of([f"experiment={name}"], (), BANDITS) is BANDITS else "cap"
    given = [f"experiment={name}", f"{longest}=3000", "runs=2", f"results={tmp_path}"]
    assert run(read_request(given, ())) == 0
    path = tmp_path / f"{name}.csv"
    assert capsys.readouterr().out.splitlines()[-1] == str(path)
    stem, figure = experiment_figure(name, tmp_path)
    assert stem == tmp_path / "figures" / name and isinstance(figure, Chart)
    pdf, png = save(figure, stem)
    assert pdf.read_bytes().startswith(b"%PDF")
    pixels = np.asarray(Image.open(png).convert("L"))
    assert pixels.std() > 5
    before = pdf.read_bytes(), png.read_bytes()
    save(experiment_figure(name, tmp_path)[1], stem)
    assert before == (pdf.read_bytes(), png.read_bytes())
    if "bounds" in inspect.signature(figure_of_experiment(name, pd.read_csv(path))).parameters:
        _, drawn = experiment_figure(name, tmp_path, bounds=True)
        texts = [text.get_text() for text in drawn.legends[0].get_texts()]
        assert any("bound" in text for text in texts)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_describes_its_figure_or_has_a_script(name):
    described = yaml.safe_load((CONF / "experiment" / f"{name}.yaml").read_text()).get("figure")
    assert (described is None) == (package_folder("experiments") / f"{name}.py").is_file()
    assert described is None or (described["kind"] in KINDS and described["title"])


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
        ("{kind: time, band: wide}", ["figure.band=wide: std or ci"]),
        ("{kind: time, title: 3}", ["figure.title=3: text"]),
        ("{kind: stopping}", ["figure.kind=stopping of experiment mine", "cannot draw regret"]),
        ("time", ["figure=time of experiment mine", "{kind: time, title: TITLE}"]),
        ("{kind: time", ["mine.yaml: not a readable YAML file"]),
    ],
)
def test_a_bad_figure_is_refused_in_one_line(tmp_path, monkeypatch, figure, parts):
    monkeypatch.setattr(draw, "package_folder", lambda name: tmp_path / name)
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


def test_display_names_are_declared_beside_the_guarantees():
    names = {f.stem: display_name(f.stem) for group in ("algo", "rule")
             for f in (CONF / group).glob("*.yaml")}  # fmt: skip
    assert names["adap_klucb"] == "AdaP-KLUCB" and names["dp_nas_exp"] == "DP-NAS-EXP"
    assert all(text[0].isupper() and "_" not in text for text in names.values())
    assert len(set(names.values())) == len(names)
    for other in ("mine", "sparse_vector", "../algorithms/ucb", "__init__", "", "$x"):
        assert display_name(other) == other


def test_all_experiments_are_run_and_drawn_by_one_script(tmp_path):
    script_of_all = package_folder("experiments") / "all.py"
    names = ["azize2022_fig3", "azize2022_fig8", "sajed2019_stopping"]
    words = [*names, "horizon=300", "runs=2", f"results={tmp_path}"]
    done = subprocess.run([sys.executable, script_of_all, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    drawn = sorted(f.name for f in (tmp_path / "figures").glob("*.pdf"))
    assert drawn == [f"{name}.pdf" for name in names]
    made = {f: f.stat().st_mtime_ns for f in tmp_path.rglob("*") if f.suffix in (".csv", ".png")}
    bytes_of = {f: f.read_bytes() for f in made}
    tables = [tmp_path / f"{name}.csv" for name in names]
    tables[0].write_text(tables[0].read_text().replace("ucb", "kcb"))  # edited
    subprocess.run([sys.executable, script_of_all, *words], capture_output=True, check=True)
    touched = {f for f, before in made.items() if f.stat().st_mtime_ns != before}
    assert touched == {tables[0], tmp_path / "figures" / f"{names[0]}.png"}
    assert all(f.read_bytes() == before for f, before in bytes_of.items())
    request = read_request([*words[3:], "experiment=azize2022_fig3"], ())
    is_left_alone = partial(is_current, tables[0], request.config, request.cells)
    assert is_left_alone()
    manifest = tables[0].with_suffix(".json")
    right = json.loads(manifest.read_text())
    for wrong in (None, [], 3, right | {"config": []}, right | {"sources": "those of before"}):
        manifest.write_text(json.dumps(wrong))
        assert not is_left_alone()
    manifest.write_text(json.dumps(right))
    tables[0].with_suffix(".md").write_text("")
    assert not is_left_alone()
    bad = subprocess.run([sys.executable, script_of_all, "azize"], capture_output=True, text=True)
    assert (bad.returncode, len(bad.stderr.splitlines())) == (2, 1)


def test_a_figure_is_drawn_again_after_a_change_of_what_draws_it(tmp_path, monkeypatch):
    every = load_script("all")
    monkeypatch.setattr(every, "package_folder", lambda name: tmp_path / name)
    table, figures = tmp_path / "mine.csv", [tmp_path / "mine.pdf", tmp_path / "mine.png"]
    before = [table.with_suffix(".json"), tmp_path / "conf" / "experiment" / "mine.yaml"]
    before += [tmp_path / "experiments" / "mine.py"]
    for file in [*figures, *before]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("content")
        os.utime(file, (0, 1 if file in before else 2))
    assert every.are_newer(figures, table)
    for file in before:
        os.utime(file, (0, 3))
        assert not every.are_newer(figures, table)
        os.utime(file, (0, 1))
    before[-1].unlink()
    assert every.are_newer(figures, table)
    figures[0].write_text("")
    assert not every.are_newer(figures, table)


def test_bands():
    rows = pd.DataFrame({"t": [1] * 4 + [2] * 4, "regret": [0, 2, 4, 6, 1, 1, 1, 1]})
    std = mean_and_band(rows, "t", "std")
    assert std["mean"].tolist() == [3, 1]
    assert std["high"][0] == pytest.approx(3 + np.sqrt(20 / 3))
    ci = mean_and_band(rows, "t", "ci")
    assert ci["low"][0] == pytest.approx(3 - 3.182446 * np.sqrt(20 / 3) / 2, rel=1e-6)
    assert (ci["low"][1], ci["high"][1]) == (1, 1)


def test_a_picture_of_any_table():
    rows = []
    for algo in ("mine", "ucb"):
        for eps in (0.1, 1.0) if algo == "mine" else (np.inf,):
            for run_ in range(3):
                for t in (1, 10, 100):
                    rows.append((algo, "e", eps, 100, 0, run_, t, t * (1 + run_)))
    names = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
    figure = figure_of_table(pd.DataFrame(rows, columns=names), "any")
    assert len(figure.axes) == 2
    assert [len(ax.lines) for ax in figure.axes] == [2, 2]  # ucb is drawn at every budget


def test_a_parameter_that_varies_in_one_panel_only_is_drawn(tmp_path):
    sweep = "sweep=[{algo:[adap_ucb],alpha:[1,2],env:[bernoulli_c1]},{algo:[adap_ucb],alpha:[3]}]"
    asked = read_request([sweep, "horizon=500", "runs=2", f"results={tmp_path}"], ())
    assert run(asked) == 0
    figure = figure_of_table(read_table(next(tmp_path.glob("*.csv"))), "any")
    assert [len(ax.lines) for ax in figure.axes] == [2, 1]
    colours = {line.get_color() for ax in figure.axes for line in ax.lines}
    assert len(colours) == 3


def test_the_two_regimes_part_at_the_threshold():
    """Azize & Basu 2022, Fig. 3: kl/(6 gap) = .273 for .8 against .1."""
    threshold = privacy_threshold(0.1, 0.8)
    assert threshold == pytest.approx(0.273, abs=5e-4)
    information, privacy = lower_bound_terms([0.8, 0.1, 0.1, 0.1, 0.1], threshold, 1e7)
    assert information == pytest.approx(privacy)
    assert information == pytest.approx(np.log(1e7) * 4 * 0.7 / 1.1456, rel=1e-3)
    assert lower_bound_terms([0.8, 0.1], 0.1, 1e7)[1] > lower_bound_terms([0.8, 0.1], 1, 1e7)[1]

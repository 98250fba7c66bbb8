"""``env.label`` names an environment in figures and summaries, and decides no run."""

import json

import pandas as pd
import pytest
from legends import legend_of
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import compare, plot, run
from dpbandits.cli.words import read_request
from dpbandits.contracts.question import REGRET
from dpbandits.results.table import Table, join
from dpbandits.settings.compose import request_from

FAIR = {"law": "bernoulli", "means": [0.5, 0.4]}
SMALL = {"horizon": 50, "runs": 1}


@pytest.mark.slow
def test_a_label_stands_in_figures_and_decides_no_run():
    plain, named = (
        dp.run("ucb", env=env, **SMALL) for env in (FAIR, FAIR | {"label": "Coins, $1"})
    )
    assert plain.equals(named)
    assert titles(plain) == ["Bernoulli 0.5, 0.4"] and titles(named) == [r"Coins, \$1"]
    other = dp.environment("bernoulli_c2", label="Five")
    assert titles(dp.run("ucb", env=other, **SMALL)) == ["Five"]
    assert titles(dp.run("ucb", env=[other, "bernoulli_c1"], **SMALL)) == ["Five", "C1"]


@pytest.mark.slow
def test_each_label_has_its_panel_and_its_bounds(bandit, tmp_path):
    for means, label in (("[.8,.7]", "Mine"), ("[.9,.7]", "Yours")):
        line = f"algo=dp_se env=bernoulli 'env.means={means}' env.label={label}"
        bandit(run, f"{line} horizon=1e3 runs=2 jobs=1")
    summaries = "\n".join(file.read_text() for file in tmp_path.glob("results/*.tex"))
    shown = "\n".join(bandit(compare, "results out=both"))
    for text in summaries, shown:
        assert "Mine" in text and "Yours" in text and "ernoulli" not in text
    bandit(plot, "results bounds=true marks=true out=both.svg")
    drawn = (tmp_path / "both.svg").read_text()
    assert "Mine" in drawn and "Yours" in drawn
    assert "bound" in drawn.partition("</metadata>")[2]


def test_panels_of_one_law_have_the_same_bounds_against_the_budget():
    given = {"horizon": 1000, "runs": 2, "eps": [0.1, 0.2, 0.5, 1, 2]}
    tables = [
        dp.run("dp_se", env=dp.environment("bernoulli", means=[0.8, x], label=str(x)), **given)
        for x in (0.6, 0.7)
    ]
    figure = dp.plot(join([Table.of_frame(x) for x in tables]).frame(), bounds=True)
    kinds = [[line.get_gid() for line in ax.get_lines()] for ax in figure.axes]
    assert kinds[0] == kinds[1] and kinds[0].count("bound") >= 3


def titles(table):
    """Those of the panels, or of a single panel's figure: UCB on ENVIRONMENT, $T$ = 50."""
    figure = dp.plot(table)
    if len(figure.axes) == 1:
        return [figure.heading.get_text().removeprefix("UCB on ").removesuffix(", $T$ = 50")]
    return [ax.get_title() for ax in figure.axes]


@pytest.mark.slow
def test_environments_of_one_label_are_told_apart_by_their_names(bandit, tmp_path):
    """One line was the mean over two environments, and they were compared as one game."""
    (tmp_path / "mine" / "env").mkdir(parents=True)
    for name, base, label in (
        ("a", "bernoulli_c1", "Coins"), ("b", "bernoulli_c2", "Coins"), ("c", "bernoulli_c2", "C1")
    ):  # fmt: skip
        file = tmp_path / "mine" / "env" / f"{name}.yaml"
        file.write_text(f"defaults: [{base}, _self_]\nlabel: {label}\n")
    line = "--config-dir mine -m algo=ucb,eps_greedy horizon=50 runs=4 jobs=1 env"
    for given, named in {
        "a,b": ["Coins (a)", "Coins (b)"],
        "c,bernoulli_c1": ["C1 (c)", "bernoulli_c1"],
        "a,c": ["Coins", "C1"],
    }.items():
        table = tmp_path / next(x for x in bandit(run, f"{line}={given}") if x.endswith(".csv"))
        summary = table.with_suffix(".md").read_text()
        assert all(f"| {name} " in summary for name in named)
        found = dp.load(table)
        assert dp.summary(found)["env"].unique().tolist() == named
        assert dp.compare(found).groupby("env")["ratio"].min().eq(1).all()
        shown = [{"bernoulli_c1": "C1"}.get(x, x) for x in named]
        assert [ax.get_title() for ax in dp.plot(found).axes] == shown
        ends = found[found["t"] == 50].groupby(["env", "algo"], sort=False)["regret"].mean()
        drawn = [line.get_ydata()[-1] for ax in dp.plot(found).axes for line in ax.lines]
        assert sorted(drawn) == pytest.approx(sorted(ends))


def test_environments_of_one_title_are_told_apart_in_figures():
    rows = {"algo": "a", "t": 1, "regret": [1.0, 2.0], "env": ["C1", "bernoulli_c1"]}
    figure = dp.plot(pd.DataFrame(rows), x="t", hue="env")
    assert legend_of(figure) == ["C1 (C1)", "C1 (bernoulli_c1)"]
    assert [line.get_ydata().tolist() for line in figure.axes[0].lines] == [[1.0], [2.0]]


@pytest.mark.slow
def test_the_command_and_a_file_take_a_label(bandit, tmp_path):
    line = "algo=ucb horizon=50 runs=1 jobs=1 env"
    for word, label in ((".label='My coins'", "My coins"), (".label=Others", "Others")):
        bandit(run, line + word)
        (table,) = tmp_path.rglob("*.csv")
        assert titles(dp.load(table)) == [label]
    bandit(plot, f"{table} out=named.svg")
    assert "Others" in next(tmp_path.rglob("named.svg")).read_text()
    (tmp_path / "mine" / "env").mkdir(parents=True)
    own = "# Mine\nlaw: bernoulli\nmeans: [.5, .4]\nlabel: Of a file\n"
    (tmp_path / "mine" / "env" / "own.yaml").write_text(own)
    bandit(run, f"--config-dir mine results=other {line}=own")
    (table,) = tmp_path.glob("other/*.csv")
    assert titles(dp.load(table)) == ["Of a file"]
    bandit(run, f"--config-dir mine results=other {line}=own env.label=Mine")
    assert titles(dp.load(table)) == ["Mine"]


@pytest.mark.parametrize("label", [1, ["A"], "", "x" * 81, "a\nb"])
def test_a_label_is_a_line(label):
    found = message_of(dp.run, "ucb", env=FAIR | {"label": label}, **SMALL)
    assert found.startswith("env.label=") and "a line of at most 80 characters" in found


def test_one_label_names_one_environment():
    two = [FAIR | {"label": "A"}, {"law": "bernoulli", "means": [0.9, 0.1], "label": "B"}]
    found = message_of(dp.run, "ucb", env=two, **SMALL)
    assert found == "env.label=B: env chooses bernoulli twice, with the label A; run each alone"


def test_the_label_of_labelled_data_is_their_column_of_classes(tmp_path):
    """Mutation that it catches: the label is set aside as the name in figures, as on other laws."""
    rows = [f"{x},{x % 2},{x % 3}" for x in range(60)]
    (tmp_path / "users.csv").write_text("\n".join(["x,kind,sort", *rows]))
    line = f"algo=square_cb eps=4 env=labels env.source={tmp_path / 'users.csv'}"
    for words in ("env.label=kind", "sweep.env.label=[kind,sort]"):
        found = read_request([*line.split(), words], ()).settings
        assert [json.loads(x.env_spec)["label"] for x in found] == ["kind", "sort"][: len(found)]
    env = dp.labelled(tmp_path / "users.csv", label="sort")
    (found,) = request_from(REGRET, {"algo": "square_cb", "env": env, "eps": 4}, {}).settings
    assert json.loads(found.env_spec)["label"] == "sort" and found.horizon == 60


def test_the_label_of_an_inlier_is_left_out_at_each_point_of_a_sweep():
    env = {"law": "contaminated", "inlier": FAIR | {"label": "Coins"}}
    rest = {"outlier": 0.0, "relative": False, "stage": "rewards"}
    envs = [env | rest | {"alpha": alpha} for alpha in (0.05, 0.1)]
    given = {"algo": "ucb", "env": envs, "assume": True, **SMALL}
    found = [json.loads(x.env_spec) for x in request_from(REGRET, given, {}).settings]
    assert [x["inlier"] for x in found] == [FAIR, FAIR]
    assert [x["alpha"] for x in found] == [0.05, 0.1]


def test_a_label_may_refer_to_a_key_but_not_to_one_that_varies(tmp_path):
    """Mutation that it catches: the first label names all environments."""
    (tmp_path / "env").mkdir()
    file = "law: one_better\ngap: 0.1\narms: 3\nlabel: gap ${.gap}\n"
    (tmp_path / "env/mine.yaml").write_text(file)
    grids = "sweep=[{env.gap:[0.2]},{algo:[adap_ucb]}]"
    for sweep, first, other in (("env.gap=0.1,0.2", 0.1, 0.2), (grids, 0.2, 0.1)):
        words = ["env=mine", sweep, "horizon=50"]
        found = message_of(read_request, words, (str(tmp_path),), multirun=True)
        assert f"env.label=gap {other}: the label of mine is gap {first} at another" in found
    for sweep in ("env.gap=0.2", "eps=0.1,0.2"):
        words = ["env=mine", sweep, "horizon=50"]
        found = read_request(words, (str(tmp_path),), multirun=True)
        assert len({x["label"] for x in found.records.values()}) == 1

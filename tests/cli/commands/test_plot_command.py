"""bandit-plot: the figures that it writes, and the tables that no figure can hold together."""

import json
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from refusals import message_of
from sweeps import report, requested

import dpbandits as dp
from dpbandits.cli import compare, plot, run, stop
from dpbandits.figures.labels import labelled
from dpbandits.results.table import open_tables

SMALL = "horizon=1000 runs=2 jobs=1 checkpoints=10"
REGRETS = "algo,env,eps,horizon,seed,run,t,regret\nucb,bernoulli_c2,inf,100,0,0,100,5\n"


def is_drawn(path: Path) -> bool:
    magic = {".pdf": b"%PDF", ".png": b"\x89PNG"}[path.suffix]
    return path.read_bytes().startswith(magic) and path.stat().st_size > 5_000


@pytest.mark.slow
def test_tables_are_drawn_as_pdf_and_png(bandit):
    first, second = (bandit(run, f"algo={a} {SMALL}")[-1] for a in ("ucb", "adap_ucb"))
    one = [Path(line) for line in bandit(plot, first)]
    assert one == [Path(first).with_suffix(".pdf"), Path(first).with_suffix(".png")]
    assert all(map(is_drawn, one))
    before = one[1].read_bytes()
    both = [Path(line) for line in bandit(plot, f"{first} {second}")]
    assert [path.name for path in both] == [
        f"{one[0].stem}-and-1-more{x}" for x in (".pdf", ".png")
    ]
    assert all(map(is_drawn, both)) and one[1].read_bytes() == before


@pytest.mark.slow
def test_tables_of_stopping_times_are_drawn(bandit):
    small = "env.mean=0.5 runs=3 jobs=1"
    first = bandit(stop, f"rule=dp_nas {small}")[-1]
    second = bandit(stop, f"rule=nas {small} cap=50")[-1]
    assert all(is_drawn(Path(x)) for x in bandit(plot, f"{first} {second}"))
    Path("regrets.csv").write_text(REGRETS)
    other = bandit(stop, "rule=dp_se_bai env=bernoulli env.means=[0.9,0.5] runs=2 jobs=1")[-1]
    for file, names in (("regrets.csv", "regret, stopping"), (other, "best arm, stopping")):
        message = message_of(open_tables, [Path(first), Path(file)])
        assert message == f"the tables answer different questions: {names}"


@pytest.mark.slow
def test_tables_that_share_no_panel_are_drawn(bandit):
    first = bandit(run, f"algo=adap_ucb eps=1 env=bernoulli_c1 {SMALL}")[-1]
    second = bandit(run, f"algo=dp_se eps=2 env=bernoulli_c2 {SMALL}")[-1]
    assert len(bandit(plot, f"{first} {second}")) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "column", "values"),
    [
        ("horizon=2000", "horizon", [1000, 2000]),
        ("algo.alpha=1", "alpha", [3.1, 1.0]),
        ("env.arms=3", "env.arms", [5, 3]),
        ("seed=1", "seed", [0, 1]),
        ("runs=3", "run", [0, 1, 2]),
    ],
)
def test_tables_are_told_apart_by_their_manifests(bandit, change, column, values):
    """Without the manifests they are refused; a setting in both tables is taken once, also then."""
    tables = [Path(bandit(run, f"{SMALL} algo=adap_ucb {more}")[-1]) for more in ("", change)]
    found = open_tables(tables).runs
    assert list(found[column].unique()) == values
    assert len(found) == len(open_tables([*tables, tables[0]]).runs)
    assert len(bandit(plot, f"{tables[0]} {tables[1]} bounds=true")) == 2
    tables[0].with_suffix(".json").unlink()
    if column == "run":
        assert len(open_tables(tables).runs) == len(found)
    if column in ("alpha", "env.arms"):
        for some in (tables, tables[::-1]):
            assert "no column and no manifest" in message_of(open_tables, some)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("a.csv bounds=true", ["bounds=true needs", "the .json file beside a.csv is missing"]),
        ("b.csv bounds=true", ["bounds=true needs", "the .json file beside b.csv is missing"]),
        ("experiment=wu2023_raw bounds=true", ["wu2023_raw takes no bounds", "wu2023_raw.csv"]),
    ],
)
def test_bounds_that_cannot_be_drawn_are_refused(refused, line, parts):
    file = report(requested(Path("results"), algo="adap_ucb", horizon=100, runs=1, jobs=1))
    for copy in ("a.csv", "b.csv", "results/wu2023_raw.csv"):
        Path(copy).write_bytes(file.read_bytes())
    manifest = json.loads(file.with_suffix(".json").read_text())
    [setting] = manifest["settings"].values()
    setting["horizon"] = 200
    Path("b.json").write_text(json.dumps(manifest))
    message = refused(plot, line.split())
    assert all(part in message for part in parts)


@pytest.mark.slow
def test_the_figure_with_bounds_is_written_beside_the_other(bandit):
    file = report(requested(Path("results"), algo="adap_ucb", eps=0.5, horizon=1000, runs=2))
    pictures = []
    for words, suffix in (("", ""), ("bounds=true", "_bounds")):
        stem = file.with_name(f"{file.stem}{suffix}")
        assert bandit(plot, f"{file} {words}") == [f"{stem}.pdf", f"{stem}.png"]
        assert is_drawn(Path(f"{stem}.pdf"))
        pictures.append(Image.open(f"{stem}.png"))
    plain, drawn = pictures
    assert drawn.height > plain.height and drawn.width == plain.width


@pytest.mark.slow
def test_a_folder_may_hold_tables_of_other_columns_and_kinds(bandit, refused):
    """Settings stand in tables with other columns; budgets are 1 and 1.0; findings are no runs."""
    for words in ("algo=adap_ucb", "algo=ucb env.arms=3", "'sweep={algo:[adap_ucb],eps:[.1,1]}'"):
        bandit(run, f"{words} algo.alpha=2 {SMALL}" if "adap" in words[:9] else f"{words} {SMALL}")
    bandit(run, f"'sweep={{env.arms:[2,3]}}' algo=ucb {SMALL}")
    Path("results/audit-x.csv").write_text("mechanism,verdict\ntree,consistent\n")
    files = [file for file in sorted(Path("results").glob("*.csv")) if file.stem != "audit-x"]
    for some in (files, files[::-1]):
        found = open_tables(some).runs
        assert {"alpha", "env.arms"} <= set(found.columns)
        assert len(found.drop_duplicates(["algo", "eps", "alpha", "env.arms"])) == 5
    for command in (plot, compare):
        assert bandit(command, "results")
    Path("only").mkdir()
    Path("only/audit-x.csv").write_text("mechanism,verdict\ntree,consistent\n")
    assert refused(plot, ["only"]) == "only: the folder has no tables of runs\n"


@pytest.mark.slow
def test_environments_of_one_name_are_games_of_their_own(bandit):
    """Mutations that it catches: the means of the arms are compared, or in the labels of lines,
    within an algorithm alone.
    """
    tables = [
        Path(bandit(run, f"algo={algo} env=bernoulli env.means=[.9,{mean}] {SMALL}")[-1])
        for algo, mean in (("adap_ucb", 0.8), ("dp_se", 0.1))
    ]
    assert open_tables(tables).runs["env.means"].nunique() == 2
    assert set(labelled(open_tables(tables)).settings["line"]) == {
        "AdaP-UCB, means = [0.9,0.8]", "DP-SE, means = [0.9,0.1]"
    }  # fmt: skip
    assert not any("dp_se" in line and "adap_ucb" in line for line in bandit(compare, "results"))


@pytest.mark.slow
def test_games_that_one_table_varies_have_no_blanks_in_another(bandit):
    """Mutations that it catches: UCB with 5 arms is drawn at any number of arms; it has no eps,
    since its table has only rho.
    """
    five = f"algo=ucb env=bernoulli_c2 {SMALL}"
    swept = f"'sweep={{algo:[adap_ucb],eps:[.1,1],env:[bernoulli_c2],env.arms:[4,5]}}' {SMALL}"
    paths = [Path(bandit(run, line)[-1]) for line in (five, swept)]
    table = open_tables(paths)
    assert table.runs.groupby("algo")["env.arms"].unique().map(sorted).to_dict() == {
        "ucb": [5], "adap_ucb": [4, 5]
    }  # fmt: skip
    assert set(labelled(table).settings["line"]) == {
        "UCB, arms = 5", "AdaP-UCB, arms = 4", "AdaP-UCB, arms = 5"
    }  # fmt: skip
    one = f"'sweep=[{{algo:[ucb]}},{{algo:[adac_ucb],rho:[1],env.arms:[4]}}]' {SMALL}"
    table = dp.load(Path(bandit(run, f"{one} env=bernoulli_c2")[-1]))
    assert table.groupby("algo")["env.arms"].unique().to_dict() == {"ucb": [5], "adac_ucb": [4]}
    rho = f"'sweep={{algo:[ucb,adac_ucb],rho:[.1,1]}}' env=bernoulli_c2 seed=1 {SMALL}"
    table = open_tables([Path(bandit(run, rho)[-1]), paths[1]]).runs
    blank = table.groupby("algo")[["eps", "rho"]].agg(lambda x: x.isna().all())
    assert blank.loc["ucb"].tolist() == [False, False]
    assert blank.loc["adac_ucb"].tolist() == [True, False]
    assert blank.loc["adap_ucb"].tolist() == [False, True]


def test_an_experiment_of_one_s_own_is_compared(bandit):
    file = Path(bandit(run, f"sweep={{algo:[ucb,dp_se]}} {SMALL}")[-1])
    file.rename("results/coins.csv")
    assert bandit(compare, "experiment=coins")[-1] == "results/coins-compare.md"


@pytest.mark.long
def test_a_folder_is_drawn_with_the_table_of_a_multirun_in_it(bandit):
    bandit(run, f"-m algo=adap_ucb algo.alpha=1,3 eps=.5,1 {SMALL}")
    drawn = bandit(plot, "results")
    assert len(drawn) == 2 and all(is_drawn(Path(path)) for path in drawn)
    found = open_tables(sorted(Path("results").glob("*.csv"))).runs
    assert list(found["alpha"].unique()) == [1, 3]
    assert not found.duplicated(["eps", "alpha", "run", "t"]).any()


@pytest.mark.long
def test_an_experiment_is_run_and_drawn(bandit):
    line = "experiment=azize2022_fig8 horizon=2000 runs=2 jobs=1"
    assert bandit(run, line)[-1] == "results/azize2022_fig8.csv"
    found = pd.read_csv("results/azize2022_fig8.csv")
    settings = found[["algo", "alpha"]].drop_duplicates().to_records(index=False).tolist()
    algos = ["adap_ucb", "adap_klucb"]
    assert settings == [(algo, alpha) for algo in algos for alpha in (3.1, 1.0)]
    assert set(found["horizon"]) == {2000} and set(found["run"]) == {0, 1}
    drawn = [Path(path) for path in bandit(plot, "experiment=azize2022_fig8")]
    figures = Path("results/figures")
    assert drawn == [figures / "azize2022_fig8.pdf", figures / "azize2022_fig8.png"]
    assert all(map(is_drawn, drawn))
    first = [path.read_bytes() for path in drawn]
    bandit(plot, "experiment=azize2022_fig8")
    assert [path.read_bytes() for path in drawn] == first


@pytest.mark.slow
def test_an_experiment_in_another_folder_is_drawn_there(bandit):
    bandit(run, "experiment=azize2022_fig8 horizon=500 runs=1 jobs=1 results=other")
    drawn = bandit(plot, "experiment=azize2022_fig8 results=other")
    assert drawn[0] == "other/figures/azize2022_fig8.pdf"
    assert [path.name for path in Path.cwd().iterdir()] == ["other"]


@pytest.fixture
def swept(bandit):
    """A table of two algorithms, three runs, two budgets and two values of alpha."""
    sweep = "'sweep={algo:[adap_ucb,adap_klucb],eps:[.5,1],alpha:[1,3]}' runs=3"
    return bandit(run, f"{sweep} {SMALL.replace('runs=2 ', '')}")[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        ("", "x=t band=ci"),
        ("x=eps band=std", "x=eps band=std"),
        ("x=alpha", "x=alpha band=ci"),
        ("y=quantiles", "x=t band=quantiles"),
        ("kind=tail yscale=log", None),
        ("yscale=linear title=Mine", "x=t band=ci"),
    ],
)
def test_what_is_drawn_can_be_chosen(bandit, swept, keys, chosen):
    said = "" if chosen is None else f"drawn with {chosen}"
    assert bandit(plot, f"{swept} {keys} out=figure format=svg,png", said) == [
        "figure.svg",
        "figure.png",
    ]
    assert Path("figure.svg").read_text().count("<svg") == 1


@pytest.mark.slow
def test_a_figure_in_the_terminal(bandit, swept):
    lines = bandit(plot, f"{swept} out=-")
    assert any("** AdaP-UCB, alpha = 1" in line for line in lines)
    assert "C2" in lines[0] and any("eps = 0.5" in line for line in lines)
    assert not list(Path().rglob("*.p??"))


@pytest.mark.slow
def test_a_table_from_elsewhere_needs_three_columns(bandit):
    Path("theirs.csv").write_text("algo,t,regret\na,1,1\na,10,5\nb,1,2\nb,10,9\n")
    assert bandit(plot, "theirs.csv out=theirs.png") == ["theirs.png"]
    Path("fewer.csv").write_text("algo,regret\na,1\n")
    message = message_of(open_tables, [Path("fewer.csv")])
    assert "no column env" in message and "at least algo, t, regret" in message
    assert message_of(plot.main.__wrapped__, ["theirs.csv", "x=epsilon"]).endswith("choose from t")
    assert bandit(plot, "theirs.csv x=t y=regret out=other.pdf") == ["other.pdf"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("x=alfa", "did you mean alpha?"),
        ("y=mean", "regret or quantiles is needed"),
        ("kind=box", "kind=box: tail or wins is needed"),
        ("band=std y=quantiles", "band=std"),
        ("format=jpg", "format"),
        ("yscale=sqrt", "log or linear is needed"),
        ("x=alpha bounds=true", "x=alpha"),
        ("kind=tail x=t", "kind=tail"),
        ("out=.", "out=.: the path of a file is needed"),
    ],
)
def test_what_cannot_be_drawn_is_refused(swept, keys, reason):
    assert reason in message_of(plot.main.__wrapped__, [swept, *keys.split()])


@pytest.mark.slow
def test_the_axis_that_is_printed_is_that_of_what_is_drawn(here, bandit):
    words = "-m algo=dp_se,ucb eps=.1,.2,.5,1,2 horizon=300 runs=2 jobs=1"
    file = next(x for x in bandit(run, words) if x.endswith(".csv"))
    bandit(plot, f"{file} format=png", errors="drawn with x=eps band=ci")
    bandit(plot, f"{file} only=ucb format=png", errors="drawn with x=t band=ci")


@pytest.mark.slow
def test_an_experiment_of_one_s_own_has_the_figure_of_its_file(bandit, refused):
    """Catches: folders that bandit-plot does not pass on, and a key ``figure`` that is ignored."""
    own = Path("mine/experiment/my1.yaml")
    own.parent.mkdir(parents=True)
    sweep = [{"algo": ["adap_ucb"], "eps": [0.5, 1]}]
    keys = {"horizon": 50, "runs": 2, "sweep": sweep}
    line = "--config-dir mine experiment=my1"

    def write(figure):
        own.write_text("# @package _global_\n" + json.dumps(keys | {"figure": figure}))

    write({"kind": "budget", "title": "Mine"})
    assert "run bandit-run experiment=my1 first" in refused(plot, line.split())
    assert "the file of experiment my1 sets band" in refused(plot, [*line.split(), "band=std"])
    bandit(run, f"{line} jobs=1")
    assert "Mine" in "\n".join(bandit(plot, f"{line} out=-"))
    write({"kind": "nonsense"})
    assert "nonsense" in refused(plot, line.split())
    write({"kind": "budget", "titel": "Mine"})
    assert "titel" in refused(plot, line.split())


def test_a_run_refuses_the_figure_that_could_not_be_drawn(here, refused):
    """The runs may take hours before somebody draws them."""
    own = Path("mine/experiment/my1.yaml")
    own.parent.mkdir(parents=True)
    line = "--config-dir mine experiment=my1 horizon=50 runs=2"
    for figure, said in {
        "{kind: budget, titel: Mine}": "option of figure.kind=budget of experiment my1: 'titel'",
        "{kind: budgets}": "unknown figure.kind of experiment my1: 'budgets': did you mean budget?",
        "{kind: stopping}": "figure.kind=stopping of experiment my1: this kind cannot draw regret",
    }.items():
        own.write_text(f"# @package _global_\nfigure: {figure}\n")
        assert said in refused(run, line.split())
        assert said in refused(run, [*line.split(), "--dry-run"])


@pytest.mark.slow
def test_an_experiment_that_extends_another_has_its_figure(bandit):
    own = Path("mine/experiment")
    own.mkdir(parents=True)
    figure = {"kind": "budget", "title": "The first"}
    keys = {"horizon": 50, "runs": 2, "jobs": 1, "sweep": {"eps": [0.5, 1]}, "figure": figure}
    (own / "first.yaml").write_text("# @package _global_\n" + json.dumps(keys))
    later = "# @package _global_\ndefaults: [first, _self_]\nseed: 1\n"
    for name, more, title in ("a", "", "The first"), ("b", "figure: {title: Mine}\n", "Mine"):
        (own / f"{name}.yaml").write_text(later + more)
        bandit(run, f"--config-dir mine experiment={name}")
        drawn = "\n".join(bandit(plot, f"--config-dir mine experiment={name} out=-"))
        assert title in drawn and "privacy budget" in drawn

"""Tables for a paper."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import budget, compare, run
from dpbandits.comparison.text import sentences
from dpbandits.contracts.question import REGRET
from dpbandits.results.latex import TableOptions, latex_of, parse_table_options
from dpbandits.results.summary import in_words, text_of_summary

SHOWN = ["algo", "eps", "mean", "interval"]


@pytest.fixture
def summary():
    rows = [("dp_se", 0.1, 1234.5), ("dp_se", 1.0, 30.0), ("ucb", np.inf, 5.0),
            ("adap_ucb", 0.1, 2000.0), ("adap_ucb", 1.0, 0.01234)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["algo", "eps", "mean"]).assign(env="bernoulli_c2")
    return frame.assign(ci_low=frame["mean"] - 0.001, ci_high=frame["mean"] + 1, runs=7)


def rows_of(text):
    """The cells of each row."""
    lines = [line for line in text.splitlines() if line.rstrip().endswith(r"\\")]
    return [[cell.strip() for cell in line.rstrip()[:-2].split("&")] for line in lines]


def test_columns_digits_and_the_best(summary):
    text = latex_of(summary, SHOWN, TableOptions(best=True, digits=2))
    assert all(rule in text for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    head, *rows = rows_of(text)
    assert head[:3] == ["algorithm", r"$\epsilon$", "mean"]
    assert [row[2] for row in rows] == [
        r"\textbf{1,200}", "30", "5.0", "2,000", r"\textbf{0.012}"
    ]  # fmt: skip
    assert r"\textbf" not in latex_of(summary, SHOWN, TableOptions())
    compared = summary.assign(tied=[True, False, False, True, True])
    rows = rows_of(latex_of(compared, SHOWN, TableOptions(best=True, digits=2)))[1:]
    bold = [r"\textbf{1,200}", "30", "5.0", r"\textbf{2,000}", r"\textbf{0.012}"]
    assert [row[2] for row in rows] == bold
    columns = parse_table_options({"columns": ["runs", "algo"]})
    chosen = rows_of(latex_of(summary, SHOWN, columns))
    assert chosen[1] == ["7", "DP-SE", "0.1"]  # eps tells the rows apart
    assert len(rows_of(latex_of(summary[:1], SHOWN, columns))[1]) == 2
    alike = summary.assign(algo="ucb", eps=1.0)
    assert "two rows of the table look alike" in message_of(latex_of, alike, SHOWN, TableOptions())


def test_parameters_have_all_their_digits(summary):
    tau = [2.0, np.nan, np.nan, 0.1234567, 0.1236]
    frame = summary.assign(tau=tau)[
        ["algo", "env", "eps", "tau", "mean", "runs", "ci_low", "ci_high"]
    ]
    frame = frame.assign(std=1.0, runs_needed=7)
    rows = rows_of(latex_of(frame, ["algo", "eps", "tau"], TableOptions(digits=2)))[1:]
    assert [row[2] for row in rows] == ["2", "", "", "0.1234567", "0.1236"]
    lines = text_of_summary(frame, REGRET, "pipe").splitlines()[2:]
    assert [line.split("|")[4].strip() for line in lines] == ["2", "", "", "0.1234567", "0.1236"]
    assert in_words(frame, frame.iloc[0], REGRET).endswith("tau=2")


def test_words_have_labels(summary):
    rows = rows_of(
        latex_of(summary, SHOWN, parse_table_options({"labels": {"dp_se": "Ours, 50 %"}}))
    )
    assert [row[0] for row in rows[1:3]] == [r"Ours, 50 \%"] * 2 and rows[3][0] == "UCB"
    for labels, said in (
        ({"dp_see": "x"}, "did you mean dp_se?"),
        ({"dp_se": "x", "ucb": "x"}, "two names of algo have one label"),
        ({}, "labels={}: labels are needed"),
    ):
        given = {"labels": labels}
        assert said in message_of(lambda: latex_of(summary, SHOWN, parse_table_options(given)))  # noqa: B023


def test_bold_means_of_two_games_have_the_column_that_tells_the_games_apart(summary):
    """Catches: bold rows with and without privacy in one table without its budgets. Controls: no
    bold, a single game, and a pivot by the budget.
    """
    free = summary[:1].assign(algo="kl_ucb", eps=np.inf, mean=9.0)
    every = pd.concat([summary[summary["eps"] != 0.1], free], ignore_index=True)
    chosen = TableOptions(columns=("algo", "mean"), best=True)
    head, *found = rows_of(latex_of(every, SHOWN, chosen))
    assert head == ["algorithm", r"$\epsilon$", "mean"]
    assert [row[1] for row in found if "textbf" in row[2]] == ["not private", "1"]
    of_pivot = replace(chosen, pivot="env")
    assert rows_of(latex_of(every, SHOWN, of_pivot))[0] == ["algorithm", r"$\epsilon$", "C2"]
    assert len(rows_of(latex_of(every, SHOWN, replace(chosen, best=False)))[0]) == 2
    private = every[np.isfinite(every["eps"])]
    assert len(rows_of(latex_of(private, SHOWN, chosen))[0]) == 2
    assert len(rows_of(latex_of(every, SHOWN, replace(chosen, pivot="eps")))[0]) == 3


@pytest.fixture
def runs():
    """Three algorithms, of which the two best are not told apart."""
    rng, rows = np.random.default_rng(0), []
    for algo, mean in (("ucb", 100.0), ("dp_se", 101.0), ("dp_ucb", 300.0)):
        for i, x in enumerate(rng.normal(mean, 20.0, 40)):
            rows.append((algo, "bernoulli_c2", 1.0, 100, 0, i, 100, x))
    columns = ["algo", "env", "eps", "horizon", "seed", "run", "t", "regret"]
    return pd.DataFrame(rows, columns=columns)


def test_the_table_of_python_is_that_of_the_command(runs, tmp_path, ended):
    """Columns of summaries and of comparisons mean the same in both; bold is what ties."""
    chosen = ["algo", "mean", "interval", "std", "ratio", "letters"]
    text = dp.latex(runs, columns=chosen, best="tied", labels={"dp_se": "Ours"})
    assert text == dp.latex(runs, columns=",".join(chosen), best="tied", labels={"dp_se": "Ours"})
    dp.save(runs, tmp_path / "a.csv")
    words = ["best=tied", f"columns={','.join(chosen)}", "labels={dp_se: Ours}"]
    code, out, err = ended(compare, f"{tmp_path}/a.csv", *words, f"out={tmp_path}/out")
    assert code == 0, err
    assert (tmp_path / "out.tex").read_text() == f"{text}\n"
    rows = rows_of(text)[1:]
    assert [r"\textbf" in row[1] for row in rows] == [True, True, False]
    assert [row[-1] for row in rows] == ["a", "a", "b"]
    assert "On C2 at eps = 1, horizon = 100, UCB and Ours are not told apart" in out
    assert "the mean of each is smaller than the mean of DP-UCB (" in out
    assert "On C2" in (tmp_path / "out.md").read_text()
    names = [name.strip() for name in out.splitlines()[0].split("  ") if name.strip()]
    assert len(names) == len(set(names))


def test_several_tables_are_one_for_latex(runs):
    first, second = runs[runs["algo"] == "ucb"], runs[runs["algo"] != "ucb"]
    assert dp.latex([first, second]) == dp.latex(runs)


def test_a_sentence_names_only_what_the_test_tells_apart(runs):
    """The mean of an algorithm that shares a letter with a tied one exceeds the best mean alone."""
    compared = dp.compare(runs).assign(letters=["a", "ab", "b"])
    [said] = sentences(compared, REGRET)
    assert "the mean of each" not in said
    assert "; the mean of UCB is smaller than the mean of DP-UCB (" in said
    alone = dp.compare(runs[runs["algo"] != "dp_se"])
    assert "UCB has the smallest mean final regret (" in sentences(alone, REGRET)[0]
    assert sentences(dp.compare(runs[runs["algo"] == "ucb"]), REGRET) == []


def test_a_sentence_names_a_parameter_with_its_value(runs):
    """Mutation that it catches: the value alone, ``(100.0)``."""
    own = runs.assign(m=np.where(runs["algo"] == "ucb", 100.0, np.nan))
    [said] = sentences(dp.compare(own), REGRET)
    assert "UCB (m = 100) and DP-SE are not told apart" in said


def test_a_sentence_says_without_privacy(runs):
    """Catches ``at eps = not private``, also beside a rho."""
    [said] = sentences(dp.compare(runs.assign(eps=np.inf)), REGRET)
    assert " without privacy at horizon = " in said and "not private" not in said
    [said] = sentences(dp.compare(runs.assign(eps=np.inf, rho=0.5)), REGRET)
    assert said.startswith("On bernoulli_c2 at rho = 0.5, horizon = 100, UCB and DP-SE")


def test_a_sentence_names_the_data_of_a_game_beside_its_environment(runs):
    both = pd.concat([runs.assign(**{"env.set": x}) for x in ("old", "new")])
    said = sentences(dp.compare(both), REGRET)
    assert ["env.set = old," in said[0], "env.set = new," in said[1]] == [True, True]
    assert all(", UCB and DP-SE are not told apart" in x for x in said)


def test_a_pivot_has_a_column_for_each_value(summary):
    head, *rows = rows_of(latex_of(summary, SHOWN, TableOptions(pivot="eps", best=True)))
    assert head == ["algorithm", r"$\epsilon = 0.1$", r"$\epsilon = 1$", "not private"]
    assert rows[0] == ["DP-SE", r"\textbf{1,230}", "30.0", ""]
    assert rows[2] == ["AdaP-UCB", "2,000", r"\textbf{0.0123}", ""]
    chosen = TableOptions(columns=("algo", "mean", "interval"), pivot="eps", digits=4)
    _, first, *_ = rows_of(latex_of(summary, SHOWN, chosen))
    assert first == ["DP-SE", "1,234 (1,234 to 1,236)", "30.00 (30.00 to 31.00)", ""]
    single = summary.assign(ci_low=np.nan, ci_high=np.nan)
    assert rows_of(latex_of(single, SHOWN, chosen))[1][1:3] == ["1,234", "30.00"]
    searches = pd.DataFrame({"algo": ["ts", "ts"], "budget": [0.5, 2.0], "name": ["eps", "rho"]})
    budgets = TableOptions(columns=("algo", "name", "budget"), pivot="name")
    head, row = rows_of(latex_of(searches, ["algo"], budgets, measured="budget"))
    assert head[1:] == ["eps", "rho"] and row[1:] == ["0.500", "2.00"]
    ends = TableOptions(columns=("algo", "mean", "ci_low", "ci_high"), pivot="eps")
    assert rows_of(latex_of(summary, SHOWN, ends))[1][1:] == [
        "1,230 (1,230, 1,240)", "30.0 (30.0, 31.0)", ""
    ]  # fmt: skip


def test_a_pivot_shows_rows_that_have_no_value(summary):
    """An algorithm without the parameter, or with another budget, is not left out."""
    varied = summary.assign(alpha=[np.nan, np.nan, np.nan, 2.0, 3.0])
    varied = varied[["algo", "env", "eps", "alpha", "mean"]]
    chosen = TableOptions(columns=("algo", "eps", "mean"), pivot="alpha")
    head, *rows = rows_of(latex_of(varied, SHOWN, chosen))
    assert head[2:] == [r"$\alpha = 2$", r"$\alpha = 3$", r"no $\alpha$"]
    assert [row[2:] for row in rows] == [
        ["", "", "1,230"], ["", "", "30.0"], ["", "", "5.00"], ["2,000", "", ""], ["", "0.0123", ""]
    ]  # fmt: skip


def test_a_blank_tells_rows_of_a_pivot_apart(summary):
    """An algorithm with and without a given value: alpha is shown, as the message says."""
    twice = pd.concat([summary.assign(alpha=3.0), summary.assign(alpha=np.nan)], ignore_index=True)
    twice = twice[["algo", "env", "eps", "alpha", "mean"]]
    with_alpha = TableOptions(columns=("algo", "alpha", "mean"), pivot="eps")
    head, *rows = rows_of(latex_of(twice, SHOWN, with_alpha))
    assert head[:2] == ["algorithm", r"$\alpha$"] and len(rows) == 6
    without = replace(with_alpha, columns=("algo", "mean"))
    assert "add alpha to columns=" in message_of(latex_of, twice, SHOWN, without)


def test_labels_show_the_characters_that_were_typed(summary):
    """Without escapes ^ stops LaTeX, ~ is a space, and < is an exclamation mark."""
    chosen = TableOptions(labels={"dp_se": r"2^9 ~ <a> | \_", "ucb": "$x^2 < 1$"})
    cells = {row[0] for row in rows_of(latex_of(summary, SHOWN, chosen))}
    tilde, bar = r"\textasciitilde{}", r"\textbar{}"
    angles = rf"\textless{{}}a\textgreater{{}} {bar} \textbackslash{{}}\_"
    assert cells >= {rf"2\textasciicircum{{}}9 {tilde} {angles}", "$x^2 < 1$"}


def test_a_pivot_of_several_rows_in_a_cell_says_which_columns_are_needed(summary):
    said = "pivot=eps: several rows belong in one cell; "
    named = summary.drop(columns="mean").assign(
        env=list("aabaa"), setting=list("12345"), mean=summary["mean"]
    )
    named = named[["algo", "env", "eps", "setting", "mean"]]
    for columns in (("mean",), ("env", "mean")):
        message = message_of(latex_of, named, SHOWN, TableOptions(columns=columns, pivot="eps"))
        assert message == f"{said}add algo to columns="
    twice = pd.concat([summary, summary], ignore_index=True)
    message = message_of(latex_of, twice, SHOWN, TableOptions(pivot="eps"))
    assert message == f"{said}no column differs"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"best": "red"}, "best=red: tied, bold or plain"),
        ({"digits": 0}, "digits=0: a whole number of at least 1"),
        ({"columns": ["meen"]}, "did you mean mean?"),
        ({"pivot": "epss"}, "did you mean eps?"),
    ],
)
def test_bad_options_are_refused(summary, given, reason):
    def made():
        return latex_of(summary, SHOWN, parse_table_options(given))

    assert reason in message_of(made)


def test_without_options_the_usual_table_is_written():
    assert parse_table_options({}) is None


STYLE = "columns=algo,eps,mean best=bold digits=2"


def test_compare_writes_the_table_for_a_paper(bandit, refused):
    rows = [f"{a},b,{e},9,0,{r},9,{m + r}" for a, m in (("ucb", 7), ("ts", 50)) for e in (1, 2)
            for r in range(5)]  # fmt: skip
    Path("a.csv").write_text("\n".join(["algo,env,eps,horizon,seed,run,t,regret", *rows, ""]))
    bandit(compare, f"a.csv {STYLE}")
    head, *found = rows_of(Path("a-compare.tex").read_text())
    assert head == ["algorithm", r"$\epsilon$", "mean"] and found[0][2] == r"\textbf{9.0}"
    assert [row[2] for row in found].count("52") == 2
    bandit(compare, "a.csv pivot=eps")
    assert len(rows_of(Path("a-compare.tex").read_text())) == 3
    Path("a-compare.tex").unlink()
    assert "'meen'" in refused(compare, ["a.csv", "columns=meen"])
    assert not Path("a-compare.tex").exists()


def test_files_of_compare_explain_their_columns(bandit):
    """The control is a table with chosen columns, which has no line below it."""
    rows = [f"{a},bernoulli_c2,1,9,0,{r},9,{m + r}" for a, m in (("ucb", 7), ("dp_se", 50))
            for r in range(5)]  # fmt: skip
    Path("a.csv").write_text("\n".join(["algo,env,eps,horizon,seed,run,t,regret", *rows, ""]))
    bandit(compare, "a.csv")
    page, tex = (Path(f"a-compare.{end}").read_text() for end in ("md", "tex"))
    for text in (page, tex):
        assert "tied: shares a letter" in text and "P(smaller): the probability" in text
    below = tex.partition(r"\end{tabular}")[2].splitlines()[1:]
    assert below and all(line.startswith("% ") for line in below)
    bandit(compare, "a.csv columns=algo,mean")
    assert "%" not in Path("a-compare.tex").read_text()


def test_compare_says_how_many_sentences_it_does_not_print(bandit):
    """The control is a table with as many games as sentences are printed."""
    for games, more in ((3, 0), (5, 2)):
        rows = [f"{a},a_large_gap,{e},9,0,{r},9,{m + r}" for a, m in (("ucb", 7), ("dp_se", 50))
                for e in range(1, games + 1) for r in range(3)]  # fmt: skip
        Path("a.csv").write_text("\n".join(["algo,env,eps,horizon,seed,run,t,regret", *rows, ""]))
        lines = bandit(compare, "a.csv")
        assert sum(line.startswith("On a_large_gap at eps = ") for line in lines) == 3
        said = [line for line in lines if line.endswith("a-compare.md has all sentences")]
        assert said == [f"and {more} more: a-compare.md has all sentences"] * bool(more)


@pytest.mark.slow
def test_compare_shows_a_screen_of_rows_and_where_all_are(bandit):
    rows = [f"ucb,b,{e},9,0,{r},9,{7 + r}" for e in range(1, 31) for r in range(3)]
    Path("a.csv").write_text("\n".join(["algo,env,eps,horizon,seed,run,t,regret", *rows, ""]))
    lines = bandit(compare, "a.csv")
    assert "and 10 more rows: a-compare.md has all" in lines
    assert sum(line.startswith("ucb") for line in lines) == 20
    assert Path("a-compare.md").read_text().count("| ucb") == 30


def test_compare_shows_the_best_of_each_game_on_a_screen(bandit):
    """A screen begins with whole games: their letters and their order are those of the file."""
    rows = [f"{a},b,{e},9,0,{r},9,{m + r}" for a, m in (("ucb", 70), ("ts", 5))
            for e in range(1, 13) for r in range(5)]  # fmt: skip
    Path("a.csv").write_text("\n".join(["algo,env,eps,horizon,seed,run,t,regret", *rows, ""]))
    lines = bandit(compare, "a.csv")
    assert "and 4 more rows: a-compare.md has all" in lines
    shown = [line.split() for line in lines if line.startswith(("ucb ", "ts "))]
    assert [row[0] for row in shown] == ["ts", "ucb"] * 10
    assert [row[-2] for row in shown] == ["a", "b"] * 10


@pytest.mark.slow
def test_run_and_budget_write_the_table_for_a_paper(bandit, refused):
    small = "horizon=500 runs=3 jobs=1"
    file = bandit(run, f"-m algo=dp_se,adap_ucb eps=1,2 {small} pivot=eps best=bold")[-1]
    text = Path(file).with_suffix(".tex").read_text()
    assert r"$\epsilon = 1$" in text and text.count(r"\textbf{") == 4  # three runs: all are tied
    line = "algo=dp_se env=bernoulli_c2 horizon=500 runs=50 jobs=1 regret=400 out=mine"
    bandit(budget, f"{line} columns=algo,budget digits=2")
    assert rows_of(Path("mine.tex").read_text())[0] == ["algorithm", "budget"]
    assert "'mean'" in refused(budget, [*line.replace("mine", "other").split(), "columns=mean"])
    assert not list(Path().glob("other*"))


def test_budgets_of_two_kinds_are_not_compared():
    """A rho below an eps is not a smaller budget; each row says which of the two it is."""
    rows = [("ts", 0.5, "eps"), ("ucb", 2.0, "eps"), ("adac_ucb", 0.01, "rho")]
    found = pd.DataFrame(rows, columns=["algo", "budget", "name"]).assign(
        low=lambda x: x["budget"] * 0.9,
        high=lambda x: x["budget"] * 1.1,
        env="a",
        horizon=9,
        goal=2.0,
        runs=9,
        reached=True,
        answer="",
    )[
        [
            "algo",
            "budget",
            "low",
            "high",
            "reached",
            "name",
            "env",
            "horizon",
            "goal",
            "runs",
            "answer",
        ]
    ]
    for columns in (None, "algo,budget"):
        head, *cells = rows_of(dp.latex(found, best="tied", columns=columns))
        assert head[:3] == ["algorithm", "name", "budget"]
        assert [x[2] for x in cells] == [r"\textbf{0.500}", "2.00", "0.0100"]


def test_equal_runs_may_have_the_smallest_mean():
    """Though they have no interval. Control: a smaller mean of runs of which some were cut."""
    rows = [("nas", 300.0, 290.0, 310.0, 1.0), ("exp", 200.0, np.nan, np.nan, 1.0),
            ("cut", 100.0, np.nan, np.nan, 0.5)]  # fmt: skip
    found = pd.DataFrame(rows, columns=["rule", "samples", "low", "high", "ended"])
    more = {"slow": 400.0, "weeks": np.nan, "without_privacy": 9.0, "cap": 999, "answer": ""}
    found = found.assign(env="a", eps=1.0, **more)
    first = ["rule", "env", "eps"]
    found = found[[*first, *found.columns.drop(first)]]
    cells = rows_of(dp.latex(found, best="tied", columns="rule,samples"))[1:]
    assert [x[1] for x in cells] == ["300", r"\textbf{200}", "at least 100"]


def test_labels_hold_mathematics(summary):
    """As in figures: text between dollar signs is mathematics, and an escaped one is itself."""
    labels = {"dp_se": r"$\pi_\star$ (a_b, \$5)", "ucb": "$ 3%", "adap_ucb": r"$\pi$"}
    _, *rows = rows_of(latex_of(summary, SHOWN, TableOptions(labels=labels)))
    names = {row[0] for row in rows}
    assert names == {r"$\pi_\star$ (a\_b, \$5)", r"\$ 3\%", r"$\pi$"}


@pytest.mark.slow
def test_all_columns_of_an_experiment_are_of_the_runs_of_its_means(bandit):
    """The table of the experiment has 20 runs of each setting, and its means have more."""
    columns = "columns=[algo,alpha,mean,median,difference,runs]"
    *_, path = bandit(run, f"experiment=azize2022_fig8 {columns} digits=10")
    _, *rows = rows_of(Path(path).with_suffix(".tex").read_text())
    cells = [[float(x.replace(",", "")) for x in row[2:]] for row in rows]
    least = min(mean for mean, *_ in cells)
    for mean, _, difference, runs in cells:
        assert difference == pytest.approx(mean - least) and runs > 20

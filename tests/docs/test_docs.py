"""The documents: their commands and code run, their outputs and tables are current, links lead."""

import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from commands import command
from conformance import ALL
from document_code import SMALL_CODE, blocks, commands, files_of_blocks, small_code, words_of
from helpers import algorithm
from sweeps import write

from dpbandits.contracts import alignments
from dpbandits.contracts.alignments import Alignment
from dpbandits.figures.draw import load_script
from dpbandits.files import package_folder
from dpbandits.settings.groups import names_in
from dpbandits.theory.__main__ import page

TOP = package_folder("conf").parent
README = (TOP / "README.md").read_text()
DOCUMENTS = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))]
MARKS = {  # of documents whose commands need more packages
    "exact_loss.md": pytest.mark.extra("flint"),
    "report.md": pytest.mark.extra("jinja2", "vl_convert"),
    "scale.md": pytest.mark.extra("distributed"),
}


def call(line, folder, small=True):
    """What a line prints."""
    done = command(*words_of(line, folder, small), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_code(language):
    """The documents that have something to run in a language."""
    found = [d for d in DOCUMENTS if (commands if language == "sh" else has_code)(d.read_text())]
    return [pytest.param(d, marks=MARKS.get(d.name, ()), id=d.name) for d in found]


def has_code(text):
    """Whether a document has Python code that is not the content of a file."""
    return any(small_code(text))


@pytest.mark.slow
@pytest.mark.parametrize("document", with_code("sh"))
def test_commands_run_in_order(document, tmp_path):
    text = document.read_text()
    write(tmp_path, files_of_blocks(text))
    for line in commands(text):
        call(line, tmp_path)
        if line.startswith("bandit-plot experiment="):
            name = re.search(r"experiment=(\w+)", line)[1] + "_bounds" * ("bounds=true" in line)
            assert (tmp_path / "results" / "figures" / f"{name}.pdf").is_file()
        for name in files_of_blocks(text):
            if Path(name).suffix == ".csv":
                continue  # the name of a file of data is no word of a table
            if line.startswith("bandit-run") and Path(name).stem in line:
                tables = (tmp_path / "results").glob("*.csv")
                assert any(Path(name).stem in table.read_text() for table in tables)


CHECKS = {
    "heavy_tails.md": lambda names: abs(names["mean"] - 20) < names["radius"] < 1,
    "bounds.md": lambda names: names["most"] > 10 * names["least"] > 10,
}


@pytest.mark.slow
@pytest.mark.parametrize("document", with_code("python"))
def test_code_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = document.read_text()
    names = {}
    for code in small_code(text):
        exec(code, names)
    assert CHECKS.get(document.name, lambda names: True)(names)


@pytest.mark.slow
def test_the_commands_from_a_log_run(tmp_path):
    """Those of data_to_answer.md, on a file of the columns that it shows."""
    text = (TOP / "docs" / "data_to_answer.md").read_text().partition("## From a log")[2]
    head, lines = blocks(text, "text")[:2]
    columns = head.splitlines()[0].split(",")
    row = [range(20, 60), range(1, 11), ["mail", "call"], [0, 1], [0.3, 0.7]]
    cells = (([*values] * 800)[:800] for values in row)
    pd.DataFrame(dict(zip(columns, cells, strict=True))).to_csv(tmp_path / "plays.csv", index=False)
    run, compare, budget = lines.splitlines()
    assert "log: no private algorithm here is seen" in call(
        run.replace("=20", "=2"), tmp_path, False
    )
    assert "On a log of plays with features at eps = 1" in call(compare, tmp_path)
    assert "bpo on log, T = 800: regret is below the 0 of best_constant at none" in call(
        budget, tmp_path
    )


def test_data_lead_to_a_sentence_in_ten_lines_and_three_commands():
    """A data frame and a log do; mutation that it catches: code that ends in a table."""
    text = (TOP / "docs" / "data_to_answer.md").read_text()
    for code in blocks(text, "python"):
        lines = [line for line in code.splitlines() if line.strip()]
        assert len(lines) <= 10
        assert lines[-1].startswith("print(*dp.budget(") and '"constant")["answer"]' in lines[-1]
    called = [re.findall(r"^bandit-\w+", x, re.M) for x in blocks(text, r"(?:sh|text)")]
    three = ["bandit-run", "bandit-compare", "bandit-budget"]
    assert len(blocks(text, "python")) == 2 and [x for x in called if x] == [three] * 2


def test_there_is_something_to_run():
    """Control: the patterns above find the blocks of the documents."""
    numbers = {d.name: len(commands(d.read_text())) for d in DOCUMENTS}
    assert numbers["README.md"] >= 2 and numbers["start.md"] >= 20, numbers
    assert sum(map(bool, numbers.values())) >= 6, numbers
    code = "".join(document.read_text() for document in DOCUMENTS)
    assert all(large in code for large in SMALL_CODE)
    own = (TOP / "docs" / "own_algorithm.md").read_text()
    assert set(files_of_blocks(own)) == {"mine/algo/greedy.py", "mine/algo/greedy.yaml"}


SHOWN = [
    (document, line, output)
    for document in DOCUMENTS
    for line, output in re.findall(
        r"<!-- (bandit-\w+ .*) -->\n```\n(.*?)```", document.read_text(), flags=re.S
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("document", "line", "output"), SHOWN, ids=[x[1] for x in SHOWN])
def test_a_printed_example_is_what_is_printed(document, line, output, tmp_path):
    assert call(line, tmp_path, small=False) == output


def test_the_readme_shows_an_example():
    assert SHOWN


CONFIRMED = {"printed", "proof", "code", "derived", "known"}


def without_provenance(text):
    """The algorithms and rules without a row that says how their constants were confirmed."""
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    found = {row[1].strip(" `") for row in rows if {*row[3].strip().split(", ")} <= CONFIRMED}
    return {*names_in("algo"), *names_in("rule")} ^ found


def test_every_algorithm_and_rule_says_how_its_constants_were_confirmed():
    text = (TOP / "docs" / "provenance.md").read_text()
    assert not without_provenance(text)
    assert without_provenance(text.replace("| `dp_se` |", "| dp_se |")) == {"dp_se"}
    assert without_provenance(text.replace("| proof | Ren", "| hearsay | Ren")) > {"heldp_ucb_b"}


def test_the_table_of_alignments_has_every_private_algorithm_and_rule():
    table = (TOP / "docs" / "privacy_methods.md").read_text().partition("### Alignments")[2]
    rows = re.findall(r"^\| `(\w+)\S*` \| .* \| (.*) \|$", table.partition("###")[0], flags=re.M)
    found = {name: row for row, names in rows for name in re.findall(r"`(\w+)`", names)}
    constants = {id(x): name for name, x in vars(alignments).items() if isinstance(x, Alignment)}
    made = {"releases", "integer_release", "sparse_vector", "one_response"}  # not constants there
    for name in filter(lambda x: algorithm(x).private and algorithm(x).guarantee.alignment, ALL):
        constant = constants.get(id(algorithm(name).guarantee.alignment))
        assert found.pop(name) in ({constant} if constant else made), name
    assert not found


def test_the_page_on_bounds_is_made_from_the_theorems():
    assert (TOP / "docs" / "bounds.md").read_text() == page()


@pytest.mark.parametrize(
    ("table", "document"),
    [
        ("benchmarks/table.md", "docs/speed.md"),
        ("benchmarks/plan.md", "docs/scale.md"),
        ("benchmarks/memory.md", "docs/scale.md"),
        ("benchmarks/intervals.md", "docs/runs.md"),
        ("benchmarks/budgets.md", "docs/comparing.md"),
        ("benchmarks/wine.md", "docs/linear.md"),
        ("benchmarks/reliability.md", "docs/reliability.md"),
        ("results/claims.md", "docs/claims.md"),
        ("results/which_global_page.md", "docs/recommendations.md"),
        ("results/azize2025_tails.md", "docs/tails.md"),
    ],
)
def test_a_committed_table_stands_in_its_document(table, document):
    assert (TOP / table).read_text().strip() in (TOP / document).read_text()


@pytest.mark.slow
def test_the_shares_of_private_contexts_are_printed_by_their_script():
    """The control: regret that is larger by 2 %."""
    summary = pd.read_csv(TOP / "results" / "private_contexts.summary.csv")
    document, printed = (
        (TOP / "docs" / "linear.md").read_text(),
        load_script("private_contexts").page,
    )
    assert printed(summary) in document
    assert printed(summary.assign(mean=1.02 * summary["mean"])) not in document


def test_the_readme_is_short():
    assert README.count("\n") <= 80


def test_make_targets_are_listed():
    listed = subprocess.run(["make", "help"], cwd=TOP, capture_output=True, text=True).stdout
    for target in ("run", "test", "figures", "map", "bench", "bench-check", "lint", "clean"):
        assert f"{target} " in listed


def test_no_committed_file_names_a_package_registry():
    files = subprocess.run(
        ["git", "ls-files"], cwd=TOP, capture_output=True, text=True
    ).stdout.split()
    words = [b"py" + b"pi.org", b"pythonhosted" + b".org"]
    for file in files:
        assert not any(word in Path(TOP / file).read_bytes() for word in words), file

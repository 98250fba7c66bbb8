"""The documents: their commands run, their numbers stand in committed tables, their links lead."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import CONF, NAMES

from dpbandits.theory.__main__ import page

TOP = CONF.parent
README = (TOP / "README.md").read_text()
CONTRIBUTING = (TOP / "CONTRIBUTING.md").read_text()
SMALL = {
    "bandit-run": ["horizon=2000", "runs=2"],
    "bandit-claims": ["horizon=2000", "runs=2"],
    "bandit-stop": ["cap=2000", "runs=2"],
    "bandit-audit": ["runs=200"],
}
DOCUMENTS = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))]


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.S)


def commands(text):
    """The lines of a document that call the suite's commands."""
    lines = "\n".join(blocks(text, "sh")).splitlines()
    return [line.split(" #")[0].strip() for line in lines if line.startswith("bandit-")]


def run_line(line, folder):
    words = shlex.split(line)
    small = SMALL.get(words[0])
    if small and "--help" not in words:
        words = [w for w in words if not w.startswith("runs=")] + small
    module = words[0].removeprefix("bandit-")
    code = f"from dpbandits.cli.{module} import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words[1:]], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_commands_of_the_readme_run_in_order(tmp_path):
    lines = commands(README)
    assert len(lines) >= 7
    for line in lines:
        run_line(line, tmp_path)
    assert (tmp_path / "results" / "figures" / "azize2022_fig8.pdf").is_file()


def test_commands_and_code_of_heavy_tails_run(tmp_path):
    text = (TOP / "docs" / "heavy_tails.md").read_text()
    lines = commands(text)
    assert len(lines) >= 2
    for line in lines:
        run_line(line, tmp_path)
    (code,) = blocks(text, "python")
    names = {}
    exec(code, names)
    assert abs(names["mean"] - 20) < names["radius"] < 1


def test_commands_of_stopping_run(tmp_path):
    lines = commands((TOP / "docs" / "stopping.md").read_text())
    assert len(lines) >= 4
    for line in lines:
        run_line(line, tmp_path)


def test_commands_and_code_of_bounds_run(tmp_path):
    text = (TOP / "docs" / "bounds.md").read_text()
    for line in commands(text):
        run_line(line, tmp_path)
    assert (tmp_path / "results" / "figures" / "azize2022_fig8_bounds.pdf").is_file()
    (code,) = blocks(text, "python")
    names = {}
    exec(code, names)
    assert names["most"] > 10 * names["least"] > 10


def test_the_page_on_bounds_is_made_from_the_theorems():
    assert (TOP / "docs" / "bounds.md").read_text() == page()


def test_the_printed_example_is_what_is_printed(tmp_path):
    shown = re.findall(r"<!-- (bandit-run .*) -->\n```\n(.*?)```", README, flags=re.S)
    for line, output in shown:
        code = "from dpbandits.cli.run import main; main()"
        command = [sys.executable, "-c", code, *shlex.split(line)[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == output
    assert shown


def test_the_algorithm_of_contributing_runs(tmp_path):
    (tmp_path / "mine" / "algo").mkdir(parents=True)
    (code,), (parameters,) = blocks(CONTRIBUTING, "python"), blocks(CONTRIBUTING, "yaml")
    (tmp_path / "mine" / "algo" / "greedy.py").write_text(code)
    (tmp_path / "mine" / "algo" / "greedy.yaml").write_text(parameters)
    sweep, audit = commands(CONTRIBUTING)
    run_line(sweep, tmp_path)
    assert "greedy" in next((tmp_path / "results").glob("sweep-*.csv")).read_text()
    run_line(audit, tmp_path)


@pytest.mark.slow
def test_commands_of_privacy_run(tmp_path):
    lines = commands((TOP / "docs" / "privacy.md").read_text())
    assert len(lines) == 3
    for line in lines:
        run_line(line, tmp_path)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_speeds_are_those_of_the_committed_benchmark():
    table = (TOP / "benchmarks" / "table.md").read_text().strip()
    assert table in (TOP / "docs" / "speed.md").read_text()


def test_the_plan_is_the_committed_one():
    plan = (TOP / "benchmarks" / "plan.md").read_text().strip()
    assert plan in (TOP / "docs" / "scale.md").read_text()


@pytest.mark.slow
def test_commands_of_scale_that_need_no_cluster_run(tmp_path):
    lines = commands((TOP / "docs" / "scale.md").read_text())
    here = [x for x in lines if not any(word in x for word in ("HOST", "slurm", "runner=ray"))]
    assert len(here) >= 4
    for line in here:
        run_line(line, tmp_path)


def test_the_ledger_is_the_committed_one():
    ledger = (TOP / "results" / "claims.md").read_text().strip()
    assert ledger in (TOP / "docs" / "claims.md").read_text()


def test_every_algorithm_is_in_the_readme():
    for name in [*NAMES, *(file.stem for file in (CONF / "rule").glob("*.yaml"))]:
        assert f"`{name}`" in README


def test_make_targets_are_listed():
    listed = subprocess.run(["make", "help"], cwd=TOP, capture_output=True, text=True).stdout
    for target in ("run", "test", "figures", "bench", "bench-check", "lint", "clean"):
        assert f"{target} " in listed


def test_no_committed_file_names_a_package_registry():
    files = subprocess.run(
        ["git", "ls-files"], cwd=TOP, capture_output=True, text=True
    ).stdout.split()
    words = [b"py" + b"pi.org", b"pythonhosted" + b".org"]
    for file in files:
        assert not any(word in Path(TOP / file).read_bytes() for word in words), file

"""Setting up: what each target of make installs, what an extra holds, and what tests cannot do."""

import ast
import os
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, version

import pytest
from commands import captured
from extras import INSTALL, PACKAGES
from no_slurm import COMMANDS, REFUSAL, without_slurm

from dpbandits.files import PACKAGE, package_folder

TOP = package_folder("conf").parent
PYPROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
OPTIONAL = PROJECT["optional-dependencies"]
PINNED = dict(
    line.split("==")
    for line in (TOP / "constraints.txt").read_text().splitlines()
    if not line.startswith("#")
)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements):
    """The packages of some requirements; extras and groups are replaced by what they hold."""
    found = set()
    for requirement in requirements:
        if isinstance(requirement, dict):
            found |= named(GROUPS[requirement["include-group"]])
            continue
        name, extras = re.match(r"([\w.-]+)(?:\[(.*)\])?", requirement).groups()
        if name == PROJECT["name"]:
            found = found.union(*(named(OPTIONAL[extra]) for extra in extras.split(",")))
        else:
            found.add(normal(name))
    return found


BASE = named(PROJECT["dependencies"])


def imported():
    """The top names of the modules that the package imports, at the top of a file or later."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {PROJECT["name"]}


@pytest.mark.slow
def test_the_package_depends_on_what_it_imports_and_on_nothing_else():
    homes = packages_distributions()
    extras = named([f"{PROJECT['name']}[{','.join(OPTIONAL)}]"])
    assert {normal(name) for m in imported() for name in homes[m]} - extras == BASE
    assert [*OPTIONAL] == ["audit", "cluster", "data", "report"]  # what users choose


def test_nothing_of_an_extra_is_in_the_dependencies_of_a_run():
    assert not BASE & named([f"{PROJECT['name']}[{','.join(OPTIONAL)}]"])


@pytest.mark.parametrize("extra", ["dependencies", *OPTIONAL, *GROUPS])
def test_every_requirement_has_a_lower_bound_and_a_pinned_version(extra):
    pinned = {normal(name) for name in PINNED}
    for requirement in (OPTIONAL | GROUPS).get(extra, PROJECT["dependencies"]):
        if isinstance(requirement, str) and not requirement.startswith(f"{PROJECT['name']}["):
            assert ">=" in requirement and named([requirement]) <= pinned, requirement


def of_make(*words):
    """The commands that make would run in an environment that does not exist yet."""
    command = ["make", "-n", "--no-print-directory", "VENV=nowhere", *words]
    done = captured(*command, cwd=TOP)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


INSTALLED = {
    "run": set(),
    "figures": {"data"},
    "map": set(),
    "claims": {"data"},
    "bench": {"report"},
    "bench-check": set(),
    "audit": {"audit"},
    "twins": {"audit"},
    "exact": {"audit"},
    "results-check": {"audit", "data"},
    "docs": {"docs"},
    "report": {"report"},
    "reliability": {"test"},
    "mutants": {"test", "mutants"},
    "test": {"test"},
    "lint": {"lint"},
    "package": {"release"},
    "release": {"release"},
    "release-check": {"test", "lint", "release"},
    "install": {"dev"},
    "test-long": {"dev"},
    "test-slow": {"dev"},
}


@pytest.mark.parametrize("target", INSTALLED)
def test_a_target_installs_what_it_needs(target):
    lines = [line for line in of_make(target) if "pip install" in line]
    assert lines[0].endswith(" 'pip>=25.1'") and lines[1].endswith(" -e .")
    found = [re.search(r" (?:'dpbandits\[(\w+)\]'|--group (\w+))$", line) for line in lines[2:]]
    assert {name for name, _ in (x.groups() for x in found) if name} <= {*OPTIONAL}
    extras = [x[1] or x[2] for x in found]
    assert len(extras) == len(set(extras)) and set(extras) == INSTALLED[target]
    for line in lines:
        assert "-c constraints.txt" in line
        assert not re.search(r" (-q|--quiet|--progress-bar)\b", line)  # progress is shown


def test_whatis_installed_is_not_installed_again(tmp_path):
    """Once a target has run, it and others install what is missing."""
    for name in (".installed", ".installed-test"):
        (tmp_path / name).touch()
    for target, extras in INSTALLED.items():
        lines = [line for line in of_make(target, f"VENV={tmp_path}") if "pip install" in line]
        assert len(lines) == len(extras - {"test"})


def test_every_experiment_is_that_of_one_target():
    names = {f.stem for f in (TOP / "conf" / "experiment").glob("*.yaml")}
    (line,) = (line for line in of_make("figures") if "all.py" in line)
    figures = {word for word in line.split("all.py")[1].split() if "=" not in word}
    (line,) = of_make("map")[-1:]
    (only_map,) = re.findall(r"experiments/(\w+)_map\.py", line)
    assert figures | {only_map} == names and only_map not in figures


def test_pages_are_checked_by_the_commands_that_make_them():
    targets = ["figures", "map", "claims", "audit"]
    made = {line for name in targets for line in of_make(name, "RESULTS=a")}
    checked = of_make("results-check", "CHECKED=a")
    assert made < {*checked}
    called, compared = (line for line in checked if line not in made)
    assert called.endswith(f" {' '.join(targets)} RESULTS=a")
    assert compared.split()[-2:] == ["experiments/check.py", "a"]
    *_, quick, check = of_make("results-check", "QUICK=1")
    names = quick.split("all.py")[1].split()[:-1]
    assert len(names) == 5 and check.split()[-5:] == names


def test_every_target_is_covered():
    listed = re.findall(r"^([a-z-]+):.*##", (TOP / "Makefile").read_text(), flags=re.M)
    assert set(listed) == {*INSTALLED, "versions", "help", "clean"}  # versions makes its own


def test_every_extra_that_is_named_exists():
    """In documents, messages and comments: ``pip install 'dpbandits[NAME]'``."""
    kinds = ["*.md", "*.py", "*.yaml"]
    listed = captured("git", "ls-files", *kinds, cwd=TOP)
    found = {
        name
        for file in listed.stdout.split()
        for names in re.findall(r"(?:dpbandits|\.)\[([a-z,]+)\]'", (TOP / file).read_text())
        for name in names.split(",")
    }
    assert found == set(OPTIONAL)


@pytest.mark.long
def test_tests_of_packages_that_are_not_installed_are_skipped_with_the_reason(tmp_path):
    blocking = f"import sys\nsys.modules.update(dict.fromkeys({PACKAGES}))\n"
    (tmp_path / "blocked.py").write_text(blocking)
    options = ["-p", "blocked", "-p", "no:cacheprovider", "-m", "extra", "-W", "ignore"]
    files = [
        f"tests/{f}"
        for f in ("project/test_layers.py", "docs/test_notebook.py", "audit", "running", "cli")
    ]
    path = os.environ | {"PYTHONPATH": f"{PACKAGE.parent}{os.pathsep}{tmp_path}"}
    done = captured(sys.executable, "-m", "pytest", *options, *files, cwd=TOP, env=path)
    assert re.fullmatch(r"\d+ skipped, \d+ deselected in .*", done.stdout.splitlines()[-1])
    for package in ("distributed", "flint", "importlinter", "nbclient"):
        reason = f"{package} is not installed: {INSTALL}"
        assert reason in done.stdout, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(named(GROUPS["dev"])))
def test_the_slow_tests_have_everything(name):
    """So that nothing is skipped for the lack of a package."""
    assert version(name)


def test_commands_of_slurm_are_hidden(tmp_path, monkeypatch):
    real, hidden = tmp_path / "real", tmp_path / "hidden"
    for folder in (real, hidden):
        folder.mkdir()
    for name in COMMANDS:
        (real / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/job\n")
        (real / name).chmod(0o755)
    monkeypatch.setenv("PATH", without_slurm(f"{real}:/bin:/usr/bin", hidden))
    for name in COMMANDS:
        refused = captured(name, "script")
        assert (refused.returncode, refused.stderr) == (1, f"{name}: {REFUSAL}\n")
        assert not (tmp_path / "job").exists()
    monkeypatch.setenv("PATH", f"{real}:/bin:/usr/bin")  # control: these would submit a job
    assert captured("sbatch", "script").returncode == 0
    assert (tmp_path / "job").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_test_finds_commands_that_refuse(name):
    assert captured(name).stderr == f"{name}: {REFUSAL}\n"

"""Two versions of the package on one folder: each plays its own runs, and loses none."""

import os
import shutil
import sys
from subprocess import PIPE, Popen

import pytest
from sweeps import MAIN, words

from dpbandits.files import PACKAGE

SWEEP = {"algo": ["ucb", "dp_se"], "eps": [0.5, 2], "horizon": 20_000, "runs": 40, "jobs": 1}
EDIT = "laplace_mean(rng, sums[a], R, eps)", "laplace_mean(rng, sums[a], R, eps / 2)"


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The folders of two packages: in the second one an algorithm adds more noise."""
    copy = tmp_path_factory.mktemp("other")
    shutil.copytree(PACKAGE, copy / "src" / PACKAGE.name)
    shutil.copytree(PACKAGE.parents[1] / "conf", copy / "conf")
    file = copy / "src" / PACKAGE.name / "algorithms" / "dp_se.py"
    assert EDIT[0] in file.read_text()
    file.write_text(file.read_text().replace(*EDIT))
    return PACKAGE.parent, copy / "src"


def begin(package, folder):
    command = [sys.executable, "-c", MAIN, *words(**SWEEP), f"results={folder}"]
    environment = os.environ | {"PYTHONPATH": str(package)}
    return Popen(command, env=environment, stdout=PIPE, stderr=PIPE, text=True)


def ended(*processes):
    """Wait until commands have ended without an error."""
    for process in processes:
        _, err = process.communicate(timeout=240)
        assert process.returncode == 0 and "Traceback" not in err, err


def table_in(folder):
    (path,) = folder.glob("sweep-*.csv")
    return path.read_bytes()


def runs_in(folder):
    """When each file of stored runs was written."""
    return {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("*.npz")}


@pytest.mark.long
def test_two_versions_on_one_folder(tmp_path, packages):
    both, alone = tmp_path / "both", [tmp_path / "first", tmp_path / "second"]
    ended(*map(begin, packages, alone))
    tables = [table_in(folder) for folder in alone]
    assert tables[0] != tables[1]  # control: they are two versions
    ended(*(begin(package, both) for package in packages))  # at once
    before = runs_in(both)
    names = [{path.relative_to(folder) for path in runs_in(folder)} for folder in alone]
    assert names[0] & names[1] and names[0] != names[1]  # ucb's runs serve both versions
    assert {path.relative_to(both) for path in before} == names[0] | names[1]
    for package, table in zip(packages * 2, tables * 2, strict=True):
        ended(begin(package, both))
        assert table_in(both) == table
    assert runs_in(both) == before  # nothing was played again

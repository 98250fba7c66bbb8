"""The wheel, installed in an empty environment, works from any folder."""

import os
import subprocess
import sys
import venv

import pytest

from dpbandits.files import package_folder

TOP = package_folder("conf").parent
LARGEST = 650  # MB that an environment for runs may take


@pytest.mark.slow
def test_wheel_in_an_empty_environment(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, TOP], check=True
    )
    (wheel,) = tmp_path.glob("dpbandits-*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    binaries = tmp_path / "venv" / "bin"
    pip = [binaries / "pip", "install", "-q", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, "-c", TOP / "constraints.txt", wheel], check=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}

    def run(*command):
        return subprocess.run(
            [binaries / command[0], *command[1:]],
            cwd=elsewhere,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    path = run("bandit-run", "algo=adap_klucb", "eps=0.5", "horizon=1e5", "runs=3").splitlines()[-1]
    assert (elsewhere / path).is_file()
    blocks = sum(file.lstat().st_blocks for file in (tmp_path / "venv").rglob("*"))
    assert 100 < blocks * 512 / 2**20 < LARGEST  # as du counts
    printed = run("bandit-bounds", "algo=adap_klucb", "eps=0.5", "horizon=1e5")
    assert "3 runs)" in printed and "Azize & Basu 2022, Theorem 8" in printed
    run("bandit-run", "experiment=azize2022_fig3", "horizon=2000", "runs=2")
    drawn = run("bandit-plot", "experiment=azize2022_fig3").split()
    assert [(elsewhere / p).is_file() for p in drawn] == [True, True]
    figure_of_the_paper = (elsewhere / "results/figures/azize2022_fig3.pdf").stat().st_size
    assert figure_of_the_paper > 5000
    code = "import dpbandits as dp; print(dp.__version__, len(dp.run(horizon=100, runs=1, jobs=1)))"
    assert run("python", "-c", code).startswith("0.")
    marker = "import importlib.resources as r; print((r.files('dpbandits') / 'py.typed').is_file())"
    assert run("python", "-c", marker).strip() == "True"

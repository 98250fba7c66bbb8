"""The wheel, installed alone in an empty environment, works from any folder.

``WHEEL=FILE`` names one that is built already.
"""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from commands import captured
from document_code import commands, files_of_blocks, small_code, words_of
from sweeps import write

from dpbandits.compiled import compiled_code
from dpbandits.files import package_folder

TOP = package_folder("conf").parent
LARGEST = 633  # MB that an environment for runs may take, without pip
README = (TOP / "README.md").read_text()
START = (TOP / "docs" / "start.md").read_text()
OWN = (TOP / "docs" / "own_algorithm.md").read_text()
FOLDERS = ("conf", "experiments")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if "WHEEL" in os.environ:
        return Path(os.environ["WHEEL"])
    folder = tmp_path_factory.mktemp("wheel")
    options = ["-q", "--disable-pip-version-check", "--no-deps", "-w", folder]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, TOP], check=True)
    (built,) = folder.glob("dpbandits-*.whl")
    return built


@pytest.fixture(scope="module")
def place(wheel, tmp_path_factory):
    """An environment with the wheel alone, and a folder outside of any checkout."""
    folder = tmp_path_factory.mktemp("place")
    venv.create(folder / "venv")
    made = Place(folder)
    made.install(str(wheel))
    return made


class Place:
    def __init__(self, folder):
        self.folder, self.elsewhere = folder, folder / "elsewhere"
        self.elsewhere.mkdir()
        self.binaries = folder / "venv" / "bin"
        path = f"{self.binaries}:/usr/bin:/bin"
        self.environment = {"PATH": path, "HOME": str(folder / "home"), "TERM": "dumb"}

    def install(self, what):
        pip = [sys.executable, "-m", "pip", "--python", self.binaries / "python", "install"]
        options = ["-q", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, *options, "-c", TOP / "constraints.txt", what], check=True)

    def run(self, *words):
        """What a command of the environment prints."""
        program = self.binaries / words[0]
        done = captured(program, *words[1:], cwd=self.elsewhere, env=self.environment)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_wheel_holds_the_configuration_of_the_repository(wheel, folder):
    tracked = captured("git", "ls-files", folder, cwd=TOP).stdout.splitlines()
    ours = {file: (TOP / file).read_bytes() for file in tracked}
    inside = f"dpbandits/{folder}/"
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(inside)]
        theirs = {name.removeprefix("dpbandits/"): archive.read(name) for name in names}
    assert len(ours) > 5 and theirs == ours


@pytest.mark.slow
def test_the_metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [x for x in archive.namelist() if x.endswith("METADATA")]
        metadata = archive.read(name).decode()
    assert "\nDescription-Content-Type: text/markdown\n" in metadata
    assert metadata.endswith(README) or "\nProject-URL: Repository, " in metadata
    for version in ("3.11", "3.12", "3.13"):  # those that are tested
        assert f"\nClassifier: Programming Language :: Python :: {version}\n" in metadata


@pytest.mark.slow
def test_runs_bounds_and_figures(place):
    small = ("algo=adap_klucb", "eps=0.5", "horizon=1e5")
    path = place.run("bandit-run", *small, "runs=3").splitlines()[-1]
    assert (place.elsewhere / path).is_file()
    blocks_of_files = sum(file.lstat().st_blocks for file in (place.folder / "venv").rglob("*"))
    assert 100 < blocks_of_files * 512 / 2**20 < LARGEST  # as du counts
    printed = place.run("bandit-bounds", *small)
    assert "(3 equal runs)" in printed and "Azize & Basu 2022, Theorem 8" in printed
    place.run("dpbandits", "run", "experiment=azize2022_fig3", "horizon=2000", "runs=2")
    drawn = place.run("bandit-plot", "experiment=azize2022_fig3").split()
    assert [(place.elsewhere / p).is_file() for p in drawn] == [True, True]
    figure_of_the_paper = (place.elsewhere / "results/figures/azize2022_fig3.pdf").stat().st_size
    assert figure_of_the_paper > 5000
    marker = "import importlib.resources as r; print((r.files('dpbandits') / 'py.typed').is_file())"
    assert place.run("python", "-c", marker).strip() == "True"


@pytest.mark.slow
def test_one_version_is_printed_everywhere(place, wheel):
    version = wheel.name.split("-")[1]
    code = "import dpbandits as dp; print('dpbandits', dp.__version__)"
    for words in (
        ["dpbandits", "--help"],
        ["dpbandits", "--version"],
        ["dpbandits", "run", "--version"],
        ["bandit-run", "--help"],
        ["bandit-run", "--version"],
        ["bandit-stop", "--version"],
        ["python", "-c", code],
    ):
        assert place.run(*words).splitlines()[-1] == f"dpbandits {version}", words


@pytest.mark.slow
def test_the_commands_are_listed_and_completed(place):
    from dpbandits.cli.completion import COMMANDS

    listed = place.run("dpbandits")
    for name in COMMANDS:
        assert f"\n  {name} " in listed
        assert (place.binaries / f"bandit-{name}").is_file()
    assert place.run("bandit-run", "--complete", "bandit-run algo=adap_k") == "algo=adap_klucb\n"
    assert place.run("dpbandits", "--complete", "dpbandits run algo=adap_k") == "algo=adap_klucb\n"
    driver = """
source <(bandit-run --completion bash)
COMP_LINE="$0"; COMP_POINT=${#COMP_LINE}; compopt() { :; }
_dpbandits "${COMP_LINE%% *}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
    for line, found in (("bandit-stop rule=dp_nas_", "dp_nas_exp"), ("dpbandits au", "audit")):
        words = ["bash", "--norc", "-c", driver, line]
        done = captured(*words, cwd=place.elsewhere, env=place.environment)
        assert done.stdout.split() == [found], done.stderr


@pytest.mark.long
def test_an_algorithm_of_a_user(place):
    """The algorithm of docs/own_algorithm.md."""
    write(place.elsewhere, files_of_blocks(OWN))
    (line,) = [x for x in commands(OWN) if x.startswith("bandit-run --config-dir")]
    printed = place.run(*words_of(line, place.elsewhere))
    assert "\ngreedy " in printed and "each reward enters one Laplace mean" in printed


@pytest.mark.long
def test_the_readme_and_the_report(place, wheel, monkeypatch):
    """With the machine code of other tests, which is that of the wheel if it has their sources."""
    monkeypatch.setitem(place.environment, "NUMBA_CACHE_DIR", str(compiled_code().path.parent))
    place.install(f"{wheel}[audit,report]")
    for line in [*commands(README), *commands(START)]:
        place.run(*words_of(line, place.elsewhere))
    for code in small_code(README):
        place.run("python", "-c", code)
    page = place.elsewhere / place.run("bandit-report").splitlines()[-1]
    assert page.name == "report.html" and page.stat().st_size > 10**5

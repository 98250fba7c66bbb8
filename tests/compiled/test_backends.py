"""The two back-ends: which is chosen, what is said, and that the results are equal."""

import os
import re
import subprocess
import sys
from itertools import chain

import numba
import pytest

from dpbandits.compiled import choice, quick
from dpbandits.files import PACKAGE

PLAY = """
import hashlib, sys
CHANGE
import small_kernels
from sweeps import requested
from dpbandits.compiled import compiler
from dpbandits.running.play import play_many
pulls = b""
for name in sys.argv[1:]:
    algo = getattr(small_kernels, name, name)
    given = dict(algo=algo, env="bernoulli_c2", horizon=3000, assume=True)
    given |= dict(eps=0.5) if algo is name else {}
    [setting] = requested(**given).settings
    pulls += b"".join(x.pulls.tobytes() for x in play_many(setting, range(3)))
print(compiler(), hashlib.sha256(pulls).hexdigest())
"""
HIDING = """
import importlib.util, sys
place = {0!r}, f"{0}/__init__.py"
spec = importlib.util.spec_from_file_location("dpbandits.compiled.quick", place[1],
                                              submodule_search_locations=[place[0]])
quick = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(quick)
quick.PRIVATE[{1!r}] = {2!r}
"""
FEW = "adap_klucb", "heldp_ucb_b"
SMALL = "onward", "back"  # of small_kernels
NEEDED = [f"{owner}.{name}" for owner, names in quick.PRIVATE.items() for name in names.split()]


def play(names=FEW, change="", **variables):
    """The back-end, a hash of the pulls, and what was reported."""
    code = PLAY.replace("CHANGE", change)
    own = {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    environ = {k: v for k, v in os.environ.items() if k != choice.VARIABLE} | own
    command = [sys.executable, "-c", code, *names]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return *done.stdout.split(), done.stderr


@pytest.fixture(scope="module")
def usual():
    return play()


@pytest.mark.slow
def test_both_give_the_same_pulls_without_a_word(usual):
    assert usual[0] == "quick" and usual[2] == ""
    assert play(DPBANDITS_COMPILER="plain") == ("plain", usual[1], "")
    assert play(DPBANDITS_COMPILER="quick") == usual


@pytest.mark.long
def test_both_compile_what_creates_arrays_within_rounds():
    """Noise of Numba's Poisson variables, and Beta draws; a heap is in test_conformance's."""
    names = "dist_rdp_se", "lazy_dp_ts"
    assert play(names, DPBANDITS_COMPILER="plain")[1] == play(names)[1]


@pytest.mark.slow
def test_an_untested_numba_is_plain_and_said():
    change = "import numba; numba.__version__ = '0.99.0'"
    compiler, pulls, said = play(SMALL, change)
    assert (compiler, pulls) == ("plain", play(SMALL)[1])
    assert re.fullmatch(r"compiling with the plain back-end: .*0\.99\.0; same results.*\n", said)


@pytest.mark.parametrize("version", ["0.62.1", "0.99.0", "1.0.0"])
def test_an_untested_numba_is_plain(version, monkeypatch):
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    monkeypatch.setattr(numba, "__version__", version)
    assert choice._choose() == ("plain", f"quick was not tested with numba {version}")


def test_every_private_name_is_there_and_a_missing_one_is_noticed(monkeypatch):
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    assert list(quick.missing()) == []
    for owner, names in quick.PRIVATE.items():
        for name in names.split():
            monkeypatch.setattr(quick, "PRIVATE", {owner: f"{name} {name}_of_yesterday"})
            assert list(quick.missing()) == [f"{owner}.{name}_of_yesterday"]
            why = f"numba {numba.__version__} lacks {owner}.{name}_of_yesterday"
            assert choice._choose() == ("plain", why)
    monkeypatch.setattr(quick, "PRIVATE", {"numba.core.gone.Class": "name"})
    assert list(quick.missing()) == ["numba.core.gone.Class"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDED[::7])  # of two classes and of a module
def test_without_a_private_name_plain_gives_the_same(name, usual):
    """A future Numba without the name: what asks for it does not find it."""
    owner, _, attribute = name.rpartition(".")
    change = HIDING.format(str(PACKAGE / "compiled" / "quick"), owner, f"without_{attribute}")
    compiler, pulls, said = play(change=change)
    assert (compiler, pulls) == ("plain", usual[1])
    assert f"lacks {owner}.without_{attribute}" in said and said.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["_link", "_compiled", "declared"])
def test_a_failure_of_quick_falls_back_within_the_run(broken, tmp_path):
    change = (
        "import dpbandits.compiled.quick.routines as routines\n"
        "def fail(*arguments): raise AttributeError('no such name')\n"
        f"routines.{broken} = fail\n"
    )
    compiler, pulls, said = play(SMALL[:1], change, NUMBA_CACHE_DIR=str(tmp_path))
    assert (compiler, pulls) == ("plain", play(SMALL[:1])[1])
    assert "quick failed with numba" in said and said.count("\n") == 1


@pytest.mark.slow
def test_loops_made_before_another_fell_back_compile_with_plain_and_store_nothing(tmp_path):
    """All loops of a sweep are made before the first is called."""
    change = (
        "import dpbandits.compiled.quick.cache as cache, dpbandits.compiled.quick.routines as r\n"
        "import small_kernels\nfrom sweeps import requested\n"
        "from dpbandits.running.play import loop_of\n"
        "def fail(*arguments): raise AttributeError('no such name')\n"
        "r._link = cache.MachineCode.save_overload = cache.MachineCode.load_overload = fail\n"
        "for name in sys.argv[1:]:\n"
        "    algo = getattr(small_kernels, name)\n"
        "    loop_of(requested(algo=algo, horizon=9).settings[0].algorithm)\n"
    )
    compiler, pulls, said = play(SMALL, change, NUMBA_CACHE_DIR=str(tmp_path))
    assert (compiler, pulls) == ("plain", play(SMALL)[1])
    assert "quick failed with numba" in said and said.count("\n") == 1
    assert not list(tmp_path.rglob("*.nb*"))


def test_another_value_of_the_variable_is_refused(monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, "plane")
    with pytest.raises(choice.BadInput, match=r"^DPBANDITS_COMPILER=plane: did you mean plain\?$"):
        choice._choose()
    monkeypatch.setenv(choice.VARIABLE, "")
    assert choice._choose() == ("quick", "")


@pytest.mark.slow
def test_the_command_refuses_another_value():
    command = [sys.executable, "-c", "from dpbandits.cli.start import run; run()", "algo=ucb"]
    own = os.environ | {choice.VARIABLE: "jit"}
    done = subprocess.run(command, env=own, capture_output=True, text=True)
    line = "bandit-run: DPBANDITS_COMPILER=jit: choose from plain, quick\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


INTERNAL = re.compile(
    r"^\s*(?:from|import) (llvmlite|numba\.(?!extending)\S+|numba import _)", re.M
)


STATES = "global_states.py"  # Numba has no public name for the states that it draws from


def test_internals_are_imported_by_the_back_ends_alone():
    inside = [PACKAGE / "compiled" / name for name in choice.NAMES]
    for file in PACKAGE.rglob("*.py"):
        found = INTERNAL.findall(file.read_text())
        if not any(file.is_relative_to(folder) for folder in inside):
            assert found == (["numba._helperlib"] if file.name == STATES else []), file
    plain = chain.from_iterable(INTERNAL.findall(f.read_text()) for f in inside[0].glob("*.py"))
    assert set(plain) == {"llvmlite"}
    assert INTERNAL.findall((inside[1] / "cache.py").read_text())  # control

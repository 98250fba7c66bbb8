"""The cache of machine code: what an edit compiles again, damaged files, and old folders."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from faults import DAMAGE, flip, to_folder
from sweeps import requested

from dpbandits.compiled import choice, compiled_code, compiler, folder, kernel, loop, sources
from dpbandits.compiled.quick.cache import MachineCode
from dpbandits.files import PACKAGE
from dpbandits.running import precompile
from dpbandits.running.precompile import compile_elsewhere, report_compilation

# Plays algorithms, and prints what was compiled, the answers, and the state of each algorithm
STATE = "0123456789cd"
PLAY = """
import json, sys
from sweeps import requested
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.compiled import compiled_code
from dpbandits.compiled.quick.cache import MachineCode
from dpbandits.compiled.sources import state_of
from dpbandits.contracts.algorithm import HOMES, load
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.running.play import play

compiled, save = [], MachineCode.save_overload
def note(self, sig, data):
    compiled.append(self.name)
    save(self, sig, data)
MachineCode.save_overload = note

pulls = {}
for name in sys.argv[1:]:
    rule = (HOMES["rule"] / f"{name}.py").is_file()
    given = {"rule": name, "cap": 1000} if rule else {"algo": name, "horizon": 1000}
    [setting] = requested(question=STOPPING if rule else REGRET, **given).settings
    pulls[name] = play(setting, 0).pulls.tolist()
files = [f for home in HOMES.values() for f in home.glob("*.py") if f.stem[0] != "_"]
states = {f.stem: state_of(load(f).function.py_func) for f in files if f.stem != "sparse_vector"}
states["laplace_release"] = state_of(MECHANISMS["laplace_release"].function)
print(json.dumps([compiled, pulls, states, compiled_code().path.name]))
"""
SUPPORT = Path(__file__).parents[1] / "support"


class Copy:
    """A copy of the package with a cache of its own."""

    def __init__(self, folder: Path):
        self.package, self.cache = folder / "src" / PACKAGE.name, folder / "cache"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(PACKAGE.parents[1] / "conf", folder / "conf")

    def edit(self, *names: str) -> None:
        for name in names:
            file = self.package / name
            assert file.is_file()
            file.write_text(f"{file.read_text()}\n# edited\n")

    def play(self, *names: str) -> tuple[list[str], dict, dict, str]:
        paths = os.pathsep.join([str(self.package.parent), str(SUPPORT)])
        own = {"NUMBA_CACHE_DIR": str(self.cache), "PYTHONPATH": paths}
        command = [sys.executable, "-c", PLAY, *names]
        done = subprocess.run(command, env=os.environ | own, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return json.loads(done.stdout)


NOT_COMPILED = (
    "figures/style.py",
    "cli/run.py",
    "cli/command.py",
    "running/seeds.py",
    "contracts/guarantees.py",
    "authoring.py",
    "audit/targets/publishing.py",
)


def changed(before: dict, after: dict) -> set:
    return {name for name in before if before[name] != after[name]}


@pytest.mark.slow
def test_what_is_compiled_again_after_an_edit(tmp_path, monkeypatch):
    copy = Copy(tmp_path)
    compiled, pulls, states, folder = copy.play("nas")
    assert compiled.count("nas") == 1

    copy.edit(*NOT_COMPILED, "audit/targets/releases.py")
    copy.edit("stopping/nas.py", "stopping/sparse_vector.py", "algorithms/heldp_ucb_b.py")
    compiled, again, edited, same = copy.play("nas")
    assert (compiled, again, same) == (["nas"], pulls, folder)
    importers = {"dp_nas", "dp_nas_exp", "heldp_ucb_bs", "heldp_ucb_l", "heldp_ucb_ls"}
    assert changed(states, edited) == {"nas", "heldp_ucb_b", "laplace_release"} | importers

    monkeypatch.setattr(sources, "PACKAGE", copy.package)
    assert folder == f"code-quick-{sources.shared_state()}"
    played = (
        "parts/indices/radii.py",
        "game.py",
        "compiled/quick/routines.py",
        "environments/laws.py",
    )
    for name in played:
        before = sources.shared_state()
        copy.edit(name)
        assert sources.shared_state() != before


@pytest.mark.long
def test_what_is_compiled_again_of_several_algorithms(tmp_path):
    """After each of some edits in turn."""
    names = "ucb", "heldp_ucb_b", "heldp_ucb_bs"
    edits = [
        (NOT_COMPILED, []),
        (("running/play.py",), ["shuffle"]),
        (("algorithms/ucb.py",), ["ucb"]),
        (("algorithms/heldp_ucb_b.py",), ["heldp_ucb_b", "heldp_ucb_bs"]),
    ]
    copy = Copy(tmp_path)
    first, pulls, *_ = copy.play(*names)
    assert {*names} <= {*first}
    for edited, again in edits:
        copy.edit(*edited)
        compiled, same, *_ = copy.play(*names)
        assert same == pulls
        assert sorted(compiled) == again


@pytest.fixture
def user(tmp_path, monkeypatch):
    """A user's kernel, loaded anew at each call, and a cache of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    folder.found_folder.cache_clear()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "users_factor.py").write_text("FACTOR = 2.0\n")
    (tmp_path / "users_kernel.py").write_text(
        "from dpbandits.authoring import kernel\n"
        "from users_factor import FACTOR\n"
        "@kernel\n"
        "def scaled(x):\n"
        "    return FACTOR * x\n"
    )

    def load():
        for name in ("users_factor", "users_kernel"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("users_kernel").scaled

    yield load
    folder.found_folder.cache_clear()


@pytest.fixture(params=["quick", "plain"])
def backend(request, monkeypatch):
    """The back-end that compiles loops."""
    if request.param == "quick" and compiler() == "plain":
        pytest.skip("quick does not work with this Numba")
    monkeypatch.setattr(choice, "_chosen", request.param)
    return request.param


played: Any = None


def twice(x):
    return played(x) + played(x)


def played_twice(scaled):
    """The answer of a loop over a kernel, and how often its code was loaded from the disk."""
    made = loop(twice, scaled)
    assert made(3.0) == 2 * scaled(3.0)
    return made(3.0), sum(made.dispatcher._cache_hits.values())


def files():
    return sorted(f for f in compiled_code().path.rglob("*.nb*") if f.is_file())


@pytest.mark.slow
def test_an_edit_of_a_file_that_a_kernel_imports(user, backend, tmp_path):
    assert played_twice(user()) == (12.0, 0)
    assert played_twice(user()) == (12.0, 1)
    before = len(files())
    (tmp_path / "users_factor.py").write_text("FACTOR = 5.0\n")
    scaled = user()
    assert not loop(twice, scaled).is_cached
    assert played_twice(scaled) == (30.0, 0)
    assert len(files()) == before  # the files of the former state are replaced


@pytest.mark.slow
def test_files_of_one_name_are_cached_apart(user, backend, tmp_path, monkeypatch):
    scaled = user()
    other = tmp_path / "other" / "users_kernel.py"
    other.parent.mkdir()
    shutil.copy(tmp_path / "users_kernel.py", other)
    monkeypatch.syspath_prepend(other.parent)
    assert played_twice(scaled) == played_twice(user()) == (12.0, 0)
    assert len(list(compiled_code().path.glob("scaled-*"))) == 2


def test_a_function_without_a_file_is_not_cached():
    names: dict[str, Any] = {"__name__": "no_module"}
    exec("def scaled(x):\n    return x\n", names)
    assert loop(twice, kernel(names["scaled"])).stored is None


LINE = "the cached machine code of scaled is damaged: compiling it again\n"


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_set_aside(damage, user, capsys):
    assert played_twice(user()) == (12.0, 0)
    sound = files()
    assert len(sound) == 1
    again = sound if damage is to_folder else []  # something is set aside already
    for file in [*sound, *again]:
        damage(file)
        assert played_twice(user()) == (12.0, 0)
        assert capsys.readouterr().err == LINE
        assert file.with_suffix(".damaged").exists()
        assert files() == sound
        assert played_twice(user()) == (12.0, 1)
        assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_plain_compiles_again_what_cannot_be_loaded(suffix, user, monkeypatch, capsys):
    monkeypatch.setattr(choice, "_chosen", "plain")
    assert played_twice(user()) == (12.0, 0)
    [file] = [f for f in files() if f.suffix == suffix]
    file.write_bytes(file.read_bytes()[:20])
    assert played_twice(user()) == (12.0, 0)
    assert capsys.readouterr().err == LINE
    assert played_twice(user()) == (12.0, 1)


def test_damage_is_noticed_before_anything_is_compiled(user, capsys):
    played_twice(user())
    for file in files():
        flip(file)
    assert not loop(twice, user()).is_cached
    assert capsys.readouterr().err.count("\n") == 1
    assert not loop(twice, user()).is_cached
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_cache_that_cannot_be_written(user, monkeypatch, capsys):
    def full(*arguments):
        raise OSError("No space left on device")

    monkeypatch.setattr(MachineCode, "_write", full)
    assert played_twice(user()) == played_twice(user()) == (12.0, 0)
    assert capsys.readouterr().err == ""


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
OTHER = 12345  # the number of another user, or of a group of others
FOREIGN = "the cached machine code of scaled may belong to another user: compiling it again\n"


def give_away(path):
    os.chown(path, OTHER, -1, follow_symlinks=False)


def make_a_link(path):
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


OTHERS = {
    "foreign": give_away,
    "everyone writes": lambda path: path.chmod(path.stat().st_mode | 0o002),
    "a group writes": lambda path: (os.chown(path, -1, OTHER), path.chmod(0o770)),
    "a link": make_a_link,
    "a foreign link": lambda path: (make_a_link(path), give_away(path)),
}


@needs_root
@pytest.mark.slow
@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_a_file_that_another_user_can_have_written_is_not_loaded(change, user, backend, capsys):
    assert played_twice(user()) == (12.0, 0)
    assert played_twice(user()) == (12.0, 1)
    for file in files():
        change(file)
    assert capsys.readouterr().err == ""
    assert played_twice(user()) == (12.0, 0)
    assert capsys.readouterr().err in (FOREIGN, LINE)  # a link is no file, so it is damage
    assert played_twice(user()) == (12.0, 1)
    assert all(file.stat().st_uid == os.getuid() for file in files())


@needs_root
@pytest.mark.slow
@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_a_folder_that_becomes_unsafe_is_not_used(change, user, backend, capsys):
    """Though it was safe when the process began."""
    assert played_twice(user()) == (12.0, 0)
    change(compiled_code().path)
    assert not loop(twice, user()).is_cached
    assert played_twice(user()) == (12.0, 0)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_files_are_protected_whatever_the_umask_is(user, backend):
    before = os.umask(0o000)
    try:
        assert played_twice(user()) == (12.0, 0)
    finally:
        os.umask(before)
    assert not any(f.stat().st_mode & 0o022 for f in [compiled_code().path, *files()])
    assert played_twice(user()) == (12.0, 1)


@pytest.fixture
def homes(tmp_path, monkeypatch):
    """A home folder, and a temporary folder that everyone can write to, in a sticky one."""
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home" / "user").mkdir(parents=True, mode=0o755)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "user"))
    monkeypatch.setattr(folder.tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def test_a_usual_home_is_used_and_what_is_made_in_it_is_the_users_alone(homes):
    own = homes / "home" / "user" / ".cache" / "dpbandits"
    before = os.umask(0o002)
    try:
        assert cached().parent == own
    finally:
        os.umask(before)
    assert all(f.stat().st_mode & 0o077 == 0 for f in (own.parent, own, cached()))
    own.parent.chmod(0o755)
    assert cached().parent == own


@needs_root
@pytest.mark.parametrize("where", ["home", "home/user", "home/user/.cache", "leaf"])
@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_no_folder_is_used_that_another_user_can_replace(change, where, homes):
    leaf = cached()
    own = change is make_a_link and where != "leaf"  # a link of one's own, to a folder of one's own
    change(leaf if where == "leaf" else homes / where)
    assert (cached() == leaf) == own
    if not own:
        assert cached().parent == homes / "tmp" / f"dpbandits-{os.getuid()}"


@needs_root
def test_a_link_of_ones_own_to_a_folder_of_another_user_is_not_followed(homes):
    (homes / "elsewhere" / "dpbandits").mkdir(parents=True)
    give_away(homes / "elsewhere")
    (homes / "home" / "user" / ".cache").symlink_to("../../elsewhere")
    assert cached().parent == homes / "tmp" / f"dpbandits-{os.getuid()}"
    assert list((homes / "elsewhere" / "dpbandits").iterdir()) == []


@needs_root
@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_in_the_shared_temporary_folder_what_another_user_made_first_is_not_used(
    change, homes, monkeypatch
):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", lambda: Path("/dev/null"))
    own = homes / "tmp" / f"dpbandits-{os.getuid()}"
    assert cached().parent == own  # control
    change(own)
    found = folder.cache_folder("quick", STATE)
    if change is make_a_link:  # nobody else can make a link of this user's
        assert found.path == own / f"code-quick-{STATE}"
    else:
        assert found.path is None and "/dev/null" in found.reason
    (homes / "tmp").chmod(0o777)  # not sticky: anyone can replace what is in it
    assert folder.cache_folder("quick", STATE).path is None


def test_a_group_of_ones_own_may_write(monkeypatch):
    groups = {100: ("ann", []), 101: ("ann", ["ann", "ben"]), 102: ("users", [])}
    monkeypatch.setattr(os, "geteuid", lambda: 7)
    for number, (name, members) in groups.items():
        user = SimpleNamespace(pw_gid=number, pw_name="ann")
        group = SimpleNamespace(gr_name=name, gr_mem=members)
        monkeypatch.setattr(folder.pwd, "getpwuid", lambda _, user=user: user)
        monkeypatch.setattr(folder.grp, "getgrgid", lambda _, group=group: group)
        folder._is_private.cache_clear()
        assert folder._is_private(number) == (number == 100)
    folder._is_private.cache_clear()


def cached():
    return folder.cache_folder("quick", STATE).path


@needs_root
@pytest.mark.slow
def test_without_a_safe_folder_code_stays_in_memory(user, backend, homes, capsys):
    """And one line says why."""
    give_away(homes)
    folder.found_folder.cache_clear()
    scaled = user()
    assert played_twice(scaled) == (12.0, 0) and not loop(twice, scaled).is_cached
    assert list(homes.rglob("*.nb*")) == [] and capsys.readouterr().err == ""


@needs_root
def test_the_line_about_compiling_says_why_code_stays_in_memory(homes, monkeypatch, capsys):
    (setting,) = requested(algo="dp_se", horizon=10).settings
    monkeypatch.setattr(precompile, "must_be_compiled", lambda algorithm: True)
    folder.found_folder.cache_clear()
    report_compilation([setting])
    assert "compiling dp_se, the first time only: about" in capsys.readouterr().err
    give_away(homes)
    folder.found_folder.cache_clear()
    report_compilation([setting])
    compile_elsewhere([setting])  # in no other process, which could not hand it over
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"compiling dp_se, in memory, since {homes} belongs to another user: ")
    folder.found_folder.cache_clear()


@pytest.mark.parametrize("set_to", [None, ""])
def test_empty_environment_variables_are_unset(set_to, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
        if set_to is not None:
            monkeypatch.setenv(name, set_to)
    assert cached().parent == tmp_path / ".cache" / "dpbandits"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cached().parent == tmp_path / "xdg" / "dpbandits"
    monkeypatch.setenv("NUMBA_CACHE_DIR", "relative")
    assert cached().parent == tmp_path / "relative"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A function that makes a folder, some days old, in the place of the cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def make(name, days, size=1000):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "code.nbc").write_bytes(bytes(size))
        used = time.time() - days * 86400
        os.utime(folder, (used, used))
        return folder

    return make


def test_folders_that_were_not_used_for_long_are_removed(folders, tmp_path):
    old, recent = folders("code-0123456789ab", 31), folders("code-plain-ab0123456789", 29)
    others = [folders(name, 1000) for name in ("0123456789ab", "results", "code-mine")]
    (tmp_path / "code-aaaaaaaaaaaa").touch()
    (tmp_path / "code-bbbbbbbbbbbb").symlink_to(others[1])
    used = cached()
    assert used.name == f"code-quick-{STATE}"
    assert not old.exists() and recent.exists() and all(f.exists() for f in others)
    assert (tmp_path / "code-aaaaaaaaaaaa").exists() and (others[1] / "code.nbc").exists()


def test_the_folder_in_use_is_never_removed(folders):
    used = cached()
    os.utime(used, (0, 0))
    folder.prune(used)
    assert used.exists()
    assert cached() == used and used.stat().st_mtime > time.time() - 60
    # folders are removed only when one is created
    old = folders("code-0123456789ab", 31)
    cached()
    assert old.exists()


@pytest.mark.parametrize(("largest", "left"), [(4000, [1, 2, 3]), (2500, [1, 2]), (0, [])])
def test_the_oldest_folders_are_removed_if_all_are_too_large(largest, left, folders, monkeypatch):
    monkeypatch.setattr(folder, "MAX_FOLDER_BYTES", largest)
    made = {days: folders(f"code-{days:012x}", days) for days in (2, 1, 3)}
    cached()
    assert sorted(days for days, folder in made.items() if folder.exists()) == left

"""Stored runs follow what the loaded function of a user uses: modules, and values that it read."""

import importlib
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from commands import captured
from refusals import message_of
from sweeps import own_algorithm, write

import dpbandits as dp
from dpbandits.authoring import pull, rounds_left
from dpbandits.contracts.algorithm import _load, load
from dpbandits.contracts.versions import Followed

pytestmark = pytest.mark.usefixtures("here")

LOCK = threading.Lock()
START = "from dpbandits.authoring import kernel, pull, rounds_left\n"
PLAY = """

{decorator}
def mine(game, rng):
    '''It pulls one arm.'''
    while rounds_left(game):
        pull(game, {arm})
"""
MINE = Path("mine")
# How an algorithm gets the number of its arm, and the file in which the number is written
SOURCES = {
    "a module": ("import helper\n", "helper.ARM", "algo/helper.py", "ARM = {}\n"),
    "a name of a module": ("from helper import ARM\n", "ARM", "algo/helper.py", "ARM = {}\n"),
    "a function of a module": (
        "from helper import arm\n", "arm()", "algo/helper.py", "def arm():\n    return {}\n",
    ),
    "a module of a module": ("import first\n", "first.arm()", "algo/helper.py", "ARM = {}\n"),
    "a package": ("from tools import deep\n", "deep.ARM", "algo/tools/deep.py", "ARM = {}\n"),
    "a cached function": (
        "from helper import arm\n", "arm()", "algo/helper.py",
        "from functools import cache\n\n@cache\ndef arm():\n    return {}\n",
    ),
    "a partial function": (
        "from helper import arm\n", "arm()", "algo/helper.py",
        "from functools import partial\n\narm = partial(int, {})\n",
    ),
    "a class": (
        "from helper import Policy\n", "Policy().arm()", "algo/helper.py",
        "class Policy:\n    def arm(self):\n        return {}\n",
    ),
    "an import while it plays": (
        "", "__import__('helper').ARM", "algo/helper.py", "ARM = {}\n",
    ),
    "a file of JSON": (
        "import json\nARM = json.load(open('mine/arm.json'))['arm']\n", "ARM", "arm.json",
        '{{"arm": {}}}',
    ),
    "an array": (
        "import json\nimport numpy as np\nARMS = np.array(json.load(open('mine/arm.json')))\n",
        "ARMS[0]", "arm.json", "[{}]",
    ),
}  # fmt: skip
# Those that are played, plain or compiled
PLAYED = [("a module", ""), ("an array", "@kernel")]
REGRETS = """
import sys, dpbandits as dp
runs = int(sys.argv[1])
env = dp.bernoulli([0.75, 0.25])
given = {"config_dir": "mine", "horizon": 100, "shuffle_arms": False, "backend": "threads"}
table = dp.run("mine", env, runs=runs, jobs=1, results="results", **given)
print(*sorted(table[table["t"] == 100]["regret"]))
"""


def wrote(what, arm, decorator=""):
    begin, used, file, content = SOURCES[what]
    play = PLAY.format(arm=used, decorator=decorator)
    if what == "an import while it plays":
        play = play.replace("    while", "    import helper\n    while").replace(used, "helper.ARM")
    own_algorithm(MINE, "mine", START + begin + play)
    first = "import helper\n\ndef arm():\n    return helper.ARM\n"
    write(MINE, {file: content.format(arm), "algo/first.py": first})


def played(runs, **variables):
    """The final regrets of runs in a process of its own."""
    variables = {**os.environ, **variables}
    done = captured(sys.executable, "-c", REGRETS, str(runs), env=variables)
    assert done.returncode == 0, done.stderr
    said = [x for x in done.stderr.splitlines() if "the decorator @kernel" not in x]
    return [float(x) for x in done.stdout.split()], "\n".join(said)


@pytest.mark.long
@pytest.mark.parametrize(("what", "decorator"), PLAYED)
def test_runs_are_played_again_when_what_they_use_has_changed(what, decorator):
    """More runs are not averaged with those of the former code, and the former runs stay."""
    for arm in (0, 1, 0):
        wrote(what, arm, decorator)
        assert played(4)[0] == [50.0 * arm] * 4
    assert len(list(Path("results").rglob("*.npz"))) == 2


@pytest.mark.long
def test_a_variable_that_is_read_at_import_is_followed():
    own_algorithm(MINE, "mine", f"{START}import os\nARM = int(os.environ['ARM'])\n"
                  + PLAY.format(arm="ARM", decorator=""))  # fmt: skip
    assert played(2, ARM="0") == ([0.0, 0.0], "") and played(2, ARM="1")[0] == [50.0, 50.0]


def version(what, arm):
    """The version of an algorithm that is imported anew."""
    wrote(what, arm)
    for name in ("helper", "first", "tools", "tools.deep"):
        sys.modules.pop(name, None)
    _load.cache_clear()
    return load((MINE / "algo/mine.py").resolve())


@pytest.fixture(autouse=True)
def own_modules(monkeypatch):
    """No modules stay."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    _load.cache_clear()
    for name in ("helper", "first", "tools", "tools.deep"):
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize("what", SOURCES)
def test_a_version_follows_what_the_loaded_function_uses(what):
    """A function from Python has the version of the same function in a file."""
    first, second, third = (version(what, arm) for arm in (0, 1, 1))
    assert first.version != second.version == third.version
    assert Followed(third.function).version == third.version


def test_what_the_function_does_not_use_changes_nothing():
    first = version("a module", 0)
    file = MINE / "algo/mine.py"
    text = file.read_text().replace("It pulls", "The algorithm pulls")
    file.write_text(f"# A comment.\n{text}\n\ndef other():\n    return 1\n")
    write(MINE, {"algo/helper.py": "ARM = 0\nOTHER = 1\n"})
    sys.modules.pop("helper")
    _load.cache_clear()
    assert load(file.resolve()).version == first.version


def test_a_file_that_is_edited_in_a_session_is_loaded_again():
    file, arms = (MINE / "algo/mine.py").resolve(), []
    for text in ("ARM = 0\n", "ARM = 1  # edited\n"):
        wrote("a module", 0)
        write(MINE, {"algo/helper.py": text})
        arms.append(load(file).function.__globals__["helper"].ARM)
    assert arms == [0, 1]
    file.write_text(START + PLAY.format(arm="3", decorator=""))
    assert 3 in load(file).function.__code__.co_consts


@pytest.mark.parametrize("what", ["a module", "a package"])
def test_an_edit_in_the_same_second_is_seen(what, monkeypatch):
    """The file keeps its size. Python's stored bytecode has the second and the size of its file."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    arms = []
    for arm in range(3):
        wrote(what, arm)
        for file in MINE.rglob("*.py"):
            os.utime(file, ns=(arm, arm))
        used = load((MINE / "algo/mine.py").resolve()).function.__globals__
        arms.append(used["helper" if what == "a module" else "deep"].ARM)
    assert arms == [0, 1, 2] and not [*MINE.rglob("*.pyc")]


def test_packages_that_are_installed_in_a_folder_of_the_user_keep_their_bytecode(monkeypatch):
    """An environment .venv may stand in this folder."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    wrote("a module", 0)
    load((MINE / "algo/mine.py").resolve())
    site = MINE.resolve() / "algo/.venv/lib/site-packages"
    write(site, {"installed_here/__init__.py": "", "installed_here/inner.py": ""})
    monkeypatch.syspath_prepend(str(site))
    importlib.import_module("installed_here.inner")
    assert len([*site.rglob("*.pyc")]) == 2


def test_the_text_of_an_algorithm_that_was_edited_in_the_same_second_is_read(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for arm in range(3):
        own_algorithm(MINE, "mine", START + PLAY.format(arm=arm, decorator=""))
        os.utime(MINE / "algo/mine.py", ns=(arm, arm))
        assert arm in load((MINE / "algo/mine.py").resolve()).function.__code__.co_consts


class Global:
    """It plays the arm of a global value, which changes in the session."""

    arm = 0

    def __init__(self, arms): ...

    def act(self):
        return Global.arm

    def update(self, arm, reward): ...


def test_a_chosen_class_has_the_version_of_its_present_values(monkeypatch, tmp_path):
    chosen, found = dp.algorithm(Global), []
    for arm in (0, 1, 0):
        monkeypatch.setattr(Global, "arm", arm)
        table = dp.run(chosen, "bernoulli_c2", horizon=4, runs=1, shuffle_arms=False, jobs=1,
                       backend="threads", results=tmp_path)  # fmt: skip
        found.append(table["regret"].max())
    assert found[0] == found[2] == 0.0 < found[1]


def test_a_kernel_whose_values_have_changed_is_refused(monkeypatch):
    names = {"pull": pull, "rounds_left": rounds_left, "ARM": 0}
    exec("def one_arm(game, rng):\n while rounds_left(game) > 0:\n  pull(game, ARM)\n", names)
    kernel = dp.kernel(names["one_arm"])
    dp.algorithm(kernel)
    names["ARM"] = 1
    assert "compiled code keeps the old value" in message_of(dp.run, kernel, horizon=4)
    names["ARM"] = 0
    dp.algorithm(kernel)


def test_neighbours_of_one_name_in_two_folders_are_those_of_the_folder():
    for arm, folder in enumerate(("one", "two")):
        own_algorithm(Path(folder), "mine", START + "import helper\n"
                      + PLAY.format(arm="helper.ARM", decorator=""))  # fmt: skip
        write(Path(folder), {"algo/helper.py": f"ARM = {arm}\n"})
    loaded = [load(Path(x, "algo/mine.py").resolve()) for x in ("one", "two")]
    assert [x.function.__globals__["helper"].ARM for x in loaded] == [0, 1]
    assert loaded[0].version != loaded[1].version


def test_a_neighbour_does_not_replace_a_module_of_python():
    wrote("a module", 0)
    write(MINE, {"algo/json.py": "raise ValueError\n", "algo/helper.py": "import json\nARM = 0\n"})
    sys.modules.pop("json")
    _load.cache_clear()
    try:
        load((MINE / "algo/mine.py").resolve())
    finally:
        sys.modules["json"] = json


def reads(game, rng):
    with open("a") as file:
        return file.read()


def holds(game, rng):
    return LOCK


def test_what_cannot_be_followed_is_in_words():
    assert [*Followed(reads).lost] == ["what open in reads reads"]
    assert [*Followed(holds).lost] == ["what a value of type lock holds"]
    assert Followed(holds).version == Followed(holds).version
    assert [*Followed(follows).lost] == []


def follows(game, rng):
    return json.dumps(len(PLAY))


@pytest.mark.long
def test_what_cannot_be_followed_is_named_once():
    write(MINE, {"arm.json": "0"})
    own_algorithm(MINE, "mine", START + PLAY.format(arm="int(open('mine/arm.json').read())",
                                                    decorator=""))  # fmt: skip
    said = "algo=mine: stored runs are used again even if this changes: what open in mine reads"
    assert played(2) == ([0.0, 0.0], said)

"""Bad files of a user are refused in one line, before anything is run, imported or written."""

from pathlib import Path

import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import audit, bounds, run, status, stop
from dpbandits.cli.words import read_request
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.settings.user_files import user_folders

MEANS = "means: [0.5, 0.6]\n"
LAW = "law: bernoulli\n"
GLOBAL = "# @package _global_\n"

# a file's path and content, and parts of the message
FILES = [
    ("env/latin", LAW.encode() + b"# \xe9\n", "latin.yaml:", "UTF-8"),
    ("env/wide", (LAW + MEANS).encode("utf-16"), "wide.yaml:", "UTF-8"),
    ("env/nul", LAW + "\0", "nul.yaml:", "special characters"),
    ("env/itself", LAW + "means: &a [0.5, *a]\n", "itself.yaml:"),
    ("env/whole", "&a\nlaw: bernoulli\nmeans: *a\n", "whole.yaml:"),
    ("env/alias", LAW + "means: *a\n", "alias.yaml:", "undefined alias"),
    ("env/deepest", f"means: {'{a: ' * 3000}{'}' * 3000}\n", "deepest.yaml:", "nested without end"),
    ("env/tab", LAW + "means:\n\t- 0.5\n", "tab.yaml:", "YAML", r"'\t'", "line 3"),
    ("env/twice", LAW + LAW + MEANS, "twice.yaml:", "duplicate key law"),
    ("env/colon", "law: bernoulli: x\n", "colon.yaml:", "line 1"),
    ("env/open", LAW + "means: [0.5, 0.6\n", "open.yaml:", "expected ',' or ']'"),
    ("env/two", f"{LAW}---\n{LAW}", "two.yaml:", "single document"),
    ("env/list", "- 1\n- 2\n", "env=[1,2]:", "names with values"),
    ("env/five", "5\n", "five.yaml:", "int"),
    ("env/words", "just words\n", "env.law=null:", "bernoulli"),
    ("env/object", "law: !!python/object/apply:os.system [ls]\n", "object.yaml:", "os.system"),
    ("env/path", "law: !!python/object/apply:pathlib.Path [a]\n", "path.yaml:", "PosixPath"),
    ("env/bytes", LAW + "means: [!!binary aGVsbG8=, 3]\n", "bytes.yaml:", "bytes"),
    ("env/set", LAW + "means: !!set {a, b}\n", "set.yaml:", "set"),
    ("env/tag", "law: !law bernoulli\n", "tag.yaml:", "!law"),
    ("env/one", LAW + MEANS + "1: 2\n", "one.yaml: 1:", "a name"),
    ("env/none", LAW + MEANS + "~: 2\n", "none.yaml:", "NoneType"),
    ("env/lists", LAW + "[1,2]: 2\n", "lists.yaml:", "unhashable key"),
    ("env/meanless", LAW, "env.means is missing"),
    ("env/nan", LAW + MEANS, "env=nan:", "rename"),
    ("env/notanumber", LAW + "means: [.nan, 0.6]\n", "env.means=[nan,0.6]:", "finite number"),
    ("env/huge", LAW + "means: [1e400, 0.6]\n", "huge.yaml: 1e400 is larger than any float"),
    ("env/hugest", LAW + f"means: [1{'0' * 400}, 0.6]\n", "env.means=[1000", "finite number"),
    ("env/digits", LAW + f"means: [1{'0' * 5000}, 0.6]\n", "digits.yaml:", "4300 digits"),
    ("env/truth", LAW + "means: [true, 0.6]\n", "mean=true:", "finite number"),
    ("env/date", LAW + "means: [2020-01-01, 0.6]\n", "mean=2020-01-01:", "finite number"),
    ("env/wordy", f"law: {'x' * 100_000}\n{MEANS}", "env.law=xxx", "bernoulli"),
    ("env/foreign", "law: bernøulli\n" + MEANS, "env.law=bernøulli:", "did you mean bernoulli?"),
    ("env/escape", 'law: "\\e[31mred\\n\\u2028x"\n' + MEANS, r"env.law=\x1b[31mred x:"),
    ("env/refers", LAW + "means: ${nothing}\n", "env=refers", "'nothing' not found"),
    ("env/circle", LAW + "means: ${env.means}\n", "env=circle", "Recursive interpolation"),
    ("env/parent", "law: ${env}\n" + MEANS, "env=parent", "parent node"),
    ("env/half", LAW + "means: '${'\n", "half.yaml:", "'${'"),
    ("env/home", LAW + "means: ['${oc.env:HOME}', 1]\n", "env.means.0=${oc.env:HOME}:", "key"),
    ("env/decode", LAW + "means: '${oc.decode:\"[1,1]\"}'\n", "env.means=${oc.decode:", "key"),
    ("env/blank", LAW + "means: ???\n", "env=blank", "Missing mandatory value: means"),
    ("env/_target_", LAW + MEANS + "_target_: os.system\n", "env._target_:", "no such parameter"),
    ("env/defaults", f"defaults: 5\n{LAW}", "env=defaults", "defaults must be a list"),
    ("env/nowhere", f"defaults: [foo]\n{LAW}", "env/foo"),
    ("env/again", f"defaults: [again]\n{LAW}", "env=again", "chooses itself"),
    ("env/numbers", f"defaults: [{{5: 4}}, [a]]\n{LAW}", "numbers.yaml: 5:", "a name"),
    ("env/header", f"# @package\n{LAW}", "env=header", "KEY VALUE"),
    ("env/elsewhere", f"# @package foo\n{LAW}", "'foo'", "algo"),
    ("env/bernoulli_c2", LAW + MEANS, "bernoulli_c2.yaml:", "one of ours"),
    ("population/three", "kind: 3\n", "population.kind", "'3'", "levels"),
    ("population/listed", "- 1\n", "population=[1]:", "names with values"),
    ("runner/mine", "address: null\n", "runner", "'mine'", "dask"),
    ("algo/alone", "{}\n", "algo=alone:", "alone.py"),
    ("experiment/list", GLOBAL + "- 5\n", "experiment=list", "ListConfig"),
    ("experiment/again", GLOBAL + "defaults: [again]\n", "experiment=again", "chooses itself"),
    ("experiment/key", GLOBAL + "1: 2\n", "key.yaml: 1:", "a name"),
    ("experiment/swept", GLOBAL + "sweep: {1: [2]}\n", "swept.yaml: 1:", "a name"),
    ("experiment/deep", GLOBAL + "sweep: {eps: [[[1]]]}\n", "eps=[[1]]:", "above 0"),
    ("experiment/header", "runs: 50\n", "must start with", "_global_"),
    ("experiment/unknown", GLOBAL + "sweeep: {eps: [1]}\n", "did you mean sweep?"),
    ("experiment/named", GLOBAL + "algo: ucb\n", "algo=ucb:", "override /algo: NAME"),
    ("experiment/_target_", GLOBAL + "_target_: os.system\n", "'_target_'", "algo"),
    ("experiment/mixed", GLOBAL + "sweep: {algo: [ucb], arm: [1]}\n", "sweep.arm:", "algorithm"),
    ("experiment/many", GLOBAL + f"sweep: {{eps: &a {[1] * 400}, v: *a}}\n", "160000 settings"),
]  # fmt: skip


def write(path: str, content: str | bytes) -> list[str]:
    """Write a user's file; returns the override that chooses it."""
    group, _, name = path.partition("/")
    file = Path("mine") / f"{path}.yaml"
    file.parent.mkdir(parents=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [f"{group}={name}"]


def request(words, question=REGRET):
    """What the commands do first: check the folder, then compose the configuration."""
    return read_request(words, user_folders("mine"), question)


@pytest.mark.parametrize(
    ("path", "content", "parts"), [(x[0], x[1], x[2:]) for x in FILES], ids=[x[0] for x in FILES]
)
def test_a_bad_file_is_refused(here, path, content, parts):
    words = write(path, content)
    users = ["algo=heldp_ucb_l"] if "population" in path else []
    quick = [] if "many" in path else ["horizon=100"]
    before = sorted(here.rglob("*"))
    message = message_of(request, [*words, *users, *quick])
    assert all(part in message for part in parts), message
    assert len(message) < 2100
    assert sorted(here.rglob("*")) == before


def test_the_folder_is_checked_before_any_file_is_chosen(refused):
    """By every command, and by the Python API."""
    write("env/latin", LAW.encode() + b"# \xe9\n")
    for module in (run, stop, bounds, status, audit):
        message = refused(module, ["--config-dir", "mine"])
        assert "latin.yaml:" in message and "UTF-8" in message
    for function in (dp.run, dp.stop, dp.bounds):
        assert "latin.yaml:" in message_of(function, config_dir="mine")
    assert "latin.yaml:" in message_of(dp.audit, "adap_ucb", config_dir="mine")


@pytest.mark.parametrize("kind", ["folder", "dangling", "loop"])
def test_what_is_no_file_is_refused(here, kind):
    home = Path("mine/env")
    home.mkdir(parents=True)
    if kind == "folder":
        (home / "mine.yaml").mkdir()
    else:
        (home / "mine.yaml").symlink_to("mine.yaml" if kind == "loop" else "nothing")
    message = message_of(user_folders, "mine")
    assert "mine.yaml:" in message and "a file" in message


@pytest.mark.parametrize("key", ["results", "jobs", "sweep"])
def test_a_folder_with_the_name_of_a_key_is_no_group(here, key):
    Path("mine", key).mkdir(parents=True)
    message = message_of(request, ["algo=adap_ucb", f"{key}=1"])
    assert f"mine/{key} would be taken for files to choose from" in message


@pytest.mark.parametrize("question", [REGRET, STOPPING], ids=lambda q: q.name)
def test_a_file_may_use_aliases_and_a_byte_order_mark(here, question):
    """Control: what is unusual and understood is not refused."""
    words = write("env/mine", "\ufefflaw: bernoulli\nmeans: [&a 0.5, 0.6, *a]\n")
    (setting,) = request(words, question).settings
    assert setting.env == "mine" and setting.record["env_spec"]["means"] == [0.5, 0.6, 0.5]

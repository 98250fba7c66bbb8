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

# a file's path and content, and parts of the message
FILES = [
    ("env/latin", LAW.encode() + b"# \xe9\n", "latin.yaml:", "UTF-8"),
    ("env/wide", (LAW + MEANS).encode("utf-16"), "wide.yaml:", "UTF-8"),
    ("env/nul", LAW + "\0", "nul.yaml:", "special characters"),
    ("env/itself", LAW + "means: &a [0.5, *a]\n", "itself.yaml:"),
    ("env/whole", "&a\nlaw: bernoulli\nmeans: *a\n", "whole.yaml:"),
    ("env/alias", LAW + "means: *a\n", "alias.yaml:", "undefined alias"),
    ("env/deepest", f"means: {'{a: ' * 3000}{'}' * 3000}\n", "deepest.yaml:", "contain themselves"),
    ("env/tab", LAW + "means:\n\t- 0.5\n", "tab.yaml:", "YAML", r"'\t'", "line 3"),
    ("env/twice", LAW + LAW + MEANS, "twice.yaml:", "duplicate key law"),
    ("env/colon", "law: bernoulli: x\n", "colon.yaml:", "line 1"),
    ("env/open", LAW + "means: [0.5, 0.6\n", "open.yaml:", "expected ',' or ']'"),
    ("env/two", f"{LAW}---\n{LAW}", "two.yaml:", "single document"),
    ("env/list", "- 1\n- 2\n", "list.yaml:", "names with values"),
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
    ("env/notanumber", LAW + "means: [.nan, 0.6]\n", "env.means=[nan,0.6]:", "finite number"),
    ("env/huge", LAW + "means: [1e400, 0.6]\n", "huge.yaml: 1e400 is beyond any float"),
    ("env/hugest", LAW + f"means: [1{'0' * 400}, 0.6]\n", "env.means=[1000", "finite number"),
    ("env/digits", LAW + f"means: [1{'0' * 5000}, 0.6]\n", "digits.yaml:", "4300 digits"),
    ("env/truth", LAW + "means: [true, 0.6]\n", "mean=true:", "finite number"),
    ("env/date", LAW + "means: [2020-01-01, 0.6]\n", "mean=2020-01-01:", "finite number"),
    ("env/wordy", f"law: {'x' * 100_000}\n{MEANS}", "env.law=xxx", "bernoulli"),
    ("env/foreign", "law: bernøulli\n" + MEANS, "env.law=bernøulli:", "did you mean bernoulli?"),
    ("env/escape", 'law: "\\e[31mred\\n\\u2028x"\n' + MEANS, r"env.law=\x1b[31mred x:"),
    ("env/refers", LAW + "means: ${nothing}\n", "refers.yaml:", "'nothing' not found"),
    ("env/circle", LAW + "means: ${env.means}\n", "circle.yaml:", "'env.means' not found"),
    ("env/parent", "law: ${env}\n" + MEANS, "parent.yaml:", "'env' not found"),
    ("env/half", LAW + "means: '${'\n", "half.yaml:", "'${'"),
    ("env/home", LAW + "means: ['${oc.env:HOME}', 1]\n", "means.0=${oc.env:HOME}:", "key"),
    ("env/decode", LAW + "means: '${oc.decode:\"[1,1]\"}'\n", "means=${oc.decode:", "key"),
    ("env/blank", LAW + "means: ???\n", "env.means=???:", "list of numbers"),
    ("env/_target_", LAW + MEANS + "_target_: os.system\n", "env._target_:", "no such parameter"),
    ("env/defaults", f"defaults: 5\n{LAW}", "defaults.yaml:", "by GROUP: NAME"),
    ("env/nowhere", f"defaults: [foo]\n{LAW}", "nowhere.yaml:", "list of defaults"),
    ("env/again", f"defaults: [again]\n{LAW}", "again.yaml:", "list of defaults"),
    ("env/numbers", f"defaults: [{{5: 4}}, [a]]\n{LAW}", "numbers.yaml: 5:", "a name"),
    ("env/bernoulli_c2", LAW + MEANS, "bernoulli_c2.yaml:", "one of ours"),
    ("population/three", "kind: 3\n", "population.kind", "'3'", "levels"),
    ("population/listed", "- 1\n", "listed.yaml:", "names with values"),
    ("runner/mine", "address: null\n", "runner", "'mine'", "dask"),
    ("algo/alone", "{}\n", "algo=alone:", "alone.py"),
    ("experiment/list", "- 5\n", "list.yaml:", "names with values"),
    ("experiment/again", "defaults: [again]\n", "again.yaml:", "list of defaults"),
    ("experiment/key", "1: 2\n", "key.yaml: 1:", "a name"),
    ("experiment/swept", "sweep: {1: [2]}\n", "swept.yaml: 1:", "a name"),
    ("experiment/deep", "sweep: {eps: [[[1]]]}\n", "eps=[[1]]:", "above 0"),
    ("experiment/others", "defaults: [{override /algo: ucb}]\n", "others.yaml:", "GROUP: NAME"),
    ("experiment/inside", "env: {law: bernoulli}\n", "unknown env", "law:bernoulli"),
    ("experiment/unknown", "sweeep: {eps: [1]}\n", "did you mean sweep?"),
    ("experiment/named", "algo: ubc\n", "'ubc'", "did you mean ucb?"),
    ("experiment/_target_", "_target_: os.system\n", "'_target_'", "algo"),
    ("experiment/mixed", "sweep: {algo: [ucb], arm: [1]}\n", "sweep.arm:", "algorithm"),
    ("experiment/many", f"sweep: {{eps: &a {[1] * 400}, v: *a}}\n", "160000 settings"),
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


def test_an_experiment_sets_the_keys_that_words_set(here):
    """Control: a file chooses another by its name, and needs no header."""
    words = write("experiment/mine", "algo: dp_se\nenv: bernoulli_c1\neps: 0.5\nseed: 3\n")
    (setting,) = request([*words, "horizon=100"]).settings
    assert (setting.algo, setting.env, setting.budget) == ("dp_se", "bernoulli_c1", 0.5)
    assert (
        setting
        == request(["algo=dp_se", "env=bernoulli_c1", "eps=.5", "seed=3", "horizon=100"]).settings[
            0
        ]
    )


@pytest.mark.parametrize("question", [REGRET, STOPPING], ids=lambda q: q.name)
def test_a_file_may_use_aliases_and_a_byte_order_mark(here, question):
    """Control: what is unusual and understood is not refused."""
    words = write("env/mine", "\ufefflaw: bernoulli\nmeans: [&a 0.5, 0.6, *a]\n")
    (setting,) = request(words, question).settings
    assert setting.env == "mine" and setting.record["env_spec"]["means"] == [0.5, 0.6, 0.5]

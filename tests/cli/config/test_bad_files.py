"""Bad files of a user are refused in one line, before anything is run, imported or written."""

from pathlib import Path

import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli import run, stop
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
    ("env/five", "5\n", "five.yaml:", "names with values"),
    ("env/words", "just words\n", "words.yaml:", "names with values"),
    ("env/object", "law: !!python/object/apply:os.system [ls]\n", "object.yaml:", "os.system"),
    ("env/path", "law: !!python/object/apply:pathlib.Path [a]\n", "path.yaml:", "pathlib.Path"),
    ("env/bytes", LAW + "means: [!!binary aGVsbG8=, 3]\n", "bytes.yaml:", "bytes"),
    ("env/set", LAW + "means: !!set {a, b}\n", "set.yaml:", "set"),
    ("env/tag", "law: !law bernoulli\n", "tag.yaml:", "!law"),
    ("env/one", LAW + MEANS + "1: 2\n", "one.yaml: 1:", "a name"),
    ("env/none", LAW + MEANS + "~: 2\n", "none.yaml: null:", "a name"),
    ("env/lists", LAW + "[1,2]: 2\n", "lists.yaml:", "unhashable key"),
    ("env/meanless", LAW, "env.means is missing"),
    ("env/notanumber", LAW + "means: [.nan, 0.6]\n", "env.means=[nan,0.6]:", "finite number"),
    ("env/huge", LAW + "means: [1e400, 0.6]\n", "huge.yaml: 1e400 is above the largest number"),
    ("env/hugest", LAW + f"means: [1{'0' * 400}, 0.6]\n", "env.means=[1000", "finite number"),
    ("env/digits", LAW + f"means: [1{'0' * 5000}, 0.6]\n", "digits.yaml:", "4300 digits"),
    ("env/truth", LAW + "means: [true, 0.6]\n", "mean=true:", "finite number"),
    ("env/date", LAW + "means: [2020-01-01, 0.6]\n", "mean=2020-01-01:", "finite number"),
    ("env/wordy", f"law: {'x' * 100_000}\n{MEANS}", "env.law=xxx", "bernoulli"),
    ("env/foreign", "law: bernøulli\n" + MEANS, "env.law=bernøulli:", "did you mean bernoulli?"),
    ("env/escape", 'law: "\\e[31mred\\n\\u2028x"\n' + MEANS, r"env.law=\x1b[31mred x:"),
    ("env/refers", LAW + "means: ${nothing}\n", "env.means:", "no key nothing; choose from"),
    ("env/circle", LAW + "means: ${env.means}\n", "env.means: the value refers to itself,",
     "write env.means=VALUE"),
    ("env/parent", "law: ${env}\n" + MEANS, "env.law:", "parent node"),
    ("env/half", LAW + "means: '${'\n", "env=half:", "'${'"),
    ("env/home", LAW + "means: ['${oc.env:NOWHERE}', 1]\n", "env.means", "'NOWHERE' not found"),
    ("env/resolver", LAW + "means: '${nowhere:1}'\n", "env.means", "nowhere"),
    ("env/blank", LAW + "means: ???\n", "env.means=???: a value is needed; write env.means=VALUE"),
    ("env/_target_", LAW + MEANS + "_target_: os.system\n", "env._target_:", "no such parameter"),
    ("env/defaults", f"defaults: 5\n{LAW}", "env=defaults:", "defaults must be a list"),
    ("env/nowhere", f"defaults: [foo]\n{LAW}", "env=nowhere:", "there is no file env/foo.yaml"),
    ("env/again", f"defaults: [again]\n{LAW}", "env=again:", "includes the file itself"),
    ("env/numbers", f"defaults: [{{5: 4}}, [a]]\n{LAW}", "numbers.yaml: 5:", "a name"),
    ("env/bernoulli_c2", LAW + MEANS, "bernoulli_c2.yaml:", "rename yours"),
    ("population/three", "kind: 3\n", "population.kind=3", "levels"),
    ("population/listed", "- 1\n", "listed.yaml:", "names with values"),
    ("runner/mine", "address: null\n", "runner", "'mine'", "dask"),
    ("algo/alone", "{}\n", "algo=alone:", "alone.py"),
    ("experiment/list", "- 5\n", "list.yaml:", "names with values"),
    ("experiment/again", "defaults: [again]\n", "experiment=again:", "the file itself"),
    ("experiment/key", "1: 2\n", "key.yaml: 1:", "a name"),
    ("experiment/swept", "sweep: {1: [2]}\n", "swept.yaml: 1:", "a name"),
    ("experiment/deep", "sweep: {eps: [[[1]]]}\n", "eps=[[1]]:", "above 0"),
    ("experiment/others", "defaults: [{override /algo: ubc}]\n", "algo/ubc.yaml", "mean ucb?"),
    ("experiment/inside", "env: {law: bernuli}\n", "env.law=bernuli", "bernoulli"),
    ("experiment/unknown", "sweeep: {eps: [1]}\n", "did you mean sweep?"),
    ("experiment/named", "algo: ucb\n", "algo: ucb:", "defaults: [override /algo: ucb, _self_]"),
    ("experiment/_target_", "_target_: os.system\n", "'_target_'", "algo"),
    ("experiment/mixed", "sweep: {algo: [ucb], arm: [1]}\n", "sweep.arm:", "algorithm"),
    ("experiment/many", f"sweep: {{eps: &a {[1] * 400}, v: *a}}\n", "160000 settings"),
]  # fmt: skip


def write(path: str, content: str | bytes) -> list[str]:
    """Write a user's file; returns the override that chooses it."""
    group, _, name = path.partition("/")
    file = Path("mine") / f"{path}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    content = content if isinstance(content, bytes) else content.encode()
    file.write_bytes((b"# @package _global_\n" if group == "experiment" else b"") + content)
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


def test_only_the_files_that_are_chosen_are_read(here, ended):
    """A half-saved file, or a folder with the name of one, stops no command for another file."""
    words = write("env/mine", LAW + MEANS)
    write("experiment/draft", "sweep: {eps: [")
    Path("mine/env/latin.yaml").write_bytes(LAW.encode() + b"# \xe9\n")
    Path("mine/env/folder.yaml").mkdir()
    for module in (run, stop):
        code, _, err = ended(module, "--config-dir", "mine", *words, "--help", "env")
        assert code == 0, err
    (setting,) = request([*words, "horizon=100"]).settings
    assert setting.env == "mine"
    assert "latin.yaml:" in message_of(dp.run, env="latin", config_dir="mine")


@pytest.mark.parametrize("kind", ["folder", "dangling", "loop"])
def test_what_is_no_file_is_refused(here, kind):
    home = Path("mine/env")
    home.mkdir(parents=True)
    if kind == "folder":
        (home / "mine.yaml").mkdir()
    else:
        (home / "mine.yaml").symlink_to("mine.yaml" if kind == "loop" else "nothing")
    message = message_of(request, ["env=mine"])
    assert "mine.yaml:" in message and "no such file" in message


def test_an_experiment_sets_the_keys_that_words_set(here):
    """Control."""
    defaults = "defaults: [override /algo: dp_se, override /env: bernoulli_c1, _self_]\n"
    words = write("experiment/mine", defaults + "eps: 0.5\nseed: 3\n")
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

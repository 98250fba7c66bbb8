"""Random configurations and command lines, most of them nearly right, and checks of how the package
reacts to each.
"""

import shutil
import signal
import sys
from collections import Counter
from functools import cache

import yaml
from commands import command
from hostile import TEXTS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from refusals import checked_line
from sweeps import write

from dpbandits.cli.words import read_request
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.contracts.question import QUESTIONS
from dpbandits.environments.catalogue import ARMS, LAWS
from dpbandits.errors import BadInput, plain
from dpbandits.files import check_writable
from dpbandits.results.manifest import table_path
from dpbandits.running.failures import in_words
from dpbandits.settings.choices import Choice
from dpbandits.settings.compose import Given, compose
from dpbandits.settings.composed import read_group
from dpbandits.settings.groups import default_keys, names_in
from dpbandits.settings.setting import data_of
from dpbandits.settings.user_files import user_folders

EXTREME = [0, -0.0, 5e-324, 1e-100, 1e308, -1e308, 2**53 + 1, 2**62, 2**63, 10**400, -(10**400)]
EXTREME += [float("nan"), float("inf"), -float("inf"), 1, 2, 0.5, 1.0000000001, 100, 1e7, 1e12]
REFERENCES = ["${eps}", "${horizon}", "${nothing}", "${oc.env:HOME}", "${", "${a:}", "???", "$x"]

numbers = st.one_of(
    st.sampled_from(EXTREME), st.integers(-3, 12), st.floats(0.01, 20), st.floats(), st.integers()
)
scalars = st.one_of(
    numbers, st.booleans(), st.none(), st.sampled_from(TEXTS + REFERENCES), st.text(max_size=8)
)
lists_of_numbers = st.lists(numbers, max_size=6)


def nested(inner):
    """Generate lists and mappings of something, not too large."""
    names = st.sampled_from(["law", "mean", "means", "k", "a"]) | st.text(max_size=3)
    return st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=3)


PARAMETERS = ["mean", "sd", "value", "low", "high", "p", "a", "b", "shape", "scale", "df", "k"]
law_of_an_arm = st.fixed_dictionaries(
    {"law": st.sampled_from([*ARMS, "unseen", "cauchy"])},
    optional=dict.fromkeys([*PARAMETERS, "sigma", "copies"], numbers),
)
values = st.one_of(
    numbers,
    scalars,
    lists_of_numbers,
    law_of_an_arm,
    st.lists(law_of_an_arm, min_size=2, max_size=5),
    st.recursive(scalars, nested, max_leaves=8),
)


@cache
def usual(group, name):
    """Return the contents of a file of a group."""
    return read_group(group, name)


def nearly(name):
    """Generate a name that is usually right, but sometimes lacks a letter."""
    return name if len(name) < 4 else name[:1] + name[2:]


@st.composite
def changed(draw, mapping, protected=()):
    """Generate a mapping in which up to two entries are changed, renamed, removed or added."""
    new = dict(mapping)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
        names = [name for name in new if name not in protected]
        way = draw(st.sampled_from(["set", "set", "set", "set", "rename", "drop", "add"]))
        if way == "add" or not names:
            new[draw(st.sampled_from(["alfa", "_target_", "law", "eps", "x.y", "0"]))] = draw(
                values
            )
            continue
        name = draw(st.sampled_from(names))
        if way == "set" and isinstance(new[name], dict):
            new[name] = draw(changed(new[name]))
        elif way == "set":
            new[name] = draw(values)
        elif way == "drop":
            del new[name]
        else:
            new[nearly(name)] = new.pop(name)
    return new


@st.composite
def sweeps(draw, question):
    """Generate one grid, several grids, or none."""
    keys = default_keys(question.keys_file)
    names = st.sampled_from([*keys, "alpha", "v", "env.means", "env.alpha", "env.x.y"])
    groups = st.sampled_from(question.groups)
    good = st.dictionaries(names, st.lists(values, max_size=3), max_size=2)
    chosen = st.dictionaries(groups, st.lists(st.sampled_from(["ucb", "pareto", "nas", "?"])))
    return draw(st.one_of(good, good, chosen, st.lists(good, max_size=2), values))


@cache
def answering(question):
    """Return the default algorithm if it answers a question, else all algorithms that answer it."""
    usual = default_keys(question.keys_file)[question.group]
    names = [usual, *names_in(question.group)]
    found = [n for n in names if load(find_file(n, (), question.group)).question is question]
    return [usual] if usual in found else found


@st.composite
def configurations(draw):
    """Generate a question, a composed configuration, the contents of its groups, and values of a
    runner.
    """
    question = draw(st.sampled_from([q for q in QUESTIONS if answering(q)]))
    keys = default_keys(question.keys_file)
    config = dict(keys) | {question.group: draw(st.sampled_from(answering(question)))}
    if keys[question.group] not in answering(question):  # nor does its environment fit
        config["env"] = "bernoulli_c2"
    fitting = draw(st.integers(0, 2)) > 0
    for group in () if fitting else question.groups:
        config[group] = draw(st.sampled_from(names_in(group)))
    protected = (*question.groups, "runner", "experiment", "sweep", "results")
    if draw(st.booleans()):
        config |= {k: v for k, v in draw(changed(config, protected)).items() if k in keys}
    if draw(st.integers(0, 4)) == 0:
        config["sweep"] = draw(sweeps(question))
    if draw(st.integers(0, 9)) == 0:
        config["results"] = draw(values)
    specs = {g: draw(changed(usual(g, config[g]))) for g in question.groups}
    if draw(st.integers(0, 9)) == 0:
        specs["env"] = draw(st.fixed_dictionaries({"law": st.sampled_from([*LAWS, *ARMS])}))
    runner = draw(changed({"address": None})) if draw(st.integers(0, 19)) == 0 else {}
    return question, config, specs, runner


def outcome_of(work, *given) -> str:
    """Return ``valid``, or ``refused`` if the work raises an error of one line. Any other error is
    raised.
    """
    try:
        request = work(*given)
        if request.results is not None:
            check_writable(request.results)
            assert table_path(request).name
        for setting in request.settings[:3]:
            assert setting.key and in_words(setting) and data_of(setting)
    except BadInput as error:
        checked_line(str(error))
        return "refused"
    return "valid"


def composed(question, config, specs, runner):
    """Return the request of a configuration whose files have these contents."""
    usual_keys = default_keys(question.keys_file)  # which no user gives
    given = {k: x for k, x in config.items() if k not in specs and repr(x) != repr(usual_keys[k])}
    given |= {f"runner.{name}": value for name, value in runner.items()}
    for group, contents in specs.items():
        name = config[group]
        made = None
        if group == question.group:
            made = load(find_file(name, (), group)) if name in names_in(group) else None
        given[group] = Choice(name, {}, contents, made)
    return compose(question, Given(given))


KEYS = ["algo.alpha", "env.means", "env.arms", "env.inlier", "env.outlier", "env._target_", "foo"]
KEYS += ["rule.k", "population.levels", "sweep.eps", "sweep.0", "sweep.env", "algo", "env", "rule"]
KEYS += ["hydra.run.dir", "hydra/launcher", "hydra.callbacks.x", "env@foo", "a/b", "", "é"]


@st.composite
def overrides(draw, question):
    """Generate what may follow a command: known and unknown keys, with values of all kinds."""
    words = []
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2, 3]))):
        key = draw(st.sampled_from(KEYS) | st.sampled_from(list(default_keys(question.keys_file))))
        sign = draw(st.sampled_from(["", "", "", "", "+", "++", "~"]))
        choice = st.sampled_from((names_in(key) if key.isidentifier() else []) or [1, 3])
        words.append(f"{sign}{key}={plain(draw(choice | choice | values))}")
    return words + draw(st.sampled_from([[], [], [], [draw(st.text(max_size=5))]]))


@st.composite
def command_lines(draw):
    """Generate a question, some overrides, and the content of a user's file that they choose."""
    question = draw(st.sampled_from([q for q in QUESTIONS if answering(q)]))
    group = draw(st.sampled_from(["env", "experiment", question.group, None]))
    if group is None:
        return question, draw(overrides(question)), None, b""
    if group == "experiment":
        inner = {"runs": 2, "seed": 1, "sweep": {"eps": [1, 2]}}
    else:
        inner = usual(group, default_keys(question.keys_file)[group])
    inner = draw(st.sampled_from([inner, draw(changed(inner)), draw(values)]))
    text = yaml.safe_dump(inner, allow_unicode=True).encode()
    content = draw(st.sampled_from([text, text, text, text, text[:-3], b"\xff" + text]))
    return question, [f"{group}=mine", *draw(overrides(question))], group, content


def requested(folder, question, words, group, content):
    """Return the request of a command line, with the user's file in a folder."""
    for old in folder.glob("*/*"):
        old.unlink()
    folders = ()
    if group is not None:
        write(folder, {f"{group}/mine.yaml": content})
        folders = user_folders(str(folder))
    return read_request(words, folders, question)


NEEDED = {"runs": 2, "jobs": 1, "horizon": 50, "cap": 50}  # what is accepted ends soon
WORDS_OF_CLAIMS = ["A1", "S2", "a1", "seed=1", "runs=2", "runs=x", "seed=-1", "horizon=0", "jobs=0"]


@st.composite
def changed_bytes(draw, content):
    """Generate a damaged content of a file: cut, or with some bytes replaced."""
    start = draw(st.integers(0, len(content)))
    way = draw(st.sampled_from(["cut", "flip", "number", "text", "bytes", "none"]))
    more = {
        "cut": b"",
        "flip": bytes(255 - x for x in content[start : start + 1]) + content[start + 1 :],
        "number": f",{draw(numbers)},".encode() + content[start + 5 :],
        "text": draw(st.text(max_size=4)).encode() + content[start:],
        "bytes": draw(st.binary(max_size=300)),
        "none": content[start:],
    }
    return content[:start] + more[way]


@st.composite
def lines(draw, table: bytes, manifest: bytes):
    """Generate the words of any command, and the files that they name, by path."""
    name = draw(st.sampled_from(["run", "run", "stop", "status", "bounds", "audit", "claims"]))
    name = draw(st.sampled_from([name, name, name, name, name, "plot"]))
    if name == "plot":
        files = {
            "table.csv": draw(changed_bytes(table)),
            "table.json": draw(changed_bytes(manifest)),
        }
        files |= draw(st.sampled_from([{}, {"table.csv": table}, {"table.json": manifest}]))
        odd = st.sampled_from(
            ["bounds=true", "bounds=1", "nothing.csv", "experiment=?", "a=b", "-x"]
        )
        return ["bandit-plot", "table.csv", *draw(st.lists(odd, max_size=2))], files
    if name == "claims":
        odd = st.sampled_from(WORDS_OF_CLAIMS) | st.text(min_size=1, max_size=5)
        return ["bandit-claims", *draw(st.lists(odd, min_size=1, max_size=3)), "runs=2", "x=y"], {}
    question, words, group, content = draw(command_lines())
    if name in ("run", "stop"):
        name = question.command.removeprefix("bandit-")
    if draw(st.integers(0, 9)) == 0:
        words = ["algo=dpr_se", "env=empirical", "env.file=data.csv"]
    data = draw(changed_bytes(b"a,b\n1,2\n2,3\n3,1\n"))
    files = {"data.csv": data} | ({f"{group}/mine.yaml": content} if group else {})
    words = [word for word in words if not ("results" in word and "/" in word)]
    given = {word.partition("=")[0].lstrip("+~") for word in words}
    keys = default_keys("audit" if name == "audit" else question.keys_file)
    words += [f"{key}={x}" for key, x in NEEDED.items() if key in keys and key not in given]
    if name == "audit" and not given & {"algo", "rule", "mechanism"}:
        words.append("mechanism=laplace_release")
    return [f"bandit-{name}", *words, "--config-dir=."], files


def end_of_command(folder, words, files, limit=10) -> str:
    """Run a real command. Return ``accepted``, ``refused`` if it ends with an error of one line, or
    what is wrong.

    If the command was accepted and still plays when it gets Ctrl-C, the result is ``stopped``.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write(folder, files)
    words = [word.replace("\0", "0") for word in words]  # no system passes it
    done = command(*words, cwd=folder, limit=limit)
    said = done.stderr.splitlines()
    own = [line for line in said if line.startswith(f"{words[0]}: ")]
    if done.returncode == -signal.SIGKILL:
        found = "hang"
    elif "Traceback" in done.stderr or done.returncode not in (0, 2, 3, 130):
        found = "traceback"
    elif done.returncode == 2:
        found = "refused" if own == said and len(said) == 1 else "untidy"
    else:
        found = "stopped" if done.returncode == 130 else "accepted"
    if found in ("hang", "traceback", "untidy"):
        print(found, words, files, done, sep="\n", file=sys.stderr)
    return found


def outcomes(strategy, work, tries: int, judge=outcome_of) -> Counter:
    """Count the outcomes of this many tries, which are the same in every test run."""
    counts: Counter = Counter()

    @settings(
        max_examples=tries,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # a failure is shown as it was found: to shrink it takes minutes
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def attempt(one):
        counts[judge(work, *one)] += 1

    attempt()
    return counts

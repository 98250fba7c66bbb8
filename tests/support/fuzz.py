"""Random command lines and files, most of them nearly right, and what becomes of each."""

import shutil
import signal
import sys
from collections import Counter
from functools import cache

import yaml
from commands import command
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sweeps import write

from dpbandits.cli.words import read_request
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.contracts.question import QUESTIONS, REGRET
from dpbandits.environments.catalogue import ARMS
from dpbandits.errors import BadInput, plain
from dpbandits.files import check_writable
from dpbandits.results.naming import table_path
from dpbandits.running.failures import in_words
from dpbandits.settings.groups import default_keys, names_in, read_group
from dpbandits.settings.setting import data_of
from dpbandits.settings.user_files import user_folders

EXTREME = [0, -0.0, 5e-324, 1e-100, 1e308, -1e308, 2**53 + 1, 2**62, 2**63, 10**400, -(10**400)]
EXTREME += [float("nan"), float("inf"), -float("inf"), 1, 2, 0.5, 1.0000000001, 100, 1e7, 1e12]
WORDS = ["auto", "1/horizon", "literal", "practical", "provable", "batch", "threads", "inf", "NaN"]
WORDS += ["", " ", "é", "\u2028", "a\nb", "\x1b[31m", "\0", "x" * 5000, "../up", "1e400"]
WORDS += ["_target_"]
REFERENCES = ["${eps}", "${horizon}", "${nothing}", "${oc.env:HOME}", "${", "${a:}", "???", "$x"]

numbers = st.one_of(
    st.sampled_from(EXTREME), st.integers(-3, 12), st.floats(0.01, 20), st.floats(), st.integers()
)
scalars = st.one_of(
    numbers, st.booleans(), st.none(), st.sampled_from(WORDS + REFERENCES), st.text(max_size=8)
)
lists_of_numbers = st.lists(numbers, max_size=6)


def nested(inner):
    """Lists and mappings of something, not too large."""
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


@st.composite
def changed(draw, mapping):
    """A mapping with up to two of its entries changed, renamed, lost or added."""
    new = dict(mapping)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
        way = draw(st.sampled_from(["set", "set", "set", "set", "rename", "drop", "add"]))
        if way == "add" or not new:
            new[draw(st.sampled_from(["alfa", "_target_", "law", "eps", "x.y", "0"]))] = draw(
                values
            )
            continue
        name = draw(st.sampled_from([*new]))
        if way == "set" and isinstance(new[name], dict):
            new[name] = draw(changed(new[name]))
        elif way == "set":
            new[name] = draw(values)
        elif way == "drop":
            del new[name]
        else:
            new[name[:1] + name[2:]] = new.pop(name)
    return new


@cache
def answering(question):
    """The algorithms, or rules, that answer a question."""
    names = names_in(question.group)
    return [n for n in names if load(find_file(n, (), question.group)).question is question]


def outcome_of(folder, *given) -> str:
    """``valid`` or ``refused``, which says why in one line; any other end is an error."""
    try:
        request = requested(folder, *given)
        if request.results is not None:
            check_writable(request.results)
            assert table_path(request).name
        for setting in request.settings[:3]:
            assert setting.key and in_words(setting) and data_of(setting)
    except BadInput as error:
        line = str(error)
        assert line and line.isprintable() and len(line) < 3000, f"not one line: {line!r}"
        return "refused"
    return "valid"


KEYS = ["algo.alpha", "env.means", "env.arms", "env.inlier", "env.outlier", "env._target_", "foo"]
KEYS += ["rule.k", "population.levels", "sweep.eps", "sweep.0", "sweep.env", "algo", "env", "rule"]
KEYS += ["hydra.run.dir", "hydra/launcher", "hydra.callbacks.x", "env@foo", "a/b", "", "é"]


@st.composite
def overrides(draw, question, name):
    """What may stand behind a command: keys, known or not, with values of all kinds."""
    keys = [*default_keys(question.keys_file)]
    keys += [f"{question.group}.{parameter}" for parameter in read_group(question.group, name)]
    words = []
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2, 3]))):
        key = draw(st.sampled_from(KEYS) | st.sampled_from(keys))
        sign = draw(st.sampled_from(["", "", "", "", "+", "++", "~"]))
        choice = st.sampled_from((names_in(key) if key.isidentifier() else []) or [1, 3])
        words.append(f"{sign}{key}={plain(draw(choice | choice | values))}")
    return words + draw(st.sampled_from([[], [], [], [draw(st.text(max_size=5))]]))


@st.composite
def command_lines(draw):
    """A question, some overrides, and the content of a file of the user's that they choose."""
    question = draw(st.sampled_from([q for q in QUESTIONS if answering(q)]))
    name = draw(st.sampled_from(answering(question)))
    group = draw(st.sampled_from([*question.groups[1:], "experiment", None]))
    words = [f"{question.group}={name}", *draw(overrides(question, name))]
    if question is not REGRET and group != "env":
        words.insert(0, "env=bernoulli_c2")  # the environment by default fits few
    if group is None:
        return question, words, None, b""
    if group == "experiment":
        inner = {"runs": 2, "seed": 1, "sweep": {"eps": [1, 2], "env.arms": [2, 3]}}
    else:
        usual = {"env": "bernoulli_c2", "population": "levels"}[group]
        inner = read_group(group, draw(st.sampled_from([*[usual] * 9, *names_in(group)])))
    inner = draw(st.sampled_from([inner, draw(changed(inner)), draw(values)]))
    text = yaml.safe_dump(inner, allow_unicode=True).encode()
    content = draw(st.sampled_from([text, text, text, text, text[:-3], b"\xff" + text]))
    return question, [f"{group}=mine", *words], group, content


def requested(folder, question, words, group, content):
    """The request of a command line, with the user's file in a folder."""
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
    """The content of a file, cut, or with some of its bytes replaced."""
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
    """The words of any command, and the files that they name, by path."""
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
    """What a real command does: ``accepted``, ``refused``, in one line, or what is wrong.

    One that was accepted and still plays when it gets Ctrl-C is ``stopped``.
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
    """What becomes of that many tries, the same ones in every test run."""
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

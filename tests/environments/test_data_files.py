"""Files of data as people have them: what is played, or why a file is refused, through the command
line and through Python.
"""

import json
import shlex
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import peak_of
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import message_of

import dpbandits as dp
from dpbandits import files, validation
from dpbandits.cli.words import read_request
from dpbandits.contracts.question import REGRET
from dpbandits.environments import data
from dpbandits.environments.catalogue import LAWS, build
from dpbandits.environments.populations import KINDS, build_population
from dpbandits.environments.reward_laws.arm import Arm
from dpbandits.environments.reward_laws.points import empirical
from dpbandits.errors import BadInput, plain
from dpbandits.results.manifest import read_manifest, table_path
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import names_in

pytestmark = pytest.mark.usefixtures("here")

NUMBERS = "0,.5,1\n1,.25,0\n"
ABC = "a,b,c\n" + NUMBERS
MEANS = [0.5, 0.375, 0.5]
HEADER, COLUMNS = {"header": ["x", "y", "z"]}, {"columns": [0, 1, 2]}
NO_NAME = ["column 1 has no name", "index=False"]
HEADERLESS = ["first row holds numbers", "a header with the arms' names is needed"]
ROWS_EXCEED = ["rows exceed the header"]
# What is in the file, keys of the environment, and the means of the arms or parts of the message.
# Each law that reads a file reads these alike.
FILES = [
    ("names", ABC, {}, MEANS),
    ("quoted names, spaces, CRLF", '"a", "b","c"\r\n0, .5,1\r\n1,.25,0\r\n', {}, MEANS),
    ("byte order mark", "\ufeff" + ABC, {"columns": ["a", "b", "c"]}, MEANS),
    ("empty lines", "\n\na,b,c\n\n" + NUMBERS, {}, MEANS),
    ("commas at the ends", "a,b,c\n0,.5,1,\n1,.25,0,\n", {}, MEANS),
    ("some columns", ABC, {"columns": ["c", "b"]}, [0.5, 0.375]),
    ("an index that is chosen", "index,b\n0,.5\n1,.25\n", {"columns": ["index", "b"]}, MEANS[:2]),
    ("a column named index", "index,b\n1,.5\n0,.25\n", {}, MEANS[:2]),
    ("headerless", "0.5,0.4,0.25\n" + NUMBERS, {},
     [*HEADERLESS, "env.header=[c1,c2,c3]", "env.columns=[0.5,0.4,0.25]"]),
    ("headerless, repeated", "0.5,0.5,0.25\n" + NUMBERS, {},
     [*HEADERLESS, "env.header=[c1,c2,c3]"]),
    ("headerless, all the same", "1,1,1\n" + NUMBERS, {}, HEADERLESS),
    ("headerless, named", NUMBERS, HEADER, MEANS),
    ("headerless, repeated, named", "0.5,0.5,0.5\n" + NUMBERS, HEADER, [0.5, 1.25 / 3, 0.5]),
    ("headerless, too few names", NUMBERS, {"header": ["x", "y"]}, ["3 columns, not 2"]),
    ("headerless, a name twice", NUMBERS, {"header": ["x", "y", "x"]}, ["header", "once"]),
    ("headerless, chosen by name", NUMBERS, HEADER | {"columns": ["z", "y"]}, [0.5, 0.375]),
    ("a header that is named again", ABC, HEADER, ["row 1 of column x holds 'a'"]),
    ("numbers as names", "0,1,2\n" + NUMBERS, {},
     [*HEADERLESS, "env.columns=[0,1,2]", "env.header=[c1,c2,c3]"]),
    ("numbers as names, chosen", "0,1,2\n" + NUMBERS, COLUMNS, MEANS),
    ("numbers as names, some", "0,1,2\n" + NUMBERS, {"columns": [2, 1]}, [0.5, 0.375]),
    ("numbers as names, texts", "0,1,2\n" + NUMBERS, {"columns": ["0", "2"]}, [0.5, 0.5]),
    ("numbers written otherwise", "1e1,2.50,3\n" + NUMBERS, {"columns": [10.0, 2.5]}, MEANS[:2]),
    ("numbers as names, another", "0,1,2\n" + NUMBERS, {"columns": [0, 3]}, HEADERLESS),
    ("a name twice", "a,b,a\n" + NUMBERS, {}, ["the header names column a twice"]),
    ("a name twice, unused", "a,b,c,a\n0,.5,1,0\n", {"columns": ["b", "c"]}, ["a twice"]),
    ("a name twice but for a space", "a,b, a\n" + NUMBERS, {}, ["a twice"]),
    ("pandas' index", ",a,b\n0,.5,1\n1,.25,0\n", {}, NO_NAME),
    ("R's row names", '"","a","b"\n"1",.5,1\n"2",.25,0\n', {}, NO_NAME),
    ("pandas' index, read and written", "Unnamed: 0,a,b\n0,.5,1\n", {}, NO_NAME),
    ("pandas' index, written twice", ",Unnamed: 0,a,b\n0,0,.5,1\n", {}, NO_NAME),
    ("pandas' index among columns", ",a,b\n0,.5,1\n", {"columns": ["a", "b"]}, NO_NAME),
    ("pandas' index as a column", "index,a,b\n0,.5,1\n1,.25,0\n", {}, ["numbers of the rows"]),
    ("row names without a name", "a,b\n0,.5,1\n1,.25,0\n", {}, ROWS_EXCEED),
    ("a name left out", "a,,c\n" + NUMBERS, {}, ["column 2 has no name"]),
    ("semicolons", "a;b;c\n0;1;1\n", {}, ["separate the columns by commas"]),
    ("a blank within", "a,b\n1,.5\n0,\n1,.5\n", {}, ["row 2 of column b holds a blank"]),
    ("nothing", "", {}, ["not a CSV of numbers"]),
    ("no such column", ABC, {"columns": ["a", "d"]}, ["unknown column", "'d'"]),
    ("no list", ABC, {"columns": "a"}, ["columns=a:", "list of columns"]),
    ("no list", NUMBERS, {"header": "a"}, ["header=a:", "list of columns"]),
]  # fmt: skip
LOG = "arm,reward\n1,1\n0,0\n1,0\n0,1\n1,1\n"
UNEQUAL = "a,b,c\n0,.5,1\n1,,0\n1,,\n"
DROP = {"drop_blanks": True}
# The same, of arms that are drawn from a file
EMPIRICAL = [
    ("a constant column", "a,b\n.5,0\n.5,1\n.5,1\n", {}, [0.5, 2 / 3]),
    ("constant columns", "a,b\n.5,.25\n.5,.25\n", {}, [0.5, 0.25]),
    ("unequal columns", UNEQUAL, {}, ["row 2 of column b holds a blank", "drop_blanks=true"]),
    ("unequal columns, dropped", UNEQUAL, DROP, [2 / 3, 0.5, 0.5]),
    ("short rows, dropped", "a,b,c\n0,.5,1\n1,.5,0\n1\n", DROP, [2 / 3, 0.5, 0.5]),
    ("no blanks, dropped", ABC, DROP, MEANS),
    ("a blank within, dropped", "a,b\n1,.5\n0,\n1,.5\n", DROP, ["row 2 of column b holds a blank"]),
    ("blanks alone, dropped", "a,b\n1,\n0,\n", DROP, ["column b has only blanks"]),
    ("no answer", ABC, {"drop_blanks": "maybe"}, ["drop_blanks=maybe:", "true or false"]),
    ("a log", LOG, {}, [0.5, 2 / 3]),
    ("a log, turned", "reward,arm\n1,x\n0,y\n1,x\n", {}, [1.0, 0.0]),
    ("a log of more", "t,arm,reward\n0,x,1\n1,y,0\n2,x,0\n", {}, [0.5, 0.0]),
    ("a log, ten arms", "arm,reward\n" + "".join(f"{a},.{a % 10}\n" for a in range(10, 0, -1)),
     {},     [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.0]),
    ("a log, headerless", "1,1\n0,0\n1,0\n", {"header": ["arm", "reward"]}, [0.0, 0.5]),
    ("columns of these names", "arm,reward\n1,.5\n0,0\n", {"columns": ["arm", "reward"]},
     [0.5, 0.25]),
    ("a log, names with zeros", "arm,reward\n02139,1\n2139,0\n02139,0\n", {}, [0.5, 0.0]),
    ("a log, names in other forms", "arm,reward\n1e5,1\n10e4,0\n1,.5\n01,.25\n", {},
     [0.25, 0.5, 0.0, 1.0]),
    ("a log, names like blanks", "arm,reward\nNA,1\nnull,0\n", {}, [1.0, 0.0]),
    ("a log, another case", "Arm,Reward\n1,1\n0,0\n", {}, [0.0, 1.0]),
    ("a log of actions", "action,reward\n1,1\n0,0\n", {}, [0.0, 1.0]),
    ("a log of actions, with features", "x1,x2,Action,Reward\n.1,.2,0,1\n.3,.1,1,0\n", {},
     [1.0, 0.0]),
    ("a log of arms and actions", "action,arm,reward\n0,x,1\n0,y,0\n", {}, [1.0, 0.0]),
    ("a log, other names", "actions,reward\n1,1\n0,0\n", {},
     ["columns actions and reward: in a log of plays the columns are named arm and reward;"]),
    ("a log, other names, with features", "x1,reward,actions\n.5,1,1\n1,0,0\n", {},
     ["columns reward and actions: in a log", "env.columns=[x1,reward,actions] says that"]),
    ("arms with a word of a log", "arm_1,arm_2,rewarding\n1,.5,1\n0,0,1\n", {}, [0.5, 0.25, 1.0]),
    ("a log, nearly its names", "rewards,arm_id\n1,1\n0,0\n", {},
     ["env.columns=[rewards,arm_id] says that each column is an arm"]),
    ("two arms of such names", "action,reward\n1,1\n0,0\n", {"columns": ["action", "reward"]},
     [0.5, 0.5]),
    ("two arms", "arm 1,arm 2\n1,1\n0,1\n", {}, [0.5, 1.0]),
    ("a log, a blank arm", "arm,reward\n1,1\n,0\n", {}, ["row 2 of column arm holds a blank"]),
    ("a log, a blank reward", "arm,reward\n1,1\n2,\n", {},
     ["row 2 of column reward holds a blank"]),
    ("a log, one arm", "arm,reward\n1,1\n1,0\n", {}, ["two arms"]),
    ("a log, no rows", "arm,reward\n", {}, ["at least one row"]),
]  # fmt: skip
TABLE = [
    ("a log", LOG, {}, ["columns arm and reward", "empirical reads such a log"]),
    (
        "a log of actions",
        "x,action,reward\n1,1,1\n0,0,0\n",
        {},
        ["columns action and reward", "empirical reads such a log"],
    ),
    ("a column that is constant", "a,b\n.5,0\n.5,1\n", {}, [0.5, 0.5]),
    ("unequal columns", UNEQUAL, {}, ["row 2 of column b holds a blank;"]),
]
CASES = [("empirical", *row) for row in [*FILES, *EMPIRICAL]]
CASES += [("table", *row) for row in [*FILES, *TABLE]]
MAKE = {"empirical": dp.empirical, "table": lambda file, **keys: dp.table(file=file, **keys)}


def by_python(env, **keys):
    """The only setting of a call from Python."""
    return request_from(REGRET, {"algo": "ucb", "env": env, "horizon": 1, **keys}, {}).settings[0]


def by_command(line):
    """The only setting of a command line."""
    return read_request(shlex.split(f"algo=ucb horizon=1 {line}"), ()).settings[0]


def words(law, file, keys):
    return " ".join(
        [f"env={law} env.file={file}", *(f"'env.{k}={plain(x)}'" for k, x in keys.items())]
    )


def means_of(setting, law):
    """The means of all rows, since a table is played for one round here."""
    spec = json.loads(setting.env_spec)
    return build({k: x for k, x in spec.items() if k != "rounds"}).means


@pytest.mark.parametrize(
    ("law", "text", "keys", "right"),
    [(c[0], *c[2:]) for c in CASES],
    ids=[" ".join(c[:2]) for c in CASES],
)
def test_a_file_is_played_or_refused(law, text, keys, right):
    Path("data.csv").write_bytes(text.encode())
    try:
        found = means_of(by_python(MAKE[law]("data.csv", **keys)), law)
    except BadInput as error:
        found = str(error)
    if isinstance(right[0], float):
        assert found == pytest.approx(right)
    else:
        assert isinstance(found, str) and all(part in found for part in right), found
        assert found.startswith(("env.file=data.csv:", "env.columns", "env.header", "env.drop"))
        assert len(found.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "text", "keys", "right"),
    [(c[0], *c[2:]) for c in CASES],
    ids=[" ".join(c[:2]) for c in CASES],
)
def test_the_command_line_does_the_same(law, text, keys, right):
    Path("data.csv").write_bytes(text.encode())
    line = words(law, "data.csv", keys)
    if isinstance(right[0], float):
        assert means_of(by_command(line), law) == pytest.approx(right)
    else:
        assert message_of(by_command, line) == message_of(by_python, MAKE[law]("data.csv", **keys))


@pytest.mark.parametrize(("text", "right"), [row[1::2] for row in FILES if not row[2]])
def test_contexts_are_read_alike(text, right):
    """A file is refused for the same reason; of one that is read, the last two columns pay."""
    Path("data.csv").write_bytes(text.encode())
    if isinstance(right[0], float) and len(right) > 2:
        rewards = build(dp.contextual_table("data.csv", 2).contents).environment.table
        assert rewards.mean(axis=0) == pytest.approx(right[1:])
    elif not isinstance(right[0], float):
        message = message_of(lambda: build(dp.contextual_table("data.csv", 2).contents))
        assert all(part in message for part in right), message


@pytest.mark.parametrize("law", MAKE)
def test_what_a_message_offers_can_be_typed(law):
    for text, means in (
        ("0,1,.5\n0,.5,1\n1,.25,0\n", {"columns": MEANS, "header": [1 / 3, 1.75 / 3, 0.5]}),
        ("1e3,2.50,+3\n0,.5,1\n1,.25,0\n", {"columns": MEANS}),
        ("0.5,0.5,0.25\n0,.5,1\n1,.25,0\n", {"header": [0.5, 1.25 / 3, 1.25 / 3]}),
    ):
        Path("data.csv").write_text(text)
        message = message_of(by_python, MAKE[law]("data.csv"))
        offers = [x for x in message.replace(",", " ,").split() if x.startswith("env.")]
        assert {x.split("=")[0] for x in offers[1:]} >= {f"env.{key}" for key in means}
        for key, right in means.items():
            start = message.index(f"env.{key}=")
            offer = message[start : message.index("]", start) + 1]
            setting = by_command(f"env={law} env.file=data.csv {offer} assume=true")
            assert means_of(setting, law) == pytest.approx(right)


@pytest.mark.parametrize(
    ("text", "reason"),
    [(",eps\n0,1\n1,2\n", "column 1 has no name"), ("eps,eps\n1,2\n", "eps twice"),
     ("eps\n0,1\n", "rows exceed the header")],
)  # fmt: skip
def test_levels_of_users_and_tables_of_results_have_the_same_reader(text, reason):
    Path("data.csv").write_text(text)
    spec = {"kind": "file", "path": "data.csv", "column": "eps"}
    assert reason in message_of(build_population, spec)
    assert reason in message_of(dp.load, "data.csv")
    Path("data.csv").write_text("eps\n1\n2\n")
    assert (build_population(spec).levels == [1, 2]).all()
    Path("data.csv").write_text("7\n1\n2\n")
    assert (build_population(spec | {"column": 7}).levels == [1, 2]).all()


def test_a_table_of_results_that_pandas_wrote_with_its_index_is_refused():
    run = {"algo": "ucb", "env": "c2", "eps": 1.0, "horizon": 9, "seed": 0, "run": [0, 1]}
    table = pd.DataFrame({**run, "t": 9, "regret": 1.5})
    table.to_csv("t.csv")
    assert "t.csv: column 1 has no name" in message_of(dp.load, "t.csv")
    table.to_csv("t.csv", index=False)
    assert (dp.load("t.csv")["regret"] == 1.5).all()


NAMES = st.lists(st.text("ab1 .", max_size=3), min_size=2, max_size=4)


@pytest.mark.slow
@settings(deadline=None, derandomize=True, database=None)
@given(NAMES, st.booleans())
def test_no_row_and_no_column_is_lost(names, index):
    """A header of any names: all columns and rows are read under their names, or none."""
    frame = pd.DataFrame([[0.25, 0.5, 0.75, 1.0][: len(names)]] * 3, columns=names)
    frame.to_csv("data.csv", index=index)
    try:
        found = validation.read_csv("data.csv", "data.csv")
    except BadInput:
        stripped = [name.strip() for name in names]
        assert index or len(set(stripped)) < len(names) or "" in stripped
    else:
        assert not index and list(found) == [name.strip() for name in names]
        assert (found.to_numpy() == frame.to_numpy()).all()


@pytest.mark.parametrize(
    ("rows", "means"), [(1, [0, 1]), (2, [0.5, 0.5]), (3, [2 / 3, 1 / 3]), (None, [2 / 3, 1 / 3])]
)
def test_means_are_those_of_the_rows_that_are_played(rows, means):
    rewards = [[0, 1], [1, 0], [1, 0]]
    pd.DataFrame(rewards, columns=["a", "b"]).to_csv("data.csv", index=False)
    contaminated = {"outlier": {"law": "unseen", "k": 2}}
    for env in (dp.table(rewards), dp.table(file="data.csv")):
        setting = by_python(env, horizon=rows or 3)
        for instance in (setting.instance, setting.read().instance):
            assert instance.means == pytest.approx(means) and instance.rounds == (rows or 3)
            assert instance.gaps == pytest.approx(max(means) - np.array(means))
        keys = {"horizon": rows or 3, "assume": True}
        foul = by_python(dp.contaminated(env, 0.1, **contaminated), algo="robust_ucb", **keys)
        assert foul.instance.means == pytest.approx(means)
        signs = [np.sign(arm.mean) for arm in foul.instance.outliers]
        assert signs == [-1 if mean == max(means) else 1 for mean in means]
    assert "the data have 3 rounds only" in message_of(by_python, dp.table(rewards), horizon=4)
    own = {"law": "table", "rewards": rewards, "file": None, "rounds": 2}
    assert by_python(own, horizon=1).instance.rounds == 1
    assert "the data have 2 rounds only" in message_of(by_python, own, horizon=3)


def test_one_round_with_the_wrong_arm_costs_its_gap():
    """``ucb`` pulls the first arm first, of which only rows that are not played pay."""
    rewards = [[0, 1], [1, 0], [1, 0]]
    given = {"algo": "ucb", "horizon": 1, "runs": 1, "shuffle_arms": False}
    assert (dp.run(env=dp.table(rewards), **given)["regret"] == 1).all()
    swapped = [row[::-1] for row in rewards]
    assert (dp.run(env=dp.table(swapped), **given)["regret"] == 0).all()


def in_folder(name, text):
    Path(name).mkdir(exist_ok=True)
    Path(name, "data.csv").write_text(text)
    return str(Path(name, "data.csv"))


POPULATION = {"kind": "file", "column": "a"}


def setting_of(kind, path):
    if kind == "population":
        users = {"algo": "heldp_ucb_l", "env": "bernoulli", "eps_min": 0.5, "horizon": 1}
        given = users | {"population": POPULATION | {"path": path}}
        return request_from(REGRET, given, {}).settings[0]
    return by_python(MAKE[kind](path))


@pytest.mark.parametrize("kind", ["empirical", "table", "population"])
def test_the_same_file_by_another_path_is_the_same_game(kind):
    one, copy = (setting_of(kind, in_folder(name, "a,b\n1,0\n1,1\n")) for name in ("one", "copy"))
    other = setting_of(kind, in_folder("other", "a,b\n1,1\n1,0\n1,0\n"))
    assert one == copy and one.key == copy.key and one.described == copy.described
    assert one != other and one.described != other.described
    assert len({one, copy, other}) == 2
    assert "copy" in json.dumps(copy.record) and "sha256" in json.dumps(copy.record)


@pytest.mark.parametrize("law", MAKE)
def test_tables_of_two_files_have_two_names(law, monkeypatch):
    """Of one relative name in two folders, or of a file that has been edited in between."""

    def name(text, nested=False):
        Path("data.csv").write_text(text)
        env = MAKE[law]("data.csv")
        env = dp.contaminated(env, 0.1) if nested else env
        keys = {"algo": "ucb", "env": env, "horizon": 1, "assume": True, "results": "results"}
        return table_path(request_from(REGRET, keys, {}))

    for nested in (False, True):
        first, edited = name(ABC, nested), name(ABC.replace("1,", ".5,"), nested)
        assert first != edited and name(ABC, nested) == first
        Path("elsewhere").mkdir(exist_ok=True)
        with monkeypatch.context() as patch:
            patch.chdir("elsewhere")
            assert name(ABC, nested) == first


@pytest.mark.slow
def test_runs_of_the_same_data_are_played_once(bandit):
    from dpbandits.cli import run

    one, two = in_folder("one", ABC), in_folder("two", ABC)
    line = "algo=ucb env=empirical env.file={} horizon=10 runs=2 jobs=1"
    first, second = (bandit(run, line.format(file))[-1] for file in (one, two))
    assert first == second and len(list(Path("results/runs").rglob("*.npz"))) == 1
    (record,) = read_manifest(Path(first))["settings"].values()
    assert record["env_spec"]["file"]["sha256"] == files.sha256_of(one)
    Path(two).write_text(ABC + "1,1,1\n")
    third = bandit(run, line.format(two))[-1]
    assert third != first and Path(first).exists()
    assert len(list(Path("results/runs").rglob("*.npz"))) == 2


def test_bounds_of_a_record_are_those_of_its_data():
    """The record of a manifest names the file with its hash, and the rows that were played."""
    setting = by_python(dp.table(file=in_folder("one", ABC)))
    spec = setting.record["env_spec"]
    assert build(spec).means == pytest.approx([0, 0.5, 1])
    Path("one/data.csv").write_text(ABC + "1,1,1\n")
    assert "one/data.csv: the file has changed" in message_of(build, spec)
    pinned = {"path": "one/data.csv", "sha256": files.sha256_of("one/data.csv")}
    assert by_python(spec | {"file": pinned}).instance.rounds == 1


@pytest.mark.parametrize(("group", "laws"), [("env", LAWS), ("population", KINDS)])
def test_every_law_can_be_chosen_by_its_name(group, laws):
    assert set(laws) <= set(names_in(group))


def test_arms_of_different_laws_on_the_command_line():
    line = "'env.arms=[{law: beta, a: 4, b: 1}, {law: bernoulli, mean: 0.5, copies: 2}]'"
    assert by_command(f"env=mixed {line}").instance.means == pytest.approx([0.8, 0.5, 0.5])
    assert by_command("algo=robust_ucb env=gaussian 'env.means=[2,1]'").instance.means[0] == 2
    assert len(by_command("env=bernoulli_family env.family=c1 env.arms=7").instance.means) == 7


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("env=data.csv", ["env=data.csv: a name is needed", "env=empirical env.file=data.csv"]),
        ("env=dir/data.csv", ["env=empirical env.file=dir/data.csv"]),
        ("env=DATA.CSV.GZ", ["env=empirical env.file=DATA.CSV.GZ"]),
        ("population=users.csv", ["population=file population.path=users.csv"]),
        ("env=beta", ["env=beta: beta is the law", "env=mixed 'env.arms=[{law: beta, ...}"]),
        ("env=dir/bernoulli", ["env=empirical env.file=dir/bernoulli"]),
        ("env=empirical env.file=no.csv", ["env.file=no.csv: no such file"]),
        ("env=table env.file=no/no.csv", ["env.file=no/no.csv: no such file"]),
        ("algo=heldp_ucb_l population=file population.path=no.csv eps_min=1",
         ["population.path=no.csv: no such file"]),
    ],
)  # fmt: skip
def test_a_path_in_the_place_of_a_name(line, parts):
    message = message_of(by_command, line)
    assert all(part in message for part in parts), message
    if line.startswith("env=") and " " not in line:
        assert all(part in message_of(by_python, line[4:]) for part in parts)


def test_an_arm_of_many_values_takes_little_memory():
    """Less than 50 bytes a value; as a list, the control, it takes more than 60."""
    values = np.random.default_rng(0).random(100_000)

    def of_list(values):
        arm = empirical(list(values.tolist()))
        return Arm(0, (), arm.mean, 0, 1, arm.moment, arm.points)

    one, other = (peak_of(partial(call, values)) for call in (empirical, of_list))
    assert one < 50 * len(values) < 60 * len(values) < other


@pytest.mark.slow
def test_a_long_file_takes_little_more_memory_than_a_table(monkeypatch):
    """Less than 3.5 times as much; columns as lists, the control, take more than four times."""
    values = np.random.default_rng(0).random((100_000, 5))
    pd.DataFrame(values, columns=list("abcde")).to_csv("data.csv", index=False)
    of_file = partial(build, dp.empirical("data.csv").contents)
    own = peak_of(of_file)
    table = peak_of(partial(build, dp.table(file="data.csv").contents))
    inner = data.numbers_in
    monkeypatch.setattr(data, "numbers_in", lambda *given: inner(*given).tolist())
    lists = peak_of(of_file)
    assert own < 3.5 * table < 4 * table < lists, (own / table, lists / table)


def test_the_horizon_of_a_table_is_its_length(tmp_path):
    file = tmp_path / "rewards.csv"
    file.write_text("a,b\n1,0\n0,1\n1,1\n")
    words = ["algo=ucb", "env=table", f"env.file={file}"]

    def horizons(*more):
        return [s.horizon for s in read_request([*words, *more], (), multirun=True).settings]

    assert horizons() == [3]
    assert horizons("env.rounds=2") == horizons("horizon=2") == [2]  # control
    assert horizons("horizon=1,2") == [1, 2]
    table = dp.environment("table", file=str(file))
    assert set(dp.run("ucb", table, runs=1)["horizon"]) == {3}


def test_a_log_says_which_columns_are_not_used(tmp_path):
    """In a run; a file whose columns are all used says nothing."""
    file = tmp_path / "log.csv"
    file.write_text("hour,arm,reward,user\n1,tea,1,a\n2,coffee,0,b\n3,tea,0,c\n")
    said = (
        "each arm has its rewards in a log of plays; the other columns are not used: hour, user; "
        "env=log env.source=FILE plays a log with features"
    )
    assert data.empirical(str(file)).notes == (said,)
    file.write_text("arm,reward\ntea,1\ncoffee,0\ntea,0\n")
    assert data.empirical(str(file)).notes == ()


def test_a_data_frame_is_read_as_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    frame = pd.DataFrame({"arm": ["tea", "coffee", "tea"], "reward": [1.0, 0.0, 0.5]})
    frame.to_csv(tmp_path / "log.csv", index=False)
    given = {"algo": "ucb", "horizon": 50, "runs": 2}
    of_frame, of_file = (
        dp.run(env=dp.empirical(x), **given)["regret"] for x in (frame, tmp_path / "log.csv")
    )
    assert of_frame.tolist() == of_file.tolist()


def test_python_says_once_which_columns_of_a_log_are_not_used(capsys):
    """The same note is in the output of the command; a file of arms has no note."""
    Path("data.csv").write_text("x1,action,x2,reward\n.5,1,0,1\n1,0,0,0\n")
    Path("arms.csv").write_text(ABC)
    call = {"horizon": 10, "runs": 2, "jobs": 1}
    for _ in range(2):
        dp.run("ucb", dp.empirical("data.csv"), **call)
    dp.run("ucb", dp.empirical("arms.csv"), **call)
    said = [x for x in capsys.readouterr().err.splitlines() if "not used" in x]
    assert said == [
        "env=empirical: each arm has its rewards in a log of plays; the other columns are not "
        "used: x1, x2; env=log env.source=FILE plays a log with features"
    ]

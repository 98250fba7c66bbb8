"""Frames that users give, of any types of pandas, or of other packages."""

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from report_tables import regrets, stopping_times

import dpbandits as dp

TABLES = {"regret": regrets(runs=3, times=4), "times": stopping_times(runs=3)}
TYPES = {
    "nullable": lambda t: t.convert_dtypes(),
    "objects": lambda t: t.astype(object),
    "categories": lambda t: t.astype({t.columns[0]: "category", "env": "category"}),
    "categories of numbers": lambda t: t.astype({"eps": "category", "seed": "category"}),
    "small": lambda t: t.astype({"run": np.int8, "eps": np.float32}),
    "index": lambda t: t.set_axis(["a"] * len(t)),
    "attributes": lambda t: t.assign(seed=0).set_axis(t.index),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("types", TYPES)
def test_frames_of_all_types_have_the_numbers_of_plain_ones(name, types):
    """Mutation that it catches: pandas' own missing values, or products of categories."""
    plain = TABLES[name]
    table = TYPES[types](plain)
    table.attrs = {"settings": "{", "other": object}
    for function in (dp.summary, dp.compare):
        found, right = function(table), function(plain)
        numbers = right.select_dtypes("number").columns
        np.testing.assert_allclose(found[numbers].astype(float), right[numbers].astype(float), 1e-6)
    assert dp.plot(table).axes


@pytest.mark.extra("pyarrow")
def test_tables_of_arrow_are_converted():
    import pyarrow

    plain = TABLES["regret"]
    table = pyarrow.Table.from_pandas(plain, preserve_index=False)
    assert dp.summary(table)["mean"].tolist() == dp.summary(plain)["mean"].tolist()
    arrow = plain.convert_dtypes(dtype_backend="pyarrow")
    assert dp.summary(arrow)["mean"].tolist() == dp.summary(plain)["mean"].tolist()


class Polars:
    """A table of another package."""

    def __init__(self, found):
        self.found = found

    def to_pandas(self):
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def test_tables_of_other_packages_are_converted_or_refused_by_their_name():
    plain = TABLES["regret"]
    assert dp.summary(Polars(plain))["mean"].tolist() == dp.summary(plain)["mean"].tolist()
    message = message_of(dp.summary, Polars(ImportError("pyarrow is needed")))
    assert "Polars cannot be converted by to_pandas() (ImportError: pyarrow is needed)" in message
    assert "is needed, such as dp.run returns, not" in message_of(dp.summary, Polars(3))


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("regret", [1], "column regret holds list; numbers or words are needed"),
        ("regret", "many", "column regret holds something that is not a number"),
        ("regret", 10**400, "column regret holds a number that is not finite"),
        ("regret", 1j, "column regret holds something that is not a number"),
        ("t", pd.Timestamp(0), "column t holds something that is not a number"),
        ("algo", 3, "column algo holds something that is not text"),
        ("algo", {}, "column algo holds dict; numbers or words are needed"),
        ("note", {1}, "column note holds set; numbers or words are needed"),
    ],
)
def test_cells_that_are_no_numbers_or_words_are_refused_in_one_line(column, value, reason):
    table = TABLES["regret"].assign(note="").astype({column: object})
    table[column] = pd.Series([value] * len(table), dtype=object)
    for function in (dp.summary, dp.compare, dp.plot):
        assert message_of(function, table) == f"the table: {reason}"


def test_a_frame_that_is_returned_is_the_user_s_own():
    """Mutation that it catches: columns that share the memory of the frame that was given."""
    given = dp.run("ucb", dp.bernoulli([0.9, 0.5]), horizon=50, runs=3, jobs=1)
    found = dp.measured(given, "average")
    given.loc[0, "run"] = 77
    found.loc[1, "run"] = 78
    assert found["run"].iloc[0] == 0 and given["run"].iloc[1] != 78


def test_nothing_is_said_of_an_unknown_budget():
    """Mutation that it catches: a table without budgets is one of algorithms without privacy."""
    table = TABLES["regret"]
    for unknown in (table.drop(columns="eps"), table.assign(eps=np.nan)):
        own = unknown[table["eps"] == table["eps"].min()]
        assert dp.summary(own)["eps"].isna().all()
        assert "not private" not in dp.latex(own) and "epsilon" not in dp.latex(own)
        assert message_of(dp.plot, own, x="eps").startswith("x=eps: no algorithm in")
        both = dp.summary([table, own])
        assert both["eps"].isna().sum() == len(dp.summary(own))
        assert "is blank in some rows" in message_of(dp.plot, [table, own])


@pytest.mark.parametrize(
    ("name", "other"),
    [("eps", "epsilon"), ("algo", "Algorithm"), ("horizon", "T"), ("run", "trial")],
)
def test_a_column_with_another_name_is_refused(name, other):
    table = TABLES["regret"].rename(columns={name: other})
    for function in (dp.summary, dp.compare, dp.plot, dp.latex):
        hint = f"unknown column {other!r}: did you mean {name}? If not, rename it"
        assert message_of(function, table) == f"the table: {hint}"


def test_seeds_are_not_taken_for_settings_if_no_other_column_tells_runs_apart():
    table = TABLES["regret"]
    of_seeds = table.drop(columns="seed").rename(columns={"run": "seed"})
    assert "if each seed is a run, rename seed" in message_of(dp.summary, of_seeds)
    assert (dp.summary(of_seeds.rename(columns={"seed": "run"}))["runs"] == 3).all()
    assert (dp.summary(of_seeds.assign(run=0))["runs"] == 1).all()


def test_a_table_of_another_question_has_no_columns_of_regret():
    times = TABLES["times"].assign(T=7.0, rounds=3, Regret=1)
    assert len(dp.summary(times)) == len(dp.summary(TABLES["times"]))


def test_only_an_answer_is_drawn_and_printed_as_one():
    own = TABLES["regret"].assign(reached=1.0)
    assert "toprule" in dp.latex(own) and dp.plot(own).axes


def test_lists_of_tables_are_joined():
    table = TABLES["regret"]
    parts = [table[table["algo"] == name] for name in table["algo"].unique()]
    assert len(parts) > 1
    for function in (dp.summary, dp.compare):
        sizes = [len(function(x)) for x in (parts, tuple(parts), table)]
        assert sizes[0] == sizes[1] == sizes[2]
        assert "table=[]: at least one table is needed" in message_of(function, [])
    assert dp.plot(parts).heading.get_text() == dp.plot(table).heading.get_text()
    assert "not int" in message_of(dp.plot, [3])


def test_two_settings_that_look_alike():
    table = TABLES["regret"].assign(setting="a")
    table["setting"] = (
        table.groupby(["algo", "env", "eps", "horizon"]).ngroup().map("{:016x}".format)
    )
    own = table[table["setting"] == table["setting"].iloc[0]]
    twice = "the table: run 0 of {} appears twice".format(own["algo"].iloc[0])
    assert message_of(dp.summary, pd.concat([own, own])) == twice
    message = message_of(dp.summary, pd.concat([own, own.assign(setting="f" * 16)]))
    assert message.startswith(f"{twice}: two settings look alike; rename")

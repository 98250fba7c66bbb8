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
    table[column] = [value] * len(table)
    for function in (dp.summary, dp.compare, dp.plot):
        assert message_of(function, table) == f"the table: {reason}"


def test_a_frame_that_is_returned_is_the_user_s_own():
    """Mutation that it catches: columns that share the memory of the frame that was given."""
    given = dp.run("ucb", dp.bernoulli([0.9, 0.5]), horizon=50, runs=3, jobs=1)
    found = dp.measured(given, "average")
    given.loc[0, "run"] = 77
    found.loc[1, "run"] = 78
    assert found["run"].iloc[0] == 0 and given["run"].iloc[1] != 78

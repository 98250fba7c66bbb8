"""Tables of rewards and data files of a user that cannot be played are refused with the reason."""

from pathlib import Path

import pytest
from refusals import message_of, request_of

from dpbandits.contracts.question import REGRET

DATA = "algo=dpr_se env=empirical env.file=data.csv"
pytestmark = pytest.mark.usefixtures("here")
TABLES = [
    (b"a,b\n1,0\n1\n", "row 2 of column b holds a blank"),
    (b"a,b\n1,0\n1,0,1\n", "CSV of numbers"),
    (b"a,b\n1,x\n", "CSV of numbers"),
    (b"a,b\n", "at least one round"),
    (b"a\n1\n", "two arms"),
    (b"", "CSV of numbers"),
    (bytes(range(256)), "CSV of numbers"),
]
EMPIRICAL = [
    (b"a,b\n1,x\n2,3\n", "row 1 of column b holds 'x'"),
    (b"a,b\n1,2\n2,\n", "row 2 of column b holds a blank"),
    (b"a,b\n1,2\n2\n", "row 2 of column b holds a blank"),
    (b"a,b\n1,2\n2,nan\n", "row 2 of column b holds a blank"),
    (b"a,b\n1,2\n2,inf\n", "row 2 of column b holds inf"),
    (b"a,b\ntrue,2\nfalse,3\n", "column a holds True"),
    (b"a\n1\n2\n", "two arms (columns)"),
    (b"a,b\n1,0\n1,0,1\n", "not a CSV of numbers"),
    (b"a,b\n", "at least one row"),
    (b"a;b\n1;2\n", "not a CSV of numbers (separate the columns by commas)"),
    (b"", "not a CSV of numbers"),
    (b"a,b\n\xff,0\n2,3\n", "utf-8"),
    (bytes(range(256)), "not a CSV of numbers"),
]
CONTENTS = [("env=table env.file=data.csv", *x) for x in TABLES]
CONTENTS += [(DATA, *x) for x in EMPIRICAL]


@pytest.mark.parametrize(("line", "content", "reason"), CONTENTS)
def test_tables_of_rewards_and_data_of_empirical_arms(line, content, reason):
    Path("data.csv").write_bytes(content)
    message = message_of(request_of, line, REGRET)
    assert message.startswith("env.file=data.csv:") and reason in message

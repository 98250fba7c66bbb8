"""The files that list the keys of the commands."""

import pytest
from helpers import CONF


@pytest.mark.parametrize("name", ["config", "stop", "audit"])
def test_every_key_is_commented(name):
    for line in (CONF / f"{name}.yaml").read_text().splitlines():
        if line and line[0].isalpha() and line.rstrip()[-1] != ":":
            assert "#" in line, line

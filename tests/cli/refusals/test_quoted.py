"""What a message suggests can be typed as it stands, and names keys as they are given."""

import re
import shlex

import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.cli.words import read_request, value_of

TEXTS = ['q"q', 'a\\"b', '"a\\', "it's \"", "x\"y'z", "a b)", "a=b"]


@pytest.mark.parametrize("text", TEXTS)
def test_the_suggested_word_has_the_text_as_its_value(text):
    said = message_of(read_request, [f"results={text}"], ())
    word = re.search(r"two pairs of quotes, one for the shell and one inside: (.*)", said)
    assert value_of(*shlex.split(word[1]))[:2] == ("results", text)


def test_a_comma_in_a_key_that_cannot_be_swept_is_quoted():
    said = message_of(read_request, ["results=a,b"], ())
    assert said == (
        "results=a,b: one value is needed; results cannot be swept; a text like this needs two "
        "pairs of quotes, one for the shell and one inside: 'results=\"a,b\"'"
    )
    assert message_of(read_request, ["eps=1,2"], ()).endswith("add -m to run each")


def test_messages_in_python_name_the_argument_of_python():
    for call in (
        lambda: dp.run("zzz"), lambda: dp.run("ucb", "zzz"), lambda: dp.bounds("zzz"),
        lambda: dp.budget("zzz", "bernoulli_c2", 1e3, regret=9),
    ):  # fmt: skip
        said = message_of(call)
        assert "config_dir=DIR" in said and "--config-dir" not in said

"""Names of algorithms and rules in figures."""

from helpers import EVERY, RULES, algorithm

from dpbandits.contracts.display import display_name, line_of
from dpbandits.contracts.question import CONTEXTS, USERS
from dpbandits.figures.style import DASHES, PALETTE


def test_display_names_are_declared_beside_the_guarantees():
    names = {name: display_name(name) for name in (*EVERY, *RULES)}
    assert names["adap_klucb"] == "AdaP-KLUCB" and names["dp_nas_exp"] == "DP-NAS-EXP"
    assert all(text[0].isupper() and "_" not in text for text in names.values())
    assert len(set(names.values())) == len(names)


def test_the_display_name_of_anything_else_is_its_name():
    for other in ("mine", "sparse_vector", "../algorithms/ucb", "__init__", "", "$x"):
        assert display_name(other) == other


def test_every_line_has_a_colour_and_a_dash_of_its_own():
    of_contexts = [name for name in EVERY if algorithm(name).actions in (CONTEXTS, USERS)]
    for group in ([name for name in EVERY if name not in of_contexts], of_contexts, RULES):
        looks = [line_of(name) for name in group]
        assert None not in looks and len(set(looks)) == len(looks)
        assert all(colour in PALETTE and dash in DASHES for colour, dash in looks)
    assert line_of("mine") is None

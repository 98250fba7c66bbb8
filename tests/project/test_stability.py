"""docs/stability.md lists what is public, no more and no less than the code has."""

import pkgutil
from dataclasses import replace

import pytest
from public_names import PAGE, flat, listed, public, with_new_names
from tiers import every

from dpbandits.cli import completion

HINT = "python tests/support/public_names.py enters new names"


def gone():
    """What the page lists and the code lacks."""
    return flat(listed()) - flat(public())


def test_the_page_lists_what_the_code_has():
    assert not gone()
    assert not flat(public()) - flat(listed()), HINT


def test_there_is_something_in_every_section():
    assert {title: len(names) > 3 for title, names in listed().items()} == dict.fromkeys(
        ("Commands", "Choices", "Python", "Authors", "Columns"), True
    )


def without(*names):
    """A function that returns names, or what is held by name, without some."""

    def fewer(found):
        if isinstance(found, dict):
            return {k: v for k, v in found.items() if k not in names}
        return [x for x in found if x not in names]

    return fewer


KEYS_OF_PLOT = without("band")(completion.OWN_KEYS["plot"])
# where something is removed, how, and what the page then lists too much
FAULTS = {
    "a function": ("dpbandits.__all__", without("compare"),
     {("Python", "compare"), ("Python", "compare: baseline=")}),
    "an argument": ("dpbandits.summary", lambda _: lambda: None, {("Python", "summary: table=")}),
    "a name for authors": ("dpbandits.authoring.__all__", without("pull"), {("Authors", "pull")}),
    "a command": ("public_names.COMMANDS", without("claims"), {("Commands", "claims")}),
    "a key": ("public_names.OWN_KEYS", lambda keys: {**keys, "plot": KEYS_OF_PLOT},
     {("Commands", "plot: band=")}),
    "a key of a file": ("public_names.default_keys",
     lambda keys: lambda file: without("shuffle_arms")(keys(file)),
     {("Commands", "run: shuffle_arms=")}),
    "a column": ("public_names.QUESTIONS",
     lambda found: [replace(found[0], measured=("regret",)), *found[1:]],
     {("Columns", "regret: t")}),
}  # fmt: skip


@pytest.mark.parametrize("fault", every(3, FAULTS))
def test_a_name_that_is_removed_is_noticed(monkeypatch, fault):
    """The control."""
    place, change, lost = FAULTS[fault]
    monkeypatch.setattr(place, change(pkgutil.resolve_name(place)))
    assert lost <= gone()


def test_new_names_are_entered_and_none_is_removed():
    text = PAGE.read_text()
    assert with_new_names(text) == text
    without = text.replace("\npull\n", "\n").replace(
        "compare: baseline=", "compare: gone= baseline="
    )
    entered = with_new_names(without)
    assert ("Authors", "pull") in flat(listed(entered))
    assert ("Python", "compare: gone=") in flat(listed(entered))

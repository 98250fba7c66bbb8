"""docs/stability.md lists what is public, no more and no less than the code has."""

import pytest
from public_names import PAGE, flat, listed, public, with_new_names

import dpbandits as dp
from dpbandits import authoring
from dpbandits.cli import completion
from dpbandits.contracts import question

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


FAULTS = {
    "a function": (dp, "__all__", lambda names: [x for x in names if x != "compare"],
                   {("Python", "compare"), ("Python", "compare: baseline=")}),
    "an argument": (dp, "summary", lambda _: lambda: None, {("Python", "summary: table=")}),
    "a name for authors": (authoring, "__all__", lambda names: [x for x in names if x != "pull"],
                           {("Authors", "pull")}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_name_that_is_removed_is_noticed(monkeypatch, fault):
    """The control."""
    owner, name, change, lost = FAULTS[fault]
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    assert lost <= gone()


def test_a_command_a_key_and_a_column_that_are_removed_are_noticed(monkeypatch):
    """The control."""
    fewer = {k: v for k, v in completion.COMMANDS.items() if k != "claims"}
    monkeypatch.setattr("public_names.COMMANDS", fewer)
    own = {k: dict(v) for k, v in completion.OWN_KEYS.items()}
    del own["plot"]["band"]
    monkeypatch.setattr("public_names.OWN_KEYS", own)
    regret, *others = question.QUESTIONS
    without = [question.replace(regret, measured=("regret",)), *others]
    monkeypatch.setattr("public_names.QUESTIONS", without)
    assert {("Commands", "claims"), ("Commands", "plot: band="), ("Columns", "regret: t")} <= gone()


def test_a_key_of_a_file_that_is_removed_is_noticed(monkeypatch):
    """The control."""
    from public_names import default_keys

    monkeypatch.setattr(
        "public_names.default_keys",
        lambda file: {k: v for k, v in default_keys(file).items() if k != "shuffle_arms"},
    )
    assert ("Commands", "run: shuffle_arms=") in gone()


def test_new_names_are_entered_and_none_is_removed():
    text = PAGE.read_text()
    assert with_new_names(text) == text
    without = text.replace("\npull\n", "\n").replace(
        "compare: baseline=", "compare: gone= baseline="
    )
    entered = with_new_names(without)
    assert ("Authors", "pull") in flat(listed(entered))
    assert ("Python", "compare: gone=") in flat(listed(entered))

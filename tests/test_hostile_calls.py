"""Public functions take what they expect, or refuse it in one line: no other error is seen."""

import pytest
from hostile import OTHERS, WITHOUT_ARGUMENTS, hostile_calls, outcome, outcomes_of, valid_calls

import dpbandits as dp

SLOW = {"run", "stop", "budget", "audit", "report", "plot", "compare", "reproduce"}


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """Valid arguments of each public function, and files that they name."""
    return valid_calls(tmp_path_factory.mktemp("valid"))


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """A working folder of its own: some values are paths."""
    monkeypatch.chdir(tmp_path)


def test_every_public_function_is_tried(valid):
    assert {*valid} | WITHOUT_ARGUMENTS | OTHERS == {*dp.__all__}


@pytest.mark.slow
def test_some_hostile_values(valid):
    calls = [call for call in hostile_calls(valid) if call[0] not in SLOW]
    counts = outcomes_of(valid, calls, tries=60)
    assert counts["refused"] > 40, counts


@pytest.mark.slow
def test_hostile_values(valid):
    counts = outcomes_of(valid, hostile_calls(valid), tries=500)
    assert counts["refused"] > 400 and counts["accepted"] > 10, counts


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_every_hostile_value_of_every_argument(part, valid):
    """What is accepted is played; in parts, each of which takes a minute."""
    calls = hostile_calls(valid)[part::8]
    counts = outcomes_of(valid, calls, tries=len(calls), plays=True)
    assert counts["refused"] > 0.8 * len(calls), counts


PLANTED = {
    "values that are not checked": ("eps", "choices._plain_data", lambda value: value),
    "a list without a guard": ("algo", "compose.listed", lambda key, value: [*value]),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault, valid, monkeypatch):
    """Control."""
    argument, place, faulty = PLANTED[fault]
    monkeypatch.setattr(f"dpbandits.settings.{place}", faulty)
    calls = [call for call in hostile_calls(valid) if call[0] == "run" and call[1] == argument]
    ends = []
    for call in calls:
        try:
            ends.append(outcome(valid, call, plays=False))
        except Exception as error:
            ends.append(type(error).__name__)
    assert {*ends} - {"accepted", "refused"}

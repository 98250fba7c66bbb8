"""The workflows call the Makefile's targets and nothing else, and name actions by their commits."""

import re

import pytest
import yaml

from dpbandits.files import package_folder

TOP = package_folder("conf").parent
WORKFLOWS = {f.stem: f.read_text() for f in sorted((TOP / ".github/workflows").glob("*.yml"))}
TARGETS = re.findall(r"^([a-z-]+):.*##", (TOP / "Makefile").read_text(), flags=re.M)
CALL = re.compile(r"make ([a-z-]+)")


def steps(text):
    jobs = yaml.safe_load(text)["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def strange(text):
    """The steps of a workflow that call something else, or an action by a name that can move."""
    lines = [step["run"] for step in steps(text) if "run" in step]
    targets = {line: CALL.fullmatch(line) for line in lines}
    found = [line for line, call in targets.items() if not call or call[1] not in TARGETS]
    actions = [step["uses"] for step in steps(text) if "uses" in step]
    return found + [x for x in actions if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", x)]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_calls_the_makefile_alone(name):
    assert not strange(WORKFLOWS[name])


def test_every_target_of_continuous_integration_is_called():
    called = {
        CALL.fullmatch(s["run"])[1] for t in WORKFLOWS.values() for s in steps(t) if "run" in s
    }
    assert called == {
        "test", "test-slow", "test-long", "versions", "docs", "lint", "release", "release-check",
        "results-check",
    }  # fmt: skip
    assert set(WORKFLOWS) == {"docs", "nightly", "release", "test"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run: make test\n", "run: pytest\n"),
        ("run: make test\n", "run: make tests\n"),
        ("run: make test\n", "run: make test && echo\n"),
        ("08c6903cd8c0fde910a37f88322edcfb5dd907a8", "v5"),
    ],
)
def test_other_steps_are_noticed(old, new):
    """The control."""
    assert strange(WORKFLOWS["test"].replace(old, new))


def test_a_release_is_made_of_a_tag_only_and_checked_before():
    release = yaml.safe_load(WORKFLOWS["release"])
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads "on" as a truth value
    assert {job: release["jobs"][job].get("needs") for job in release["jobs"]} == {
        "build": None, "attest": "build", "publish": "attest",
    }  # fmt: skip
    trusted = [j for j, job in release["jobs"].items() if "id-token" in job["permissions"]]
    assert trusted == ["attest", "publish"]
    assert all(w["permissions"] == {} for w in map(yaml.safe_load, WORKFLOWS.values()))

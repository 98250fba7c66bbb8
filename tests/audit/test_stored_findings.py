"""A stored finding of an audit is used again until something that it depends on is edited."""

import shutil
from pathlib import Path

import pytest

from dpbandits import fingerprint
from dpbandits.audit import findings
from dpbandits.audit.findings import SampledAudit
from dpbandits.audit.sampling.auditor import Sampled, audit
from dpbandits.audit.targets.publishing import ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.cli import audit as command
from dpbandits.contracts import versions
from dpbandits.files import PACKAGE
from dpbandits.results.sources import sources_of

DECIDING = [
    "audit/alignment/replay.py",
    "audit/findings.py",
    "audit/targets/releases.py",
    "audit/verdicts.py",
    "parts/noise/mechanisms.py",
    "results/intervals.py",
]
OTHERS = [
    "algorithms/ucb.py",
    "api.py",
    "audit/exact/episodic.py",
    "audit/figure.py",
    "audit/tables.py",
    "cli/audit.py",
    "figures/style.py",
]


@pytest.fixture
def edit(tmp_path, monkeypatch):
    """A function that edits a file of a copy of the package, whose sources are hashed."""
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    of_copy = {file: copy / file.relative_to(PACKAGE) for file in versions.PLAYED_BY}
    monkeypatch.setattr(versions, "PACKAGE", copy)
    monkeypatch.setattr(versions, "PLAYED_BY", tuple(of_copy.values()))
    monkeypatch.setattr(findings, "PACKAGE", copy)
    monkeypatch.setattr(findings, "__file__", str(copy / "audit" / "findings.py"))

    def edited(*names: str) -> None:
        for name in names:
            file = Path(copy / name)
            file.write_text(f"{file.read_text()}\nEDITED = 1\n")
        fingerprint._read.cache_clear()
        findings.made_by.cache_clear()

    edited()
    yield edited
    edited()


@pytest.mark.slow
def test_a_finding_is_made_again_after_an_edit_of_what_decides_it(edit, tmp_path, monkeypatch):
    """The pages of audits are out of date at the same edits."""
    made: list[Sampled] = []
    target = ReleaseTarget(MECHANISMS["laplace_release"], 1.0)
    found = audit(target, runs=100)
    monkeypatch.setattr(findings, "audit", lambda *given: made.append(found) or found)
    asked, page = SampledAudit(target, runs=100), lambda: sources_of(command.sources([], []))

    def number_made() -> int:
        asked.row(tmp_path)
        asked.row(tmp_path)
        return len(made)

    signature = page()
    assert number_made() == 1
    edit(*OTHERS)
    assert number_made() == 1 and page() == signature
    for n, name in enumerate(DECIDING, start=2):
        edit(name)
        assert number_made() == n, name
        assert page() != signature, name
        signature = page()

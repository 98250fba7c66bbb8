"""A stored finding of an audit is used again until something that it depends on is edited."""

import pytest
from edited_copy import edited_copy

from dpbandits.audit import findings
from dpbandits.audit.findings import SampledAudit
from dpbandits.audit.sampling.auditor import Sampled, audit
from dpbandits.audit.targets.publishing import ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS

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
    "api/runs.py",
    "audit/exact/episodic.py",
    "audit/figure.py",
    "audit/tables.py",
    "cli/audit.py",
    "figures/style.py",
]


@pytest.mark.slow
def test_a_finding_is_made_again_after_an_edit_of_what_decides_it(tmp_path, monkeypatch):
    made: list[Sampled] = []
    target = ReleaseTarget(MECHANISMS["laplace_release"], 1.0)
    found = audit(target, runs=100)
    monkeypatch.setattr(findings, "audit", lambda *given: made.append(found) or found)
    asked = SampledAudit(target, runs=100)

    def number_made() -> int:
        asked.row(tmp_path)
        asked.row(tmp_path)
        return len(made)

    with edited_copy(tmp_path / "package") as copy:
        assert number_made() == 1
        copy.edit(*OTHERS)
        assert number_made() == 1
        for n, name in enumerate(DECIDING, start=2):
            copy.edit(name)
            assert number_made() == n, name


@pytest.mark.slow
def test_nothing_of_the_copy_is_left(tmp_path):
    before = findings.made_by()
    with edited_copy(tmp_path) as copy:
        copy.edit("audit/verdicts.py")
        assert findings.made_by() != before
    assert findings.made_by() == before

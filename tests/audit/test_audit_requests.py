"""dp.audit: its arguments reach the algorithm, and what cannot be audited is refused."""

import math
import sys

import numpy as np
import pytest
from refusals import message_of

import dpbandits as dp
from dpbandits.audit.alignment.align import replay_report
from dpbandits.audit.requests import requested
from dpbandits.settings.choices import algorithm_of
from dpbandits.settings.groups import default_keys


def refusal(**given):
    return message_of(dp.audit, **given, runs=200)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "nothing to audit: one of algo, rule, mechanism is needed"),
        (
            {"algo": "dp_se", "rule": "dp_nas"},
            "algo and rule: give only one of algo",
        ),
        ({"algo": "dp_se", "mechanism": "tree"}, "algo and mechanism: give only one of"),
        ({"algo": "ucb"}, "algo=ucb: the algorithm promises no privacy, so there is nothing to"),
        ({"mechanism": "laplas"}, "unknown mechanism 'laplas': choose from "),
        ({"mechanism": "tree", "alpha": 3}, "mechanism=tree: the mechanism has no parameter alpha"),
        ({"algo": "dp_se", "alpha": 1}, "unknown parameter of dp_se: 'algo.alpha'"),
        ({"algo": "dp_se", "R": 3}, "unknown parameter of dp_se: 'algo.R'"),
        # beta is a parameter of dp_se and a key of stopping rules
        ({"algo": "dp_se", "beta": 7}, "algo.beta=7: a number in (0, 1], or 1/horizon, is needed"),
        ({"algo": "dp_se", "eps": []}, "eps=[]: a finite number above 0 is needed"),
        ({"algo": "dp_se", "horizon": []}, "horizon=[]: a whole number of at least 2"),
        ({"mechanism": "tree", "horizon": []}, "horizon=[]: the audit of mechanism=tree takes no"),
        ({"algo": "dp_se", "horizon": 1}, "horizon=1: a whole number of at least 2"),
        ({"algo": "dp_se", "eps": 0}, "eps=0: a finite number above 0 is needed"),
        ({"algo": "dp_se", "eps": math.inf}, "eps=inf: a finite number above 0 is needed"),
        ({"algo": "dp_se", "confidence": 1}, "confidence=1: a number in (0, 1)"),
        ({"algo": "adac_ucb", "rho": math.inf}, "rho=inf: a finite number above 0 is needed"),
        ({"algo": "adac_ucb", "eps": 1}, "eps=1: adac_ucb takes no eps; its privacy budget is rho"),
        ({"mechanism": "tree", "rho": 1}, "rho=1: tree takes no rho; its privacy budget is eps"),
        ({"rule": "nas"}, "rule=nas: the rule promises no privacy"),
        ({"rule": "dp_nas", "R": -1}, "R=-1: a number in (0, 1e+100] is needed"),
        ({"rule": "dp_nas", "beta": 2}, "beta=2: a number in (0, 1)"),
    ],
)
def test_bad_arguments_are_refused(given, words):
    assert refusal(**given).startswith(words)


def test_an_audit_without_scikit_learn_is_refused_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    line = "an audit needs scikit-learn: pip install 'dpbandits[audit]'"
    assert refusal(algo="dp_se") == refusal(mechanism="tree", jobs=2) == line


def subjects_of(**given):
    """What an audit of an algorithm or a rule consists of."""
    (group, name), *_ = given.items()
    made, spec = algorithm_of(name, group, {}, ())
    config = {**default_keys("audit"), **given}
    return [audit.target for audit in requested(config, (), made, spec)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ({"algo": "adap_ucb"}, ["algorithm"]),
        ({"rule": "adap_tt"}, ["rule"]),
        ({"algo": "heldp_ucb_b"}, ["algorithm", "response"]),
        ({"algo": "ldpr_se"}, ["algorithm", "response"]),
        ({"rule": "ctb_tt"}, ["rule", "response"]),
    ],
)
def test_local_algorithms_are_audited_by_their_actions_and_by_their_responses(given, kinds):
    """The alignment is replayed once, for the actions."""
    targets = subjects_of(**given)
    assert [target.kind for target in targets] == kinds
    replayed = [replay_report(target, seed=0) for target in targets]
    assert [found.replays > 0 for found in replayed] == [True, False][: len(kinds)], replayed
    assert all(found.aligned == found.replays for found in replayed), replayed


def test_the_mean_output_of_a_rule_holds_pulls_alone():
    """A run that does not stop names no arm; the number that stands for this has no mean."""
    (target,) = subjects_of(rule="adap_tt")
    mean = target.mean_output(np.full((64, 2), 0.5), np.random.default_rng(0))
    assert mean.shape == (2,) and (mean >= 0.0).all() and mean.sum() <= 64.0

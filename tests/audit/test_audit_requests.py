"""dp.audit: its arguments reach the algorithm, and what cannot be audited is refused."""

import sys

import pytest

import dpbandits as dp


def refusal(*given, **more):
    with pytest.raises(dp.BadInput) as refused:
        dp.audit(*given, **more, runs=200)
    return str(refused.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "one of algo, rule and mechanism is audited at a time"),
        ({"algo": "dp_se", "rule": "dp_nas"}, "one of algo, rule and mechanism"),
        ({"algo": "dp_se", "mechanism": "tree"}, "one of algo, rule and mechanism"),
        ({"algo": "ucb"}, "algo=ucb: it promises no privacy, so there is nothing to audit"),
        ({"mechanism": "laplas"}, "unknown mechanism 'laplas': did you mean laplace_release?"),
        ({"mechanism": "tree", "alpha": 3}, "mechanism=tree: it has no parameter alpha"),
        ({"algo": "dp_se", "alpha": 1}, "unknown parameter of dp_se: 'algo.alpha'"),
        ({"algo": "dp_se", "R": 3}, "unknown parameter of dp_se: 'algo.R'"),
        # beta is a parameter of dp_se and a key of stopping rules
        ({"algo": "dp_se", "beta": 7}, "algo.beta=7: a number in (0, 1], or 1/horizon is needed"),
        ({"algo": "dp_se", "eps": []}, "eps=[]: a finite number above 0 is needed"),
        ({"algo": "dp_se", "horizon": []}, "horizon=[]: a whole number of at least 2"),
        ({"mechanism": "tree", "horizon": []}, "horizon=[]: a whole number of at least 2"),
        ({"algo": "dp_se", "horizon": 1}, "horizon=1: a whole number of at least 2"),
        ({"rule": "dp_nas", "R": -1}, "R=-1: a number above 0"),
        ({"rule": "dp_nas", "beta": 2}, "beta=2: a number in (0, 1)"),
    ],
)
def test_bad_arguments_are_refused(given, words):
    assert refusal(**given).startswith(words)


def test_an_audit_without_scikit_learn_is_refused_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    line = "an audit needs scikit-learn: pip install 'dpbandits[audit]'"
    assert refusal("dp_se") == refusal(mechanism="tree", jobs=2) == line

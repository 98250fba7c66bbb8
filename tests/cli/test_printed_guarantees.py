"""bandit-run prints what the algorithms that it runs promise."""

import pytest

from dpbandits.cli import run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "promises"),
    [
        ("algo=adac_ucb rho=0.5", ["adac_ucb: 0.5-global zCDP of all actions when one reward"]),
        ("'sweep={algo:[adar_ucb],eps:[.1,1],order:[3]}'",
         ["adar_ucb: (3, eps)-global RDP of all actions when one reward differs"]),
        ("algo=adap_ucb eps=0.5", ["adap_ucb: 0.5-global DP of all actions"]),
        ("'sweep={algo:[ucb,dp_se],eps:[.1,1]}'",
         ["ucb: not private", "dp_se: eps-global DP of all actions"]),
        ("algo=adap_klucb eps=inf", ["adap_klucb: not private: eps=inf adds no noise"]),
    ],
)  # fmt: skip
def test_a_run_prints_the_promise_before_the_path(bandit, line, promises):
    *_, path = lines = bandit(run, f"{line} horizon=100 runs=2")
    assert path.endswith(".csv")
    for printed, start in zip(lines[-1 - len(promises) : -1], promises, strict=True):
        assert printed.startswith(start)

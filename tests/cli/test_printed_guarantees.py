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
        ("'sweep={algo:[private_lin_ucb],env:[contextual],eps:[1,1999,3000],"
         "calibration:[printed,exact]}'",
         ["private_lin_ucb: (eps, 0.001)-joint DP of the actions of all other rounds",
          "private_lin_ucb: the privacy that its noise provides is NOT what is promised at "
          "eps=1999 calibration=printed; eps=3000 calibration=printed"]),
        ("'sweep={algo:[private_lin_ucb],eps:[1,200],noise:[wishart]}' env=contextual",
         ["private_lin_ucb: (eps, 0.001)-joint DP of the actions of all other rounds",
          "private_lin_ucb: the privacy that its noise provides is NOT proved at eps=200"]),
        ("algo=dist_rdp_se eps=0.5",
         ["dist_rdp_se: (order, 0.1625 order)-global RDP of every sum that the server sees"]),
        ("algo=shuffle_se eps=0.5",
         ["shuffle_se: (0.5, 1e-05)-DP of the shuffled messages when one reward differs, for "
          "rewards in [0, 1] (a reward enters one count, ours); with 203 fair coins exactly "
          "(0.25, "]),
        ("'sweep={algo:[shuffle_se],eps:[.5,inf]}'",  # without privacy, nothing is promised
         ["shuffle_se: (0.5, 1e-05)-DP of the shuffled messages when one reward differs"]),
        ("algo=shuffle_se eps=0.5 algo.trust=server",
         ["shuffle_se: (0.5, 1e-05)-global DP of all actions when one reward differs"]),
        ("algo=shuffle_se eps=0.5 algo.trust=nobody",
         ["shuffle_se: 0.5-local DP of each user's response between any two rewards"]),
        ("algo=gdp_ncb algo.repair=none eps=0.01", ["gdp_ncb: not private"]),
        ("'sweep={algo:[private_lin_ucb],eps:[1,1997]}' env=contextual",  # the control
         ["private_lin_ucb: (eps, 0.001)-joint DP of the actions of all other rounds"]),
        ("algo=adac_gope rho=2 env=linear env.theta=[3,0] env.noise=gaussian assume=true",
         ["adac_gope: 2-global zCDP of all actions",
          "adac_gope: privacy is not promised on linear: its rewards have no bounds, but "
          "rewards in [-1, 1] is assumed"]),
    ],
)  # fmt: skip
def test_a_run_prints_the_promise_before_the_path(bandit, line, promises):
    *_, path = lines = bandit(run, f"{line} horizon=100 runs=2")
    assert path.endswith(".csv")
    for printed, start in zip(lines[-1 - len(promises) : -1], promises, strict=True):
        assert printed.startswith(start)

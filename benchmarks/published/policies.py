"""Policies that play published code, for ``dpbandits.audit(policy=...)``.

A policy is identified by the folder of its repository and a name. Only the process that plays it
imports its module, so that policies can be sent to workers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .checkouts import module_of


@dataclass(frozen=True)
class Published:
    """A published bandit. The call ``published(arms=..., horizon=..., eps=..., rng=...)`` makes a
    policy.

    Attributes:
        name: its name here.
        folder: the name of its checkout's folder.
        make: the function ``make(folder, arms, horizon, eps, rng)`` that makes the policy.
        root: the folder with the checkouts.
    """

    name: str
    folder: str
    make: Callable[..., Any]
    root: Path = Path()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, arms: int, horizon: int, eps: float, rng: Any) -> Any:
        return self.make(self.root / self.folder, arms, horizon, eps, rng, **self.options)


class Solver:
    """A policy of keirp/private-bandits, with the method ``step(last_reward, last_arm) -> arm``."""

    def __init__(self, solver):
        self.solver, self.last = solver, (None, None)

    def choose(self):
        return self.solver.step(*self.last)

    def receive(self, arm, reward):
        self.last = reward, arm


def keirp(folder, arms, horizon, eps, rng, name):
    home = "private_bandits.solvers"
    if name == "UCB1Solver":
        return Solver(module_of(folder, f"{home}.nonprivate.ucb").UCB1Solver(arms))
    where, named = {
        "DPSuccessiveEliminationSolver": ("dp_successive_elimination", {"beta": 1 / horizon}),
        "DPUCBSolver": ("dp_ucb", {}),
        "DPUCBBoundSolver": ("dp_ucb_bound", {}),
        "PrivateUCBSolver": ("private_ucb", {"T": horizon, "gamma": float(horizon) ** -4}),
        "DPSoftmaxSolver": ("dp_softmax", {"T": horizon}),
        "DPLogSoftmaxSolver": ("dp_log_softmax", {"T": horizon}),
    }[name]
    solver = getattr(module_of(folder, f"{home}.private.{where}"), name)
    return Solver(solver(n_arms=arms, epsilon=eps, **named))


class Numbered:
    """A policy of sayakrc/Differentially-Private-Bandits, with the methods ``get_arm(t)`` and
    ``update(t, arm, reward)``.
    """

    def __init__(self, solver):
        self.solver, self.t = solver, 0

    def choose(self):
        return self.solver.get_arm(self.t)

    def receive(self, arm, reward):
        self.solver.update(self.t, arm, reward)
        self.t += 1


def sayakrc(folder, arms, horizon, eps, rng, name, **params):
    module = module_of(folder, "MABPrivate")
    module.rng = rng  # a generator that the module makes when it is imported
    game = SimpleNamespace(K=arms, epsilon=eps)
    return Numbered(getattr(module, name)(game, horizon, {"crs": 1, "delta": 0.1, **params}))


@dataclass
class Loop:
    """A function that plays all rounds. The function gets rewards from ``sample_reward(mean,
    test_type)`` in its module; the means that we pass are the numbers of the arms.
    """

    module: Any
    run: Callable[[Any, Any], Any]

    def play(self, pull):
        import numpy as np

        for name, function in list(vars(self.module).items()):  # as plain Python
            setattr(self.module, name, getattr(function, "py_func", function))
        self.module.sample_reward = lambda mean, kind: pull(int(mean))
        self.run(self.module, np)


def dp_ncb(folder, arms, horizon, eps, rng, name):
    import numpy as np

    means, c, alpha = np.arange(float(arms)), 3.0, 3.1
    W = int(np.sqrt(horizon)) + 1
    where, run = {
        "GDP_NCB_single": ("GDPNCB", (means, c, eps, alpha, W, horizon, 0)),
        "LDP_NCB_single": ("LDPNCB", (means, c, horizon, W, eps, alpha, 0)),
        "adap_ucb_single": ("AdaPUCB", (means, eps, horizon, alpha, 0)),
        "LDP_UCB_L_single": ("LDPUCB", (means, eps, horizon, 0)),
        "NCB_single": ("NCBNonPrivate", (means, c, horizon, 0)),
        "UCB_single": ("UCB", (means, horizon, 0)),
    }[name]
    module = module_of(folder, f"algorithms.{where}")
    return Loop(module, lambda module, np: getattr(module, name)(*run))


class Identifier:
    """A policy of achraf-azize/DP-BAI: ``run(bandit)`` pulls until it names an arm. No files are
    written.
    """

    def __init__(self, algorithm):
        self.algorithm = algorithm
        algorithm.save_logs = lambda: None

    def play(self, pull):
        self.algorithm.run(SimpleNamespace(pull=pull))


def dp_bai(folder, arms, horizon, eps, rng, where, name, delta=0.1):
    for module in [m for m in sys.modules if m.split(".")[0] == "algorithms"]:
        if not str(getattr(sys.modules[module], "__file__", "")).startswith(str(folder)):
            del sys.modules[module]  # another repository's package of this name
    config = {"K": arms, "eps": eps, "delta": delta, "beta": 0.5}
    return Identifier(getattr(module_of(folder, f"algorithms.{where}"), name)(config))


def _of(folder, make, **names):
    return {ours: Published(ours, folder, make, options=options) for ours, options in names.items()}


POLICIES: dict[str, Published] = {
    **_of("private-bandits", keirp,
          keirp_ucb={"name": "UCB1Solver"},
          keirp_dp_se={"name": "DPSuccessiveEliminationSolver"},
          keirp_dp_ucb={"name": "DPUCBSolver"},
          keirp_dp_ucb_bound={"name": "DPUCBBoundSolver"},
          keirp_private_ucb={"name": "PrivateUCBSolver"},
          keirp_dp_softmax={"name": "DPSoftmaxSolver"},
          keirp_dp_log_softmax={"name": "DPLogSoftmaxSolver"}),
    **_of("Differentially-Private-Bandits", sayakrc,
          sayakrc_dp_se={"name": "DPSE", "dc": 2},
          sayakrc_dist_dp_se={"name": "BatchSEDistDP", "dc": 4},
          sayakrc_dist_rdp_se={"name": "BatchSEDistRDP", "dc": 4, "scale": 10}),
    **_of("DP-NCB", dp_ncb,
          dp_ncb_gdp={"name": "GDP_NCB_single"},
          dp_ncb_ldp={"name": "LDP_NCB_single"},
          dp_ncb_adap_ucb={"name": "adap_ucb_single"},
          dp_ncb_ldp_ucb_l={"name": "LDP_UCB_L_single"},
          dp_ncb_ncb={"name": "NCB_single"},
          dp_ncb_ucb={"name": "UCB_single"}),
    **_of("DP-BAI", dp_bai,
          dp_bai_adap_tt={"where": "adapTT", "name": "AdaPTopTwo"},
          dp_bai_dp_se={"where": "dp_se", "name": "DPSE"}),
}  # fmt: skip

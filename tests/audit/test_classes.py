"""A class is audited alike however it is named, and anew when what it declares has changed."""

import inspect

import numpy as np
import pandas as pd
import pytest
from commands import command
from refusals import message_of

import dpbandits as dp
from dpbandits.authoring import global_dp


class CommitsOnce:
    """Explores each arm m times, then commits once, with noise worth ``scale`` times its eps."""

    scale = 1.0

    def __init__(self, arms, eps, rng, m=2):
        self.eps, self.rng, self.m = eps, rng, m
        self.t, self.sums, self.best = 0, np.zeros(arms), None

    def act(self):
        if self.t < self.m * len(self.sums):
            return self.t % len(self.sums)
        if self.best is None:
            noise = self.rng.laplace(0, self.scale / self.eps, len(self.sums))
            self.best = int(np.argmax(self.sums + noise))
        return self.best

    def update(self, arm, reward):
        if self.t < self.m * len(self.sums):
            self.sums[arm] += reward
        self.t += 1


class CommitsOnceHalf(CommitsOnce):
    scale = 0.5


SMALL = {"eps": 1.0, "horizon": 16, "runs": 100, "jobs": 1}
FOUND = ["verdict", "replays", "aligned", "measured"]


@pytest.mark.slow
@pytest.mark.parametrize(("made", "verdicts"), [
    (CommitsOnce, {"consistent"}), (CommitsOnceHalf, {"undecided", "VIOLATED"}),
])  # fmt: skip
def test_noise_is_replayed_under_every_name(made, verdicts):
    """Samples alone called half the noise consistent."""
    of_policy = dp.audit(policy=made, m=1, **SMALL)[FOUND]
    of_algorithm = dp.audit(dp.algorithm(made, m=1), **SMALL)[FOUND]
    pd.testing.assert_frame_equal(of_policy, of_algorithm)
    assert {*of_policy["verdict"]} <= verdicts


FILE = "import numpy as np\nfrom dpbandits.authoring import global_dp\n\n"
FILE += inspect.getsource(CommitsOnce)


@pytest.mark.slow
def test_what_a_file_declares_is_audited_anew(tmp_path):
    file = tmp_path / "mine" / "algo" / "commits.py"
    file.parent.mkdir(parents=True)
    words = "--config-dir mine algo=commits eps=1 horizon=16 runs=100 jobs=1"
    seen = []
    for declared in ("", "REWARDS = (-2, 2)\n", "GUARANTEE = global_dp('mine')\n"):
        file.write_text(FILE + declared)
        done = command("bandit-audit", *words.split(), cwd=tmp_path)
        assert done.returncode in (0, 3) and not done.stderr.count("Traceback"), done.stderr
        seen.append(done.stdout)
    assert "100 of 100 replays" in seen[0]  # a class that declares nothing is replayed
    assert "-2 to 2" in seen[1] and "declare rewards=" in seen[2]


class Declared(CommitsOnce):
    GUARANTEE = global_dp("mine")


class OfRho(CommitsOnce):
    def __init__(self, arms, rho, rng):
        super().__init__(arms, rho, rng)


def test_what_a_class_declares_is_audited_under_every_name():
    """Its promise was replaced by eps-DP of all actions, and a class with rho was called with
    eps.
    """
    for key in ("algo", "policy"):
        found = dp.audit(**{key: Declared}, **SMALL)
        assert "declare rewards=" in found["alignment"][0]
        assert "its privacy budget is rho" in message_of(dp.audit, **{key: OfRho}, eps=1)

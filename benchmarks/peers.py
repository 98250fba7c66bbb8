"""Compare published solvers with ours on one setting: python benchmarks/peers.py CHECKOUTS.

If names of solvers follow CHECKOUTS, only these solvers are played, and nothing is written.

CHECKOUTS is a folder with the repositories, each in a folder with its name. The packages
SMPyBandits and rlberry 0.3.0 (the last version with bandits) are used if they can be imported. Each
solver plays in a new process, and then our algorithm plays in another process. The published code
runs unchanged, and is compiled only if the authors compile it. The table is printed and written to
benchmarks/peers.md.

Seconds are CPU seconds of a run, so other processes do not count. Our seconds are the average over
many runs in one call, after compilation, and include the time for tables of results. Megabytes are
the growth of the process's memory during play. A solver is called seeded if two runs after the same
``numpy.random.seed`` and ``random.seed`` play the same arms. The two seeds also determine the
rewards that we draw. Even without a seed, an elimination may always play the same arms if it does
not depend on noise.
"""

from __future__ import annotations

import json
import platform
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from published import CHECKOUTS, POLICIES
from published.checkouts import commit_of, module_of
from tabulate import tabulate

import dpbandits as dp
from dpbandits.audit.external.policy import play_external
from dpbandits.results.intervals import interval_of_mean

HERE = Path(__file__).parent
MEANS = np.array([0.75, 0.625, 0.5, 0.375, 0.25])  # C2
ENV, T, EPS, DELTA = "bernoulli_c2", 200_000, 0.5, 0.1
OURS = 200  # runs of our algorithm
COMPARED = 5.0  # standard errors above which a difference is reported
INSTALLED = ("SMPyBandits", "rlberry")


@dataclass(frozen=True)
class Peer:
    """A solver, and our algorithm with the same parameters.

    Attributes:
        play: ``play(root)`` plays one run and returns the arms of its rounds.
        runs: how often it is played.
        folder: the folder of its repository, or the name of its package.
        ours: our algorithm or rule.
        parameters: the parameters of our algorithm.
        samples: whether the solver names the best arm. If so, numbers of rounds are compared
            instead of regrets.
    """

    play: Callable[[Path], np.ndarray]
    runs: int
    folder: str
    ours: str
    parameters: dict = field(default_factory=dict)
    samples: bool = False


def rewards_rng():
    """Return the generator for the rewards that we draw. The rewards differ between runs, unless
    ``numpy.random.seed`` was called.
    """
    return np.random.default_rng(np.random.randint(2**31))  # noqa: NPY002


def of_policy(name, runs, ours, samples=False, **parameters):
    """Return a peer that is played round by round."""

    def play(root):
        make, env_rng = replace(POLICIES[name], root=root), rewards_rng()
        wins = (env_rng.random((T, len(MEANS))) < MEANS).astype(float).tolist()
        rng = np.random.default_rng()
        horizon = 50 * T if samples else T
        reward = lambda t, a: wins[t % T][a]  # noqa: E731
        return np.array(play_external(make, reward, len(MEANS), horizon, EPS, rng))

    return Peer(play, runs, POLICIES[name].folder, ours, parameters, samples)


def dp_ncb(where, name, runs, ours, *given, **parameters):
    """Return a function of DP-NCB, compiled as published, which draws the rewards itself."""

    def play(root):
        module = module_of(root / "DP-NCB", f"algorithms.{where}")
        return np.asarray(getattr(module, name)(MEANS, *given, 0))

    return Peer(play, runs, "DP-NCB", ours, parameters)


def smpybandits(root):
    import scipy.special

    scipy.special.btdtri = scipy.special.betaincinv  # SciPy has removed this name
    from SMPyBandits.Policies.UCB import UCB

    policy, arms, env_rng = UCB(len(MEANS)), np.empty(T, int), rewards_rng()
    wins = (env_rng.random((T, len(MEANS))) < MEANS).astype(float)
    policy.startGame()
    for t in range(T):
        arms[t] = policy.choice()
        policy.getReward(arms[t], wins[t, arms[t]])
    return arms


def rlberry(root):
    names = ("", ".spaces", ".utils", ".utils.seeding", ".wrappers")  # gym is unavailable
    sys.modules.update({f"gym{x}": import_module(f"gymnasium{x}") for x in names})
    from rlberry.agents.bandits import IndexAgent, makeBoundedUCBIndex
    from rlberry.envs.bandits import BernoulliBandit

    class Watched(BernoulliBandit):
        def step(self, action):
            arms.append(action)
            return super().step(action)

    arms: list[int] = []
    index, parameters = makeBoundedUCBIndex()
    env = Watched(p=MEANS)
    IndexAgent(env, index, tracker_params=parameters).fit(T)
    return np.array(arms)


W = int(np.sqrt(T)) + 1
PEERS = {
    "keirp UCB1": of_policy("keirp_ucb", 4, "ucb"),
    "keirp DP-SE": of_policy("keirp_dp_se", 12, "dp_se"),
    "keirp DP-UCB-Bound": of_policy("keirp_dp_ucb_bound", 3, "dp_ucb_bound"),
    "sayakrc DP-SE": of_policy("sayakrc_dp_se", 12, "dp_se", beta=DELTA),
    "sayakrc Dist-DP-SE": of_policy(
        "sayakrc_dist_dp_se", 4, "dist_dp_se", p=DELTA, batches="quadrupled"
    ),
    "sayakrc Dist-RDP-SE": of_policy(
        "sayakrc_dist_rdp_se", 4, "dist_rdp_se", p=DELTA, batches="quadrupled", s=10
    ),
    "DP-NCB AdaP-UCB": dp_ncb("AdaPUCB", "adap_ucb_single", 40, "adap_ucb", EPS, T, 3.1),
    "DP-NCB LDP-UCB-L": dp_ncb("LDPUCB", "LDP_UCB_L_single", 40, "heldp_ucb_l", EPS, T),
    "DP-NCB NCB": dp_ncb("NCBNonPrivate", "NCB_single", 40, "ncb", 3.0, T),
    "DP-NCB GDP-NCB": dp_ncb(
        "GDPNCB", "GDP_NCB_single", 40, "gdp_ncb", 3.0, EPS, 3.1, W, T, repair="none"
    ),
    "DP-NCB LDP-NCB": dp_ncb("LDPNCB", "LDP_NCB_single", 40, "ldp_ncb", 3.0, T, W, EPS, 3.1),
    "DP-BAI DP-SE": of_policy("dp_bai_dp_se", 8, "dp_se_bai", samples=True),
    "DP-BAI AdaP-TT": of_policy("dp_bai_adap_tt", 4, "adap_tt", samples=True, variant="coded"),
    "SMPyBandits UCB": Peer(smpybandits, 4, "SMPyBandits", "ucb"),
    "rlberry UCB": Peer(rlberry, 2, "rlberry", "ucb"),
}


def theirs(name: str, root: Path) -> dict:
    """Play the runs of a peer in this process, and return the measurements."""
    peer = PEERS[name]
    peer.play(root)  # compiles the code, if it is compiled code
    before, begin = _memory(), time.process_time()
    runs = [peer.play(root) for _ in range(peer.runs)]
    took = (time.process_time() - begin) / peer.runs
    grown = _memory() - before
    twice = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)
        twice.append(peer.play(root))
    values = [len(arms) if peer.samples else float((0.75 - MEANS[arms]).sum()) for arms in runs]
    return {
        "values": values, "seconds": took, "MB": grown,
        "seeded": len(twice[0]) == len(twice[1]) and bool((twice[0] == twice[1]).all()),
    }  # fmt: skip


def ours(name: str) -> dict:
    """Play our runs of the same setting in this process, and return the measurements."""
    peer = PEERS[name]
    private = dp.algorithms().loc[peer.ours, "privacy"] != "not private" if not peer.samples else 1
    eps = {"eps": EPS} if private else {}

    def play(runs):
        if peer.samples:
            given = {**eps, "delta": DELTA, **peer.parameters}
            return dp.stop(rule=peer.ours, env=ENV, runs=runs, jobs=1, **given)
        given = {**eps, "horizon": T, "checkpoints": 1, **peer.parameters}
        return dp.run(algo=peer.ours, env=ENV, runs=runs, jobs=1, **given)

    play(2)
    before, begin = _memory(), time.process_time()
    table = play(OURS)
    took = (time.process_time() - begin) / OURS
    values = table["stopping_time"] if peer.samples else table.loc[table["t"] == T, "regret"]
    return {"values": values.tolist(), "seconds": took, "MB": _memory() - before}


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def child(who: str, name: str, root: Path) -> dict:
    """Return the measurements of a child process."""
    call = [sys.executable, __file__, str(root), f"--{who}", name]
    found = subprocess.run(call, capture_output=True, text=True)
    if found.returncode:
        return {"error": found.stderr.strip().splitlines()[-1]}
    return json.loads(found.stdout.splitlines()[-1])


def mean_and_half(values: list[float]) -> tuple[float, float, float]:
    """Return the mean, half the width of its 95 % confidence interval, and its standard error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    (low,), (high,) = interval_of_mean(np.array(values)[:, np.newaxis])
    return float(np.mean(values)), float(high - low) / 2.0, float(error)


def row(name: str, root: Path) -> tuple[list, str]:
    """Return the cells of a peer's row, and a text: empty unless the means differ by more than five
    standard errors.
    """
    them, us = child("theirs", name, root), child("ours", name, root)
    for who, found in (("theirs", them), ("ours", us)):
        if "error" in found:
            return [name, f"{who}: {found['error']}"], ""
    first, half, error = mean_and_half(them["values"])
    second, narrow, small = mean_and_half(us["values"])
    apart = abs(first - second) / np.hypot(error, small)
    cells = [
        name, "samples" if PEERS[name].samples else "regret",
        f"{first:,.0f} ± {half:,.0f} ({len(them['values'])})", PEERS[name].ours,
        f"{second:,.0f} ± {narrow:,.0f} ({OURS})", f"{apart:.1f}",
        f"{them['seconds']:.3g}", f"{us['seconds']:.2g}",
        f"{them['seconds'] / us['seconds']:,.0f}", f"{them['MB']:.0f}", f"{us['MB']:.0f}",
        "yes" if them["seeded"] else "no",
    ]  # fmt: skip
    return cells, f"{name}: {apart:.0f} standard errors apart" if apart > COMPARED else ""


HEAD = [
    "solver", "measured", "theirs (runs)", "ours", "ours (runs)", "standard errors apart",
    "s a run, theirs", "ours", "ratio", "MB, theirs", "ours", "seeded",
]  # fmt: skip


def main() -> None:
    if len(sys.argv) < 2:
        print(__doc__)
        return
    root = Path(sys.argv[1]).resolve()
    if len(sys.argv) == 4 and sys.argv[2] in ("--theirs", "--ours"):
        name = sys.argv[3]
        print(json.dumps(theirs(name, root) if sys.argv[2] == "--theirs" else ours(name)))
        return
    names = sys.argv[2:] or list(PEERS)
    found = []
    for name in names:
        found.append(row(name, root))
        print(found[-1][0], flush=True)
    rows = [cells + [""] * (len(HEAD) - len(cells)) for cells, _ in found]
    table = tabulate(rows, HEAD, "pipe", disable_numparse=True)
    print(table)
    if len(names) < len(PEERS):
        return
    used = {PEERS[name].folder for name in names} & set(CHECKOUTS)
    commits = [f"{CHECKOUTS[f][0]} at {commit_of(root / f)[:10]}" for f in sorted(used)]
    commits += [f"{name} {version(name)}" for name in INSTALLED if find_spec(name)]
    commits += [f"dpbandits at {commit_of(HERE)[:10]}"]
    processor = platform.processor() or platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.is_file():
        models = [x for x in cpus.read_text().splitlines() if x.startswith("model name")]
        processor = models[0].partition(": ")[2] if models else processor
    text = (
        f"The table compares published programs with ours on C2 (K = 5), with T = {T:,}, "
        f"eps {EPS:g} and delta {DELTA:g}. It shows means with 95 % intervals. Versions: "
        f"{', '.join(commits)}. {processor}, Python "
        f"{platform.python_version()}. `benchmarks/peers.py` explains the columns.\n\n{table}\n"
    )
    reasons = HERE / "peers_reasons.txt"
    text += "\n" + reasons.read_text() if reasons.is_file() else ""
    (HERE / "peers.md").write_text(text)


if __name__ == "__main__":
    main()

"""Measure the privacy of published code in local checkouts, for the rows of docs/published_code.md.

    python benchmarks/published_privacy.py FOLDER ROW [ROW ...]

FOLDER has the checkouts, each in a folder with the name of its repository. Without ROW, the script
lists the rows. The published code is not part of the package, and its files are not changed.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
from joblib.externals.loky import get_reusable_executor
from published import CHECKOUTS, POLICIES
from published.checkouts import commit_of, module_of

import dpbandits as dp
from dpbandits.algorithms.ldp_lin_ucb import DISTANCE
from dpbandits.audit.alignment.replay import replay
from dpbandits.audit.alignment.replayed_streams import Replay
from dpbandits.audit.external.policy import claimed, play_external
from dpbandits.audit.external.targets import PolicyTarget
from dpbandits.audit.numbers.streams import Recorder
from dpbandits.contracts.gaussian_dp import delta_of_noise
from dpbandits.results.intervals import clopper_pearson
from dpbandits.results.table import Table
from dpbandits.theory.problem import problem

SHORT = {"horizon": [8, 32], "runs": 4_000}  # for audits that replays do not decide
# For each audit: the policy, the privacy levels, and other arguments of ``dp.audit``
AUDITS: dict[str, tuple[str, list[float], dict]] = {
    "sayakrc-dp-se": ("sayakrc_dp_se", [0.1, 1.0], {}),
    "sayakrc-dist-dp-se": ("sayakrc_dist_dp_se", [1.0], SHORT),
    "dp-ncb-gdp": ("dp_ncb_gdp", [0.2], {"horizon": [128], "runs": 2_000}),
    "dp-ncb-ldp": ("dp_ncb_ldp", [0.2, 0.5], {"local": True}),
    "dp-ncb-adap-ucb": ("dp_ncb_adap_ucb", [0.2, 1.0], {"horizon": 8}),
    "dp-ncb-ldp-ucb-l": ("dp_ncb_ldp_ucb_l", [0.2, 1.0], {"local": True}),
    "keirp-dp-se": ("keirp_dp_se", [0.1, 1.0], {}),
    "keirp-dp-ucb": ("keirp_dp_ucb", [0.1, 1.0], SHORT),
    "keirp-dp-ucb-bound": ("keirp_dp_ucb_bound", [0.1, 1.0], SHORT),
    "keirp-private-ucb": ("keirp_private_ucb", [0.1, 1.0], SHORT),
    "dp-bai-adap-tt": ("dp_bai_adap_tt", [0.1, 1.0], SHORT),
    "dp-bai-dp-se": ("dp_bai_dp_se", [0.1, 1.0], {}),
}


def audit(root: Path, row: str) -> None:
    """Print the results of an audit of the actions, or of the responses, at each privacy level."""
    name, levels, given = AUDITS[row]
    for eps in levels:
        before, begin = _seconds(), time.perf_counter()
        table = dp.audit(policy=replace(POLICIES[name], root=root), eps=eps, **given)
        [found] = table.to_dict("records")
        print(f"{row} eps {eps:g}: {found['verdict']}; loss at least {found['measured']:.3g} "
              f"({found['runs']} runs under each of two neighbours)")  # fmt: skip
        print(f"  {found['alignment']}")
        if found["runs"]:
            print(f"  sequences  of {found['rewards']} rewards; the one of arm "
                  f"{found['changed_arm']} in round {found['changed_round']} is "
                  f"{found['first']:g} or {found['second']:g}")  # fmt: skip
            print(f"  event      {found['event']}: {found['count_first']} and "
                  f"{found['count_second']} times")  # fmt: skip
        used = _seconds() - before
        took = time.perf_counter() - begin
        print(f"  {took:.0f} s, {used:.0f} s of CPU")


def _seconds() -> float:
    get_reusable_executor().shutdown(wait=True)  # the time of a child process counts after its end
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(x.ru_utime + x.ru_stime for x in both)


def sayakrc_noise(root: Path) -> None:
    """Check that DP-SE plays the same arms without noise, with its noise as coded, and with a
    million times this noise.
    """
    make = replace(POLICIES["sayakrc_dp_se"], root=root)
    rewards = np.random.default_rng(0).random((20_000, 4)) < [0.9, 0.6, 0.5, 0.3]
    table = rewards.astype(float).tolist()
    arms = {}
    for size in (0.0, 1.0, 1e6):
        rng = _Scaled(size)
        arms[size] = play_external(make, lambda t, a: table[t][a], 4, len(table), 0.1, rng)
    same = [arms[size] == arms[1.0] for size in arms]
    print(f"sayakrc-noise: noise times {list(arms)}: the same 20,000 arms as coded: {same}")


class _Scaled:
    """A generator whose Laplace noise is multiplied by ``size``."""

    def __init__(self, size):
        self.size, self.rng = size, np.random.default_rng(1)

    def laplace(self, loc, scale):
        return loc + self.size * scale * self.rng.laplace()


def gdp_releases(root: Path) -> None:
    """Print how many later releases of GDP-NCB use a reward of its first phase, and the privacy
    loss of these releases.
    """
    make = replace(POLICIES["dp_ncb_gdp"], root=root)
    for T in (100, 1_000, 10_000):
        eps, visit = 0.2, PolicyTarget(claimed(make), 0.2, {})
        first = np.zeros((T, 1))
        second = first.copy()
        second[0] = 1.0
        found = replay(visit, first, second, Recorder(np.random.default_rng(0), 1.0))
        costs = [abs(draw.shift) for draw in found.draws if draw.shift]
        used = len(costs) - 1  # no decision follows the last release
        print(f"gdp-releases: T {T}, one arm: the first reward enters {len(costs)} releases at "
              f"{costs[0] / eps:.3f} eps each; the {used} that decisions follow cost "
              f"{sum(costs[:-1]) / eps:.3f} eps")  # fmt: skip
    eps, c = 0.2, 3.0
    W = next(W for W in np.geomspace(10, 1e9, 100_000) if 1600 * stop(W, c, eps) < W)
    print(f"gdp-releases: its first phase can only stop early if W > {W:.3g}, so T > {W * W:.2g} "
          f"(eps {eps})")  # fmt: skip


def stop(W: float, c: float, eps: float) -> float:
    """Return the threshold of the stopping rule of the first phase, divided by 1600."""
    return c**2 * np.log(W) + np.log(W) ** 2 / eps


def ldp_response(root: Path) -> None:
    """Print the mean and the noise scale of a response of LDP-NCB, in the first phase and later."""
    make = replace(POLICIES["dp_ncb_ldp"], root=root)
    T, eps, rng = 400, 0.2, np.random.default_rng(0)
    visit = PolicyTarget(claimed(make, local=True), eps, {})
    stream = Recorder(rng, 1.0)
    visit.play_traced(np.zeros((T, 2)), stream)
    W = int(np.sqrt(T)) + 1
    parts = {}
    for draw in stream.draws:
        if draw.is_noise:
            parts.setdefault(draw.place <= W + 1, []).append((draw.scale, sum(draw.added[:-1])))
    for early, name in ((True, "first"), (False, "second")):
        scales, added = (sorted(set(x)) for x in zip(*parts[early], strict=True))
        print(f"ldp-response: eps {eps}, rewards 0: {name} phase: Laplace noise of scale {scales} "
              f"plus {added}; a response spends {1 / scales[0]:g}")  # fmt: skip


def nash_regret(root: Path) -> None:
    """Print the Nash regret of the functions of DP-NCB in the environment sarkar2025, at eps .2."""
    T, eps, c, alpha = 10_000_000, 0.2, 3.0, 3.1
    table = dp.run(algo="ucb", env="sarkar2025", horizon=1, runs=1, jobs=1)
    means = np.array(problem(next(iter(Table.of_frame(table).records.values()))).instance.means)
    W = int(np.sqrt(T)) + 1
    functions = {
        "AdaPUCB": ("adap_ucb_single", (means, eps, T, alpha, 0), 10),
        "GDPNCB": ("GDP_NCB_single", (means, c, eps, alpha, W, T, 0), 10),
        "LDPUCB": ("LDP_UCB_L_single", (means, eps, T, 0), 2),
        "LDPNCB": ("LDP_NCB_single", (means, c, T, W, eps, alpha, 0), 2),
    }
    for where, (name, given, runs) in functions.items():
        play = getattr(module_of(root / "DP-NCB", f"algorithms.{where}"), name)
        rewards = sum(means[play(*given)] for _ in range(runs)) / runs
        geometric = np.exp(np.log(rewards).mean())
        print(f"dp-ncb-nash: {name}, {runs} runs of {T:g} rounds: Nash regret "
              f"{means.max() - geometric:.4f}, with 1 for the best mean {1 - geometric:.4f}; "
              f"average regret {means.max() - rewards.mean():.4f}", flush=True)  # fmt: skip


def clipped_means(root: Path) -> None:
    """Print the means of the values that LDP-UCB-L sums: responses clipped to [0, 1]."""
    rng = np.random.default_rng(0)
    for eps in (0.2, 1.0):
        noise = rng.laplace(0.0, 1.0 / eps, 1_000_000)
        means = [np.clip((rng.random(len(noise)) < mu) + noise, 0, 1).mean() for mu in (0.1, 0.9)]
        print(f"clipped-means: eps {eps}: means .1 and .9 become {means[0]:.3f}, {means[1]:.3f}")


def ldpbandit(root: Path) -> None:
    """Print the noise of LDPbandit2020 and the smallest delta that this noise gives exactly."""
    module = module_of(root / "LDPbandit2020", "src.linucb")
    for eps, delta in ((0.1, 1e-5), (0.5, 0.01), (1.0, 0.1), (10.0, 0.1), (8e5, 0.1)):
        sigma = module.LinUCB(20, epsilon=eps, delta=delta)._sigma
        written = 4 / eps * np.sqrt(2 * np.log(1.25 / delta))
        exact = [delta_of_noise(DISTANCE / x, eps) for x in (sigma, written)]
        print(f"ldpbandit-sigma: eps {eps:g}, delta {delta:g}: sigma {sigma:.4g} in the code, "
              f"{written:.4g} in the README; the least delta is {exact[0]:.3g} and "
              f"{exact[1]:.3g}")  # fmt: skip


def nprr_response(root: Path) -> None:
    """Print the exact privacy loss of a response of NPRR, and a lower bound on it with 99.9 %
    confidence. The bound comes from the counts of the response 1 to the rewards 1 and 0.
    """
    folder = root / "nprr"
    package = ModuleType("nprr")  # its __init__.py imports confseq, which is not needed
    package.__path__ = [str(folder / "nprr")]
    sys.modules["nprr"] = package
    np.float_ = np.float64  # noqa: NPY201 - NumPy 1, with which it was written
    module = module_of(folder, "nprr.mechanisms")
    np.random.seed(0)  # noqa: NPY002 - its own generator
    runs, x = 4_000_000, np.ones(4_000_000)
    for G, eps in ((1, 1.0), (1, 2.0), (2, 1.0), (3, 1.0), (3, 2.0)):
        r = (np.exp(eps) - 1) / (np.exp(eps) + G)
        ends = [float((module.nprr(data, r, G) == 1.0).sum()) for data in (x, 0.0 * x)]
        low, high = clopper_pearson(np.array(ends), np.full(2, float(runs)), 0.0005)
        exact = np.log(1 + 2 * G * (np.exp(eps) - 1) / (G + 1))
        print(f"nprr-response: G {G}, eps {eps:g}: {ends[0]:.0f} and {ends[1]:.0f} of {runs:,} "
              f"responses are 1: a loss of at least {np.log(low[0] / high[1]):.3f}; "
              f"exactly {exact:.3f}")  # fmt: skip


def replayed(root: Path) -> None:
    """Check that every policy plays the same arms again from its recorded random numbers."""
    for name, policy in POLICIES.items():
        visit = PolicyTarget(claimed(replace(policy, root=root)), 1.0, {})
        table = np.random.default_rng(0).random((64, 2))
        recorded = Recorder(np.random.default_rng(1), 1.0)
        seen = visit.play_traced(table, recorded)
        again = visit.play_traced(table, Replay(recorded.draws))
        print(f"replayed: {name}: {np.array_equal(seen.arms, again.arms)}")


OTHERS: dict[str, Callable[[Path], None]] = {
    "sayakrc-noise": sayakrc_noise,
    "gdp-releases": gdp_releases,
    "ldp-response": ldp_response,
    "dp-ncb-nash": nash_regret,
    "clipped-means": clipped_means,
    "ldpbandit-sigma": ldpbandit,
    "nprr-response": nprr_response,
    "replayed": replayed,
}


def main() -> None:
    if len(sys.argv) < 3:
        print(__doc__)
        print("rows:", ", ".join([*AUDITS, *OTHERS]))
        return
    root = Path(sys.argv[1]).resolve()
    for folder, (repository, commit) in CHECKOUTS.items():
        if (root / folder).is_dir() and commit_of(root / folder) != commit:
            print(f"{repository}: not the commit that was measured, {commit}")
    for row in sys.argv[2:]:
        if row in AUDITS:
            audit(root, row)
        else:
            OTHERS[row](root)


if __name__ == "__main__":
    main()

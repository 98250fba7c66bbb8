"""Find changes of algorithms with which refuted claims would hold: python experiments/ablations.py
[KEY=VALUE ...].

The variants of the algorithms are in experiments/ablation. The tables are printed and written to
RESULTS/ablations.md. The table for claim R2 needs the table of the experiment ren2020_fig1d. The
keys are arguments of ``dp.run``, such as runs=100 or results=DIR.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from pages import table, write

import dpbandits as dp
from dpbandits.cli.ending import run_command

VARIANTS_FOLDER = Path(__file__).parent / "ablation"

BUDGETS = [0.1, 0.25, 0.5, 1.0]
INSTANCES = [f"bernoulli_c{i}" for i in (1, 2, 3, 4)]
VARIANTS = {
    "as printed": ("adap_klucb", 3.1),
    "alpha = 1": ("adap_klucb", 1.0),
    "N for N/2 in the index": ("adap_klucb_n", 3.1),
    "N for N/2 and alpha = 1": ("adap_klucb_n", 1.0),
}
FACTORS = [1.0, 2.0, 4.0, 8.0]


def mean(means, **setting):
    """Return the mean final regret of the only setting with these values."""
    for name, value in setting.items():
        means = means[means[name] == value]
    [regret] = means["mean"]
    return regret


def azize(keys):
    """Yield the rows of the table for claims A1-A3: variants of AdaP-KLUCB against DP-SE with
    longer epochs.
    """

    def run(algo, env, eps):
        return dp.run(algo, env, eps=eps, config_dir=VARIANTS_FOLDER, **keys)

    names = ["adap_klucb", "adap_klucb_n"]
    variants = [dp.algorithm(name, alpha=[3.1, 1.0]) for name in names]
    longer = dp.algorithm("dp_se_times", factor=FACTORS)
    tables = [
        run(variants, INSTANCES, BUDGETS),
        run(variants, "bernoulli_gap", [0.416, 10.0]),
        run(longer, INSTANCES, BUDGETS),
    ]
    means = pd.concat([dp.summary(table) for table in tables], ignore_index=True)
    games = [(env, eps) for env in INSTANCES for eps in BUDGETS]
    for name, (algo, alpha) in VARIANTS.items():
        of = {"algo": algo, "alpha": alpha}
        for factor in FACTORS:
            against = {"algo": "dp_se_times", "factor": factor}
            won = sum(
                mean(means, env=env, eps=eps, **of) < mean(means, env=env, eps=eps, **against)
                for env, eps in games
            )
            c2 = {"env": "bernoulli_c2", "eps": 1.0}
            ratio = mean(means, **c2, **against) / mean(means, **c2, **of)
            spread = mean(means, env="bernoulli_gap", eps=0.416, **of) / mean(
                means, env="bernoulli_gap", eps=10.0, **of
            )
            yield [name, f"{factor:g}", f"{won} of 16", f"{ratio:.3g}", f"{spread:.3g}"]


def ren(results):
    """Yield the rows of the table for claim R2: the ratios of regret at earlier rounds."""
    runs = dp.load(results / "ren2020_fig1d.csv")
    means = runs.groupby(["algo", "t"])["regret"].mean().unstack("algo")
    for share in (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0):
        t = means.index[np.abs(means.index - share * means.index.max()).argmin()]
        row = means.loc[t]
        ratios = [f"{row[algo] / row['ucb']:.3g}" for algo in ("heldp_ucb_b", "heldp_ucb_l")]
        yield [f"{t:.2g}", *ratios]


def main(words):
    keys = {"runs": 1000, "checkpoints": 4, "results": "results"}
    keys |= dict(word.split("=", 1) for word in words)
    results = Path(keys["results"])
    head = ["AdaP-KLUCB", "DP-SE's pulls, times", "A1: below DP-SE", "A2: ratio on C2, eps 1"]
    head += ["A3: regret at eps .416 by that at 10"]
    parts = [table(list(azize(keys)), head)]
    if (results / "ren2020_fig1d.csv").exists():
        head = ["T", "R2: HeLDP-UCB-B by UCB (74 in print)", "HeLDP-UCB-L by UCB (210 in print)"]
        parts.append(table(list(ren(results)), head))
    return write(results / "ablations.md", "\n".join(parts))


if __name__ == "__main__":
    run_command("ablations", lambda: main(sys.argv[1:]))

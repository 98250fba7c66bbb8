"""Whom one trusts: one elimination with a shuffler, a server or nobody, beside other algorithms."""

from dpbandits.contracts.display import display_name, environment_title
from dpbandits.figures.bands import draw_band
from dpbandits.figures.layout import label_edges
from dpbandits.figures.style import DASHES, PALETTE, Chart, finish, styled
from dpbandits.results.summary import mean_of

TRUSTS = {"shuffler": "vermillion", "server": "blue", "nobody": "black"}
OTHERS = {"adap_klucb": "green", "dp_se": "sky blue", "dist_dp_se": "grey", "heldp_ucb_b": "violet"}


@styled
def draw(table):
    ends = table.runs
    found = mean_of(ends, ["env", "algo", "trust", "eps"], "regret")
    environments = list(ends["env"].unique())
    figure = Chart(figsize=(4.2 * len(environments) + 0.4, 4.2))
    axes = figure.subplots(1, len(environments), squeeze=False, sharey=True)
    looks = {("shuffle_se", trust): (f"trust: {trust}", colour, "solid")
             for trust, colour in TRUSTS.items()}  # fmt: skip
    looks |= {(name, None): (display_name(name), colour, "dotted")
              for name, colour in OTHERS.items()}  # fmt: skip
    for ax, env in zip(axes.flat, environments, strict=True):
        for (algo, trust), (label, colour, dash) in looks.items():
            here = found[(found["env"] == env) & (found["algo"] == algo)]
            here = here if trust is None else here[here["trust"] == trust]
            names = {"mean": "middle", "ci_low": "low", "ci_high": "high"}
            curve = here.rename(columns=names).sort_values("eps")
            main = trust is not None
            look = {"marker": "o", "ms": 3, "lw": 1.8} if main else {"lw": 0.9}
            look |= {"color": PALETTE[colour], "ls": DASHES[dash], "label": label}
            ax.plot(curve["eps"], curve["middle"], **look)
            if main:
                draw_band(ax, curve, "eps", PALETTE[colour])
        ax.set(title=environment_title(env), xscale="log", yscale="log")
    label_edges(axes, r"privacy budget $\epsilon$", "regret at $T$")
    note = (
        "Means of RUNS runs; bands: 95 % interval. Solid: Shuffle-SE, which differs in trust alone "
        "(delta = 1e-5 with a shuffler or a server; p = 1/T). Dotted, for context: AdaP-KLUCB and "
        "DP-SE (a server, pure DP), Dist-DP-SE (a server that sees sums alone), HeLDP-UCB-B "
        "(nobody); they differ in algorithm and constants, too."
    )
    return finish(figure, "What trust is worth: one elimination, three trust models", table, note)

"""The conformance table has a row for each algorithm and each rule, for
tests/algorithms/test_conformance.py. A row has facts about the algorithm, and the games in which it
is compared with its reference in tests/oracles: ``exactly``, decision by decision, and ``in_law``.
"""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from helpers import EVERY, RULES, algorithm, bernoulli, contaminated, table

from dpbandits.contracts.question import (
    ARMS,
    BEST_ARM,
    CONTEXTS,
    FEATURES,
    HYPOTHESES,
    STOPPING,
    USERS,
)


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game that the package and a reference play. If laws are compared, both draw their own
    random numbers.
    """

    spec: dict  # the environment
    T: int  # the horizon, or the cap
    eps: float = math.inf  # the privacy budget, eps or rho
    own: dict = field(default_factory=dict)  # parameters whose values differ from the configuration
    runs: int = 3  # of the reference
    of_package: int = 600  # runs of the package, where laws are compared
    other: dict = field(default_factory=dict)  # changes of its game that must be noticed
    mutants: tuple[dict, ...] = ()  # errors of the reference that the comparison must notice
    tier: str = "long"
    loop: bool = False  # whether the naive loop of the benchmarks plays it, where there is one


@dataclass(frozen=True, kw_only=True)
class Row:
    """An algorithm or a rule.

    A game of an algorithm on fixed rewards is named after the kind of rewards, see fixed_rewards in
    slow_games.py.
    """

    short: dict = field(default_factory=dict)  # parameters with which short games see eliminations
    options: tuple[dict, ...] = ({},)  # other parameters, each of which uses different code
    all_played: float = math.inf  # the first horizon at which five arms are all played
    budgets: tuple[float, ...] = (1e-100, 1e-9, 1e9, 1e300)  # extreme budgets that are played
    largest: float = math.inf  # the largest budget at which every option learns
    to_cap: bool = True  # whether a rule without an answer takes as many samples as it may
    eliminates: bool = False  # whether it eliminates arms in the games on fixed rewards
    trillion: bool = False  # whether a trillion rounds take only a moment
    exactly: tuple = ()
    fixed_rounds: int = 1500  # of games on fixed rewards
    in_law: tuple[Game, ...] = ()
    fed: tuple[dict, ...] = ({},)  # parameters in games fed with the noise of the reference
    fed_rounds: int = 1200
    hides: bool = True  # whether kernel and reference sum rewards in the same order
    aligned: tuple[dict, ...] = ({},)  # parameters with other noise, whose alignment is replayed
    aligned_at: tuple[float, ...] = (1.0,)  # budgets of the replays
    aligned_until: tuple[int, ...] = ()  # their horizons, if they are not the usual ones
    spent: float = 0.93  # the least share of the budget that they spend


# Arms

C2 = bernoulli(0.75, 0.625, 0.5, 0.375, 0.25)
PARETO = {"law": "pareto", "means": [0.9, 0.5, 0.1], "shape": 1.8}
STUDENT = {"law": "student", "means": [2.5, 0, 1], "scale": 0.5, "df": 2.5}
OF_MANY_LAWS = {
    "law": "mixed",
    "arms": [
        {"law": "bernoulli", "mean": 0.9},
        {"law": "beta", "a": 4, "b": 1},
        {"law": "beta", "a": 2, "b": 3},
        {"law": "discrete", "values": [0.1, 0.4, 1.0], "probabilities": [0.2, 0.3, 0.5]},
        {"law": "uniform", "low": 0.0, "high": 1.0},
    ],
}


# The laws of rewards of the naive loops of the benchmarks
LOOP = bernoulli(0.75, 0.9, 0.1)
LOOP_OF_PARETO = LOOP | {"law": "pareto", "shape": 1.95}
LOOP_OF_NORMAL = LOOP | {"law": "gaussian", "sd": 1.0, "sigmoid": False}
DYADIC = "continuous", "dyadic"  # rewards


def law(eps, T, runs, spec, other=None, tier="long", **own):
    """Return a game in which noise, bonus and elimination matter; the control is another game."""
    return Game(spec=spec, T=T, eps=eps, own=own, runs=runs, other=other or {}, tier=tier)


def arms(
    *in_law, spec=LOOP, T=5000, looped=None, other=None, all_played=5, exactly=DYADIC, short=None,
    **known,
):  # fmt: skip
    """Return a row whose law is also compared with a naive loop; the control has a tenth of the
    budget.
    """
    loop = Game(
        spec=spec, T=T, eps=1.0, own=looped or short or {}, runs=100, of_package=400,
        other=other or {"eps": 0.1}, loop=True,
    )  # fmt: skip
    given = {"exactly": exactly, "in_law": (loop, *in_law), "short": short or {}}
    return Row(all_played=all_played, **given, **known)


def heavy(*in_law, **known):
    return arms(*in_law, exactly=(*DYADIC, "outliers"), **known)


def of_signs(stage):
    """Return an environment with outliers that know the truncation level and replace rewards or
    reports.
    """
    for eps, means, T, alpha in (
        (0.05, [0.9, 0.3], 1500, 0.05),
        (0.3, [0.9, 0.6, 0.3], 2000, 0.1),
        (5.0, [0.2, 0.9, 0.5], 1500, 0.2),
    ):
        clean, adversary = {"law": "pareto", "means": means, "shape": 3}, {"law": "largest", "k": 2}
        spec, other = contaminated(clean, alpha, adversary, stage=stage), {"eps": 10 * eps}
        yield law(eps, T, 120, spec, other if eps == 0.3 else {}, alpha1=alpha)


def foul(eps, runs, *means, **own):
    inlier = {"law": "student", "means": list(means), "scale": 0.5, "df": 2.5}
    spec = contaminated(inlier, 0.1, [-30, 2, 3])
    return law(eps, 8000, runs, spec, {"eps": eps / 10}, alpha1=0.1, **own)


def encoded(eps, tier="slow", **own):
    """Return games with rewards that users encode at random."""
    return law(eps, 2500, 150, OF_MANY_LAWS, {"eps": eps / 4}, tier, **own)


OTHER_MEANS = {"spec": bernoulli(0.8, 0.9, 0.1)}  # a control without a budget
LOGS = ({"log": "natural"}, {"log": "base2"})
FED_SIGNS = ({"alpha1": 0.2}, {"alpha1": 0.3, "k": 1.5, "c": 0.1}, {"alpha1": 0.0, "k": 3})
FED_PHASES = ({}, {"alpha": 1.1}, {"alpha": 3.0, "first": 2.5})
PRAE_C = {"D": 7, "c1": 0.5}
REPAIRS = "fresh", "none"
FED_CROWDS = ({}, *({"levels": (0.0, 0.2, 1.0, 2.0, 100.0), "eps_min": x} for x in (0.2, 1.0)))
COUNTERS = (  # other trees and bonuses
    {"bonus": "calibrated"},
    *(
        {"tree": tree, "bonus": x}
        for tree in ("honaker", "kary")
        for x in ("literal", "calibrated")
    ),
)
FED_COUNTERS = tuple(x | {"T": 400} for x in COUNTERS)  # their references take long
OF_DPR_UCB = {"c": 0.1, "u": 1.0, "v": 0.5}

# fmt: off
ROWS = {
    "ucb": arms(other=OTHER_MEANS),
    "kl_ucb": arms(other=OTHER_MEANS),
    "etc": arms(other={"m": 1}, short={"m": 30}, trillion=True),
    "eps_greedy": arms(other={"c": 5}, short={"c": 0.5, "d": 0.3}, all_played=math.inf),
    "exp3": arms(
        other={"gamma": 0.3}, short={"gamma": 0.1}, all_played=math.inf,
        options=({}, {"gamma": "minimax"}),
    ),
    "dp_ucb": arms(
        hides=False, options=({}, *COUNTERS), spent=0.5,
        aligned=({}, {"tree": "honaker"}, {"tree": "kary"}, {"tree_budget": "split"}),
        fed=(
            {"tree_budget": "whole"}, {"tree_budget": "split"}, *FED_COUNTERS,
            *(x | {"tree_budget": "split"} for x in FED_COUNTERS[::2]),
        ),
    ),
    "dp_ucb_bound": arms(
        hides=False, options=({}, *COUNTERS), fed=({}, *FED_COUNTERS), spent=0.5,
        aligned=({}, {"tree": "honaker", "bonus": "calibrated"}, {"tree": "kary"}),
    ),
    "dp_se": arms(
        trillion=True, fed=({"beta": 1.0},), fed_rounds=20_000, aligned=({"beta": 1.0},),
    ),
    "adap_ucb": arms(other={"alpha": 2.0}, trillion=True, fed_rounds=2500),
    "adap_klucb": arms(trillion=True, fed_rounds=2500),
    "adac_ucb": arms(trillion=True, fed=({}, {"beta": 1.0}), fed_rounds=2500),
    "adar_ucb": arms(
        trillion=True, fed_rounds=2500, fed=({}, {"order": 1.5, "beta": 1.0}, {"order": 30}),
        aligned=({}, {"order": 30}),
    ),
    "dp_klucb": arms(trillion=True, fed=FED_PHASES, aligned=FED_PHASES),
    "dp_imed": arms(trillion=True, fed=FED_PHASES, aligned=FED_PHASES),
    "ts": arms(other=OTHER_MEANS, all_played=math.inf),
    "lazy_dp_ts": arms(fed=LOGS),
    "dp_ts": arms(fed=LOGS, fed_rounds=2500, hides=False, spent=0.5),
    "anytime_lazy_ucb": arms(trillion=True, fed=LOGS, fed_rounds=6000),
    "dist_dp_se": arms(
        encoded(0.3, p=0.5, batches="quadrupled"), trillion=True, fed_rounds=8000,
        fed=({"p": 0.1}, {"p": 1.0, "batches": "quadrupled"}),
    ),
    "dist_rdp_se": arms(
        encoded(0.3, p=0.5, batches="quadrupled"), trillion=True, fed_rounds=8000,
        fed=({"p": 0.1}, {"p": 1.0, "batches": "quadrupled", "s": 2.5}),
    ),
    "shuffle_se": arms(
        encoded(0.3, "long", p=0.5, trust="shuffler", delta=0.01),
        encoded(0.3, p=0.5, trust="server", delta=0.01), encoded(2.0, p=0.9, trust="nobody"),
        exactly=("dyadic",), trillion=True, short={"p": 0.5}, fed_rounds=8000,
        options=({}, {"trust": "server"}, {"trust": "nobody"}),
        fed=({"p": 0.1}, {"p": 1.0, "delta": 0.01}, {"p": 1.0, "trust": "server"}),
        aligned=({"p": 1.0}, {"p": 1.0, "trust": "server"}, {"p": 1.0, "trust": "nobody"}),
    ),
    "heldp_ucb_l": arms(fed=FED_CROWDS),
    "heldp_ucb_ls": arms(spec=LOOP_OF_NORMAL, fed=FED_CROWDS),
    "heldp_ucb_b": arms(other={"eps": 1.2}, fed=FED_CROWDS),
    "heldp_ucb_bs": arms(spec=LOOP_OF_NORMAL, fed=FED_CROWDS),
    "ncb": arms(other=OTHER_MEANS, all_played=math.inf),
    "gdp_ncb": arms(
        all_played=math.inf,
        fed=tuple({"c": 0.5, "repair": r, "alpha": a} for r in REPAIRS for a in (0.01, 3.1)),
    ),
    "ldp_ncb": arms(all_played=math.inf, fed=({"c": 0.5}, {"c": 0.1, "alpha": 0.01})),
    "robust_ucb": heavy(spec=LOOP_OF_PARETO, T=1000, other={"u": 0.1}),
    "dpr_ucb": heavy(
        spec=LOOP_OF_PARETO, short={"c": 1}, looped={"c": 0.5}, other={"eps": 10.0}, hides=False,
        largest=1e9,  # at an infinite one nothing is truncated, and calibrated indices are infinite
        options=({}, *COUNTERS), spent=0.5,
        aligned=({}, {"tree": "honaker"}, {"tree": "kary", "bonus": "calibrated"}),
        fed=(
            OF_DPR_UCB, {"c": 0.02, "u": 3.0, "v": 1.0}, {"c": 0.3, "u": "auto", "v": 0.7},
            *(OF_DPR_UCB | x for x in FED_COUNTERS),
        ),
    ),
    "dpr_se": heavy(
        short={"c": 1}, eliminates=True, trillion=True, fed_rounds=10_000,
        fed=(
            {"c": 3, "u": 0.5, "v": 0.5, "beta": 1.0}, {"c": 4, "u": 0.3, "v": 1.0},
            {"c": 0.4, "u": "auto", "v": 0.7},
        ),
    ),
    "ldpr_se": heavy(
        short={"c": 0.2}, eliminates=True, trillion=True, fed_rounds=6000,
        fed=(
            {"c": 0.2, "u": 1.0, "v": 0.5, "beta": 1.0}, {"c": 0.4, "u": 2.0, "v": 1.0},
            {"c": 0.05, "u": "auto", "v": 0.7}, {"c": 2, "u": 0.3, "v": 1.0},
        ),
    ),
    "ctl_ucb": heavy(*of_signs("rewards"), all_played=200, fed=FED_SIGNS, fed_rounds=2000),
    "ltc_ucb": heavy(*of_signs("reports"), all_played=200, fed=FED_SIGNS, fed_rounds=2000),
    "prae_r": heavy(
        foul(0.5, 100, 2, 1, 0), all_played=9, eliminates=True, trillion=True,
        fixed_rounds=10_000, fed_rounds=12_000,
        aligned=({}, {"alpha1": 0.1, "constants": "explicit", "forced": "round"}),
        aligned_until=(128, 1024),  # beyond the forced phase
        fed=(
            {"alpha1": 0.1}, {"alpha1": 0.0, "k": 3},
            {"alpha1": 0.05, "constants": "explicit", "forced": "round"},
            {"alpha1": 0.0, "constants": "explicit", "k": 2.5, "delta": 0.5},
            {"alpha1": 0.3, "forced": "round"},
        ),
    ),
    "prae_c": heavy(
        foul(0.2, 150, 3, 1.5, 0, **PRAE_C), other={"eps": 0.02}, short=PRAE_C,
        all_played=math.inf, eliminates=True,
        trillion=True, fixed_rounds=10_000, fed_rounds=20_000,
        aligned=({}, {"alpha1": 0.0, "k": 3, "forced": "round"}),
        fed=(
            PRAE_C | {"alpha1": 0.1},
            PRAE_C | {"alpha1": 0.0, "k": 3, "forced": "round", "c1": 6},
            PRAE_C | {"alpha1": 0.02, "constants": "explicit", "delta": 0.5},
            PRAE_C | {"alpha1": 0.0, "constants": "explicit", "c1": "provable"},
            PRAE_C | {"alpha1": 0.01, "k": 4, "c1": "provable", "delta": 0.5, "forced": "round"},
        ),
    ),
}
# fmt: on

# Arms with features


def features(x, theta, noise="sign", sigma=1.0):
    given = {"features": np.asarray(x).tolist(), "theta": np.asarray(theta).tolist()}
    return {"law": "linear", "noise": noise, "sigma": sigma} | given


def sphere(instance, K=6, d=3):
    """Return actions on a sphere whose rewards have hardly any noise."""
    x = np.random.default_rng([instance, 77]).standard_normal((K + 1, d))
    x /= np.linalg.norm(x, axis=1)[:, None]
    return features(x[1:], x[0], "gaussian", 1e-9)


def edge(d, more):
    """Return actions, one of which has a gap that is ``more`` above 2 beta in phase 2, so that the
    noise decides whether it is kept.
    """
    x = (0.4 - more) / 0.9
    actions = np.eye(d + 1, d)
    actions[d, :2] = x, math.sqrt(1 - x * x)
    actions[1, :2] = 0, -1
    return features(actions, 0.9 * np.eye(d)[0])


def mutants(*names):
    return tuple({"mutant": name} for name in names)


def phased(d, more, delta, eps=math.inf, *wrong, noise=None, tier="slow"):
    """Return games of phased elimination. The reference has more runs if one number decides and
    errors must be noticed.
    """
    own = {"delta": delta} | ({"noise": noise} if noise else {})
    return Game(
        spec=edge(d, more), T=250_000, eps=eps, own=own, tier=tier,
        runs=1500 if wrong else 400, of_package=2000, mutants=mutants(*wrong),
    )  # fmt: skip


def shuffled(d, more, eps, *wrong, tier="slow"):
    own = {"p": 0.001, "delta": 1e-5}
    return Game(
        spec=edge(d, more), T=250_000, eps=eps, own=own, tier=tier, runs=400, of_package=2000,
        mutants=mutants(*wrong),
    )  # fmt: skip


def lengths(eps, *wrong):
    """Return games that compare the lengths of phases: noise is far below the width at which
    actions are kept.
    """
    return tuple(
        Game(spec=sphere(i), T=250_000, eps=eps, runs=1, mutants=mutants(*(() if i else wrong)))
        for i in range(6)
    )


# fmt: off
ROWS |= {
    "gope": Row(
        trillion=True, exactly=lengths(math.inf, "floor", "delta_l", "ln"),
        in_law=(
            phased(2, 0.03, 0.001, math.inf, "delta_l", "ln"),
            phased(3, 0.02, 0.1, tier="fast"), phased(4, -0.02, 0.001), phased(2, -0.03, 0.5),
        ),
    ),
    "shuffle_gope": Row(
        short={"p": 0.5}, aligned=({"p": 0.5},), aligned_at=(0.5, 2.0),
        aligned_until=(512, 2000),
        in_law=(
            shuffled(2, 0.03, 1.0, "delta_l", "width", "h", tier="long"),
            shuffled(3, -0.02, 0.5),
            shuffled(2, 0.01, 0.2, tier="long"), shuffled(4, -0.03, math.inf),
        ),
    ),
    "adac_gope": Row(
        options=({}, {"noise": "sums"}), trillion=True, exactly=lengths(1000.0, "root"),
        aligned=({"delta": 0.5}, {"delta": 0.5, "noise": "sums"}), aligned_at=(0.5, 8.0),
        aligned_until=(512, 1000), spent=0.9,  # of a phase, or of several
        in_law=(
            phased(2, 0.01, 0.001, 1e-4, "delta_l", noise="middle"),
            phased(3, 0.01, 0.001, 1e-3, noise="middle", tier="fast"),
            phased(4, 0.01, 0.1, 1e-2, noise="middle"),
            phased(2, -0.03, 0.001, 1.0, "root", noise="middle"),
            phased(2, 0.01, 0.001, 1e-4, "delta_l", "half", noise="sums"),
            phased(3, 0.01, 0.001, 1e-3, noise="sums"),
            phased(4, 0.01, 0.1, 1e-2, noise="sums"),
            phased(2, -0.03, 0.001, 1.0, "root", noise="sums"),
        ),
    ),
}
# fmt: on

# Contexts

BALL = {
    "law": "contextual", "K": 5, "theta": [0.6, -0.6, 0.5], "center": [0.3, 0.3, 0.3],
    "variance": 0.04, "ball": True, "noise": "sign", "sigma": 1.0, "instance": 0,
}  # fmt: skip
NORMAL = BALL | {"K": 3, "center": [0.0] * 3, "variance": 0.2, "ball": False, "noise": "gaussian"}
# Contexts of length 1 would tie in the first rounds: few are as long
PLANE = BALL | {"K": 8, "theta": [0.3, 0.9], "center": [0.0, 0.5]}
LINE = BALL | {"K": 2, "theta": [1.0], "center": [0.1], "variance": 0.1}
DISC = PLANE | {"center": [0.0, 0.2]}  # no context is as long
SPACE = BALL | {"theta": [0.5, -0.5, 0.4, -0.3, 0.2], "center": [0.2] * 5}
SPHERE = BALL | {"theta": [0.8, 0.6], "center": [0.0] * 2, "variance": 1.0, "contexts": "sphere"}
LOGISTIC = LINE | {"link": "logistic"}


def shared(spec, eps, *wrong, T=1000, **own):
    """Return games in which package and reference have the same random numbers."""
    return Game(spec=spec, T=T, eps=eps, own=own, mutants=mutants(*wrong))


def optimism(first, *wrong, **own):
    """Return games in all environments; the first game must notice errors."""
    rest = (shared(spec, first, **own) for spec in (NORMAL, PLANE, LINE))
    return shared(BALL, first, *wrong, **own), *rest


def greedy(spec, eps, *wrong, **own):
    return Game(
        spec=spec, T=150, eps=eps, own=own, runs=1500, of_package=1500, mutants=mutants(*wrong),
        tier="slow",
    )  # fmt: skip


PRINTED = {"calibration": "printed"}
# fmt: off
ROWS |= {
    "lin_ucb": Row(exactly=optimism(math.inf, "lam", "ln", "root", "contexts")),
    "rs_oful": Row(exactly=optimism(math.inf, "C", "lam", C=1.0)),
    "adac_oful": Row(
        options=({}, {"bonus": "eigenvalue"}), aligned=({}, {"bonus": "eigenvalue"}),
        aligned_at=(0.5, 8.0), spent=0.9,
        exactly=(
            *optimism(30.0, "lam", "l", "root", "contexts", "C", "ln", C=1.0, bonus="eigenvalue"),
            *optimism(300.0, "l", "C", C=0.3, bonus="printed", lam_0=2.0),
        ),
    ),
    "private_lin_ucb": Row(
        options=({}, PRINTED, {"noise": "wishart"}), aligned=({}, PRINTED),
        aligned_at=(1.0, 1e5), spent=0.85,  # at the second budget actions depend on the rewards
        exactly=(
            shared(BALL, 300.0, "m", "ln 2", "shift", "gamma", "twice", **PRINTED),
            shared(PLANE, 100.0, "m", "ln 4", "shift", "gamma", noise="wishart"),
            shared(LINE, 3000.0, noise="wishart"),
            shared(LINE, 300.0, "m"),
            shared(NORMAL, 1.0, "twice"),
            shared(BALL, 1.0, **PRINTED),
        ),
    ),
    "fed_lin_ucb": Row(
        options=({}, {"silos": 3.0}), aligned=({}, {"silos": 3.0}),
        aligned_at=(1.0, 1e5), spent=0.85,
        exactly=(
            shared(BALL, 300.0, "half", "schedule", "M", "m", "T", silos=3.0),
            shared(SPACE, 300.0, "half", "schedule", "M", "T", silos=10.0),
            shared(DISC, 10.0, "half", "m", "T", silos=1.0),
            shared(LINE, math.inf, "schedule", silos=3.0),
            shared(NORMAL, 1.0, silos=10.0), shared(DISC, 1e3, T=40, silos=40.0),
        ),
    ),
    "ldp_lin_ucb": Row(
        options=(PRINTED, {"variant": "coded"}),
        aligned=(PRINTED, {"variant": "coded"} | PRINTED, {}),
        aligned_at=(1.0, 1e5), spent=0.85,
        exactly=(
            shared(BALL, 1.0, **PRINTED),
            shared(BALL, 1e4, "root", "sigma", "shift", variant="coded", **PRINTED),
            shared(PLANE, 1e3, "twice", "c", "root"),
            shared(LINE, 300.0, variant="coded"),
            shared(NORMAL, 1e5, variant="coded", **PRINTED),
        ),
    ),
    "ldp_sgd": Row(
        aligned=({}, {"link": "logistic"}), aligned_at=(0.5, 3.0),
        spent=0.3,  # few gradients are as long as R
        in_law=(
            greedy(SPHERE, 4.0, "half", "d"), greedy(PLANE, 3.0, "project", "link"),
            greedy(BALL, 8.0),
            greedy(LOGISTIC, 4.0, link="logistic"), greedy(LINE, 4.0, link="logistic"),
        ),
    ),
    "ldp_ols": Row(
        aligned=(PRINTED, {}), aligned_at=(0.5, 3.0), spent=0.8,
        exactly=(  # W: the noise of x x^T without its factor 2; s: half of all noise
            shared(SPHERE, 300.0, "W", "s", "shift", T=300, **PRINTED),
            shared(BALL, 300.0, T=300, **PRINTED),
            shared(LINE, 10.0, T=300, **PRINTED), shared(PLANE, 300.0, T=300),
        ),
        in_law=(greedy(LINE, 10.0, "shift", "s", **PRINTED),),
    ),
}
# fmt: on

# Labelled users

IRIS = {"law": "labels", "source": "sklearn:iris"}
CANCER = {"law": "labels", "source": "sklearn:breast_cancer", "features": ["mean area"]}
QUADRATIC, RIDGE = {"loss": "quadratic"}, {"ridge": 0.001}


def users(eps, *wrong, runs=120, T=150, spec=IRIS, of_package=2000, tier="long", **own):
    """Return a game with users whose laws are compared."""
    return Game(
        spec=spec, T=T, eps=eps, own=RIDGE | own, runs=runs, of_package=of_package,
        mutants=mutants(*wrong), tier=tier,
    )  # fmt: skip


def exact_fits(*wrong, **own):
    """Return games without noise, with the same random numbers, for each loss."""
    own = RIDGE | own
    return (
        shared(IRIS, math.inf, *wrong, "cumulative", T=150, **own),
        shared(CANCER, math.inf, T=100, **own),
        shared(IRIS, math.inf, "ridge", T=100, **own | QUADRATIC),
    )


# fmt: off
GAPS = {"g": 10.0, "r": 0.5}
ROWS |= {
    "square_cb": Row(
        options=({}, QUADRATIC, PRINTED), exactly=exact_fits("r", "K", "sign", **GAPS),
        in_law=(
            users(30.0, "cumulative", **GAPS), users(1000.0, **GAPS | QUADRATIC),
            users(30.0, "tenth", g=300.0, r=0.5, **PRINTED), users(4.0, spec=CANCER, **GAPS),
        ),
    ),
    "vpo": Row(
        options=({}, QUADRATIC, PRINTED), exactly=exact_fits("k", eta0=4.0),
        in_law=(
            users(30.0, "tenth", "cumulative", eta0=4.0),
            users(1000.0, "tenth", eta0=4.0, **QUADRATIC),
            users(60.0, eta0=2.0, **PRINTED), users(4.0, spec=CANCER, eta0=8.0),
        ),
    ),
    "bpo": Row(
        options=({}, QUADRATIC, PRINTED), exactly=exact_fits("bonus", "after", eta=0.1, gamma=0.1),
        in_law=(
            users(30.0, "tenth", "cumulative", eta=0.1, gamma=0.1),
            users(1000.0, "tenth", eta=0.1, gamma=0.1, **QUADRATIC),
            users(60.0, eta=0.5, gamma=0.3, **PRINTED),
            users(4.0, spec=CANCER, eta=0.1, gamma=0.0),
        ),
    ),
    "fast_cb": Row(
        options=({}, PRINTED), exactly=exact_fits("low", **GAPS)[:2],
        in_law=(
            users(30.0, "tenth", "cumulative", **GAPS), users(60.0, g=1.0, r=0.7),
            users(60.0, **GAPS | PRINTED), users(4.0, spec=CANCER, **GAPS),
        ),
    ),
    "reg_cb": Row(
        options=({}, QUADRATIC, PRINTED), exactly=exact_fits("w", w=3.0),
        in_law=(
            users(60.0, "tenth", w=0.3), users(1000.0, w=0.3, **QUADRATIC),
            users(100.0, w=0.1, **PRINTED), users(8.0, spec=CANCER, w=0.3),
        ),
    ),
    "ada_cb": Row(
        options=({}, QUADRATIC, PRINTED), exactly=exact_fits("all", w=3.0, **GAPS),
        in_law=(
            users(60.0, "tenth", w=0.3, **GAPS),
            users(1000.0, w=0.3, **GAPS | QUADRATIC),
            users(100.0, w=0.1, **GAPS | PRINTED), users(8.0, spec=CANCER, w=0.3, **GAPS),
        ),
    ),
    "oracle_ucb": Row(
        options=({}, QUADRATIC, PRINTED), exactly=exact_fits("square", c=0.3),
        in_law=(
            users(60.0, "tenth", c=0.3), users(1000.0, c=0.3, **QUADRATIC),
            users(100.0, c=0.1, **PRINTED), users(8.0, spec=CANCER, c=0.3),
        ),
    ),
    "uniform_play": Row(exactly=(shared(IRIS, math.inf, T=150),)),
    "best_constant": Row(exactly=(shared(CANCER, math.inf, "worst", T=300),)),
    "supervised": Row(
        options=({}, QUADRATIC),
        exactly=(
            shared(IRIS, math.inf, "ridge", T=150), shared(CANCER, math.inf, T=300),
            shared(IRIS, math.inf, "ridge", T=150, **QUADRATIC),
            shared(CANCER, math.inf, T=300, **QUADRATIC),
        ),
    ),
}
# fmt: on

# Stopping rules


def sign(mean, scale=1.0):
    return {"law": "sign", "mean": mean, "scale": scale}


def near(mean, seed, R=1.0, T=6000):
    """Return fixed rewards in [-R, R], with about this mean, for two similar arms."""
    x = np.clip(np.random.default_rng(seed).normal(mean, 0.5 * R, (T, 1)), -R, R)
    return table(np.tile(x, 2))


# cases in which the rules halt within some thousand samples: eps, a, beta, R, mean
HALT = [
    (2.0, 0.5, 0.1, 1.0, 0.6),
    (0.3, 0.9, 0.3, 1.0, -0.7),
    (5.0, 0.3, 0.02, 2.5, 1.5),
    (math.inf, 0.5, 0.05, 1.0, 0.4),
    (3.0, 0.2, 0.05, 1.0, -9.0),  # every sample is -R: no sum moves faster
]


def of_means(**known):
    own = {"rel_error": 0.9, "beta": 0.4, "R": 1.0}
    return Row(
        short={"rel_error": 0.6, "beta": 0.05, "R": 1.0},
        aligned_at=(20.0,),
        aligned_until=(64, 512),
        exactly=tuple(
            Game(
                spec=near(mean, seed, R), T=6000, eps=eps,
                own={"rel_error": a, "beta": beta, "R": R},
            )
            for (eps, a, beta, R, mean), seed in itertools.product(HALT, range(4))
        ),
        in_law=(
            Game(
                spec=sign(0.8), T=10_000, eps=1.0, own=own, runs=400, of_package=1200,
                other={"beta": 0.1}, tier="slow",
            ),
        ),
        **known,
    )  # fmt: skip


ROWS |= {
    "nas": of_means(),
    "dp_nas": of_means(),
    "dp_nas_exp": of_means(to_cap=False),
}

# Rules that name the best arm

BEST = {2: bernoulli(0.3, 0.9), 3: bernoulli(0.95, 0.5, 0.2), 4: bernoulli(0.1, 0.8, 0.75, 0.2)}


def best(*games, **own):
    """Return games for (arms, eps, delta) without an error of the reference."""
    return tuple(
        Game(
            spec=BEST[K], T=2000 if K == 2 else 5000, eps=eps, own={"delta": delta} | own, runs=60,
            of_package=2000,
        )
        for K, eps, delta in games
    )  # fmt: skip


def error(wrong, K, eps, delta, T, runs, **own):
    """Return a game in which an error of the reference must be noticed."""
    return Game(
        spec=BEST[K], T=T, eps=eps, own={"delta": delta} | own, runs=runs, of_package=2000,
        mutants=(wrong,), tier="slow",
    )  # fmt: skip


def steady(*games, eps=1e9, **own):
    """Return games for (means, delta, cap) whose rewards are the means, with hardly any noise."""
    return tuple(
        Game(spec=table(np.tile(means, (T, 1))), T=T, eps=eps, own={"delta": delta} | own)
        for means, delta, T in games
    )


STEADY = (
    ([0.31, 0.87], 0.2, 3000),
    ([0.93, 0.52, 0.21], 0.1, 4000),
    ([0.12, 0.81, 0.33, 0.2], 0.01, 5000),
    ([0.5, 0.6, 0.1], 0.3, 2000),  # at the cap without an answer
)
TRACKED = (
    error({"noise": 0.5}, 3, 1.0, 0.1, 60, 600),
    error({"late": 1}, 3, 50.0, 0.1, 25, 1000),
    error({"bonus": 3}, 3, 5.0, 0.1, 60, 300),
)
# fmt: off
ROWS |= {
    "adap_tt": Row(
        short={"delta": 0.01}, options=({}, {"variant": "coded"}), exactly=steady(*STEADY),
        in_law=(
            *best((2, 5.0, 0.2), (3, 1.0, 0.1), (3, 0.3, 0.3), (2, 0.05, 0.3)),
            *best((2, 5.0, 0.2), (3, 1.0, 0.1), (4, 0.3, 0.3), (2, 0.05, 0.3), variant="coded"),
            *TRACKED,
            error({"noise": 0.5}, 3, 1.0, 0.1, 60, 300, variant="coded"),
            error({"late": 1}, 4, 50.0, 0.1, 20, 2500, variant="coded"),
            error({"coin": 0.7}, 3, 50.0, 0.1, 25, 200, variant="coded"),
        ),
    ),
    "adap_tt_star": Row(
        short={"delta": 0.01}, exactly=steady(*STEADY),
        in_law=(*best((2, 5.0, 0.2), (3, 1.0, 0.1), (3, 0.3, 0.3), (2, 0.1, 0.3)), *TRACKED),
    ),
    "tt_ucb": Row(
        short={"delta": 0.01}, exactly=steady(*STEADY),
        in_law=(
            *best((2, 1.0, 0.3), (3, 1.0, 0.1), (3, 1.0, 0.01), (2, 1.0, 0.01)),
            error({"bonus": 25}, 3, 1.0, 0.1, 10**4, 80),
            error({"factor": 1.7}, 2, 1.0, 0.3, 4000, 120),
        ),
    ),
    "ctb_tt": Row(
        short={"delta": 0.01},
        in_law=(
            *best((2, 5.0, 0.3), (3, 2.0, 0.1), (3, 3.0, 0.01), (2, 1.0, 0.3)),
            error({"noise": 0.5}, 3, 2.0, 0.1, 10**4, 80),
            error({"factor": 1.7}, 2, 5.0, 0.3, 4000, 250),
        ),
    ),
    "nprr_ab": Row(
        short={"delta": 0.01}, all_played=math.inf,
        options=({}, {"grid": 3}, {"assignment": "hidden"}), aligned=({}, {"grid": 4}),
        in_law=(
            *best((2, 5.0, 0.3), (2, 3.0, 0.1)), *best((2, 5.0, 0.3), grid=2.0),
            *best((2, 5.0, 0.3), assignment="hidden"),
            error({"kept": 0.8}, 2, 3.0, 0.2, 2000, 300),
            error({"whole": True}, 2, 5.0, 0.2, 900, 300),
            error({"coin": 0.7}, 2, 5.0, 0.2, 900, 200),
            error({"kept": 0.8}, 2, 5.0, 0.2, 1500, 250, grid=3.0),
            error({"whole": True}, 2, 5.0, 0.2, 1500, 300, assignment="hidden"),
        ),
    ),
    "dp_se_bai": Row(
        short={"delta": 0.01}, to_cap=False, exactly=steady(*STEADY),
        in_law=(
            *best((2, 5.0, 0.2), (3, 1.0, 0.1), (3, 0.2, 0.3), (2, 0.05, 0.3)),
            error({"late": 1}, 2, 5.0, 0.2, 4000, 80),
            error({"noise": 20}, 3, 0.2, 0.3, 10**4, 300),
        ),
    ),
}
# fmt: on

# Tests of hypotheses


def hypotheses(mu0, mu1, eps, mean, *wrong, **factors):
    own = {"mu0": mu0, "mu1": mu1, "alpha": 0.05, "beta": 0.1} | factors
    return Game(
        spec=bernoulli(mean), T=10**6, eps=eps, own=own, runs=200, of_package=1500, mutants=wrong,
        tier="slow",
    )  # fmt: skip


ROWS |= {
    "dp_sprt": Row(
        aligned=({}, {"c1": 0.5, "c2": 0.0}),
        short={"mu0": 0.49, "mu1": 0.51, "alpha": 0.05, "beta": 0.1},
        in_law=(
            hypotheses(0.3, 0.7, 1.0, 0.3, {"noise": 0.5}, {"shift": 40}),
            hypotheses(0.3, 0.7, 0.1, 0.7),
            hypotheses(0.45, 0.55, 5.0, 0.5),
            hypotheses(0.2, 0.5, 3.0, 0.6),
            hypotheses(0.45, 0.55, 5.0, 0.45, {"c1": 1}, {"c2": 1}, c1=0.5, c2=0.25),
        ),
    ),
}

# What rows of a kind have in common


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What an algorithm or a rule plays, and the environments in which it is played."""

    played: dict  # environments in which every round is checked
    compared: dict  # environments in which machine code is compared with plain Python
    rounds: int = 700  # rounds of a comparison, for algorithms that play round by round
    blocks: int = 700  # rounds of a comparison, for algorithms that play in blocks
    fast: int | None = None  # how many pairs of a row and an environment are fast; None for all


CONTEXTUAL = {"K": 4, "center": [0.3, 0.3], "variance": 0.2, "theta": None}
OF_FEATURES = {
    "sphere": {"law": "linear_sphere", "K": 5, "d": 3, "instance": 0, "noise": "sign", "sigma": 1},
    "identical": features([[0.6, 0.8]] * 3, [0.5, 0.5]),
    "a line": features([[1, 1], [0.5, 0.5], [-1, -1]], [0.3, 0.4], "gaussian"),
    "nothing": features([[0, 0], [0, 0]], [0.3, 0.4]),
    "one dimension": features([[1], [-0.5]], [0.9]),
}
OF_CONTEXTS = {
    "contextual": BALL | CONTEXTUAL,
    "normal": NORMAL | CONTEXTUAL | {"K": 3},
    "one number": BALL | CONTEXTUAL | {"K": 2, "center": [0.1]},
    "still": BALL | CONTEXTUAL | {"K": 2, "center": [0.6, 0.6], "variance": 0.0},
}
OF_USERS = {
    "iris": IRIS | {"passes": 7},
    "one feature": CANCER | {"passes": 2},
}
UNIFORM = {"law": "uniform", "low": -0.2, "high": 1.0}
OF_ONE_ARM = {
    "sign": sign(-0.6),
    "bernoulli": bernoulli(0.7, 0.1),
    "uniform": {"law": "mixed", "arms": [UNIFORM, UNIFORM]},
    "table": near(0.6, 3, T=20_000),
}
TIED = {"tied": bernoulli(0.5, 0.5, 0.5)}
KINDS = {
    ARMS: Kind(
        played={"bernoulli": C2},
        compared={
            "bernoulli": C2,
            "twopoint": {"law": "twopoint_heavy", "means": [0.7, 0.5], "v": 1.0, "g": 1.2},
            "table": table(np.random.default_rng(5).random((700, 3))),
        },
    ),
    FEATURES: Kind(
        played=OF_FEATURES,
        compared=OF_FEATURES,
        blocks=100_000,
        fast=1,
    ),
    CONTEXTS: Kind(played=OF_CONTEXTS, compared=OF_CONTEXTS, fast=1),
    USERS: Kind(played=OF_USERS, compared=OF_USERS, fast=1),
    STOPPING.name: Kind(played={"nothing": sign(0.0)}, compared=OF_ONE_ARM, blocks=20_000),
    BEST_ARM.name: Kind(
        played=TIED,
        compared={"bernoulli": BEST[3], "table": table([[0.3, 0.8]] * 5000)},
        blocks=5000,
    ),
    HYPOTHESES.name: Kind(
        played={"between": bernoulli(0.5)}, compared={"bernoulli": bernoulli(0.3)}, blocks=5000
    ),
}


def kind_of(name):
    found = algorithm(name)
    return KINDS[found.question.name if name in RULES else found.actions]


def short_games(name):
    """Return the parameters of short games; each game uses different code of the algorithm."""
    return [ROWS[name].short | own for own in ROWS[name].options]


def parameters_of(name):
    """Return the parameters of short games, and the parameters in the configuration."""
    short = short_games(name)
    return short if name in RULES or {} in short else [{}, *short]


ALL = [*EVERY, *RULES]

"""What a run prints, which bounds apply and what an audit expects are one promise, that of the
arguments.
"""

import math
from dataclasses import replace

import pytest
from helpers import EVERY, RULES, algorithm, defaults, setting
from refusals import message_of

import dpbandits as dp
from dpbandits.audit.alignment.align import align
from dpbandits.audit.targets.decisions import target_of
from dpbandits.cli.run import _promises
from dpbandits.contracts.guarantees import NOT_PRIVATE, ExactCurve, Guarantee
from dpbandits.contracts.parameters import Named
from dpbandits.contracts.question import ARMS, CONTEXTS, USERS
from dpbandits.theory.bounds import bounds_for
from dpbandits.theory.problem import problem

TWO = {"law": "bernoulli", "means": [0.9, 0.1]}  # as many arms as the games of an audit have
USERS_OF_IRIS = {"law": "labels", "source": "sklearn:iris"}
BUDGET = 0.7
GOAL = {"rel_error": 0.5, "beta": 0.5, "R": 1.0, "delta": 0.5, "mu0": 0.3, "mu1": 0.7, "alpha": 0.4}


def every_option():
    """Every value of every option of every private algorithm and rule, the others at their default;
    values that are not used with it are left out.
    """
    for name in [*EVERY, *RULES]:
        found = algorithm(name)
        if not found.private:
            continue
        yield name, {}
        for option, domain in found.domains.items():
            words = domain.names if isinstance(domain, Named) and domain.others is None else ()
            yield from ((name, {option: word}) for word in words)


CASES = list(every_option())


def played(name, options, **more):
    """The setting of a run of an algorithm."""
    found = algorithm(name)
    env = {ARMS: TWO, CONTEXTS: "contextual", USERS: USERS_OF_IRIS}.get(found.actions, "linear")
    given = {str(found.budget): BUDGET, **more}
    horizon = 100 if found.actions == USERS else 1000
    parts = {"alpha1": 0.1} if name in ("prae_r", "prae_c") else {}
    choice = dp.algorithm(name, **parts, **options)
    return setting(algo=choice, env=env, horizon=horizon, assume=True, **given)


def audited(name, options):
    """What is audited of an algorithm or rule, and what is expected of it."""
    found = algorithm(name)
    own = defaults(name) | options | ({k: GOAL[k] for k in found.question.goal_names})
    numbers = {k: x for k, x in own.items() if not isinstance(x, str)} | options
    return target_of(found, BUDGET, own | numbers)


def in_words(name, options):
    """The promise that a run prints."""
    if name in RULES:
        return f"{name}: {algorithm(name).promise(audited(name, options).numbers)}"
    words, *_ = _promises([played(name, options)])  # then notes of the environment
    return words


def start_of(name, promised: Guarantee, target):
    """How the words begin that print a promise, from what an audit expects."""
    values = target.numbers | {"rho": target.promised**2 / 2}
    if promised.notion == "none":
        return f"{name}: not private"
    if promised.gaussian is None:
        return f"{name}: {target.promised:g}-{promised.notion} DP of {promised.hides}"
    if isinstance(promised.gaussian, ExactCurve):
        return f"{name}: ({BUDGET}, {values['delta']:g})-{promised.notion} of {promised.hides}"
    loss = {
        "rho": f"{values['rho']:.4g}",
        "order": f"({values.get('order', 0):g}, {values['rho'] * values.get('order', 0):.4g})",
        "eps": f"(order, {values['rho']:.4g} order)",
    }[promised.letters[0]]
    return f"{name}: {loss}-{promised.notion} of {promised.hides}"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_print_bounds_and_audit_have_one_promise(name, options):
    target = audited(name, options)
    promised, words = target.guarantee, in_words(name, options)
    assert words.startswith(start_of(name, promised, target)), words
    if name in RULES:
        return
    about = problem(played(name, options).record)
    if promised.gaussian is None:
        assert about.pure and about.eps == pytest.approx(target.promised)
        assert about.at(eps=2 * BUDGET).eps == pytest.approx(2 * target.promised)
    else:
        assert not about.pure
    lower = {b.source for b in bounds_for(about)[0] if b.side == "lower"}
    assert about.pure or not any("Azize & Basu 2022" in source for source in lower)


WRONG = {  # options whose promise differs from that of the others, and what is wrong without it
    "gdp_ncb": {"repair": "none"},
    "dp_ucb": {"tree_budget": "split"},
    "private_lin_ucb": {"noise": "wishart"},
}


@pytest.mark.parametrize("name", WRONG)
def test_the_promise_of_an_option_is_not_that_of_the_others(name):
    """The control: without what is said of the option the promise would be another one."""
    found = algorithm(name)
    target = audited(name, WRONG[name])
    careless = replace(target, source=replace(found, guarantee=replace(found.guarantee, unless=())))
    assert (careless.promised, careless.gaussian) != (target.promised, target.gaussian)
    usual = audited(name, {})
    assert (usual.promised, usual.gaussian) == (careless.promised, careless.gaussian) or (
        name == "private_lin_ucb"
    )


def test_gdp_ncb_as_coded_promises_nothing():
    found = played("gdp_ncb", {"repair": "none"})
    assert found.guarantee == NOT_PRIVATE and found.record["loss"] is None
    about = problem(found.record)
    assert about.eps == math.inf
    lower = [b.value(about) for b in bounds_for(about)[0] if b.side == "lower"]
    free = problem(played("gdp_ncb", {}, eps=1e9).record)
    assert lower == pytest.approx([b.value(free) for b in bounds_for(free)[0] if b.side == "lower"])
    assert "the algorithm promises no privacy" in message_of(
        dp.audit, algo=dp.algorithm("gdp_ncb", repair="none"), eps=1.0
    )


@pytest.mark.slow
@pytest.mark.parametrize("trees", ["split", "whole"])
def test_trees_spend_what_is_promised_of_their_number_of_arms(trees):
    """A promise of the K-th part of the budget is kept, and most of it is spent."""
    own = defaults("dp_ucb") | {"tree_budget": trees}
    for K, promised in ((2, BUDGET / 2), (5, BUDGET / 5)):
        env = {"law": "bernoulli", "means": [0.9] + [0.1] * (K - 1)}
        found = setting(algo=dp.algorithm("dp_ucb", tree_budget=trees), env=env, eps=BUDGET)
        assert found.record["loss"] == pytest.approx(promised if trees == "split" else BUDGET)
    found = align(target_of(algorithm("dp_ucb"), BUDGET, own), 20)
    assert found.holds and 0.6 < found.spent <= 1 + 1e-9
    less = {"whole": 0.5, "split": 0.4}[trees]  # of K: the control
    alone = replace(algorithm("dp_ucb").guarantee, unless=(), epsilon=lambda v: less * v["eps"])
    careless = replace(algorithm("dp_ucb"), guarantee=alone)
    assert not align(target_of(careless, BUDGET, own), 20).holds


def test_users_levels_are_printed_with_their_largest():
    line = {"env": TWO, "algo": "heldp_ucb_l", "eps_min": 1.0}
    [mixed] = _promises([setting(population="uniform_levels", **line)])
    assert mixed.startswith("heldp_ucb_l: eps-local DP of each user's response")
    assert mixed.endswith("the levels of these users are at most 100")
    [alike] = _promises([setting(env=TWO, algo="heldp_ucb_l", eps=0.5)])
    assert alike.startswith("heldp_ucb_l: 0.5-local DP") and "levels" not in alike


def test_a_sweep_of_an_option_prints_each_promise():
    both = [played("gdp_ncb", {"repair": word}) for word in ("fresh", "none")]
    fresh, none = _promises(both)
    assert fresh.startswith("gdp_ncb: 0.7-global DP") and none == "gdp_ncb: not private"


@pytest.mark.parametrize(("noise", "refused"), [("wishart", True), ("gaussian", False)])
def test_a_swept_option_that_is_not_used_is_refused(noise, refused):
    given = {"algo": "private_lin_ucb", "noise": noise, "calibration": ["printed", "exact"]}
    given |= {"env": "contextual", "eps": 1.0, "horizon": 10}
    if refused:
        line = "algo.calibration=exact: private_lin_ucb does not use calibration with noise=wishart"
        assert line in message_of(dp.run, **given)
    else:
        assert len(dp.run(**given)["calibration"].unique()) == 2


IRIS = {"algo": "reg_cb", "env": dp.labelled("sklearn:iris")}
CALIBRATED = {"bonus": "calibrated", "horizon": 10}
NOBODY = {"algo": "shuffle_se", "trust": "nobody", "horizon": 10}
IDLE = [
    (IRIS | {"loss": "quadratic", "calibration": "printed"}, "calibration with loss=quadratic"),
    (CALIBRATED | {"algo": "dp_ucb", "gamma": 0.05}, "gamma with bonus=calibrated"),
    (CALIBRATED | {"algo": "dpr_ucb", "c": 18.0}, "c with bonus=calibrated"),
    (CALIBRATED | {"algo": "dpr_ucb", "c": "practical"}, "c with bonus=calibrated"),
    (NOBODY | {"delta": 1e-3}, "delta with trust=nobody"),
    (NOBODY | {"delta": [1e-5, 1e-3]}, "delta with trust=nobody"),
    (NOBODY | {"trust": ["server", "nobody"], "delta": 1e-3}, "delta with trust=nobody"),
]


@pytest.mark.parametrize(("given", "said"), IDLE)
def test_a_value_that_another_option_makes_idle_is_refused(given, said):
    option = said.partition(" ")[0]
    line = message_of(dp.run, **given, eps=1.0)
    assert f"{given['algo']} does not use {said}; leave {option} out" in line


@pytest.mark.parametrize(
    "given",
    [
        IRIS | {"loss": "quadratic", "calibration": "tight"},  # the default
        IRIS | {"loss": "logistic", "calibration": "printed", "delta": 1e-3},
        CALIBRATED | {"algo": "dp_ucb"},
        CALIBRATED | {"algo": "dpr_ucb", "c": "literal"},
        NOBODY,
        NOBODY | {"trust": "server", "delta": 1e-3},
    ],
)
def test_a_default_that_another_option_makes_idle_is_not_refused(given):
    setting(**given, eps=1.0)


@pytest.mark.parametrize("name", ["private_lin_ucb", "ldp_ols", "ldp_lin_ucb"])
def test_noise_with_an_exact_calibration_is_the_default(name):
    assert (
        setting(algo=name, env="contextual", eps=1.0, horizon=10).parameters["calibration"] == 1.0
    )

"""The audit: broken algorithms are caught, sound ones pass, false alarms are as rare as stated."""

import math
import os
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from broken_releases import BROKEN, BROKEN_UNKNOWN, SPLIT_MOMENTS, broken
from helpers import CONF, GAUSSIAN_NOISE, LINEAR, PRIVATE, PRIVATE_RULES, algorithm
from twins.caught import CAUGHT
from twins.plain_no_eps import plain_no_eps

import dpbandits as dp
from dpbandits.audit import findings
from dpbandits.audit.alignment.align import Aligned, align
from dpbandits.audit.exact.release import release_loss
from dpbandits.audit.findings import SampledAudit
from dpbandits.audit.sampling.auditor import audit, in_workers
from dpbandits.audit.targets.decisions import BestArmTarget, RegretTarget
from dpbandits.audit.targets.neighbours import place_of_change
from dpbandits.audit.targets.publishing import LocalRandomizerTarget, ReleaseTarget
from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.compiled import inlined_counted
from dpbandits.contracts.algorithm import from_function
from dpbandits.contracts.alignments import one_release
from dpbandits.contracts.guarantees import global_dp
from dpbandits.contracts.question import BEST_ARM
from dpbandits.errors import WorkersLost
from dpbandits.game import pull, rounds_left
from dpbandits.parts.noise.mechanisms import laplace

BUDGETS = (0.1, 0.5, 1.0, 2.0)


@pytest.mark.slow
def test_a_release_whose_exact_loss_is_too_large_is_violated_though_it_cannot_be_seen():
    @inlined_counted
    def nearly(rng, x, eps, out):
        out[0] = x[0] + laplace(rng, 0.99 / eps)

    found = SampledAudit(ReleaseTarget(broken(nearly), 1.0), runs=2000).row(None)
    assert found["measured"] < 1 < found["exact"] and found["verdict"] == "VIOLATED"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "eps"), [*product(BROKEN, [0.5]), ("weak_laplace", 0.1), ("short_tree", 2.0)]
)
def test_broken_releases_are_caught(name, eps):
    twin, factor = BROKEN[name]
    runs = 1_000_000 if eps < 0.5 else 100_000
    found = audit(ReleaseTarget(twin, eps), runs)
    assert found.violated and found.runs < runs  # stopped early
    assert found.target.promised <= found.measured <= factor * found.target.promised


@pytest.mark.long
@pytest.mark.parametrize("name", BROKEN_UNKNOWN)
def test_broken_releases_without_an_exact_loss_are_caught(name):
    release = ReleaseTarget(BROKEN_UNKNOWN[name], 0.5)
    assert audit(release, runs=100_000).violated
    assert release_loss(release) is None


@pytest.mark.long
def test_moments_that_split_the_budget_pass():
    """The control of the twins ``unsplit_moments``, ``half_moments`` and ``cumulative_moments``."""
    found = audit(ReleaseTarget(SPLIT_MOMENTS, 0.5), runs=100_000)
    assert not found.violated and found.measured > 0.5 * found.target.promised


# Power, and what is right passes


@pytest.mark.slow
@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("name", ["laplace_release", "randomized_response", "gaussian_release"])
def test_nine_tenths_of_the_budget_are_seen(name, eps):
    found = audit(ReleaseTarget(MECHANISMS[name], eps))
    assert 0.9 * found.target.promised <= found.measured <= found.target.promised


@pytest.mark.long
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_pass(name):
    """The committed table has other budgets, too."""
    found = audit(ReleaseTarget(MECHANISMS[name], 1.0), runs=30_000)
    assert not found.violated
    if name.startswith("context"):
        assert found.measured > 0.6 * found.target.promised


MU = ("dist_rdp_se", "modular_sum_of_skellam")  # Skellam noise promises at least that much


def test_the_committed_table_holds_every_private_algorithm_and_nothing_violated():
    page = (CONF.parent / "results" / "audit.md").read_text()
    lines = page.splitlines()[2:]
    rows = [[x.strip() for x in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    linear = [name for name in LINEAR if algorithm(name).private]
    every = {*product([*PRIVATE, *linear], ["algorithm"]), *product(MECHANISMS, ["mechanism"])}
    local = [n for n in [*PRIVATE, *PRIVATE_RULES] if algorithm(n).guarantee.notion == "local"]
    every |= {*product(PRIVATE_RULES, ["rule"]), *product(local, ["response"])}
    found = {(*row[:2], float(row[2].partition(":")[0].split()[-1])) for row in rows}
    needed = {(*x, eps) for x, eps in product(every, BUDGETS)}
    assert found <= needed and len(rows) == len(found)
    assert found == needed
    assert {verdict for *_, verdict in rows} == {"consistent"}
    assert all(float(row[3]) <= float(row[2].split()[-1]) for row in rows)
    shown = {row[0] for row in rows}
    pure = {"ldp_sgd", "shuffle_gope", "vpo", "bpo", "square_cb", "fast_cb"}  # bits, or eps-DP
    gaussian = {*GAUSSIAN_NOISE, *linear, *MU} - pure | {
        "gaussian_release", "gaussian_episode_means", "context_message", "context_matrices",
        "context_silos",
    }  # fmt: skip
    assert {row[0] for row in rows if ": mu " in row[2]} == gaussian & shown


@pytest.mark.long
@pytest.mark.parametrize("name", [*PRIVATE, *PRIVATE_RULES])
def test_algorithms_and_rules_pass(name, monkeypatch):
    """By samples alone: tests/algorithms/test_alignment.py replays their alignments."""
    monkeypatch.setattr(findings, "replay_report", lambda target, seed, *others: Aligned())
    chosen, budget = {algorithm(name).group: name}, algorithm(name).budget
    found = dp.audit(**chosen, **{budget: 1.0}, runs=1000, jobs=2)
    assert set(found["verdict"]) == {"consistent"}


# Broken twins


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(CAUGHT) - {"no_clip", "raw_rewards"}))
def test_broken_algorithms_are_caught(name):
    assert audit(RegretTarget(CAUGHT[name].algorithm, 1.0, {}), jobs=2).violated


def global_noise(game, rng, eps):
    """It plays the arm of the larger noisy reward; the noise is of the global generator."""
    x, y = (pull(game, a) + np.random.laplace(0.0, 1.0 / eps) for a in (0, 1))  # noqa: NPY002
    while rounds_left(game) > 0:
        pull(game, int(y > x))


def test_a_replay_follows_noise_of_the_global_generator():
    made = from_function(global_noise, "algo", (0, 1), global_dp("a test", alignment=one_release))
    target = RegretTarget(made, 1.0, {}, (8,), (2,))
    assert align(target, 10).holds and align(target, 10).entered
    half = RegretTarget(from_function(half_global, "algo", (0, 1), made.guarantee), 1.0, {}, (8,))
    assert align(half, 10).problem.why == "the cost is 2, and the budget 1"


def half_global(game, rng, eps):
    global_noise(game, rng, 2.0 * eps)


def fixed_test(game, rng, eps, delta):
    """It names the arm of the larger noisy sum of ten rewards; the noise is half of the noise."""
    sums = [math.fsum(pull(game, a) for _ in range(10)) for a in (0, 1)]
    return float(sums[1] - sums[0] > laplace(rng, 0.5 / eps) - laplace(rng, 0.5 / eps))


def test_neighbours_of_a_rule_that_always_takes_as_many_samples_change_its_answer():
    """Its pulls are always the same, so that only its answer shows where it changes its mind."""
    made = replace(from_function(fixed_test, "rule", (0, 1)), question=BEST_ARM)
    target = BestArmTarget(made, 1.0, {"delta": 0.1}, (512,), (2,))
    rng, read = np.random.default_rng(0), 0
    for neighbours in target.pairs(rng, 36):
        x, y = neighbours(1)
        t, a = place_of_change((x, y))
        read += 10 * a <= t < 10 * (a + 1)
    assert read >= 5  # one of 51 if the steps are random


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.5, 2.0])
def test_ucb_with_weak_gaussian_noise_is_caught(rho):
    """The control is AdaC-UCB itself, in the same games."""
    for weak in (True, False):
        made = CAUGHT["weak_gaussian"].algorithm if weak else algorithm("adac_ucb")
        found = audit(RegretTarget(made, rho, {} if weak else {"beta": 1.0}, (8, 64)), runs=100_000)
        assert found.violated == weak
        assert found.target.promised == pytest.approx(math.sqrt(2 * rho))
        assert 0.7 * found.target.promised < found.measured < found.target.promised / 0.7


@pytest.mark.slow
@pytest.mark.parametrize("eps", BUDGETS)
def test_a_curator_that_forgets_the_clip_is_caught(eps):
    target = LocalRandomizerTarget(CAUGHT["no_clip"].algorithm, eps)
    assert audit(target, runs=100_000).violated
    assert release_loss(target) == pytest.approx(1000 * eps)


@pytest.mark.slow
@pytest.mark.parametrize("eps", BUDGETS)
def test_a_locally_private_algorithm_that_decides_on_raw_rewards_is_caught(eps):
    """The control is the response of its users, which is private."""
    source = CAUGHT["raw_rewards"].algorithm
    found = audit(RegretTarget(source, eps, {}, (8,)), runs=20_000)
    assert found.violated and found.runs < 20_000
    assert not audit(LocalRandomizerTarget(source, eps), runs=20_000).violated


@pytest.mark.slow
def test_what_would_have_been_detected_is_less_with_more_runs():
    """And what it promises is true: a release that loses so much is caught, here by far."""
    target = ReleaseTarget(MECHANISMS["randomized_response"], 0.5)
    few, many = (audit(target, runs) for runs in (2000, 50_000))
    assert 1.01 < many.detectable < 1.1 < few.detectable < 1.6
    assert many.runs == 50_000 and few.runs == 2000


@pytest.mark.slow
def test_plain_python_is_audited_too():
    found = audit(RegretTarget(from_function(plain_no_eps), 1.0, {}, (8,)), runs=400)
    assert not found.target.compiled
    assert found.violated and found.counts in {(400, 0), (0, 400)}


# False alarms


def alarms(name, confidence, audits):
    """The number of audits that report a violation."""
    target = ReleaseTarget(MECHANISMS[name] if name in MECHANISMS else BROKEN[name][0], 1.0)
    return sum(audit(target, 5000, confidence, seed).violated for seed in range(audits))


@pytest.mark.long
def test_audits_of_what_spends_exactly_eps_alarm_at_most_as_often_as_stated():
    level = 0.05
    for name in ("laplace_release", "randomized_response", "gaussian_release"):
        assert alarms(name, 1 - level, 40) <= level * 40
    for name in ("weak_laplace", "weak_gaussian"):  # the control
        assert alarms(name, 1 - level, 10) == 10


# Seeds and workers


@pytest.mark.slow
def test_a_finding_depends_on_the_seed_alone():
    target = ReleaseTarget(MECHANISMS["tree"], 1.0)
    one, two, other = (audit(target, 5000, seed=s, jobs=j) for s, j in ((0, 1), (0, 2), (1, 1)))
    assert (one.measured, one.event, one.counts) == (two.measured, two.event, two.counts)
    assert one.counts != other.counts


@pytest.mark.slow
def test_the_death_of_a_worker_is_one_error():
    """Mutation that it catches: the traceback of joblib ends a command."""
    with pytest.raises(WorkersLost, match="a worker has died"):
        list(in_workers(os._exit, [(1,), (1,)], 2))

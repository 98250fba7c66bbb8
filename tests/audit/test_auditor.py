"""The audit: what is broken is caught, what is right passes, and alarms are as rare as stated."""

import json
import math
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import CONF, PRIVATE
from scipy.stats import binomtest

from dpbandits.audit.auditor import audit
from dpbandits.audit.events import Event, epsilon_bound, learn
from dpbandits.audit.exact import exact_epsilon
from dpbandits.audit.neighbours import change_of_mind, largest_heard, random_walk
from dpbandits.audit.players import Learner
from dpbandits.audit.releases import MECHANISMS, Mechanism
from dpbandits.audit.tellers import Release, Sender
from dpbandits.cli import audit as command
from dpbandits.compiled.decorators import verb
from dpbandits.environments.catalogue import build
from dpbandits.parts.mechanisms import laplace
from dpbandits.parts.trees import new_trees, tree_levels, tree_noise

BUDGETS = (0.1, 0.5, 1.0, 2.0)
TWINS = Path(__file__).parent / "twins" / "algo"
NOT_LINEAR = ("mode", "central_mean")  # no exact loss is known of these


# Neighbours


@pytest.mark.parametrize("K", [1, 2, 3])
def test_neighbours_differ_in_one_reward(K):
    rng = np.random.default_rng(K)
    for T in (2, 8, 33):
        for _ in range(20):
            walk = random_walk(rng, T, K, -1.0, 2.0)
            for m in (-3, 0, int(rng.integers(T)), T, T + 9):
                x, y = walk.pair(m, 1)
                assert x.shape == y.shape == (T, K)
                assert (x != y).sum() == 1
                assert set(np.unique([x, y])) <= {-1.0, 2.0}
            x, y = walk.pair(0, T)
            assert (x != y).sum() == T


def test_a_change_of_mind_is_found():
    rng = np.random.default_rng(0)
    walk = random_walk(rng, 100, 2, 0.0, 1.0)
    for step in (0, 1, 17, 99):
        found = change_of_mind(walk, lambda x, n=step: np.array([x[:, walk.arm].sum() > n]) * 1.0)
        assert found == step
    assert change_of_mind(walk, lambda x: np.zeros(3)) is None


def test_the_largest_reward_that_is_heard_is_found():
    def behaviour(x):
        return np.array([1.0, 3.0 if np.abs(x[np.abs(x) <= 7.3]).sum() else 1.0])

    assert largest_heard(behaviour, 4, 2, 1e-2, 1e4) == pytest.approx(7.3, rel=0.01)
    assert 1e-2 < largest_heard(lambda x: np.ones(2), 4, 2, 1e-2, 1e4) < 1e4


# Events


def test_the_bound_is_clopper_and_pearson_s():
    n, level = 1000, 0.02
    for k, other in ((500, 100), (30, 3), (7, 0), (1000, 400)):
        low = binomtest(k, n).proportion_ci(1 - level, method="exact").low
        high = binomtest(other, n).proportion_ci(1 - level, method="exact").high
        wanted = max(math.log(low) - math.log(high), 0.0)
        assert epsilon_bound(np.array(k), np.array(other), n, level) == pytest.approx(wanted)
    assert epsilon_bound(np.array(0), np.array(0), n, level) == 0
    assert epsilon_bound(np.array(n), np.array(n), n, level) == 0


def test_an_event_is_learned_and_told():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 10, (4000, 3)), rng.integers(0, 10, (4000, 3))
    x[(x[:, 1] > 6) & (x[:, 2] <= 2), 1] = 0
    score, event = learn((x, y), 0.01)
    assert event.side == 1 and score > 2
    assert event.count(x) < 40 < 300 < event.count(y)
    told = event.in_words(["a", "b", "c"])
    assert "b > 6" in told and "c <= 2" in told and "a" not in told.split()


def test_nothing_is_learned_where_nothing_differs():
    score, event = learn((np.ones((100, 2)), np.ones((100, 2))), 0.01)
    assert score == 0 and event == Event((), 0)


# Exact losses


@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("name", sorted(set(MECHANISMS) - set(NOT_LINEAR)))
def test_exact_losses_are_the_promised_ones(name, eps):
    assert Release(MECHANISMS[name], eps).exact() == pytest.approx(eps, rel=1e-9)


@pytest.mark.parametrize("eps", [0.1, 1.0, 20.0, 100.0])
@pytest.mark.parametrize("name", NOT_LINEAR)
def test_what_is_not_linear_has_no_exact_loss(name, eps):
    assert Release(MECHANISMS[name], eps).exact() is None


def warner(rng, x, out):
    """Randomised response as Warner tells it: the truth, or else the opposite."""
    out[0] = x[0] if rng.random() < math.e / (1 + math.e) else 1 - x[0]


def leaking(rng, x, out):
    out[0] = 5 * x[0] + (rng.random() < 0.5)


def three_ways(rng, x, out):
    u = rng.random()
    out[0] = 0 if u < 0.2 else 1 if u < 0.3 + 0.1 * x[0] else 2


def clipped(rng, x, out):
    out[0] = min(max(x[0] + laplace(rng, 1.0), -10.0), 10.0)


def thresholded(rng, x, out):
    out[0] = x[0] + laplace(rng, 1.0) > 7.0


def gaussian(rng, x, out):
    out[0] = x[0] + rng.standard_normal()


def vector(rng, x, out):
    out[0] = x[0] + rng.random(3).sum()


@pytest.mark.parametrize(
    ("release", "loss"),
    [
        (warner, 1.0),
        (leaking, math.inf),
        (three_ways, None),
        (clipped, None),
        (thresholded, None),
        (gaussian, None),
        (vector, None),
        (lambda rng, x, out: None, 0.0),
    ],
)
def test_exact_losses_of_other_releases(release, loss):
    found = exact_epsilon(release, np.array([0.0]), np.array([1.0]), 1)
    assert found == (loss if loss is None else pytest.approx(loss))


def test_a_release_whose_exact_loss_is_too_large_is_violated_though_it_cannot_be_seen():
    @verb
    def nearly(rng, x, eps, out):
        out[0] = x[0] + laplace(rng, 0.99 / eps)

    found = audit(Release(broken(nearly), 1.0), runs=2000)
    assert found.epsilon < 1 < found.exact and found.violated


@verb
def literal_tree(rng, x, eps, out):
    """The tree that spends eps/ln T a node, as Tao et al. 2022 print it."""
    trees, S = new_trees(1, len(x)), 0.0
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, laplace(rng, np.log(len(x)) / eps))


@verb
def short_tree(rng, x, eps, out):
    """A tree whose levels are ceil(log2 T): one short where T is a power of two."""
    trees, S = new_trees(1, len(x)), 0.0
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, laplace(rng, np.ceil(np.log2(len(x))) / eps))


@verb
def reusing_tree(rng, x, eps, out):
    """A tree of which all nodes share one draw."""
    trees, S = new_trees(1, len(x)), 0.0
    noise = laplace(rng, tree_levels(len(x)) / eps)
    for i in range(len(x)):
        S += x[i]
        out[i] = S + tree_noise(trees, 0, i + 1, noise)


@verb
def weak_laplace(rng, x, eps, out):
    """Laplace noise scaled by 0.7."""
    out[0] = x[0] + laplace(rng, 0.7 / eps)


@verb
def weak_coin(rng, x, eps, out):
    """Randomised response that answers truthfully too often."""
    out[0] = 1.0 if rng.random() < 0.5 + (x[0] - 0.5) * np.tanh(0.5 * eps / 0.7) else 0.0


def everything(n):
    return n


def broken(function, sizes=(1,), seen=lambda n: 1):
    return Mechanism(function.__name__, function, "", (0.0, 1.0), sizes, seen)


# each with the factor by which it spends more than it promises
BROKEN = {
    "literal_tree": (broken(literal_tree, (7,), everything), 3 / math.log(7)),
    "short_tree": (broken(short_tree, (4, 8), everything), 1.5),
    "reusing_tree": (broken(reusing_tree, (4,), everything), math.inf),
    "weak_laplace": (broken(weak_laplace), 1 / 0.7),
    "weak_coin": (broken(weak_coin), 1 / 0.7),
}


@pytest.mark.parametrize("name", BROKEN)
def test_exact_losses_of_broken_releases_exceed_the_promise(name):
    twin, factor = BROKEN[name]
    assert Release(twin, 0.5).exact() == pytest.approx(0.5 * factor)


@pytest.mark.parametrize("eps", [0.5, pytest.param(2.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_releases_are_caught(name, eps):
    twin, factor = BROKEN[name]
    found = audit(Release(twin, eps), runs=100_000)
    assert found.violated
    assert found.epsilon <= factor * eps


# Power, and what is right passes


@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("name", ["laplace_release", "randomized_response"])
def test_nine_tenths_of_the_budget_are_seen(name, eps):
    found = audit(Release(MECHANISMS[name], eps))
    assert 0.9 * eps <= found.epsilon <= eps


@pytest.mark.slow
@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_pass(name, eps):
    assert not audit(Release(MECHANISMS[name], eps), runs=100_000).violated


def test_the_committed_table_holds_every_private_algorithm_and_nothing_violated():
    lines = (CONF.parent / "results" / "audit.md").read_text().splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    every = {*PRIVATE, *MECHANISMS, "dp_nas", "dp_nas_exp"}
    assert {(name, float(eps)) for name, _, eps, *_ in rows} == {*product(every, BUDGETS)}
    assert {verdict for *_, verdict in rows} == {"consistent"}
    assert all(float(measured) <= float(eps) for _, _, eps, measured, *_ in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PRIVATE, "dp_nas", "dp_nas_exp"])
def test_algorithms_and_rules_pass(name, tmp_path, monkeypatch, capsys):
    group = "rule" if name.startswith("dp_nas") else "algo"
    words = [f"{group}={name}", "eps=0.1,0.5,1,2", "runs=4000", "jobs=2"]
    code, out, _ = run_command(words, tmp_path, monkeypatch, capsys)
    assert code == 0
    assert out.count("consistent") == len(BUDGETS)


# Broken twins


def twin(name, eps, **values):
    file = TWINS / f"{name}.py"
    return Sender(file, eps) if name == "no_clip" else Learner(file, eps, values)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weak_noise", {"alpha": 1.0}),
        ("shared_noise", {"beta": "1/horizon"}),
        ("no_eps", {"alpha": 1.0}),
        ("whole_history", {"alpha": 1.0}),
        ("reused_noise", {"alpha": 1.0}),
    ],
)
@pytest.mark.parametrize("eps", [1.0, 2.0])
def test_broken_algorithms_are_caught(name, values, eps):
    assert audit(twin(name, eps, **values), jobs=2).violated


@pytest.mark.parametrize("eps", BUDGETS)
def test_a_curator_that_forgets_the_clip_is_caught(eps):
    found = audit(twin("no_clip", eps), runs=100_000)
    assert found.violated
    assert found.exact == pytest.approx(1000 * eps)


def test_plain_python_is_audited_too():
    found = audit(Learner(TWINS / "plain_no_eps.py", 1.0, {}, (8,)), runs=400)
    assert not found.subject.compiled
    assert found.violated and found.counts in {(400, 0), (0, 400)}


# False alarms


def alarms(name, confidence, audits):
    """How many of some audits cry out."""
    subject = Release(MECHANISMS[name] if name in MECHANISMS else BROKEN[name][0], 1.0)
    return sum(audit(subject, 20_000, confidence, seed).violated for seed in range(audits))


@pytest.mark.slow
def test_two_hundred_audits_of_what_spends_exactly_eps_alarm_at_most_as_often_as_stated():
    level = 0.05
    for name in ("laplace_release", "randomized_response"):
        assert alarms(name, 1 - level, 100) <= level * 100
    assert alarms("weak_laplace", 1 - level, 20) == 20  # the control


# Seeds and workers


def test_a_finding_depends_on_the_seed_alone():
    subject = Release(MECHANISMS["tree"], 1.0)
    one, two, other = (audit(subject, 5000, seed=s, jobs=j) for s, j in ((0, 1), (0, 2), (1, 1)))
    assert (one.epsilon, one.event, one.counts) == (two.epsilon, two.event, two.counts)
    assert one.counts != other.counts


# The command


def run_command(words, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["bandit-audit", *words])
    with pytest.raises(SystemExit) as stopped:
        command.main()
    said = capsys.readouterr()
    return stopped.value.code, said.out, said.err


def test_the_command_prints_writes_and_keeps(tmp_path, monkeypatch, capsys):
    words = ["mechanism=laplace_release", "eps=0.5,1", "runs=2000"]
    code, out, _ = run_command(words, tmp_path, monkeypatch, capsys)
    assert code == 0 and out.count("consistent") == 2
    path = Path(out.splitlines()[-1])
    table = pd.read_csv(tmp_path / path)
    assert list(table["eps"]) == [0.5, 1.0]
    assert {"measured", "exact", "verdict", "event", "count_first", "runs", "seed"} <= {*table}
    for suffix in (".png", ".pdf"):
        assert (tmp_path / "results/figures" / path.stem).with_suffix(suffix).is_file()
    before = path.read_bytes()
    kept = sorted((tmp_path / "results/audits").glob("*.json"))
    assert len(kept) == 2
    monkeypatch.setattr(command, "audit", lambda *_: pytest.fail("audited twice"))
    assert run_command(words, tmp_path, monkeypatch, capsys)[:2] == (0, out)
    assert path.read_bytes() == before
    row = json.loads(kept[0].read_text())
    kept[0].write_text(json.dumps(row)[:40])  # cut short
    monkeypatch.undo()
    assert run_command(words, tmp_path, monkeypatch, capsys)[:2] == (0, out)


def test_a_violation_is_told_with_its_witness(tmp_path, monkeypatch, capsys):
    (tmp_path / "algo").mkdir()
    file = tmp_path / "algo" / "plain_no_eps.py"
    file.write_text((TWINS / "plain_no_eps.py").read_text())
    file.with_suffix(".yaml").write_text("# broken\n{}\n")
    words = ["--config-dir", ".", "algo=plain_no_eps", "runs=200", "horizon=[8]", "jobs=1"]
    code, out, _ = run_command(words, tmp_path, monkeypatch, capsys)
    assert code == 3
    assert "VIOLATED" in out and "event      pulls of arm" in out and "runs each" in out
    first, second = (
        build({"law": "table", "rewards": None, "file": str(file)}).environment.table
        for file in sorted((tmp_path / "results/audits").glob("*.csv"))
    )
    assert (first != second).sum() == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["algo=adap_ubc"], "unknown algo 'adap_ubc': did you mean adap_ucb?"),
        (["algo=ucb"], "algo=ucb: it promises no privacy, so there is nothing to audit"),
        (["rule=nas"], "rule=nas: it promises no privacy"),
        (["mechanism=laplas"], "unknown mechanism 'laplas': did you mean"),
        (["algo=dp_se", "rule=dp_nas"], "one of algo, rule, mechanism is audited at a time"),
        (["algo=dp_se", "eps=0"], "eps=0: a finite number above 0 is needed"),
        (["algo=dp_se", "eps=inf"], "eps=inf: a finite number above 0 is needed"),
        (["algo=dp_se", "runs=3"], "runs=3: a whole number of at least 100"),
        (["algo=dp_se", "confidence=1"], "confidence=1: a number in (0, 1)"),
        (["algo=dp_se", "horizon=1"], "horizon=1: a whole number of at least 2"),
        (["algo=dp_se", "jobs=0"], "jobs=0: a number of workers"),
        (["algo=dp_se", "algo.alpha=1"], "unknown key 'algo.alpha'"),
        (["algo=dp_se", "algo.beta=7"], "algo.beta=7: a number in (0, 1], or 1/horizon is needed"),
        (["algo=dp_se", "env=sign"], "unknown key 'env'"),
        (["rule=dp_nas", "R=-1"], "R=-1: a number above 0"),
        (["algo=dp_se", "results="], "results"),
        (["algo=dpr_se", "short=3"], "short=3: write short.ALGORITHM.PARAMETER=VALUE"),
        (["algo=dpr_se", "short.dpr_se=3"], "write short.ALGORITHM.PARAMETER=VALUE"),
        (["algo=dpr_se", "short={dpr_se:{q:1}}"], "short={dpr_se:{q:1}}: Key 'q' is not in struct"),
        (["--config-dir", "nowhere", "algo=dp_se"], "there is no such folder"),
        (["algo"], "algo: Error parsing override 'algo'"),
        (["algo=dp_se", "--what"], "unrecognized arguments"),
    ],
)
def test_bad_input_gets_one_line(words, told, tmp_path, monkeypatch, capsys):
    code, out, err = run_command(words, tmp_path, monkeypatch, capsys)
    assert code == 2 and out == ""
    assert err.startswith("bandit-audit: ") and told in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_noise_beyond_single_precision_is_audited(tmp_path, monkeypatch, capsys):
    words = ["mechanism=tree", "eps=1e-60", "runs=200"]
    code, out, err = run_command(words, tmp_path, monkeypatch, capsys)
    assert code == 0 and "consistent" in out and "Warning" not in err


def test_an_algorithm_that_fails_is_told(tmp_path, monkeypatch, capsys):
    (tmp_path / "algo").mkdir()
    file = tmp_path / "algo" / "failing.py"
    file.write_text("def failing(game, rng, eps):\n    raise ValueError('no way')\n")
    file.with_suffix(".yaml").write_text("{}\n")
    words = ["--config-dir", ".", "algo=failing", "jobs=1"]
    code, _, err = run_command(words, tmp_path, monkeypatch, capsys)
    assert code == 1
    assert "no way" in err and err.endswith("bandit-audit: failed: failing; see above\n")


def test_help_names_every_mechanism(tmp_path, monkeypatch, capsys):
    code, out, _ = run_command(["--help"], tmp_path, monkeypatch, capsys)
    assert code == 0
    for name in MECHANISMS:
        assert f"  {name} " in out

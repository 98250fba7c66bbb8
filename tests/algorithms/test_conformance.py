"""Every algorithm and every rule, by its row of the conformance table: rounds counted, machine code
equal to plain Python, decisions and laws of the references.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from conformance import (
    ALL,
    OF_MANY_LAWS,
    PARETO,
    ROWS,
    STUDENT,
    kind_of,
    parameters_of,
    short_games,
)
from helpers import (
    GOLDEN,
    HEAVY,
    LOCAL,
    P_VALUE,
    RULES,
    SIGMAS,
    algorithm,
    contaminated,
    defaults,
    eliminated,
    play,
    records,
    table,
    without_noise,
)
from in_law import apart_in_sizes
from make_golden import USER_GAMES, golden_counts, mistakes_of
from scipy.special import rel_entr
from scipy.stats import ks_2samp
from slow_games import (
    arms_of,
    compared_exactly,
    of_package,
    of_reference,
    reference,
)
from tiers import every, first

from dpbandits.contracts.algorithm import HOMES
from dpbandits.contracts.parameters import BUDGETS
from dpbandits.contracts.question import FEATURES
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import build_population

HORIZONS = [1, 2, 3, 4, 5, 6, 63, 64, 65, 1000]


@pytest.mark.parametrize("name", ["etc", "eps_greedy", "exp3", "ts"])
def test_a_baseline_of_courses_fits_on_a_page(name):
    """A reader of a first course sees the whole of it at once."""
    assert len((HOMES["algo"] / f"{name}.py").read_text().splitlines()) <= 30


def test_every_algorithm_and_rule_has_a_configuration_a_row_and_a_reference():
    files = {
        file.stem
        for group in ("algo", "rule")
        for file in HOMES[group].glob("*.py")
        if file.stem not in ("__init__", "sparse_vector")
    }
    assert sorted(files) == sorted(ALL) == sorted(ROWS)
    assert all(callable(reference(name)) for name in ALL)
    assert all(row.exactly or row.in_law for row in ROWS.values())


@pytest.mark.parametrize("name", ALL)
def test_parameters_are_those_of_the_configuration(name):
    given = {*BUDGETS, "eps_min", *algorithm(name).question.goal_names}
    assert sorted(defaults(name)) == sorted(set(algorithm(name).domains) - given)


def in_environments(which):
    """Rows and names of environments, of which some are fast."""
    for kind in {id(kind_of(name)): kind_of(name) for name in ALL}.values():
        names = [name for name in ALL if kind_of(name) is kind]
        pairs = [(name, env) for name in names for env in getattr(kind, which)]
        yield from pairs if kind.fast is None else first(pairs, kind.fast)


def of_every_option():
    """The same of each option of a row, the first of which is fast."""
    for pair in in_environments("compared"):
        name, env = getattr(pair, "values", pair)
        for i in range(len(ROWS[name].options)):
            marks = [*getattr(pair, "marks", ()), *[pytest.mark.slow] * (i > 0)]
            yield pytest.param(name, env, i, marks=marks)


def budgets_of(name, *some):
    largest = min(without_noise(name), ROWS[name].largest)
    return (*some, largest) if algorithm(name).private else some[:1]


@pytest.mark.parametrize(("name", "env"), [*in_environments("played")])
@pytest.mark.parametrize("T", HORIZONS)
def test_every_round_is_played_and_recorded(name, env, T):
    spec, every = kind_of(name).played[env], np.arange(1, T + 1)
    for eps in budgets_of(name, 1e-3, 1.0, 1e3):
        for own in parameters_of(name):
            [(pulls, answer)] = records(name, spec, T, eps=eps, checkpoints=every, **own)
            if pulls.dtype == float:  # regret
                assert np.isfinite(pulls).all() and (np.diff(pulls, axis=0, prepend=0) >= 0).all()
                continue
            steps = np.diff(pulls, axis=0, prepend=0)
            rounds = min(T, pulls[-1].sum()) if name in RULES else T
            assert (pulls.sum(axis=1)[:rounds] == every[:rounds]).all() and (steps >= 0).all()
            assert (pulls[-1] >= 1).all() or ROWS[name].all_played > T
            assert np.isnan(answer) and (rounds == T or T < 3 or not ROWS[name].to_cap)


EXTREME = [(name, x) for name in ALL if algorithm(name).private for x in ROWS[name].budgets]


@pytest.mark.parametrize(("name", "eps"), every(3, EXTREME))
def test_extreme_budgets_are_played(name, eps):
    """Planned lengths from 1 round to more than any number, levels and noises to match."""
    [spec, *_] = [PARETO] if name in HEAVY else kind_of(name).played.values()
    for T in (1, 2, 1000, 2**17):
        for own in parameters_of(name):
            assert np.isfinite(play(name, spec, T, eps=eps, **own)).all()


def compiled_as_plain(name, spec, T, **given):
    """What a compiled run leaves, which must be as in plain Python."""
    [compiled], [plain] = ([*records(name, spec, T, plain=x, **given)] for x in (False, True))
    same = np.allclose if plain.pulls.dtype == float else np.array_equal  # regret is a sum of means
    assert same(compiled.pulls, plain.pulls)
    assert np.array_equal(compiled.answer, plain.answer, equal_nan=True)
    return compiled


@pytest.mark.parametrize(("name", "env", "i"), [*of_every_option()])
def test_compiled_equals_plain_python(name, env, i):
    kind, own = kind_of(name), short_games(name)[i]
    T, answers = kind.rounds if algorithm(name).round_by_round else kind.blocks, []
    for eps in budgets_of(name, 0.3):
        for run in range(3):
            given = {"eps": eps, "runs": [run]} | own
            answers.append(compiled_as_plain(name, kind.compared[env], T, **given).answer)
    assert np.isfinite(answers).any() == (name in RULES)


LAWS = {
    "pareto": PARETO,
    "student": STUDENT,
    "lognormal": {"law": "lognormal", "means": [0.1, 0.9, 0.5], "sigma": 1.5},
    "outliers": contaminated(PARETO, 0.1, {"law": "unseen", "k": 2}),
    "outlying laws": contaminated(
        STUDENT,
        0.1,
        [
            {"law": "point_mass", "value": -30},
            {"law": "discrete", "values": [9, 5, 7], "probabilities": [0.2, 0.3, 0.5]},
            {"law": "gaussian", "mean": 5, "sd": 1},
        ],
    ),
    "empirical": {"law": "empirical", "file": None, "columns": ["good", "bad"]},
}


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("law", first(LAWS))
def test_compiled_equals_plain_python_under_heavy_tails(name, law, tmp_path):
    """Blocks of truncated rewards and histograms, sums of noise, rewards that expire."""
    spec, every = LAWS[law], np.arange(1, 6001)
    if law == "empirical":
        spec = spec | {"file": str(tmp_path / "rewards.csv")}
        Path(spec["file"]).write_text("bad,good\n0,0.5\n-1,1\n0.25,9\n")
    for eps in (4.0, without_noise(name)):
        given = {"eps": eps, "checkpoints": every} | ROWS[name].short
        compiled = compiled_as_plain(name, spec, 6000, **given).pulls
        if law == "student" and ROWS[name].eliminates:
            assert eliminated(arms_of(compiled), 3)


CROWDS = {
    "levels": {"kind": "levels", "levels": [0, 0.2, 1, 2, 100], "shares": None},
    "unequal": {"kind": "levels", "levels": [3, 0.5, 1], "shares": [0.2, 0.5, 0.3]},
    "normal": {"kind": "clipped_normal", "mean": 1.0, "sd": 1.0, "low": 0.0, "high": 100.0},
}
GAUSSIAN = {"law": "gaussian", "means": [4, 2, 1, 0], "sd": 1.0, "sigmoid": False}


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("kind", CROWDS)
def test_compiled_equals_plain_python_in_a_crowd(name, kind):
    spec = GAUSSIAN if algorithm(name).rewards is None else OF_MANY_LAWS
    given = {"population": build_population(CROWDS[kind])}
    for eps_min in (0.2, 1.0):
        for run in range(3):
            found = compiled_as_plain(name, spec, 700, runs=[run], eps_min=eps_min, **given)
            assert (found.pulls[-1] > 0).all()


EXACTLY = [(name, i) for name in ALL for i in range(len(ROWS[name].exactly))]


@pytest.mark.parametrize(("name", "i"), every(5, EXACTLY))
def test_decisions_are_the_reference_s(name, i, monkeypatch):
    """On the same rewards, without noise or with the same noise, ties included (dyadic rewards make
    ties); and errors of the reference are seen.
    """
    game = ROWS[name].exactly[i]
    for wrong in ({}, *getattr(game, "mutants", ())):
        for ours, theirs in compared_exactly(name, game, wrong, monkeypatch):
            assert np.allclose(ours, theirs, rtol=1e-6, equal_nan=True) == (not wrong), wrong
    if ROWS[name].eliminates:
        assert eliminated(theirs, 4)


IN_LAW = [
    pytest.param(name, i, marks=() if game.tier == "fast" else getattr(pytest.mark, game.tier))
    for name in ALL
    for i, game in enumerate(ROWS[name].in_law)
]


@pytest.mark.parametrize(("name", "i"), IN_LAW)
def test_the_law_of_a_game_is_the_reference_s(name, i):
    """Random numbers of their own, the same law; the controls are another game of the package and
    errors of the reference.
    """
    game, ours = ROWS[name].in_law[i], of_package(name, i)
    theirs = of_reference(name, i, {})
    assert apart_in_sizes(ours, theirs) < SIGMAS
    for x, y in zip(ours.T, theirs.T, strict=True):  # lengths of phases may differ by rounding
        assert algorithm(name).actions == FEATURES or ks_2samp(x, y).pvalue > P_VALUE
    if game.other:
        assert apart_in_sizes(of_package(name, i, other=True), theirs) > SIGMAS
    for wrong in game.mutants:
        assert apart_in_sizes(ours, of_reference(name, i, wrong)) > SIGMAS, wrong


def ucb_index(mean, N, log_t):
    return mean + np.sqrt(2 * log_t / N)


def kl_ucb_index(mean, N, log_t):
    """By bisection: the largest q with N kl(mean, q) <= ln t."""
    low, high = mean, np.ones_like(mean)
    for _ in range(45):
        q = (low + high) / 2
        inside = N * (rel_entr(mean, q) + rel_entr(1 - mean, 1 - q)) <= log_t
        low, high = np.where(inside, q, low), np.where(inside, high, q)
    return low


@pytest.mark.slow
@pytest.mark.parametrize(("name", "index"), [("ucb", ucb_index), ("kl_ucb", kl_ucb_index)])
def test_every_round_of_a_long_game_has_an_arm_of_largest_index(name, index):
    """Longer than the reference can play: the index of every arm before each round, from the arms
    that were played; up to rounding, so that ties are not looked at."""
    K, T = 4, 10**5
    means = np.array([0.55, 0.5, 0.5, 0.4])
    rewards = (np.random.default_rng(5).random((T, K)) < means).astype(float)
    arms = arms_of(play(name, table(rewards), T, checkpoints=np.arange(1, T + 1)))
    played = np.eye(K)[arms]
    N, S = (np.cumsum(x, axis=0)[K - 1 : -1] for x in (played, played * rewards))
    found = index(S / N, N, np.log(np.arange(K + 1, T + 1))[:, np.newaxis])

    def largest(arms):
        return found[np.arange(T - K), arms] > found.max(axis=1) - 1e-9

    assert largest(arms[K:]).all()
    late = slice(T // 2, None)
    assert not largest(arms[K - 1 : -1])[late].all()  # control: the arm of the round before


@pytest.mark.long
def test_golden_counts():
    """Pulls of seeded runs: a change of results is a decision (make_golden.py), not an accident."""
    recorded = json.loads(GOLDEN.read_text())
    assert golden_counts(recorded) == recorded


@pytest.mark.parametrize("game", every(4, USER_GAMES))
def test_golden_mistakes_of_policies_with_an_oracle(game):
    """In plain Python, without the long games; the control has twice the budget."""
    recorded = json.loads(GOLDEN.read_text())[game]
    assert mistakes_of(game, plain=True) == recorded != mistakes_of(game, 40.0, plain=True)


TRILLION = [(name, env) for name in ALL if ROWS[name].trillion for env in kind_of(name).played]


@pytest.mark.parametrize(("name", "env"), TRILLION)
def test_a_trillion_rounds_are_a_moment_s_work(name, env):
    spec, T = kind_of(name).played[env], 10**12
    pulls = play(name, spec, T, checkpoints=np.array([10**6, T]), **ROWS[name].short)
    means = build(spec).means
    assert pulls.sum(axis=1).tolist() == [10**6, T]
    assert means[pulls[-1].argmax()] == means.max()

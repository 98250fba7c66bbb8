"""Replay of a log: which rows count, what policies see of them, what is said, and bad input."""

import math

import numpy as np
import oracle_references as slow
import pandas as pd
import pytest
from helpers import algorithm, arguments, replaced, setting
from refusals import message_of
from sweeps import requested

import dpbandits as dp
from dpbandits.cli.run import _promises
from dpbandits.contextual_game import new_contextual_game, regret_of
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.parts.oracles import batches
from dpbandits.results.references import lines_of_references
from dpbandits.results.tables import settings_table

ORACLES = "square_cb", "vpo", "bpo", "fast_cb", "reg_cb", "ada_cb", "oracle_ucb"
OTHERS = "lin_ucb", "rs_oful", "adac_oful", "private_lin_ucb", "ldp_lin_ucb", "ldp_sgd", "ldp_ols"


def frame_of(n=1000, seed=0):
    """A log of two actions with propensities .2 to .8 that depend on the user."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    p = np.where(x > 0, 0.8, 0.4)  # of b
    b = rng.random(n) < p
    reward = (rng.random(n) < np.where(b == (x > 0), 0.9, 0.3)).astype(float)
    names = np.where(b, "b", "a")
    p = np.where(b, p, 1 - p)
    return pd.DataFrame({"x": x, "action": names, "reward": reward, "propensity": p})


def of(frame, **given):
    return build(dp.logged(frame, **given).contents)


def game_of(env, T, seed=0):
    env = env._replace(order=np.arange(len(env.order)), rows=env.rows.copy())
    rng, rounds = np.random.default_rng(seed), np.arange(1, T + 1)
    return new_contextual_game(env, homogeneous(4.0).users(), rng, T, rounds)


def played(name, instance, T, env=None, function=None, eps=4.0, **own):
    """The trace of a run in plain Python: losses, rows read, and rows that count, at each row."""
    game = game_of(env or instance.environment, T)
    function = function or algorithm(name).function.py_func
    function(game, np.random.default_rng(1), *arguments(name, eps, T, instance, **own))
    return game.trace[:-1]


# a slow reference


def replayed(built, T, g, r, ridge, twin=""):
    """Losses and counts of square_cb with exact fits of the quadratic oracle, row by row."""
    env_rng, own = np.random.default_rng(0), np.random.default_rng(1)
    Z, (logged, reward, _) = built.rows, built.table.T
    c_over_p = built.table[:, 2]
    K, p = len(built.order), Z.shape[1]
    order, found, s, theta = np.arange(len(Z)), [], 0, None
    while s < T:
        batch = []
        for k in range(s, min(2 * s + 1, T)):
            j = k + int(env_rng.random() * (len(Z) - k))
            order[[k, j]] = order[[j, k]]
            batch.append(order[k])
        X, y, actions = [], [], []
        for i in batch:
            if theta is None:
                actions.append(int(own.random() * K))
                continue
            f = theta @ Z[i]
            best = int(f.argmin())
            law = slow.inverse_gaps(K, f, best, g * max(1, s) ** r)
            actions.append(slow.of_law(own, law))
        for i, a in zip(batch, actions, strict=True):
            coin = env_rng.random()
            counts = logged[i] == a and (coin < c_over_p[i] or twin == "coin")
            found.append([1 - reward[i] if counts else 0, 1, counts])
            if counts or twin != "accepted":
                X.append(np.kron(np.eye(K)[a], Z[i]) * counts)
                y.append((1 - reward[i]) * counts)
        s += len(batch)
        X, y = np.reshape(X, (-1, K * p)), np.array(y)
        A = X.T @ X + ridge * max(len(X), 1) * np.eye(K * p)
        theta = np.linalg.solve(A, X.T @ y).reshape(K, p)
    return np.array(found, float)


def test_a_replay_is_that_of_the_slow_reference():
    """Controls: rows that do not count are no rows of a fit, and the coin is left out."""
    found = of(frame_of())
    given = {"g": 20.0, "r": 0.5, "ridge": 0.5}
    own = played("square_cb", found, 400, eps=math.inf, loss="quadratic", **given)
    assert (own == replayed(found.environment, 400, **given)).all() and 50 < own[:, 2].sum() < 110
    for twin in ("accepted", "coin"):
        assert (own != replayed(found.environment, 400, **given, twin=twin)).any()


def test_regret_is_the_mean_loss_of_the_rows_that_count():
    trace = np.zeros((1, 3, 3))
    trace[0, :2] = [[20, 200, 80], [10, 200, 40]]
    assert regret_of(trace, 400)[0, :, 0].tolist() == [200 * 20 / 80, 400 * 30 / 120]
    trace[0, 1, 2] = 19
    assert message_of(regret_of, trace, 400) == "99 of 400 rows of the log count; 100 are needed"


@pytest.mark.slow
def test_what_no_row_tells_is_not_a_number(tmp_path):
    """Every reward is 0, so that the mean loss is 1 wherever a row counts. Mutation that it
    catches: a loss of 0 for a run in which no row has counted yet.
    """
    env = dp.logged(frame_of(2000).assign(reward=0.0))
    table = dp.run(Counting, env, runs=4, jobs=1, results=tmp_path)
    assert np.allclose(dp.measured(table, "error")["error"], 1.0)
    first, *others = (x["t"].tolist() for _, x in table.groupby("run"))
    # .8^123 > 1e-12 > .8^124
    assert 124 <= first[0] < 150 and first[-1] == 2000 and others == 3 * [first]


# the estimate


@pytest.mark.slow
def test_one_constant_gives_an_unbiased_answer():
    """Online play of the policy has the mean .5. A twin takes the smallest propensity of each
    row's own user for c, and answers .3.
    """
    rng, n = np.random.default_rng(3), 20_000
    x = rng.integers(0, 2, n)
    p = np.where(x == 1, 0.1, 0.5)  # of b
    b = rng.random(n) < p
    reward = (rng.random(n) < np.where(b, np.where(x == 1, 0.8, 0.2), 0.6)).astype(float)
    own = np.where(b, p, 1 - p)
    frame = pd.DataFrame({"x": x, "arm": np.where(b, "b", "a"), "reward": reward, "q": own})
    found = of(frame, propensity="q")
    always = lambda game, rng: [play(game, 1) for _ in range(n)]  # noqa: E731
    play = algorithm("lin_ucb").function.py_func.__globals__["play"]
    means = []
    for c in (0.1, np.where(x == 1, 0.1, 0.5)):
        table = found.environment.table.copy()
        assert np.allclose(table[:, 2], 0.1 / own)
        table[:, 2] = c / own
        game = game_of(found.environment._replace(table=table), n)
        always(game, None)
        losses, _, counted = game.trace.sum(axis=0)
        means.append(1 - losses / counted)
    assert abs(means[0] - 0.5) < 5 * 0.5 / math.sqrt(0.1 * n) and abs(means[1] - 0.3) < 0.05
    assert np.allclose(found.means_logged[2], 0.6, atol=0.03) and found.means_logged[3] == "a"


def test_a_user_for_whom_an_action_is_never_drawn_is_named():
    """With x > 0 the log has b alone, so that a, of mean .5 online, has .2. Mutation that it
    catches: propensities are compared with the floor from below alone.
    """
    rng, n = np.random.default_rng(0), 4000
    x = rng.uniform(-1, 1, n)
    b = (x > 0) | (rng.random(n) < 0.5)
    reward = (rng.random(n) < np.where(b, 0.4, np.where(x > 0, 0.8, 0.2))).astype(float)
    frame = pd.DataFrame({"x": x, "arm": b, "reward": reward})
    for p, is_biased in ((np.where(x > 0, 1.0, 0.5), True), (0.5, False)):
        found = of(frame.assign(propensity=p))
        assert is_biased == any("less than 0.5 for this user" in note for note in found.notes)
        assert found.means_logged[3] == "True"  # the best constant action as the log shows it


# neighbours


def fitted(built, T):
    """What enters each fit: z, action and loss of each row, zeros if it does not count. Predictors
    are the same whatever enters, as when what was released before is given.
    """
    found = []

    def fit(rng, now):
        n = now.clock[0]
        rows, counts = now.rows[:n], (now.rows[:n] >= 0)[:, None]
        own = np.column_stack([now.features[rows], now.actions[:n], now.losses[:n]]) * counts
        found.append(own)
        now.theta[:] = np.random.default_rng(n).standard_normal(now.theta.shape)

    plain = algorithm("square_cb").function.py_func
    function = replaced(plain, next_batch=replaced(batches.next_batch, fit=fit))
    played("square_cb", None, T, built, function)
    return found


def by_accepted(parts):
    """A twin: batches are boundaries in rows that count."""
    rows = np.concatenate(parts)
    rows = rows[(rows != 0).any(axis=1)]
    return [rows[2**m - 1 : 2 ** (m + 1) - 1] for m in range(int(math.log2(len(rows) + 1)))]


def differing(one, other):
    """Batches that differ, and the most rows by which any does."""
    found = [a.shape != b.shape or (a != b).any() for a, b in zip(one, other, strict=False)]
    rows = [
        (a != b).any(axis=1).sum() for a, b in zip(one, other, strict=False) if len(a) == len(b)
    ]
    return sum(found), max(rows, default=0)


@pytest.mark.slow
def test_logs_that_differ_in_a_row_differ_in_one_row_of_one_batch():
    found = of(frame_of(), propensity_floor=0.2)
    worst = np.zeros(2)
    for row in range(1, 400, 10):
        built = found.environment
        table, rows = built.table.copy(), built.rows.copy()
        table[row] = 1 - table[row, 0], 1 - table[row, 1], 1.0  # and its coin
        rows[row, 1:] *= -1
        one, other = fitted(built, 400), fitted(built._replace(table=table, rows=rows), 400)
        assert [len(x) for x in one] == [len(x) for x in other] == [2**m for m in range(8)]
        batches_, most = differing(one, other)
        assert batches_ <= 1 and most <= 1
        worst = np.maximum(worst, differing(by_accepted(one), by_accepted(other)))
    assert worst[0] > 1 and worst[1] > 1  # the twin


@pytest.mark.parametrize("name", ORACLES + OTHERS)
def test_what_does_not_count_is_not_seen(name):
    """Rows that no coin allows may hold anything."""
    assert unseen(name)


def test_a_policy_that_keeps_the_contexts_of_such_a_row_is_caught():
    plain = algorithm("lin_ucb").function.py_func

    def keeps(game, a):
        shown = game.shown.copy()
        reward = plain.__globals__["play"](game, a)
        game.shown[:] = shown
        return reward

    assert not unseen("lin_ucb", replaced(plain, play=keeps))


def unseen(name, function=None):
    """Whether what rows hold that no coin allows changes nothing."""
    found, T = of(frame_of(), propensity_floor=0.2), 100
    built = found.environment
    table, rows = built.table.copy(), built.rows.copy()
    table[::3, 2] = 0.0
    one = played(name, found, T, built._replace(table=table), function)
    table[::3, :2] = 1 - table[::3, :2]
    rows[::3, 1:] *= -1
    changed = built._replace(table=table, rows=rows)
    assert one[:, 2].sum() > 3
    return (one == played(name, found, T, changed, function)).all()


class Counting:
    """Plays b, and learns from the rows that count."""

    def __init__(self, arms):
        self.rewards = []

    def choose(self, contexts):
        assert contexts.any()
        return 1

    def update(self, arm, reward):
        self.rewards.append(reward)
        assert len(self.rewards) < 600  # of 2,000 rows


@pytest.mark.slow
def test_own_classes_see_rows_that_count(tmp_path):
    env = dp.logged(frame_of(2000))
    table = dp.run(Counting, env, runs=3, jobs=1, results=tmp_path)
    measured = dp.measured(table, "error")
    error = measured[measured["t"] == 2000]["error"]
    assert len(error) == 3 and ((error > 0.2) & (error < 0.7)).all()
    assert "is a function, which plays rows" in message_of(setting, algo=own_function, env=env)


def own_function(game, rng):
    pass


# what is said


def test_promises_are_those_of_policies_with_an_oracle_and_a_public_floor():
    def void(name, **given):
        env = dp.logged(frame_of(2000), **given)
        return [x for x in _promises([setting(algo=name, env=env)]) if "not promised" in x]

    assert void("bpo", propensity_floor=0.2) == []
    assert "env.propensity_floor is not given" in void("bpo")[0]
    frame = frame_of(2000).drop(columns="propensity")
    assert of(frame).withdrawn == "" and of(frame).c == 0.5
    for name in ("private_lin_ucb", "ldp_sgd", "adac_oful"):
        assert "only policies with an oracle" in void(name, propensity_floor=0.2)[0]
    assert void("lin_ucb", propensity_floor=0.2) == []


def test_the_lines_of_a_log():
    frame = frame_of(2000)
    env = dp.logged(frame)
    request = requested(algo=["bpo", "lin_ucb"], env=env)
    settings = request.settings
    summary = (
        settings_table(settings)
        .drop(columns="seed")
        .assign(mean=[800.0, 400], ci_low=[700.0, 300], ci_high=[900.0, 500], runs=9)
    )
    lines = [*lines_of_references(summary, request.records, request.question)]
    w = 1 / frame["propensity"]
    each = (w * frame["reward"]).groupby(frame["action"]).sum() / w.groupby(frame["action"]).sum()
    uniform = (w * frame["reward"]).sum() / w.sum()
    assert f"mean reward of the log is {frame['reward'].mean():.4g}; weighted" in lines[0]
    assert f"{uniform:.4g} for uniform play, and {each.max():.4g} for playing always" in lines[0]
    assert lines[1].endswith("eps=1: mean reward 0.6 (0.55 to 0.65 over permutations)")
    assert lines[2].endswith("lin_ucb: mean reward 0.8 (0.75 to 0.85 over permutations)")
    equal = summary.assign(ci_low=np.nan, ci_high=np.nan)  # of equal runs
    lines = [*lines_of_references(equal, request.records, request.question)]
    assert lines[1].endswith("mean reward 0.6") and lines[2].endswith("mean reward 0.8")
    notes = " ".join(settings[0].data.instance.notes)
    assert "permutations of one log are not independent logs" in notes
    assert "propensities: column propensity" in notes and "counts with probability 0.2" in notes
    assert setting(algo="bpo", env=env).horizon == 2000


def test_a_log_of_empirical_arms_says_how_features_are_used(tmp_path):
    frame_of().rename(columns={"action": "arm"}).to_csv(tmp_path / "a.csv", index=False)
    assert "env=log env.source=FILE" in build(dp.empirical(tmp_path / "a.csv").contents).notes[0]
    assert "and law log one with features" in message_of(
        build, dp.table(file=tmp_path / "a.csv").contents
    )


def changed(row, column, value):
    frame = frame_of().astype({column: object})
    frame.loc[row, column] = value
    return frame


BAD = [
    (frame_of(), {"action": "actions"}, "did you mean action?"),
    (frame_of(), {"reward": "rewards"}, "did you mean reward?"),
    (frame_of(), {"propensity": "propensities"}, "did you mean propensity?"),
    (frame_of(), {"features": ["xx"]}, "did you mean x?"),
    (frame_of(), {"reward": "action"}, "action, reward and propensity must be different columns"),
    (frame_of().rename(columns={"reward": "r"}), {}, "env.reward=NAME is needed"),
    (frame_of().rename(columns={"action": "a"}), {}, "env.action=NAME is needed"),
    (changed(6, "propensity", 0.0), {}, "row 7 of column propensity holds 0"),
    (changed(6, "propensity", 1.5), {}, "row 7 of column propensity holds 1.5; a propensity"),
    (changed(6, "reward", 2.0), {}, "row 7 of column reward holds 2.0; a reward in [0, 1]"),
    (changed(6, "reward", "x"), {}, "row 7 of column reward holds 'x'"),
    (changed(6, "reward", None), {}, "row 7 of column reward holds a blank; env.missing=drop"),
    (frame_of(), {"propensity_floor": 0.3}, "env.propensity_floor=0.3: row "),
    (frame_of(), {"propensity_floor": 0}, "env.propensity_floor=0: 0 < c <= 1"),
    (  # without the refusal, rows would be thrown away
        frame_of().drop(columns="propensity"),
        {"propensity_floor": 0.25},
        "env.propensity_floor=0.25: a column of propensities is needed, env.propensity=NAME; "
        "without one, the floor is 1/2",
    ),
    (frame_of().assign(action="a"), {}, "column action has 1 actions; 2 to 1,000 are needed"),
    (frame_of(1500).assign(action=range(1500)), {}, "column action has 1,500 actions"),
    (frame_of(700), {}, "so that every run uses at least 100"),
    (frame_of().rename(columns={"propensity": "Prob"}), {}, "write env.propensity=Prob"),
    (frame_of().rename(columns={"propensity": "action_prob"}), {}, "env.propensity=action_prob"),
    (frame_of(), {"features": ["x", "x"]}, "env.features=[x,x]: each column can be taken once"),
    (frame_of(300), {}, "300 rows, each used with probability 0.2, are too few; at least 780"),
    (frame_of().iloc[:0], {}, "at least two rows are needed"),
    (frame_of().drop(columns="x"), {}, "a column of features is needed"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "given", "line"), BAD, ids=[x[2][:40] for x in BAD])
def test_bad_input_is_refused_in_one_line(data, given, line):
    message = message_of(of, data, **given)
    assert line in message and "\n" not in message


def test_a_feature_may_be_named_like_a_propensity():
    of(frame_of().rename(columns={"propensity": "prob"}), features=["x", "prob"])


def test_practically_no_run_of_a_log_that_is_not_refused_has_too_few_rows_that_count():
    """Mutation that it catches: a log of which 100 rows count on average is played."""
    c, found = 0.2, of(frame_of())
    assert message_of(found.refuse_few, "horizon=775", 775).endswith("every run uses at least 100")
    found.refuse_few("horizon=780", 780)
    assert found.c == pytest.approx(c)
    assert np.random.default_rng(0).binomial(780, c, 100_000).min() >= 100


def test_a_horizon_or_an_algorithm_that_does_not_fit_is_refused():
    env = dp.logged(frame_of(2000))
    line = message_of(setting, algo="bpo", env=env, horizon=400)
    assert line.startswith("horizon=400: 400 rows, each used with probability")
    for name in ("supervised", "best_constant"):
        assert f"{name} needs labels, and a log has none" in message_of(setting, algo=name, env=env)
    assert "the data have 2000 rounds only" in message_of(
        setting, algo="bpo", env=env, horizon=3000
    )


def test_python_says_that_a_promise_is_withdrawn(capsys, monkeypatch):
    """Said once; without privacy, nothing is withdrawn."""
    monkeypatch.setattr("dpbandits.running.monte_carlo._said", set())
    env = dp.logged(frame_of())
    for eps in (np.inf, 1.0, 1.0):
        dp.run("square_cb", env, eps=eps, runs=1)
    printed = capsys.readouterr().err
    assert printed.count("square_cb: privacy is not promised on log: env.propensity_floor") == 1

"""Environments of features and contexts: their laws, and one clear line for bad input."""

import math

import numpy as np
import pytest
from helpers import setting
from refusals import message_of

import dpbandits as dp
from dpbandits.cli.run import _promises
from dpbandits.contextual_game import contexts, new_contextual_game, play, regret_of
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.errors import BadInput
from dpbandits.game import restart

LINEAR = {"law": "linear", "features": [[1, 0], [0, 1]], "theta": [0.5, 0.2], "noise": "sign",
          "sigma": 1.0}  # fmt: skip
CONTEXTUAL = {"law": "contextual", "K": 3, "theta": [0.6, 0.3], "center": [0.2, 0.1],
              "variance": 0.3, "ball": True, "noise": "sign", "sigma": 1.0,
              "instance": 0}  # fmt: skip
SPHERE = {"law": "linear_sphere", "K": 4, "d": 3, "instance": 0, "noise": "sign", "sigma": 1.0}

BAD = [
    (LINEAR | {"theta": [0.5]}, "theta=[0.5]: 2 numbers are needed, one per feature"),
    (LINEAR | {"theta": []}, "theta=[]: a list of numbers is needed"),
    (LINEAR | {"features": []}, "features=[]: one row an arm is needed"),
    (LINEAR | {"features": 3}, "features=3: one row an arm is needed"),
    (
        LINEAR | {"features": [[1, 0], [1]]},
        "rows of one length, at most 1000",
    ),
    (LINEAR | {"features": [["a", 0], [1, 1]]}, "features: entry=a: a finite number is needed"),
    (
        LINEAR | {"features": [[math.nan, 0], [1, 1]]},
        "features: entry=nan: a finite number is needed",
    ),
    (LINEAR | {"features": [[], []]}, "features=[[],[]]: a row has no numbers"),
    (LINEAR | {"features": [[1e200, 0], [0, 1]], "theta": [1e200, 0]}, "larger than any float"),
    (
        LINEAR | {"features": [[3, 0], [0, 1]]},
        "noise=sign: means in [-1, 1] are needed, but an arm has the mean 1.5",
    ),
    (LINEAR | {"noise": "signs"}, "noise=signs:"),
    (LINEAR | {"sigma": 0}, "sigma=0: a number above 0 is needed"),
    (LINEAR | {"noise": "sign", "sigma": 0.5}, "sigma=0.5: noise=sign has no sigma; write noise="),
    (CONTEXTUAL | {"sigma": 2}, "sigma=2: noise=sign has no sigma; write noise=gaussian"),
    (CONTEXTUAL | {"instance": 1}, "instance=1: theta is given, not drawn; leave one of them out"),
    (SPHERE | {"K": 0}, "K=0: a whole number of at least 2"),
    (SPHERE | {"d": 0}, "d=0: a whole number of at least 1"),
    (SPHERE | {"instance": -1}, "instance=-1"),
    (CONTEXTUAL | {"K": 0}, "K=0: a whole number of at least 1"),
    (CONTEXTUAL | {"variance": -1}, "variance=-1: a number of at least 0"),
    (CONTEXTUAL | {"theta": [1]}, "theta=[1]: 2 numbers are needed"),
    (CONTEXTUAL | {"ball": False}, "noise=sign: means in [-1, 1] are needed; write env.ball=true"),
    (
        CONTEXTUAL | {"theta": [1, 1]},
        "noise=sign: means in [-1, 1] are needed; write env.ball=true",
    ),
    (CONTEXTUAL | {"ball": 1}, "ball=1: true or false is needed"),
    (CONTEXTUAL | {"contexts": "spheres"}, "contexts=spheres: gaussian or sphere is needed"),
    (CONTEXTUAL | {"contexts": "sphere", "variance": 0}, "variance=0: contexts=sphere needs"),
    (CONTEXTUAL | {"link": "logit"}, "link=logit:"),
    ({"law": "contextual_table", "file": None, "K": 2}, "file=PATH.csv is needed"),
    ({"law": "contextual_table", "file": "none.csv", "K": 2}, "none.csv: no such file"),
]


@pytest.mark.parametrize(("spec", "line"), BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_bad_input_is_refused_in_one_line(spec, line):
    with pytest.raises(BadInput) as refused:
        build(spec)
    assert line in str(refused.value) and "\n" not in str(refused.value)


TABLES = [
    ("x,r1,r2\n1,0,2\n", 2, "rewards in [-1, 1] are needed, not 2"),
    ("x,r1,r2\n0,0,1\n", 2, "features that are not all 0"),
    ("x,r1,r2\n1,,1\n", 2, "holds a blank"),
    ("r1,r2\n1,1\n", 2, "a column of features before the 2 columns of rewards"),
    ("x,r1,r2\n1,0,1\n", 0, "K=0"),
]


@pytest.mark.parametrize(("text", "K", "line"), TABLES)
def test_bad_files_of_users_are_refused(tmp_path, text, K, line):
    (tmp_path / "users.csv").write_text(text)
    spec = {"law": "contextual_table", "file": str(tmp_path / "users.csv"), "K": K}
    assert line in message_of(build, spec)


REFUSED = [
    (
        "ucb",
        "contextual",
        "the environment has contexts, but ucb plays arms; use for example "
        "algo=private_lin_ucb or env=bernoulli",
    ),
    (
        "gope",
        "contextual",
        "but gope plays arms with features; use for example algo=private_lin_ucb or env=linear",
    ),
    (
        "gope",
        "bernoulli",
        "but gope plays arms with features; use for example algo=adap_klucb or env=linear",
    ),
    (
        "lin_ucb",
        "linear",
        "but lin_ucb plays contexts; use for example algo=gope or env=contextual",
    ),
    ("adac_gope", dp.linear([[2, 0], [0, 1]], [0.3, 0.2]), "a length of up to 2, but adac_gope"),
    (
        "adac_gope",
        dp.linear_sphere(noise="gaussian"),
        "runs adac_gope anyway, without",
    ),
    ("adac_gope", dp.linear([[0.1, 0], [0, 1]], [2, 0]), "theta has the length 2"),
    ("adac_oful", dp.contextual(3, [1, 1], 0.1, ball=False, noise="gaussian"), "without a bound"),
    ("gope", dp.linear([[1, 0]], [0.3, 0.2]), "a bandit needs at least two arms"),
    ("lin_ucb", dp.contextual(1, [1, 1], 0.1), "a bandit needs at least two arms"),
]


@pytest.mark.parametrize(("algo", "env", "line"), REFUSED, ids=str)
def test_what_does_not_fit_is_refused_before_anything_runs(algo, env, line):
    assert line in message_of(dp.run, algo=algo, env=env, horizon=10, runs=1)


def test_contaminating_contexts_is_refused():
    assert "not rewards of contexts" in message_of(
        dp.run, algo="lin_ucb", env=dp.contaminated("contextual", 0.1), horizon=10, runs=1
    )


def test_stopping_rules_play_no_contexts():
    assert "a stopping rule plays arms" in message_of(
        dp.stop, rule="dp_nas", env="contextual", runs=1
    )


def game_of(spec, T, seed=0, checkpoints=None):
    env_rng = np.random.default_rng(seed)
    env = build(spec).environment
    rounds = np.arange(1, T + 1) if checkpoints is None else np.array(checkpoints)
    return new_contextual_game(env, homogeneous(1.0).users(), env_rng, T, rounds)


def test_contexts_and_rewards_have_their_laws():
    game, n = game_of(CONTEXTUAL, 4000), 4000
    theta, seen, rewards, means = np.array([0.6, 0.3]), [], [], []
    for t in range(n):
        x = contexts(game).copy()
        assert (x == contexts(game)).all()  # the same until the round is played
        r = play(game, t % 3)
        seen.append(x)
        rewards.append(r)
        means.append(x[t % 3] @ theta)
    assert np.linalg.norm(seen, axis=2).max() <= 1 + 1e-12 and set(rewards) == {-1.0, 1.0}
    rng = np.random.default_rng(9)
    y = np.array([0.2, 0.1]) + math.sqrt(0.3) * rng.standard_normal((100_000, 2))
    y /= np.maximum(np.linalg.norm(y, axis=1), 1)[:, None]
    assert np.allclose(np.mean(seen, axis=(0, 1)), y.mean(axis=0), atol=0.03)
    assert np.allclose(np.var(seen, axis=(0, 1)), y.var(axis=0), atol=0.02)
    errors = np.array(rewards) - means
    assert abs(errors.mean()) < 5 * errors.std() / math.sqrt(n)
    assert abs(np.mean(errors * means)) < 5 / math.sqrt(n)


@pytest.mark.parametrize("link", ["linear", "logistic"])
@pytest.mark.parametrize("center", [[0.0, 0.0], [0.5, 0.1]])
def test_contexts_on_the_sphere_have_their_law_and_rewards_that_of_their_link(center, link):
    spec = CONTEXTUAL | {"contexts": "sphere", "link": link, "center": center, "ball": False}
    game, n, theta = game_of(spec, 4000), 4000, np.array([0.6, 0.3])
    seen, errors, lost = [], [], 0.0
    for t in range(n):
        x = contexts(game).copy()
        means = x @ theta if link == "linear" else 1 / (1 + np.exp(-x @ theta))
        r = play(game, t % 3)
        assert r in ((-1, 1) if link == "linear" else (0, 1))
        seen.append(x)
        errors.append(r - means[t % 3])
        lost += means.max() - means[t % 3]
    assert np.allclose(np.linalg.norm(seen, axis=2), 1)
    y = center + math.sqrt(0.3) * np.random.default_rng(9).standard_normal((100_000, 2))
    y /= np.linalg.norm(y, axis=1)[:, None]
    assert np.allclose(np.mean(seen, axis=(0, 1)), y.mean(axis=0), atol=0.03)
    assert np.allclose(np.var(seen, axis=(0, 1)), y.var(axis=0), atol=0.02)
    assert abs(np.mean(errors)) < 5 * np.std(errors) / math.sqrt(n)
    assert math.isclose(regret_of(game.trace[np.newaxis], n)[0, -1, 0], lost)
    instance = build(spec)
    assert instance.support == ((-1, 1) if link == "linear" else (0, 1))
    assert instance.longest[0] == 1


def test_regret_adds_up_the_gaps_of_each_round():
    game, theta = game_of(CONTEXTUAL, 50, checkpoints=[10, 50]), np.array([0.6, 0.3])
    gaps = []
    for t in range(50):
        values = contexts(game) @ theta
        gaps.append(values.max() - values[t % 3])
        play(game, t % 3)
    found = regret_of(game.trace[np.newaxis], 50)[0, :, 0]
    assert np.allclose(found, [sum(gaps[:10]), sum(gaps)])
    assert game.counts.tolist() == [17, 17, 16]
    with pytest.raises(ValueError, match="played 50 rounds of a game of 51"):
        regret_of(game.trace[np.newaxis], 51)
    restart(game)
    assert not game.trace.any() and not game.clock.any() and not game.counts.any()


def test_an_arm_that_does_not_exist_is_refused():
    for a in (-1, 3):
        with pytest.raises(IndexError):
            play(game_of(CONTEXTUAL, 5), a)


def test_users_of_a_file_are_drawn_with_their_rewards(tmp_path):
    file = tmp_path / "users.csv"
    file.write_text("x,y,r1,r2\n3,4,1,-1\n0,1,-0.5,0.25\n")
    game = game_of({"law": "contextual_table", "file": str(file), "K": 2}, 400)
    seen, total = set(), 0.0
    for t in range(400):
        x = contexts(game).copy()
        assert (x[0, 2:] == 0).all() and (x[1, :2] == 0).all() and (x[0, :2] == x[1, 2:]).all()
        r = play(game, t % 2)
        first = bool(np.allclose(x[0, :2], [0.6, 0.8]))
        assert first or np.allclose(x[0, :2], [0, 1])
        seen.add((t % 2, r, first))
        total += max((1, -1) if first else (-0.5, 0.25)) - r
    assert seen == {(0, 1, True), (1, -1, True), (0, -0.5, False), (1, 0.25, False)}
    assert math.isclose(regret_of(game.trace[np.newaxis], 400)[0, -1, 0], total)


USERS = "age,x,r1,r2\n20,3,1,-1\n60,0.1,-0.5,0.25\n120,0,0,1\n"


def rows_of(folder, text=USERS, **given):
    file = folder / "users.csv"
    file.write_text(text)
    return build({"law": "contextual_table", "file": str(file), "K": 2, **given})


def test_a_row_decides_its_own_vector_alone(tmp_path):
    """The control standardises the columns by the data, and promises no privacy of contexts."""
    other = USERS.replace("20,3", "20,3e5")
    for given, alone in ({}, True), ({"bound": 9}, True), ({"scale": "standard"}, False):
        one, two = (rows_of(tmp_path, x, **given) for x in (USERS, other))
        rows, changed = one.environment.rows, two.environment.rows
        assert (np.linalg.norm(np.vstack([rows, changed]), axis=1) <= 1 + 1e-12).all()
        assert (rows[1:] == changed[1:]).all() == alone and not (rows[0] == changed[0]).all()
        assert (one.withdrawn == "") == alone


def test_features_have_public_ranges_and_bounds(tmp_path):
    found = rows_of(tmp_path, ranges={"age": [0, 100]}, bound=2)
    expected = np.array([[-0.3, 1.5], [0.1, 0.05], [0.5, 0]])
    expected[0] /= np.linalg.norm(expected[0])
    assert np.allclose(found.environment.rows, expected)
    assert found.notes[0] == "1 rows leave the range of age and are clipped"
    huge = rows_of(tmp_path, USERS.replace("20,3,", "20,1e300,")).environment.rows
    assert np.allclose(huge[0], [0, 1])


OUT = [
    ({"ranges": {"agee": [0, 1]}}, "ranges: unknown column 'agee': did you mean age?"),
    ({"ranges": {"age": [1, 0]}}, "ranges.age=[1,0]: two numbers are needed"),
    ({"ranges": [0, 1]}, "ranges=[0,1]: a range per column is needed"),
    ({"bound": 0}, "bound=0: a number above 0 is needed"),
    ({"scale": "largest"}, "scale=largest: public or standard is needed"),
    ({"scale": "standard", "bound": 2}, "scale=standard: leave out ranges and bound"),
]


@pytest.mark.parametrize(("given", "line"), OUT, ids=lambda x: x if isinstance(x, str) else "")
def test_scales_that_are_none_are_refused_in_one_line(tmp_path, given, line):
    assert line in message_of(rows_of, tmp_path, **given)


def test_a_scale_of_the_data_withdraws_the_promise_of_contexts_alone(tmp_path):
    file = tmp_path / "users.csv"
    file.write_text(USERS)
    void = {"public": False, "standard": True}
    for algo, of_contexts in ("private_lin_ucb", True), ("ldp_sgd", True), ("adac_oful", False):
        for scale, withdrawn in void.items():
            env = dp.contextual_table(file, K=2, scale=scale)
            lines = list(_promises([setting(algo=algo, env=env, horizon=10)]))
            lost = [x for x in lines if "not promised" in x and "scale=standard" in x]
            assert len(lost) == (withdrawn and of_contexts)
            assert any("a promise is one of a round" in x for x in lines)


def test_instances_are_drawn_from_their_number_alone():
    one, same, other = (build(SPHERE | {"instance": i}) for i in (1, 1, 2))
    assert (one.environment.features == same.environment.features).all()
    assert not np.allclose(one.theta, other.theta)
    assert np.allclose(np.linalg.norm(one.environment.features, axis=1), 1)
    assert np.allclose(one.means, one.environment.features @ one.theta)
    drawn = [build(CONTEXTUAL | {"theta": None, "instance": i}).theta for i in (1, 1, 2)]
    assert (drawn[0] == drawn[1]).all() and not np.allclose(drawn[0], drawn[2])


def test_shuffled_arms_keep_their_features():
    instance, order = build(SPHERE), np.array([2, 0, 3, 1])
    env = instance.shuffled(order)
    assert (env.features == instance.environment.features[order]).all()
    assert (env.parameters == instance.environment.parameters[order]).all()

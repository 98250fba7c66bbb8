"""Environments of features and contexts: their laws."""

import math

import numpy as np
import pytest
from refusals import message_of

from dpbandits.contextual_game import contexts, new_contextual_game, play, regret_of
from dpbandits.environments.catalogue import build
from dpbandits.environments.populations import homogeneous
from dpbandits.game import restart

CONTEXTUAL = {"law": "contextual", "K": 3, "theta": [0.6, 0.3], "center": [0.2, 0.1],
              "variance": 0.3, "ball": True, "noise": "sign", "sigma": 1.0,
              "instance": 0}  # fmt: skip
SPHERE = {"law": "linear_sphere", "K": 4, "d": 3, "instance": 0, "noise": "sign", "sigma": 1.0}

# A file of two users, and what is wrong with it
TABLES = [
    ("x,r1,r2\n0,0,1\n", "features that are not all 0"),
    ("x,r1,r2\n1,,1\n", "holds a blank"),
]


@pytest.mark.parametrize(("text", "line"), TABLES)
def test_bad_files_of_users_are_refused(tmp_path, text, line):
    (tmp_path / "users.csv").write_text(text)
    spec = {"law": "contextual_table", "file": str(tmp_path / "users.csv"), "K": 2}
    assert line in message_of(build, spec)


def game_of(spec, T, seed=0, checkpoints=None):
    env_rng = np.random.default_rng(seed)
    env = build(spec).environment
    rounds = np.arange(1, T + 1) if checkpoints is None else np.array(checkpoints)
    return new_contextual_game(env, homogeneous(1.0).users(), env_rng, T, rounds)


OF_CONTEXTS = [
    {},
    *({"contexts": "sphere", "link": link, "center": center, "ball": False}
      for link in ("linear", "logistic") for center in ([0.0, 0.0], [0.5, 0.1])),
]  # fmt: skip


@pytest.mark.parametrize("changes", OF_CONTEXTS)
def test_contexts_and_rewards_have_their_laws_and_regret_adds_up(changes):
    spec, n, theta = CONTEXTUAL | changes, 4000, np.array(CONTEXTUAL["theta"])
    game, seen, means, rewards, lost = game_of(spec, n), [], [], [], 0.0
    for t in range(n):
        x = contexts(game).copy()
        assert (x == contexts(game)).all()  # the same until the round is played
        mean = 1 / (1 + np.exp(-x @ theta)) if "logistic" in spec.values() else x @ theta
        seen.append(x)
        means.append(mean[t % 3])
        rewards.append(play(game, t % 3))
        lost += mean.max() - mean[t % 3]
    y = np.random.default_rng(9).standard_normal((100_000, 2))
    y = spec["center"] + math.sqrt(0.3) * y
    length, longest = (np.linalg.norm(v, axis=-1) for v in (y, seen))
    y /= (length if changes else np.maximum(length, 1))[:, None]
    assert np.allclose(longest, 1) if changes else longest.max() <= 1 + 1e-12
    assert np.allclose(np.mean(seen, axis=(0, 1)), y.mean(axis=0), atol=0.03)
    assert np.allclose(np.var(seen, axis=(0, 1)), y.var(axis=0), atol=0.02)
    errors, instance = np.array(rewards) - means, build(spec)
    assert abs(errors.mean()) < 5 * errors.std() / math.sqrt(n)
    assert abs(np.mean(errors * (means - np.mean(means)))) < 5 / math.sqrt(n)
    support = (0, 1) if "logistic" in spec.values() else (-1, 1)
    assert set(rewards) == {*support} and instance.support == support
    assert instance.longest[0] == 1
    assert math.isclose(regret_of(game.trace[np.newaxis], n)[0, -1, 0], lost)


def test_regret_is_recorded_at_checkpoints_of_whole_games():
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
        assert first or np.allclose(x[0, :2], [0, 0.2])
        seen.add((t % 2, r, first))
        total += max((1, -1) if first else (-0.5, 0.25)) - r
    assert seen == {(0, 1, True), (1, -1, True), (0, -0.5, False), (1, 0.25, False)}
    assert math.isclose(regret_of(game.trace[np.newaxis], 400)[0, -1, 0], total)


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

"""The law of the regret does not depend on the order in which an environment lists its arms."""

import numpy as np
import pytest
from helpers import HEAVY, NAMES, P_VALUE, RULES, algorithm, setting
from scipy.stats import chisquare, ks_2samp

import dpbandits as dp
from dpbandits.contracts.question import BEST_ARM, STOPPING
from dpbandits.game import arms, pull, rounds_left
from dpbandits.running.play import play_many

C2 = [0.75, 0.625, 0.5, 0.375, 0.25]
NAMING = [name for name in RULES if algorithm(name).question is BEST_ARM]


def regrets(means, runs, **given):
    """The final regret of each run."""
    law = dp.pareto if given["algo"] in HEAVY else dp.bernoulli
    more = {"shape": 1.8} if law is dp.pareto else {}
    env = law(means, **more)
    one = setting(env=env, horizon=1e4, checkpoints=1, assume=True, **given)
    gaps = max(means) - np.array(means)
    return [float(record.pulls[-1] @ gaps) for record in play_many(one, range(runs))]


def differ(runs=400, **given):
    """Whether the regret has another law if the arms are listed backwards, with other seeds."""
    forwards, backwards = (
        regrets(means, runs, seed=seed, **given) for seed, means in enumerate((C2, C2[::-1]))
    )
    return ks_2samp(forwards, backwards).pvalue < P_VALUE


def test_regret_does_not_depend_on_the_order_of_the_arms():
    assert not differ(algo="adap_klucb", eps=0.05)
    assert differ(algo="adap_klucb", eps=0.05, shuffle_arms=False)  # control


@pytest.mark.long
@pytest.mark.parametrize("algo", NAMES)
def test_no_regret_depends_on_the_order_of_the_arms(algo):
    budget = {algorithm(algo).budget: 0.05} if algorithm(algo).private else {}
    assert not differ(runs=200, algo=algo, **budget)


@pytest.mark.slow
@pytest.mark.parametrize("rule", NAMING)
def test_the_arm_that_is_named_has_its_listed_number(rule):
    budget = {"eps": 10} if algorithm(rule).private else {}
    arms = 2 if rule == "nprr_ab" else 3
    for best in (0, arms - 1):
        means = [0.95 if a == best else 0.05 for a in range(arms)]
        env = dp.bernoulli(means)
        one = setting(STOPPING, rule=rule, env=env, delta=0.01, cap=10**6, **budget)
        assert {record.answer for record in play_many(one, range(20))} == {best}


def first(game, rng):
    """Plays arm 0, then arm 1, ..., for a round each."""
    while rounds_left(game) > 0:
        pull(game, (arms(game) - rounds_left(game)) % arms(game))


@pytest.mark.slow
def test_every_order_of_the_arms_is_as_likely():
    one = setting(algo=first, env=dp.bernoulli([0.9, 0.5, 0.1, 0.3]), horizon=4)
    records = play_many(one, range(2400))
    rounds = [np.diff(record.pulls, axis=0, prepend=0).argmax(axis=1) for record in records]
    assert records[0].pulls.shape == (4, 4)
    _, counts = np.unique([tuple(x) for x in rounds], axis=0, return_counts=True)
    assert len(counts) == 24 and chisquare(counts).pvalue > P_VALUE
    counts[:2] += (-50, 50)  # control
    assert chisquare(counts).pvalue < P_VALUE


def test_shuffled_rewards_of_a_table_are_those_of_their_column():
    """A table is not copied for each run: places point to its columns."""
    rewards = np.arange(12.0).reshape(4, 3)
    env = dp.table(rewards)
    seen = []

    def keeping(game, rng):
        for a in range(3):
            seen.append(pull(game, a))

    kept = setting(algo=keeping, env=env, horizon=3)
    records = play_many(kept, range(20))
    for i, record in enumerate(records):
        order = np.diff(record.pulls, axis=0, prepend=0).argmax(axis=1)
        assert seen[3 * i : 3 * i + 3] == [rewards[t, a] for t, a in enumerate(order)]
    assert len(set(map(tuple, np.reshape(seen, (-1, 3)).tolist()))) > 3
    assert kept.instance.alone(2).environment.table.tolist() == rewards[:3, 2:].tolist()
    assert kept.instance.alone(2).environment.parameters[0, 0] == 0

"""Classes that choose arms are played as an obvious loop plays them, in runs and in audits."""

import itertools
import re
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from helpers import NAMES
from refusals import message_of

import dpbandits as dp
from dpbandits.authoring import arms, pull, rounds_left
from dpbandits.authoring import play as play_context
from dpbandits.contextual_game import contexts
from dpbandits.policies import CHOOSES, RECEIVES, make_policy, play_policy
from dpbandits.running.failures import RunsFailed

QUICK = {"env": "bernoulli_c2", "horizon": 60, "runs": 3, "jobs": 1, "backend": "threads"}


class Noisy:
    """The arm of largest noisy sum; draws from its generator alone."""

    def __init__(self, arms, eps, rng):
        self.sums, self.eps, self.rng = np.zeros(arms), eps, rng

    def act(self):
        return int(np.argmax(self.sums + self.rng.laplace(0, 1 / self.eps, len(self.sums))))

    def update(self, arm, reward):
        self.sums[arm] += reward


def noisy_by_hand(game, rng, eps):
    """``Noisy`` without a class: the control."""
    sums = np.zeros(arms(game))
    while rounds_left(game) > 0:
        a = int(np.argmax(sums + rng.laplace(0, 1 / eps, len(sums))))
        sums[a] += pull(game, a)


def regrets(**given):
    return dp.run(**(QUICK | given))["regret"].tolist()


def test_a_class_plays_what_its_loop_plays():
    assert regrets(policy=Noisy, eps=[0.5, 2]) == regrets(algo=noisy_by_hand, eps=[0.5, 2])
    assert regrets(policy=Noisy, eps=0.5) != regrets(policy=Noisy, eps=2)


@pytest.mark.slow
def test_processes_play_the_same_runs_in_one_table_with_compiled_algorithms():
    given = QUICK | {"policy": Noisy, "algo": ["dp_se", noisy_by_hand], "backend": "auto"}
    one, two = (dp.run(**given | {"jobs": jobs}) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    assert list(one["algo"].unique()) == ["dp_se", "noisy_by_hand", "Noisy"]


@pytest.mark.parametrize(("chooses", "receives"), [*itertools.product(CHOOSES, RECEIVES)])
def test_methods_have_the_names_of_other_packages(chooses, receives):
    body = {chooses: Noisy.act, receives: Noisy.update, "__init__": Noisy.__init__}
    played = []
    for made in (type("Other", (), body), Noisy):
        rewards, rng = np.random.default_rng(0).random((20, 3)), np.random.default_rng(1)
        policy, arms = made(3, 1.0, rng), []
        play_policy(policy, lambda a: arms.append(a) or float(rewards[len(arms) - 1, a]), 3, 20)  # noqa: B023
        played.append(arms)
    assert played[0] == played[1]


def make(**methods):
    return type(
        "Mine", (), {"act": lambda self: 1, "update": lambda self, arm, reward: None} | methods
    )


def rounds_of(policy, K=3, T=5, show=None):
    """The arms that a policy plays; the reward of round t is t."""
    played = []

    def pull(a):
        played.append(a)
        return float(len(played) - 1)

    play_policy(policy, pull, K, T, show)
    return played


@pytest.mark.parametrize(
    "update",
    [
        lambda self, arm, reward: self.seen.append((arm, reward)),
        lambda self, action, r: self.seen.append((action, r)),
        lambda self, reward, arm: self.seen.append((arm, reward)),
        lambda self, r, a: self.seen.append((a, r)),
        lambda self, payoff, arm: self.seen.append((arm, payoff)),
        lambda self, value, chosen_arm: self.seen.append((chosen_arm, value)),
        lambda self, recommended_arm, payoff: self.seen.append((recommended_arm, payoff)),
        lambda self, payoff, arm, /: self.seen.append((arm, payoff)),
        lambda self, *, arm, reward: self.seen.append((arm, reward)),
        lambda self, context, *pair: self.seen.append(pair),
        lambda self, decisions, rewards, contexts=None: self.seen.append(
            (decisions[0], rewards[0])
        ),
        lambda self, x, y: self.seen.append((x, y)),
        lambda self, *pair: self.seen.append(pair),
        lambda self, context, action, reward: self.seen.append((action, reward)),
    ],
)
def test_arm_and_reward_reach_the_parameters_that_name_them(update):
    """Mutation that it catches: an order that is read from the first name alone."""
    policy = make(update=update, seen=[])()
    shows = "context" in update.__code__.co_varnames[1:2]
    rounds_of(policy, show=(lambda: np.eye(3)) if shows else None)
    assert policy.seen == [(1, float(t)) for t in range(5)]


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (lambda self, arm: None, "one value is taken, arm; a policy has the method"),
        (lambda self, reward, *others: None, "one value is taken, reward; a policy has"),
        (lambda self: None, "too many positional arguments; a policy has the method"),
        (lambda self, arm, reward, price: None, "missing a required argument: 'price'; a policy"),
    ],
)
def test_a_method_that_does_not_take_arm_and_reward_is_refused(update, said):
    """Mutation that it catches: a signature that is first tried in a round."""
    assert said in message_of(rounds_of, make(update=update)())


async def awaited(self, arm, reward): ...


def yielded(self, arm, reward):
    yield


async def both(self, arm, reward):
    yield


@pytest.mark.parametrize("method", [awaited, yielded, both])
def test_a_method_whose_body_would_not_run_is_refused(method):
    """Otherwise the policy would play on, but never learn."""
    policy = type("Deferred", (), {"act": lambda self: 0, "update": method})
    message = message_of(play_policy, policy(), lambda a: 0.0, 2, 3)
    assert message == "policy=Deferred: update must be an ordinary method, without async or yield"
    own_loop = type("Deferred", (), {"play": method})
    assert "play must be an ordinary" in message_of(play_policy, own_loop(), lambda a: 0.0, 2, 3)


def test_a_policy_that_needs_data_before_it_predicts_gets_one_reward_of_each_arm():
    class NeedsData:
        counts = ()

        def predict(self):
            if not self.counts:
                raise ValueError("not fitted")
            return min(range(3), key=self.counts.count)

        def partial_fit(self, decisions, rewards):
            self.counts += tuple(decisions)

    assert rounds_of(NeedsData(), T=7) == [0, 1, 2, 0, 1, 2, 0]
    played: list[int] = []  # on a log, every other row counts

    def pull(a):
        played.append(a)
        return None if len(played) % 2 else 1.0

    play_policy(NeedsData(), pull, 3, 10)
    assert played == [0, 0, 1, 1, 2, 2, 0, 0, 1, 1]

    def fails(self):
        raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        rounds_of(make(act=fails)())


def test_arguments_have_the_names_of_other_packages():
    def first(nbArms, T, n_features, generator, lower=0.0): ...

    rng = np.random.default_rng(0)
    for function in (first, lambda K, horizon, d, rng: None, lambda arms, **others: None):
        kept = {}
        record = lambda **given: kept.update(given) or object()  # noqa: B023, E731
        record.__signature__ = __import__("inspect").signature(function)
        make_policy(record, 4, 9, rng, {}, 2)
        assert {4, 9} <= {x for x in kept.values() if isinstance(x, int)}
        assert any(x is rng for x in kept.values())
    seeds = [make_policy(lambda seed: seed, 2, 9, rng, {}) for _ in range(2)]
    assert all(type(x) is int for x in seeds) and len(set(seeds)) == 2


class Takes:
    """Keeps what it was made with."""

    made: list

    def __init__(
        self, K, m: int = 10, rate=0.5, kind: Literal["a", "b"] = "a", first=None, on=True
    ):
        Takes.made.append((m, rate, kind, first, on))

    def act(self):
        return 0

    def update(self, arm, reward): ...


def test_parameters_are_numbers_or_names_and_the_others_keep_their_defaults():
    Takes.made = []
    dp.run(policy=Takes, m=[20, 30], kind="b", **QUICK | {"runs": 1})
    assert {*Takes.made} == {(m, 0.5, "b", None, True) for m in (20, 30)}
    assert all(type(m) is int for m, *_ in Takes.made)
    assert "first" in message_of(dp.run, policy=Takes, first=1, **QUICK)


class Linear:
    """Greedy for contexts; the order of its methods' parameters is that of coba."""

    def __init__(self, n_arms, d):
        self.A, self.b, self.shapes = np.eye(d), np.zeros(d), []

    def choose(self, contexts):
        return int(np.argmax(contexts @ np.linalg.solve(self.A, self.b)))

    def update(self, context, action, reward):
        x = context[action]
        self.A += np.outer(x, x)
        self.b += reward * x


def linear_by_hand(game, rng):
    """``Linear`` without a class: the control."""
    A, b = np.eye(contexts(game).shape[1]), np.zeros(contexts(game).shape[1])
    while rounds_left(game) > 0:
        x = contexts(game)
        a = int(np.argmax(x @ np.linalg.solve(A, b)))
        own = x[a].copy()
        r = play_context(game, a)
        A += np.outer(own, own)
        b += r * own


def test_contexts_and_features_reach_the_policy():
    given = QUICK | {"env": "contextual"}
    assert regrets(policy=Linear, **given) == regrets(algo=linear_by_hand, **given)
    found = dp.summary(dp.run(policy=[Linear, make()], **QUICK | {"env": "linear", "horizon": 300}))
    assert found["mean"][0] < found["mean"][1] / 2


def test_a_policy_of_contexts_in_a_game_without_contexts_is_told_so():
    with pytest.raises(dp.RunsFailed, match="choose takes contexts, but the environment has none"):
        dp.run(policy=Linear, **QUICK)


class Budgeted(Noisy):
    """``Noisy`` with other names of its arguments."""

    def __init__(self, budget, arms, horizon, generator):
        super().__init__(arms, budget, generator)


class PrivacyBudgeted(Budgeted):
    def __init__(self, n_arms, T, rng, privacy_budget):
        super().__init__(privacy_budget, n_arms, T, rng)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [Budgeted, PrivacyBudgeted])
def test_a_budget_of_another_name_is_the_budget_eps(policy):
    assert regrets(policy=policy, eps=[0.5, 2]) == regrets(policy=Noisy, eps=[0.5, 2])
    found, same = (dp.audit(policy=x, eps=1, horizon=4, runs=300) for x in (policy, Noisy))
    kept = ["verdict", "measured", "budget", "count_first"]
    assert found[kept].equals(same[kept])
    name = "budget" if policy is Budgeted else "privacy_budget"
    for call in (dp.run, dp.audit):
        assert "eps" in message_of(call, policy=policy, **{name: 2})


class Shares(Noisy):
    """A policy whose ``budget`` is a parameter, since its privacy budget has its usual name."""

    def __init__(self, arms, eps, rng, budget=3):
        super().__init__(arms, eps, rng)
        assert budget in (3, 4)


class EpsilonGreedy(Noisy):
    def __init__(self, arms, epsilon, rng):
        super().__init__(arms, 1.0, rng)


def test_other_parameters_with_such_names_are_not_the_privacy_budget():
    assert regrets(policy=Shares, eps=1, budget=[3, 4]) == 2 * regrets(policy=Noisy, eps=1)
    regrets(policy=EpsilonGreedy, epsilon=0.1)
    assert message_of(dp.run, policy=EpsilonGreedy).endswith(
        "algo.epsilon is missing: EpsilonGreedy needs it; if it is the privacy budget, name it eps"
    )


class Leaks(Noisy):
    def __init__(self, K, eps, seed):
        super().__init__(K, 100 * eps, np.random.default_rng(seed))


@pytest.mark.slow
def test_an_audit_plays_the_same_classes():
    found = dp.audit(algo=Leaks, eps=1, horizon=8, runs=300, jobs=1)
    assert found.loc[0, "name"] == "Leaks" and found.loc[0, "verdict"] != "consistent"


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        (3, "Mine: it chose arm 3 of 3 arms, 0 to 2"),
        (-1, "it chose arm -1 of 3 arms"),
        (0.5, "it chose arm 0.5 of 3 arms"),
        (np.nan, "it chose arm nan of 3 arms"),
        ("1", "it chose arm 1 .str. of 3 arms"),
        ([0, 1], "it chose arm .0,1. .list. of 3 arms"),
        (None, "it chose arm null .NoneType. of 3 arms"),
    ],
)
def test_an_arm_that_does_not_exist_is_named(arm, said):
    assert re.search(said, message_of(rounds_of, make(act=lambda self: arm)()))
    env = dp.bernoulli([0.5, 0.4, 0.3])
    with pytest.raises(RunsFailed, match=said):
        dp.run(policy=make(act=lambda self: arm), **QUICK | {"env": env})


class Two:
    """An integer of another package."""

    def __index__(self):
        return 2


@pytest.mark.parametrize("arm", [Two(), np.int64(2), 2.0, [2], np.array([[2]]), np.float32(2)])
def test_an_arm_may_be_any_whole_number(arm):
    assert rounds_of(make(act=lambda self: arm)()) == [2] * 5


def test_a_loop_of_its_own_ends_with_the_game():
    def play(self, pull):
        while True:
            self.total += pull(1)

    policy = make(play=play, total=0.0)()
    assert rounds_of(policy) == [1] * 5 and policy.total == 10.0


def test_what_is_no_policy_is_refused_before_anything_is_played():
    for lacking in (type("A", (), {"act": None}), type("B", (), {"update": None}), Exception):
        assert f"policy={lacking.__name__}: a policy has the method" in message_of(
            dp.run, policy=lacking
        )


def test_an_error_of_a_class_is_that_of_its_run():
    with pytest.raises(RunsFailed, match="division by zero"):
        dp.run(policy=make(act=lambda self: 1 / 0), **QUICK)


@pytest.mark.slow
def test_names_and_lines_of_a_class_are_shown():
    own = make(NAME="Mine (ours)", LINE=("wine", "dotted"))
    table = dp.run(policy=own, algo=["dp_imed", "dp_se"], **QUICK)
    figure = dp.plot(table)
    lines = {x.get_label(): x for x in figure.axes[0].get_lines()}
    assert lines["Mine (ours)"].get_color() == "#661144"
    bad = [
        ("NAME", ""),
        ("NAME", "a\nb"),
        ("NAME", 3),
        ("LINE", "wine"),
        ("LINE", ("wine", "wavy")),
    ]
    for key, value in bad:
        assert f"{key}=" in message_of(dp.run, policy=make(**{key: value}), **QUICK)
    odd = dp.run(policy=make(LINE=("no such colour", "solid")), **QUICK)
    assert "LINE=no such colour" in message_of(dp.plot, odd)


@pytest.mark.slow
@pytest.mark.parametrize("names", [["dp_imed"], ["ucb", "dp_se"], NAMES[:8]])
def test_an_own_algorithm_takes_a_free_colour(names):
    """Each algorithm that declares a colour has it whether or not another one stands beside it."""
    from dpbandits.figures.style import styles_of

    def colours(some):
        found = styles_of(pd.DataFrame([(x, x) for x in some], columns=["algo", "line"]))
        return {name: look["color"] for name, look in found.items()}

    without, beside = colours(names), colours(["mine", *names, "another"])
    assert beside | without == beside
    assert (
        len({beside["mine"], beside["another"], *without.values()}) == len({*without.values()}) + 2
    )

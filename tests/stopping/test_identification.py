"""Rules that name an arm or a hypothesis: thresholds, costs, error rates, answers."""

import math

import numpy as np
import pytest
from helpers import algorithm, records, replace, table
from in_law import apart_in_sizes as apart

import dpbandits as dp
from dpbandits.contracts.question import STOPPING
from dpbandits.parts.noise import mechanisms
from dpbandits.results.intervals import clopper_pearson
from dpbandits.running.play import play_many
from dpbandits.settings.compose import request_from

RUNS = 2000


def pulls_and_answers(rule, means, eps, delta, cap=10**6, runs=RUNS, seed=3, **parameters):
    """Pulls of each arm and answers of runs of a rule of the package, arrays of a row a run."""
    given = {"rule": rule, "env": dp.bernoulli(means), "seed": seed, "cap": cap}
    given |= {"delta": delta} if delta is not None else {}
    given |= {"eps": eps} if algorithm(rule).private else {}
    setting = request_from(STOPPING, given, parameters).settings[0]
    records = play_many(setting, range(runs))
    return np.array([r.pulls[-1] for r in records]), np.array([r.answer for r in records])


RULES = ["adap_tt", "adap_tt_star", "dp_se_bai", "tt_ucb", "ctb_tt"]


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_proved_rule_errs_at_most_as_often_as_promised(rule):
    """20,000 runs of a hard instance at a large delta: the exact interval lies below it."""
    delta = 0.3
    means = [0.5, 0.8] if rule == "ctb_tt" else [0.45, 0.55]
    given = {"eps": 2.0, "delta": delta, "cap": 10**6}
    _, answers = pulls_and_answers(rule, means, runs=20_000, **given)
    halted = np.isfinite(answers)
    wrong = float((answers[halted] == 0).sum())
    _, high = clopper_pearson(np.array([wrong]), np.array([float(halted.sum())]))
    assert halted.mean() > 0.9 and high[0] <= delta
    print(f"{rule}: wrong {wrong:g} of {halted.sum()}, at most {high[0]:.3g}")


@pytest.mark.slow
def test_the_threshold_is_what_keeps_errors_rare():
    """The control of the test above: the empirical threshold of the code errs more often."""
    given = {"eps": 0.05, "delta": 0.3, "cap": 10**6, "runs": 3000}
    _, coded = pulls_and_answers("adap_tt", [0.45, 0.55], variant="coded", **given)
    assert (coded == 0).mean() > 0.3


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_names_the_best_arm_wherever_it_is(rule):
    for best in range(3):
        means = [0.9 if a == best else 0.2 + 0.1 * a for a in range(3)]
        pulls, answers = pulls_and_answers(rule, means, 3.0, 0.05, runs=20)
        assert (answers == best).mean() > 0.9
        assert (pulls.sum(axis=1) >= 3).all()


@pytest.mark.slow
@pytest.mark.parametrize("budgets", [[0.5], [0.5, np.inf], [0.5, 1.0, np.inf]])
def test_times_are_drawn_as_points_at_their_budgets(budgets):
    given = {"env": dp.bernoulli([0.9, 0.2]), "delta": 0.1, "runs": 3, "jobs": 1}
    upper, _ = dp.plot(dp.stop("adap_tt", eps=budgets, **given)).axes
    low, high = upper.get_xlim()
    assert low < 0.5 < high
    names = [x for line in upper.lines if not (x := line.get_label()).startswith("_")]
    without = ["AdaP-TT, without privacy"] * (np.inf in budgets)
    assert names == [*without, "AdaP-TT"]
    marked = [line for line in upper.lines if line.get_marker() not in ("None", "x")]
    points = [line for line in marked if line.get_xdata().size]
    assert [line.get_xdata().tolist() for line in points] == [[x for x in budgets if x < np.inf]]


@pytest.mark.slow
def test_only_points_that_share_a_budget_are_set_aside_around_it():
    given = {"env": dp.bernoulli([0.9, 0.2]), "delta": 0.1, "runs": 3, "jobs": 1}
    table = dp.stop(["adap_tt", "dp_se_bai", "tt_ucb"], eps=[0.5, 1.0], **given)
    table = table[(table["rule"] != "dp_se_bai") | (table["eps"] == 1.0)]
    for ax in dp.plot(table).axes:
        at = [line.get_xdata() for line in ax.lines if line.get_marker() in ("o", "s", "D")]
        (alone, left), (right,) = sorted((x for x in at if len(x)), key=len, reverse=True)
        assert alone == 0.5 and left < 1 < right and left * right == pytest.approx(1)


def test_answers_of_which_nobody_knows_whether_they_are_right_have_no_share():
    given = {"env": dp.bernoulli([0.9, 0.2]), "delta": 0.1, "runs": 3, "jobs": 1}
    table = dp.stop(["adap_tt", "ctb_tt"], eps=[0.5, 1.0], **given)
    table.loc[table["rule"] == "ctb_tt", "correct"] = np.nan
    upper, lower = dp.plot(table).axes
    assert len(upper.get_legend_handles_labels()[0]) == 2 and len(lower.containers) == 1


# mu0, mu1, eps, mean
TESTS = [(0.3, 0.7, 1.0, 0.3), (0.3, 0.7, 0.1, 0.7), (0.45, 0.55, 5.0, 0.5), (0.2, 0.5, 3.0, 0.6)]


def stops(mu0, mu1, eps, mean, runs=1500):
    given = {"mu0": mu0, "mu1": mu1, "alpha": 0.05, "beta": 0.1, "runs": runs}
    return dp.stop("dp_sprt", env=dp.bernoulli([mean]), eps=eps, jobs=1, **given)


@pytest.mark.long
@pytest.mark.extra("dpsprt")
@pytest.mark.parametrize("setting", [TESTS[0], *TESTS[2:]])  # theirs takes long at a small budget
def test_stopping_times_are_those_of_the_authors_package(setting):
    """In law, on shared settings; its control is another budget."""
    from dpsprt import DPSPRT

    mu0, mu1, eps, mean = setting
    rng = np.random.default_rng(0)
    times, decisions = [], []
    test = DPSPRT(mu0=mu0, mu1=mu1, alpha=0.05, beta=0.1, epsilon=eps, random_seed=1)
    for _ in range(200):
        test.reset()
        stopped, n = False, 0
        while not stopped:
            stopped, decision = test.add_sample(int(rng.random() < mean))
            n += 1
        times.append(n)
        decisions.append(decision)
    theirs, ours = np.array(times, float)[:, None], stops(*setting)
    assert apart(ours["stopping_time"].to_numpy(float)[:, None], theirs) < 5
    share = np.mean(np.array(decisions) == 1)
    error = math.sqrt(0.25 / 200 + 0.25 / 1500)
    assert abs(ours["answer"].mean() - share) < 5 * error
    other = stops(mu0, mu1, eps / 2, mean)["stopping_time"].to_numpy(float)[:, None]
    assert apart(other, theirs) > 5


@pytest.mark.slow
@pytest.mark.extra("dpsprt")
@pytest.mark.parametrize("factors", [(1.0, 1.0), (0.5, 0.5), (1.0, 0.25)])
def test_decisions_are_those_of_the_authors_package(factors, monkeypatch):
    """On the same rewards with the same noise; other factors lead to other decisions."""
    from dpsprt import dp_sprt_tuned

    c1, c2 = factors
    rng, times = np.random.default_rng(0), []
    own = {"mu0": 0.3, "mu1": 0.7, "alpha": 0.05, "beta": 0.1}
    for seed in range(60):
        rewards = (rng.random(2000) < rng.choice([0.3, 0.5, 0.7])).astype(float)
        eps = float(rng.choice([0.2, 1.0, 5.0]))
        decision, time, info = dp_sprt_tuned(
            rewards, epsilon=eps, c1=c1, c2=c2, random_seed=seed, **own
        )
        for other in (False, True):
            steps = np.arange(1, len(rewards) + 1)
            draws = iter([info["laplace_noise2"][0], *(info["laplace_noise1"] * steps)])
            replace(monkeypatch, mechanisms.laplace, lambda rng, scale, draws=draws: next(draws))
            [found] = records(
                "dp_sprt", table(np.column_stack([rewards, rewards])), 2000, eps=eps, plain=True,
                **own, c1=2 * c1 if other else c1, c2=c2,
            )  # fmt: skip
            ours = found.pulls[-1].sum(), found.answer
            theirs = time, math.nan if decision == 0 else max(decision, 0)
            if not other:
                assert np.array_equal(ours, theirs, equal_nan=True)
            times.append(ours[0] != theirs[0])
    assert np.mean(times[1::2]) > 0.1  # other factors


def test_a_hypothesis_is_right_where_it_holds():
    table = dp.stop("dp_sprt", env=dp.bernoulli([0.2, 0.5, 0.9]), arm=[0, 1, 2], runs=5)
    shares = table.groupby("arm")["correct"]
    assert shares.count().tolist() == [5, 0, 5]  # between the hypotheses any answer would be right
    assert shares.mean().dropna().tolist() == [1, 1]
    assert table[table["arm"] == 2]["answer"].tolist() == [1] * 5


def test_the_best_arm_is_the_right_answer():
    table = dp.stop("dp_se_bai", env=dp.bernoulli([0.9, 0.1, 0.2]), delta=0.1, runs=3)
    assert table["answer"].tolist() == [0, 0, 0] and table["correct"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"rule": "adap_tt", "rel_error": 0.1},
            "rel_error: adap_tt takes no rel_error; it takes delta, shuffle_arms",
        ),
        ({"rule": "adap_tt", "arm": 1}, "arm: adap_tt takes no arm; it takes delta, shuffle_arms"),
        (
            {"rule": "dp_nas", "delta": 0.1},
            "delta: dp_nas takes no delta; it takes R, arm, beta, rel_error",
        ),
        (
            {"rule": ["nas", "tt_ucb"]},
            "rule=nas,tt_ucb: nas takes rel_error, beta, R, and tt_ucb takes delta",
        ),
        ({"rule": "dp_sprt", "mu0": 0.7, "mu1": 0.3}, "mu1=0.3: above mu0=0.7 is needed"),
        ({"rule": "adap_tt", "delta": 1.5}, "delta=1.5"),
        ({"rule": "adap_tt", "variant": "typed"}, "printed or coded"),
        ({"rule": "adap_tt", "env": "sign"}, "at least two arms"),
    ],
)
def test_bad_input_is_one_line(given, words):
    given = {"env": dp.bernoulli([0.9, 0.5])} | given
    with pytest.raises(dp.BadInput) as error:
        dp.stop(**given, runs=1)
    assert words in str(error.value) and "\n" not in str(error.value)

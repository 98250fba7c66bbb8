"""Rules that name an arm or a hypothesis: thresholds, costs, error rates, answers."""

import math

import identification_references as references
import numpy as np
import pytest
from helpers import SIGMAS, bernoulli, records
from scipy import stats

import dpbandits as dp
from dpbandits.parts.identification import top_two
from dpbandits.results.intervals import clopper_pearson
from dpbandits.stopping.adap_tt import coded_rounds


def answers_of(rule, means, eps, runs, **own):
    """The answers of runs of a rule at a large delta."""
    given = {"eps": eps, "delta": 0.3, "runs": range(runs), "checkpoints": np.array([10**6])}
    return np.array([x.answer for x in records(rule, bernoulli(*means), 10**6, **given, **own)])


@pytest.mark.parametrize("K", [2, 5, 40])
def test_thresholds_are_the_reference_s(K):
    rng = np.random.default_rng(K)
    for _ in range(60):
        w, v = np.floor(10 ** rng.uniform(0, 7, 2))
        delta, d = 10 ** rng.uniform(-6, -0.5), rng.uniform(0, 1)
        eps = rng.choice([10 ** rng.uniform(-3, 2), math.inf], p=[0.9, 0.1])
        arguments = {
            "threshold": (w, v, K, delta, eps),
            "starred_threshold": (d, w, v, K, delta, eps),
            "gaussian_threshold": (w, v, K, delta),
        }
        pairs = [
            (getattr(top_two, name)(*given, False), getattr(references, name)(*given))
            for name, given in arguments.items()
        ]
        pairs += [
            (top_two.empirical(w, v, delta, eps), references.empirical(w, v, delta, eps)),
            (top_two.transportation_cost(d, w, v, eps, True), references.cost(d, w, v, eps, True)),
        ]
        for found, expected in pairs:
            assert found == pytest.approx(expected, rel=1e-9, abs=0)
            assert found != pytest.approx(1.001 * expected, rel=1e-9, abs=0)
        assert top_two.threshold(w, v, K, delta, eps, True) < pairs[0][0] - 1.0
        assert top_two.starred_threshold(d, w, v, K, delta, eps, True) <= pairs[1][0]


RULES = ["adap_tt", "adap_tt_star", "dp_se_bai", "tt_ucb", "ctb_tt"]


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_proved_rule_errs_at_most_as_often_as_promised(rule):
    """20,000 runs of a hard instance: the exact interval lies below delta."""
    answers = answers_of(rule, [0.5, 0.8] if rule == "ctb_tt" else [0.45, 0.55], 2.0, 20_000)
    halted = np.isfinite(answers)
    wrong = float((answers[halted] == 0).sum())
    _, high = clopper_pearson(np.array([wrong]), np.array([float(halted.sum())]))
    assert halted.mean() > 0.9 and high[0] <= 0.3
    print(f"{rule}: wrong {wrong:g} of {halted.sum()}, at most {high[0]:.3g}")


@pytest.mark.slow
def test_the_threshold_is_what_keeps_errors_rare():
    """The control of the test above: the empirical threshold of the code errs more often."""
    coded = answers_of("adap_tt", [0.45, 0.55], 0.05, 3000, variant="coded")
    assert (coded == 0).mean() > 0.3


@pytest.mark.parametrize("budgets", [[0.5], [0.5, np.inf], [0.5, 1.0, np.inf]])
def test_times_are_drawn_as_points_at_their_budgets(budgets):
    given = {"env": dp.bernoulli([0.9, 0.2]), "delta": 0.1, "runs": 3, "jobs": 1}
    upper, _ = dp.plot(dp.stop("adap_tt", eps=budgets, **given)).axes
    low, high = upper.get_xlim()
    assert low < 0.5 < high
    names = [x for line in upper.lines if not (x := line.get_label()).startswith("_")]
    without = ["AdaP-TT, without privacy"] * (np.inf in budgets)
    assert names == [*without, "AdaP-TT"]
    points = [line for line in upper.lines if line.get_marker() == "o" and line.get_xdata().size]
    assert [line.get_xdata().tolist() for line in points] == [[x for x in budgets if x < np.inf]]


def test_answers_of_which_nobody_knows_whether_they_are_right_have_no_share():
    given = {"env": dp.bernoulli([0.9, 0.2]), "delta": 0.1, "runs": 3, "jobs": 1}
    table = dp.stop(["adap_tt", "ctb_tt"], eps=[0.5, 1.0], **given)
    table.loc[table["rule"] == "ctb_tt", "correct"] = np.nan
    upper, lower = dp.plot(table).axes
    assert len(upper.get_legend_handles_labels()[0]) == 2 and len(lower.containers) == 1


def test_a_hypothesis_is_right_where_it_holds():
    table = dp.stop("dp_sprt", env=dp.bernoulli([0.2, 0.5, 0.9]), arm=[0, 1, 2], runs=5)
    shares = table.groupby("arm")["correct"]
    assert shares.count().tolist() == [5, 0, 5]  # between the hypotheses any answer would be right
    assert shares.mean().dropna().tolist() == [1, 1]
    assert table[table["arm"] == 2]["answer"].tolist() == [1] * 5


def test_the_best_arm_is_the_right_answer():
    table = dp.stop("dp_se_bai", env=dp.bernoulli([0.9, 0.1, 0.2]), delta=0.1, runs=3)
    assert table["answer"].tolist() == [0, 0, 0] and table["correct"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("rounds", [1, 60, 300])
def test_the_coin_of_the_coded_variant_is_fair(rounds):
    """Pulls of the leader of three arms in some rounds without the end of a phase are binomial."""
    m, found, law = np.array([0.9, 0.4, 0.3]), [], stats.binom(rounds, 0.5)
    for run in range(1500):
        N, rng = np.full(3, 1000.0), np.random.default_rng(run)
        assert coded_rounds(rng, m, N, np.full(3, 2e9), 0.1, 0, rounds) == -1
        assert N.sum() == 3000 + rounds
        found.append(N[0] - 1000)
    edges = np.unique(law.ppf([0, 0.1, 0.3, 0.5, 0.7, 0.9, 1]))
    expected, observed = np.diff(law.cdf(edges)), np.diff(stats.ecdf(found).cdf.evaluate(edges))
    error = np.sqrt(expected * (1 - expected) / len(found))
    assert np.abs((observed - expected) / error).max() < SIGMAS


def in_single_rounds(rng, m, N, end, slack, b, left):
    """``coded_rounds`` with a challenger chosen by its definition in every round."""
    while True:
        number = int(rng.random() * 2**53)
        for i in range(53):
            a = b
            if number >> i & 1:
                costs = (m[b] - m + slack) / np.sqrt(1.0 / N[b] + 1.0 / N)
                a = np.argmin(np.where(np.arange(len(m)) == b, np.inf, costs))
            N[a], left = N[a] + 1, left - 1
            if N[a] == end[a]:
                return a
            if left == 0:
                return -1


@pytest.mark.parametrize("slack", [0.5, 0.06, 0.01])  # that of early and of later rounds
@pytest.mark.parametrize("means", [[0.7, 0.9, 0.65, 0.6, 0.1], [0.7, 0.9, 0.93, 0.95], [1, 1, 1]])
def test_coded_rounds_are_single_rounds(means, slack):
    """Also where a mean above the leader's makes costs negative, and where costs are equal."""
    m, end, ends = np.array(means, float), np.full(len(means), 2.0), 0
    N, singly = np.ones(len(m)), np.ones(len(m))
    for seed in range(150):
        rounds = 1 + 7 * seed % 200
        found = [
            play(np.random.default_rng(seed), m, counts, end, slack, 1, rounds)
            for play, counts in ((coded_rounds, N), (in_single_rounds, singly))
        ]
        assert found[0] == found[1] and (singly == N).all()
        if found[0] >= 0:
            end[found[0]], ends = 2 * end[found[0]], ends + 1
    assert ends >= 8

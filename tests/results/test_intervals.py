"""Confidence intervals, and the shares of runs that a summary of stopping times counts."""

import time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, skew, t
from tiers import first

import dpbandits as dp
from dpbandits.comparison.pairs import located
from dpbandits.contracts.question import HYPOTHESES, REGRET, STOPPING
from dpbandits.results.intervals import (
    another_value,
    carriers,
    clopper_pearson,
    interval_of_mean,
    interval_of_quantile,
    occurred_once,
    rounded,
    runs_needed,
    skewness,
    tail_is_seen,
)
from dpbandits.results.summary import mean_of, text_of_summary
from dpbandits.results.table import Table
from dpbandits.results.tails import lines_of_tails


def test_intervals_of_a_probability_are_those_of_clopper_and_pearson():
    k, n = np.array([0, 3, 17, 20, 0]), np.array([20, 20, 20, 20, 0])
    low, high = clopper_pearson(k, n)
    for i in range(4):
        expected = binomtest(int(k[i]), int(n[i])).proportion_ci(0.95, method="exact")
        assert (low[i], high[i]) == pytest.approx((expected.low, expected.high))
    assert (low[4], high[4]) == (0, 1)


@pytest.mark.parametrize("n", first([2, 5, 30, 300], 3))
def test_interval_of_a_mean_is_gaffkes(n):
    """The saddlepoint gives the quantile of the weighted sum within its simulation; the control, no
    value beyond the data, does not for skewed values. The value beyond the data is at first a
    third of the distance from the median beyond the largest, and further for skewed values.
    """
    rng = np.random.default_rng(n)
    weights = rng.dirichlet(np.ones(n + 1), 200_000)
    for values in (rng.pareto(2.2, n) + 1, rng.normal(size=n) ** 3):
        away = values.max() - np.median(values)
        extra = 0.5 * max(skew(values) * np.sqrt(n / 6) - 0.7, 0.0)
        tops = [values.max() + c * away for c in (min(300 / n**3 + extra, 1 + 10 / n), 0.0)]
        for tail in (0.025, 0.01):
            right, control = (
                np.quantile((weights * np.append(values, top)).sum(axis=1), 1 - tail)
                for top in tops
            )
            found = interval_of_mean(values[:, None], tail)[1][0]
            assert found == pytest.approx(right, rel=0.02)
            assert extra < 0.5 or n == 300 or found != pytest.approx(control, rel=0.02)


def test_interval_of_a_mean_moves_with_the_values():
    """Their scale, sign and origin change nothing else: none of them is assumed."""
    values = np.random.default_rng(2).lognormal(size=(40, 3))
    low, high = interval_of_mean(values)
    np.testing.assert_allclose(interval_of_mean(8 * values - 20), (8 * low - 20, 8 * high - 20))
    np.testing.assert_allclose(interval_of_mean(-values), (-high, -low))
    assert (low < values.mean(axis=0)).all() and (values.mean(axis=0) < high).all()


@pytest.mark.parametrize("value", [-7.0, 0.0, 1 / 3, 1e90])
def test_equal_values_and_one_value_have_no_interval(value):
    """Equal but for rounding; the controls are 19 equal values, and an interval of a median."""
    equal = np.full((20, 1), value)
    equal[3] += 1e-15 * value
    assert np.isnan(interval_of_mean(equal)).all()
    equal[3] += 1e-6 * (abs(value) + 1)
    low, high = interval_of_mean(equal)
    assert low < high
    assert [x[0] for x in interval_of_quantile(equal)] == pytest.approx([value, value], rel=1e-5)
    for interval in (interval_of_mean, interval_of_quantile):
        assert np.isnan(interval(np.full((1, 2), value))).all()


def runs_of(values):
    setting = {"algo": "a", "env": "e", "eps": 1.0, "horizon": 9, "seed": 0, "t": 9}
    return pd.DataFrame(setting | {"run": range(len(values)), "regret": values})


def test_equal_runs_are_said_to_show_only_that_other_values_are_rare():
    """Twenty equal runs: another value has at most 17 %. The control has two values."""
    assert another_value(20) == pytest.approx(1 - 0.025 ** (1 / 20))
    found = Table.of_frame(runs_of(np.full(20, 3648.0))).summary()
    assert found[["ci_low", "ci_high"]].isna().all(axis=None)
    assert "equal runs: none" in text_of_summary(found, REGRET, "simple")
    (line,) = lines_of_tails(found, REGRET)
    assert line == (
        "algo=a env=e eps=1 horizon=9: all 20 runs are equal, so there is no interval; they show "
        "that another value has a probability of at most 17 %"
    )
    (line,) = lines_of_tails(Table.of_frame(runs_of([3648.0] * 19 + [3650.0])).summary(), REGRET)
    assert "20 runs are too few" in line and line.endswith("about 100 would do")
    (line,) = lines_of_tails(Table.of_frame(runs_of(np.full(100, 0.0))).summary(), REGRET)
    assert "at most 3.6 %" in line


def test_equal_runs_bound_a_mean_where_the_range_is_known():
    """Values as rare as the runs allow, and 0, have the smallest mean; the control is negative."""
    equal = np.full(20, 300.0)
    found = located([equal, -equal, np.zeros(20)], "mean", 0.025)
    assert found.low[0] == pytest.approx(300 * 0.025 ** (1 / 20)) and found.low[1] == -np.inf
    assert (found.high == np.inf).all() and found.low[2] == 0.0
    rest = 1 - 0.025 ** (1 / 20)
    known = located([equal, -equal, np.arange(20.0)], "mean", 0.025, largest=1000.0)
    assert known.high[:2] == pytest.approx([300 + 700 * rest, -300 + 1300 * rest])
    assert known.high[2] == located([np.arange(20.0)], "mean", 0.025).high[0]
    rare = np.random.default_rng(0).random((4000, 20)) < 0.025 ** (1 / 20)
    assert rare.all(axis=1).mean() == pytest.approx(0.025, abs=0.01)


@pytest.mark.parametrize("value", [0.1, 0.7, 3648.333333333])
def test_a_mean_lies_in_its_interval_also_where_values_are_equal_but_for_a_few_bits(value):
    """Control: the mean without rounding lies beyond an end that is rounded."""
    values = value * (1 + 1e-11 * np.arange(30))
    row = mean_of(runs_of(values).rename(columns={"regret": "value"}), ["algo"]).iloc[0]
    assert row["ci_low"] <= row["mean"] <= row["ci_high"]
    assert row["mean"] == rounded(values.mean())
    assert not row["ci_low"] <= values.mean() <= row["ci_high"] or value != 0.7


def test_an_interval_of_regret_is_not_negative_and_one_of_values_of_both_signs_may_be():
    """In summaries and in comparisons; the control subtracts one from every regret."""
    runs = np.array([0.0, 2.0, 4.0, 6.0])
    for values, sign in ((runs, 0), (runs - 1, -1)):
        table = pd.DataFrame({"algo": "a", "value": values})
        assert np.sign(mean_of(table, ["algo"])["ci_low"][0]) == sign
        assert np.sign(located([values], "mean", 1e-6).low[0]) == sign


def test_blocks_change_nothing(monkeypatch):
    values = np.random.default_rng(3).pareto(2.2, (50, 20))
    whole = interval_of_mean(values, 0.01)
    monkeypatch.setattr("dpbandits.results.intervals.AT_ONCE", 100)
    np.testing.assert_array_equal(whole, interval_of_mean(values, 0.01))
    assert [x.shape for x in interval_of_mean(values[:, :0])] == [(0,), (0,)]


@pytest.mark.slow
def test_intervals_of_ten_thousand_settings_take_less_than_two_seconds():
    values = np.random.default_rng(0).lognormal(size=(20, 10_000))
    interval_of_mean(values[:, :1])
    start = time.process_time()
    interval_of_mean(values)
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize(("share", "runs"), [(0.5, 30), (0.9, 60), (0.1, 60)])
def test_interval_of_a_quantile_holds(share, runs):
    values = np.random.default_rng(4).pareto(1.1, (runs, 4000))
    low, high = interval_of_quantile(values, 0.025, share)
    quantile = (1 - share) ** (-1 / 1.1) - 1
    assert 0.95 <= ((low <= quantile) & (quantile <= high)).mean() < 0.99
    if share == 0.5:
        assert np.array_equal(interval_of_quantile(values, 0.025), (low, high))
    few = interval_of_quantile(values[:20], 0.025, 0.9)
    assert np.isfinite(few[0]).all() and np.isnan(few[1]).all()


def test_last_bits_do_not_count():
    values = np.array([0.1 + 0.2, 1 / 3, 1e-200, 12345.678901234567])
    np.testing.assert_array_equal(rounded(values), rounded(np.nextafter(values, 1.0)))
    assert rounded(np.array([0.0, np.inf])).tolist() == [0.0, np.inf]
    assert rounded(1.0 + 1e-9, scale=1e3) == 1.0 != rounded(1.0 + 1e-9)


def two_points(rng, n, p, m=1000):
    """Runs of which a share p is bad, twenty times the others."""
    return np.where(rng.random((n, m)) < p, 20.0, 1.0)


def test_runs_that_are_too_few_are_noticed_and_the_number_that_is_named_would_do():
    """Of three bad runs in a hundred; the control has three bad runs."""
    rng = np.random.default_rng(0)
    few = two_points(rng, 100, 0.03)
    bad = (few > 1).sum(axis=0)
    needed = runs_needed(few)
    assert ((needed > 100) == ((bad > 0) & (bad < 3))).all()
    named = int(np.median(needed[needed > 100]))
    assert named == 1000
    for n, least, most in ((50, 0.0, 0.85), (named, 0.95, 1.0)):
        low, high = interval_of_mean(two_points(rng, n, 0.03))
        assert least <= ((low <= 1.57) & (high >= 1.57)).mean() <= most
    assert runs_needed(1e300 * two_points(rng, 100, 0.0, 1)).tolist() == [100]


def test_fewer_than_a_hundred_runs_show_no_tail():
    normal = np.random.default_rng(1).normal(size=(1000, 1))
    assert [runs_needed(normal[:n])[0] for n in (1, 2, 20, 99)] == [1, 100, 100, 100]
    assert [tail_is_seen(normal[:n])[0] for n in (1, 2, 20, 99, 1000)] == [False] * 4 + [True]
    assert not tail_is_seen(np.ones((1000, 1)))[0] and runs_needed(np.ones((100, 1)))[0] == 100


def test_skewed_runs_show_their_tail_if_values_come_again():
    """A hundred exponential values do not, a thousand do; nor do values skewed to the left, which
    have no bad runs, need more; three values of which each has occurred often do.
    """
    rng = np.random.default_rng(2)
    skewed = rng.exponential(size=(100, 400))
    assert (runs_needed(skewed) == 1000).mean() > 0.99 and tail_is_seen(-skewed).mean() > 0.9
    assert tail_is_seen(rng.exponential(size=(1000, 100))).mean() > 0.99
    again = rng.choice([1.0, 2.0, 5.0], (100, 400), p=[0.7, 0.2, 0.1])
    assert (skewness(again) > 1).all() and tail_is_seen(again).mean() > 0.99
    assert occurred_once(np.array([[1.0, 2.0], [1.0, 3.0], [4.0, 5.0]])).tolist() == [1 / 3, 1]
    assert skewness(skewed) == pytest.approx(skew(skewed))
    assert carriers(np.eye(50)[:, :1]) == pytest.approx(1, rel=0.1)
    squares = (skewed - skewed.mean(axis=0)) ** 2  # (sum d^2)^2 / sum d^4 in any unit
    assert carriers(skewed) == pytest.approx(squares.sum(axis=0) ** 2 / (squares**2).sum(axis=0))


# (1 - alpha) % is what the interval is for; the laws are those of benchmarks/intervals.py
SKEWED = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "lognormal": (lambda rng, shape: rng.lognormal(0, 1.5, shape), np.exp(1.125)),
    "pareto": (lambda rng, shape: 1 + rng.pareto(2.2, shape), 2.2 / 1.2),
}
COVERED = {5: [0.97, 0.94, 0.84, 0.88], 20: [0.96, 0.95, 0.91, 0.92], 100: [0.97, 0.97, 0.95, 0.96]}


def student(values):
    half = t.ppf(0.975, len(values) - 1) * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return values.mean(axis=0) - half, values.mean(axis=0) + half


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 100, 1000])
def test_intervals_of_normal_values_are_at_most_a_fifth_wider_than_students(n):
    """And hold in 94 %; the control, exponential values, has wider intervals."""
    rng = np.random.default_rng(n)
    widths = []
    for values in (rng.normal(size=(n, 1000)), rng.exponential(size=(n, 1000))):
        (low, high), others = interval_of_mean(values), student(values)
        widths.append(np.median(high - low) / np.median(others[1] - others[0]))
        if len(widths) == 1:
            assert ((low <= 0) & (high >= 0)).mean() >= 0.94
    assert widths[0] <= 1.2 and widths[1] > widths[0] + 0.05


@pytest.mark.long
@pytest.mark.parametrize(("algo", "eps"), [("dp_imed", 1.0), ("dp_imed", 0.5), ("dp_klucb", 0.1)])
def test_misses_at_twenty_and_a_hundred_runs_have_the_sentence(algo, eps):
    """But for 5 % of the samples; without the sentence on skewed runs there are more (control)."""
    table = dp.run(algo, "bernoulli_c2", eps=eps, horizon=1e5, runs=20_000, checkpoints=1)
    law = table.loc[table["t"] == 1e5, "regret"].to_numpy()
    for n in (20, 100):
        values = law[np.random.default_rng(n).integers(0, len(law), (n, 2000))]
        low, high = interval_of_mean(values)
        missed = (law.mean() < low) | (law.mean() > high)
        assert (missed & (runs_needed(values) == n)).mean() <= 0.05 + 0.01
        assert (missed & (carriers(values) >= 3)).mean() > 0.06 or (algo, n) == ("dp_klucb", 20)


@pytest.mark.long
@pytest.mark.parametrize("n", COVERED)
def test_intervals_cover_what_docs_deciding_says(n):
    """The control: Student's intervals of lognormal values, which cover less."""
    rng = np.random.default_rng(n)
    for (name, (law, mean)), least in zip(SKEWED.items(), COVERED[n], strict=True):
        values = law(rng, (n, 4000))
        shares = [
            ((low <= mean) & (mean <= high)).mean()
            for low, high in (interval_of_mean(values), student(values))
        ]
        assert shares[0] >= least
        if name == "lognormal":
            assert shares[1] < least - 0.05


def test_a_summary_counts_what_is_correct():
    setting = ["nas", "sign", 0, 0.5, np.inf, 0.25, 0.05, 1.0, 100, 0]
    ends = [(0, 10, 0.5, 1, 1), (1, 20, 0.9, 1, 0), (2, 100, np.nan, 0, np.nan), (3, 30, 0.4, 1, 1)]
    table = pd.DataFrame(
        [[*setting, *end] for end in ends],
        columns=[*STOPPING.columns, "seed", "run", *STOPPING.measured],
    )
    (row,) = Table.of_frame(table).summary().to_dict("records")
    assert (row["mean"], row["runs"], row["halted"]) == (40, 4, 3)
    assert row["correct"] == pytest.approx(2 / 3)


def test_times_that_were_cut_have_no_interval_and_no_quantile_at_the_cap():
    """The mean is then a lower limit; mutation that it catches: an interval of cut times."""
    keys = {"env": dp.bernoulli([0.3]), "mu0": 0.3, "mu1": 0.7, "eps": 1, "runs": 40, "jobs": 1}
    cut, whole = dp.stop("dp_sprt", **keys, cap=300), dp.stop("dp_sprt", **keys)
    (row,), (free,) = (dp.summary(x).to_dict("records") for x in (cut, whole))
    assert 0 < row["halted"] < 40 and row["mean"] < free["mean"]
    assert np.isnan([row["ci_low"], row["ci_high"], row["q90"]]).all()
    assert row["q10"] == free["q10"] < 300
    assert free["ci_low"] < free["mean"] < free["ci_high"] and free["halted"] == 40
    assert "at least " in dp.latex(cut) and "at least " not in dp.latex(whole)


def test_a_quantile_between_a_run_that_ended_and_one_that_was_cut_is_not_known():
    """Mutations that it catches: it is interpolated; a run that ends at its cap counts as cut."""
    keys = {"env": dp.bernoulli([0.3]), "mu0": 0.3, "mu1": 0.7, "eps": 1, "runs": 20, "jobs": 1}
    times = dp.stop("dp_sprt", **keys)
    half = times.assign(
        cap=1000.0, halted=[1, 0] * 10, stopping_time=[100, 1000] * 10, correct=[1.0, np.nan] * 10
    )
    (row,) = dp.summary(half).to_dict("records")
    assert np.isnan([row["median"], row["q90"]]).all() and row["q10"] == 100
    last = times["stopping_time"].max()
    whole = Table.of_frame(times.assign(cap=float(last)))
    text = text_of_summary(whole.summary(), HYPOTHESES, "simple")
    assert "not stopped" not in text

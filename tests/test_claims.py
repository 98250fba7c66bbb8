"""Claims of papers: every claim is listed, its numbers are right, a false one is not reproduced."""

from functools import partial

import numpy as np
import pytest
from refusals import message_of
from sweeps import requested

from dpbandits.claims import (
    Part,
    _part,
    claim,
    excess_ratio,
    growth,
    in_words,
    is_cheap,
    load_claims,
    measure,
    r_squared,
    ratio,
    sample,
    spread,
    verdict,
)
from dpbandits.cli.claims import row_of
from dpbandits.comparison.pairs import Located
from dpbandits.results.run_store import Memory
from dpbandits.running.monte_carlo import run_settings
from dpbandits.theory.azize2025 import bernoulli_lower

CLAIMS = load_claims()
TEXT = {"source": "s", "says": "s", "published": "p", "why": "w", "basis": "printed"}
TEXT |= {"experiments": ["azize2022_fig8"]}


def test_every_claim_of_the_papers_is_listed():
    names = [f"A{i}" for i in range(1, 8)] + [f"R{i}" for i in range(1, 7)]
    names += ["AB1", "AJ1", "AJ2", "AJ3", "AJ4", "AW1", "AW2", "CZ1", "CZ2", "HH1", "HH2"]
    names += ["AT1", "AT2", "AT3", "AT4", "S1", "S2", "SA1", "SA2", "SS1", "ZZ1", "ZZ2", "ZZ3"]
    assert sorted(CLAIMS) == sorted(names)
    for c in CLAIMS.values():
        assert c.why.endswith(".") and "TODO" not in c.why
        assert c.says.endswith(".")


OF_FIGURES = {  # no text of these papers has the numbers or orders
    "A5": "both", "AJ4": "figure", "AT1": "both", "AT2": "both", "AT4": "both", "R3": "figure",
    "R5": "both", "ZZ3": "figure",
}  # fmt: skip


def test_what_was_read_off_a_figure_is_said_so_in_the_ledger():
    found = {name: c.basis for name, c in CLAIMS.items() if c.basis in ("figure", "both")}
    assert found == OF_FIGURES
    assert {name for name, c in CLAIMS.items() if c.basis == "ours"} == {"AW1", "AW2", "SS1"}
    assert row_of(CLAIMS["R3"], [], "partly")[3] == "23; 4.5 (read off a figure)"
    assert row_of(CLAIMS["R1"], [], "partly")[3] == "1.6; 8.6 (printed)"


@pytest.fixture(scope="module")
def samples():
    """All settings of Fig. 8 in small."""
    request = requested(experiment="azize2022_fig8", horizon=20_000, checkpoints=4)
    store = Memory()
    assert run_settings(request.settings, 60, 2, "auto", store) == (240, [])
    return [sample(store, setting, 60) for setting in request.settings]


def settled(samples, **part):
    parts = measure(claim("X", TEXT | {"parts": [part]}), samples)
    return parts, verdict(parts)


OVER, OF = {"alpha": 3.1}, {"alpha": 1}
BOTH = {"algo": ["adap_ucb", "adap_klucb"]}


def test_true_false_and_mixed_claims(samples):
    """A deliberately false claim is not reproduced; a claim true for some parts is so partly."""
    given = {"statistic": "ratio", "over": OVER, "of": OF, "at": BOTH}
    parts, words = settled(samples, **given, above=1)
    assert (len(parts), words) == (2, "reproduced")
    assert settled(samples, **given, above=100)[1] == "not reproduced"
    assert settled(samples, **given, below=1)[1] == "not reproduced"
    assert settled(samples, **given, about=50, within=0.1)[1] == "not reproduced"
    middle = sum(part.value for part in parts) / 2
    below = settled(samples, **given, below=middle)[0]
    assert [part.holds for part in below].count(True) <= 1
    twice = TEXT | {"parts": [given | {"above": 1}, given | {"above": 100}]}
    assert verdict(measure(claim("X", twice), samples)) == "partly"


def test_the_numbers_are_those_of_the_runs(samples):
    by_words = {(s.setting.algo, s.words["alpha"]): s for s in samples}
    over, of = by_words["adap_ucb", 3.1], by_words["adap_ucb", 1.0]
    (part,), _ = settled(samples, statistic="ratio", over=OVER, of=OF, at={"algo": "adap_ucb"})
    assert part.value == pytest.approx(over.final.mean() / of.final.mean())
    assert part.low < part.value < part.high
    (part,), _ = settled(samples, statistic="regret", of={"algo": "adap_ucb", "alpha": 1})
    error = of.final.std(ddof=1) / np.sqrt(60)
    assert part.value == pytest.approx(of.final.mean())
    assert 1 <= (part.high - part.low) / (2 * 1.96 * error) <= 2
    (part,), _ = settled(samples, statistic="growth", of={"algo": "adap_ucb", "alpha": 1})
    assert part.value == pytest.approx(of.final.mean() / of.half.mean()) and part.value > 1
    (part,), _ = settled(
        samples, statistic="spread", of={"algo": "adap_ucb"}, across={"alpha": [1, 3.1]}
    )
    assert part.value == pytest.approx(over.final.mean() / of.final.mean())
    for statistic, means, value in (
        (spread, [1.0, 4.0, 2.0], 4),
        (excess_ratio, [3.0, 5.0, 2.0, 4.0], 0.5 / 0.25),
        (ratio, [3.0, 1.5], 2),
    ):
        means = np.array(means)
        found = statistic(Located(means, 0.9 * means, 1.1 * means))
        assert found.value == pytest.approx(value)
        assert found.low < found.value < found.high


def test_medians_the_lower_bound_and_the_other_algorithms(samples):
    by_words = {(s.setting.algo, s.words["alpha"]): s.final for s in samples}
    over, of = by_words["adap_ucb", 3.1], by_words["adap_klucb", 3.1]
    given = {"of": {"algo": "adap_klucb"}, "at": {"alpha": 3.1}, "center": ["mean", "median"]}
    parts, _ = settled(samples, statistic="ratio", over={"algo": "others"}, **given)
    assert [part.value for part in parts] == pytest.approx(
        [over.mean() / of.mean(), np.median(over) / np.median(of)]
    )
    assert parts[1].where == "alpha 3.1, algo adap_ucb by adap_klucb, median"
    assert all(part.low <= part.value <= part.high for part in parts)
    bound = bernoulli_lower([0.75, 0.7, 0.7, 0.7, 0.7], 1.0, 20_000)
    mean, median = settled(samples, statistic="bound_ratio", **given)[0]
    assert mean.value == pytest.approx(of.mean() / bound)
    assert median.value == pytest.approx(np.median(of) / bound)
    (part,), _ = settled(
        samples, statistic="bound_spread", of={"algo": "adap_ucb"}, across={"alpha": [1, 3.1]}
    )
    assert part.value == pytest.approx(over.mean() / by_words["adap_ucb", 1.0].mean())


def test_an_interval_that_contains_a_threshold_is_undecided():
    """And so is the verdict, if it depends on that: the control is a part that fails besides."""
    open_, held = Part("a", 1.0, 0.9, 1.1, 1.0, np.inf), Part("b", 2.0, 1.9, 2.1, 1.0, np.inf)
    failed = Part("c", 0.5, 0.4, 0.6, 1.0, np.inf)
    assert [p.holds for p in (open_, held, failed)] == [None, True, False]
    assert verdict([open_, held]) == "undecided: reproduced or partly"
    assert verdict([open_]) == "undecided: reproduced or not reproduced"
    assert verdict([open_, failed]) == "undecided: partly or not reproduced"
    assert verdict([open_, held, failed]) == "partly"
    text = in_words([open_, held, failed, held])
    assert text.startswith("2 of 4 hold, 1 undecided; farthest off: 0.5 [0.4, 0.6] (c)")
    assert in_words([open_, failed]) == "1 [0.9, 1.1] (a): undecided; 0.5 [0.4, 0.6] (c): fails"


def test_a_ratio_of_two_regrets_that_are_zero_is_undefined_and_undecided(recwarn):
    zeros = np.zeros(5)
    part = _part("d", [zeros, zeros], "mean", ratio, (1.0, np.inf))
    assert part.in_words() == "undefined (0 by 0)" and part.holds is None
    failed = Part("c", 0.5, 0.4, 0.6, 1.0, np.inf)
    many = in_words([part, failed, part, part])
    assert many == "0 of 4 hold, 3 undecided; farthest off: 0.5 [0.4, 0.6] (c)"
    assert not recwarn.list


def covered(statistic, true, law, trials=400, runs=50, k=4):
    """The share of trials in which the interval of a statistic of k samples holds."""
    rng, held = np.random.default_rng(3), 0
    for _ in range(trials):
        part = _part("", list(law(rng, (k, runs))), "mean", statistic, (0.0, np.inf))
        held += part.low <= true <= part.high
    return held / trials


@pytest.mark.long
def test_intervals_of_statistics_cover():
    """Exponential and linear runs; the control, runs that count ten times, covers less."""
    means = np.array([[1.0], [2.0], [3.0], [4.0]])
    bent = means + np.array([[0.2], [-0.2], [-0.2], [0.2]])

    def drawn(of):
        return lambda rng, shape: rng.exponential(size=shape) * of

    def tenfold(rng, shape):
        return np.repeat(rng.exponential(size=(shape[0], shape[1] // 10)) * means, 10, axis=1)

    assert covered(spread, 4.0, drawn(means)) >= 0.95 > 0.8 > covered(spread, 4.0, tenfold)
    assert covered(spread, 1.0, drawn(np.ones((4, 1)))) >= 0.95
    linear = partial(r_squared, [1.0, 2.0, 3.0, 4.0])
    true = np.corrcoef([1, 2, 3, 4], bent[:, 0])[0, 1] ** 2
    assert covered(linear, true, lambda rng, s: bent + 0.1 * rng.normal(size=s)) >= 0.93


def test_an_excess_that_is_not_positive_has_a_ratio_but_no_lower_limit():
    """The control is positive; a second excess that may be 0 leaves the ratio open."""
    width = np.array([0.01, 0.01, 0.01, 0.01])
    for means, value, high in (
        ([0.9, 1.5, 1.0, 1.0], -0.2, 0.0),
        ([1.2, 1.5, 1.0, 1.0], 0.4, 0.5),
        ([1.2, 1.0, 1.0, 1.01], -20.2, np.inf),
    ):
        at = np.array(means)
        found = excess_ratio(Located(at, at - width, at + width))
        assert found.value == pytest.approx(value) and (found.low > 0) == (value > 0)
        assert found.value <= found.high <= high or value < -1


def test_growth_is_of_the_same_runs():
    """It holds, and is narrower than a ratio of independent runs."""
    rng, held, narrower = np.random.default_rng(4), 0, 0
    for _ in range(40):
        half = rng.exponential(size=50) + 1
        final = half + rng.exponential(size=50) * 0.2
        found = growth(final, half)
        assert found.low < found.value < found.high
        independent = _part("", [final, half], "mean", ratio, (0.0, np.inf))
        held += found.low <= 1.1 <= found.high
        narrower += found.high - found.low < 0.5 * (independent.high - independent.low)
    assert held >= 36 and narrower >= 38
    assert tuple(growth(np.full(5, 3.0), np.full(5, 2.0))) == (1.5, 1.5, 1.5)
    assert np.isnan(growth(np.zeros(5), np.zeros(5)).value)


def test_bad_claims_are_refused(samples):
    assert "did you mean figure" in message_of(claim, "X", TEXT | {"parts": [{}], "basis": "figur"})
    assert "says is missing" in message_of(claim, "X", TEXT | {"parts": [{}], "says": ""})
    assert "did you mean parts" in message_of(claim, "X", TEXT | {"part": [{}]})
    assert "did you mean ratio" in message_of(settled, samples, statistic="ratioo", of=OF)
    assert "did you mean median" in message_of(
        settled, samples, statistic="regret", of=OF, center="medien"
    )
    assert "2 settings, not one" in message_of(
        settled, samples, statistic="regret", of={"alpha": 1}
    )


def test_cheap_runs_are_those_of_episodic_algorithms():
    settings = requested(experiment="azize2022_fig2").settings
    assert {s.algo for s in settings if is_cheap(s)} == {"dp_se", "adap_ucb", "adap_klucb"}

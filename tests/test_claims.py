"""Claims of papers: each holds for runs that are made so, and fails for others."""

from dataclasses import replace
from functools import cache
from html import unescape
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from refusals import message_of
from sweeps import requested

from dpbandits.claims.azize2025 import by_bound
from dpbandits.claims.claim import BASES, kind, load_claims, verdict
from dpbandits.claims.ren2020 import leading_term, linear_fit
from dpbandits.claims.sarkar2025 import nash_regret
from dpbandits.claims.statistics import (
    Part,
    Runs,
    excess_ratio,
    growth,
    largest_ratio,
    part,
    quotient_of_means,
    ratio,
    regret,
    spread,
)
from dpbandits.cli.claims import (
    HEAD,
    in_words,
    is_cheap,
    measure,
    request_of,
    row_of,
)
from dpbandits.comparison import pairs
from dpbandits.comparison.pairs import Located, located
from dpbandits.files import package_folder
from dpbandits.report.sources import claims_in
from dpbandits.results.intervals import TAIL
from dpbandits.results.tables import described

CLAIMS = load_claims()
TOP = package_folder("conf").parent
RUNS = 200  # which hardly differ: the intervals of their means and medians are narrow
NOISE = 1e-7  # the share of a regret by which it differs from run to run


def only(*names, low=1.0, high=2.0):
    """A law of regrets: lowest where an algorithm, a rule or a kind of noise has one of the names.

    What follows are such laws: functions of the values ``w`` of a setting.
    """

    def law(w):
        own = {w.get("algo"), w.get("rule"), w.get("noise")}
        return low if own & set(names) else high

    return law


def rate(w):
    return 1 / min(w["eps"], 1e9)  # also of an algorithm without privacy


def fading(w):  # the price of privacy
    return 1 + 1e3 / (w["horizon"] * w["rho"])


def growing(w):
    return 1 + w["horizon"] / w["rho"]


def bound(w):
    known = w["algo"] in ("dp_klucb", "dp_imed")
    return float(1 / by_bound(w["setting"], 1.0)) if known else 1.0


SLIDES = {
    (rule, eps): samples
    for eps, published in {
        0.001: (1.73e6, 1.35e6, 9.4e6),
        0.00464159: (4.52e5, 3.57e5, 2.4e6),
        0.0215443: (1.45e5, 8.55e4, 5.5e5),
        0.1: (7.5e4, 7.8e4, 4.66e5),
    }.items()
    for rule, samples in zip(("adap_tt", "adap_tt_star", "dp_se_bai"), published, strict=True)
}  # fmt: skip
NORMAL = {0.5: 2.0, 1.0: 1.0, 1.5: 2.0, 2.0: 3.0}  # eps_min of clipped_normal
# Of each claim regrets for which it holds, and some for which no part does; if they are not listed,
# the reciprocals. Regret grows from T/2 to T by 1.1 where it holds, by 1.9 where it does not.
RANKS = {"bpo": 1, "square_cb": 2, "ada_cb": 3, "oracle_ucb": 4}  # of Attias et al. 2026
LAWS = {
    "AL1": (lambda w: RANKS.get(w["algo"], 6),),
    "AL2": (lambda w: {"square_cb": 2, "ada_cb": 1 if w["eps"] > 1 else 3}.get(w["algo"], 1),),
    "A1": (only("adap_klucb"),),
    "A2": (only("adap_ucb", "adap_klucb", high=20.0),),
    "A3": (lambda w: max(1, 0.3 / w["eps"]), lambda w: max(1, w["eps"] / 0.3)),
    "A4": (lambda w: 1.0, rate),
    "A5": (lambda w: 6000.0 if w["alpha"] == 3.1 else 1.0,),
    "A6": (only("adap_klucb"),),
    "A7": (rate,),
    "AB1": (fading, growing),
    "AJ1": (only("dp_se_bai", low=2.0, high=1.0),),
    "AJ2": (
        lambda w: 2.0 if w["rule"] == "adap_tt" and w["eps"] < 0.1 else 1.0,
        lambda w: 1.0 if w["rule"] != "adap_tt" else 0.5 if w["eps"] < 0.1 else 3.0,
    ),
    "AJ3": (lambda w: 1.0, lambda w: 0.1 if w["rule"] == "tt_ucb" else w["eps"]),
    "AJ4": (lambda w: SLIDES.get((w["rule"], w.get("eps")), 1.0),),
    "AT1": (fading, growing),
    "AT2": (fading, growing),
    "AT3": (only("middle"),),
    "AT4": (fading, growing),
    "AW1": (only("dp_klucb", "dp_imed"),),
    "AW2": (bound, lambda w: bound(w) * (3 if w["eps"] < 0.1 else 9)),
    "CZ1": (
        lambda w: 1 + (w["algo"] == "dist_dp_se") * 1e3 / w["horizon"],
        lambda w: 1 + (w["algo"] == "dist_dp_se") * w["horizon"],
    ),
    "CZ2": (only("dist_dp_se", low=2.0, high=1.0),),
    "HH1": (only("lazy_dp_ts"),),
    "HH2": (lambda w: 1.0 if w["algo"] != "dp_ts" else 0.5 if w["eps"] == 500.0 else 3.0,),
    "HL1": (only("ldp_lin_ucb", low=2.0, high=1.0),),
    "HL2": (lambda w: 1.0,),
    "R1": (lambda w: {"heldp_ucb_b": 1.6, "heldp_ucb_l": 8.6}.get(w["algo"], 1.0),),
    "R2": (lambda w: {"heldp_ucb_b": 74.0, "heldp_ucb_l": 210.0}.get(w["algo"], 1.0),),
    "R3": (lambda w: {"heldp_ucb_b": 4.5, "heldp_ucb_l": 23.0}.get(w["algo"], 1.0),),
    "R4": (lambda w: leading_term(w["setting"]),),
    "R5": (
        lambda w: NORMAL[w["eps_min"]] if w["population"] == "clipped_normal" else 1 / w["eps_min"],
    ),
    "R6": (rate,),
    "S1": (only("dp_se", high=6.0),),
    "S2": (
        lambda w: rate(w) if w["algo"] == "dp_ucb" else 1.0,
        lambda w: rate(w) if w["algo"] == "dp_se" else 1.0,
    ),
    "SA1": (only("gdp_ncb"),),
    "SA2": (only("ldp_ncb"),),
    "SS1": (only("gaussian"),),
    "TM1": (
        lambda w: 10 / w["eps"] if w.get("trust") == "nobody" else 1.0,
        lambda w: {"nobody": w["eps"] / 10, "shuffler": 2.0}.get(w.get("trust"), 1.0),
    ),
    "ZZ1": (lambda w: 1.0,),
    "ZZ2": (lambda w: 1 + (w["algo"] == "ltc_ucb") * w["env.alpha"] / w["eps"],),
    "ZZ3": (only("ctl_ucb", "ltc_ucb"),),
}
COUNTING = {
    "README.md": "Of {1} claims that papers make about their experiments, our runs reproduce {4} "
    "wholly and {5} in part, and do not decide {6}",
    "docs/claims.md": "The table lists {0} claims. Papers publish {1} of them about their own "
    "experiments. We know {2} claims from summaries of papers only (AL, CZ, HL, SA). The last {3} "
    "claims are ours:",
}
UNKNOWN = {"ZZ2"}  # the ratio of two excesses of which one is negative has no lower limit


@cache
def settings_of(experiments):
    """The settings of some experiments, each with its values."""
    distinct = {s: s for name in experiments for s in request_of(name, {}).settings}
    return {s: {**described(s), **s.columns, "setting": s} for s in distinct.values()}


def measured(claim, law, times):
    """The parts of a claim for regrets of a law, which grow linearly until T/2 and from there."""
    found, rng = {}, np.random.default_rng(0)
    for s, w in settings_of(claim.experiments).items():
        final = float(law(w))
        curve = np.interp(s.rounds(), [0, s.horizon / 2, s.horizon], [0, final / times, final])
        found[s] = curve * (1 + NOISE * rng.uniform(-1, 1, (RUNS, len(curve))))
    return claim.measure(found)


def test_the_table_has_every_claim():
    assert sorted(LAWS) == list(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_the_committed_page_has_the_present_words_of_a_claim(name):
    page = (TOP / "results" / "claims.md").read_text().splitlines()
    [row] = [line.split("|")[1:-1] for line in page if line.startswith(f"| {name} ")]
    cells = [unescape(cell.strip()) for cell in row]
    c = CLAIMS[name]
    expected = [c.name, c.says, c.source, f"{c.published} ({BASES[c.basis]})", c.why]
    assert [*cells[:4], cells[-1]] == expected


def test_reasons_agree_with_what_was_measured():
    """A reason that names the closest part, the end of an interval, a failure or a price."""
    ledger = pd.read_csv(TOP / "results" / "claims.summary.csv").set_index("claim")
    closest = ledger["measured [95 %]"]
    assert "eps 0.1, algo lazy_dp_ts by dp_imed" in closest["AW1"]
    assert "smallest for the mean of DP-IMED at eps .1" in CLAIMS["AW1"].why
    high = float(closest["HL2"].partition("]")[0].rpartition(" ")[2])
    assert f"reaches {high + 1e-9:.2f}" in CLAIMS["HL2"].why
    assert "fails in 0" in ledger.loc["R5", "verdict"] and "perhaps" in CLAIMS["R5"].why
    linear = pd.read_csv(TOP / "results" / "azize2024_linear.summary.csv")
    means = linear[linear["noise"] == "middle"].groupby(["horizon", "rho"])["mean"].mean()
    prices = [means[T, 0.1] - means[T, np.inf] for T in (1e4, 1e6)]
    said = "average {:.0f} at T = 1e4 and {:.0f} at T = 1e6".format(*np.round(prices, -1))
    assert said in CLAIMS["AT1"].why


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_a_claim_holds_and_fails(name):
    holds, *fails = LAWS[name]
    right = measured(CLAIMS[name], holds, 1.1)
    assert len(right) and kind(verdict(right["part"])) == "reproduced"
    (other,) = fails or [lambda w: 1 / holds(w)]
    wrong = measured(CLAIMS[name], other, 1.9)
    assert wrong["where"].equals(right["where"])
    if name in UNKNOWN:
        assert {*wrong["part"]} == {"fails", "undecided"}
    else:
        assert kind(verdict(wrong["part"])) == "not reproduced"


def counted(*bases):
    return sum(claim.basis in bases for claim in CLAIMS.values())


def test_documents_say_how_many_claims_are_published():
    said = {file: " ".join((TOP / file).read_text().split()) for file in COUNTING}
    numbers = [len(CLAIMS), counted("printed", "figure", "both"), counted("unread")]
    numbers.append(counted("ours"))
    ledger = pd.read_csv(TOP / "results" / "claims.summary.csv")
    published = ledger["verdict"][~ledger["published"].str.contains("ours|summaries")]
    kinds = published.map(kind)
    verdicts = [(kinds == x).sum() for x in ("reproduced", "partly", "undecided")]
    assert sum(verdicts) + (kinds == "not reproduced").sum() == numbers[1]
    numbers += verdicts
    for file, sentence in COUNTING.items():
        assert sentence.format(*numbers) in said[file]


def test_a_claim_says_where_it_is_from():
    for claim in CLAIMS.values():
        assert claim.basis in BASES and claim.source and claim.published
        assert claim.says.endswith(".") and claim.why.endswith(".")
    ours = {name for name, claim in CLAIMS.items() if claim.basis == "ours"}
    assert ours == {"AW1", "AW2", "SS1", "TM1"}
    assert row_of(CLAIMS["R3"], "", "partly")[3] == "23; 4.5 (read off a figure)"
    assert row_of(CLAIMS["R1"], "", "partly")[3] == "1.6; 8.6 (printed)"


@pytest.fixture(scope="module")
def runs():
    """Made up for all settings of Fig. 8: four, of two algorithms with two values of alpha."""
    rng = np.random.default_rng(1)
    found = requested(experiment="azize2022_fig8", horizon=20_000, checkpoints=4).settings
    assert all(s.rounds().tolist() == [1, 10_000, 20_000] for s in found)
    return Runs("X", {s: rng.gamma(20.0, size=(60, 3)).cumsum(axis=1) for s in found})


def test_an_interval_without_an_upper_end_can_hold():
    """As that of a ratio above 1 whose first runs are all equal. The controls: a lower end at 1 or
    an upper limit, which leave the part open.
    """
    unlimited = [Part("", 30.0, 29.0, np.inf, above=1), Part("", 30.0, 1.0, np.inf, above=1)]
    limited = Part("", 30.0, 29.0, np.inf, above=1, below=40)
    found = replace(CLAIMS["TM1"], parts=lambda _: iter([*unlimited, limited])).measure({})
    assert found["part"].tolist() == ["holds", "undecided", "undecided"]


def test_an_interval_without_a_lower_end_can_hold(runs):
    """As that of a price that fell to 0. The controls: an upper end at 1 or a lower limit, which
    leave the part open.
    """
    noise = np.linspace(-0.03, 0.03, 61)[:, np.newaxis]
    means = dict(zip(runs.measured, (0.9, 1.5, 1.0, 1.0), strict=True))
    of_means = Runs("X", {s: x + noise for s, x in means.items()})
    over, of = of_means(algo="adap_ucb"), of_means(algo="adap_klucb")
    fallen = excess_ratio(over, of, alpha=[3.1, 1.0], below=1)
    assert fallen.value < 0 and np.isneginf(fallen.ci_low)
    found = measured_as(
        fallen, Part("", 0.5, 0.0, 0.9, below=1), Part("", 0.5, 0.0, 1.1, below=1),
        Part("", 0.5, 0.0, 0.9, above=0.0, below=1), Part("", np.nan, 0.0, np.inf, below=1),
    )  # fmt: skip
    assert found["part"].tolist() == ["holds", "holds", *["undecided"] * 3]


def test_the_numbers_are_those_of_the_runs(runs):
    adap = runs(algo="adap_ucb")
    large, small = (adap(alpha=alpha).final() for alpha in (3.1, 1.0))
    of_means = large.mean() / small.mean()
    found = ratio(adap(alpha=3.1), adap(alpha=1), above=0.5, below=2)
    assert found.value == pytest.approx(of_means) and found.ci_low < found.value < found.ci_high
    assert found.where == "algo adap_ucb, alpha 3.1 by 1" and found[-2:] == (0.5, 2)
    found = ratio(adap(alpha=3.1), adap(alpha=1), center="median", above=2)
    assert found.value == pytest.approx(np.median(large) / np.median(small))
    assert found.where.endswith(" by 1, median") and found[-2:] == (2, np.inf)
    found = regret(adap(alpha=1))
    error = small.std(ddof=1) / np.sqrt(60)
    assert found.value == pytest.approx(small.mean())
    assert 1 <= (found.ci_high - found.ci_low) / (2 * 1.96 * error) <= 2
    setting, regrets = adap(alpha=1).one()
    found = growth(adap(alpha=1), below=3)
    assert found.value == pytest.approx(small.mean() / regrets[:, 1].mean())
    found = spread(adap, alpha=[1, 3.1])
    assert found.value == pytest.approx(max(of_means, 1 / of_means))
    assert found.where == "algo adap_ucb" and found.ci_low < found.value < found.ci_high
    found = regret(adap(alpha=1).measure(by_bound))
    assert found.value == pytest.approx(by_bound(setting, small).mean())


def test_a_fit_and_a_spread_of_regrets_with_limits():
    means, terms = np.array([1.0, 4.0, 2.0, 3.5]), [1.0, 4.0, 2.0, 3.0]
    regrets = Located(means, 0.9 * means, 1.1 * means)
    of_terms = np.corrcoef(terms, means)[0, 1] ** 2
    for found, value in ((largest_ratio(regrets), 4), (linear_fit(terms, regrets), of_terms)):
        assert found.value == pytest.approx(value) and found.low < found.value < found.high


def test_runs_of_no_setting_and_of_several_are_refused(runs):
    assert message_of(regret, runs(alpha=1)) == "claim X: 2 settings, not 1, have {alpha:1}"
    assert message_of(regret, runs(alpha=2)) == "claim X: 0 settings, not 1, have {alpha:2}"
    assert not runs(env_alpha=0.1).measured and [*runs(env_alpha=0.1).values] == ["env.alpha"]


def measured_as(*parts):
    """What a claim of these parts finds."""
    return replace(CLAIMS["A5"], parts=lambda _: iter(parts)).measure({})


HELD, FAILED = Part("b", 2.0, 1.9, 2.1, above=1.0), Part("c", 0.5, 0.4, 0.6, above=1.0)


def test_an_interval_that_contains_a_threshold_is_undecided():
    """And so is the verdict, if it depends on that: the control is a part that fails besides."""
    undecided = Part("a", 1.0, 0.9, 1.1, above=1.0)
    found = measured_as(undecided, HELD, FAILED)
    assert [*found["part"]] == ["undecided", "holds", "fails"]
    counts = ": holds in {} of {}, undecided in {}, fails in {}"
    for parts, words, numbers in (
        (["undecided", "holds"], "undecided (reproduced or partly)", (1, 2, 1, 0)),
        (["undecided"], "undecided (reproduced or not reproduced)", (0, 1, 1, 0)),
        (["undecided", "fails"], "undecided (partly or not reproduced)", (0, 2, 1, 1)),
        (found["part"], "partly", (1, 3, 1, 1)),
        (["holds"] * 3, "reproduced", (3, 3, 0, 0)),
        (["fails"] * 3, "not reproduced", (0, 3, 0, 3)),
    ):
        assert verdict(parts) == words + counts.format(*numbers)
        assert kind(verdict(parts)) == words.partition(" (")[0]
    text = in_words(measured_as(undecided, HELD, FAILED, HELD))
    assert text == "farthest off: 0.5 [0.4, 0.6] (c)"
    text = in_words(measured_as(undecided, FAILED))
    assert text == "1 [0.9, 1.1] (a): undecided; 0.5 [0.4, 0.6] (c): fails"


@pytest.mark.slow
@pytest.mark.parametrize("number", [20, 120])
def test_chance_makes_no_part_of_a_false_claim_hold(number):
    """Normal estimates of numbers that are the threshold: at most one claim in twenty has a part
    that holds. The control, intervals of 95 % for each part, has many.
    """
    rng, at_once, each = np.random.default_rng(5), 0, 0
    for _ in range(200):
        estimates = rng.normal(size=number)

        def parts(given, estimates=estimates):
            away = -NormalDist().inv_cdf(given.tail)
            for x in estimates:
                yield Part("", x, x - away, x + away, above=0.0)

        claim = replace(CLAIMS["A5"], parts=parts)
        at_once += "holds" in {*claim.measure({})["part"]}
        each += any(x.ci_low > x.above for x in parts(Runs("X", {})))
    assert at_once <= 10 < 60 < each


def test_a_ratio_of_two_regrets_that_are_zero_is_undefined_and_undecided(recwarn):
    zeros = located([np.zeros(5)], "mean", TAIL).of(0)
    undefined = part(pairs.ratio(zeros, zeros), Runs("X", {}), above=1.0)
    assert in_words(measured_as(undefined)) == "undefined (0 by 0)"
    found = measured_as(undefined, FAILED, undefined, undefined)
    assert in_words(found) == "farthest off: 0.5 [0.4, 0.6] (c)"
    assert not recwarn.list


def covered(statistic, true, law, trials=400, runs=50, k=4):
    """The share of trials in which the interval of a statistic of k samples holds."""
    rng, held = np.random.default_rng(3), 0
    for _ in range(trials):
        held += holds(statistic(list(law(rng, (k, runs)))), true)
    return held / trials


def holds(found, true):
    return found.low <= true <= found.high


@pytest.mark.long
def test_intervals_of_statistics_cover():
    """Exponential and linear runs; the control, runs that count ten times, covers less."""
    means = np.array([[1.0], [2.0], [3.0], [4.0]])
    bent = means + np.array([[0.2], [-0.2], [-0.2], [0.2]])

    def drawn(of):
        return lambda rng, shape: rng.exponential(size=shape) * of

    def tenfold(rng, shape):
        return np.repeat(rng.exponential(size=(shape[0], shape[1] // 10)) * means, 10, axis=1)

    def largest(samples):
        return largest_ratio(located(samples, "mean", TAIL / 6))

    def fit(samples):
        return linear_fit([1.0, 2.0, 3.0, 4.0], located(samples, "mean", TAIL))

    assert covered(largest, 4.0, drawn(means)) >= 0.95 > 0.8 > covered(largest, 4.0, tenfold)
    assert covered(largest, 1.0, drawn(np.ones((4, 1)))) >= 0.95
    true = np.corrcoef([1, 2, 3, 4], bent[:, 0])[0, 1] ** 2
    assert covered(fit, true, lambda rng, s: bent + 0.1 * rng.normal(size=s)) >= 0.93


def test_an_excess_that_is_not_positive_has_a_ratio_but_no_lower_limit(runs):
    """The control is positive; a second excess that may be 0 leaves the ratio open."""
    noise = np.linspace(-0.03, 0.03, 61)[:, np.newaxis]
    for means, value, high in (
        ([0.9, 1.5, 1.0, 1.0], -0.2, 0.0),
        ([1.2, 1.5, 1.0, 1.0], 0.4, 0.5),
        ([1.2, 1.0, 1.0, 1.01], -20.2, np.inf),
    ):
        settings = [
            runs(algo=algo, alpha=alpha).one()[0]
            for algo in ("adap_ucb", "adap_klucb")
            for alpha in (3.1, 1.0)
        ]
        of_means = Runs("X", {s: x + noise for s, x in zip(settings, means, strict=True)})
        over, of = of_means(algo="adap_ucb"), of_means(algo="adap_klucb")
        found = excess_ratio(over, of, alpha=[3.1, 1.0])
        assert found.where == "algo adap_ucb by adap_klucb"
        assert found.value == pytest.approx(value) and (found.ci_low > 0) == (value > 0)
        assert found.value <= found.ci_high <= high or value < -1


@pytest.mark.slow
def test_growth_is_of_the_same_runs():
    """It holds, and is narrower than a ratio of independent runs."""
    rng, held, narrower = np.random.default_rng(4), 0, 0
    for _ in range(40):
        half = rng.exponential(size=50) + 1
        final = half + rng.exponential(size=50) * 0.2
        found = quotient_of_means(final, half, TAIL)
        assert found.low < found.value < found.high
        both = located([final, half], "mean", TAIL)
        independent = pairs.ratio(both.of(0), both.of(1))
        held += holds(found, 1.1)
        narrower += found.high - found.low < 0.5 * (independent.high - independent.low)
    assert held >= 36 and narrower >= 38
    equal = quotient_of_means(np.full(5, 3.0), np.full(5, 2.0), TAIL)
    assert tuple(equal) == (1.5, 0.0, np.inf)
    assert np.isnan(quotient_of_means(np.zeros(5), np.zeros(5), TAIL).value)


@pytest.mark.slow
def test_runs_are_measured_by_their_regrets_and_stopping_times(tmp_path):
    cheap = measure("azize2022_fig8", 4, {"horizon": 2000, "runs": 3}, tmp_path)
    assert len(cheap) == 4
    for setting, regrets in cheap.items():
        assert regrets.shape == (4, len(setting.rounds())) and (np.diff(regrets) > 0).all()
        found = nash_regret(setting, regrets)[:, -1]  # a geometric mean is below the other
        assert found.mean() >= regrets[:, -1].mean() / 2000
    long = measure("azize2023_bai", 4, {"sweep.eps": [10.0], "runs": 3}, tmp_path)
    assert long and all(x.shape == (3, 1) and (x > 1).all() for x in long.values())


def test_the_report_shows_the_ledger(tmp_path):
    """The control: without a ledger there is nothing."""
    assert claims_in(tmp_path) == claims_in(None) == []
    parts = [["holds", "fails"], ["holds", "undecided"], ["fails"], ["holds"]]
    words = [*map(verdict, parts)]
    rows = [row_of(claim, "", word) for claim, word in zip(CLAIMS.values(), words, strict=False)]
    pd.DataFrame(rows, columns=HEAD).to_csv(tmp_path / "claims.summary.csv", index=False)
    found = claims_in(tmp_path)
    assert [x["verdict"] for x in found] == words
    kinds = ["partly", "undecided", "not reproduced", "reproduced"]
    assert [x["kind"] for x in found] == kinds
    own = [BASES[claim.basis] for claim in CLAIMS.values()][: len(words)]
    assert [x["basis"] for x in found] == own


def test_cheap_runs_are_those_of_episodic_algorithms():
    settings = requested(experiment="azize2022_fig2").settings
    assert {s.algo for s in settings if is_cheap(s)} == {"dp_se", "adap_ucb", "adap_klucb"}

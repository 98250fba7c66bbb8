"""Huber contamination, what algorithms assume of it, and both from the command line."""

import json
import math
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import CONF, SIGMAS, bernoulli
from scipy import stats
from scipy.integrate import quad

from dpbandits.cli import run
from dpbandits.cli.config.compose import multirun_points, read_request
from dpbandits.environments.catalogue import build
from dpbandits.environments.laws import draw
from dpbandits.errors import BadInput
from dpbandits.running.play import play

STUDENT = {"law": "student", "means": [3.0, 5.0, 5.0], "scale": 0.5, "df": 3}
SMALL = "runs=2 jobs=1 horizon=60 checkpoints=4 algo=adap_ucb assume=true"


def contaminated(inlier, alpha, outlier, relative=False):
    return {"law": "contaminated", "inlier": inlier, "alpha": alpha} | {
        "outlier": outlier,
        "relative": relative,
    }


def cells(line):
    return read_request(shlex.split(line), ()).cells


def cell(line):
    (found,) = cells(line)
    return found


def values(line):
    """The parameters of the one cell of a command line, by name."""
    found = cell(line)
    return dict(zip(found.algorithm.domains, found.arguments, strict=True))


def draws(env, a, size, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([draw(env, rng, a, 0) for _ in range(size)])


def outlying_values(instance):
    """The value of each arm's outliers, which are point masses."""
    rows = instance.environment.parameters[len(instance.means) :]
    assert (rows[:, 0] == rows[:, 1]).all()
    return rows[:, 1]


@pytest.mark.parametrize("alpha", [0.01, 0.2, 0.49])
def test_the_share_of_outliers_is_alpha(alpha):
    """Whatever is drawn of either law: the shares differ by their error alone."""
    n = 20_000
    env = build(contaminated(STUDENT, alpha, [1e6, -1e6, 2e6])).environment
    for a, value in enumerate((1e6, -1e6, 2e6)):
        x = draws(env, a, n)
        out = x[np.abs(x) > 1e5]
        assert set(out) == {value}
        assert abs(len(out) - alpha * n) < SIGMAS * math.sqrt(alpha * (1 - alpha) * n)
        inliers = x[np.abs(x) < 1e5]
        assert stats.kstest(inliers, stats.t(3, STUDENT["means"][a], 0.5).cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    ("outlier", "expected"),
    [
        (100.0, [stats.uniform(100.0, 1e-6)] * 3),
        ([1, 2, 300], [stats.uniform(x, 1e-6) for x in (1, 2, 300)]),
        ({"law": "gaussian", "mean": 900, "sd": 2}, [stats.norm(900, 2)] * 3),
        (
            [
                {"law": "uniform", "low": 800, "high": 900},
                {"law": "pareto", "mean": 700, "shape": 3},
                {"law": "lognormal", "mean": 800, "sigma": 0.1},
            ],
            [
                stats.uniform(800, 100),
                stats.pareto(3, scale=700 * 2 / 3),
                stats.lognorm(0.1, scale=800 * math.exp(-0.005)),
            ],
        ),
    ],
    ids=["value", "list", "law", "list of laws"],
)
def test_outliers_have_their_law(outlier, expected):
    """A value or a law, for all arms or for each; values are smeared for the test's sake."""
    instance = build(contaminated(STUDENT, 0.4, outlier))
    for a, law in enumerate(expected):
        inlier = stats.t(3, STUDENT["means"][a], 0.5)
        x = draws(instance.environment, a, 4000)

        def cdf(x, inlier=inlier, law=law):
            return 0.6 * inlier.cdf(x) + 0.4 * law.cdf(x)

        x = x + 1e-6 * (x == np.round(x)) * np.random.default_rng(1).random(len(x))
        assert stats.kstest(x, cdf).pvalue > 1e-6
        assert stats.kstest(x, lambda y, cdf=cdf: cdf(1.05 * y)).pvalue < 1e-10


def test_regret_is_that_of_the_inliers():
    """Gaps, moments and u are the inliers'; the range of the rewards is not."""
    clean = build(STUDENT)
    foul = build(contaminated(STUDENT, 0.4, [1e6, -1e6, 0.0]))
    assert (foul.means == clean.means).all() and (foul.gaps == [2.0, 0.0, 0.0]).all()
    assert (foul.raw_moments(1.5) == clean.raw_moments(1.5)).all()
    assert (foul.central_moments(2.0) == clean.central_moments(2.0)).all()
    assert foul.contamination == 0.4 and clean.contamination == 0.0
    within = build(contaminated(bernoulli(0.9, 0.2), 0.1, [0.5, -2.0]))
    assert within.support == (-2.0, 1.0)
    assert build(contaminated(bernoulli(0.9, 0.2), 0.1, 0.5)).support == (0.0, 1.0)


def test_the_regret_of_a_run_is_that_of_the_inliers(bandit):
    """Outliers turn the arms round, so that one learns to play what is worse."""
    line = "env=contaminated env.inlier=bernoulli env.inlier.means=[.6,.4] env.alpha=.45"
    table = bandit(f"{SMALL} {line} env.outlier=[0,1] horizon=20000 eps=10")
    last = table[table["t"] == 20_000]
    assert (last["regret"] > 0.2 * 15_000).all()


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("relative", [False, True])
def test_unseen_outliers(relative, k):
    """-.99 alpha^(-1/k) for the best arms, + for the others; added to the means if relative."""
    spec = contaminated(STUDENT, 0.1, {"law": "unseen", "k": k}, relative)
    expected = 0.99 * 0.1 ** (-1 / k) * np.array([1.0, -1.0, -1.0])
    expected = expected + (np.array(STUDENT["means"]) if relative else 0.0)
    assert outlying_values(build(spec)) == pytest.approx(expected)


def test_relative_outliers_are_added_to_the_means():
    assert (outlying_values(build(contaminated(STUDENT, 0.1, 7, True))) == [10, 12, 12]).all()
    assert (outlying_values(build(contaminated(STUDENT, 0.1, [1, 2, -3], True))) == [4, 7, 2]).all()
    assert (outlying_values(build(contaminated(STUDENT, 0.1, [1, 2, -3]))) == [1, 2, -3]).all()


@pytest.mark.parametrize("outlier", [3.0, {"law": "unseen", "k": 2}, [1.0, 2.0, 3.0]])
def test_without_contamination_it_is_the_clean_environment(outlier):
    """Bit for bit, so that runs can be compared."""
    clean, same = build(STUDENT), build(contaminated(STUDENT, 0, outlier))
    for x, y in zip(clean.environment, same.environment, strict=True):
        assert np.array_equal(x, y)
    assert (clean.means == same.means).all() and clean.support == same.support


def test_runs_without_contamination_are_those_of_the_clean_environment():
    line = "algo=adap_ucb horizon=500"
    clean = play(cell(f"{line} env=bernoulli_c2"), 3)
    for alpha, same in ((0, True), (0.2, False)):
        foul = play(cell(f"{line} env=contaminated env.alpha={alpha} assume=true"), 3)
        assert np.array_equal(clean, foul) == same


def test_shuffled_arms_keep_their_outliers():
    """Arm i of the shuffled environment draws what arm order[i] draws: inliers and outliers."""
    arms = [
        {"law": "pareto", "mean": 2, "shape": 3},
        {"law": "discrete", "values": [1, 2, 3], "probabilities": [0.2, 0.3, 0.5]},
        {"law": "gaussian", "mean": 1, "sd": 2},
    ]
    outliers = [
        {"law": "point_mass", "value": 50},
        {"law": "student", "mean": 60, "scale": 1, "df": 3},
        {"law": "discrete", "values": [70, 71], "probabilities": [0.5, 0.5]},
    ]
    instance = build(contaminated({"law": "mixed", "arms": arms}, 0.3, outliers))
    order = np.array([2, 0, 1])
    shuffled = instance.shuffled(order)
    for i, a in enumerate(order):
        assert (draws(shuffled, i, 500) == draws(instance.environment, a, 500)).all()
    table = {"law": "table", "rewards": [[1, 2, 3]] * 2, "file": None}
    instance = build(contaminated(table, 0.3, [10, 20, 30]))
    shuffled = instance.shuffled(order)
    for i, a in enumerate(order):
        assert set(draws(shuffled, i, 100)) == {a + 1.0, 10 * (a + 1.0)}


# from the command line


@pytest.fixture
def bandit(tmp_path, monkeypatch, capsys):
    """A function that runs a command in the test's folder and returns its table."""
    monkeypatch.chdir(tmp_path)

    def command(line):
        monkeypatch.setattr(sys, "argv", ["bandit-run", *shlex.split(line)])
        with pytest.raises(SystemExit) as stopped:
            run.main()
        printed = capsys.readouterr()
        assert stopped.value.code == 0, printed.err
        return pd.read_csv(printed.out.splitlines()[-1])

    return command


def test_an_inlier_is_chosen_by_its_name():
    found = cell(
        "algo=prae_c env=contaminated env.inlier=student_far env.alpha=.05 env.outlier=100"
    )
    assert json.loads(found.env_spec)["inlier"]["means"] == [20, 19, 18, 17, 16]
    assert found.env == "contaminated" and found.instance.contamination == 0.05
    assert (outlying_values(found.instance) == 100).all()


def test_an_inliers_parameters_can_be_set():
    line = "algo=prae_r assume=true env=contaminated env.inlier=pareto env.inlier.shape=4"
    assert json.loads(cell(line).env_spec)["inlier"]["shape"] == 4
    line = "algo=prae_r assume=true env=wu_raw env.inlier=twopoint_heavy env.inlier.v=.5"
    assert json.loads(cell(line).env_spec)["inlier"]["v"] == 0.5


def test_a_multirun_over_inliers():
    line = "algo=prae_c env=contaminated env.inlier=student_far,pareto env.alpha=.05,.1 assume=true"
    found = [read_request(point, ()).cells[0] for point in multirun_points(shlex.split(line))]
    inliers = [json.loads(c.env_spec)["inlier"]["law"] for c in found]
    assert inliers == ["student", "student", "pareto", "pareto"]
    assert [c.instance.contamination for c in found] == [0.05, 0.1, 0.05, 0.1]


def test_a_multirun_over_a_parameter_of_an_inlier(tmp_path):
    """One table for each, with the regret that each has alone."""
    line = f"env=contaminated env.outlier=1 {SMALL} env.inlier=bernoulli"
    command = [Path(sys.executable).with_name("bandit-run"), *line.split()]
    done = subprocess.run(
        [*command, "-m", "env.inlier.means=[0.9,0.1],[0.5,0.4]"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tables = [pd.read_csv(tmp_path / x) for x in done.stdout.split() if x.endswith(".csv")]
    expected = [cell(f"{line} env.inlier.means={means}") for means in ("[0.9,0.1]", "[0.5,0.4]")]
    for table, alone in zip(tables, expected, strict=True):
        last = table[table["t"] == 60]["regret"]
        pulls = [play(alone, r)[-1] for r in range(2)]
        assert list(last) == pytest.approx([p @ alone.instance.gaps for p in pulls], rel=1e-11)


def test_a_sweep_over_a_parameter_of_the_environment(bandit):
    """A column of its own, blank where an environment lacks it; such a one is run once."""
    table = bandit(f"{SMALL} 'sweep={{env:[contaminated,bernoulli_c2],env.alpha:[0,.2]}}'")
    assert list(table.columns[4:7]) == ["seed", "env.alpha", "run"]
    settings = table[["env", "env.alpha"]].drop_duplicates().to_numpy().tolist()
    assert settings[:2] == [["contaminated", 0.0], ["contaminated", 0.2]]
    assert settings[2][0] == "bernoulli_c2" and math.isnan(settings[2][1]) and len(settings) == 3
    last = table[table["t"] == 60].set_index(["env", "run"])["regret"]
    clean, foul = last["bernoulli_c2"], last["contaminated"].to_numpy()
    assert (foul[:2] == clean).all() and (foul[2:] != clean).any()


def test_a_sweep_over_a_parameter_of_the_inlier():
    found = cells(
        "assume=true 'sweep={env:[contaminated,ren_bernoulli],env.inlier.family:[c1,c3]}'"
    )
    assert [c.columns.get("env.inlier.family") for c in found] == ["c1", "c3", None]
    assert found[0].instance.means[1] == 0.7 and found[1].instance.means[1] == 0.53125


def test_a_sweep_over_what_is_no_number(bandit):
    """Outliers may be lists and laws: the table says which, as they are typed."""
    choices = "[0,[0,1,1,1,1],{law: bernoulli, mean: .5}]"
    table = bandit(f"{SMALL} env=contaminated 'sweep={{env.outlier:{choices}}}'")
    assert list(table["env.outlier"].unique()) == ["0", "[0,1,1,1,1]", "{law:bernoulli,mean:0.5}"]


@pytest.mark.parametrize("name", ["env.nothing", "env.alpha", "env.inlier.law", "env.family.x"])
def test_a_sweep_over_what_no_environment_has(name):
    with pytest.raises(BadInput, match=f"^sweep.{name}: no environment of the sweep has"):
        cells(f"'sweep={{env:[bernoulli_c1,bernoulli_c2],{name}:[0,.1]}}'")


def test_a_sweep_over_horizons():
    """In one grid of two; the horizon of the command line is that of the other."""
    sweep = "'sweep=[{algo:[adap_ucb],horizon:[100,200]},{algo:[ucb]}]'"
    for given, other in (("", 10_000_000), ("horizon=300", 300)):
        found = [(c.algo, c.horizon, c.columns) for c in cells(f"{sweep} {given}")]
        assert found == [("adap_ucb", 100, {}), ("adap_ucb", 200, {}), ("ucb", other, {})]
    for sweep in ("{horizon:[100]}", "[{horizon:[100]},{horizon:[200]}]"):
        with pytest.raises(BadInput, match="horizon=300: the sweep varies horizon"):
            cells(f"'sweep={sweep}' horizon=300")


def test_a_swept_horizon_is_that_of_the_runs(bandit):
    """With its own checkpoints, and with what depends on it, such as delta = 1/horizon."""
    table = bandit(f"{SMALL.replace('horizon=60', '')} 'sweep={{horizon:[50,80]}}'")
    assert table.groupby("horizon")["t"].max().to_dict() == {50: 50, 80: 80}
    found = cells("algo=prae_r env=wu_raw 'sweep={horizon:[100,1000]}'")
    assert [c.arguments[3] for c in found] == [0.01, 0.001]


# what algorithms assume


WAIVED = [
    "algo=dpr_se env=pareto_v05 algo.v=.9 algo.u=2",
    "algo=dpr_ucb env=pareto algo.u=.5",
    "algo=ldpr_se env=contaminated",
    "algo=robust_ucb env=contaminated env.alpha=.3 env.outlier=1e9",
    "algo=prae_r env=student_far",
    "algo=prae_r env=pareto_v05",
    "algo=prae_r env=wu_raw algo.alpha1=.01",
    "algo=prae_c env=wu_central algo.alpha1=.01",
    "algo=prae_c env=student_far algo.D=10",
    "algo=prae_c env=student",
]


@pytest.mark.parametrize("line", WAIVED)
def test_assume_waives_what_the_regret_rests_on(line):
    with pytest.raises(BadInput, match="assume=true runs it all the same"):
        cells(line)
    assert cell(f"{line} assume=true")


@pytest.mark.parametrize(
    "line",
    [
        "algo=adap_ucb env=contaminated env.outlier=2",
        "algo=adap_klucb env=contaminated 'env.outlier={law: gaussian, mean: 0, sd: 1}'",
        "algo=dp_se env=pareto_v05",
        "algo=heldp_ucb_b env=contaminated env.outlier=[0,0,0,-.01,0]",
    ],
)
def test_assume_never_waives_what_the_privacy_rests_on(line):
    for assume in ("", "assume=true"):
        with pytest.raises(BadInput, match=r"rewards in \[0, 1\]") as refused:
            cells(f"{line} {assume}")
        assert "assume=true" not in str(refused.value)


def test_no_outliers_beyond_the_range_are_no_matter_of_privacy():
    assert cell("algo=adap_ucb env=contaminated env.outlier=1 assume=true")


def test_assume_does_not_make_an_infinite_u():
    for assume in ("", "assume=true"):
        with pytest.raises(BadInput, match=r"algo\.u=auto: infinite for env=pareto_v05"):
            cells(f"algo=dpr_se env=pareto_v05 algo.v=.9 {assume}")


def pareto_moment(q, mean, shape):
    return shape * (mean * (shape - 1) / shape) ** q / (shape - q)


def integral(law, q):
    """E|X|^q, by the integral of P(|X| > x)."""
    return q * quad(lambda x: x ** (q - 1) * (law.cdf(-x) + law.sf(x)), 0, np.inf, limit=500)[0]


@pytest.mark.parametrize(
    ("env", "v", "expected"),
    [
        ("pareto_v05", 0.5, pareto_moment(1.5, 0.9, 1.55)),
        ("pareto_v09", 0.9, pareto_moment(1.9, 0.9, 1.95)),
        ("pareto_v09", 0.5, pareto_moment(1.5, 0.9, 1.95)),
        ("pareto env.shape=3 env.means=[.2,.5]", 1, pareto_moment(2, 0.5, 3)),
        ("wu_pareto", 1, pareto_moment(2, 0.9, 11)),
        ("twopoint_heavy", 0.9, 1.0),
        ("twopoint_heavy_v05", 0.5, 1.0),
        ("twopoint_heavy env.g=.5", 0.5, 0.9 * 2**0.5),
        ("lognormal", 0.5, 0.9**1.5 * math.exp(0.5 * 1.5 * 0.5)),
        ("student", 1, 3 + 0.9**2),
        ("student", 0.5, integral(stats.t(3, 0.9), 1.5)),
        ("ren_gaussian", 0.5, integral(stats.norm(0.9, 1), 1.5)),
        ("bernoulli_c2", 0.3, 0.75),
        ("ren_mixed", 1, 0.9),
        ("'table' 'env.rewards=[[1,3],[0,-2]]' horizon=2", 1, 6.5),
        ("contaminated env.inlier=pareto_v05 env.outlier=1e6", 0.5, pareto_moment(1.5, 0.9, 1.55)),
    ],
)
def test_u_is_the_largest_moment_of_the_arms(env, v, expected):
    """u=auto is E|X|^(1+v) of the worst arm, of the inliers under contamination."""
    found = values(f"algo=dpr_se env={env} algo.v={v} assume=true")
    assert found["u"] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("algo", ["dpr_ucb", "ldpr_se", "robust_ucb"])
def test_u_is_taken_from_the_environment_or_from_the_user(algo):
    line = f"algo={algo} env=pareto_v05"
    assert values(line)["u"] == pytest.approx(pareto_moment(1.5, 0.9, 1.55))
    assert values(f"{line} algo.u=7")["u"] == 7


def test_the_least_u_is_enough():
    """u=auto passes its own check, to the last digit."""
    for env, v in (("pareto_v09", 0.9), ("twopoint_heavy", 0.9), ("student", 0.5)):
        u = values(f"algo=dpr_se env={env} algo.v={v}")["u"]
        assert cell(f"algo=dpr_se env={env} algo.v={v} algo.u={u!r}")
        with pytest.raises(BadInput, match="assumes at most u"):
            cell(f"algo=dpr_se env={env} algo.v={v} algo.u={0.999 * u!r}")


def test_the_presets_belong_to_their_classes():
    """twopoint_heavy has u = 1, wu_pareto second moments of at most 1, student_far variance 1."""
    for name, v in (("twopoint_heavy", 0.9), ("twopoint_heavy_v05", 0.5)):
        instance = cell(f"algo=dpr_se env={name} algo.v={v}").instance
        assert instance.raw_moments(1 + v).max() == pytest.approx(1.0, rel=1e-12)
    wu = cell("algo=prae_r env=wu_pareto").instance
    scale = np.arange(1, 11)  # a Pareto of shape 11 has mean 1.1 and E X^2 = 11/9 at scale 1
    assert wu.means == pytest.approx(1.1 * scale / (11 / 9 * scale**2))
    assert (wu.raw_moments(2) <= 1).all()
    far = cell("algo=prae_c env=student_far").instance
    assert far.central_moments(2) == pytest.approx(np.ones(5), rel=1e-12)
    assert np.abs(far.means).max() <= 50


@pytest.mark.parametrize("alpha", [0, 0.02, 0.13, 0.3])
def test_alpha1_is_the_contamination(alpha):
    assert values(f"algo=prae_r env=wu_raw env.alpha={alpha}")["alpha1"] == alpha
    if alpha < 0.133:
        assert values(f"algo=prae_c env=wu_central env.alpha={alpha}")["alpha1"] == alpha
    else:
        with pytest.raises(
            BadInput, match=r"alpha1=0\.3: .* that is what env=wu_central makes of auto"
        ):
            cells(f"algo=prae_c env=wu_central env.alpha={alpha}")
    larger = values(f"algo=prae_r env=wu_raw env.alpha={alpha} algo.alpha1=.4")
    assert larger["alpha1"] == 0.4
    assert values("algo=prae_r env=wu_pareto")["alpha1"] == 0.0


def test_the_contaminated_presets():
    """The names that their files give, the inliers and outliers that SPEC.md gives."""
    assert {"contaminated", "wu_raw", "wu_central"} <= {f.stem for f in CONF.glob("env/*.yaml")}
    for line, inlier in (
        ("algo=prae_r env=wu_raw", "wu_pareto"),
        ("algo=prae_c env=wu_central", "student_far"),
    ):
        instance = cell(line).instance
        clean = cell(f"{line.partition(' ')[0]} env={inlier}").instance
        assert (instance.means == clean.means).all()
        reach = 0.99 * 0.05**-0.5 * np.where(clean.gaps == 0, -1, 1)
        base = clean.means if inlier == "student_far" else 0.0
        assert outlying_values(instance) == pytest.approx(base + reach)

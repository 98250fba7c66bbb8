"""Reward laws written in Python: their draws, moments and identity, and what is refused."""

import json
import math
import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
from in_law import assert_law
from refusals import message_of
from scipy import stats
from test_laws import fill_singles, fill_sums, generator

import dpbandits as dp
from dpbandits.cli import compare, plot, report, run
from dpbandits.environments.catalogue import build
from dpbandits.environments.instances import of_arms
from dpbandits.environments.laws import draw
from dpbandits.environments.written import law_of_function, register

NO_BLOCKS = (0.0, math.inf)


def triangular(u, mode):
    """Triangular on [0, 1]."""
    if u < mode:
        return (u * mode) ** 0.5
    return 1.0 - ((1.0 - u) * (1.0 - mode)) ** 0.5


def exponential(u):
    return -math.log(1.0 - u)


def cauchy(u):
    return math.tan(math.pi * (u - 0.5))


def power_tail(u, shape):
    return (1.0 - u) ** (-1.0 / shape)


def steps(u, p, q):
    return 0.0 if u < p else (0.5 if u < q else 1.0)


def infinite_mean(u, p):
    return (1.0 - u) ** -p


def constant(u):
    return 0.5


def jackpot(u, p, h):
    return 0.5 * u + (h if u > 1 - p else 0.0)


def middle_jump(u, at):
    return 2.0 * u + (5.0 if u > at else 0.0)


def falls(u):
    return 1.0 - u


def gaps(u):
    return math.nan if 0.4 < u < 0.6 else u


def fails(u):
    return u[0]


def raises(u):
    if u > 0.5:
        raise ValueError("no")
    return u


def too_many(u, a, b, c, d):
    return u


def without_u(x):
    return x


@pytest.mark.slow
def test_draws_have_the_law_and_compiled_code_draws_what_plain_code_does():
    """Mutations that it catches: parameters in another order, one number that is drawn twice."""
    law = law_of_function(triangular)
    for mode in (0.2, 0.9):
        env = of_arms([law(mode=mode)]).environment
        x = np.zeros(20_000)
        fill_singles(env, generator(1), 0, x)
        right = stats.triang(mode)
        assert_law(x, right, stats.triang(mode - 0.1))
        rng = generator(1)
        plain = [
            draw.py_func(env, rng, 0, t) if hasattr(draw, "py_func") else draw(env, rng, 0, t)
            for t in range(50)
        ]
        assert x[:50] == pytest.approx(plain, rel=1e-15)
    sums = np.zeros(2000)
    fill_sums(env, generator(2), 0, 50, *NO_BLOCKS, sums)
    error = math.sqrt(50 * right.var() / len(sums))
    assert abs(sums.mean() - 50 * right.mean()) < 5 * error


@pytest.mark.parametrize(
    ("function", "given", "known"),
    [
        (triangular, {"mode": 0.3}, stats.triang(0.3)),
        (exponential, {}, stats.expon()),
        (power_tail, {"shape": 4.0}, stats.pareto(4)),
        (steps, {"p": 0.25, "q": 0.5}, stats.rv_discrete(values=([0, 1, 2], [0.25, 0.25, 0.5]))),
    ],
)
def test_means_moments_and_ranges_follow_from_the_function(function, given, known):
    arm = law_of_function(function)(**given)
    unit = 0.5 if function is steps else 1.0
    assert arm.mean == pytest.approx(unit * known.mean(), rel=1e-7)
    variance = arm.moment(2.0, arm.mean)
    assert variance == pytest.approx(unit**2 * known.var(), rel=1e-6)
    low, high = known.support()
    assert (arm.low, arm.high) == (unit * low, unit * high)


@pytest.mark.parametrize(
    ("function", "given", "reason"),
    [
        (cauchy, {}, "mean of the law cannot be computed"),
        (power_tail, {"shape": 1.1}, "mean of the law cannot be computed"),
        (infinite_mean, {"p": 1.0}, "mean of the law cannot be computed"),
        (falls, {}, "must not decrease"),
        (gaps, {}, "a number is needed for every u"),
        (fails, {}, "cannot be compiled"),
        (raises, {}, "the function fails (ValueError: no)"),
        (too_many, {}, "at most 3 parameters"),
        (without_u, {}, "without_u(u, ...)"),
    ],
)
def test_what_is_no_quantile_function_is_refused(function, given, reason):
    assert reason in message_of(lambda: law_of_function(function)(**given))


def test_a_constant_has_a_mean():
    arm = law_of_function(constant)()
    assert (arm.mean, arm.low, arm.high, arm.moment(2.0, arm.mean)) == (0.5, 0.5, 0.5, 0.0)


def arms(*modes, law=triangular):
    return dp.mixed([{"law": law, "mode": mode} for mode in modes])


def test_a_law_can_be_played_mixed_and_contaminated():
    env = dp.mixed([{"law": triangular, "mode": 0.9, "copies": 2}, {"law": "beta", "a": 1, "b": 3}])
    given = {"env": dp.contaminated(env, 0.1, {"law": triangular, "mode": 0.5}), "horizon": 500}
    found = dp.run("ucb", runs=2, assume=True, **given)
    assert found["regret"].gt(0).any()
    assert "triangular has no such parameter" in message_of(
        dp.run, "ucb", dp.mixed([{"law": triangular, "mod": 1}] * 2), horizon=10
    )
    assert "assumes rewards" in message_of(
        dp.run, "ucb", dp.mixed([{"law": exponential}, {"law": triangular, "mode": 0.5}]), horizon=9
    )


def plain_ucb(game, rng):
    from dpbandits.authoring import arms, pull, rounds_left

    while rounds_left(game) > 0:
        for a in range(arms(game)):
            if rounds_left(game) > 0:
                pull(game, a)


@pytest.mark.long
def test_a_law_reaches_other_processes():
    """Mutation that it catches: a setting that is sent without its laws."""
    given = {"env": arms(0.9, 0.2), "horizon": 60, "runs": 3}
    both = [
        dp.run(plain_ucb, **given, backend=backend, jobs=2) for backend in ("threads", "processes")
    ]
    assert both[0].equals(both[1])


@pytest.mark.slow
def test_the_law_is_part_of_the_setting(tmp_path):
    """Mutations that it catches: keys without the law's version; keys with its address."""

    def changed(u, mode):
        return u * mode

    def keys(law):
        law.__name__ = "tower"
        env = dp.mixed([{"law": law, "mode": 0.9}, {"law": law, "mode": 0.2}])
        dp.run("ucb", env, horizon=50, runs=1, results=tmp_path)
        return {path.name for path in tmp_path.glob("runs/*/*") if path.suffix == ".npz"}

    def tower(u, mode):
        return u**2 * mode

    first = keys(tower)
    assert len(first) == 1 and keys(tower) == first
    assert len(keys(changed)) == 2


def test_two_functions_of_one_name_are_two_laws():
    """Environments keep the function with which they were made."""

    def ramp(u, top):
        return u * top

    first = dp.mixed([{"law": ramp, "top": 0.5}, {"law": "bernoulli", "mean": 0.0}])
    before = ramp

    def ramp(u, top):
        return u * u * top

    second = dp.mixed([{"law": ramp, "top": 0.6}, {"law": "bernoulli", "mean": 0.0}])
    both = dp.mixed([{"law": before, "top": 0.5}, {"law": ramp, "top": 0.6}])
    gaps = [build(env.contents).gaps for env in (first, second, both)]
    assert np.allclose(gaps, [[0.0, 0.25], [0.0, 0.2], [0.0, 0.05]])


RAMP = "def {name}(u, top):\n    return u * top\n"


@pytest.mark.slow
@pytest.mark.extra("jinja2", "vl_convert")
def test_commands_for_tables_take_the_folder_of_a_law(here, bandit, refused):
    """Means and bounds of its arms; the control names no folder."""
    file = Path(bandit(run, "algo=ucb env=bernoulli_c2 horizon=100 runs=3 checkpoints=5")[-1])
    manifest = file.with_suffix(".json")
    (here / "mine" / "law").mkdir(parents=True)
    for i, (module, key) in enumerate(
        [(plot, "bounds=true"), (plot, "metric=nash"), (compare, "metric=nash")]
    ):  # a law of each, since it remains known
        name = f"ramp{i}"
        (here / "mine" / "law" / f"{name}.py").write_text(RAMP.format(name=name))
        known = json.loads(manifest.read_text())
        (record,) = known["settings"].values()
        record["env_spec"] = {"law": "mixed", "arms": [{"law": name, "top": x} for x in (1, 0.5)]}
        manifest.write_text(json.dumps(known))
        assert name in refused(module, [str(file), key])
        assert bandit(module, f"--config-dir mine {file} {key}")
    page = Path(bandit(report, "--config-dir mine metric=nash")[-1]).read_text()
    assert "Nash regret" in page and "Left out" not in page
    assert "no such folder" in refused(plot, ["--config-dir", "other", str(file)])


@pytest.mark.slow
def test_a_law_that_changed_after_the_runs_is_refused(here, bandit, refused):
    """Catches bounds of the new law beside regrets of the old one; the control is the same law."""
    for folder in ("law", "env"):
        (here / "mine" / folder).mkdir(parents=True)
    law = here / "mine" / "law" / "edited.py"
    law.write_text(RAMP.format(name="edited"))
    arms = "[{law: edited, top: 1}, {law: edited, top: 0.5}]"
    (here / "mine" / "env" / "two.yaml").write_text(f"# Two.\nlaw: mixed\narms: {arms}\n")
    file = bandit(run, "--config-dir mine algo=ucb env=two horizon=100 runs=3 checkpoints=5")[-1]
    for key in ("bounds=true", "metric=nash"):
        assert bandit(plot, f"--config-dir mine {file} {key}")
    law.write_text(RAMP.format(name="edited").replace("u *", "u * u *"))
    for key in ("bounds=true", "metric=nash"):
        line = refused(plot, ["--config-dir", "mine", file, key])
        assert "env=two: the law edited has changed since the runs; run them again" in line


def test_a_law_is_pickled_by_its_function_or_file(tmp_path):
    law = law_of_function(triangular)
    register(law)
    assert pickle.loads(pickle.dumps(law)) == law
    assert joblib.hash(law.version) == joblib.hash(law_of_function(triangular).version)


@pytest.mark.parametrize(
    ("law", "values", "mean"),
    [
        (jackpot, {"p": 1e-3, "h": 1e3}, 1.25),
        (jackpot, {"p": 1e-9, "h": 1e9}, 1.25),
        (jackpot, {"p": 2e-3, "h": 0.5}, 0.251),
        (middle_jump, {"at": 2 / 3 - 1e-4}, 1.0 + 5.0 * (1 / 3 + 1e-4)),
    ],
)
def test_a_jump_between_the_points_of_a_quadrature_counts(law, values, mean):
    """Mutation that it catches: trusting the error estimate of a quadrature that saw no jump."""
    arm = law_of_function(law)(**values)
    assert arm.mean == pytest.approx(mean, rel=1e-6)
    # the deviations above the mean, which only the jackpot has, are half of the deviations
    if law is jackpot and values["h"] > 1:
        share = values["p"]
        above = share * (0.5 * (1 - share / 2) + values["h"] - mean)
        assert arm.moment(1.0, arm.mean) == pytest.approx(2 * above, rel=1e-6)


def test_a_mean_outside_its_bracket_is_refused():
    """Mutation that it catches: an integral that is not compared with its bracket."""
    message = message_of(law_of_function(jackpot), p=1e-12, h=1e12)
    assert "the mean of the law cannot be computed (the integral is between 1.2" in message

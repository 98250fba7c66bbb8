"""Measure speed and memory of every algorithm, as ratios of times in one process (make bench).

The script prints a table. The table is written to benchmarks/table.md, and the ratios to
benchmarks/ratios.csv. With --check (make bench-check) it measures the ratios again, and compares
them with the ratios in the file and with their limits.

The time of a per-round algorithm is compared with the time to draw only its random numbers, and
with the time of the same function in the Python interpreter. For Thompson sampling, these random
numbers are K Beta variables in each round. The time of an episodic algorithm is compared with the
time to make two generators of NumPy, which runs do not need if they are played together. Episodic
algorithms are also compared with a plain-Python loop over rounds (tests/oracles/references.py,
timed at T = 1e5 and scaled to 1e7). All algorithms are compared with a straightforward Numba loop
over rounds (naive.py). The CPU time of compiling (compile.py) is compared with the CPU time of the
imports. All times are CPU times, so other processes do not count.
"""

import inspect
import itertools
import math
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import compile as compiling
import naive
import numpy as np
import ratios
from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "oracles"))
import references

import dpbandits as dp
from dpbandits.compiled import beta, exponential, inlined, kernel, normal, random, student
from dpbandits.contracts.algorithm import find_file, load
from dpbandits.contracts.alignments import one_bit
from dpbandits.contracts.assumptions import HeavyTails, RawMoments
from dpbandits.contracts.parameters import Named
from dpbandits.contracts.question import ARMS, CONTEXTS, REGRET
from dpbandits.environments.laws import sigmoid
from dpbandits.environments.populations import homogeneous
from dpbandits.game import new_game, pull_truncated_sum
from dpbandits.running.play import play_many
from dpbandits.running.seeds import ENVIRONMENT, LEARNER, generator
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import names_in

ROUNDS = 10**7
PLAIN_ROUNDS = 10**5
# Rounds of slow naive loops: the loop of KL-UCB takes microseconds a round, and the loop of Robust
# UCB takes O(t) in round t. The time of Robust UCB is not scaled, but compared with a game of the
# same length
NAIVE_ROUNDS = {"kl_ucb": 10**6, "robust_ucb": 10**5}
POSTERIOR_ROUNDS = 10**6  # rounds of Thompson sampling
EPISODIC_RUNS = 2000
CONTEXTUAL_ROUNDS = 10**5
SHAPES = (3, 10), (20, 20)  # dimensions and arms of contextual rounds
REPEATS = 9
MICROSECONDS = 100.0  # limit of an episodic run at T = 1e7
MICROSECONDS_OF_DESIGNS = 2000.0  # the limit for phased elimination, K 10, d 3
IMPORTS = "numpy, numba, pandas, hydra, joblib, scipy.special"
BERNOULLI, NORMAL, PARETO = range(3)
NONE, LAPLACE, BIT, ADAPTIVE = range(4)
POWER = 1 / 1.9
SIZES = "K = 5", "ratio", "K = 20", "ratio"  # columns of the tables
TIMES = "plain, times", "naive Numba loop, times"
EPISODIC_TIMES = "plain loop, times", TIMES[1]
# Numbers of normals in the noise of a round. A user's message has a symmetric matrix and a vector,
# or a direction. A node of a tree has a symmetric matrix with a row for the reward
NOISE = {
    "ldp_lin_ucb": (lambda d: d * (d + 3) // 2, "a message"),
    "ldp_ols": (lambda d: d * (d + 3) // 2, "a message"),
    "ldp_sgd": (lambda d: d, "a message"),
    "private_lin_ucb": (lambda d: (d + 1) * (d + 2) // 2, "a node"),
}
POSTERIORS = "dp_ts", "lazy_dp_ts", "ts"  # Thompson sampling
# Environments of five arms, and of the twenty means of Ren et al. 2020, for each law
FIVE = "bernoulli_c2", dp.environment("ren_gaussian", means=[0.9, 0.8, 0.7, 0.6, 0.5]), "pareto_v09"
MEANS = [0.9, *[0.8] * 5, *[0.7] * 5, *[0.6] * 5, *[0.5] * 4]
TWENTY = "ren_bernoulli", "ren_gaussian", dp.environment("pareto_v09", means=MEANS)


@inlined
def numba_random(rng):
    """Draw a uniform number by Numba's own implementation."""
    return rng.random()


@inlined
def numba_exponential(rng):
    """Draw an exponential number by Numba's own implementation."""
    return rng.standard_exponential()


@inlined
def numba_normal(rng):
    """Draw a normal number by Numba's own implementation."""
    return rng.standard_normal()


def drawing(random, exponential, normal):
    """Return a kernel that draws random numbers by the given functions for single draws."""

    @kernel
    def draw(env_rng, rng, law, noise, formula, T):
        """Draw, in each round, a reward of some law and the learner's or the user's noise.

        With ``formula``, also compute what every implementation must compute: the sigmoid of a
        normal reward, or the power of the round by which adaptive noise is scaled.
        """
        total, ones = 0.0, 0
        for t in range(T):
            if law == NORMAL:
                x = normal(env_rng)
                total += sigmoid(x) if formula else x
            elif law == PARETO:
                total += math.exp(exponential(env_rng) / 1.95)
            else:
                ones += random(env_rng) < 0.6
            if noise in (LAPLACE, ADAPTIVE):
                adaptive = noise == ADAPTIVE and formula
                scale = (0.01 * (t + 1.0)) ** POWER if adaptive else 24.0
                total += scale * (exponential(rng) - exponential(rng))
            elif noise == BIT:
                ones += random(rng) < 0.6
        return total + ones

    return draw


# Draws by the functions that the package's kernels call, and by Numba's own functions. The faster
# of the two is the basis of ratios
DRAWS = drawing(random, exponential, normal), drawing(numba_random, numba_exponential, numba_normal)


def random_numbers(name):
    """Return what an algorithm draws in each round: the law of rewards, the kind of noise, and a
    text about both.
    """
    algorithm = load(find_file(name))
    law = NORMAL if algorithm.rewards is None else BERNOULLI
    if isinstance(algorithm.rewards, HeavyTails | RawMoments):
        law = PARETO
    noise = LAPLACE if algorithm.private else NONE
    if algorithm.guarantee.alignment is one_bit:
        noise = BIT
    if algorithm.guarantee.mechanism == "adaptive_tree":
        noise = ADAPTIVE
    reward = ("reward", "normal reward", "Pareto reward")[law]
    hidden = ("", "Laplace", "bit", "Laplace")[noise]
    return law, noise, ", ".join(filter(None, (reward, hidden)))


@kernel
def draw_posteriors(rng, K, T):
    """Draw K Beta variables in each of T rounds, from the posterior of an arm with 60 successes and
    40 failures.
    """
    total = 0.0
    for _ in range(T * K):
        total += beta(rng, 61.0, 41.0)
    return total


def drawing_normals(normal):
    """Return a kernel that draws normal numbers with the given function for a single draw."""

    @kernel
    def draw(env_rng, n):
        total = 0.0
        for _ in range(n):
            total += normal(env_rng)
        return total

    return draw


NORMALS = drawing_normals(normal), drawing_normals(numba_normal)


@kernel
def draw_tail(env_rng, heavy, index, n):
    """Draw heavy-tailed random numbers: Student's t if ``heavy``, or Pareto."""
    total = 0.0
    for _ in range(n):
        total += student(env_rng, index) if heavy else math.exp(exponential(env_rng) / index)
    return total


@kernel
def truncated(game, n, level):
    """Return the truncated sum of n rewards, which are drawn one by one."""
    return pull_truncated_sum(game, 0, n, 0.0, level)


def seconds():
    """Return the CPU time of this process and of the processes that it started, in seconds."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def best_of(repeats, *works):
    """Return the shortest CPU time of each function over several calls, in seconds.

    The calls alternate, so that a slow phase of the machine affects all functions.
    """
    times = [[] for _ in works]
    for i in range(repeats):
        for work, taken in zip(works, times, strict=True):
            start = seconds()
            work(i)
            taken.append(seconds() - start)
    return [min(taken) for taken in times]


def setting_of(name, T, env="bernoulli_c2", **parameters):
    """Return the setting of an algorithm at eps 1."""
    given = {"algo": name, "env": env, "horizon": T, "assume": True}
    return request_from(REGRET, given, parameters).settings[0]


def player(name, T, plain=False, env="bernoulli_c2", **parameters):
    """Return a function that plays one run of an algorithm at eps 1."""
    setting = setting_of(name, T, env, **parameters)
    function = setting.algorithm.function
    function = function.py_func if plain else function
    laws, users, rounds = setting.instance.environment, setting.population.users(), setting.rounds()

    def play(run):
        game = new_game(laws, users, generator(0, run, ENVIRONMENT), T, rounds)
        function(game, generator(0, run, LEARNER), *setting.arguments)

    play(0)
    return play


def naive_player(name, T, env="bernoulli_c2"):
    """Return a function that plays one run of the naive loop, with the algorithm's arguments."""
    setting, loop = setting_of(name, T, env), getattr(naive, name)
    means = np.array(setting.instance.means, dtype=float)

    def play(run, T=T):
        loop(generator(0, run, ENVIRONMENT), means, T, *setting.arguments)

    play(0, T=10)
    return play


def names(round_by_round):
    """Return the algorithms whose running time grows with the horizon, or the other algorithms.
    KL-UCB belongs to the first group: it plays blocks of rounds, whose number grows. Thompson
    sampling is left out, since it has its own table.
    """
    of_arms = [n for n in names_in("algo") if load(find_file(n)).actions == ARMS]
    found = [n for n in of_arms if load(find_file(n)).round_by_round or n == "kl_ucb"]
    some = found if round_by_round else [n for n in of_arms if n not in found]
    return [n for n in some if n not in POSTERIORS]


def per_round(found, check):
    """Return the rows of per-round algorithms, and add their ratios to ``found``."""
    for name in names(round_by_round=True):
        law, noise, words = random_numbers(name)

        def drawn(i, draw, T=ROUNDS, law=law, noise=noise, formula=False):
            draw(generator(0, 0, 0), generator(0, 0, 1), law, noise, formula, T)

        for draw in DRAWS:
            drawn(0, draw, T=10)
        formula = {NORMAL: "sigmoid"}.get(law) or {ADAPTIVE: "power"}.get(noise)
        row, lenient = [], []
        plays = [player(name, ROUNDS, env=envs[law]) for envs in (FIVE, TWENTY)]
        alone = [partial(drawn, draw=draw) for draw in DRAWS]
        alone += [partial(drawn, draw=draw, formula=True) for draw in DRAWS]
        *bases, five, twenty = best_of(REPEATS, *alone, *plays)
        floor, counted = min(bases[:2]), min(bases[2:])
        for K, took in ((5, five), (20, twenty)):
            found[f"{name}, K = {K}"] = took / floor
            lenient += [f"{took / counted:.2f}"] if formula else []
            row += [f"{took / ROUNDS * 1e9:.1f}", f"{took / floor:.2f}"]
        if not check:
            plays = [player(name, PLAIN_ROUNDS, plain, FIVE[law]) for plain in (False, True)]
            short, slow = best_of(3, *plays)
            alone = f"{floor / ROUNDS * 1e9:.1f} ({words})"
            counted = f"{formula}: {', '.join(lenient)}" if formula else ""
            yield [
                f"`{name}`", alone, *row, counted, f"{slow / short:,.0f}",
                against_naive(name, five, FIVE[law]),
            ]  # fmt: skip


def counters(found):
    """Return the rows of DP-UCB with other trees and bonuses, and add their ratios to ``found``."""
    draws = [
        partial(draw, law=BERNOULLI, noise=noise, formula=False)
        for noise, draw in itertools.product((NONE, LAPLACE), DRAWS)
    ]
    T = ROUNDS
    alone = [
        lambda i, draw=draw: draw(generator(0, 0, 0), generator(0, 0, 1), T=T) for draw in draws
    ]
    for tree, bonus in itertools.product(("binary", "honaker", "kary"), ("literal", "calibrated")):
        given = {"tree": tree, "bonus": bonus}
        plays = [player("dp_ucb", T, env=envs[BERNOULLI], **given) for envs in (FIVE, TWENTY)]
        *bases, five, twenty = best_of(5, *alone, *plays)
        reward, floor = min(bases[: len(DRAWS)]), min(bases[len(DRAWS) :])
        floor += (floor - reward) if tree == "honaker" else 0.0
        row = [f"{floor / T * 1e9:.1f}"]
        for K, took in ((5, five), (20, twenty)):
            found[f"dp_ucb, {tree} {bonus}, {K} arms"] = took / floor
            row += [f"{took / T * 1e9:.1f}", f"{took / floor:.2f}"]
        yield [tree, bonus, *row]


def thompson(found, check):
    """Return the rows of Thompson sampling, and add their ratios to ``found``."""

    def alone(K, T=POSTERIOR_ROUNDS):
        return lambda i: draw_posteriors(generator(0, 0, LEARNER), K, T)

    alone(5, T=10)(0)
    for name in POSTERIORS:
        row = []
        for K, env in ((5, FIVE[BERNOULLI]), (20, TWENTY[BERNOULLI])):
            floor, took = best_of(5, alone(K), player(name, POSTERIOR_ROUNDS, env=env))
            found[f"{name}, {K} Beta draws"] = took / floor
            row += [f"{x / POSTERIOR_ROUNDS * 1e9:.0f}" for x in (floor, took)]
            row.append(f"{took / floor:.2f}")
        if not check:
            plays = [player(name, PLAIN_ROUNDS, plain) for plain in (False, True)]
            plays += [naive_player(name, PLAIN_ROUNDS, FIVE[BERNOULLI])]
            short, slow, peer = best_of(2, *plays)
            yield [f"`{name}`", *row, f"{slow / short:,.0f}", f"{peer / short:,.1f}"]


def contextual_names():
    """Return the algorithms that play contexts."""
    return [name for name in names_in("algo") if load(find_file(name)).actions == CONTEXTS]


def contextual(found):
    """Return the rows of algorithms that play contexts, and add their ratios to ``found``."""
    T = CONTEXTUAL_ROUNDS

    def alone(draw, n):
        draw(generator(0, 0, ENVIRONMENT), 10)
        return lambda i: draw(generator(0, 0, ENVIRONMENT), n * T)

    for name, (d, K) in itertools.product(contextual_names(), SHAPES):
        noise, kind = NOISE.get(name, (lambda d: 0, ""))
        normals = d * K + noise(d)
        setting = setting_of(name, T, dp.contextual(K, [0.5 / math.sqrt(d)] * d, 0.1))
        play_many(setting, range(1))
        draws = [alone(draw, normals) for draw in NORMALS]
        *bases, took = best_of(5, *draws, lambda i, setting=setting: play_many(setting, [i]))
        also = f" and {kind}" if kind else ""
        found[f"{name}, {d * K} normals{also}"] = took / min(bases)
        times = [f"{x / T * 1e9:.0f}" for x in (min(bases), took)]
        yield [f"`{name}`", str(d), str(K), *times, f"{took / min(bases):.2f}"]


def phased(missed):
    """Return the rows of phased elimination with optimal designs. Add runs that take too long to
    ``missed``.
    """
    for name in ("gope", "adac_gope"):
        batches = []
        for T in (10**7, 10**12):
            setting = setting_of(name, T, dp.linear_sphere(10, 3))
            play_many(setting, range(2))
            batches.append(lambda i, setting=setting: play_many(setting, range(100)))
        times = [took / 100 * 1e6 for took in best_of(5, *batches)]
        if not times[0] <= MICROSECONDS_OF_DESIGNS:
            missed.append(f"{name}, T = 1e7: {times[0]:.0f} µs, above {MICROSECONDS_OF_DESIGNS:g}")
        yield [f"`{name}`", *(f"{x:.0f}" for x in times)]


def against_naive(name, took, env):
    """Return the time of a naive loop divided by ``took``, the seconds of a game of 1e7 rounds. For
    KL-UCB the time of the loop is scaled from fewer rounds. For Robust UCB the loop is compared
    with a game of the same length.
    """
    T = NAIVE_ROUNDS.get(name, ROUNDS)
    if name != "robust_ucb":
        [peer] = best_of(2, naive_player(name, T, env))
        return f"{peer / T * ROUNDS / took:,.0f}"
    [peer] = best_of(1, naive_player(name, T, env))
    [took] = best_of(3, player(name, T, env=env))
    return f"{peer / took:,.0f} at T = 1e5"


def streams(found):
    """Return the rows of truncated sums, for laws of rewards whose sums have no known law."""
    for env, heavy, index in (("pareto_v09", False, 1.95), ("student", True, 3.0)):
        instance = setting_of("robust_ucb", ROUNDS, env).instance
        users = homogeneous(1.0).users()

        def work(i, environment=instance.environment, users=users):
            rounds = np.array([ROUNDS])
            game = new_game(environment, users, generator(0, 0, ENVIRONMENT), ROUNDS, rounds)
            truncated(game, ROUNDS, 100.0)

        draw_tail(generator(0, 0, 0), heavy, index, 10)
        work(0)

        def alone(i, heavy=heavy, index=index):
            draw_tail(generator(0, 0, 0), heavy, index, ROUNDS)

        floor, sums = (took / ROUNDS * 1e9 for took in best_of(REPEATS, alone, work))
        name = f"Student's t, df {index:g}" if heavy else f"Pareto, shape {index:g}"
        found[f"truncated sum, {name}"] = sums / floor
        yield [name, f"{sums:.1f}", f"{floor:.1f}", f"{sums / floor:.2f}"]


def plain_loop(name, T):
    """Play one run of the slow reference on C2 at eps 1."""
    setting = setting_of(name, T)
    rng = generator(0, 0, LEARNER)
    reward = references.bernoulli_reward(setting.instance.means.tolist(), rng)
    reference = getattr(references, name)
    parameters = setting.parameters
    for parameter, domain in setting.algorithm.domains.items():
        if isinstance(domain, Named) and domain.others is None:
            parameters[parameter] = [*domain.names][int(parameters[parameter])]
    if "uniform" in inspect.signature(reference).parameters:
        parameters["uniform"] = rng.random
    reference(reward, 5, T, lambda b: rng.laplace(0, b), **parameters)


def episodic(found, missed, check):
    """Return the rows of episodic algorithms. Add their ratios to ``found``, and runs that take too
    long to ``missed``.
    """

    def seed(i):
        for run in range(EPISODIC_RUNS):
            generator(0, run, ENVIRONMENT)
            generator(0, run, LEARNER)

    for name in names(round_by_round=False):
        batches = []
        for setting in [setting_of(name, T) for T in (10**7, 10**12)]:
            play_many(setting, range(2))
            batches.append(partial(play_batch, setting))
        seeds, *times = (took / EPISODIC_RUNS * 1e6 for took in best_of(7, seed, *batches))
        found[f"{name}, T = 1e7"], found[f"{name}, T = 1e12"] = (x / seeds for x in times)
        if not times[0] < MICROSECONDS:
            missed.append(f"{name}, T = 1e7: {times[0]:.0f} µs, not below {MICROSECONDS:g} µs")
        if not check:
            [plain] = best_of(3, lambda i, name=name: plain_loop(name, 10**5))
            [peer] = best_of(2, naive_player(name, ROUNDS))
            plain *= 100 * 1e6
            yield [
                f"`{name}`", f"{times[0]:.0f}", f"{times[1]:.0f}", f"{seeds:.0f}",
                f"{times[0] / seeds:.2f}", f"{plain / times[0]:,.0f}",
                f"{peer * 1e6 / times[0]:,.0f}",
            ]  # fmt: skip


def play_batch(setting, i):
    """Play all runs of a setting in one call."""
    play_many(setting, range(EPISODIC_RUNS))


def memory():
    """Return the peak memory, in MB, of processes that play dp_ucb and adap_klucb."""

    def peak_at(T):
        command = [sys.executable, __file__, "--memory", str(T)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    peak_at(10)  # compiles
    for T in (10**6, 10**8):
        peak = peak_at(T)
        yield [f"T = {T:.0e}".replace("e+0", "e"), f"{float(peak):.0f}"]


def start_up():
    """Return the CPU seconds of the slowest imports alone, and of a command whose runs are all
    stored.
    """
    imports = [sys.executable, "-c", f"import {IMPORTS}"]
    command = "import sys; sys.argv = ['bandit-run', 'algo=adap_klucb', 'eps=0.5']; "
    command += "from dpbandits.cli.run import main; main()"
    with tempfile.TemporaryDirectory() as folder:
        quietly = partial(subprocess.run, cwd=folder, capture_output=True, check=True)
        lines = imports, [sys.executable, "-c", command]
        quietly(lines[1])  # compiles, and plays its runs
        return best_of(7, *(lambda i, line=line: quietly(line) for line in lines))


def measure(check):
    """Return the tables as text, the ratios by name, and the targets that are not reached. For a
    check, only the ratios are measured.
    """
    found: dict[str, float] = {}
    missed: list[str] = []

    def columns(rows, head, words=1):
        """Return a table in Markdown, whose first ``words`` columns are words and whose other
        columns are numbers.
        """
        align = ["left"] * words + ["right"] * (len(head) - words)
        return tabulate(rows, head, tablefmt="pipe", disable_numparse=True, colalign=align)

    # memory is measured first, since the peak of a child process includes the memory of its parent
    peaks = [] if check else list(memory())
    rounds = list(per_round(found, check))
    counted = list(counters(found))
    posteriors = list(thompson(found, check))
    runs = list(episodic(found, missed, check))
    rounds_with_contexts = list(contextual(found))
    designs = list(phased(missed))
    sums = list(streams(found))
    alone, command = start_up()
    found["start-up"] = command / alone
    missed += ratios.above_limits(found)
    parts = [
        "The first table shows algorithms that play round by round, at eps 1 and T = 1e7 on one "
        "core: ns per round, and the ratio of this time to the time of the round's random numbers "
        "alone. The random numbers are drawn by the functions that the algorithms call or by "
        "Numba's own functions, whichever are faster. For K = 20, the means are the means of Ren "
        "et al. 2020. Some algorithms must compute a sigmoid or a power in each round: for the "
        "column *ratios with formula*, this computation is added to the random numbers. The last "
        "two columns, at K = 5, show how many times as long two slower programs take. *plain* is "
        "the same function in the Python interpreter (at T = 1e5). The naive Numba loop computes "
        "every index in every round (`benchmarks/naive.py`; for `robust_ucb` this loop takes O(t) "
        "in round t):",
        columns(rounds, ["algorithm", "random numbers, ns", *SIZES, "ratios with formula", *TIMES]),
        "The next table shows DP-UCB with the trees and bonuses of `algo.tree` and `algo.bonus` "
        "at T = 1e7: ns per round, and the ratio to the time of drawing a reward and one Laplace "
        "variable (two for Honaker's trees):",
        columns(counted, ["tree", "bonus", "random numbers, ns", *SIZES], words=2),
        "The next table shows Thompson sampling at eps 1 and T = 1e6 on one core: ns per round, "
        "and the ratio to the time of drawing K Beta variables (with parameters 61 and 41) in "
        "each round. The last two columns are as in the first table, at T = 1e5:",
        columns(
            posteriors,
            ["algorithm", "5 Beta draws, ns", *SIZES[:2], "20 Beta draws, ns", *SIZES[2:], *TIMES],
        ),
        "The next table shows episodic algorithms on C2 (K = 5) at eps 1 on one core: µs per run "
        "when one call plays many runs, and the ratio to the time of making two generators of "
        "NumPy. A run that is played alone needs two such generators. The last two columns show "
        "how many times as long two loops over rounds take at T = 1e7: a loop in plain Python "
        "(measured at T = 1e5 and scaled), and a simple Numba loop (`benchmarks/naive.py`):",
        columns(runs, ["algorithm", "T = 1e7", "T = 1e12", "generators", "ratio", *EPISODIC_TIMES]),
        "The next table shows contextual algorithms on `env=contextual` (contexts in the unit "
        "ball, rewards 1 and -1) at T = 1e5 on one core: ns per round, and the ratio to the time "
        "of drawing the normal numbers of the round. These are K d numbers for the contexts, and "
        "the numbers for the noise:",
        columns(
            rounds_with_contexts, ["algorithm", "d", "K", "normals alone, ns", "a round", "ratio"]
        ),
        "The next table shows phased elimination on `env=linear_sphere` with K = 10, d = 3 and "
        "rho 1 on one core: µs per run when one call plays many runs, with the computation of the "
        "designs:",
        columns(designs, ["with designs", "T = 1e7", "T = 1e12"]),
        "The next table shows truncated sums of rewards for laws whose rewards must be drawn one "
        "by one, on one core:",
        columns(sums, ["law", "ns a reward", "random numbers alone", "ratio"]),
    ]
    if not check:
        parts += [
            "The last table shows the peak memory of a process that plays `dp_ucb` and "
            "`adap_klucb`, with the imports:",
            columns(peaks, ["horizon", "MB"]),
            f"Start-up: `bandit-run algo=adap_klucb eps=0.5` takes {command:.2f} s if its runs are "
            f"stored; `import {IMPORTS}` alone takes {alone:.2f} s.",
        ]
    parts.append(
        "Targets: for algorithms that play round by round, the ratio is at most 2 for K = 5, and "
        "at most 3 for K = 20 and for DP-UCB with other trees or bonuses. For Thompson sampling, "
        "the ratio is below 1. For contextual algorithms, the ratio is at most 2.75 for d = 3 and "
        "K = 10 (2.5 if users send messages), and at most 3 for d = 20 and K = 20 and for Private "
        "LinUCB. A run of phased elimination takes at most "
        f"{MICROSECONDS_OF_DESIGNS:g} µs at T = 1e7. "
        f"An episodic run takes less than {MICROSECONDS:g} µs at T = 1e7, and at most "
        f"{ratios.LONGER:g} times as long at T = 1e12. "
        + ("Missed: " + "; ".join(missed) + "." if missed else "All targets are met.")
    )
    return "\n\n".join(parts) + "\n", found, missed


def main():
    check = "--check" in sys.argv
    text, found, missed = measure(check)
    if not check:
        print(text, end="", flush=True)
        Path(__file__).with_name("table.md").write_text(text)
    found |= compiling.ratios_of(compiling.measure(compiling.names_of_all(), check=True))
    if check:
        worse = list(dict.fromkeys([*missed, *ratios.complaints(found, ratios.read())]))
        print(
            "\n".join(worse)
            or f"{len(found)} ratios: none exceeds its limit, or {ratios.TOLERANCE:g} times the "
            "committed one"
        )
        sys.exit(1 if worse else 0)
    ratios.write(found)


if __name__ == "__main__":
    if "--memory" in sys.argv:
        horizon = int(sys.argv[-1])
        for algorithm in ("dp_ucb", "adap_klucb"):
            player(algorithm, horizon)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        np.seterr(all="ignore")
        main()

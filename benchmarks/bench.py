"""Speed and memory of every algorithm, as ratios inside one run on one core: make bench.

Writes the table that it prints to benchmarks/table.md. Per-round algorithms are compared with the
cost of drawing their random numbers and nothing else, and with their own code run by the Python
interpreter; episodic ones with the same pseudo-code as a plain-Python loop over rounds (that of
tests/references.py, timed at T = 1e5 and scaled to 1e7).
"""

import inspect
import math
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import references

from dpbandits.assumptions import HeavyTails
from dpbandits.cli.compose import package_folder, read_request
from dpbandits.environments.populations import homogeneous
from dpbandits.game import new_game, pull_truncated_sum
from dpbandits.kernel import borrow, kernel, verb
from dpbandits.mechanisms import laplace
from dpbandits.parameters import Choice
from dpbandits.registry import find_file, load
from dpbandits.seeds import ENVIRONMENT, LEARNER, generator

ROUNDS = 10**7
PLAIN_ROUNDS = 10**5
EPISODIC_RUNS = 200
BERNOULLI, NORMAL, PARETO = range(3)
NONE, LAPLACE, BIT = range(3)


@verb
def pareto(coins, shape):
    """The quickest way to a Pareto number."""
    return math.exp(coins.standard_exponential() / shape)


@kernel
def draw(coins, rng, law, noise, T):
    """A reward of some law a round, and the learner's or the user's noise."""
    coins, rng = borrow(coins), borrow(rng)
    total, ones = 0.0, 0
    for _ in range(T):
        if law == NORMAL:
            total += coins.standard_normal()
        elif law == PARETO:
            total += pareto(coins, 1.95)
        else:
            ones += coins.random() < 0.6
        if noise == LAPLACE:
            total += laplace(rng, 24.0)
        elif noise == BIT:
            ones += rng.random() < 0.6
    return total + ones


def random_numbers(name):
    """What an algorithm draws in every round: the law of rewards, the noise, in words."""
    algorithm = load(find_file(name))
    law = NORMAL if algorithm.rewards is None else BERNOULLI
    if isinstance(algorithm.rewards, HeavyTails):
        law = PARETO
    noise = LAPLACE if algorithm.private else NONE
    if algorithm.leading_term == "V_B":
        noise = BIT
    reward = ("reward", "normal reward", "Pareto reward")[law]
    return law, noise, ", ".join(w for w in (reward, ("", "Laplace", "bit")[noise]) if w)


@kernel
def draw_tail(coins, student, index, n):
    """Heavy-tailed random numbers and nothing else, as the generator has them."""
    coins = borrow(coins)
    total = 0.0
    for _ in range(n):
        total += coins.standard_t(index) if student else pareto(coins, index)
    return total


@kernel
def truncated(game, n, level):
    """A truncated sum of n rewards, drawn one by one."""
    return pull_truncated_sum(game, 0, n, 0.0, level)


def best_of(repeats, work):
    """Least time of several tries, in seconds: the others were disturbed."""
    times = []
    for i in range(repeats):
        start = time.perf_counter()
        work(i)
        times.append(time.perf_counter() - start)
    return min(times)


def player(name, T, plain=False, env="bernoulli_c2"):
    """A function that plays one run of an algorithm at eps 1."""
    (cell,) = read_request([f"algo={name}", f"env={env}", f"horizon={T}"], ()).cells
    function = cell.algorithm.function
    function = function.py_func if plain else function
    environment, rounds = cell.instance.environment, cell.rounds()

    def play(run):
        game = new_game(environment, cell.users, generator(0, run, ENVIRONMENT), T, rounds)
        function(game, generator(0, run, LEARNER), *cell.arguments)

    play(0)
    return play


def names(round_by_round):
    """The algorithms whose time grows with the horizon, or the others."""
    found = sorted(f.stem for f in (package_folder("conf") / "algo").glob("*.yaml"))
    return [n for n in found if load(find_file(n)).round_by_round == round_by_round]


def per_round():
    for name in ["ucb", "kl_ucb", *names(round_by_round=True)]:
        law, noise, words = random_numbers(name)
        local = load(find_file(name)).local
        env = ("ren_bernoulli" if local else "bernoulli_c2", "ren_gaussian", "pareto_v09")[law]
        draw(generator(0, 0, 0), generator(0, 0, 1), law, noise, 10)
        floor, fast = (
            best_of(5, work) / ROUNDS * 1e9
            for work in (
                lambda i, x=law, z=noise: draw(
                    generator(0, 0, 0), generator(0, 0, 1), x, z, ROUNDS
                ),
                player(name, ROUNDS, env=env),
            )
        )
        short, slow = (
            best_of(2, player(name, PLAIN_ROUNDS, plain, env)) for plain in (False, True)
        )
        yield [
            f"`{name}`", "20" if local else "5", f"{fast:.1f}", f"{floor:.1f} ({words})",
            f"{fast / floor:.2f}", f"{slow / short:,.0f}",
        ]  # fmt: skip


def streams():
    """Truncated sums of laws that have no law of sums, against their random numbers alone."""
    for env, student, index in (("pareto_v09", False, 1.95), ("student", True, 3.0)):
        instance = read_request([f"env={env}", "algo=robust_ucb"], ()).cells[0].instance
        users = homogeneous(1.0).users()

        def work(i, environment=instance.environment, users=users):
            rounds = np.array([ROUNDS])
            game = new_game(environment, users, generator(0, 0, ENVIRONMENT), ROUNDS, rounds)
            truncated(game, ROUNDS, 100.0)

        draw_tail(generator(0, 0, 0), student, index, 10)
        work(0)
        floor, sums = (
            best_of(5, f) / ROUNDS * 1e9
            for f in (
                lambda i, s=student, x=index: draw_tail(generator(0, 0, 0), s, x, ROUNDS),
                work,
            )
        )
        name = f"Student's t, df {index:g}" if student else f"Pareto, shape {index:g}"
        yield [name, f"{sums:.1f}", f"{floor:.1f}", f"{sums / floor:.2f}"]


def plain_loop(name, T):
    """One run of the slow reference on C2 at eps 1."""
    (cell,) = read_request([f"algo={name}", f"horizon={T}"], ()).cells
    rng = generator(0, 0, LEARNER)
    reward = references.bernoulli_reward(cell.instance.means.tolist(), rng)
    reference = getattr(references, name)
    parameters = dict(zip(cell.algorithm.domains, cell.arguments, strict=True))
    for parameter, domain in cell.algorithm.domains.items():
        if isinstance(domain, Choice):
            parameters[parameter] = domain.options[int(parameters[parameter])]
    if "uniform" in inspect.signature(reference).parameters:
        parameters["uniform"] = rng.random
    reference(reward, 5, T, lambda b: rng.laplace(0, b), **parameters)


def episodic():
    for name in (n for n in names(round_by_round=False) if n not in ("ucb", "kl_ucb")):
        times = []
        for T in (10**7, 10**12):
            play = player(name, T)
            batch = best_of(3, lambda i, play=play: [play(r) for r in range(EPISODIC_RUNS)])
            times.append(batch / EPISODIC_RUNS * 1e6)
        plain = best_of(3, lambda i, name=name: plain_loop(name, 10**5)) * 100 * 1e6
        yield [
            f"`{name}`", f"{times[0]:.0f}", f"{times[1]:.0f}", f"{times[1] / times[0]:.2f}",
            f"{plain / times[0]:,.0f}",
        ]  # fmt: skip


def memory():
    """Peak memory of a process that plays dp_ucb and adap_klucb at two horizons, in MB."""
    for T in (10**6, 10**8):
        peak = subprocess.run(
            [sys.executable, __file__, "--memory", str(T)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        yield [f"T = {T:.0e}".replace("e+0", "e"), f"{float(peak):.0f}"]


def start_up():
    """Seconds of the installed command, its runs finished, and of its heaviest imports alone."""
    imports = [sys.executable, "-c", "import numpy, pandas, hydra, numba"]
    command = "import sys; sys.argv = ['bandit-run', 'algo=adap_klucb', 'eps=0.5']; "
    command += "from dpbandits.cli.run import main; main()"
    with tempfile.TemporaryDirectory() as folder:
        for line in (imports, [sys.executable, "-c", command]):
            run = partial(subprocess.run, line, cwd=folder, capture_output=True, check=True)
            yield best_of(5, lambda i, run=run: run())


def main():
    head = ["algorithm", "K", "ns a round", "its random numbers alone", "ratio", "plain, times"]
    head2 = ["algorithm", "µs a run, T = 1e7", "T = 1e12", "ratio", "plain loop, times"]
    left = partial(tabulate, tablefmt="pipe", disable_numparse=True)
    alone, command = start_up()
    parts = [
        "Per-round algorithms at eps 1, T = 1e7, one core; the last column is the same code run "
        "by the Python interpreter, at T = 1e5:",
        left(list(per_round()), head, colalign=("left", *["right"] * 5)),
        "Episodic algorithms on C2, K = 5, eps 1, one core; the last column is a plain-Python loop "
        "over rounds, timed at T = 1e5 and scaled to 1e7:",
        left(list(episodic()), head2, colalign=("left", *["right"] * 4)),
        "Truncated sums of rewards that must be drawn one by one, never stored, one core:",
        left(
            list(streams()),
            ["law", "ns a reward", "its random numbers alone", "ratio"],
            colalign=("left", *["right"] * 3),
        ),
        "Peak memory of a process with both kinds, imports included:",
        left(list(memory()), ["horizon", "MB"], colalign=("left", "right")),
        f"Start-up: `bandit-run algo=adap_klucb eps=0.5`, compiled, takes {command:.2f} s; "
        f"`import numpy, pandas, hydra, numba` alone {alone:.2f} s.",
    ]
    text = "\n\n".join(parts) + "\n"
    print(text, end="")
    Path(__file__).with_name("table.md").write_text(text)


if __name__ == "__main__":
    if "--memory" in sys.argv:
        horizon = int(sys.argv[-1])
        for algorithm in ("dp_ucb", "adap_klucb"):
            player(algorithm, horizon)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        np.seterr(all="ignore")
        main()

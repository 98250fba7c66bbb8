"""What shuffling the arms costs: python benchmarks/shuffling.py.

Prints the CPU time of runs with shuffled arms as a multiple of that with the arms as listed. Both
are played in turn, on arms of equal means, so that the order decides nothing of the game.
"""

import time

import dpbandits as dp
from dpbandits.contracts.question import REGRET
from dpbandits.running.play import play_many
from dpbandits.settings.compose import request_from

GOAL = 1.05
REPEATS = 40
CASES = {"adap_klucb": (1e7, 500), "dp_se": (1e7, 500), "ucb": (1e5, 20)}  # horizon, runs


def setting_of(algo, horizon, shuffle):
    given = {"algo": algo, "env": dp.bernoulli([0.5] * 5), "horizon": horizon}
    request = request_from(REGRET, {**given, "shuffle_arms": shuffle}, {})
    [setting] = request.settings
    return setting


def ratio_of(algo):
    """The ratio of the shortest times."""
    horizon, runs = CASES[algo]
    settings = [setting_of(algo, horizon, shuffle) for shuffle in (False, True)]
    best = [float("inf")] * 2
    for _ in range(REPEATS):
        for i, setting in enumerate(settings):
            start = time.process_time()
            play_many(setting, range(runs))
            best[i] = min(best[i], time.process_time() - start)
    return best[0] / runs * 1e6, best[1] / best[0]


if __name__ == "__main__":
    for name in CASES:
        microseconds, ratio = ratio_of(name)
        print(
            f"{name}: {microseconds:.1f} us a run, shuffled {ratio:.3f} times as long", flush=True
        )

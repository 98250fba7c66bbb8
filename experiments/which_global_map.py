"""Make the map of eps-global DP by a race: python experiments/which_global_map.py [KEY=VALUE].

Every algorithm of the experiment which_global gets 20 runs in each game. Algorithms that may be the
best, by mean or by median, get more runs, up to 160, until the game is decided. Finished runs are
stored and not repeated. The script writes the table of all runs, the figure, and the page of
which_global_page.
"""

import sys
from pathlib import Path

import pandas as pd
import which_global_page
from which_global_race import race

from dpbandits.cli.ending import run_command
from dpbandits.contracts.question import REGRET
from dpbandits.figures.draw import load_script
from dpbandits.figures.experiments import experiment_figure
from dpbandits.figures.style import save
from dpbandits.files import check_writable, write_atomically
from dpbandits.results.run_store import RunStore
from dpbandits.results.table import Table
from dpbandits.results.tables import MEASURED, load_finished, write_table
from dpbandits.running.monte_carlo import run_settings
from dpbandits.settings.compose import request_from

NAME = "which_global"


def main(words):
    which = load_script(NAME)
    keys = {"results": "results", **dict(word.split("=", 1) for word in words)}
    request = request_from(REGRET, {**keys, "experiment": NAME}, {})
    check_writable(request.folder)
    store, settings = RunStore(request.folder), request.settings

    def play(chosen, n):
        some = [settings[i] for i in chosen]
        print(f"{len(some)} settings, {n} runs each", file=sys.stderr, flush=True)
        run_settings(some, n, request.jobs, request.backend, store)
        measured = MEASURED[REGRET.statistic]
        return [measured(load_finished(store, s, n))[:, -1].astype(float) for s in some]

    def matters(game, means):
        columns, T = settings[game[0]].columns, settings[game[0]].horizon
        return not which.nothing_learnt(means.min(), T, columns["env.arms"], columns["env.gap"])

    games = games_of(settings)
    found = race(games, play, request.runs, most_runs(request.runs), matters)
    print(f"{found.runs.sum()} runs; {found.decided.sum()} of {len(games)} games are decided")
    parts = []
    for runs in sorted(set(found.runs)):
        some = [s for s, n in zip(settings, found.runs, strict=True) if n == runs]
        parts.append(Table.of_store(store, some, int(runs)).frame())
    write_table(request.folder / f"{NAME}.csv", pd.concat(parts, ignore_index=True))
    stem, figure = experiment_figure(NAME, request.folder)
    print(*save(figure, stem), sep="\n")
    page = request.folder / f"{NAME}_page.md"
    text = which_global_page.page(request.folder)
    write_atomically(page, text.encode())
    print(page)
    return 0


def most_runs(first):
    """Return the largest number of runs of an algorithm that may be the best."""
    return first * 2 ** (load_script(NAME).LAPS - 1)


def games_of(settings):
    """Return, for each game, the numbers of its settings. A game is a horizon, an environment and a
    budget.
    """
    games = {}
    for i, setting in enumerate(settings):
        key = setting.horizon, setting.env_spec, setting.budget
        games.setdefault(key, []).append(i)
    return list(games.values())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    run_command("map", lambda: main(sys.argv[1:]))

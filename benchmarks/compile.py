"""Measure the CPU seconds for compiling each algorithm and rule, and how long a user waits for it.

``python benchmarks/compile.py > benchmarks/compile.md`` prints the tables. The first table has
times of whole commands. The second table has the time of ``dpbandits.running.play.compile_kernel``
in a new process. This time includes what Numba needs for the first function of a process, but not
the imports. "The imports" stands for all work of the process before: it starts Python, imports the
package, the modules that a run needs, Numba with the modules for compiling and the other
dependencies, loads the algorithm's file, and makes its setting. The time of the imports is also the
unit of time, because the speed of a shared machine may double during the measurements. Each time,
and each target, is divided by the time of the imports in the same process.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from statistics import median

from tabulate import tabulate

PROJECT = Path(__file__).parent.parent
REPEATS, REPEATS_OF_A_CHECK = 1, 1
FIRST, FURTHER, ALL = 5.0, 3.0, 60.0  # targets, CPU seconds on a quiet machine
QUIET = 0.92  # CPU seconds of the imports on a quiet machine
BEFORE = "adap_ucb", "dp_se"  # compiled before a further one; the second before the first itself
TRIVIAL = "trivial"
# The environment for each kind of actions
ENVIRONMENTS = {
    "arms": "bernoulli_c2",
    "arms with features": "linear_sphere",
    "contexts": "contextual",
    "labelled users": "labels",
}
CHECKED = "adap_klucb", "ucb", "prae_c"  # a check compiles these as the first algorithm
COMMANDS = "adap_klucb", "dp_se", "dp_ucb", "heldp_ucb_b", "ucb"  # one after the other
WAIT_FIRST, WAIT_FURTHER, WAIT_ALL = 3.5, 2.5, 6.0  # targets of whole commands
COMMAND = "import sys; from dpbandits.cli.run import main; sys.argv[0] = 'bandit-run'; main()"


def names_of_all():
    """Return the names of all algorithms and stopping rules in conf."""
    groups = [sorted((PROJECT / "conf" / group).iterdir()) for group in ("algo", "rule")]
    return [file.stem for files in groups for file in files]


def setting_of(name, horizon=1000):
    """Return a setting of an algorithm or a rule."""
    import dpbandits as dp
    from dpbandits.contracts.algorithm import find_file, load
    from dpbandits.contracts.question import REGRET, STOPPING
    from dpbandits.settings.compose import request_from

    if (PROJECT / "conf" / "algo" / f"{name}.yaml").exists():
        env = ENVIRONMENTS[load(find_file(name)).actions]
        given = {"algo": name, "env": env, "horizon": horizon, "assume": True}
        return request_from(REGRET, given, {}).settings[0]
    env = dp.bernoulli([0.9, 0.8])  # all rules take two arms
    return request_from(STOPPING, {"rule": name, "env": env}, {}).settings[0]


def child(names):
    """Compile loops one after the other. Print the CPU seconds of the imports and of each loop."""
    import numba
    from numba.core.registry import cpu_target

    from dpbandits.compiled import declare
    from dpbandits.running.monte_carlo import run_settings  # noqa: F401, imports what a run needs
    from dpbandits.running.play import compile_kernel
    from dpbandits.settings.setting import data_of

    declare()
    cpu_target.typing_context.refresh()  # imports how Numba implements NumPy, and SciPy's BLAS
    cpu_target.target_context.refresh()
    settings = {name: setting_of(name) for name in names if name != TRIVIAL}
    for setting in settings.values():
        data_of(setting)  # the data are kept
    found = {"imports": time.process_time()}
    for name in names:
        start = time.process_time()
        if name == TRIVIAL:
            numba.njit(lambda x: x + 1)(1)
        else:
            with redirect_stderr(StringIO()):
                compile_kernel(settings[name])
        found[name] = time.process_time() - start
    print(json.dumps(found))


def compiling(names, cache):
    """Return the times that ``child`` prints in a new process with a cache folder. The time of the
    imports is in seconds, other times are divided by it.
    """
    command = [sys.executable, __file__, "--child", *names]
    own = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
    seconds = json.loads(done.stdout)
    imports = seconds.pop("imports")
    return {"imports": imports} | {name: taken / imports for name, taken in seconds.items()}


def importing():
    """Return the CPU seconds of the imports on this machine now, the median of three processes."""
    with tempfile.TemporaryDirectory() as cache:
        return median(compiling([TRIVIAL], cache)["imports"] for _ in range(3))


def compiling_after(before, name):
    """Return the times of ``compiling`` for one algorithm. The cache folder is a copy of
    ``before``, or empty if ``before`` is None.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder, "cache")
        shutil.copytree(before, cache) if before else cache.mkdir()
        return compiling([name], cache)


def command(words, folder):
    """Return the CPU seconds of ``bandit-run`` with its children, and the seconds until it ends."""
    own = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    line = [sys.executable, "-c", COMMAND, *words, "horizon=1e4", "runs=2", f"results={folder}"]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, env=own, capture_output=True, check=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def waiting():
    """Return the rows of the table of commands, and the targets that are not reached. A row has the
    CPU seconds and the time by the clock of a command. From these, the times of the same command
    with finished runs are subtracted. Times are converted to seconds on a quiet machine.
    """
    rows, missed = [], []

    def row(words, what, folder, limit, by_clock=False):
        unit = QUIET / importing()
        taken = command(words, folder)
        warm = command(words, folder)
        cpu, wall = (unit * (x - y) for x, y in zip(taken, warm, strict=True))
        rows.append([what, f"{cpu:.1f}", f"{wall:.1f}", f"{unit * warm[0]:.2f}"])
        if (unit * taken[1] if by_clock else cpu) > limit:
            missed.append(f"{what}: more than {limit:g} s")

    with tempfile.TemporaryDirectory() as folder:
        for name in COMMANDS:
            limit = WAIT_FIRST if name == COMMANDS[0] else WAIT_FURTHER
            row([f"algo={name}"], f"`algo={name}`", Path(folder), limit)
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", f"algo={','.join(COMMANDS)}"]
        row(words, "all five with `-m`, nothing cached", Path(folder), WAIT_ALL, by_clock=True)
    return rows, missed


def text_of_waiting():
    """Return the table of whole commands, with the targets that are not reached."""
    rows, missed = waiting()
    head = ["`bandit-run`", "CPU, s", "by the clock, s", "runs finished: CPU, s"]
    table = tabulate(rows, head, "pipe", disable_numparse=True, colalign=("left", *["right"] * 3))
    verdict = "Missed: " + "; ".join(missed) + "." if missed else "All are met."
    return (
        "The first table shows how much longer a command takes if it must compile (horizon 1e4, 2 "
        "runs). The last column is the time of the same command when its runs are stored, which is "
        "subtracted from the other columns. The first five rows are commands that run one after "
        f"the other, at first with an empty cache folder.\n\n{table}\n\nTargets: the first command "
        f"takes at most {WAIT_FIRST:g} s of CPU time, each further command {WAIT_FURTHER:g} s, and "
        f"one command with all five algorithms {WAIT_ALL:g} s by the clock on two cores. {verdict}"
        "\n\n"
    )


def best(repeats, measure):
    """Return the smallest of several measurements for each key."""
    found = [measure() for _ in range(repeats)]
    return {key: min(times[key] for times in found) for key in found[0]}


def measure(names, check=False, repeats=None):
    """Return CPU times for compiling algorithms, divided by the time of the imports: of an
    algorithm as the first in an empty cache, of a further algorithm, and of all one after the
    other.

    For a check, only the algorithms of CHECKED are compiled as the first, and all algorithms are
    compiled one after the other only once. The fourth result is the time of the imports in seconds,
    the smallest of all processes.
    """
    repeats = repeats or (REPEATS_OF_A_CHECK if check else REPEATS)
    first, further, imports = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        prepared = {}
        for before in BEFORE:
            prepared[before] = Path(folder, before)
            prepared[before].mkdir()
            compiling([before], prepared[before])

        def one(name, before=None):
            taken = best(repeats, lambda: compiling_after(before, name))
            imports.append(taken["imports"])
            return taken[name]

        for name in [TRIVIAL, *names]:
            if not check or name in CHECKED:
                first[name] = one(name)
            before = BEFORE[name == BEFORE[0]]
            if name != TRIVIAL:
                further[name] = one(name, prepared[before])

        def everything():
            with tempfile.TemporaryDirectory() as cache:
                return compiling(names, cache)

        together = best(1 if check else repeats, everything)
        imports.append(together.pop("imports"))
    return first, further, together, min(imports)


def ratios_of(measured):
    """Return the measured ratios by their names in ratios.csv."""
    first, further, together, _ = measured
    found = {f"compile, {name} first": first[name] for name in CHECKED}
    found |= {f"compile, {name} further": taken for name, taken in further.items()}
    return found | {"compile, all together": sum(together.values())}


def misses(first, further, total):
    """Return one line for each target that is not reached."""
    lines = []
    for times, limit, what in ((first, FIRST, "first"), (further, FURTHER, "further")):
        above = {name: taken for name, taken in times.items() if taken > limit}
        if above:
            most = max(above, key=above.__getitem__)
            lines.append(
                f"as a {what} algorithm {len(above)} of {len(times)} take more than {limit:g} s, "
                f"`{most}` most: {above[most]:.1f} s"
            )
    return lines + ([f"all together: {total:.0f} s, above {ALL:g} s"] if total > ALL else [])


def text_of(first, further, together, imports):
    """Return the tables and the targets that are not reached, in seconds on a quiet machine."""
    columns = [{n: QUIET * x for n, x in times.items()} for times in (first, further, together)]
    first, further, together = columns
    total = sum(together.values())
    rows = [[f"`{name}`", *(f"{times[name]:.2f}" for times in columns)] for name in further]
    worst = ["largest", *(f"{max(times[n] for n in further):.2f}" for times in columns)]
    missed = misses({n: first[n] for n in further}, further, total)
    verdict = "Missed: " + "; ".join(missed) + "." if missed else "All are met."
    head = ["compiling", "first", "further", "in one process"]
    table = tabulate(
        [*rows, worst, ["sum", "", "", f"{total:.1f}"]],
        head,
        "pipe",
        disable_numparse=True,
        colalign=("left", *["right"] * 3),
    )
    return (
        "The second table shows the CPU seconds for compiling each algorithm on one core "
        "(`python benchmarks/compile.py > benchmarks/compile.md`); the number of measurements is "
        f"{REPEATS}. *First*: in a new process with an empty cache folder. *Further*: in a new "
        f"process, after `{BEFORE[0]}` was compiled (for `{BEFORE[0]}` itself, after "
        f"`{BEFORE[1]}`), so that the cache contains the routines that both algorithms call. *In "
        "one process*: one algorithm after the other, at first with an empty folder.\n\n"
        f"{table}\n\n"
        "These times do not include the imports: the start of Python, the imports of the package, "
        "of NumPy, SciPy, pandas and other packages, and of Numba with the modules that its first "
        "compilation needs, and the reading of the setting. Each time is measured as a multiple of "
        "the time of the imports in the same process. The table gives the times for a machine on "
        f"which the imports take {QUIET} s; on the machine of the measurement they took "
        f"{imports:.2f} s. The first compilation in a process takes additional time: compiling "
        f"`lambda x: x + 1` takes {first[TRIVIAL]:.2f} s. The first two columns include this time. "
        f"The sum of the last column is {total / QUIET:.0f} times the time of the imports.\n\n"
        f"Targets: the first algorithm takes at most {FIRST:g} s, each further algorithm at most "
        f"{FURTHER:g} s, and all algorithms together at most {ALL:g} s. {verdict}\n"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    else:
        print(text_of_waiting(), end="")
        print(text_of(*measure(names_of_all())), end="")

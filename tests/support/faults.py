"""Simulate faults: commands that are killed, several processes on one folder, and damaged files.

python faults.py kills QUESTIONS FOLDER SEED COUNT HOW [CONTROL]  commands play a sweep, are killed
python faults.py together QUESTIONS FOLDER COUNT [CONTROL]        several commands at once, 4 a time
python faults.py damages QUESTIONS FOLDER KINDS [SORT] [CONTROL]  files are damaged between commands
python faults.py writers QUESTIONS FOLDER COUNT [CONTROL]         two children store runs

The script prints as JSON what happened for each question; for kills, it prints this for each
signal. QUESTIONS are separated by commas. For HOW and CONTROL see the dictionaries below.
"""

import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import commands
import numpy as np
import psutil
from sweeps import requested, stored, words

from dpbandits import files
from dpbandits.cli.words import read_request
from dpbandits.compiled import compiled_code
from dpbandits.contracts.question import question_named
from dpbandits.results import run_store
from dpbandits.results.manifest import table_path
from dpbandits.results.run_store import Damaged, Run, RunStore
from dpbandits.running import monte_carlo, scheduler
from dpbandits.running.play import compile_kernel

SWEEPS = {
    "regret": {"algo": ["ucb", "dp_ucb", "dp_se", "adap_ucb"], "horizon": 1e5},
    "stopping": {"rule": ["nas", "dp_nas", "dp_nas_exp"], "rel_error": [0.25, 0.5]},
}
HOW = {  # the ways to kill commands, with keys of these commands
    "threads": {"backend": "threads"},
    "processes": {"backend": "processes"},
    "anew": {},  # each in a new Python process, which may be killed before it plays
    "cold": {"algo": ["dp_se"]},  # while a kernel compiles; needs an empty NUMBA_CACHE_DIR
    "two": {},  # two commands on one folder, one or both of which are killed
    "damages": {"algo": ["dp_se"]},
}
SIGNALS = signal.SIGKILL, signal.SIGTERM, signal.SIGINT  # in turn
PLAYING = "playing"  # a file that a command touches when its kernels are compiled
ENTRY = "from dpbandits.cli.start import {0}; {0}()"
limit = 120  # seconds after which a process hangs


def child(work, err=os.devnull):
    """Run a function in a child process in a new process group, and return its id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, stream in ((1, os.devnull), (2, err)):
            os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT), number)
        work()
        code = 0
    finally:
        os._exit(code)


def begin(line, err, anew=False):
    """Start a child that runs a command: forked from this process, or a new Python process."""
    name = line[0].removeprefix("bandit-")
    if anew:
        python = [sys.executable, "-P", "-c", ENTRY.format(name), *line[1:]]
        return child(lambda: os.execv(python[0], python), err)
    return child(lambda: commands.run(line, Path.cwd(), dict(os.environ), [os.devnull, err]))


def until(happened):
    """Wait until something has happened, and return whether it has happened within the limit."""
    end = time.monotonic() + limit
    while not (found := happened()) and time.monotonic() < end:
        time.sleep(0.002)
    return found


def has_ended(pid):
    """Return whether a child has ended. It must still be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def is_left(group):
    """Return whether a process of a group is alive."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False


def end_of(pid):
    """Return the exit code of a child, and whether it (or a process that it started) hung and was
    killed.
    """
    hung = not until(lambda: has_ended(pid) and not is_left(pid))
    if hung:
        os.killpg(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), hung


class SlowFile(io.FileIO):
    """A file on a slow disk: half of its first piece is written some time before the rest."""

    def write(self, content):
        if not self.tell():
            half = len(content) // 2
            super().write(content[:half])
            time.sleep(0.02)
            content = content[half:]
        super().write(content)


def in_place(path, content, synced=True):
    """Write a file in a wrong way: piece by piece, under its final name."""
    with open(path, "wb") as file:
        for i in range(0, len(content), 512):
            file.write(content[i : i + 512])
            file.flush()
            time.sleep(0.005)


def careless():
    """A wrong package, as a control: files are written in place, without locks."""
    run_store.locked = files.locked = lambda folder, *_: contextlib.nullcontext(
        folder.mkdir(parents=True, exist_ok=True)
    )
    run_store.replace_file = in_place


def blind():
    """A wrong package, as a control: stored runs are not looked up."""
    monte_carlo._missing = lambda store, setting, runs: tuple(range(runs))
    scheduler.Scheduler._stored = lambda *_: frozenset()


def deaf():
    """A wrong package, as a control: it takes too long to react to an interruption."""
    global limit
    limit = 5
    scheduler.Scheduler.stop = lambda *_: time.sleep(20)


def loud():
    """A wrong package, as a control: an interruption prints a traceback."""
    scheduler.Scheduler.stop = lambda *_: traceback.print_exc()


CONTROLS = {f.__name__: f for f in (careless, blind, deaf, loud)}


def flip(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def to_folder(file):
    file.unlink()
    file.mkdir()
    (file / "something").touch()


def to_pipe(file):
    file.unlink()
    os.mkfifo(file)


DAMAGE = {
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-7]),
    "cut in the checksum": lambda file: file.write_bytes(file.read_bytes()[:7]),
    "empty": lambda file: file.write_bytes(b""),
    "flipped": flip,
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "random": lambda file: file.write_bytes(os.urandom(5000)),
    "folder": to_folder,
    "pipe": to_pipe,  # reading it would never end
}


def seconds_of(request):
    """Return how long each stored run took. If a run was played again, its number has changed."""
    store, found = RunStore(request.results), {}
    for i, setting in enumerate(request.settings):
        found |= {(i, run): one.seconds for run, one in store.load(setting).items()}
    return found


class Sweep:
    """A sweep that commands play: what they should write, and what they have written."""

    def __init__(self, question, folder, how):
        given = {"eps": [0.5, 1, 2], "runs": 16, "jobs": 2, **SWEEPS[question.name], **HOW[how]}
        self.line = [question.command, *words(**given)]
        self.whole, self.request = (
            read_request([*self.line[1:], f"results={folder / name}"], (), question)
            for name in ("whole", "killed")
        )
        self.folder, self.how = folder, how
        self.errors, self.playing = [], folder / PLAYING
        folder.mkdir(parents=True, exist_ok=True)
        start = time.time()
        assert end_of(self.begin(self.whole)) == (0, False), self.said()
        if how != "cold" and self.playing.exists():  # when kernels are compiled
            start = self.playing.stat().st_mtime
        self.duration = time.time() - start
        self.right = table_path(self.whole).read_bytes()
        self.runs, self.seconds = {}, {}

    def begin(self, request):
        """Start a command, and return its process."""
        self.playing.unlink(missing_ok=True)
        self.errors.append(self.folder / f"err{len(self.errors)}")
        self.errors[-1].write_text("")
        if self.how == "cold":
            shutil.rmtree(compiled_code().path, ignore_errors=True)
            compiled_code().path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return begin(
            [*self.line, f"results={request.results}"], self.errors[-1], self.how == "anew"
        )

    def said(self):
        """Return what the commands have printed since the last call."""
        return "".join(file.read_text() for file in self.errors)

    def look(self, codes):
        """Return what has become of the runs and the table after commands have ended with some exit
        codes.
        """
        runs, seconds = stored(self.request), seconds_of(self.request)
        found = Counter(
            lost=sum(runs.get(key) != content for key, content in self.runs.items()),
            doubled=sum(seconds.get(key, x) != x for key, x in self.seconds.items()),
            in_a_write=any(self.request.results.rglob("*.part")),
            tracebacks="Traceback" in self.said(),
        )
        if found["tracebacks"]:
            print(self.said(), file=sys.stderr)
        self.errors.clear()
        self.runs, self.seconds = runs, seconds
        if 0 in codes:
            found["sweeps"] += 1
            found["other_bytes"] += table_path(self.request).read_bytes() != self.right
            shutil.rmtree(self.request.results)  # once more, from nothing
            self.runs, self.seconds = {}, {}
        return found


def kills(question, folder, seed, count, how):
    scheduler.SAVE_EVERY = 0.0  # as many writes as possible
    files.open = SlowFile  # a kill in the middle of one is likely
    chance = random.Random(seed)
    work = monte_carlo.Work
    monte_carlo.Work = lambda *given: ((folder / PLAYING).touch(), work(*given))[1]
    sweep = Sweep(question, folder, how)
    if how != "cold":
        for setting in sweep.whole.settings:
            compile_kernel(setting)
    found = {number: Counter(kills=0) for number in SIGNALS}

    def kills_of(number):
        return found[number]["kills"]

    def enough():
        return len(SIGNALS) * min(map(kills_of, SIGNALS)) >= count

    while not enough() or sweep.runs or not any(x["sweeps"] for x in found.values()):
        number = min(SIGNALS, key=kills_of)
        pids = [sweep.begin(sweep.request) for _ in range(1 + (how == "two"))]
        if not enough():
            wait(sweep, pids[0], chance)
            send = chance.choice([os.kill, os.killpg])  # to the command; to all, as Ctrl-C does
            for pid in pids[: chance.randint(1, len(pids))]:
                if not has_ended(pid):
                    found[number]["kills"] += how != "cold" or not sweep.playing.exists()
                    send(pid, number)
        ends = [end_of(pid) for pid in pids]
        found[number]["hangs"] += sum(hung for _, hung in ends)
        found[number] += sweep.look([code for code, _ in ends])
    return {number.name: counts for number, counts in found.items()}


def wait(sweep, pid, chance):
    """Wait for the moment at which a command shall be killed."""
    if sweep.how == "cold":
        until(lambda: "compiling" in sweep.said() or has_ended(pid))
    elif sweep.how != "anew":
        until(lambda: sweep.playing.exists() or has_ended(pid))
    time.sleep(chance.uniform(0, sweep.duration * chance.choice([0.25, 1])))


def together(question, folder, count):
    """Run four commands at a time on one folder. A fifth command then checks the folder."""
    sweep, found = Sweep(question, folder, "threads"), Counter(tried=0)
    while found["tried"] < count:
        for many in (4, 1):
            pids = [sweep.begin(sweep.request) for _ in range(many)]
            ends = [end_of(pid) for pid in pids]
            found["tried"] += many
            found["hangs"] += sum(hung for _, hung in ends)
            found["failed"] += sum(code != 0 for code, _ in ends)
            found += sweep.look([0] * (many == 1))
    return found


def damages(question, folder, kinds, only=None):
    """Damage a file of each sort (or of one sort) in several ways. Run the command again after each
    damage.
    """
    sweep, found = Sweep(question, folder, "damages"), {}
    table = table_path(sweep.request)
    store, (first, *_) = RunStore(table.parent), sweep.request.settings
    sorts = {
        "stored runs": lambda: store.file(first),
        "manifests": lambda: table.with_suffix(".json"),
        "tables": lambda: table,
        "machine code": lambda: max(compiled_code().path.glob("dp_se-*.nbc")),
    }
    assert end_of(sweep.begin(sweep.request)) == (0, False)
    for sort, file_of in sorts.items() if only is None else [(only, sorts[only])]:
        found[sort] = Counter(tried=0)
        for damage in list(DAMAGE)[-kinds:]:
            sweep.look([])
            if sort == "stored runs":  # that these are played again is right
                sweep.seconds = {key: x for key, x in sweep.seconds.items() if key[0] != 0}
            if sort == "machine code":  # it is needed
                store.file(first).unlink()
                sweep.runs = {key: x for key, x in sweep.runs.items() if key[0] != 0}
                sweep.seconds = {key: x for key, x in sweep.seconds.items() if key[0] != 0}
            file = file_of()
            DAMAGE[damage](file)
            code, hung = end_of(sweep.begin(sweep.request))
            noticed = "damaged" in sweep.said()
            found[sort] += Counter(tried=1, hangs=hung, refused=code == 1, noticed=noticed)
            found[sort] += sweep.look([])
            if code == 1 and not file.is_file():  # it is refused to replace it
                shutil.rmtree(file) if file.is_dir() else file.unlink()
                code, _ = end_of(sweep.begin(sweep.request))
            found[sort]["other_bytes"] += code != 0 or table.read_bytes() != sweep.right
    return found


def writers(question, folder, count):
    store, (setting,) = RunStore(folder), requested(folder, question).settings
    pulls = np.zeros((2, 5), int)
    run_store.check_runs = lambda setting, runs: runs  # these are of no setting

    def write(first):
        for run in range(first, 2 * count, 2):
            store.save(setting, {run: Run(pulls + run, run / 2, 1.0)})

    for pid in [child(lambda first=first: write(first)) for first in (0, 1)]:
        end_of(pid)
    with contextlib.suppress(Damaged):
        found = store.read(setting)
        right = [r for r, x in found.items() if (x.pulls == r).all() and x.answer == r / 2]
        return {"lost": 2 * count - len(right)}
    return {"lost": 2 * count}


if __name__ == "__main__":
    commands.import_all()
    what, names, place, *more = sys.argv[1:]
    if more[-1] in CONTROLS:
        CONTROLS[more.pop()]()
    work = {"kills": kills, "writers": writers, "together": together, "damages": damages}[what]
    given = [int(x) if x.isdecimal() else x for x in more]
    found = {q: work(question_named(q), Path(place, q), *given) for q in names.split(",")}
    print(json.dumps(found))

"""Every command ends with one line that names what is wrong, exit code 2, and nothing written.

What is wrong with settings and overrides is tested in ``settings/test_bad_settings`` and
``cli/config/test_bad_overrides``: here are other words, and a few of each kind.
"""

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import command
from refusals import QUICK_STOP, arguments, complaint
from tiers import every

from dpbandits.cli import audit, bounds, claims, plot, run, status, stop

NOWHERE = [
    (f"results={x}", f"results={x}: a writable folder is needed")
    for x in ("/dev/null/x", "loop", "loop/inside", "dangling", "taken")
]
LOOP = ("--config-dir loop", "--config-dir=loop: a folder is needed")
ONE_SETTING = [
    ("eps=0", "eps=0:", "above 0"),
    ("horizn=5", "'horizn'", "did you mean horizon?"),
    ("eps=[", "eps=["),
    ("results=null", "results=null:", "folder"),
    ("--config-dir missing", "--config-dir=missing:", "no such folder"),
    ("--foo", "--foo", "--help"),
]
OPTIONS = [
    ("--cfg foo", "--cfg", "foo", "job"),
    ("--cfg hydra", "--cfg", "hydra", "job"),
    ("--cfg job eps=0", "eps=0:", "above 0"),
    ("--info all", "--info", "--help"),
    ("--foo", "--foo", "--help"),
]
MEANT = [
    ("--algo adap_ucb --eps .1", "a key has no dashes; write algo=adap_ucb eps=.1"),
    ("-m --eps=.1,1 --runs 5 --assume", "write eps=.1,1 runs=5 assume=true"),
    ("algo=dp_klucb delta=0.1", "delta=0.1: dp_klucb takes no delta; gope, prae_c"),
    ("env=bernoulli_c2 means=[.9,.8]", "takes no means", "as in env=bernoulli env.means=[0.9,0.8]"),
    ("env=empirical env.file=nofile.csv", "env.file=nofile.csv: no such file"),
    ("env=data/mine.npy", "env=empirical env.file=data/mine.npy reads a file"),
    ("env=mine.csv", "env=empirical env.file=mine.csv reads a file"),
    ("algo=greedy", "--config-dir DIR", "DIR/algo/greedy.yaml and greedy.py", "adap_ucb"),
    ("algo=mine/greedy.py", "--config-dir DIR", "DIR/algo/greedy.yaml and greedy.py"),
]  # fmt: skip
RUN = [
    *ONE_SETTING,
    *MEANT,
    *OPTIONS,
    *NOWHERE,
    LOOP,
    ("-m eps=1,-1", "eps=-1:", "above 0"),
    ("-m algo=ucb,ts eps=1", "eps=1:", "ucb", "not private"),
    ("-m results=a,b", "results=a,b: one value is needed"),
    ("-m experiment=azize2022_fig8,azize2022_fig9", "'azize2022_fig9'", "azize2022_fig8"),
    ("-m horizn=1,2", "'horizn'", "did you mean horizon?"),
    ("-m sweep.eps=[1] eps=3,4", "eps=3,4: the sweep varies eps; write sweep.eps=[3,4]"),
    ("-m 'algo=glob(adap_*)' eps=0", "eps=0:", "above 0"),
    ("-m assume=true env=contaminated env.inlier=bernoulli_c2,zzz", "'zzz'", "bernoulli_c4"),
]  # fmt: skip
STOP = [
    *OPTIONS,
    ("rel_error=2", "rel_error=2:", "(0, 1)"),
    ("rel_eror=.1", "'rel_eror'", "did you mean rel_error?"),
    ("env=table env.rewards=[[1,0],[0,1]]", "cap=100:", "2 rounds"),
    *NOWHERE,
    LOOP,
    ("results=null", "results=null:", "folder"),
    ("-m beta=.1,2", "beta=2:", "(0, 1)"),
]
BOUNDS = [
    *ONE_SETTING,
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "one setting"),
    ("-m eps=1,2", "-m", "one setting"),
    ("eps=0.1,1", "eps=0.1,1", "one setting"),
    ("'sweep={eps:[0.1,1]}'", "sweep={eps:[0.1,1]}", "one setting"),
    ("experiment=azize2022_fig8", "one setting", "bandit-plot experiment=azize2022_fig8 bounds="),
]
STATUS = [
    *ONE_SETTING,
    *NOWHERE,
    LOOP,
    ("experiment=azize2022_fig", "unknown experiment"),
    ("algo=dp_se,ucb", "add -m"),
]
PLOT = [
    ("experiment=azize2022_fig44", "'azize2022_fig44'", "did you mean azize2022_fig4?"),
    ("experiment=azize2022_fig8", "results/azize2022_fig8.csv", "bandit-run experiment="),
    ("experiment=azize2022_fig8 results=r", "r/azize2022_fig8.csv", "bandit-run experiment="),
    ("experiment=", "experiment", "azize2022_fig4"),
    ("", "experiment=NAME", "--help"),
    ("foo=1", "unknown key 'foo'", "did you mean font?"),
    ("--foo", "--foo", "--help"),
    ("experiment=../x", "'../x'", "azize2022_fig2"),
    ("experiment=azize2022_fig8 bounds=maybe", "bounds=maybe:", "true or false"),
    ("experiment=azize2022_fig8 a.csv", "either", "--help"),
    ("-m", "-m", "--help"),
    ("/dev/null", "/dev/null:", "not a readable CSV"),
    ("x" * 5000, "xxx", "too long"),
    ("missing.csv", "missing.csv: no such file"),
    (".", ".:", "no tables"),
]
CLAIMS = [
    ("A9", "claim", "'A9'", "did you mean A7?"),
    ("a1", "'a1'", "did you mean A1?"),
    ("''", "claim", "''", "A1"),
    ("foo=1", "'foo'", "horizon, jobs, results, runs, seed"),
    ("A1 run=3", "did you mean runs"),
    ("A1 runs=1", "runs=1:", "at least 2"),
    ("A1 runs=many", "runs=many:", "whole number"),
    ("A1 horizon=0", "horizon=0:", "at least 1"),
    ("A1 horizon=nan", "horizon=nan:", "whole number"),
    ("A1 seed=-1", "seed=-1:", "at least 0"),
    ("A1 jobs=0", "jobs=0:", "-1"),
    ("A1 results=", "results=:", "folder"),
    *((f"A1 runs=2 {line}", reason) for line, reason in NOWHERE),
    ("A1 -m", "-m", "--help"),
    ("--foo", "--foo", "bandit-claims --help"),
]
AUDIT = [
    ("eps=0 algo=adap_ucb", "eps=0:", "above 0"),
    ("algo=ucb", "algo=ucb:", "nothing to audit"),
    ("algo=adap_ucb rule=nas", "algo and rule", "at a time"),
    ("algo=adap_ubc", "unknown algo 'adap_ubc': did you mean adap_ucb?"),
    ("algo=dp_se jobs=0", "jobs=0: a number of workers"),
    ("algo=dp_se algo.alpha=1", "unknown key 'algo.alpha'"),
    ("algo=dp_se env=sign", "unknown key 'env'"),
    ("algo=dp_se results=", "results"),
    ("algo=dpr_se short=3", "short=3: write short.ALGORITHM.PARAMETER=VALUE"),
    ("algo=dpr_se short.dpr_se=3", "write short.ALGORITHM.PARAMETER=VALUE"),
    ("algo=dpr_se short={dpr_se:{q:1}}", "unknown parameter in short.dpr_se: 'q'"),
    ("--config-dir nowhere algo=dp_se", "there is no such folder"),
    ("algo", "algo: KEY=VALUE is needed"),
    ("--foo", "--foo", "bandit-audit --help"),
]
LINES = [
    *((run, *x) for x in RUN),
    *((stop, *x) for x in STOP),
    *((bounds, *x) for x in BOUNDS),
    *((status, *x) for x in STATUS),
    *((plot, *x) for x in PLOT),
    *((claims, *x) for x in CLAIMS),
    *((audit, *x) for x in AUDIT),
]
KEYS_OF_QUICK_RUNS = {run: arguments, stop: lambda line: arguments(line, QUICK_STOP)}


@pytest.mark.parametrize(
    ("module", "line", "parts"),
    every(2, [(x[0], x[1], x[2:]) for x in LINES]),
    ids=[f"{x[0].__name__.rpartition('.')[2]} {x[1][:80]}" for x in LINES],
)
def test_a_command_refuses(refused, module, line, parts):
    Path("loop").symlink_to("loop")
    Path("dangling").symlink_to("nothing")
    Path("taken").write_text("a file")
    message = refused(module, KEYS_OF_QUICK_RUNS.get(module, shlex.split)(line))
    assert all(part in message for part in parts), message


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "bandit-run eps=0",
        "bandit-run results=/dev/null/x",
        "bandit-run -m eps=1,-1",
        "bandit-plot missing.csv",
        "bandit-stop rel_error=2",
        "bandit-bounds eps=0",
    ],
)
def test_the_programs_themselves_refuse(tmp_path, line):
    name, *given = line.split()
    done = command(name, *given, cwd=tmp_path)
    assert complaint(name, done.returncode, done.stdout, done.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    ["bandit-run horizon=50 runs=1 jobs=1", "bandit-run --help", "bandit-status", "bandit-plot -h"],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_reported_in_one_line(tmp_path, command, unbuffered):
    name, *given = command.split()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [Path(sys.executable).with_name(name), *given],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last == f"{name}: cannot write the output (No space left on device)"


@pytest.mark.slow
def test_an_error_of_writing_a_configuration_is_left_to_the_command(monkeypatch):
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(full, write_through=True))
        with pytest.raises(OSError, match="No space left"):
            run.main.__wrapped__(["--cfg=job"])

"""Commands start whatever their streams and variables are, and answer Ctrl-C from the beginning."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import complaint, message_of
from tiers import first

from dpbandits.cli.ending import STORED, run_command
from dpbandits.cli.start import CHOICES, check_variables

REAL = "from dpbandits.cli.start import run; run()"
# A command of a file in the working folder
STUB = "import os, dpbandits.cli as c; c.__path__.append(os.getcwd())\n"
STUB += "from dpbandits.cli.start import start; start('stub')"
CALL = "run_command('bandit-stub', work)"
PLAYS = "run_command('bandit-run', work)"
WORK = "from dpbandits.cli.ending import run_command\ndef work():\n    "


def started(folder, code, *words, more="", **environment):
    """A command in a process of its own; ``more`` is what a shell does with its streams."""
    line = f"{shlex.join([sys.executable, '-P', '-c', code, *words])} {more}"
    return subprocess.run(
        line, shell=True, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )


def stub(folder, imported, main="pass"):
    (folder / "stub.py").write_text(
        f"import os, signal, sys\n{imported}\ndef main():\n    {main}\n"
    )


@pytest.mark.long
def test_a_command_runs_without_an_error_stream(tmp_path):
    words = ["algo=dp_se", "horizon=100", "runs=1", "jobs=1"]
    done = started(tmp_path, REAL, *words, more="2>&-")
    assert done.returncode == 0
    assert (tmp_path / done.stdout.splitlines()[-1]).is_file()


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-", "<&- >&- 2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(tmp_path, closed):
    number = "file = open('number', 'w'); print(file.fileno(), file=file)"
    stub(tmp_path, number, "print('out'); print('err', file=sys.stderr)")
    done = started(tmp_path, STUB, more=closed)
    assert done.returncode == 0
    assert done.stdout == ("" if ">&-" in closed.split() else "out\n")
    assert done.stderr == ("" if "2>&-" in closed else "err\n")
    assert int((tmp_path / "number").read_text()) > 2


SIGNAL = "os.kill(os.getpid(), signal.SIGINT)"
HANDLER = "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
AT_END = f"import atexit; atexit.register(lambda: ({SIGNAL}, print('ended')))"
TEXT = r"'a\tb\x1b[2J\x9b\x07\u202e\udc80 é\n'"
PRINTED = "a\tb\\x1b[2J\\x9b\\x07\\u202e\\udc80 é\n\n"
PRINTS = f"print({TEXT}); print({TEXT}, file=sys.stderr); return 0"
RAISED = "bandit-stub: the code of a user's file has raised KeyboardInterrupt\n"
# What a module does while it is imported, what its command does, and how that ends; what the work
# of a command does stands behind "work: "
ENDS = {
    "interrupted while packages are imported": (
        f"try:\n    {SIGNAL}\nfinally:\n    print('lost')", "pass", 130, "",
        "bandit-stub: interrupted\n"),
    "interrupted later, which is left to the command": ("", HANDLER, 0, "True\n", ""),
    "interrupted before the command answers": ("", SIGNAL, 130, "", "bandit-stub: interrupted\n"),
    "interrupted while the interpreter is left": (AT_END, "sys.exit(3)", 3, "ended\n", ""),
    "control characters, which do not reach the terminal": ("", f"work: {PRINTS}", 0, PRINTED,
     PRINTED),
    "a path": ("", "work: raise OSError(36, 'File name too long', 'x')", 1, "",
     "bandit-stub: cannot use x (File name too long)\n"),
    "files": ("", "work: raise OSError(24, 'Too many open files')", 1, "",
     "bandit-stub: the system refuses further files, threads or memory "
     "(Too many open files; see ulimit -a)\n"),
    "memory": ("", "work: raise MemoryError()", 1, "",
     "bandit-stub: there is not enough memory; finished runs are stored\n"),
    "an interruption without a signal": ("", "work: raise KeyboardInterrupt", 2, "", RAISED),
    "that of a worker": ("", "work: raise KeyboardInterrupt(2)", 2, "", RAISED),
    "a backend of matplotlib": ("import matplotlib; print(matplotlib.get_backend())", "pass", 0,
     "agg\n", ""),
}  # fmt: skip


@pytest.mark.parametrize("end", first(ENDS, 3))
def test_ends_of_commands(tmp_path, end):
    imported, main, *expected = ENDS[end]
    if main.startswith("work: "):
        imported, main = WORK + main.removeprefix("work: "), CALL
    stub(tmp_path, imported, main)
    done = started(tmp_path, STUB, MPLBACKEND="nope")
    assert [done.returncode, done.stdout, done.stderr] == expected


def test_words_that_an_ascii_locale_lacks_are_refused(tmp_path):
    """In the locale C.UTF-8 the same word is known."""
    stub(tmp_path, "", "print(sys.argv[1].encode())")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = started(tmp_path, STUB, "env=m\xe9", **plain)
    said = "bandit-stub: env=m\\xe9: the locale lacks these characters; set LC_ALL=C.UTF-8\n"
    assert (done.returncode, done.stderr) == (2, said)
    done = started(tmp_path, STUB, "env=m\xe9", LC_ALL="C.UTF-8")
    assert done.stdout == "b'env=m\\xc3\\xa9'\n"


def test_a_shell_s_background_ignores_interruptions(tmp_path):
    stub(tmp_path, "", HANDLER)
    assert started(tmp_path, STUB, more="&").stdout == "False\n"


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [None, "SIGTERM", "SIGHUP", "SIGXCPU", "SIGUSR1", "SIGUSR2"])
def test_an_error_that_follows_from_an_interruption_is_not_reported(tmp_path, stopped):
    """NumPy raises one if it is interrupted while it writes a file; the control is not stopped."""
    work = f"os.kill(os.getpid(), signal.{stopped})" if stopped else "pass"
    stub(tmp_path, f"{WORK}\n    try:\n        {work}\n    finally:\n        1 / 0", PLAYS)
    done = started(tmp_path, STUB)
    assert done.returncode == (128 + signal.Signals[stopped] if stopped else 1)
    assert ("Traceback" in done.stderr) == (stopped is None)
    last = f"bandit-run: ended by {stopped}; {STORED}"
    assert (done.stderr.splitlines()[-1] == last) == (stopped is not None)


def test_an_interruption_while_the_package_itself_is_imported(tmp_path):
    """The package imports its own modules before any line of a command can run."""
    code = (
        "import builtins, os, signal, sys; sys.argv[0] = {name!r}; real = builtins.__import__\n"
        "def stopped(name, *given):\n"
        "    if name == 'environment_values': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(name, *given)\n"
        "builtins.__import__ = stopped; import dpbandits"
    )
    done = started(tmp_path, code.format(name="bandit-run"))
    assert (done.returncode, done.stderr) == (130, "bandit-run: interrupted\n")
    done = started(tmp_path, code.format(name="notebook.py"))  # a library has no handler
    assert "KeyboardInterrupt" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("swallows", ["a callback", "a finalizer"])
def test_an_interruption_that_a_callback_swallows_is_raised_again(tmp_path, swallows):
    """ctypes only reports what a callback raises, as LLVM's do while a kernel compiles."""
    imported = """
import ctypes, time
from dpbandits.cli.ending import run_command
class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
callback = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGINT))
def work():
    callback() if SWALLOWS == "a callback" else Finalized()
    time.sleep(20)
    return 0
"""
    stub(tmp_path, imported.replace("SWALLOWS", repr(swallows)), CALL)
    done = started(tmp_path, STUB)
    assert done.returncode == 130
    first, last = done.stderr.splitlines()[1:]
    assert first == "stopping ..."
    assert last == "bandit-stub: interrupted"  # what plays no run has stored none


@pytest.mark.parametrize(
    ("name", "good", "bad", "needed"),
    [
        ("NUMBA_NUM_THREADS", ["1"], ["0", "-1", "x", "", "1.5"], "a whole number"),
        *((name, good, ["nope"], "one of ") for name, good in CHOICES.items()),
    ],
)
def test_variables_that_a_library_refuses(monkeypatch, name, good, bad, needed):
    for value in good:
        monkeypatch.setenv(name, value)
        check_variables()
    for value in bad:
        monkeypatch.setenv(name, value)
        assert message_of(check_variables).startswith(f"{name}={value}: {needed}")


def test_bad_variables_are_reported_before_anything_is_imported(tmp_path):
    stub(tmp_path, "print('imported')")
    done = started(tmp_path, STUB, NUMBA_NUM_THREADS="0")
    complaint("bandit-stub", done.returncode, done.stdout, done.stderr)


def test_a_working_folder_that_was_deleted(tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(SystemExit) as stopped:
        run_command("bandit-run", lambda: 0)
    message = complaint("bandit-run", stopped.value.code, *capsys.readouterr())
    assert message.startswith("the working folder cannot be used (No such file")


def test_every_command_has_an_entry_point():
    from dpbandits.cli import start

    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    names = [line.split()[0] for line in text.splitlines() if "dpbandits.cli.start:" in line]
    assert names.pop(0) == "dpbandits" and len(names) == 11  # it runs the others
    for name in names:
        assert getattr(start, name.removeprefix("bandit-")).args == (name.removeprefix("bandit-"),)

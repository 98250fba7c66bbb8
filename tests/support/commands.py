"""Run commands and scripts in new processes in which the package is already imported.

The import takes two seconds of CPU, so a server process imports the package once and forks.
"""

import contextlib
import json
import math
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

IMPORTED = ("run", "stop", "plot", "bounds", "audit", "claims", "status", "report")
_servers = {}


def command(*words, cwd=None, env=None, limit=math.inf):
    """Run a command ``bandit-*``, or a script given by its path, see ``subprocess.run``.

    After ``limit`` seconds it gets Ctrl-C, and after twice as many it is killed.
    """
    with tempfile.TemporaryDirectory() as folder:
        streams = [f"{folder}/{name}" for name in ("out", "err")]
        asked = [list(map(str, words)), str(cwd or Path.cwd()), env or dict(os.environ), streams]
        asked.append(limit)
        server = _server()
        print(json.dumps(asked), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        out, err = (Path(stream).read_text(errors="replace") for stream in streams)
    return subprocess.CompletedProcess(words, code, out, err)


def captured(*words, **more):
    """Run any program, see ``subprocess.run``, and capture what it prints as text."""
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def _server():
    if os.getpid() not in _servers:
        _servers[os.getpid()] = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    return _servers[os.getpid()]


def import_all():
    """Import the modules that commands import while they run."""
    for name in IMPORTED:
        import_module(f"dpbandits.cli.{name}")
    for name in ("running.monte_carlo", "figures.experiments", "theory.bounds"):
        import_module(f"dpbandits.{name}")


def serve():
    """Run the requested commands, one for each line, and answer with their exit codes."""
    import_all()
    for line in sys.stdin:
        *asked, limit = json.loads(line)
        child = os.fork()
        if child == 0:
            run(*asked)
        print(code_of(child, limit), flush=True)


def code_of(child, limit):
    """Return the exit code of a child process, which is stopped after some seconds."""
    start, stops = time.monotonic(), [(2 * limit, signal.SIGKILL), (limit, signal.SIGINT)]
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if stops and time.monotonic() - start > stops[-1][0]:
            os.kill(child, stops.pop()[1])
        time.sleep(0.002)
    return os.waitstatus_to_exitcode(ended[1])


def run(words, folder, environment, streams):
    """Do in a forked process what a new process would do."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams, 1):
        os.dup2(os.open(stream, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = words
    code = 1
    try:
        if words[0].endswith(".py"):
            sys.path.insert(0, str(Path(words[0]).parent))
            runpy.run_path(words[0], run_name="__main__")
        else:
            name = words[0].removeprefix("bandit-").replace("dpbandits", "help")
            import_module(f"dpbandits.cli.{name}").main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()

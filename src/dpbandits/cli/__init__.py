"""The commands of the package."""

import os
import signal
import sys
from types import FrameType


def command_name() -> str:
    """Return the name of the command that runs in this process; empty if there is no command."""
    name = os.path.basename(sys.argv[0]).removesuffix(".exe") if sys.argv else ""
    return name if name.startswith(("bandit-", "dpbandits")) else ""


def leave_when_interrupted(command: str) -> None:
    """Let Ctrl-C end the command at once, with one line, while it imports packages.

    During the imports there is no finished run to store, and an import could catch and lose the
    exception. A command that ignores SIGINT continues to ignore it: shells start background
    commands in this way.
    """

    def answer(number: int, frame: FrameType | None) -> None:
        leave(command, number)

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, answer)


def leave(command: str, number: int) -> None:
    """End an interrupted command at once, with one line."""
    os.write(2, f"{command}: interrupted\n".encode())
    os._exit(128 + number)

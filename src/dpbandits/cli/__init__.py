"""The commands of the package."""

import os
import signal
import sys
from types import FrameType


def command_name() -> str:
    """Return the name of the command that runs in this process, or "" if no command runs."""
    name = os.path.basename(sys.argv[0]).removesuffix(".exe") if sys.argv else ""
    return name if name.startswith(("bandit-", "dpbandits")) else ""


def leave_when_interrupted(command: str) -> None:
    """Let Ctrl-C end the command at once, with one line, while it imports packages.

    During the imports there are no finished runs to store, and an import could catch and lose the
    exception. If the command was started with SIGINT ignored, as shells do for background commands,
    it continues to ignore the signal.
    """

    def answer(number: int, frame: FrameType | None) -> None:
        leave(command, number)

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, answer)


def leave(command: str, number: int) -> None:
    """End an interrupted command at once, with one line."""
    os.write(2, f"{command}: interrupted\n".encode())
    os._exit(128 + number)

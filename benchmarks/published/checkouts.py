"""The repositories with published code, and how their modules are imported."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

# of each repository, by the name of its checkout's folder: whose it is, and what was measured
CHECKOUTS: Mapping[str, tuple[str, str]] = {
    "private-bandits": ("keirp/private-bandits", "e6662803fd99da40505fd255b89e311fb2a08b1f"),
    "Differentially-Private-Bandits": (
        "sayakrc/Differentially-Private-Bandits",
        "ea7503bcaddd7491a187252d5bbd6608414cb96f",
    ),
    "DP-NCB": ("NP-Hardest/DP-NCB", "48397512ffb0c93137f73a6607f6004a508b1e0c"),
    "LDPbandit2020": (
        "huang-research-group/LDPbandit2020",
        "54f0c05441fdcff819176cc393a9bc99aca52b66",
    ),
    "DP-BAI": ("achraf-azize/DP-BAI", "c8d8be282e19e4d74dc9c5f670c68ec3ae7e4f97"),
    "nprr": ("WannabeSmith/nprr", "36edeca38289f5ef76063a971557800a83da9fde"),
}


def module_of(folder: Path, name: str) -> ModuleType:
    """Import a module of a checkout with the checkout on Python's path, and return it."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(name)


def commit_of(folder: Path) -> str:
    """Return the commit that is checked out."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

"""The keys and options of this package that replace Hydra's own keys and options. Error messages
name these keys and options to users of Hydra.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

OTHERS = "Hydra's own settings cannot be changed"
KEYS, OPTIONS = (
    {name: words for words, names in part.items() for name in names}
    for part in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).values()
)


def instead_of(key: str) -> str:
    """Return what a user can type instead of one of Hydra's keys, such as ``hydra.run.dir``."""
    found = [name for name in KEYS if f"{key}.".startswith((f"{name}.", f"{name}/", f"{name}@"))]
    return f"a key of Hydra is not used; {KEYS[max(found, key=len)]}" if found else OTHERS

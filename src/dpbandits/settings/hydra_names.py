"""What Hydra's own keys and options are called here: a user of Hydra who types one is told."""

from __future__ import annotations

import tomllib
from pathlib import Path

OTHERS = "Hydra's own settings cannot be changed"
KEYS, OPTIONS = (
    {name: words for words, names in part.items() for name in names}
    for part in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).values()
)


def instead_of(key: str) -> str:
    """What stands in the place of one of Hydra's keys, as ``hydra.run.dir``."""
    found = [name for name in KEYS if f"{key}.".startswith((f"{name}.", f"{name}/", f"{name}@"))]
    return str(KEYS[max(found, key=len)]) if found else OTHERS

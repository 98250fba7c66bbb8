"""Hydra's own settings, which neither a command line nor a file can change.

Hydra imports and calls what these settings name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from hydra import compose
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from ...errors import BadInput, plain
from ...settings.groups import leaves

ALLOWED = "Hydra's own settings cannot be changed"
OF_A_RUN = ("searchpath", "overrides", "job.override_dirname", "runtime")


def refuse_overrides(parsed: Iterable[Override]) -> None:
    """Refuse overrides of Hydra's own settings, which Hydra would act on while it composes."""
    for override in parsed:
        for key in (override.key_or_group, override.package or ""):
            if key.split(".")[0].split("/")[0] == "hydra":
                raise BadInput(f"{override.input_line}: {ALLOWED}")


def refuse_changes(hydra: DictConfig, keys_file: str) -> None:
    """Refuse what files have changed of Hydra's own settings.

    Args:
        hydra: Hydra's own settings, composed.
        keys_file: the package's file from which they are composed.
    """
    found, usual = _leaves_of(hydra), _unchanged(keys_file)
    for key in found | usual:
        if not key.startswith(OF_A_RUN) and found.get(key) != usual.get(key):
            raise BadInput(f"hydra.{key}={plain(found.get(key))}: {ALLOWED}")


def _leaves_of(config: Any) -> dict[str, Any]:
    return dict(leaves("", OmegaConf.to_container(config, resolve=False)))


@cache
def _unchanged(keys_file: str) -> dict[str, Any]:
    """Hydra's settings as the package has them, by their paths."""
    return _leaves_of(compose(keys_file, return_hydra_config=True).hydra)

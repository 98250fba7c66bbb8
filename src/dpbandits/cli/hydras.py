"""What may be changed of Hydra's own settings: how the jobs of a multirun are launched, no more.

Hydra imports and calls what these settings name, so they cannot be left to a configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from hydra import compose
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from ..errors import BadInput, plain

ALLOWED = "of Hydra's own settings only hydra/launcher and hydra.launcher.NAME can be given"
OF_A_RUN = ("launcher", "searchpath", "overrides", "job.override_dirname", "runtime")


def refuse_overrides(parsed: Iterable[Override]) -> None:
    """Refuse, before it composes, what Hydra would act on while it composes."""
    for override in parsed:
        for key in (override.key_or_group, override.package or ""):
            ours = key.split(".")[0].split("/")[0] != "hydra"
            if not (ours or key == "hydra/launcher" or key.startswith("hydra.launcher.")):
                raise BadInput(f"{override.input_line}: {ALLOWED}")


def refuse_changes(hydra: DictConfig, top: str) -> None:
    """Refuse what files have changed, and a launcher that no installed plugin has declared."""
    found = dict(leaves("", OmegaConf.to_container(hydra, resolve=False)))
    usual = untouched(top)
    for key in sorted(found.keys() | usual.keys()):
        changed = found.get(key) != usual.get(key)
        if changed and not any(key == k or key.startswith(f"{k}.") for k in OF_A_RUN):
            raise BadInput(f"hydra.{key}={plain(found.get(key))}: {ALLOWED}")
        target = key.endswith("_target_") and key.startswith("launcher.")
        if target and (key != "launcher._target_" or found.get(key) not in launchers()):
            raise BadInput(f"hydra.{key}={plain(found.get(key))}: no installed launcher is that")


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values of nested mappings and lists, each with the path to it."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, inner in pairs:
        if isinstance(inner, Mapping | list) and inner:
            yield from leaves(f"{path}{key}.", inner)
        else:
            yield f"{path}{key}", inner


@cache
def untouched(top: str) -> dict[str, Any]:
    """Hydra's settings as the package has them, by their paths."""
    config = compose(top, return_hydra_config=True).hydra
    return dict(leaves("", OmegaConf.to_container(config, resolve=False)))


def launchers() -> set[str]:
    """What the installed launchers have Hydra call."""
    declared = ConfigStore.instance().repo["hydra"]["launcher"]
    return {node.node["_target_"] for node in declared.values()}

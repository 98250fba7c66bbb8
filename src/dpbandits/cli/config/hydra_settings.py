"""What may be changed of Hydra's own settings: how the jobs of a multirun are launched, no more.

Hydra imports and calls what these settings name, so they cannot be left to a configuration.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from hydra import compose
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from ...errors import BadInput, plain, unknown
from ...settings.groups import leaves

ALLOWED = "of Hydra's own settings only hydra/launcher and hydra.launcher.NAME can be given"
COMMANDS = "a file can give a launcher numbers and plain text; commands are for the command line"
OF_A_RUN = ("launcher", "searchpath", "overrides", "job.override_dirname", "runtime")


def refuse_overrides(parsed: Iterable[Override]) -> None:
    """Refuse, before it composes, what Hydra would act on while it composes."""
    for override in parsed:
        for key in (override.key_or_group, override.package or ""):
            ours = key.split(".")[0].split("/")[0] != "hydra"
            if not (ours or key == "hydra/launcher" or key.startswith("hydra.launcher.")):
                raise BadInput(f"{override.input_line}: {ALLOWED}")


def refuse_changes(hydra: DictConfig, top: str, parsed: Iterable[Override]) -> None:
    """Refuse what files have changed, and a launcher that no installed plugin has declared.

    Args:
        hydra: Hydra's own settings, composed.
        top: the package's file of settings.
        parsed: what the command line says.
    """
    found = dict(leaves("", OmegaConf.to_container(hydra, resolve=False)))
    usual = untouched(top)
    for key in [*found, *usual]:
        of_a_run = any(key == k or key.startswith(f"{k}.") for k in OF_A_RUN)
        if not of_a_run and found.get(key) != usual.get(key):
            raise BadInput(f"hydra.{key}={plain(found.get(key))}: {ALLOWED}")
    target = found.get("launcher._target_")
    if target not in launchers():
        raise BadInput(f"hydra.launcher._target_={plain(target)}: no installed launcher is that")
    declared = launchers()[target]
    names = list(dict.fromkeys(name.split(".")[0] for name in declared))
    typed = {(key, str(x)) for o in parsed for key, x in leaves("", {o.key_or_group: o.value()})}
    for key, value in found.items():
        first, _, name = key.partition(".")
        if first != "launcher":
            continue
        if name.endswith("._target_") or name.split(".")[0] not in names:
            raise unknown("key", f"hydra.{key}", [f"hydra.launcher.{n}" for n in names])
        of_a_file = value != declared.get(name) and (f"hydra.{key}", str(value)) not in typed
        if of_a_file and may_command(name, value):
            raise BadInput(f"hydra.{key}={plain(value)}: {COMMANDS}")


def may_command(name: str, value: Any) -> bool:
    """Whether a launcher's setting may hold what is run: lists of commands, options by name, a
    program, or text that a line break would end within a batch script.
    """
    if "." in name or name == "python":
        return True
    return isinstance(value, str) and (not value.isprintable() or "${" in value)


@cache
def untouched(top: str) -> dict[str, Any]:
    """Hydra's settings as the package has them, by their paths."""
    config = compose(top, return_hydra_config=True).hydra
    return dict(leaves("", OmegaConf.to_container(config, resolve=False)))


def launchers() -> dict[str, dict[str, Any]]:
    """What the installed launchers have Hydra call, each with its settings as declared."""
    declared = ConfigStore.instance().repo["hydra"]["launcher"].values()
    nodes = [dict(leaves("", OmegaConf.to_container(x.node, resolve=False))) for x in declared]
    return {node["_target_"]: node for node in nodes}

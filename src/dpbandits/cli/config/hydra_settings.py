"""What may be changed of Hydra's own settings: only how the jobs of a multirun are launched.

Hydra imports and calls what these settings name, so a file must not set them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
BASIC = "hydra._internal.core_plugins.basic_launcher.BasicLauncher"  # Hydra's default
SUBMITIT = "hydra_plugins.hydra_submitit_launcher.submitit_launcher"  # of both its launchers
FOLDER = "submitit_folder"  # the setting of a launcher that depends on the results folder
OF_A_RUN = ("launcher", "searchpath", "overrides", "job.override_dirname", "runtime")


def refuse_overrides(parsed: Iterable[Override]) -> None:
    """Refuse overrides of Hydra's own settings, which Hydra would act on while it composes."""
    for override in parsed:
        for key in (override.key_or_group, override.package or ""):
            ours = key.split(".")[0].split("/")[0] != "hydra"
            if not (ours or key == "hydra/launcher" or key.startswith("hydra.launcher.")):
                raise BadInput(f"{override.input_line}: {ALLOWED}")


def refuse_changes(hydra: DictConfig, keys_file: str, parsed: Iterable[Override]) -> None:
    """Refuse what files have changed, and a launcher that no installed plugin has declared.

    Args:
        hydra: Hydra's own settings, composed.
        keys_file: the package's file from which they are composed.
        parsed: the overrides of the command line.
    """
    found, usual = _leaves_of(hydra), _unchanged(keys_file)
    for key in found | usual:
        if not key.startswith(OF_A_RUN) and found.get(key) != usual.get(key):
            raise BadInput(f"hydra.{key}={plain(found.get(key))}: {ALLOWED}")
    target = found.get("launcher._target_")
    declared = _launchers().get(target)
    if declared is None:
        raise BadInput(f"hydra.launcher._target_={plain(target)}: no installed launcher is that")
    names = {name.split(".")[0] for name in declared}
    typed = {(key, str(x)) for o in parsed for key, x in leaves("", {o.key_or_group: o.value()})}
    for key, value in found.items():
        first, _, name = key.partition(".")
        if first != "launcher":
            continue
        if name.endswith("._target_") or name.split(".")[0] not in names:
            raise unknown("key", f"hydra.{key}", [f"hydra.launcher.{n}" for n in names])
        in_a_file = value != declared.get(name) and (f"hydra.{key}", str(value)) not in typed
        if in_a_file and _may_command(name, value):
            raise BadInput(f"hydra.{key}={plain(value)}: {COMMANDS}")


def _may_command(name: str, value: Any) -> bool:
    """Whether a launcher's setting may hold what is run: lists of commands, options by name, a
    program, or text with a line break, which would end a line of a batch script.
    """
    if "." in name or name == "python":
        return True
    return isinstance(value, str) and (not value.isprintable() or "${" in value)


def _leaves_of(config: Any) -> dict[str, Any]:
    return dict(leaves("", OmegaConf.to_container(config, resolve=False)))


@cache
def _unchanged(keys_file: str) -> dict[str, Any]:
    """Hydra's settings as the package has them, by their paths."""
    return _leaves_of(compose(keys_file, return_hydra_config=True).hydra)


def _launchers() -> dict[Any, dict[str, Any]]:
    """The settings of each installed launcher as its plugin declares them, by its target."""
    declared = ConfigStore.instance().repo["hydra"]["launcher"].values()
    return {node["_target_"]: node for node in (_leaves_of(x.node) for x in declared)}


def launcher_of(chosen: Sequence[Mapping[str, Any]]) -> tuple[str | None, dict[str, Any]]:
    """How the jobs of a multirun are launched, from the settings of Hydra's launcher for each.

    Returns:
        Submitit's name of the executor, local or slurm, and its parameters; or None: by Hydra's
        default launcher, in this process.

    Raises:
        BadInput: the jobs differ, or the launcher is another.
    """
    settings = dict(chosen[0])
    if any({**other, FOLDER: None} != {**settings, FOLDER: None} for other in chosen):
        raise BadInput("-m: hydra/launcher and its settings must be the same for all jobs")
    target = settings.pop("_target_")
    module, _, name = target.rpartition(".")
    if target != BASIC and module != SUBMITIT:
        raise BadInput(
            f"hydra/launcher: {name} is not supported; submitit_local or submitit_slurm is"
        )
    return (None if target == BASIC else name.removesuffix("Launcher").lower()), settings

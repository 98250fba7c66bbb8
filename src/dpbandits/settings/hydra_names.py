"""What Hydra's own keys and options are called here: a user of Hydra who types one is told."""

from __future__ import annotations

OTHERS = "Hydra's own settings cannot be changed"
WORKERS = "jobs=N sets the number of workers; runner=dask or runner=slurm uses a cluster"
COMBINATIONS = "every combination is run: -m KEY=A,B"
FOLDER = "results=DIR is the folder of tables and runs"
LOG = "commands keep no log; bandit-status shows the state of runs and failures"
KEYS = {  # by their beginnings
    "hydra/launcher": WORKERS,
    "hydra.launcher": WORKERS,
    "hydra/sweeper": COMBINATIONS,
    "hydra.sweeper": COMBINATIONS,
    "hydra.sweep": FOLDER,
    "hydra.run": FOLDER,
    "hydra.output_subdir": FOLDER,
    "hydra.job.chdir": "commands do not change the working folder; results=DIR is where they write",
    "hydra.job.name": "experiment=NAME or out=PATH names what is written",
    "hydra.job.num": "setting, seed and run number determine a run: seed=N",
    "hydra.verbose": LOG,
    "hydra/job_logging": LOG,
    "hydra/hydra_logging": LOG,
    "hydra.searchpath": "--config-dir DIR adds a folder to the search path",
    "hydra.mode": "-m runs every combination",
}
OPTIONS = {
    "--shell-completion": "--completion bash, zsh or fish prints a shell's script",
    "-sc": "--completion bash, zsh or fish prints a shell's script",
    "--package": "--cfg job prints all keys",
    "-p": "--cfg job prints all keys",
    "--hydra-help": "--help lists the options, --help keys the keys",
    "--resolve": "--cfg job prints values with their references resolved",
    "--run": "a command without -m runs one value of each key",
    "-r": "a command without -m runs one value of each key",
    "--config-path": "--config-dir DIR adds a folder of your own",
    "-cp": "--config-dir DIR adds a folder of your own",
    "--experimental-rerun": "the same command plays only what is missing",
}


def instead_of(key: str) -> str:
    """What stands in the place of one of Hydra's keys, as ``hydra.run.dir``."""
    found = [name for name in KEYS if f"{key}.".startswith((f"{name}.", f"{name}/", f"{name}@"))]
    return KEYS[max(found, key=len)] if found else OTHERS

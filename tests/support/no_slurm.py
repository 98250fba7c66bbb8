"""Commands that replace those of Slurm, so that no test submits a job."""

import os

COMMANDS = ("salloc", "sbatch", "srun")
REFUSAL = "error: tests submit no jobs"


def without_slurm(path, folder):
    """Return a value of PATH that finds commands in a folder, which refuse jobs, before those of
    Slurm.
    """
    for name in COMMANDS:
        file = folder / name
        file.write_text(f'#!/bin/sh\necho "{name}: {REFUSAL}" >&2\nexit 1\n')
        file.chmod(0o755)
    return f"{folder}{os.pathsep}{path}"

"""Packages of extras: tests that need one are skipped, with the reason, if it is not installed."""

import pytest

EXTRAS = {
    "distributed": "dask",
    "dpsprt": "peers",
    "flint": "exact",
    "importlinter": "lint",
    "nbclient": "docs",
    "nbformat": "docs",
    "ray": "ray",
    "submitit": "slurm",
}


def require(package):
    """The package; where it is not installed, the test, or the file, is skipped.

    Tests that call this have the mark ``extra``, by which ``make test-slow`` runs them.
    """
    reason = f"{package} is not installed: pip install 'dpbandits[{EXTRAS[package]}]'"
    return pytest.importorskip(package, reason=reason)

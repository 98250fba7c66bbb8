"""Packages of extras: tests that need one are skipped, with the reason, if it is not installed."""

import signal

import pytest

EXTRAS = {
    "axe_core_python": "browser",
    "dask_jobqueue": "slurm",
    "distributed": "dask",
    "dp_accounting": "curve",
    "dpsprt": "peers",
    "flint": "exact",
    "furo": "docs",
    "importlinter": "lint",
    "jinja2": "report",
    "nbclient": "docs",
    "nbformat": "docs",
    "pyarrow": "parquet",
    "selenium": "browser",
    "vl_convert": "report",
}


def require(package):
    """The package; where it is not installed, the test, or the file, is skipped.

    Tests that call this have the mark ``extra``, by which ``make test-slow`` runs them.
    """
    reason = f"{package} is not installed: pip install 'dpbandits[{EXTRAS[package]}]'"
    usual = signal.getsignal(signal.SIGINT)
    try:
        return pytest.importorskip(package, reason=reason)
    finally:  # importing dask_jobqueue 0.9 replaces it, for all tests that follow
        signal.signal(signal.SIGINT, usual)

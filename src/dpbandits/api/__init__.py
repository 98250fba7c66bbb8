"""The Python API: run, stop, load, plot, summarise, bound and audit from a notebook or a script.

``dpbandits`` itself exports these functions. Heavy packages are imported only in the functions that
use them, so that ``import dpbandits`` is quick.
"""

from .lists import algorithms, environments, experiments, rules
from .pictures import bounds, plot, report
from .privacy import audit, budget
from .runs import algorithm, reproduce, run, stop
from .tables import compare, latex, load, measured, save, summary

__all__ = [
    "algorithm", "algorithms", "audit", "bounds", "budget", "compare", "environments",
    "experiments", "latex", "load", "measured", "plot", "report", "reproduce", "rules", "run",
    "save", "stop", "summary",
]  # fmt: skip

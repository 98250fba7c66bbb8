"""Lists of the package's algorithms, stopping rules, environments and experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calls import checks_arguments
from ..errors import plain

if TYPE_CHECKING:
    import pandas as pd


@checks_arguments
def algorithms() -> pd.DataFrame:
    """Return a table of the package's algorithms: their privacy promise, their parameters, and the
    kind of actions that they play.

    >>> import dpbandits as dp
    >>> dp.algorithms().loc["adap_klucb", "parameters"]
    'alpha=3.1'
    """
    return _listing("algo")


@checks_arguments
def rules() -> pd.DataFrame:
    """Return a table of the package's stopping rules: their privacy promise and parameters."""
    return _listing("rule")


@checks_arguments
def environments() -> pd.DataFrame:
    """Return a table of the package's environments: their reward law and their parameters.

    >>> import dpbandits as dp
    >>> dp.environments().loc["bernoulli_c2", "parameters"]
    'family=c2, arms=5'
    """
    return _listing("env")


@checks_arguments
def experiments() -> pd.DataFrame:
    """Return a table of the package's experiments, with a description of each."""
    return _listing("experiment")


def _listing(group: str) -> pd.DataFrame:
    import pandas as pd

    from ..contracts.algorithm import find_file, load
    from ..settings.groups import about, file_keys, names_in

    rows = []
    for name in names_in(group):
        row = {"name": name, "about": about(group, name)}
        if group != "experiment":
            contents = file_keys(group, name)
            contents.pop("law", None)
            row["parameters"] = ", ".join(f"{k}={plain(v)}" for k, v in contents.items())
        if group in ("algo", "rule"):
            found = load(find_file(name, (), group))
            row["privacy"] = found.promise()
            row["actions"] = found.actions
        rows.append(row)
    return pd.DataFrame(rows).set_index("name")

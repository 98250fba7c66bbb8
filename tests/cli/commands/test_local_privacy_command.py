"""Local privacy on the command line: eps_min=auto."""

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli import run
from dpbandits.environments.populations import build_population
from dpbandits.settings.composed import read_group
from dpbandits.theory.ren2020 import v_b, v_l

SMALL = "horizon=300 runs=2 jobs=1 checkpoints=3"
B = "algo=heldp_ucb_b"


@pytest.fixture
def printed(bandit):
    """A function that runs a line and returns what it prints."""
    return lambda line: bandit(run, f"{line} {SMALL}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "population", "term", "best"),
    [
        ("heldp_ucb_l", "uniform_levels", v_l, 100),
        ("heldp_ucb_ls", "uniform_levels", v_l, 100),
        ("heldp_ucb_b", "uniform_levels", v_b, 2),
        ("heldp_ucb_bs", "uniform_levels", v_b, 2),
        ("heldp_ucb_l", "clipped_normal", v_l, 0.99),
        ("heldp_ucb_b", "clipped_normal", v_b, 0.95),
    ],
)
def test_auto_chooses_the_eps_min_of_the_smallest_leading_term(
    printed, name, population, term, best
):
    lines = printed(f"algo={name} population={population} eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    eps_min = float(chosen[0])
    found = pd.read_csv(lines[-1])
    assert set(found["population"]) == {population} and set(found["eps_min"]) == {eps_min}
    assert eps_min == pytest.approx(best, rel=0.1)
    crowd = build_population(read_group("population", population))
    assert float(chosen[1]) == pytest.approx(term(crowd, eps_min), rel=1e-3)
    levels = [0.2, 1, 2, 100] if population == "uniform_levels" else np.linspace(0.1, 3, 300)
    assert term(crowd, eps_min) < 1.001 * min(term(crowd, x) for x in levels)
    shown = {float(x.split()[0]): float(x.split()[1]) for x in lines if x[:1].isdigit()}
    assert shown[eps_min] == min(shown.values()) and len(shown) > 1
    assert "V_L" in lines[0] if term is v_l else "V_B" in lines[0]
    crowds = len([line for line in lines if line.startswith("eps_min for")])
    assert crowds == 1


def test_auto_for_equal_levels_is_printed(printed):
    lines = printed(f"{B} eps=2 eps_min=auto")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    assert float(chosen[0]) == 2

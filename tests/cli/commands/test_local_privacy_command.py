"""Local privacy on the command line: eps_min=auto."""

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli import run
from dpbandits.environments.populations import build_population
from dpbandits.settings.groups import read_group
from dpbandits.theory.ren2020 import v_b, v_l

SMALL = "horizon=300 runs=2 jobs=1 checkpoints=3"


@pytest.mark.parametrize(
    ("name", "population", "term", "best"),
    [
        ("heldp_ucb_l", "uniform_levels", v_l, 100),
        ("heldp_ucb_bs", "uniform_levels", v_b, 2),
        ("heldp_ucb_l", "clipped_normal", v_l, 0.99),
        ("heldp_ucb_b", "clipped_normal", v_b, 0.95),
    ],
)
def test_auto_chooses_the_eps_min_of_the_smallest_leading_term(
    bandit, name, population, term, best
):
    lines = bandit(run, f"algo={name} population={population} eps_min=auto {SMALL}")
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
    assert sum(line.startswith("eps_min for") for line in lines) == 1


def test_auto_for_equal_levels_is_printed(bandit):
    lines = bandit(run, f"algo=heldp_ucb_b eps=2 eps_min=auto {SMALL}")
    [chosen] = [line.split() for line in lines if line.endswith("chosen")]
    assert float(chosen[0]) == 2

"""A class of a script is the same class after its runs, whatever workers play them."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
import dpbandits as dp

def chosen(): return 1
LEVEL = {"arm": 1}

class Own:
    def act(self): return chosen() if LEVEL["arm"] == 1 else LEVEL["arm"]
    def update(self, arm, reward): pass

def make(): return Own()

def pulls(policy):
    table = dp.run(policy=policy, env="bernoulli_c2", horizon=50, runs=2, shuffle_arms=False,
                   backend=sys.argv[1], jobs=2)
    return table["regret"].iloc[-1] / 50, table["setting"].iloc[0]

act = Own.act
first = pulls(Own), pulls(make)
def chosen(): return 0
second = pulls(Own), pulls(make)
def chosen(): return 1
LEVEL["arm"] = 0
third = pulls(Own), pulls(make)
assert Own.act is act
assert [x[0][0] for x in (first, second, third)] == [x[1][0] for x in (first, second, third)]
assert first[0][0] > second[0][0] == third[0][0] == 0.0, (first, second, third)
assert len({x[i][1] for x in (first, second, third) for i in (0, 1)}) == 6
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_a_changed_helper_of_a_class_counts_in_the_next_call(backend, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    subprocess.run([sys.executable, file, backend], check=True)


AGAIN = """
import sys
import dpbandits as dp

class Own:
    def __init__(self, arms, rng): self.t, self.rng, self.arms = 0, rng, arms
    def act(self): return int(self.rng.integers(self.arms))
    def update(self, arm, reward): self.t += 1

given = {"policy": Own, "env": "bernoulli_c2", "horizon": 50, "runs": 2}
t = dp.run(jobs=1, **given)
first = t
t = dp.run(jobs=2, backend=sys.argv[1], results="results", **given)
assert t.equals(first)
t = dp.run(jobs=1, results="results", **given)
assert t.equals(first)
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_a_class_has_one_id_though_its_table_has_the_name_of_an_attribute(backend, tmp_path):
    """The table is named ``t`` and the class has ``self.t``, and its runs are stored once."""
    file = tmp_path / "script.py"
    file.write_text(AGAIN)
    subprocess.run([sys.executable, file, backend], check=True, cwd=tmp_path)
    assert len([*tmp_path.rglob("*.npz")]) == 1

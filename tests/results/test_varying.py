"""The columns that tell settings apart which a table would show alike."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpbandits.results.tables import true_hypothesis, unjudged
from dpbandits.results.varying import disambiguate, varying

RECORD = {
    "parameters": {"eps": 1, "alpha": 3.1}, "env_spec": {"law": "x", "means": [0.9, 0.8]},
    "population": None, "seed": 0, "checkpoints": 100, "shuffle_arms": False, "version": "a",
}  # fmt: skip


def of(**changes):
    return RECORD | changes


def test_what_differs_among_those_that_look_alike_becomes_a_column():
    """Mutations that it catches: columns for what differs between settings that look different;
    budgets, which have columns already.
    """
    one, other = {"algo": "a", "eps": 1}, {"algo": "b", "eps": 1}
    changed = of(parameters={"eps": 2, "alpha": 1}, seed=1)
    assert disambiguate([one, other], [RECORD, changed]) == [{}, {}]
    found = disambiguate([one, one], [RECORD, changed])
    assert found == [{"alpha": 3.1, "seed": 0}, {"alpha": 1, "seed": 1}]
    means = of(env_spec={"law": "x", "means": [0.5, 0.1]})
    found = disambiguate([one, one, other], [RECORD, means, of(parameters={"eps": 1})])
    assert [x["env.means"] for x in found] == ["[0.9,0.8]", "[0.5,0.1]", "[0.9,0.8]"]
    seen = one | {"alpha": 3.1}
    assert disambiguate([seen, seen | {"alpha": 1}], [RECORD, changed]) == [{}, {}]


def test_environments_of_one_name_differ_whatever_is_played_on_them():
    """Mutations that it catches: only those of one algorithm are compared; so are parameters."""
    shown = [{"algo": "a", "env": "x", "eps": 1}, {"algo": "b", "env": "x"}]
    other = of(env_spec={"law": "x", "means": [0.5, 0.1]}, parameters={"alpha": 2}, seed=3)
    found = disambiguate(shown, [RECORD, other])
    assert found == [{"env.means": "[0.9,0.8]"}, {"env.means": "[0.5,0.1]"}]
    assert disambiguate([shown[0], {"algo": "b", "env": "y"}], [RECORD, other]) == [{}, {}]


def test_what_one_shows_of_its_game_all_show():
    """Mutation that it catches: a blank means a value that another table does not name."""
    shown = [{"algo": "a", "env": "x"}, {"algo": "b", "env": "x", "env.means": "[0.9,0.8]"}]
    found = disambiguate(shown, [RECORD, of(parameters={"alpha": 1})])
    assert found == [{"env.means": "[0.9,0.8]"}] * 2


def test_a_whole_number_looks_like_itself():
    found = disambiguate([{"eps": 1}, {"eps": 1.0}], [RECORD, of(seed=1)])
    assert found == [{"seed": 0}, {"seed": 1}]


def test_several_versions_of_an_algorithm_are_always_shown():
    """Mutations that it catches: the version is shown only if nothing else differs; versions of
    different algorithms are compared.
    """
    versions = [{"version": "a"}, {"version": "b"}]
    for shown in ([{"algo": "a"}] * 2, [{"algo": "a", "m": 20}, {"algo": "a", "m": 30}]):
        assert disambiguate(shown, [RECORD, of(version="b")]) == versions
        assert disambiguate(shown, [RECORD, RECORD]) == [{}, {}]
    assert disambiguate([{"algo": "a"}, {"algo": "b"}], [RECORD, of(version="b")]) == [{}, {}]
    found = disambiguate([{"algo": "a"}] * 2, [RECORD, of(version="b", checkpoints=5)])
    assert found == [{"checkpoints": 100, "version": "a"}, {"checkpoints": 5, "version": "b"}]


def test_what_differs_between_groups_alone_does_not_vary_within_them():
    """Control: a column that differs in a group; blanks count if they are asked for."""
    settings = pd.DataFrame({"env": ["a", "a", "b"], "x": [1, 1, 2], "y": [1, 2, 2]})
    settings["z"] = [1.0, None, None]
    assert varying(settings, ["x", "y", "z"], within=["env"]) == ["y"]
    assert varying(settings, ["x", "y", "z"], within=["env"], blank=True) == ["y", "z"]
    assert varying(settings, ["x", "y", "z"]) == ["x", "y"]


def test_only_a_mean_between_two_hypotheses_is_not_judged():
    means = pd.DataFrame({"true_mean": [0.3, 0.4, 0.5, 0.6, 0.7], "mu0": 0.4, "mu1": 0.6})
    assert unjudged(means).tolist() == [False, False, True, False, False]
    assert not unjudged(means.drop(columns="mu0")).any()


@pytest.mark.parametrize(
    ("mean", "right"),
    [(0.1, [1, 0]), (0.3, [1, 0]), (0.5, [None] * 2), (0.7, [0, 1]), (0.8, [0, 1])],
)
def test_a_mean_at_the_edge_of_a_hypothesis_belongs_to_it(mean, right):
    goal = (("mu0", 0.3), ("mu1", 0.7))
    runs = SimpleNamespace(
        setting=SimpleNamespace(goal=goal), true_mean=mean, answers=np.array([0.0, 1.0])
    )
    found = true_hypothesis(runs).astype(float)
    assert [None if np.isnan(x) else int(x) for x in found] == right

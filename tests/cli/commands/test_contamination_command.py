"""Contaminated environments on the command line: the inlier and its parameters."""

import pytest

from dpbandits.cli.words import read_request


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("env=contaminated env.inlier=student_far", "means", [20, 19, 18, 17, 16]),
        ("env=contaminated env.inlier=pareto env.inlier.shape=4", "shape", 4),
        ("env=wu_raw env.inlier=twopoint_heavy env.inlier.v=.5", "v", 0.5),
    ],
)
def test_an_inlier_is_chosen_by_its_name_and_its_parameters_can_be_set(line, key, value):
    words = ["algo=prae_r", "assume=true", *line.split(), "env.alpha=.1", "env.outlier=100"]
    [found] = read_request(words, ()).settings
    spec = found.record["env_spec"]
    assert spec["inlier"][key] == value and spec["outlier"] == 100
    assert found.env in line and found.instance.contamination == 0.1

"""Configuration files as the Python API reads them."""

import pytest

import dpbandits as dp


def test_a_value_cannot_read_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "0.5")
    (tmp_path / "env").mkdir()
    file = tmp_path / "env" / "mine.yaml"
    file.write_text("# Mine.\nlaw: bernoulli\nmeans: [0.9, '${oc.env:SECRET}']\n")
    with pytest.raises(dp.BadInput, match=r"can refer to another key, such as \$\{eps\}, only"):
        dp.run(algo="ucb", env="mine", config_dir=tmp_path, horizon=10, runs=1, jobs=1)
    file.write_text("# Mine.\nlaw: bernoulli\nmeans: [0.9, '${best}']\nbest: 0.5\n")
    with pytest.raises(dp.BadInput, match="best"):  # it is resolved, and no parameter of the law
        dp.run(algo="ucb", env="mine", config_dir=tmp_path, horizon=10, runs=1, jobs=1)

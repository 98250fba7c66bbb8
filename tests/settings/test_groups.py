"""Configuration files as the Python API reads them."""

from refusals import message_of

import dpbandits as dp


def test_a_value_cannot_read_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "0.5")
    (tmp_path / "env").mkdir()
    file = tmp_path / "env" / "mine.yaml"
    file.write_text("# Mine.\nlaw: bernoulli\nmeans: [0.9, '${oc.env:SECRET}']\n")
    given = {"algo": "ucb", "env": "mine", "config_dir": tmp_path, "horizon": 10, "runs": 1}
    assert "can refer to another key of its file only" in message_of(dp.run, **given)
    file.write_text("# Mine.\nlaw: bernoulli\nmeans: [0.9, '${best}']\nbest: 0.5\n")
    assert "best" in message_of(dp.run, **given)  # it is resolved, and no parameter of the law

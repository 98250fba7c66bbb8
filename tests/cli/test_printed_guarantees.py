"""bandit-run prints what the algorithms that it runs promise."""

import sys

import pytest

from dpbandits.cli import run


def test_a_run_prints_the_promise_before_the_path(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sweep = "sweep={algo:[ucb,dp_se],eps:[.1,1]}"
    for words, promises in (
        (["algo=adap_ucb", "eps=0.5"], ["adap_ucb: 0.5-global DP of all actions"]),
        ([sweep], ["ucb: not private", "dp_se: eps-global DP of all actions"]),
    ):
        monkeypatch.setattr(sys, "argv", ["bandit-run", *words, "horizon=100", "runs=2"])
        with pytest.raises(SystemExit) as stopped:
            run.main()
        assert stopped.value.code == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1].endswith(".csv")
        for line, start in zip(lines[-1 - len(promises) : -1], promises, strict=True):
            assert line.startswith(start)

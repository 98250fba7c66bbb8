"""Requests beyond memory are refused before anything is played, large ones announced."""

from refusals import message_of
from sweeps import requested

import dpbandits as dp
from dpbandits.cli import run
from dpbandits.results import size
from dpbandits.results.size import announce_size, check_size


def test_the_key_raises_the_limit(bandit):
    given = "algo=dp_se horizon=100 runs=5 checkpoints=1"  # ten rows
    assert len(bandit(run, f"{given} max_rows=10")) > 0
    request = requested(algo="dp_se", runs=1000, checkpoints=100_000, max_rows=1e8)
    check_size(request)
    assert "max_rows=9: the table would have 10 rows" in message_of(
        dp.run, algo="dp_se", horizon=100, runs=5, checkpoints=1, max_rows=9
    )


def test_a_large_request_is_announced(capsys, monkeypatch):
    request = requested(algo="dp_se", runs=500, checkpoints=100_000)
    announce_size(request)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("a large table: 3.9e+07 rows, about 2.2 GB as CSV")
    monkeypatch.setattr(size, "MANY", 1e8)
    announce_size(request)
    assert capsys.readouterr().err == ""  # control

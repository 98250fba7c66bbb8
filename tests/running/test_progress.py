"""The progress bar."""

import sys

from dpbandits.running.progress import progress_bar


def test_without_an_error_stream_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar(2) as bar:
        bar.update(1)
    assert bar.disable

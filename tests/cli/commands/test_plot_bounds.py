"""bandit-plot with bounds=true: where the figure is written, and what is refused."""

import json
import sys
from pathlib import Path

import pytest
from PIL import Image
from sweeps import report, requested

from dpbandits.cli import plot


@pytest.fixture
def bandit_plot(tmp_path, monkeypatch, capsys):
    """A function that runs the command in the test's folder: its exit code and what it prints."""
    monkeypatch.chdir(tmp_path)

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["bandit-plot", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            plot.main()
        return stopped.value.code, *capsys.readouterr()

    return command


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("bounds=maybe a.csv", ["bounds=maybe:", "true or false"]),
        ("bounds=true", ["experiment=NAME", "--help"]),
        ("a.csv bounds=true", ["bounds=true:", "a.json", "manifest"]),
        ("b.csv bounds=true", ["bounds=true:", "b.csv", "another table"]),
        ("experiment=wu2023_raw bounds=true", ["wu2023_raw takes no bounds", "wu2023_raw.csv"]),
    ],
)
def test_bad_requests_end_with_one_line(bandit_plot, line, parts):
    file = report(requested(Path("results"), algo="adap_ucb", horizon=100, runs=1, jobs=1))
    for copy in ("a.csv", "b.csv", "results/wu2023_raw.csv"):
        Path(copy).write_bytes(file.read_bytes())
    manifest = json.loads(file.with_suffix(".json").read_text())
    manifest["settings"][0]["horizon"] = 200
    Path("b.json").write_text(json.dumps(manifest))
    before = sorted(Path().rglob("*"))
    code, out, err = bandit_plot(*line.split())
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1 and all(part in err for part in parts)
    assert sorted(Path().rglob("*")) == before


@pytest.mark.slow
def test_the_figure_with_bounds_is_written_beside_the_other(bandit_plot):
    file = report(requested(Path("results"), algo="adap_ucb", eps=0.5, horizon=1000, runs=2))
    pictures = []
    for words, suffix in (([], ""), (["bounds=true"], "_bounds")):
        code, out, _ = bandit_plot(file, *words)
        stem = file.with_name(f"{file.stem}{suffix}")
        assert code == 0 and out.splitlines() == [f"{stem}.pdf", f"{stem}.png"]
        assert Path(f"{stem}.pdf").is_file()
        pictures.append(Image.open(f"{stem}.png"))
    plain, drawn = pictures
    assert drawn.height > plain.height and drawn.width == plain.width

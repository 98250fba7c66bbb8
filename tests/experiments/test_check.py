"""The comparison of committed pages with pages that are made anew, by ``make results-check``."""

from pathlib import Path

import check
import pytest
from commands import captured

from dpbandits.files import package_folder

TOP = package_folder("conf").parent


def test_every_committed_page_is_compared_or_measured():
    pages = captured("git", "ls-files", "results/*.md", cwd=TOP).stdout.split()
    stems = {Path(page).stem for page in pages}  # other files may stand there, too
    compared = {page.partition("/")[2].partition(".")[0] for page in check.committed()}
    assert stems - compared == check.MEASURED


def edited(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_one_digit_that_differs_is_found(monkeypatch, tmp_path, capsys):
    """The control of ``make results-check``; a page that was not made is found, too."""
    for suffix in ("md", "tex", "summary.csv"):  # what is staged, whatever stands in the folder
        page = f"azize2022_fig8.{suffix}"
        (tmp_path / page).write_text(captured("git", "show", f":results/{page}", cwd=TOP).stdout)
    monkeypatch.setattr(check, "PRINTED", {})
    assert check.main(tmp_path, ["azize2022_fig8"]) == 0
    page = tmp_path / "azize2022_fig8.md"
    mean = page.read_text().splitlines()[2].split("|")[-4]
    edited(page, mean, mean.replace(mean.strip()[-1], str((int(mean.strip()[-1]) + 1) % 10)))
    assert check.main(tmp_path, ["azize2022_fig8"]) == 1
    told = capsys.readouterr().out
    assert "results/azize2022_fig8.md, line 3\n" in told and mean in told
    edited(page, mean.replace(mean.strip()[-1], str((int(mean.strip()[-1]) + 1) % 10)), mean)
    summary = tmp_path / "azize2022_fig8.summary.csv"
    edited(summary, ",200,", ",201,")
    assert check.main(tmp_path, ["azize2022_fig8"]) == 1
    assert "results/azize2022_fig8.summary.csv, line 2\n" in capsys.readouterr().out
    page.unlink()
    with pytest.raises(FileNotFoundError):
        check.main(tmp_path, ["azize2022_fig8"])

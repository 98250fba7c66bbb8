"""The last line of committed pages: which are out of date, and what makes a page out of date."""

import json
import shutil
import sys
from dataclasses import replace

import check
import pytest
from commands import captured
from sweeps import requested

from dpbandits.contracts.versions import LIBRARIES
from dpbandits.files import package_folder
from dpbandits.results import manifest
from dpbandits.results.sources import of_summary, signature, signed, sources_of, unsigned

TOP = package_folder("conf").parent


def test_a_committed_page_is_up_to_date_or_says_that_it_is_not():
    """If this fails, make these pages anew: ``make figures map claims audit``, or one of them."""
    pages = check.committed()
    assert len(pages) > 80
    found = check.outdated(pages)
    marked = {page for page in pages if check.OUT_OF_DATE in (TOP / page).read_text()}
    wrong = [f"{page}: {found.get(page, 'it is up to date')}" for page in found.keys() ^ marked]
    assert not wrong, "\n".join(wrong)


def test_a_page_that_is_out_of_date_is_marked_once(tmp_path, monkeypatch):
    texts = {"old.md": signed("| a |\n", ["a"]), "old.tex": signed("a\n", ["a"], ".tex"),
             "new.md": signed("| b |\n", ["b"])}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(check, "committed", lambda top: list(texts))
    monkeypatch.setattr(check, "hash_now", lambda stem: sources_of(["b"]))
    for _ in range(2):
        check.mark(tmp_path)
    for name, text in texts.items():
        found = (tmp_path / name).read_text()
        assert found.count(check.OUT_OF_DATE) == (name != "new.md")
        assert signature(found) == signature(text) and unsigned(found) == unsigned(text)


def test_every_committed_page_is_signed_or_measured():
    stems = {file.stem for file in (TOP / "results").glob("*.md")}
    assert set(check.MEASURED) <= stems
    assert not set(check.MEASURED) & {page.partition(".")[0] for page in check.committed()}


HASHES = """
import check, json
print(json.dumps({p: check.hash_now(check.Path(p).stem) for p in json.loads(check.sys.argv[1])}))
"""


def edited(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.slow
def test_an_edit_makes_the_pages_that_depend_on_it_out_of_date(tmp_path):
    """Also: the folder does not matter, nor do comments in the files of settings."""
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("conf", "experiments", "src/dpbandits"):
        shutil.copytree(TOP / folder, tmp_path / folder, ignore=ignored)
    pages = [page for page in check.committed() if page.endswith(".md")]
    before = {page: check.hash_now(check.Path(page).stem) for page in pages}

    edited(tmp_path / "conf/experiment/hu2022.yaml", "\n", "\n# a comment\n")
    with (tmp_path / "src/dpbandits/algorithms/gdp_ncb.py").open("a") as source:
        source.write("EDITED = 1\n")
    edited(tmp_path / "conf/experiment/tao2022_local.yaml", "runs: 20", "runs: 21")

    path = {"PYTHONPATH": f"{tmp_path / 'src'}:.", "HOME": str(tmp_path)}
    script = [sys.executable, "-c", HASHES, json.dumps(pages)]
    done = captured(*script, cwd=tmp_path / "experiments", env=path)
    assert done.returncode == 0, done.stderr
    now = json.loads(done.stdout)
    of_the_algorithm = {"sarkar2025", "claims", "audit", "exact", "privacy"}
    changed = {check.Path(page).stem for page in pages if now[page] != before[page]}
    assert changed == {*of_the_algorithm, "tao2022_local"}


def test_the_hash_depends_on_settings_runs_and_algorithms_but_not_on_libraries():
    request = requested(None, algo="adap_ucb", horizon=100, runs=2)
    (setting,) = request.settings
    first = sources_of(of_summary([setting], 2))
    for other, runs in [
        (replace(setting, horizon=101), 2),
        (replace(setting, version=f"0123456789ab, {LIBRARIES}"), 2),
        (setting, 3),
    ]:
        assert sources_of(of_summary([other], runs)) != first
    plain = replace(setting, version=setting.version.removesuffix(f", {LIBRARIES}"))
    assert plain != setting and sources_of(of_summary([plain], 2)) == first


@pytest.mark.parametrize(("suffix", "text"), [(".md", "| a |\n"), (".tex", "\\end{tabular}\n")])
def test_a_page_with_its_line(monkeypatch, suffix, text):
    page = signed(text, ["a"], suffix)
    assert unsigned(page) == text and unsigned(text) == text
    assert signature(page) == sources_of(["a"]) and signature(text) is None
    monkeypatch.setattr(manifest, "version", lambda name: "9.9.9")
    other = signed(text, ["a"], suffix)
    assert "numpy 9.9.9" in other and check.difference(page, other) is None
    assert "line" in check.difference(page, signed(text, ["b"], suffix))


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
    edited(summary, ",20,", ",21,")
    assert check.main(tmp_path, ["azize2022_fig8"]) == 1
    assert "results/azize2022_fig8.summary.csv, line 2\n" in capsys.readouterr().out
    page.unlink()
    with pytest.raises(FileNotFoundError):
        check.main(tmp_path, ["azize2022_fig8"])

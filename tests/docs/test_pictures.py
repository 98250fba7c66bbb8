"""The pictures of docs/paper_figures.md: their size, their fonts and their texts."""

import html
import inspect
import json
import re

import pytest
from builder import pictures

import dpbandits as dp
from dpbandits.figures.options import FONTS, WIDTHS
from dpbandits.files import package_folder

FOLDER = package_folder("conf").parent / "docs" / "_static" / "paper"
NAMES = pictures.pictures()


def seen(picture):
    """The size in inches, the fonts and the texts of an SVG."""
    size = re.search(r'<svg [^>]*width="([\d.]+)pt" height="([\d.]+)pt"', picture)
    width, height = size.groups()
    texts = [html.unescape(x) for x in re.findall(r"<!-- (.*?) -->", picture)]
    fonts = set(re.findall(r'<path id="(\w+)-[\da-f]+"', picture))
    return (round(float(width) / 72, 2), round(float(height) / 72, 2)), fonts, texts


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_picture_shows_its_options(name):
    given = dict(word.split("=", 1) for word in NAMES[name])
    picture = (FOLDER / f"{name}.svg").read_text()
    (width, height), fonts, texts = seen(picture)
    words, _, high = given.get("figsize", "").partition(",")
    words, high = given.get("width", words), given.get("height", high)
    assert width == (WIDTHS[words] if words in WIDTHS else float(words))
    assert not high or height == float(high)
    assert any("cmr10" in font.lower() for font in fonts) == (given.get("font") == "latex"), fonts
    assert any("Lines show the mean" in x for x in texts) == ("note" not in given)
    assert ("Ours" in texts) == ("labels" in given)
    assert ("DP-UCB" in texts) == ("only" not in given)
    assert any("4 algorithms on C2" in x or "2 algorithms" in x for x in texts) == (
        "title" not in given
    )
    made = json.loads(html.unescape(re.search(r"<dc:description>(.*?)</", picture)[1]))
    assert all(word.split("=")[0] in made["command"] for word in NAMES[name])


def test_the_page_shows_a_picture_of_each_option():
    shown = {word.partition("=")[0] for words in NAMES.values() for word in words}
    options = set(pictures.KEYS)
    assert shown >= options and len(NAMES) == len(list(FOLDER.glob("*.svg")))
    assert options <= set(inspect.signature(dp.plot).parameters)
    assert set(FONTS) == {
        "sans",
        "serif",
        "latex",
    }


@pytest.mark.slow
def test_the_pictures_are_those_that_the_script_makes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pictures.make(tmp_path / "made")
    for name in NAMES:
        committed, made = ((x / f"{name}.svg").read_text() for x in (FOLDER, tmp_path / "made"))
        assert seen(made) == seen(committed), name

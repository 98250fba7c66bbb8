"""The gallery shows every figure, each with a sentence."""

import re

from helpers import CONF

import dpbandits as dp

PAGE = (CONF.parent / "docs" / "gallery.md").read_text()


def test_the_gallery_shows_every_figure():
    shown = re.findall(r"^## (\w+)\n\n((?:.+\n)+)\n!\[(\w+)\]\((\S+)\)$", PAGE, flags=re.M)
    assert [name for name, *_ in shown] == sorted(dp.experiments().index)
    for name, sentence, label, path in shown:
        assert label == name and path == f"../results/figures/{name}.png"
        assert sentence.endswith((".\n", ").\n")) and len(sentence) > 10

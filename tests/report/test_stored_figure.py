"""A summary without its table has its stored figure on the page; budgets have a map each."""

import base64
import io
import shutil

import numpy as np
import pytest

from dpbandits.files import PACKAGE

pytestmark = pytest.mark.extra("altair", "jinja2", "vl_convert")
RESULTS = PACKAGE.parents[1] / "results"


def test_stored_figure_is_on_the_page(tmp_path):
    from PIL import Image

    from dpbandits.report.sources import source_of_summary
    from dpbandits.report.stored_figure import WIDTH, inside_page

    (tmp_path / "figures").mkdir()
    shutil.copy(RESULTS / "azize2022_fig3.md", tmp_path)
    source = source_of_summary("azize2022_fig3", tmp_path / "azize2022_fig3.md")
    assert source.picture is None
    shutil.copy(RESULTS / "figures" / "azize2022_fig3.png", tmp_path / "figures")
    source = source_of_summary("azize2022_fig3", tmp_path / "azize2022_fig3.md")
    kind, _, text = inside_page(source.picture).partition(",")
    assert kind == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(text))).width <= WIDTH
    (tmp_path / "figures" / "azize2022_fig3.png").write_bytes(b"damaged")
    assert inside_page(source.picture) == ""


def test_rho_and_eps_are_on_axes_of_their_own():
    from dpbandits.contracts.question import REGRET
    from dpbandits.report.theorems import map_of, ratios_of
    from dpbandits.settings.compose import request_from

    given = {"env": "bernoulli_c2", "horizon": 1e6}
    records = [
        request_from(REGRET, {**given, "algo": algo, budget: 1.0}, {}).settings[0].record
        for algo, budget in (("adap_ucb", "eps"), ("adac_ucb", "rho"))
    ]
    cells = map_of(ratios_of(np.array([500.0, 500.0]), records))
    assert cells.groupby("game")["budget"].nunique().max() == 1
    assert cells["game"].nunique() == 2


def test_ties_are_in_the_table():
    import pandas as pd

    from dpbandits.report.data import study_of_table
    from dpbandits.report.page import summary_rows

    rows = [
        {"algo": algo, "env": "e", "eps": 1.0, "horizon": 9, "seed": 0, "run": i, "t": 9,
         "regret": mean + i / 100}
        for algo, mean in (("ucb", 20), ("ts", 10)) for i in range(50)
    ]  # fmt: skip
    cells, head = summary_rows(study_of_table(pd.DataFrame(rows)))
    assert [row[head.index("ties")] for row in cells] == ["b", "a"]


@pytest.mark.slow
def test_identifiers_of_a_picture_may_come_from_any_name():
    """A table's name is no pattern, and cannot end an attribute."""
    charts = pytest.importorskip("dpbandits.report.charts")
    spec = {"mark": "line", "encoding": {"x": {"field": "x", "type": "quantitative"}}}
    spec["data"] = {"values": [{"x": 1}, {"x": 2}]}
    for name in (r"$\input{x}$", '"><script>', r"\g<0>", "plain"):
        svg = charts.picture(spec, {}, {}, f"{name}-")
        assert "<script" not in svg and ('id="plain-' in svg) == (name == "plain" and "id=" in svg)

"""The report in a browser: charts, controls, keyboard, screen readers, and no request."""

import numpy as np
import pytest
from browser import chromium
from report_tables import regrets, stopping_times

import dpbandits as dp
from dpbandits.files import package_folder

pytestmark = [pytest.mark.long, pytest.mark.extra("altair", "vl_convert", "selenium")]
RESULTS = package_folder("conf").parent / "results"
STUDY = "sweep"
DRAWN = "return document.querySelectorAll('.chart[data-drawn]').length"
CURVES = f"return document.querySelector('#{STUDY} [data-kind=curves]')"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a small sweep that was really run, with bounds, and of stopping times."""
    sweep = dp.run(
        algo=["adap_ucb", "dp_se", "ucb"], env=["bernoulli_c1", "bernoulli_c2"], eps=[0.1, 0.5, 1],
        horizon=1e5, runs=10, jobs=1,
    )  # fmt: skip
    lacking = sweep[(sweep["env"] == "bernoulli_c1") | (sweep["eps"] != 0.1)]
    return dp.report(
        {STUDY: sweep, "stops": stopping_times(), "lacking": lacking},
        tmp_path_factory.mktemp("page") / "page.html",
    )


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """The page of the committed results."""
    from dpbandits.report.build import report_of_folder

    file = tmp_path_factory.mktemp("committed") / "page.html"
    file.write_text(report_of_folder(RESULTS))
    return file


def draw_all(browser):
    """Draw every chart; returns how many there are."""
    done = "const done = arguments[0]; report.drawAll().then(() => done(''), e => done(e.stack))"
    assert browser.driver.execute_async_script(done) == ""
    charts = browser.run("return document.querySelectorAll('.chart').length")
    assert browser.run(DRAWN) == charts
    return charts


def choose(browser, selector):
    """Click a control, and wait until the charts of its section show it."""
    browser.run("document.querySelector(arguments[0]).click()", selector)
    draw_all(browser)


@pytest.mark.parametrize(("width", "dark"), [(400, True), (900, False), (1400, True)])
def test_every_chart_renders_and_nothing_is_requested(browser, committed, width, dark):
    browser.open(committed, width, dark)
    assert draw_all(browser) > 25
    empty = (
        "return [...document.querySelectorAll('.chart')].filter(c => !c.querySelector("
        "'svg .mark-line path, svg .mark-rect path')).map(c => c.dataset.study)"
    )
    assert browser.run(empty) == []
    assert browser.errors() == [] and browser.requests() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
def test_no_serious_violation_of_accessibility(browser, committed, page, dark):
    browser.open(page if dark else committed, 1000, dark)
    draw_all(browser)
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.violations() == {}


def test_the_checks_of_the_browser_find_faults(browser, tmp_path):
    """Control: an error, a request and an image without a name are seen."""
    file = tmp_path / "bad.html"
    file.write_text(
        "<html lang=en><title>x</title><main><h1>x</h1><svg role=img width=9 height=9></svg>"
        "<script>fetch('http://127.0.0.1:9/x').catch(() => 0); nothing()</script></main>"
    )
    browser.open(file)
    browser.run("return new Promise(done => setTimeout(done, 300))")
    assert browser.requests() == ["http://127.0.0.1:9/x"]
    browser.open(file)
    assert any("nothing is not defined" in message for message in browser.errors())
    assert "svg-img-alt" in browser.violations()


def test_buttons_change_what_is_drawn(browser, page):
    browser.open(page, 1400)
    draw_all(browser)
    path = CURVES + ".querySelector('.mark-line path').getAttribute('d')"
    place = f"return document.querySelector('#{STUDY} figcaption .place').textContent"
    bands = CURVES + ".querySelector('.mark-area path').getAttribute('d')"
    axis = CURVES + ".querySelector('.role-axis-label').textContent"
    thin = CURVES + ".querySelectorAll('[stroke-width=\"1.2\"]').length"
    assert browser.run(place) == ": C1, ε = 1"
    seen = [browser.run(path)]
    choose(browser, f"#{STUDY} [name=level][value='0']")
    assert browser.run(place) == ": C1, ε = 0.1"
    seen.append(browser.run(path))
    browser.run(
        f"const s = document.querySelector('#{STUDY} [name=panel]'); s.value = 1;"
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    draw_all(browser)
    assert browser.run(place) == ": C2, ε = 0.1"
    seen.append(browser.run(path))
    assert len(set(seen)) == 3
    one = browser.run(bands)
    choose(browser, f"#{STUDY} [name=band][value=quantiles]")
    two = browser.run(bands)
    choose(browser, f"#{STUDY} [name=band][value=none]")
    assert len({one, two, browser.run(bands)}) == 3
    logarithmic = browser.run(axis)
    choose(browser, f"#{STUDY} [name=log_x]")
    assert browser.run(axis) != logarithmic
    assert browser.run(thin) == 0
    choose(browser, f"#{STUDY} [name=bounds]")
    assert browser.run(thin) > 0
    said = browser.run(f"return document.querySelector('#{STUDY} .bounds').textContent")
    assert "lower bound" in said and "Thm." in said
    assert browser.errors() == []


def test_a_level_that_a_panel_lacks_cannot_be_chosen(browser, page):
    browser.open(page, 1400)
    draw_all(browser)
    place = "return document.querySelector('#lacking figcaption .place').textContent"
    disabled = "return document.querySelectorAll('#lacking [name=level]:disabled').length"
    choose(browser, "#lacking [name=level][value='0']")
    assert browser.run(place) == ": C1, ε = 0.1" and browser.run(disabled) == 0
    for panel, left in ((1, ": C2, ε = 0.5"), (0, ": C1, ε = 0.5")):
        browser.run(
            "const s = document.querySelector('#lacking [name=panel]'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input', {bubbles: true}))",
            panel,
        )
        draw_all(browser)
        assert browser.run(place) == left and browser.run(disabled) == panel
    assert browser.errors() == []


def test_the_legend_hides_and_shows_lines(browser, page):
    browser.open(page, 1400)
    draw_all(browser)
    count = (
        f"return document.querySelectorAll('#{STUDY} [data-kind=curves] .mark-line path').length"
    )
    before = browser.run(count)
    button = f"#{STUDY} .line[data-line='1']"
    choose(browser, button)
    pressed = f"return document.querySelector(\"{button}\").getAttribute('aria-pressed')"
    assert browser.run(pressed) == "false" and browser.run(count) == before - 1
    choose(browser, button)
    assert browser.run(pressed) == "true" and browser.run(count) == before


def test_hovering_shows_numbers(browser, page):
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(page, 1400)
    draw_all(browser)
    (point, *_) = browser.all(f"#{STUDY} [data-kind=ends] .mark-symbol path")
    browser.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", point)
    ActionChains(browser.driver).move_to_element(point).perform()
    text = browser.wait("return document.querySelector('#vg-tooltip-element.visible')?.textContent")
    assert "mean" in text and "95 % from" in text and "AdaP-UCB" in text


def test_tables_are_sorted_by_their_heads(browser, page):
    browser.open(page, 1400)
    rows = f"[...document.querySelectorAll('#{STUDY}-table tbody tr')]"
    column = f"return {rows}.map(r => r.cells[3].textContent)"
    heads = f"document.querySelectorAll('#{STUDY}-table thead th')[3]"

    def numbers():
        return [float(text.replace(",", "")) for text in browser.run(column)]

    unsorted = numbers()
    browser.run(f"{heads}.querySelector('button').click()")
    assert numbers() == sorted(unsorted) != unsorted
    browser.run(f"{heads}.querySelector('button').click()")
    assert numbers() == sorted(unsorted, reverse=True)
    assert browser.run(f"return {heads}.getAttribute('aria-sort')") == "descending"


@pytest.mark.parametrize("kind", ["CSV", "SVG", "PNG"])
def test_downloads(page, kind):
    with chromium() as browser:  # of its own: Chromium asks about a second download of a page
        browser.open(page, 1400)
        draw_all(browser)
        browser.run(f"document.querySelector('#{STUDY} [data-format={kind}]').click()")
        browser.wait("return document.getElementById('said').textContent.endsWith('downloaded')")
        file = browser.downloads / f"{STUDY}-curves.{kind.lower()}"
        for _ in range(100):
            if file.exists() and file.stat().st_size:
                break
            browser.run("return new Promise(done => setTimeout(done, 100))")
        content = file.read_bytes()
        assert browser.errors() == []
    if kind == "CSV":
        head, first = content.decode().splitlines()[:2]
        assert head == "setting,ε,line,t,mean,low,high,q10,median,q90"
        assert first.startswith("C1,0.1,AdaP-UCB,2,")
    elif kind == "SVG":
        text = content.decode()
        assert "AdaP-UCB" in text and "mark-line" in text and "Regret over time" in text
    else:
        assert content.startswith(b"\x89PNG") and len(content) > 10_000


def test_the_command_is_copied(browser, committed):
    browser.open(committed, 1400)
    browser.run("document.querySelector('.copy').click()")
    browser.wait("return document.querySelector('.copy').textContent === 'Copied'")


def test_every_control_is_reached_with_the_keyboard(browser, page):
    from selenium.webdriver.common.keys import Keys

    browser.open(page, 1400)
    draw_all(browser)
    reached = set()
    for _ in range(80):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(
            browser.run(
                "const e = document.activeElement; return e.name || e.dataset.format || e.className"
            )
        )
    controls = {"panel", "level", "band", "log_x", "log_y", "bounds", "line"}
    assert controls | {"CSV", "SVG", "PNG"} <= reached
    browser.run(f"document.querySelector('#{STUDY} [name=level]:checked').focus()")
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
    draw_all(browser)
    place = f"return document.querySelector('#{STUDY} figcaption .place').textContent"
    assert browser.run(place) == ": C1, ε = 0.5"


def test_without_javascript_there_are_static_figures(browser, committed):
    browser.open(committed, 1000, javascript=False)
    try:
        charts = "[...document.querySelectorAll('.chart')]"
        shown = f"return {charts}.every(c => c.querySelector('svg').clientWidth > 200)"
        assert browser.run(shown)
        assert browser.run(DRAWN) == 0
        hidden = "return [...document.querySelectorAll('.js')].every(e => e.offsetParent === null)"
        assert browser.run(hidden)
        assert browser.run("return document.querySelectorAll('tbody tr').length") > 1000
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


def test_printed_charts_are_static(browser, page):
    browser.open(page, 800, forced_print=True)
    pictures = "[...document.querySelectorAll('.chart svg')]"
    visible = f"return {pictures}.filter(s => s.clientWidth > 100).length"
    assert browser.run(visible) == browser.run("return document.querySelectorAll('.chart').length")
    assert (
        browser.run("return getComputedStyle(document.querySelector('.controls')).display")
        == "none"
    )
    pdf = browser.command("Page.printToPDF")["data"]
    assert len(pdf) > 20_000


def test_many_settings_open_within_seconds(browser, tmp_path):
    table = regrets(eps=np.geomspace(0.01, 10, 10), envs=("one_better",), runs=2, times=6,
                    **{"env.gap": np.linspace(0.01, 0.5, 1000)})  # fmt: skip
    browser.open(dp.report(table, tmp_path / "page.html"), 1400)
    draw_all(browser)
    elapsed = "return performance.timing.domComplete - performance.timing.navigationStart"
    assert browser.run(elapsed) < 5000 and browser.errors() == []

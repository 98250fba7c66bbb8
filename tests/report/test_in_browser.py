"""The report in a browser: charts, controls, keyboard, screen readers, and no request."""

import numpy as np
import pytest
from browser import chromium
from report_tables import regrets, stopping_times

import dpbandits as dp
from dpbandits.files import package_folder

pytestmark = [pytest.mark.long, pytest.mark.extra("jinja2", "vl_convert", "selenium")]
RESULTS = package_folder("conf").parent / "results"
STUDY = "sweep"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a small sweep that was really run, with bounds, and of stopping times."""
    sweep = dp.run(
        algo=["adap_ucb", "dp_se", "ucb"], env=["bernoulli_c1", "bernoulli_c2"], eps=[0.1, 0.5, 1],
        horizon=1e5, runs=10, jobs=1,
    )  # fmt: skip
    return dp.report(
        {STUDY: sweep, "stops": stopping_times()}, tmp_path_factory.mktemp("page") / "page.html"
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
    done = "const done = arguments[0]; drawn.then(() => done(''), (e) => done(String(e)))"
    assert browser.driver.execute_async_script(done) == ""
    charts = len(browser.all(".chart"))
    assert len(browser.all(".chart svg.marks")) == charts
    return charts


@pytest.fixture
def opened(browser, page):
    """The browser with the page of the sweep, all charts of which are drawn."""
    browser.open(page, 1400)
    draw_all(browser)
    return browser


def texts(browser, study=STUDY):
    """The words in the charts of a study."""
    return browser.run(
        f"return [...document.querySelectorAll('#{study} svg.marks text')].map(x => x.textContent)"
    )


def paths(browser, mark, study=STUDY):
    """What is drawn of a kind of mark in the charts of a study."""
    found = f"document.querySelectorAll('#{study} svg.marks .{mark} path')"
    return browser.run(f"return [...{found}].map(x => x.getAttribute('d')).filter(Boolean)")


def choose(browser, name, value, study=STUDY):
    """Choose a value of a parameter, by its label."""
    browser.run(
        """const form = document.querySelector(`#${arguments[0]} .controls`);
        const control = form.elements[arguments[1]];
        if (control.type === "checkbox") control.click();
        else { control.value = arguments[2]; control.dispatchEvent(new Event("change")); }
        return new Promise((done) => setTimeout(done, 500));""",
        *(study, name, value),
    )


@pytest.mark.parametrize(("width", "dark"), [(400, True), (900, False), (1400, True)])
def test_every_chart_renders_and_nothing_is_requested(browser, committed, width, dark):
    browser.open(committed, width, dark)
    assert draw_all(browser) > 25
    empty = (
        "return [...document.querySelectorAll('.chart')].filter(c => !c.querySelector("
        "'svg .mark-line path, svg .mark-rect path')).map(c => c.dataset.chart)"
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


def test_controls_change_what_is_drawn(opened):
    """The control is what is drawn before."""
    for name, value, mark in (
        ("place", "C2 | eps = 0.1", "mark-line"),
        ("place", "C2 | eps = 0.5", "mark-area"),
        ("bounds", "", "mark-line"),
    ):
        before = paths(opened, mark)
        choose(opened, name, value)
        assert paths(opened, mark) != before
    assert opened.errors() == []


def test_a_line_is_chosen_in_the_legend(opened):
    before = len(paths(opened, "mark-area"))
    labels = f"document.querySelectorAll('#{STUDY} .role-legend-label text')"
    label = f"[...{labels}].find((x) => x.textContent === 'DP-SE')"
    event = "new MouseEvent('click', {bubbles: true})"
    opened.run(f"{label}.dispatchEvent({event}); return new Promise((d) => setTimeout(d, 500))")
    assert before == 6 and len(paths(opened, "mark-area")) == 2  # of three lines, in two charts


def test_the_legend_names_the_lines_that_are_drawn(browser, committed):
    """Of 27 algorithms on the map, each setting has a few."""
    browser.open(committed, 1400)
    draw_all(browser)
    settings = browser.run(
        "return [...document.querySelector('#map .controls').elements.place.options]"
        ".map(x => x.value)"
    )
    few = set()
    for setting in settings[::5]:
        choose(browser, "place", setting, "map")
        labels = browser.all("#map .role-legend-label text")
        drawn = len(paths(browser, "mark-line.role-mark", "map"))
        assert len(labels) == drawn, setting
        few.add(drawn)
    assert len(few) > 1 and max(few) < 15


def test_names_of_lines_and_labels_of_axes(opened):
    found = texts(opened)
    assert {"AdaP-UCB", "DP-SE", "UCB", "Over time", "At the end"} <= set(found)
    assert {"0.1", "0.5", "1", "10k"} <= set(found)


def test_hovering_shows_numbers(opened):
    from selenium.webdriver.common.action_chains import ActionChains

    (*_, point) = opened.all(f"#{STUDY} .mark-symbol.role-mark path")
    opened.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", point)
    ActionChains(opened.driver).move_to_element(point).perform()
    text = opened.wait("return document.querySelector('#vg-tooltip-element.visible')?.textContent")
    assert "95 %" in text and "UCB" in text


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_charts_can_be_saved(page, kind):
    with chromium() as browser:  # of its own: Chromium asks about a second download of a page
        browser.open(page, 1400)
        draw_all(browser)
        links = f"document.querySelectorAll('#{STUDY} .vega-actions a')"
        link = f"[...{links}].find((x) => x.textContent.includes('{kind.upper()}'))"
        browser.run(f"{link}.dispatchEvent(new MouseEvent('mousedown'))")
        browser.wait(f"return {link}.getAttribute('href') !== null && {link}.href !== '#'")
        browser.run("return new Promise((done) => setTimeout(done, 1000))")
        browser.run(f"{link}.click()")
        file = browser.downloads / f"{STUDY}.{kind}"
        for _ in range(100):
            if file.exists() and file.stat().st_size:
                break
            browser.run("return new Promise(done => setTimeout(done, 100))")
        content = file.read_bytes()
    assert b"AdaP-UCB" in content if kind == "svg" else content.startswith(b"\x89PNG")


def test_tables_are_sorted_by_their_heads(browser, page):
    browser.open(page, 1400)
    rows = f"[...document.querySelector('#{STUDY} tbody').rows]"
    column = f"return {rows}.map(r => r.cells[4].textContent)"
    heads = f"document.querySelectorAll('#{STUDY} table thead th')[4]"

    def numbers():
        return [float(text.replace(",", "")) for text in browser.run(column)]

    unsorted = numbers()
    browser.run(f"{heads}.querySelector('button').click()")
    assert numbers() == sorted(unsorted) != unsorted
    browser.run(f"{heads}.querySelector('button').click()")
    assert numbers() == sorted(unsorted, reverse=True)
    assert browser.run(f"return {heads}.getAttribute('aria-sort')") == "descending"


def test_the_command_is_copied(browser, committed):
    browser.open(committed, 1400)
    browser.run("document.querySelector('.copy').click()")
    browser.wait("return document.querySelector('.copy').textContent === 'Copied'")


def test_controls_and_tables_are_reached_with_the_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    opened.run("document.activeElement.blur()")
    reached = set()
    name = "const x = document.activeElement; return x.name || x.className || x.tagName"
    for _ in range(60):
        opened.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(opened.run(name))
    assert {"place", "bounds", "wide", "SUMMARY"} <= reached


def test_without_javascript_the_numbers_are_there(browser, committed):
    browser.open(committed, 1000, javascript=False)
    try:
        hidden = "return [...document.querySelectorAll('.js')].every(e => e.offsetParent === null)"
        assert browser.run(hidden) and browser.all(".chart svg.marks") == []
        assert browser.run("return document.querySelectorAll('tbody tr').length") > 1000
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


def test_charts_are_printed_without_controls(browser, page):
    browser.open(page, 800, forced_print=True)
    draw_all(browser)
    controls = "return getComputedStyle(document.querySelector('.controls')).display"
    assert browser.run(controls) == "none"
    assert len(browser.command("Page.printToPDF")["data"]) > 20_000


def test_tables_of_a_wide_window_have_no_cut_column(browser, committed):
    """The control is a narrow window."""
    cut = (
        "return [...document.querySelectorAll('.wide')].filter(x => x.scrollWidth > x.clientWidth)"
    )
    for width, some in ((1280, False), (400, True)):
        browser.open(committed, width)
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        assert bool(browser.run(cut)) == some


def test_twenty_thousand_settings_are_aggregated_and_open_within_seconds(browser, tmp_path):
    more = {"env.gap": np.linspace(0.01, 0.5, 1000)}
    table = regrets(eps=np.geomspace(0.01, 10, 10), envs=("one_better",), runs=2, times=6, **more)
    assert len(table.groupby(["algo", "eps", "env.gap"])) == 20_000
    page = dp.report(dp.load(dp.save(table, tmp_path / "sweep.csv")), tmp_path / "page.html")
    assert page.stat().st_size < 1.5e6  # and the limit is five
    text = page.read_text()
    assert "20,000 settings are too many to be shown one by one" in text
    assert "20 rows of numbers" in text
    browser.open(page, 1400)
    draw_all(browser)
    elapsed = "return performance.timing.domComplete - performance.timing.navigationStart"
    assert browser.run(elapsed) < 5000 and browser.errors() == []

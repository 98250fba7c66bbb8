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


@pytest.fixture
def opened(browser, page):
    """The browser with the page of the sweep, all charts of which are drawn."""
    browser.open(page, 1400)
    draw_all(browser)
    return browser


def choose(browser, selector):
    """Click a control, and wait until the charts of its section show it."""
    browser.run("document.querySelector(arguments[0]).click()", selector)
    draw_all(browser)


def choose_panel(browser, study, panel):
    """The same for the list of panels."""
    browser.run(
        "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event('input', {bubbles: true}))",
        f"#{study} [name=panel]",
        panel,
    )
    draw_all(browser)


def place(browser, study):
    """What the caption of a section says is shown."""
    return browser.run(f"return document.querySelector('#{study} figcaption .place').textContent")


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


def test_buttons_change_what_is_drawn(opened):
    path = CURVES + ".querySelector('.mark-line path').getAttribute('d')"
    bands = CURVES + ".querySelector('.mark-area path').getAttribute('d')"
    axis = CURVES + ".querySelector('.role-axis-label').textContent"
    thin = CURVES + ".querySelectorAll('[stroke-width=\"1.2\"]').length"
    assert place(opened, STUDY) == ": C1, ε = 1"
    seen = [opened.run(path)]
    choose(opened, f"#{STUDY} [name=level][value='0']")
    assert place(opened, STUDY) == ": C1, ε = 0.1"
    seen.append(opened.run(path))
    choose_panel(opened, STUDY, 1)
    assert place(opened, STUDY) == ": C2, ε = 0.1"
    seen.append(opened.run(path))
    assert len(set(seen)) == 3
    one = opened.run(bands)
    choose(opened, f"#{STUDY} [name=band][value=quantiles]")
    two = opened.run(bands)
    choose(opened, f"#{STUDY} [name=band][value=none]")
    assert len({one, two, opened.run(bands)}) == 3
    logarithmic = opened.run(axis)
    choose(opened, f"#{STUDY} [name=log_x]")
    assert opened.run(axis) != logarithmic
    assert opened.run(thin) == 0
    choose(opened, f"#{STUDY} [name=bounds]")
    assert opened.run(thin) > 0
    said = opened.run(f"return document.querySelector('#{STUDY} .bounds').textContent")
    assert "lower bound" in said and "Thm." in said
    assert opened.errors() == []


def test_a_level_that_a_panel_lacks_cannot_be_chosen(opened):
    disabled = "return document.querySelectorAll('#lacking [name=level]:disabled').length"
    choose(opened, "#lacking [name=level][value='0']")
    assert place(opened, "lacking") == ": C1, ε = 0.1" and opened.run(disabled) == 0
    for panel, left in ((1, ": C2, ε = 0.5"), (0, ": C1, ε = 0.5")):
        choose_panel(opened, "lacking", panel)
        assert place(opened, "lacking") == left and opened.run(disabled) == panel
    assert opened.errors() == []


def test_the_legend_hides_and_shows_lines(opened):
    lines = f"document.querySelectorAll('#{STUDY} [data-kind=curves] .mark-line path')"
    button = f"#{STUDY} .line[data-line='1']"
    pressed = f"document.querySelector(\"{button}\").getAttribute('aria-pressed')"
    state = f"return [{lines}.length, {pressed}]"
    before, _ = opened.run(state)
    choose(opened, button)
    assert opened.run(state) == [before - 1, "false"]
    choose(opened, button)
    assert opened.run(state) == [before, "true"]


def test_hovering_shows_numbers(opened):
    from selenium.webdriver.common.action_chains import ActionChains

    (point, *_) = opened.all(f"#{STUDY} [data-kind=ends] .mark-symbol path")
    opened.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", point)
    ActionChains(opened.driver).move_to_element(point).perform()
    text = opened.wait("return document.querySelector('#vg-tooltip-element.visible')?.textContent")
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
        assert first.startswith("C1,0.1,AdaP-UCB,1,")
    elif kind == "SVG":
        text = content.decode()
        assert "AdaP-UCB" in text and "mark-line" in text and "Regret over time" in text
    else:
        assert content.startswith(b"\x89PNG") and len(content) > 10_000


def test_the_command_is_copied(browser, committed):
    browser.open(committed, 1400)
    browser.run("document.querySelector('.copy').click()")
    browser.wait("return document.querySelector('.copy').textContent === 'Copied'")


def test_every_control_is_reached_with_the_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    name = "const e = document.activeElement; return e.name || e.dataset.format || e.className"
    reached = set()
    for _ in range(80):
        opened.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(opened.run(name))
    controls = {"panel", "level", "band", "log_x", "log_y", "bounds", "line"}
    assert controls | {"CSV", "SVG", "PNG"} <= reached
    opened.run(f"document.querySelector('#{STUDY} [name=level]:checked').focus()")
    opened.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
    draw_all(opened)
    assert place(opened, STUDY) == ": C1, ε = 0.5"


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
    controls = "return getComputedStyle(document.querySelector('.controls')).display"
    assert browser.run(controls) == "none"
    pdf = browser.command("Page.printToPDF")["data"]
    assert len(pdf) > 20_000


def test_twenty_thousand_settings_are_aggregated_and_open_within_seconds(browser, tmp_path):
    more = {"env.gap": np.linspace(0.01, 0.5, 1000)}
    table = regrets(eps=np.geomspace(0.01, 10, 10), envs=("one_better",), runs=2, times=6, **more)
    assert len(table.groupby(["algo", "eps", "env.gap"])) == 20_000
    page = dp.report(dp.load(dp.save(table, tmp_path / "sweep.csv")), tmp_path / "page.html")
    assert page.stat().st_size < 1.5e6  # and the limit is five
    text = page.read_text()
    assert "20,000 settings are too many to be shown one by one: they are aggregated" in text
    assert "20 rows of numbers" in text
    browser.open(page, 1400)
    draw_all(browser)
    elapsed = "return performance.timing.domComplete - performance.timing.navigationStart"
    assert browser.run(elapsed) < 5000 and browser.errors() == []

"""The built site: no warning, every internal link leads to a page and an anchor, the search works.

Links to other hosts are not followed.
"""

import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlparse

import pytest
from builder.documents import TOP
from filelock import FileLock

import dpbandits as dp

pytestmark = [pytest.mark.long, pytest.mark.extra("furo")]  # one build for all of them


def sphinx(folder, output, *options):
    """Build the site of a folder, as ``make docs`` does."""
    words = ["-m", "sphinx", "-W", "--keep-going", "-n", "-q", *options, "-c", "docs"]
    words += ["-d", output.with_name("doctrees"), ".", output]
    return subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """A folder with the committed files and their site; the first worker that needs it makes it."""
    temporary = tmp_path_factory.getbasetemp()
    folder = (temporary if worker_id == "master" else temporary.parent) / "site"
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "made").exists():
            listed = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True)
            for name in listed.stdout.splitlines():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(TOP / name, folder / name)
            done = sphinx(folder, folder / "docs" / "_build" / "html")
            assert done.returncode == 0, done.stderr
            (folder / "made").touch()
    return folder


@pytest.fixture(scope="module")
def built(site):
    """The folder of the site's pages."""
    return site / "docs" / "_build" / "html"


class Page(HTMLParser):
    """The anchors of a page, and what it links to or loads."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.targets = set(), set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        self.targets |= {given[key] for key in ("href", "src") if given.get(key)}


def broken(folder):
    """The internal links of all pages that lead nowhere, each with its page."""
    pages = {file: Page(file) for file in folder.rglob("*.html")}
    found = []
    for file, page in pages.items():
        for target in page.targets:
            url = urlparse(target)
            path = (file.parent / unquote(url.path)).resolve() if url.path else file
            if url.scheme or url.netloc:
                continue
            anchor = unquote(url.fragment)
            lost = path in pages and anchor and anchor not in pages[path].anchors
            if not path.exists() or lost:
                found.append((str(file.relative_to(folder)), target))
    return found


def test_every_internal_link_leads_somewhere(built):
    assert len(list(built.rglob("*.html"))) > 150
    assert broken(built) == []


def test_broken_links_are_noticed(tmp_path):
    """Control: a page that is not there, an anchor that is not there, and one of both kinds."""
    (tmp_path / "a.html").write_text('<p id="x"><a href="b.html"></a><a href="#y"></a>')
    (tmp_path / "c.html").write_text('<a href="a.html#x"></a><a href="a.html#z"></a>')
    found = {target for _, target in broken(tmp_path)}
    assert found == {"b.html", "#y", "a.html#z"}


FAULTS = {
    "nowhere.md": "[lost](nowhere.md)",
    "no-such-heading": "[lost](start.md#no-such-heading)",
    "'nothing'": "```{eval-rst}\n.. autofunction:: dpbandits.nothing\n```",
}


def test_a_build_with_faults_fails(site, tmp_path):
    """Control: the warnings that ``make docs`` turns into errors. One page is read again."""
    shutil.copytree(site / "docs" / "_build" / "doctrees", tmp_path / "doctrees")
    page = site / "docs" / "howto.md"
    text = page.read_text()
    page.write_text("\n\n".join([text, *FAULTS.values(), ""]))
    try:
        done = sphinx(site, tmp_path / "out", "-b", "dummy")
    finally:
        page.write_text(text)
    faults = [x for x in done.stderr.splitlines() if "WARNING" in x or "ERROR" in x]
    assert done.returncode == 1 and len(faults) == len(FAULTS), done.stderr
    for says in FAULTS:
        assert any(says in fault for fault in faults), says


def test_the_version_is_shown(built):
    for page in ("docs/index.html", "docs/api.html", "CHANGELOG.html"):
        assert f"dpbandits {dp.__version__}" in (built / page).read_text()


def test_examples_and_notebooks_hold_their_figures(built):
    for page, least in (("examples", 12), ("notebooks/compare", 5), ("start", 1)):
        text = (built / "docs" / f"{page}.html").read_text()
        assert len(re.findall(r'<img [^>]*src="[^"]*_images/[0-9a-f]{20,}\.png"', text)) >= least


def search(browser, words):
    """Type words into the box of a page; the paths of the pages that are found."""
    browser.run(
        "const box = document.querySelector('input[name=q]'); box.value = arguments[0];"
        "box.form.submit()",
        words,
    )
    browser.wait("return /found \\d+ page|Search finished/.test(document.body.innerText)")
    return [urlparse(x.get_attribute("href")).path for x in browser.all("#search-results li a")]


FOUND = [
    ("adap_klucb", "docs/generated/algorithms/adap_klucb.html"),
    ("zero-concentrated", "docs/examples.html"),
    ("shuffle_arms", "docs/generated/commands/bandit-run.html"),
]


@pytest.mark.extra("selenium")
@pytest.mark.parametrize(("words", "page"), FOUND)
def test_the_search_finds_pages_from_files(built, browser, words, page):
    browser.open(built / "docs" / "index.html", width=1400)
    found = search(browser, words)
    assert any(path.endswith(page) for path in found), found
    assert browser.requests() == []
    # pages that are opened from files cannot read others, to show where the words are
    assert all("to fetch" in line or "ERR_FAILED" in line for line in browser.errors())


@pytest.fixture(scope="module")
def served(built):
    """The address of the site on a server of this machine."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(built))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.extra("selenium")
def test_the_search_shows_where_the_words_are(served, browser):
    browser.open(f"{served}/index.html")
    browser.wait("return location.pathname == '/docs/index.html' && document.forms.length > 0")
    assert "/docs/generated/algorithms/dp_sprt.html" not in search(browser, "honaker")
    found = search(browser, "sequential test of two hypotheses")
    assert "/docs/generated/rules/dp_sprt.html" in found
    browser.wait("return /hypotheses about a mean/.test(document.body.innerText)")
    assert [line for line in browser.errors() if "favicon" not in line] == []
    assert all(address.startswith(served) for address in browser.requests())


@pytest.mark.extra("selenium")
def test_the_search_finds_nothing_where_nothing_is(built, browser):
    """Control."""
    address = (built / "search.html").resolve().as_uri() + "?q=xyzzyplugh"
    browser.open(address)
    browser.wait("return /did not match any documents/.test(document.body.innerText)")
    assert browser.all("#search-results li a") == []


PAGES = ("index", "generated/algorithms/adap_klucb", "api", "gallery")


@pytest.mark.extra("selenium", "axe_core_python")
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(400, True), (1400, False)])
def test_pages_fit_their_window(built, browser, page, width, dark):
    """Each width and each theme once: what is wrong in one theme is so at both widths."""
    browser.open(built / "docs" / f"{page}.html", width=width, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return document.querySelector('.content').scrollWidth") <= width
    assert browser.run("return [...document.images].every(x => x.naturalWidth > 0)")
    assert browser.errors() == [] and browser.requests() == []
    assert browser.violations() == {}

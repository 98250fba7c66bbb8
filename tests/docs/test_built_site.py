"""The built site: no warning, every internal link leads to a page and an anchor, the search works.

Links to other hosts are not followed.
"""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlparse

import pytest
from builder.documents import TOP
from filelock import FileLock

import dpbandits as dp

pytestmark = [pytest.mark.slow, pytest.mark.extra("sphinx", "myst_nb")]
BUILD = TOP / "docs" / "_build"


def sphinx(folder, *options):
    """Build the site of a folder, as ``make docs`` does."""
    words = ["-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-E", *options, "-c", "docs", "."]
    return subprocess.run(
        [sys.executable, *words, "docs/_build/html"], cwd=folder, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def built():
    """The folder of the site; workers that need it build it one after the other."""
    BUILD.mkdir(exist_ok=True)
    with FileLock(BUILD / ".lock"):
        done = sphinx(TOP)
    assert done.returncode == 0, done.stderr
    return BUILD / "html"


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


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[lost](nowhere.md)", "nowhere.md"),
        ("[lost](start.md#no-such-heading)", "no-such-heading"),
        ("```{eval-rst}\n.. autofunction:: dpbandits.nothing\n```", "nothing"),
    ],
)
def test_a_build_with_a_fault_fails(tmp_path, line, says):
    """Control: the warnings that ``make docs`` turns into errors."""
    listed = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True).stdout
    for name in listed.splitlines():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, tmp_path / name)
    with (tmp_path / "docs" / "howto.md").open("a") as file:
        file.write(f"\n{line}\n")
    done = sphinx(tmp_path, "-b", "dummy", "-D", "nb_execution_mode=off")
    faults = [x for x in done.stderr.splitlines() if "WARNING" in x or "ERROR" in x]
    assert done.returncode == 1 and len(faults) == 1 and says in faults[0], done.stderr


def test_the_version_is_shown(built):
    for page in ("docs/index.html", "docs/api.html", "CHANGELOG.html"):
        assert f"dpbandits {dp.__version__}" in (built / page).read_text()


def test_examples_and_notebooks_hold_their_figures(built):
    for page, least in (("examples", 12), ("notebooks/compare", 5), ("start", 1)):
        text = (built / "docs" / f"{page}.html").read_text()
        assert len(re.findall(r'<img [^>]*src="[^"]*_images/[0-9a-f]{20,}\.png"', text)) >= least


@pytest.mark.extra("selenium")
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("adap_klucb", "docs/generated/algorithms/adap_klucb.html"),
        ("zero-concentrated", "docs/examples.html"),
        ("shuffle_arms", "docs/generated/commands/bandit-run.html"),
    ],
)
def test_the_search_finds_pages(built, browser, words, page):
    browser.open(built / "docs" / "index.html", width=1400)
    assert browser.run("return document.title").endswith(f"dpbandits {dp.__version__}")
    browser.run(
        "const box = document.querySelector('input[name=q]'); box.value = arguments[0];"
        "box.form.submit()",
        words,
    )
    browser.wait("return document.querySelectorAll('#search-results li a').length > 0")
    browser.wait("return /found \\d+ page|Search finished/.test(document.body.innerText)")
    links = [link.get_attribute("href") for link in browser.all("#search-results li a")]
    assert any(urlparse(link).path.endswith(page) for link in links), links
    assert browser.requests() == [] and browser.errors() == []


@pytest.mark.extra("selenium")
def test_the_search_finds_nothing_where_nothing_is(built, browser):
    """Control."""
    address = (built / "search.html").resolve().as_uri() + "?q=xyzzyplugh"
    browser.open(address)
    browser.wait("return /did not match any documents/.test(document.body.innerText)")
    assert browser.all("#search-results li a") == []


PAGES = ("index", "generated/algorithms/adap_klucb", "api", "gallery")


@pytest.mark.extra("selenium")
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [400, 1400])
def test_pages_fit_their_window(built, browser, page, width):
    for dark in (False, True):
        browser.open(built / "docs" / f"{page}.html", width=width, dark=dark)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert browser.run("return [...document.images].every(x => x.naturalWidth > 0)")
        assert browser.errors() == [] and browser.requests() == []

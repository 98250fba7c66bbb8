"""The release script: the repository's address, and one version everywhere."""

import importlib.util
import json
import shutil
import tomllib
from importlib.metadata import version

import pytest
import yaml
from commands import captured

from dpbandits.files import package_folder

TOP = package_folder("conf").parent
ADDRESS = "https://repository.invalid/someone/dpbandits"


def script(name):
    spec = importlib.util.spec_from_file_location(name, TOP / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = script("release")
FILES = sorted({file for file, _, _ in release.PLACES})


ENTERED = release.project(TOP)[1] != release.PLACEHOLDER


@pytest.mark.skipif(not ENTERED, reason="the repository has no address yet")
def test_the_repository_is_ready():
    release.check(TOP)


@pytest.fixture
def copy(tmp_path):
    """The files of the repository that the script reads, as long as it has a placeholder."""
    if ENTERED:
        pytest.skip("the address is entered, once and for all")
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / file, tmp_path / file)
    return tmp_path


@pytest.mark.skipif(ENTERED, reason="the address is entered, once and for all")
def test_the_address_stands_in_one_place():
    names = [".ci/metadata.py", ".ci/release.py", "pyproject.toml"]
    listed = captured("git", "ls-files", cwd=TOP).stdout.splitlines()
    files = [f for f in listed if (TOP / f).is_file()]
    assert [f for f in files if release.PLACEHOLDER.encode() in (TOP / f).read_bytes()] == names


def test_a_placeholder_is_refused(copy):
    with pytest.raises(release.Refused, match=release.PLACEHOLDER):
        release.check(copy)


def test_an_address_is_entered_everywhere(copy):
    release.prepare(copy, ADDRESS, "2030-01-02")
    release.check(copy, f"v{release.project(copy)[0]}")
    project = tomllib.loads((copy / "pyproject.toml").read_text())
    assert project["tool"]["release"]["repository"] == ADDRESS
    clone = f"\ngit clone {ADDRESS} dpbandits && cd dpbandits\nmake run"
    for name in ("README.md", "docs/start.md"):
        assert clone in (copy / name).read_text()
    cited = yaml.safe_load((copy / "CITATION.cff").read_text())
    assert cited["repository-code"] == ADDRESS and str(cited["date-released"]) == "2030-01-02"
    deposited = json.loads((copy / ".zenodo.json").read_text())
    assert deposited["related_identifiers"][0]["identifier"] == ADDRESS
    forms = yaml.safe_load((copy / ".github/ISSUE_TEMPLATE/config.yml").read_text())
    assert forms["contact_links"][0]["url"].startswith(ADDRESS)
    with pytest.raises(release.Refused, match="already"):
        release.prepare(copy, ADDRESS)


@pytest.mark.parametrize(
    "address", ["http://repository.invalid/a/b", "URL", "https://repository", "https://x.y/a/"]
)
def test_what_is_no_address_is_refused(copy, address):
    with pytest.raises(release.Refused, match="is needed"):
        release.prepare(copy, address)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("CITATION.cff", "version: 1", "version: 7"),
        (".zenodo.json", '"version": "1', '"version": "7'),
        ("CHANGELOG.md", "## [1.", "## [7."),
        ("CHANGELOG.md", "- 2030-01-02", "- soon"),
        ("SECURITY.md", ADDRESS, "https://elsewhere.invalid"),
        ("pyproject.toml", '\nversion = "1', '\nversion = "7'),
    ],
)
def test_what_is_not_ready_is_refused(copy, file, old, new):
    release.prepare(copy, ADDRESS, "2030-01-02")
    release.check(copy)  # control
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new))
    with pytest.raises(release.Refused):
        release.check(copy)


def test_another_tag_is_refused(copy):
    release.prepare(copy, ADDRESS)
    with pytest.raises(release.Refused, match="the tag is v0"):
        release.check(copy, "v0.0.1")


def test_nothing_is_written_if_a_file_is_not_as_expected(copy):
    (copy / "SECURITY.md").write_text("nothing\n")
    with pytest.raises(release.Refused, match=r"SECURITY\.md"):
        release.prepare(copy, ADDRESS)
    assert release.project(copy)[1] == release.PLACEHOLDER


def test_one_version_everywhere():
    release.check_versions(TOP)
    assert release.project(TOP)[0] == version("dpbandits")


def test_links_of_the_description_lead_to_the_repository():
    pytest.importorskip("hatchling", reason="hatchling is not installed: it builds the package")
    linked = script("metadata").linked
    text = "![a](results/x.png) [b](docs/c.md#d) [e](https://f.invalid) [g](#h)"
    assert linked(text, ADDRESS, "1.0.0") == (
        f"![a]({ADDRESS}/raw/v1.0.0/results/x.png) [b]({ADDRESS}/blob/v1.0.0/docs/c.md#d)"
        " [e](https://f.invalid) [g](#h)"
    )

"""What a release needs besides the package: the repository's address, and one version everywhere.

    python .ci/release.py prepare ADDRESS    enter the address, and today's date, where they stand
    python .ci/release.py check [TAG]        refuse what is not ready to be published

The address is ``[tool.release] repository`` in ``pyproject.toml``, a placeholder until ``prepare``.
"""

import json
import re
import sys
import tomllib
from datetime import date
from pathlib import Path

PLACEHOLDER = "URL-OF-THIS-REPOSITORY"
ADDRESS = re.compile(r"https://[\w.-]+\.[a-z]+/[\w./-]*\w")
CLONE = "git clone {address} dpbandits && cd dpbandits\n"
ADVISORY = "{address}/security/advisories/new"
CONTACT = """\
contact_links:
  - name: A privacy or security bug
    url: {address}/security/advisories/new
    about: Report it privately; SECURITY.md says how it is handled.
"""
# A file, a text that stands in it once, and what replaces it
PLACES = (
    ("pyproject.toml", f'repository = "{PLACEHOLDER}"', 'repository = "{address}"'),
    ("README.md", "make run  ", f"{CLONE}make run  "),
    ("docs/start.md", "make run  ", f"{CLONE}make run  "),
    ("README.md", "pip install .        ", "pip install dpbandits"),
    ("docs/start.md", "pip install .        ", "pip install dpbandits"),
    ("CITATION.cff", "license: MIT\n",
     "license: MIT\nrepository-code: {address}\ndate-released: {date}\n"),
    (".zenodo.json", '"license":',
     '"related_identifiers": [{"identifier": "{address}", "relation": "isSupplementTo"}],\n'
     '  "license":'),
    (".github/ISSUE_TEMPLATE/config.yml", "blank_issues_enabled: true\n",
     f"blank_issues_enabled: true\n{CONTACT}"),
    ("SECURITY.md", "a private security advisory", f"a [private security advisory]({ADVISORY})"),
    ("CHANGELOG.md", "## [{version}] - unreleased", "## [{version}] - {date}"),
    ("CHANGELOG.md", "\n<!-- links of versions -->\n",
     "\n[{version}]: {address}/releases/tag/v{version}\n"),
)  # fmt: skip


class Refused(Exception):
    """What is not ready."""


def project(top):
    """The version of the package and the address of the repository."""
    found = tomllib.loads((top / "pyproject.toml").read_text())
    return found["project"]["version"], found["tool"]["release"]["repository"]


def prepare(top, address, today=None):
    """Enter the address and the date in every file, or in none if one is not as expected."""
    version, before = project(top)
    if before != PLACEHOLDER:
        raise Refused(f"the address is {before} already")
    if not ADDRESS.fullmatch(address):
        raise Refused(f"{address}: https://HOST/OWNER/NAME is needed")
    values = {"address": address, "version": version, "date": today or str(date.today())}
    texts = {}
    for file, old, new in PLACES:
        text = texts.get(file) or (top / file).read_text()
        old, new = filled(old, values), filled(new, values)
        if text.count(old) != 1:
            raise Refused(f"{file}: {old!r} stands there {text.count(old)} times, once is needed")
        texts[file] = text.replace(old, new)
    for file, text in texts.items():
        (top / file).write_text(text)


def filled(text, values):
    """A text with names in braces replaced; other braces stay."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def check(top, tag=None):
    """Refuse a placeholder, versions that differ, and a version without a date."""
    version, address = project(top)
    if address == PLACEHOLDER:
        raise Refused(
            f"the address of the repository is still {PLACEHOLDER}: .ci/release.py prepare ADDRESS"
        )
    for file in sorted({file for file, _, new in PLACES if "{address}" in new}):
        if address not in (top / file).read_text():
            raise Refused(f"{file}: the address {address} is missing")
    check_versions(top)
    if f"## [{version}] - 20" not in (top / "CHANGELOG.md").read_text():
        raise Refused(f"CHANGELOG.md: {version} has no date")
    if tag is not None and tag != f"v{version}":
        raise Refused(f"the tag is {tag}, but the version of pyproject.toml is {version}")


def check_versions(top):
    """Refuse files that state another version than pyproject.toml."""
    version, _ = project(top)
    cited = re.search(r"^version: (\S+)$", (top / "CITATION.cff").read_text(), flags=re.M)[1]
    changes = re.search(r"^## \[(\d\S*)\]", (top / "CHANGELOG.md").read_text(), flags=re.M)[1]
    deposited = json.loads((top / ".zenodo.json").read_text())["version"]
    stated = {"CITATION.cff": cited, "CHANGELOG.md": changes, ".zenodo.json": deposited}
    for file, other in stated.items():
        if other != version:
            raise Refused(f"{file}: version {other}, but {version} in pyproject.toml")


def main(words):
    """Run a command; returns the exit code."""
    top = Path(__file__).parents[1]
    try:
        match words:
            case ["prepare", address]:
                prepare(top, address)
            case ["check", *tag] if len(tag) <= 1:
                check(top, *tag)
            case _:
                raise Refused("prepare ADDRESS or check [TAG] is needed")
    except Refused as refused:
        print(f"release: {refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Hatch: the metadata of the package that depend on the repository's address.

``[tool.release] repository`` in ``pyproject.toml`` is the address. While it is the placeholder the
package has no links, and its description is README.md as it is; otherwise links of README.md to
files of the repository lead there.
"""

import re
import tomllib
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

PLACEHOLDER = "URL-OF-THIS-REPOSITORY"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")


class RepositoryMetadata(MetadataHookInterface):
    """The description and the links of the package."""

    def update(self, metadata):
        top = Path(self.root)
        project = tomllib.loads((top / "pyproject.toml").read_text())
        address, version = project["tool"]["release"]["repository"], metadata["version"]
        text = (top / "README.md").read_text()
        if address != PLACEHOLDER:
            text = linked(text, address, version)
            metadata["urls"] = {
                "Repository": address,
                "Documentation": f"{address}/blob/v{version}/docs/index.md",
                "Changelog": f"{address}/blob/v{version}/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def linked(text, address, version):
    """A description whose links to files of the repository lead to the files of a version."""

    def target(found):
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{found[2]}]({address}/{kind}/v{version}/{found[3]})"

    return LINK.sub(target, text)

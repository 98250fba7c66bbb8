"""A plugin that puts a user's folders on Hydra's search path."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from ..contracts.algorithm import HOMES, load
from ..errors import BadInput
from .groups import is_algorithm
from .hydra_names import instead_of
from .yaml_files import read_yaml


class UserFolder(ConfigSource):  # type: ignore[misc]
    """A user's folder on Hydra's search path; ``read_yaml`` reads its files.

    An algorithm without a YAML file has the defaults of its signature.
    """

    @staticmethod
    def scheme() -> str:
        return "dpbandits"

    def _file(self, path: str) -> Path:
        file = Path(self.path) / self._normalize_file_name(path)
        code = file.with_suffix(".py")
        alone = not file.exists() and file.parent.name in HOMES and code.is_file()
        return code if alone and is_algorithm(code) else file

    def load_config(self, config_path: str) -> ConfigResult:
        file = self._file(config_path)
        code = file.suffix == ".py"
        found = dict(load(file).defaults) if code else read_yaml(file)
        if key := next(_of_hydra(found), None):
            raise BadInput(f"{file}: {key}: {instead_of(key)}")
        header = self._get_header_dict("" if code else file.read_text("utf-8-sig"))
        return ConfigResult(self.provider, self.full_path(), OmegaConf.create(found), header)

    def is_group(self, config_path: str) -> bool:
        return (Path(self.path) / config_path).is_dir()

    def is_config(self, config_path: str) -> bool:
        return self._file(config_path).is_file()

    def available(self) -> bool:
        return self.is_group("")

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        found: list[str] = []
        for file in sorted((Path(self.path) / config_path).iterdir()):
            name = f"{config_path}/{file.name}"
            self._list_add_result(found, name, file.name, results_filter)
        return found


def _of_hydra(keys: dict[str, Any]) -> Iterator[str]:
    """Yield keys of Hydra itself that a file sets or that its defaults list names."""
    if "hydra" in keys:
        path, inner = ["hydra"], keys["hydra"]
        while len(path) < 3 and isinstance(inner, dict) and inner:
            path.append(next(iter(inner)))
            inner = inner[path[-1]]
        yield ".".join(path)
    listed = keys.get("defaults")
    for entry in listed if isinstance(listed, list) else []:
        for word in entry if isinstance(entry, dict) else [entry]:
            group = str(word).rpartition(" ")[2].lstrip("/")
            if group.startswith("hydra/"):
                yield group


class UserFolders(SearchPathPlugin):  # type: ignore[misc]
    """A plugin that adds the user's folders to the search path of this package's compositions."""

    folders: ClassVar[tuple[str, ...]] = ()  # not empty only during a composition

    @classmethod
    @contextmanager
    def on_path(cls, folders: tuple[str, ...]) -> Iterator[None]:
        """Keep the folders on the search path while the context is open."""
        cls.folders = folders
        try:
            yield
        finally:
            cls.folders = ()

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for folder in self.folders:
            search_path.append("user", f"{UserFolder.scheme()}://{folder}")


Plugins.instance().register(UserFolder)
Plugins.instance().register(UserFolders)

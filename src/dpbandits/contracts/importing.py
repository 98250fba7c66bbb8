"""Import the Python files of users, and see their edits in a session."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from contextlib import suppress
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from ..compiled import is_installed
from ..errors import BadInput, first_line

# The folders from which users' files were imported, the latest folder first
_imported_from: list[Path] = []
# The states of these folders at the first and at the latest import, see ``state_of``
_first_states: dict[Path, tuple[Any, ...]] = {}
_last_states: dict[Path, tuple[Any, ...]] = {}


def import_file(file: Path, group: str) -> ModuleType:
    """Import a Python file in a user's folder. The file can import the modules in this folder,
    unless another module has the same name.

    Raises:
        BadInput: the file cannot be imported.
    """
    try:
        # The module's name is part of the names of machine code. Two files with one name, or two
        # states of a file, must have different module names. Otherwise, the linker would use
        # the code of the first for both.
        read = [f"{file}\n".encode(), file.read_bytes()]
        now = state_of(file.parent)
        if _first_states.setdefault(file.parent, now) != now:  # the code of neighbours has changed
            read += [other.read_bytes() for other in _sources_in(file.parent)]
        state = hashlib.sha256(b"".join(read)).hexdigest()[:12]
        name = f"dpbandits_{group}_{file.stem}_{state}"
        loader = _FromSource(name, str(file))
        spec = importlib.util.spec_from_file_location(name, file, loader=loader)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        _let_import_neighbours(file.parent)
        spec.loader.exec_module(module)
        return module
    except (Exception, SystemExit) as error:
        where = f"{group}={file.stem}"
        raise BadInput(f"{where}: cannot import {file} ({first_line(error)})") from error


def _sources_in(folder: Path) -> list[Path]:
    """Return the Python files in a user's folder, and in the folders inside it."""
    return sorted(file for file in folder.rglob("*.py") if file.is_file())


def state_of(folder: Path) -> tuple[Any, ...]:
    """Return the names, times and sizes of the Python files in a user's folder."""
    found = []
    for file in _sources_in(folder):
        with suppress(FileNotFoundError):  # an editor replaces the file at this moment
            found.append((str(file), file.stat().st_mtime_ns, file.stat().st_size))
    return tuple(found)


class _FromSource(SourceFileLoader):
    """Imports a file of the user from its source. Python dates stored bytecode only by the second,
    and would use the bytecode of before an edit that follows in the same second.
    """

    def path_stats(self, path: Any) -> NoReturn:
        """Raise OSError: then Python neither reads nor writes bytecode."""
        raise OSError


def _finder(folder: str) -> FileFinder:
    """Return what finds the modules in a user's folder, or in a folder inside it; for installed
    packages, and for other folders, raise ImportError, so that Python asks its other hooks.
    """
    if is_installed(folder) or not any(Path(folder).is_relative_to(own) for own in _imported_from):
        raise ImportError
    machine_code = ExtensionFileLoader, EXTENSION_SUFFIXES
    return FileFinder(folder, machine_code, (_FromSource, SOURCE_SUFFIXES))


def _let_import_neighbours(folder: Path) -> None:
    """Let files import modules from this folder before modules from other folders of users. Modules
    of this folder are imported again if one of its files has changed.
    """
    now = state_of(folder)
    has_changed = _last_states.get(folder, now) != now
    _last_states[folder] = now
    others = [x for x in _imported_from if x != folder]
    own = {x.stem for x in folder.glob("*.py")} | {x.name for x in folder.iterdir() if x.is_dir()}
    for name, module in list(sys.modules.items()):
        # the loop runs over a copy, since other threads may import modules meanwhile
        if name.partition(".")[0] not in own:
            continue
        # a folder without __init__.py is a module without a file
        places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
        left = [*others, folder] if has_changed else others
        if any(Path(x).is_relative_to(other) for x in filter(None, places) for other in left):
            sys.modules.pop(name, None)
    _imported_from[:] = [folder, *others]
    paths = list(map(str, _imported_from))
    sys.path[:] = [*(x for x in sys.path if x not in paths), *paths]
    if _finder not in sys.path_hooks:
        sys.path_hooks.insert(0, _finder)
    sys.path_importer_cache.pop(str(folder), None)

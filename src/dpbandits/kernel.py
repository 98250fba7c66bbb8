"""The decorators that compile, and where compiled code is kept."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

PACKAGE = Path(__file__).parent


def sources_hash(*files: Path) -> str:
    """Hash of the text of the given source files, in the order given."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


SOURCES = sources_hash(*sorted(PACKAGE.rglob("*.py")))  # the state of the whole package


def cache_folder() -> Path:
    """Folder for compiled kernels: one for each state of the package's sources.

    Numba's own cache does not see an edit in an imported file, so the folder's name does.
    """
    for home in _cache_homes():
        folder = home / SOURCES
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        if folder.stat().st_uid == os.getuid():  # machine code of others is not to be trusted
            return folder
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-"), SOURCES)
    folder.mkdir()
    return folder


def _cache_homes() -> Iterator[Path]:
    if "NUMBA_CACHE_DIR" in os.environ:
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    if "XDG_CACHE_HOME" in os.environ:
        yield Path(os.environ["XDG_CACHE_HOME"]) / "dpbandits"
    with contextlib.suppress(RuntimeError):  # there may be no home
        yield Path.home() / ".cache" / "dpbandits"
    yield Path(tempfile.gettempdir()) / f"dpbandits-{os.getuid()}"


numba.config.CACHE_DIR = str(cache_folder())


def compiled_code() -> Path:
    """The folder in which compiled kernels are kept."""
    return Path(numba.config.CACHE_DIR)


VERBS: set[Callable] = set()
OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable) -> Callable:
    """Compile a function and keep the machine code on disk (an algorithm, a loop)."""
    return numba.njit(cache=True, **OPTIONS)(function)


@cache
def loop(template: Callable, function: Callable, tag: str) -> Callable:
    """A loop over many calls of a function, such as the runs of an algorithm.

    To enter compiled code once a run costs more than an episodic run.

    Args:
        template: the loop, in which the global name ``played`` means the function.
        function: what is called; if it can be compiled, the loop is.
        tag: tells loops of one template apart on disk; it must change with the function.
    """
    names = template.__globals__ | {"played": function}
    made = FunctionType(template.__code__, names, f"{template.__name__}_{tag}")
    made.__qualname__, made.__module__ = made.__name__, template.__module__
    return kernel(made) if compiles(function) else made


def verb(function: Callable) -> Callable:
    """Let kernels call a small function: it is compiled into them, always inlined.

    Called from plain Python it stays plain Python, which is thirty times quicker than handing a
    game over to compiled code for one round.
    """
    overload(function, jit_options=OPTIONS | {"forceinline": True}, strict=False)(
        lambda *arguments: function
    )
    VERBS.add(function)
    return function


def routine(function: Callable) -> Callable:
    """Let kernels call a larger function: it is compiled once for all of them, kept on disk.

    Called from plain Python it stays plain Python, as a verb does.
    """
    overload(function, jit_options=OPTIONS | {"cache": True, "forceinline": False}, strict=False)(
        lambda *arguments: function
    )
    return function


def borrow(x: Any) -> Any:
    """The same arrays, generator or named tuple of them, without reference counting.

    A verb borrows its arguments first: the caller keeps them alive, and counting references
    costs ten times the rest of a round.
    """
    return x


@overload(borrow)
def _overload_borrow(x):
    return lambda x: _borrow(x)


def stand_apart() -> None:
    """Keep the routine that says so out of the kernels that call it.

    What is inlined into a loop is also paid before it, where the compiler puts what does not
    change: the roots and quotients of laws that the game does not have.
    """


@overload(stand_apart, inline="always")  # the mark is the routine's, not of a call in it
def _overload_stand_apart():
    return lambda: _stand_apart()


@intrinsic
def _stand_apart(typing_context):
    def codegen(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


@intrinsic
def _borrow(typing_context, x):
    def codegen(context, builder, signature, args):
        return _without_counter(context, builder, signature.args[0], args[0])

    return x(x), codegen


def _without_counter(context, builder, kind, value):
    if isinstance(kind, types.BaseTuple):
        members = cgutils.unpack_tuple(builder, value)
        borrowed = [
            _without_counter(context, builder, k, v) for k, v in zip(kind, members, strict=True)
        ]
        return context.make_tuple(builder, kind, borrowed)
    if isinstance(kind, types.Array | types.NumPyRandomGeneratorType):
        struct = context.make_helper(builder, kind, value=value)
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)
        return struct._getvalue()
    return value


def is_compiled(function: Callable) -> bool:
    """Whether a function is a compiled kernel (and so releases the interpreter's lock)."""
    return hasattr(function, "py_func")


def compiles(function: Callable) -> bool:
    """Whether kernels can call a function."""
    return is_compiled(function) or function in VERBS


def is_cached(function: Callable) -> bool:
    """Whether machine code for a kernel lies on disk already."""
    pattern = f"*.{function.__name__}-*.nbc"
    return any(Path(numba.config.CACHE_DIR).rglob(pattern))

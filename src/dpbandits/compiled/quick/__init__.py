"""The quick back-end uses private names of Numba, and makes a first run five times as fast.

Routines are compiled once and called by their symbols, random numbers come from NumPy's C
functions, and cached machine code has checksums.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

TESTED = (0, 63), (0, 68)  # the first and the last tested version of Numba

PRIVATE = {
    "numba.core.base.BaseContext": "active_code_library data_model_manager",
    "numba.core.callconv.CPUCallConv": "call_function get_function_type return_status_propagate",
    "numba.core.codegen.JITCodeLibrary": "_reload_init get_pointer_to_function",
    "numba.core.compiler.CompileResult": "_rebuild _reduce",
    "numba.core.cpu.CPUContext": "call_conv",
    "numba.core.datamodel.models.StructModel": "get get_member_fe_type",
    "numba.core.dispatcher.Dispatcher": "_cache",
    "numba.core.funcdesc.FunctionDescriptor": "llvm_func_name",
    "numba.core.serialize": "dumps",
}


def missing() -> Iterator[str]:
    """Yield the names of Numba's internals in ``PRIVATE`` that the installed Numba lacks."""
    for owner, names in PRIVATE.items():
        module, _, name = owner.rpartition(".")
        try:
            found = getattr(import_module(module), name)
        except (ImportError, AttributeError):
            yield owner
            continue
        for attribute in names.split():
            if not (hasattr(found, attribute) or attribute in _set_by(found)):
                yield f"{owner}.{attribute}"


def _set_by(owner: Any) -> set[str]:
    """Return the names that ``__init__`` of a class and of its bases use."""
    classes = getattr(owner, "__mro__", ())  # a module has no ``__mro__``, so the result is empty
    found = [getattr(c.__dict__.get("__init__"), "__code__", None) for c in classes]
    return {name for code in found if code for name in code.co_names}

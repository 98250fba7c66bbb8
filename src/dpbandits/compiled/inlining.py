"""Compilation of functions that are only ever inlined: neither optimised nor made machine code.

Numba turns every function into machine code of its own, also one that all its callers inline, and
optimises the copies again. This takes most of the time of a compilation.
"""

from __future__ import annotations

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class InlinedCode(JITCodeLibrary):
    """Code that callers link into theirs."""

    def finalize(self):
        """Link in the code that this one calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InlinedLowering(NativeLowering):
    """Lowering to LLVM's representation, without machine code."""

    _name = "inlined_lowering"

    def run_pass(self, state):
        """Lower a function, and register its code for its callers."""
        codegen, context = state.targetctx.codegen(), state.targetctx
        state.library = InlinedCode(codegen, state.func_id.func_qualname)
        state.flags.no_compile = state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        made, library = state.cr, state.library
        module, name = made.fndesc.lookup_module(), made.fndesc.qualname
        key = _dynfunc.make_function(module, name, "", 0, made.env, (library,))
        context.insert_user_function(key, made.fndesc, [library])
        library._ensure_finalized()
        state.reload_init.extend(library._reload_init)
        state.cr = _LowerResult(made.fndesc, made.call_helper, key, made.env)
        return True


class Inlined(CompilerBase):
    """Numba's compiler with this lowering."""

    def define_pipelines(self):
        """The passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (InlinedLowering if p is NativeLowering else p, why) for p, why in passes.passes
        ]
        passes._finalized = False
        passes.finalize()
        return [passes]

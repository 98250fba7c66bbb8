"""Everything that knows Numba: decorators, intrinsics and the cache of machine code."""

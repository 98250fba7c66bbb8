"""The plain back-end uses only public interfaces of Numba and llvmlite, so it always works."""

"""The plain back-end. It uses only public interfaces of Numba and llvmlite, so it always works."""

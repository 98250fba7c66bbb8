"""The plain back-end: public interfaces of Numba and llvmlite alone, so that it always works."""

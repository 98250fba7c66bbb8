"""The functions for notebooks and scripts: run, stop, load, plot, summary, bounds, audit and
others.

The package ``dpbandits`` exports these functions. Large packages are imported only in the functions
that use them, so that ``import dpbandits`` is quick.
"""

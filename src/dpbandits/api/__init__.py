"""The Python API: run, stop, load, plot, summarise, bound and audit from a notebook or a script.

``dpbandits`` itself exports these functions. Heavy packages are imported only in the functions that
use them, so that ``import dpbandits`` is quick.
"""

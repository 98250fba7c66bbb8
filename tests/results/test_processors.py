"""Summaries, intervals and figures are the same on every processor and with every BLAS."""

import os
import platform
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import captured
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

SCRIPT = Path(__file__).with_name("on_a_processor.py")
AVX512 = any(__cpu_features__.get(name) for name in ("AVX512F", "X86_V4"))
KERNELS = ["Prescott", "Haswell", *(["SkylakeX"] if AVX512 else [])]  # OpenBLAS has one for each
PLAIN = ",".join(name for name in __cpu_dispatch__ if __cpu_features__[name])
PROCESSORS = [
    *({"OPENBLAS_CORETYPE": name} for name in KERNELS),
    {"OPENBLAS_CORETYPE": KERNELS[-1], "OPENBLAS_NUM_THREADS": "1"},
    {"NPY_DISABLE_CPU_FEATURES": PLAIN},
]


def on(processor):
    """The hashes of what is made on a processor."""
    done = captured(sys.executable, SCRIPT, env=os.environ | processor)
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ") for line in done.stdout.splitlines())


def is_openblas():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return "openblas" in blas and platform.machine() == "x86_64"


@pytest.mark.slow
def test_nothing_depends_on_the_processor():
    found = [on(processor) for processor in PROCESSORS]
    controls = {hashes.pop("control") for hashes in found}
    assert len(found[0]) == 15
    assert all(hashes == found[0] for hashes in found[1:])
    if is_openblas():
        assert len(controls) > 1

"""The processor that compiled code runs on."""

from __future__ import annotations

import llvmlite
from llvmlite import binding


def processor() -> tuple[str, str, str]:
    """Return the version of llvmlite, and the name and the features of the processor."""
    features = binding.get_host_cpu_features().flatten()
    return llvmlite.__version__, binding.get_host_cpu_name(), features

"""Algorithms to measure tests of privacy by: broken twins, and correct variants."""

from .broken import BROKEN
from .correct import CORRECT
from .twin import Twin

__all__ = ["BROKEN", "CORRECT", "Twin"]

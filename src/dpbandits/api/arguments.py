"""Types of arguments; only type checkers use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..settings.choices import Choice

AlgorithmLike = str | Callable[..., Any] | Choice
EnvironmentLike = str | Mapping[str, Any] | Choice
Number = float | str

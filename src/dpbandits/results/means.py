"""Nash regret needs the means of arms, which contexts do not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..contracts.question import CONTEXTUAL
from ..errors import BadInput
from .metrics import NASH


def refuse_contexts(metric: str, records: Sequence[Mapping[str, Any]] | None) -> None:
    """Refuse the Nash regret of settings whose arms have other means in each context."""
    if metric == NASH:
        for record in records or ():
            if record.get("question") == CONTEXTUAL.name:
                env = f"env={record['env']}"
                raise BadInput(f"metric={metric}: {env}: arms with contexts have no means")

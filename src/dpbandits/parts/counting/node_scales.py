"""Scales of the noise of a counter's nodes, for items of equal or of growing sensitivity."""

from __future__ import annotations

from typing import NamedTuple

from ...compiled import inlined
from .trees import tree_node_scale


class NodeScales(NamedTuple):
    """The scales of nodes with which all prefix sums of a counter together are eps-DP."""

    levels: int  # the largest number of nodes that an item lies in
    factor: float  # the sensitivity of item n is ``factor n^power``
    power: float  # at least 0
    eps: float  # privacy budget of a counter


@inlined
def node_scale(scales: NodeScales, end: float) -> float:
    """Compute the scale of the noise of a node from the number ``end`` of its last item.

    The last item has the largest sensitivity in the node.
    """
    sensitivity = scales.factor * end**scales.power if scales.power > 0.0 else scales.factor
    return tree_node_scale(scales.levels, sensitivity, scales.eps)

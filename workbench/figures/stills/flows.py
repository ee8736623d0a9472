"""A Sankey diagram in a still: nodes at the figure's positions, and bands between them."""

from typing import Any

import numpy as np

from workbench.figures.stills.labels import label, width_of
from workbench.figures.svg import rect
from workbench.figures.theme import SKY, SMALL
from workbench.markup import Markup, element, joined

#: Pixels: the width of a node, the space left of the first one, and the space around a name.
_THICK, _SIDE, _NEAR = 14.0, 12.0, 4.0


def flows_drawing(trace: Any, left: float, top: float, width: float, height: float) -> Markup:
    """Draw the nodes and bands of a Sankey trace whose nodes have positions.

    Parameters
    ----------
    trace : plotly.graph_objects.Sankey
    left, top, width, height : float
        The box of the diagram, in pixels.

    Returns
    -------
    Markup

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> link = {"source": [0], "target": [1], "value": [3]}
    >>> node = {"label": ["a", "b"], "x": [0.001, 0.999], "y": [0.5, 0.5], "color": ["red", "red"]}
    >>> drawn = flows_drawing(go.Sankey(node=node, link=link), 0, 0, 200, 100)
    >>> drawn.count("<rect"), drawn.count("<path")
    (2, 1)
    """
    source, target, value = (list(trace.link[name]) for name in ("source", "target", "value"))
    nodes = range(len(trace.node.label))
    leaving, coming = (np.bincount(ends, value, minlength=len(nodes)) for ends in (source, target))
    size, x = np.maximum(leaving, coming), np.asarray(trace.node.x, float)
    columns = {at: size[np.isclose(x, at)].sum() for at in x}
    scale = 0.8 * height / max(columns.values())
    last = [width_of(trace.node.label[k], SMALL) for k in nodes if np.isclose(x[k], x.max())]
    across = left + _SIDE + x * (width - _SIDE - max(last) - 2 * _NEAR - _THICK)
    begin = top + np.asarray(trace.node.y, float) * height - size * scale / 2
    out, into, bands = begin.copy(), begin.copy(), []
    ends = [one for one in zip(source, target, value, strict=True) if one[2]]
    for a, b, many in sorted(ends, key=lambda s: begin[s[1]]):
        high = many * scale
        bands.append(_band(across[a] + _THICK, out[a], across[b], into[b], high))
        out[a], into[b] = out[a] + high, into[b] + high
    boxes = [
        rect(across[k], begin[k], _THICK, max(size[k] * scale, 1), fill=trace.node.color[k])
        for k in nodes
    ]
    middle = begin + size * scale / 2
    names = [
        label(across[k] + _THICK + _NEAR, middle[k], trace.node.label[k], size=SMALL) for k in nodes
    ]
    return joined([*bands, *boxes, *names])


def _band(x1: float, y1: float, x2: float, y2: float, high: float) -> Markup:
    middle = (x1 + x2) / 2
    there = f"M{x1:.1f},{y1:.1f} C{middle:.1f},{y1:.1f} {middle:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"
    back = (
        f"L{x2:.1f},{y2 + high:.1f} C{middle:.1f},{y2 + high:.1f} {middle:.1f},{y1 + high:.1f} "
        f"{x1:.1f},{y1 + high:.1f} Z"
    )
    return element("path", d=f"{there} {back}", fill=SKY, fill_opacity="0.4")

"""A figure to point at, and beside it a still for pages that run nothing."""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go


@dataclass(frozen=True)
class Pictured:
    """A figure whose cell also keeps a picture of it.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
    still : str
        The picture, an SVG document.
    words : str
        What both show, for those who see neither.

    Examples
    --------
    >>> shown = Pictured(go.Figure(), "<svg/>", "nothing yet")
    >>> shown
    nothing yet
    >>> shown._repr_mimebundle_()["image/svg+xml"]
    '<svg/>'
    """

    figure: go.Figure
    still: str
    words: str

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = self.figure._repr_mimebundle_(**options) or {}
        return {**live, "image/svg+xml": self.still, "text/plain": self.words}

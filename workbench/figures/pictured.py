"""A figure to point at, and beside it a still for pages that run nothing."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from workbench.figures.stills.still import still
from workbench.figures.theme import EITHER, INK, ON_ANY_GROUND, QUIET
from workbench.markup import Markup


@dataclass(frozen=True)
class Pictured:
    """A figure whose cell also keeps a picture of it.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
    words : str
        What it shows, for those who do not see it.
    still : str
        The picture, an SVG document.

    Examples
    --------
    >>> shown = Pictured(go.Figure(), "nothing yet")
    >>> shown
    nothing yet
    >>> "nothing yet</title>" in shown.still
    True
    """

    figure: go.Figure
    words: str

    @cached_property
    def still(self) -> Markup:
        return still(self.figure, self.words)

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        # The page that shows it has no style sheet of ours.
        shown = go.Figure(self.figure).update_layout(template=ON_ANY_GROUND)
        _read_on_any_ground(shown)
        live = shown._repr_mimebundle_(**options) or {}
        return {**live, "image/svg+xml": self.still, "text/plain": self.words}


def _read_on_any_ground(figure: go.Figure) -> None:
    """Give words that are coloured for a light page a grey that is read on a dark one, too."""
    written = [figure.layout.title.font, figure.layout.title.subtitle.font]
    written += [note.font for note in figure.layout.annotations]
    written += [trace.textfont for trace in figure.data if "textfont" in trace]
    for font in written:
        if isinstance(font.color, str) and font.color.lower() in (INK, QUIET):
            font.color = EITHER

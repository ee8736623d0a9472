"""An interactive figure, with a still for pages that run nothing."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from workbench.figures.stills.still import still
from workbench.figures.theme import EITHER, INK, ON_ANY_GROUND, QUIET
from workbench.markup import Markup


@dataclass(frozen=True)
class Pictured:
    """A figure whose cell also stores a still picture of it.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
    words : str
        A description for screen readers.
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
        # The page that shows it does not have our style sheet.
        figure = go.Figure(self.figure).update_layout(template=ON_ANY_GROUND)
        _use_neutral_text(figure)
        live = figure._repr_mimebundle_(**options) or {}
        return {**live, "image/svg+xml": self.still, "text/plain": self.words}


def _use_neutral_text(figure: go.Figure) -> None:
    """Replace text colours of a light page by a grey that is readable on a dark one, too."""
    fonts = [figure.layout.title.font, figure.layout.title.subtitle.font]
    fonts += [note.font for note in figure.layout.annotations]
    fonts += [trace.textfont for trace in figure.data if "textfont" in trace]
    for font in fonts:
        if isinstance(font.color, str) and font.color.lower() in (INK, QUIET):
            font.color = EITHER

"""What explorers share: a still for pages that run no widget, and a chart with its sentence."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets
import plotly.graph_objects as go

from workbench.figures.markup import Markup
from workbench.figures.stills.still import still
from workbench.widgets.html import HTML, told
from workbench.widgets.redraw import redraw

#: Controls beside each other, as many as there is room for.
ROW = {"flex_flow": "row wrap", "align_items": "center"}


class Stilled:
    """A widget whose cell also keeps a picture of it, and its ``repr``."""

    def _still(self) -> Markup:
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = super()._repr_mimebundle_(**options) or {}  # type: ignore[misc]
        return {**live, "image/svg+xml": self._still(), "text/plain": repr(self)}


class Explorer(Stilled, widgets.VBox):  # type: ignore[misc]
    """Controls, a sentence that says what they come to, and a chart of it.

    Parameters
    ----------
    controls : sequence of widgets
        Whose values are asked for, each time that one changes.
    *beside : widgets
        What else stands beside them.

    Attributes
    ----------
    words : str
        The sentence.
    """

    words: str

    def __init__(self, controls: Sequence[Any], *beside: Any) -> None:
        self.chart, self.sentence = go.FigureWidget(), HTML()
        for control in controls:
            control.observe(self._ask, names="value")
        self._ask()
        row = widgets.HBox([*controls, *beside], layout=ROW)
        super().__init__([row, self.sentence, self.chart])

    def _answer(self) -> go.Figure:
        """Return the figure of what the controls ask for, and set :attr:`words`."""
        raise NotImplementedError

    def _ask(self, _change: Any = None) -> None:
        figure = self._answer()
        self.sentence.value = told(self.words)
        redraw(self.chart, figure)

    def _still(self) -> Markup:
        return still(self.chart, repr(self), self.words)

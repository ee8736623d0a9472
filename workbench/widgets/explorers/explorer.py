"""What explorers share: a still for pages that run no widget, and a chart with its sentence."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets
import plotly.graph_objects as go

from workbench.figures.markup import Markup
from workbench.figures.stills.still import page, still
from workbench.figures.svg import Part, document, moved
from workbench.widgets.html import HTML, told
from workbench.widgets.redraw import redraw
from workbench.widgets.stepper.pictures import WIDTH, drawn_at

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
        self.chart, self.sentence = self._place(), HTML()
        for control in controls:
            control.observe(self._ask, names="value")
        self._ask()
        row = widgets.HBox([*controls, *beside], layout=ROW)
        super().__init__([row, self.sentence, self.chart])

    def _answer(self) -> Any:
        """Return the figure of what the controls ask for, and set :attr:`words`."""
        raise NotImplementedError

    def _ask(self, _change: Any = None) -> None:
        answer = self._answer()
        self.sentence.value = told(self.words)
        self._draw(answer)

    def _place(self) -> Any:
        return go.FigureWidget()

    def _draw(self, figure: go.Figure) -> None:
        redraw(self.chart, figure)

    def _still(self) -> Markup:
        return still(self.chart, repr(self), self.words)


class TreeChart(Explorer):
    """An explorer whose chart is a tree, as the step player draws it.

    Attributes
    ----------
    picture : dict
        A picture of kind ``tree`` with one state.
    """

    picture: dict[str, Any]

    def _place(self) -> HTML:
        return HTML()

    def _draw(self, picture: dict[str, Any]) -> None:
        self.picture = picture
        drawn, height = self._card(live=True)
        self.chart.value = document(drawn, picture["states"][0]["label"], WIDTH + 48, height)

    def _card(self, live: bool) -> Part:
        drawing = drawn_at(self.picture, live=live)
        return moved(24, 16, drawing.markup), drawing.height + 32

    def _still(self) -> Markup:
        return page(repr(self), self._card(live=False), self.words)

"""What explorers share: their frame, a still for pages that run no widget, a chart with words."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets
import plotly.graph_objects as go

from workbench.figures.stills.still import page, still
from workbench.figures.svg import Part, bare, moved
from workbench.markup import Markup
from workbench.widgets.chart import Chart
from workbench.widgets.html import HTML, heading, told
from workbench.widgets.redraw import redraw
from workbench.widgets.sheet import Sheet
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


class Card(Stilled, widgets.VBox):  # type: ignore[misc]
    """The frame that all explorers share, from its heading down to the line of code.

    Parameters
    ----------
    *picture : widgets
        What is looked at.
    controls : sequence of widgets
        What is asked: they stand beside each other, as many as there is room for.
    rows : sequence of widgets
        What is behind the picture: right of it, and below it where there is no room.
    foot : sequence of widgets
        What follows across the whole card: the status, the line of code, a player.

    Attributes
    ----------
    head : HTML
        Its value is a :func:`workbench.widgets.html.heading`.
    """

    def __init__(
        self,
        *picture: Any,
        controls: Sequence[Any] = (),
        rows: Sequence[Any] = (),
        foot: Sequence[Any] = (),
    ) -> None:
        self.head = HTML()
        columns = [widgets.VBox(part) for part in (picture, rows) if part]
        asked = [_classed(widgets.HBox(controls), "wb-controls")] if controls else []
        main = _classed(widgets.HBox(columns), "wb-main", *(["wb-two"] if rows else []))
        super().__init__([Sheet(), self.head, *asked, main, *foot])
        self.add_class("wb-card")

    def entitle(self, title: str, *facts: object) -> None:
        """Say what is looked at, and what is known of its data."""
        self.head.value = heading(title, *facts)


def _classed(widget: Any, *names: str) -> Any:
    for name in names:
        widget.add_class(name)
    return widget


class Explorer(Card):
    """Controls, a sentence that says what they come to, and a chart of it.

    Parameters
    ----------
    title : str
        What is looked at.
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

    def __init__(self, title: str, controls: Sequence[Any], *beside: Any) -> None:
        self.chart, self.sentence = self._place(), HTML()
        for control in controls:
            control.observe(self._ask, names="value")
        self._ask()
        super().__init__(*self._pictures(), controls=[*controls, *beside], foot=[self.sentence])
        self.entitle(title, *self._facts())

    def _answer(self) -> Any:
        """Return the figure of what the controls ask for, and set :attr:`words`."""
        raise NotImplementedError

    def _facts(self) -> Sequence[object]:
        """Return what the heading says of the data."""
        return ()

    def _pictures(self) -> Sequence[Any]:
        """Return what is looked at, from above to below."""
        return [self.chart]

    def _ask(self, _change: Any = None) -> None:
        answer = self._answer()
        self.sentence.value = told(self.words)
        self._draw(answer)

    def _place(self) -> Any:
        return Chart(toolbar=False)

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
        self.chart.value = bare(drawn, picture["states"][0]["label"], WIDTH + 48, height)

    def _card(self, live: bool) -> Part:
        drawing = drawn_at(self.picture, live=live)
        return moved(24, 16, drawing.markup), drawing.height + 32

    def _still(self) -> Markup:
        return page(repr(self), self._card(live=False), self.words)

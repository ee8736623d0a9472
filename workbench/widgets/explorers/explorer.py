"""What explorers share: their frame, a still for pages that run no widget, a chart with words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets as widgets
import pandas as pd

from workbench.errors import WorkbenchError
from workbench.figures.stills.still import Named, arranged, page, still
from workbench.figures.svg import Part, bare, moved
from workbench.markup import Markup, element
from workbench.widgets.chart import Chart
from workbench.widgets.html import HTML, code_line, heading, told
from workbench.widgets.redraw import redraw
from workbench.widgets.sharing.controls import options_of, texts_of, value_from_texts
from workbench.widgets.sharing.files import csv_of
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import Parts
from workbench.widgets.sheet import Sheet
from workbench.widgets.stepper.pictures import WIDTH, drawn_at
from workbench.widgets.table import Listed, Table

#: Controls beside each other, as many as there is room for.
ROW = {"flex_flow": "row wrap", "align_items": "center"}


class Stilled:
    """A widget whose cell also keeps a picture of it, and its ``repr``."""

    def _still(self) -> Markup:
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = super()._repr_mimebundle_(**options) or {}  # type: ignore[misc]
        shown = {"image/svg+xml": self._still(), "text/plain": repr(self)}
        return {**live, **shown, **self._saved_output()}

    def _saved_output(self) -> dict[str, Any]:
        """Return what a saved cell has of it beside the still."""
        return {}


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
    sheet : Sheet
        It tells of clicks on the nodes of a tree.
    """

    def __init__(
        self,
        *picture: Any,
        controls: Sequence[Any] = (),
        rows: Sequence[Any] = (),
        foot: Sequence[Any] = (),
    ) -> None:
        self.head, self.sheet = HTML(), Sheet()
        columns = [widgets.VBox(part) for part in (picture, rows) if part]
        asked = [_classed(widgets.HBox(controls), "wb-controls")] if controls else []
        self._main = _classed(widgets.HBox(columns), "wb-main", *(["wb-two"] if rows else []))
        super().__init__([self.sheet, self.head, *asked, self._main, *foot])
        self.add_class("wb-card")

    def show_rows(self, shown: bool) -> None:
        """Show what is behind the picture, or give the picture all the width."""
        self._main.children[-1].layout.display = None if shown else "none"
        (self._main.add_class if shown else self._main.remove_class)("wb-two")

    def entitle(self, title: str, *facts: object) -> None:
        """Say what is looked at, and what is known of its data."""
        self.head.value = heading(title, *facts)


def _classed(widget: Any, *names: str) -> Any:
    for name in names:
        widget.add_class(name)
    return widget


class Answer(NamedTuple):
    """What the controls of an explorer come to.

    Attributes
    ----------
    drawn : plotly.graph_objects.Figure, or dict
        A figure, or a picture as the step player draws it.
    found : any
        What the picture shows, for who asks for it in Python.
    summary : str
        What is found, in a line.
    words : str
        The same as a sentence or some, read aloud when it changes.
    table : pandas.DataFrame
        The same as a table.
    code : str
        The line of Python that opens the explorer here.
    """

    drawn: Any
    found: Any
    summary: str
    words: str
    table: pd.DataFrame
    code: str


class Explorer(Shared, Card):
    """Controls, a sentence that says what they come to, and a chart of it; no Spark.

    Parameters
    ----------
    title : str
        What is looked at.
    controls : dict of str to widget
        What is asked for, each time that one changes, by what a state calls it. One whose limits
        another one sets stands behind that one.
    *beside : widgets
        What else stands beside them.

    Attributes
    ----------
    answer : Answer
        What the controls come to.
    """

    answer: Answer
    #: The controls that are choices of a page.
    PAGE_CHOICES: Sequence[str] = ()

    def __init__(self, title: str, controls: Mapping[str, Any], *beside: Any) -> None:
        self.title, self.asked = title, dict(controls)
        self.STATE_NAMES = tuple(controls)
        self._usual = {name: texts_of(control.value) for name, control in controls.items()}
        self.chart, self.sentence, self.code = self._place(), HTML(), HTML()
        share = self._share_bar()
        for control in controls.values():
            control.observe(self._ask, names="value")
        self._ask()
        super().__init__(
            *self._pictures(),
            controls=[*controls.values(), *beside],
            foot=[self.sentence, share, self.code],
        )
        self.entitle(title, *self._facts())

    def _answer(self, asked: Mapping[str, Any]) -> Answer:
        """Return what values of the controls come to."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """What is drawn, as a sentence or some."""
        return self.answer.words

    def __repr__(self) -> str:
        return self.answer.summary

    def _facts(self) -> Sequence[str]:
        """Return what the heading says of the data."""
        return ()

    def _pictures(self) -> Sequence[Any]:
        """Return what is looked at, from above to below."""
        return [self.chart]

    def _values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.asked.items()}

    def _ask(self, _change: Any = None) -> None:
        if not self._opening:
            self._take(self._answer(self._values()))
            self._note_view()

    def _take(self, answer: Answer) -> None:
        self.answer = answer
        self.sentence.value, self.code.value = told(answer.words), code_line(answer.code)
        self._draw(answer)

    def _place(self) -> Any:
        return Chart(toolbar=False)

    def _draw(self, answer: Answer) -> None:
        redraw(self.chart, answer.drawn)

    def _still(self) -> Markup:
        return still(self.chart, repr(self), self.words)

    def _state_parts(self) -> dict[str, Any]:
        return {name: texts_of(value) for name, value in self._values().items()}

    def _reopen(self, parts: Parts) -> None:
        before = self._values()
        try:
            for name, control in self.asked.items():
                control.value = value_from_texts(name, control, parts.get(name, self._usual[name]))
        except WorkbenchError:
            for name, value in before.items():
                self.asked[name].value = value
            raise
        self._take(self._answer(self._values()))

    def _table(self) -> pd.DataFrame:
        return self.answer.table

    def _choices(self) -> list[PageChoice]:
        """Return the choices of a page, as the controls have them."""
        return [_paged(name, self.asked[name]) for name in self.PAGE_CHOICES]

    def _meant(self, *chosen: Any) -> dict[str, Any]:
        """Return what the choices of a page come to, as values of controls."""
        return dict(zip(self.PAGE_CHOICES, chosen, strict=True))

    def _shareable(self) -> Shareable:
        now, choices = self._values(), self._choices()

        def draw(at: tuple[int, ...]) -> PageView:
            chosen = (one.options[k][1] for one, k in zip(choices, at, strict=True))
            return self._view(now | self._meant(*chosen))

        return Shareable(self.title, self._facts(), self.FILE, choices, draw)

    def _view(self, asked: Mapping[str, Any]) -> PageView:
        answer = self._answer(asked)
        state = self._state_text({name: texts_of(value) for name, value in asked.items()})
        rows = Listed(answer.table, answer.code).markup
        return PageView(
            state, self._pictured(answer), answer.words, rows, answer.code, csv_of(answer.table)
        )

    def _pictured(self, answer: Answer) -> Markup:
        """Return what a page shows of an answer."""
        drawn, height, width = arranged([Named(answer.drawn, self.title)], 0)
        return bare(drawn, answer.words, width, height)


def _paged(name: str, control: Any) -> PageChoice:
    """A control as a choice of a page."""
    options = options_of(control)
    first = [value for _, value in options].index(control.value)
    slides = isinstance(control, widgets.SelectionSlider | widgets.IntSlider)
    return PageChoice(name, options, first, ordered=slides)


class Leaves(NamedTuple):
    """What the leaves of a tree are called.

    Attributes
    ----------
    one, several : str
    inside : str
        Those that are asked for.
    valued : bool
        Whether nodes have values, and not names alone.
    """

    one: str
    several: str
    inside: str
    valued: bool


class TreeChart(Explorer):
    """An explorer whose chart is a tree, as the step player draws it.

    Attributes
    ----------
    clicked : Table
        The leaves below the node that was clicked last.
    """

    LEAVES: Leaves

    def __init__(self, title: str, controls: Mapping[str, Any], *beside: Any) -> None:
        self.clicked = Table()
        super().__init__(title, controls, *beside)
        self.sheet.on_node(self.list_node)

    def list_node(self, node: str) -> None:
        """List the leaves below a node, as a click on it does.

        Parameters
        ----------
        node : str
            What ``picture`` calls it.
        """
        nodes = {one["id"]: one for one in self.picture["nodes"]}
        below = [one for one in nodes.values() if _is_leaf(one) and _is_in(one, nodes[node])]
        self.clicked.show(self._listed(below), "", name=self.FILE)
        self.clicked.note.value = element("p", self._told(nodes[node], len(below)))
        self.clicked.layout.display = None

    def _listed(self, leaves: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        state, names = self.picture["states"][0], self.LEAVES
        inside = [any(_is_in(one, frame) for frame in state["frames"]) for one in leaves]
        columns = {names.one: [one["from"] for one in leaves]}
        if names.valued:
            columns["value"] = [state["values"][one["id"]] for one in leaves]
        columns[names.inside] = ["yes" if found else "no" for found in inside]
        return pd.DataFrame(columns)

    def _told(self, node: Mapping[str, Any], leaves: int) -> Markup:
        """What a node stands for, its value, and whether it is used."""
        state, names, first = self.picture["states"][0], self.LEAVES, node["from"]
        end = f" to {first + leaves - 1}" if leaves > 1 else ""
        words = [state["values"][node["id"]]] if names.valued else []
        if node["id"] in state["lit"]:
            words.append(self.picture["legend"]["lit"])
        who = element(
            "b", f"{names.several if leaves > 1 else names.one} {first}{end}".capitalize()
        )
        return who + (f": {', '.join(words)}." if words else "")

    def _pictures(self) -> Sequence[Any]:
        return [self.chart, self.clicked]

    @property
    def picture(self) -> dict[str, Any]:
        """A picture of kind ``tree`` with one state."""
        found: dict[str, Any] = self.answer.drawn
        return found

    def _place(self) -> HTML:
        return HTML()

    def _draw(self, answer: Answer) -> None:
        self.chart.value = self._pictured(answer, live=True)
        # What was listed is gone with the tree that it was of.
        self.clicked.layout.display = "none"

    def _pictured(self, answer: Answer, live: bool = False) -> Markup:
        drawn, height = _card(answer.drawn, live)
        return bare(drawn, answer.drawn["states"][0]["label"], WIDTH + 48, height)

    def _still(self) -> Markup:
        return page(repr(self), _card(self.picture, live=False), self.words)


def _is_leaf(node: Mapping[str, Any]) -> bool:
    return bool(node["to"] == node["from"] + 1)


def _is_in(node: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether what a node stands for is in what another one, or a frame, does."""
    return bool(other["from"] <= node["from"] and node["to"] <= other["to"])


def _card(picture: dict[str, Any], live: bool) -> Part:
    """A tree, where there is room around it."""
    drawing = drawn_at(picture, live=live)
    return moved(24, 16, drawing.markup), drawing.height + 32

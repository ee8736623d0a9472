"""Base classes of explorers: the card, the still for pages without widgets, chart and sentence."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets as widgets
import pandas as pd

from workbench.errors import WorkbenchError
from workbench.figures.stills.still import NamedFigure, arrange, page, still
from workbench.figures.svg import Part, bare, moved
from workbench.markup import Markup, element
from workbench.widgets.chart import Chart
from workbench.widgets.html import HTML, code_line, heading, live_sentence
from workbench.widgets.redraw import redraw
from workbench.widgets.sharing.controls import options_of, texts_of, value_from_texts
from workbench.widgets.sharing.files import csv_of
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import Parts
from workbench.widgets.sheet import Sheet
from workbench.widgets.stepper.pictures import WIDTH, draw_at
from workbench.widgets.table import DisplayTable, Table

#: Controls in a row, which wraps.
ROW = {"flex_flow": "row wrap", "align_items": "center"}


class WithStill:
    """A widget whose cell also stores a still picture of it, and its ``repr``."""

    def _still(self) -> Markup:
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = super()._repr_mimebundle_(**options) or {}  # type: ignore[misc]
        still_data = {"image/svg+xml": self._still(), "text/plain": repr(self)}
        return {**live, **still_data, **self._saved_output()}

    def _saved_output(self) -> dict[str, Any]:
        """Return what a saved cell stores of the widget in addition to the still."""
        return {}


class Card(WithStill, widgets.VBox):  # type: ignore[misc]
    """The layout of all explorers, from the heading down to the line of code.

    Parameters
    ----------
    *picture : widgets
        The pictures.
    controls : sequence of widgets
        The controls, in a row that wraps.
    rows : sequence of widgets
        The details of the picture: to the right of it, or below it on a narrow page.
    foot : sequence of widgets
        What follows across the whole card: the status, the line of code, a player.

    Attributes
    ----------
    head : HTML
        Its value is a :func:`workbench.widgets.html.heading`.
    sheet : Sheet
        Reports clicks on the nodes of a tree.
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
        bar = [_classed(widgets.HBox(controls), "wb-controls")] if controls else []
        self._main = _classed(widgets.HBox(columns), "wb-main", *(["wb-two"] if rows else []))
        super().__init__([self.sheet, self.head, *bar, self._main, *foot])
        self.add_class("wb-card")

    def show_rows(self, shown: bool) -> None:
        """Show the details of the picture, or give the picture the full width."""
        self._main.children[-1].layout.display = None if shown else "none"
        (self._main.add_class if shown else self._main.remove_class)("wb-two")

    def entitle(self, title: str, *facts: object) -> None:
        """Set the heading: the title, and facts about the data."""
        self.head.value = heading(title, *facts)


def _classed(widget: Any, *names: str) -> Any:
    for name in names:
        widget.add_class(name)
    return widget


class Answer(NamedTuple):
    """The result of an explorer for the values of its controls.

    Attributes
    ----------
    drawn : plotly.graph_objects.Figure, or dict
        A figure, or a picture as the step player draws it.
    result : any
        The result as a Python object.
    summary : str
        The result in one line.
    words : str
        The result in one or more sentences, read aloud when it changes.
    table : pandas.DataFrame
        The result as a table.
    code : str
        The line of Python that opens the explorer with these values.
    """

    drawn: Any
    result: Any
    summary: str
    words: str
    table: pd.DataFrame
    code: str


class Explorer(Shared, Card):
    """An explorer without Spark: controls, and a sentence and a chart of their result.

    Parameters
    ----------
    title : str
        The heading.
    controls : dict of str to widget
        The controls by their names in a state; each change computes the result again. A control
        whose limits depend on another one comes after that one.
    *extra : widgets
        Further widgets in the row of controls.

    Attributes
    ----------
    answer : Answer
        The result for the values of the controls.
    """

    answer: Answer
    #: The controls that are choices of a page.
    PAGE_CHOICES: Sequence[str] = ()

    def __init__(self, title: str, controls: Mapping[str, Any], *extra: Any) -> None:
        self.title, self.inputs = title, dict(controls)
        self.STATE_NAMES = tuple(controls)
        self._defaults = {name: texts_of(control.value) for name, control in controls.items()}
        self.chart, self.sentence, self.code = self._new_chart(), HTML(), HTML()
        share = self._share_bar()
        for control in controls.values():
            control.observe(self._ask, names="value")
        self._ask()
        super().__init__(
            *self._pictures(),
            controls=[*controls.values(), *extra],
            foot=[self.sentence, share, self.code],
        )
        self.entitle(title, *self._facts())

    def _answer(self, settings: Mapping[str, Any]) -> Answer:
        """Return the result for values of the controls."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The result in one or more sentences."""
        return self.answer.words

    def __repr__(self) -> str:
        return self.answer.summary

    def _facts(self) -> Sequence[str]:
        """Return the facts about the data for the heading."""
        return ()

    def _pictures(self) -> Sequence[Any]:
        """Return the pictures, from top to bottom."""
        return [self.chart]

    def _values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.inputs.items()}

    def _ask(self, _change: Any = None) -> None:
        if not self._opening:
            self._take(self._answer(self._values()))
            self._note_view()

    def _take(self, answer: Answer) -> None:
        self.answer = answer
        self.sentence.value, self.code.value = live_sentence(answer.words), code_line(answer.code)
        self._draw(answer)

    def _new_chart(self) -> Any:
        return Chart(toolbar=False)

    def _draw(self, answer: Answer) -> None:
        redraw(self.chart, answer.drawn)

    def _still(self) -> Markup:
        return still(self.chart.whole, repr(self), self.words)

    def _state_parts(self) -> dict[str, Any]:
        return {name: texts_of(value) for name, value in self._values().items()}

    def _reopen(self, parts: Parts) -> None:
        before = self._values()
        try:
            for name, control in self.inputs.items():
                control.value = value_from_texts(
                    name, control, parts.get(name, self._defaults[name])
                )
        except WorkbenchError:
            for name, value in before.items():
                self.inputs[name].value = value
            raise
        self._take(self._answer(self._values()))

    def _table(self) -> pd.DataFrame:
        return self.answer.table

    def _choices(self) -> list[PageChoice]:
        """Return the choices of a page, made from the controls."""
        return [_page_choice(name, self.inputs[name]) for name in self.PAGE_CHOICES]

    def _chosen_values(self, *chosen: Any) -> dict[str, Any]:
        """Return the values of controls for the chosen options of a page."""
        return dict(zip(self.PAGE_CHOICES, chosen, strict=True))

    def _shareable(self) -> Shareable:
        now, choices = self._values(), self._choices()

        def draw(at: tuple[int, ...]) -> PageView:
            chosen = (one.options[k][1] for one, k in zip(choices, at, strict=True))
            return self._view(now | self._chosen_values(*chosen))

        return Shareable(self.title, self._facts(), self.FILE, choices, draw)

    def _view(self, settings: Mapping[str, Any]) -> PageView:
        answer = self._answer(settings)
        state = self._state_text({name: texts_of(value) for name, value in settings.items()})
        rows = DisplayTable(answer.table, answer.code).markup
        return PageView(
            state, self._pictured(answer), answer.words, rows, answer.code, csv_of(answer.table)
        )

    def _pictured(self, answer: Answer) -> Markup:
        """Return the picture of an answer for a page."""
        drawn, height, width = arrange([NamedFigure(answer.drawn, self.title)], 0)
        return bare(drawn, answer.words, width, height)


def _page_choice(name: str, control: Any) -> PageChoice:
    """Return a control as a choice of a page."""
    options = options_of(control)
    first = [value for _, value in options].index(control.value)
    slides = isinstance(control, widgets.SelectionSlider | widgets.IntSlider)
    return PageChoice(name, options, first, ordered=slides)


class Leaves(NamedTuple):
    """The words for the leaves of a tree.

    Attributes
    ----------
    one, several : str
        Singular and plural.
    inside : str
        The column that tells whether a leaf is in the frame or range.
    valued : bool
        Whether nodes have values in addition to names.
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

    def __init__(self, title: str, controls: Mapping[str, Any], *extra: Any) -> None:
        self.clicked = Table()
        super().__init__(title, controls, *extra)
        self.sheet.on_node(self.list_node)

    def list_node(self, node: str) -> None:
        """List the leaves below a node, as a click on it does.

        Parameters
        ----------
        node : str
            The node's ``id`` in ``picture``.
        """
        nodes = {one["id"]: one for one in self.picture["nodes"]}
        below = [one for one in nodes.values() if _is_leaf(one) and _is_in(one, nodes[node])]
        self.clicked.show(self._leaf_table(below), "", name=self.FILE)
        self.clicked.note.value = element("p", self._node_text(nodes[node], len(below)))
        self.clicked.layout.display = None

    def _leaf_table(self, leaves: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        state, names = self.picture["states"][0], self.LEAVES
        inside = [any(_is_in(one, frame) for frame in state["frames"]) for one in leaves]
        columns = {names.one: [one["from"] for one in leaves]}
        if names.valued:
            columns["value"] = [state["values"][one["id"]] for one in leaves]
        columns[names.inside] = ["yes" if is_inside else "no" for is_inside in inside]
        return pd.DataFrame(columns)

    def _node_text(self, node: Mapping[str, Any], leaves: int) -> Markup:
        """Return the leaves of a node, its value, and whether it is used, in words."""
        state, names, first = self.picture["states"][0], self.LEAVES, node["from"]
        end = f" to {first + leaves - 1}" if leaves > 1 else ""
        words = [state["values"][node["id"]]] if names.valued else []
        if node["id"] in state["lit"]:
            words.append(self.picture["legend"]["lit"])
        name = element(
            "b", f"{names.several if leaves > 1 else names.one} {first}{end}".capitalize()
        )
        return name + (f": {', '.join(words)}." if words else "")

    def _pictures(self) -> Sequence[Any]:
        return [self.chart, self.clicked]

    @property
    def picture(self) -> dict[str, Any]:
        """A picture of kind ``tree`` with one state."""
        picture: dict[str, Any] = self.answer.drawn
        return picture

    def _new_chart(self) -> HTML:
        return HTML()

    def _draw(self, answer: Answer) -> None:
        self.chart.value = self._pictured(answer, live=True)
        # The listed leaves are those of the tree before.
        self.clicked.layout.display = "none"

    def _pictured(self, answer: Answer, live: bool = False) -> Markup:
        drawn, height = _card(answer.drawn, live)
        return bare(drawn, answer.drawn["states"][0]["label"], WIDTH + 48, height)

    def _still(self) -> Markup:
        return page(repr(self), _card(self.picture, live=False), self.words)


def _is_leaf(node: Mapping[str, Any]) -> bool:
    return bool(node["to"] == node["from"] + 1)


def _is_in(node: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the range of a node is within that of another node or of a frame."""
    return bool(other["from"] <= node["from"] and node["to"] <= other["to"])


def _card(picture: dict[str, Any], live: bool) -> Part:
    """Draw a tree, with a margin around it."""
    drawing = draw_at(picture, live=live)
    return moved(24, 16, drawing.markup), drawing.height + 32

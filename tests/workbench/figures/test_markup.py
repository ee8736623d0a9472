"""Hostile names, values and errors are shown as they are, in every picture and every widget."""

import html.parser
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import ipywidgets
import plotly.graph_objects as go
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.hostile import NAMES, explorers, figures, stills, widgets
from workbench.markup import element, readable
from workbench.widgets.explorers.funnel import people as funnel_people
from workbench.widgets.html import HTML

SVG = "circle clipPath g line path pattern polygon polyline rect style svg text title tspan"
PAGE = "b br button code details div p pre small span style summary table tbody td th thead tr"
PLOTLY_TAGS = {
    *("<b>", "</b>", "<br>", "<extra>", "</extra>", "</span>", '<span style="font-size:12px">')
}
each_name = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)


def beginning(name: str) -> str:
    """Return what the smallest place shows of a name, with blanks as pages show them."""
    return " ".join(readable(name)[:9].split())


def squeezed(words: str) -> str:
    return " ".join(words.split())


class Page(html.parser.HTMLParser):
    """The tags, the attributes and the words of a piece of HTML, as a browser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.words = set[str](), set[str](), ""
        # Plain text, as adding to markup would escape what is added.
        self.feed(str(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        self.tags.add("<!--")


def texts(value: Any) -> Iterator[str]:
    """Yield every text of a figure."""
    if isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, str):
        yield value


def texts_of(figure: go.Figure) -> list[str]:
    plain = json.loads(figure.to_json())
    for name in ("template", "legendgroup"):
        plain["layout"].pop(name, None)
    for trace in plain["data"]:
        trace.pop("legendgroup", None)  # which is not shown
    return list(texts({"data": plain["data"], "layout": plain["layout"]}))


def pages_of(widget: Any) -> Iterator[HTML]:
    """Yield all widgets within a widget that show markup."""
    if isinstance(widget, ipywidgets.HTML):
        yield widget
    for child in getattr(widget, "children", ()):
        yield from pages_of(child)


def figures_of(widget: Any) -> Iterator[go.FigureWidget]:
    if isinstance(widget, go.FigureWidget):
        yield widget
    for child in getattr(widget, "children", ()):
        yield from figures_of(child)


def is_safe_svg(drawn: str) -> str:
    """Check a still as a reader of XML does, and return its words."""
    parts = list(ElementTree.fromstring(drawn).iter())
    tags = {part.tag.rpartition("}")[2] for part in parts}
    assert tags <= set(SVG.split())
    names = {name for part in parts for name in part.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name]
    return squeezed(" ".join(part.text or "" for part in parts))


def is_safe_figure(figure: go.Figure) -> str:
    """Check a figure as plotly reads its texts, and return its words."""
    figure_texts = texts_of(figure)
    assert {tag for text in figure_texts for tag in re.findall("<[^<>]*>", text)} <= PLOTLY_TAGS
    plain_texts = [re.sub("<[^<>]*>", "", text) for text in figure_texts]
    assert not [text for text in plain_texts if "<" in text or "$" in text]
    return squeezed(" ".join(map(html.unescape, plain_texts)))


def is_safe_page(place: HTML) -> str:
    """Check what a widget shows as a browser reads it, and return its words."""
    page = Page(place.value)
    assert page.tags <= set(PAGE.split())
    assert page.attributes <= {"class", "colspan", "role", "style"}
    return squeezed(page.words)


@each_name
def test_every_still_shows_a_name_as_it_is(name: str) -> None:
    for kind, drawn in stills(name).items():
        assert beginning(name) in is_safe_svg(drawn), kind


@each_name
def test_every_figure_shows_a_name_as_it_is(name: str) -> None:
    for kind, figure in figures(name).items():
        assert beginning(name) in is_safe_figure(figure), kind


@each_name
def test_every_widget_shows_a_name_as_it_is(name: str) -> None:
    for kind, widget in widgets(name).items():
        nameless = list(pages_of(getattr(widget, "share", None)))
        for place in pages_of(widget):
            words = is_safe_page(place)
            # Headings name the explorer and buttons their action, not the names in a table.
            # A table that was made here has no line of Python.
            if place in nameless or "wb-heading" in place.value or not place.value:
                continue
            # A line of Python has the name as Python writes it.
            expected = repr(name)[1:] if "wb-code" in place.value else name
            assert beginning(expected) in words, kind
        assert widget.comm is None or json.dumps(widget.get_state(), default=str)


def test_the_explorers_show_hostile_tables(spark: SparkSession) -> None:
    for kind, widget in explorers(spark, [NAMES["image"], NAMES["control"][6:]]).items():
        for place in pages_of(widget):
            is_safe_page(place)
        for figure in figures_of(widget):
            is_safe_figure(figure)
        words = is_safe_svg(widget._repr_mimebundle_()["image/svg+xml"])
        assert re.search("<(img|i>|/sc)", words), kind


def test_the_text_of_a_failed_job_is_not_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise wb.WorkbenchError(f"key: {NAMES['image']!r} is gone.")

    monkeypatch.setattr(funnel_people, "first_people", fails)
    funnel = wb.Funnel(["a", "b"], "1 day")
    people = funnel_people.FunnelPeople(funnel, SimpleNamespace(keys=3))  # type: ignore[arg-type]
    people.show(funnel, [2, 1])
    people.level.value = 1
    assert is_safe_page(people.note) == f"✕ key: {NAMES['image']!r} is gone."


def test_an_html_widget_escapes_text_that_is_not_markup() -> None:
    place = HTML("a < b")
    assert place.value == "a &lt; b"
    place.value = element("b", "a < b")
    assert place.value == "<b>a &lt; b</b>"

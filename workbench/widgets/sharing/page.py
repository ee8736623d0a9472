"""The page that an explorer writes: a picture for each choice, without kernel and network."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from workbench.figures.theme import stylesheet_of
from workbench.markup import Markup, as_json, element, filled, joined, own_file, stylesheet
from workbench.widgets.html import code_line, heading
from workbench.widgets.script import STATIC
from workbench.widgets.sharing.grid import PageChoice, fit_views

#: The largest size of a page in bytes, and the most seconds to draw its views.
MOST_BYTES, MOST_SECONDS = 2_000_000, 60.0
#: Bytes of markup around a view, and around an option.
_AROUND = 60
#: The most left-out options that are named.
MOST_NAMED = 24


class PageView(NamedTuple):
    """What a page shows of one combination of choices.

    Attributes
    ----------
    state : str
        The view's ``explorer.state``.
    pictures : Markup
    words : str
        The result in words, read aloud when the view is chosen.
    table : Markup
        The table behind the pictures.
    code : str
        The Python code that computes the result.
    csv : str
        The table as CSV.
    """

    state: str
    pictures: Markup
    words: str
    table: Markup
    code: str
    csv: str

    @property
    def markup(self) -> Markup:
        """The view as it appears in the page."""
        pictures = element("div", self.pictures, class_="wb-pictures")
        table = element("div", self.table, class_="wb-table-place", tabindex=0)
        return pictures + element("p", self.words, class_="wb-told") + table + code_line(self.code)

    @property
    def size(self) -> int:
        """The bytes of the page that the view takes."""
        return len(self.markup.encode()) + len(as_json([self.state, self.csv])) + _AROUND


class Shareable(NamedTuple):
    """The content of an explorer that a page is written from.

    Attributes
    ----------
    title : str
    facts : sequence of str
        Facts about the data, such as the number of rows.
    name : str
        The name of a file that is saved from the page, without its extension.
    choices : sequence of PageChoice
    draw : function
        Returns the view for one option number of each choice.
    """

    title: str
    facts: Sequence[str]
    name: str
    choices: Sequence[PageChoice]
    draw: Callable[[tuple[int, ...]], PageView]


def offline_page(
    what: Shareable, most_bytes: int = MOST_BYTES, seconds: float = MOST_SECONDS
) -> Markup:
    """Return a page with a view for each choice that fits.

    Parameters
    ----------
    what : Shareable
    most_bytes : int
        The largest size of the page, which names the options that do not fit.
    seconds : float
        The most seconds that drawing may take.

    Returns
    -------
    Markup
        An HTML document that loads nothing else.
    """
    names = [[label for label, _ in one.options] for one in what.choices]
    around = sum(len(as_json(label)) + _AROUND for labels in names for label in labels)
    around += sum(len(_some(labels).encode()) for labels in names)
    around += len(_page(what, [], [], 0, "").encode()) + 4 * _AROUND * (1 + len(names))
    views = fit_views(what.choices, what.draw, lambda view: view.size, most_bytes - around, seconds)
    offered = [one for one in what.choices if len(one.included) > 1]
    order = sorted(views)
    first = order.index(tuple(one.first for one in what.choices))
    return _page(what, offered, [views[at] for at in order], first, _left_out(what.choices))


def _page(
    what: Shareable,
    offered: Sequence[PageChoice],
    views: Sequence[PageView],
    first: int,
    left_out: str,
) -> Markup:
    written_at = datetime.now().astimezone()
    known = {
        "name": what.name,
        "states": [view.state for view in views],
        "csv": [view.csv for view in views],
        "counts": [len(one.included) for one in offered],
        "first": first,
    }
    parts: dict[str, object] = {
        "title": what.title,
        "style": stylesheet(_style()),
        "heading": heading(what.title, *what.facts),
        "controls": joined(_control(one, number) for number, one in enumerate(offered)),
        "view": views[first].markup if views else "",
        # The first one is in the page already.
        "views": joined(
            element("template", "" if k == first else view.markup) for k, view in enumerate(views)
        ),
        "left_out": element("p", left_out, class_="wb-note") if left_out else "",
        "date": element("time", f"{written_at:%d %b %Y %H:%M %Z}", datetime=written_at.isoformat()),
        "known": as_json(known),
        "script": own_file(STATIC / "clipboard.js") + own_file(STATIC / "shared.js"),
    }
    return filled(own_file(STATIC / "shared.html"), parts)


def _style() -> str:
    sheets = (STATIC / name for name in ("explorer.css", "shared.css"))
    return stylesheet_of(".wb-card svg") + "".join(one.read_text("utf-8") for one in sheets)


def _control(one: PageChoice, number: int) -> Markup:
    """Return a slider for an ordered choice, else a list."""
    labels, at = (
        [one.options[k][0] for k in one.included_in_order],
        one.included_in_order.index(one.first),
    )
    name = element("span", one.name)
    if not one.ordered:
        options = (
            element("option", label, value=k, selected="selected" if k == at else None)
            for k, label in enumerate(labels)
        )
        select = element("select", *options, data_choice=number)
        return element("label", name, select, class_="wb-choice")
    slider = element(
        "input", type="range", min=0, max=len(labels) - 1, value=at, aria_valuetext=labels[at],
        data_choice=number, data_labels=as_json(labels).replace("\\u0026", "&"),
    )  # fmt: skip
    return element(
        "label",
        name,
        slider,
        element("span", labels[at], class_="wb-value", aria_hidden="true"),
        class_="wb-choice",
    )


def _left_out(choices: Sequence[PageChoice]) -> str:
    """Return the sentence about the options that do not fit."""
    sentences = [f"{one.name}: {_some(one.left_out)}" for one in choices if one.left_out]
    return (
        f"Left out, as there was no room or no time for more: {'; '.join(sentences)}."
        if sentences
        else ""
    )


def _some(names: Sequence[str]) -> str:
    """Return the names; of many, the first ones and the last."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    first = ", ".join(names[: MOST_NAMED - 1])
    return f"{first}, … {names[-1]} ({len(names):,} in all)"

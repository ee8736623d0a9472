"""The page that an explorer writes: its picture for each choice, with no kernel and no network."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from workbench.figures.theme import stylesheet_of
from workbench.markup import Markup, as_json, element, filled, joined, own_file, stylesheet
from workbench.widgets.html import code_line, heading
from workbench.widgets.script import STATIC
from workbench.widgets.sharing.grid import PageChoice, fitted

#: How large a page may be, in bytes, and how long it may take to draw its views, in seconds.
MOST_BYTES, MOST_SECONDS = 2_000_000, 60.0
#: Bytes around a view, and around an option.
_AROUND = 60
#: How many options are named that were left out.
MOST_NAMED = 24


class PageView(NamedTuple):
    """What a page shows of one combination of choices.

    Attributes
    ----------
    state : str
        As ``explorer.state`` has it.
    pictures : Markup
    words : str
        What it comes to, read aloud when it is chosen.
    table : Markup
        What is drawn, as a table.
    code : str
        The lines of Python that ask for it.
    csv : str
        The table as a file.
    """

    state: str
    pictures: Markup
    words: str
    table: Markup
    code: str
    csv: str

    @property
    def markup(self) -> Markup:
        """What stands in the page."""
        pictures = element("div", self.pictures, class_="wb-pictures")
        table = element("div", self.table, class_="wb-table-place", tabindex=0)
        return pictures + element("p", self.words, class_="wb-told") + table + code_line(self.code)

    @property
    def size(self) -> int:
        """How many bytes of the page it takes."""
        return len(self.markup.encode()) + len(as_json([self.state, self.csv])) + _AROUND


class Shareable(NamedTuple):
    """What an explorer gives to be written as a page.

    Attributes
    ----------
    title : str
    facts : sequence of str
        What is known of the data.
    name : str
        What a file is called that is saved from the page.
    choices : sequence of PageChoice
    draw : function
        Returns the view of the numbers of an option of each choice.
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
        How large the page may be; of what does not fit it says that it was left out.
    seconds : float
        How long drawing may take.

    Returns
    -------
    Markup
        A document of HTML that asks for nothing else.
    """
    names = [[label for label, _ in one.options] for one in what.choices]
    around = sum(len(as_json(label)) + _AROUND for labels in names for label in labels)
    around += sum(len(_some(labels).encode()) for labels in names)
    around += len(_page(what, [], [], 0, "").encode()) + 4 * _AROUND * (1 + len(names))
    views = fitted(what.choices, what.draw, lambda view: view.size, most_bytes - around, seconds)
    asked = [one for one in what.choices if len(one.kept) > 1]
    order = sorted(views)
    first = order.index(tuple(one.first for one in what.choices))
    return _page(what, asked, [views[at] for at in order], first, _left_out(what.choices))


def _page(
    what: Shareable,
    asked: Sequence[PageChoice],
    views: Sequence[PageView],
    first: int,
    left_out: str,
) -> Markup:
    written = datetime.now().astimezone()
    known = {
        "name": what.name,
        "states": [view.state for view in views],
        "csv": [view.csv for view in views],
        "counts": [len(one.kept) for one in asked],
        "first": first,
    }
    parts: dict[str, object] = {
        "title": what.title,
        "style": stylesheet(_style()),
        "heading": heading(what.title, *what.facts),
        "controls": joined(_control(one, number) for number, one in enumerate(asked)),
        "view": views[first].markup if views else "",
        # The first one stands in the page already.
        "views": joined(
            element("template", "" if k == first else view.markup) for k, view in enumerate(views)
        ),
        "left_out": element("p", left_out, class_="wb-note") if left_out else "",
        "date": element("time", f"{written:%d %b %Y %H:%M %Z}", datetime=written.isoformat()),
        "known": as_json(known),
        "script": own_file(STATIC / "shared.js"),
    }
    return filled(own_file(STATIC / "shared.html"), parts)


def _style() -> str:
    sheets = (STATIC / name for name in ("explorer.css", "shared.css"))
    return stylesheet_of(".wb-card svg") + "".join(one.read_text("utf-8") for one in sheets)


def _control(one: PageChoice, number: int) -> Markup:
    """A slider of what has an order, and a list of what has none."""
    labels, at = [one.options[k][0] for k in one.shown], one.shown.index(one.first)
    name = element("span", one.name)
    if not one.ordered:
        options = (
            element("option", label, value=k, selected="selected" if k == at else None)
            for k, label in enumerate(labels)
        )
        asked = element("select", *options, data_choice=number)
        return element("label", name, asked, class_="wb-choice")
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
    """The sentence about what does not fit."""
    said = [f"{one.name}: {_some(one.left_out)}" for one in choices if one.left_out]
    return f"Left out, as there was no room or no time for more: {'; '.join(said)}." if said else ""


def _some(names: Sequence[str]) -> str:
    """Names, and of many the first ones and the last."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    first = ", ".join(names[: MOST_NAMED - 1])
    return f"{first}, … {names[-1]} ({len(names):,} in all)"

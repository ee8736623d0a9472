"""Places of a widget that show markup, and what they show most often."""

import ast
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.figures.theme import VERMILLION, number
from workbench.markup import Markup, element
from workbench.widgets.causes import cause

#: How names are imported that stand in the values of a line of Python as ``repr`` writes them.
_IMPORTS = {
    "datetime": "import datetime",
    "zoneinfo": "import zoneinfo",
    "Decimal": "from decimal import Decimal",
    "UUID": "from uuid import UUID",
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "Timestamp": "from pandas import Timestamp",
}


class HTML(widgets.HTML):  # type: ignore[misc]
    """A place for markup: a text that is none is shown as it is.

    Examples
    --------
    >>> print(HTML("a < b").value)
    a &lt; b
    """

    @traitlets.validate("value")
    def _escape(self, proposal: dict[str, Any]) -> Markup:
        return Markup.escape(proposal["value"])


class Status(HTML):
    """A place that says what an action comes to, and in one sentence why it failed.

    Examples
    --------
    >>> status = Status()
    >>> status.guard(lambda: 1 / 0), status.guard(lambda: status.tell("✓ done"))
    (False, True)
    """

    def tell(self, *words: object) -> None:
        """Say what there is to say; it is read aloud when it changes."""
        self.value = element("div", *words, role="status", class_="wb-told")

    def fail(self, sentence: str) -> None:
        """Say what went wrong."""
        self.tell(failure(sentence))

    def guard(self, act: Callable[[], object]) -> bool:
        """Do something, say why where it fails, and return whether it did not."""
        try:
            act()
        except Exception as error:
            self.fail(cause(error))
            return False
        return True


def failure(sentence: str) -> Markup:
    """Return how a sentence about what went wrong is shown."""
    style = f"color:var(--wb-vermillion,{VERMILLION})"
    return element("b", f"✕ {sentence}", class_="wb-failed", style=style)


def told(*words: str) -> Markup:
    """Return how a sentence about what is drawn is shown, and read aloud when it changes."""
    return element("p", *words, role="status", class_="wb-told")


def heading(title: str, *facts: object) -> Markup:
    """Return how an explorer is headed: what it is, and what is known of its data.

    Parameters
    ----------
    title : str
    *facts : Markup or any
        Such as how many rows there are; :func:`fact` sets a number off.

    Examples
    --------
    >>> print(heading("Frames", fact(12, "row")))  # doctest: +ELLIPSIS
    <div class="wb-heading"><div class="wb-title">Frames</div>...<b>12</b> rows</span></div></div>
    """
    parts = [element("div", title, class_="wb-title")]
    if facts:
        said = (element("span", one) for one in facts)
        parts.append(element("div", *said, class_="wb-facts"))
    return element("div", *parts, class_="wb-heading")


def fact(count: int, what: str) -> Markup:
    """Return how many there are of something, with its number set off.

    Examples
    --------
    >>> print(fact(661610, "event"))
    <b>661,610</b> events
    """
    return element("b", number(count)) + f" {what}{'' if count == 1 else 's'}"


def code_line(text: str) -> Markup:
    """Return how the line of Python is shown that does what an explorer shows, to be copied.

    What it imports beside ``wb`` stands above it.

    Examples
    --------
    >>> print(code_line("wb.fn.count()"))
    <div class="wb-code"><code>wb.fn.count()</code><button class="wb-copy">Copy</button></div>
    """
    button = element("button", "Copy", class_="wb-copy")
    return element("div", element("code", _with_imports(text)), button, class_="wb-code")


def _with_imports(text: str) -> str:
    try:
        parts = [*ast.walk(ast.parse(text))]
    except SyntaxError:
        # Not Python, but SQL or a plan.
        return text
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    imported = {one.asname or one.name for part in parts
                if isinstance(part, ast.Import | ast.ImportFrom) for one in part.names}  # fmt: skip
    needed = [line for name, line in _IMPORTS.items() if name in names - imported]
    return "\n".join([*needed, text])


def listing(text: str, style: str = "") -> Markup:
    """Return how lines of Python or of a plan are shown."""
    return element("pre", text, style=f"white-space:pre-wrap{style}")

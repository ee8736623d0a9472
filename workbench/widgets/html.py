"""Widgets that show markup, and the markup that explorers use most often."""

import ast
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.figures.theme import VERMILLION, number
from workbench.markup import Markup, element
from workbench.widgets.causes import cause

#: The imports of names that ``repr`` writes into values of a line of Python.
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
    """A widget for markup; plain text is escaped.

    Examples
    --------
    >>> print(HTML("a < b").value)
    a &lt; b
    """

    @traitlets.validate("value")
    def _escape(self, proposal: dict[str, Any]) -> Markup:
        return Markup.escape(proposal["value"])


class Status(HTML):
    """A line that shows the result of an action, or in one sentence why it failed.

    Examples
    --------
    >>> status = Status()
    >>> status.guard(lambda: 1 / 0), status.guard(lambda: status.tell("✓ done"))
    (False, True)
    """

    def tell(self, *words: object) -> None:
        """Show a message; it is read aloud when it changes."""
        self.value = element("div", *words, role="status", class_="wb-told")

    def fail(self, sentence: str) -> None:
        """Show what went wrong."""
        self.tell(failure(sentence))

    def guard(self, act: Callable[[], object]) -> bool:
        """Run a function, show why if it fails, and return whether it succeeded."""
        try:
            act()
        except Exception as error:
            self.fail(cause(error))
            return False
        return True


def failure(sentence: str) -> Markup:
    """Return a sentence about an error as markup."""
    style = f"color:var(--wb-vermillion,{VERMILLION})"
    return element("b", f"✕ {sentence}", class_="wb-failed", style=style)


def live_sentence(*words: str) -> Markup:
    """Return a sentence about a drawing as markup that is read aloud when it changes."""
    return element("p", *words, role="status", class_="wb-told")


def heading(title: str, *facts: object) -> Markup:
    """Return the heading of an explorer: its title, and facts about its data.

    Parameters
    ----------
    title : str
    *facts : Markup or any
        Such as the number of rows; :func:`fact` sets a number off.

    Examples
    --------
    >>> print(heading("Frames", fact(12, "row")))  # doctest: +ELLIPSIS
    <div class="wb-heading"><div class="wb-title">Frames</div>...<b>12</b> rows</span></div></div>
    """
    parts = [element("div", title, class_="wb-title")]
    if facts:
        spans = (element("span", one) for one in facts)
        parts.append(element("div", *spans, class_="wb-facts"))
    return element("div", *parts, class_="wb-heading")


def fact(count: int, what: str) -> Markup:
    """Return a count and its noun as markup, with the number set off.

    Examples
    --------
    >>> print(fact(661610, "event"))
    <b>661,610</b> events
    """
    return element("b", number(count)) + f" {what}{'' if count == 1 else 's'}"


def code_line(text: str) -> Markup:
    """Return a line of Python as markup, with a button that copies it.

    The imports that it needs, other than ``wb``, precede it.

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
    """Return lines of Python or of a plan as markup."""
    return element("pre", text, style=f"white-space:pre-wrap{style}")

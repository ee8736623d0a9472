"""Places of a widget that show markup, and what they show most often."""

from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.figures.markup import Markup, element


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


def failure(sentence: str) -> Markup:
    """Return how a sentence about what went wrong is shown."""
    return element("b", f"✕ {sentence}", style="color:#c65200")


def told(*words: str) -> Markup:
    """Return how a sentence about what is drawn is shown, and read aloud when it changes."""
    return element("p", *words, role="status", style="line-height:1.5")


def listing(text: str, style: str = "") -> Markup:
    """Return how lines of Python or of a plan are shown."""
    return element("pre", text, style=f"white-space:pre-wrap{style}")

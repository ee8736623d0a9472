"""Places of a widget that show markup, and what they show most often."""

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.figures.markup import Markup, element
from workbench.widgets.causes import cause


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
        style = "line-height:1.35;white-space:normal"
        self.value = element("div", *words, role="status", style=style)

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
    return element("b", f"✕ {sentence}", style="color:#c65200")


def told(*words: str) -> Markup:
    """Return how a sentence about what is drawn is shown, and read aloud when it changes."""
    return element("p", *words, role="status", style="line-height:1.5")


def listing(text: str, style: str = "") -> Markup:
    """Return how lines of Python or of a plan are shown."""
    return element("pre", text, style=f"white-space:pre-wrap{style}")

"""The style sheet and the script that a browser gets once for all widgets of the workbench."""

from collections.abc import Callable

import anywidget

from workbench.figures.theme import stylesheet_of
from workbench.widgets.script import STATIC, loader

#: The selectors of pictures that are drawn in the colours of a light page.
SCOPES = (".js-plotly-plot", ".wb-card svg")
_FILES = "explorer.css", "controls.css"
STYLE = stylesheet_of(*SCOPES) + "".join((STATIC / one).read_text("utf-8") for one in _FILES)


class Sheet(anywidget.AnyWidget):
    """An invisible part of an explorer: it brings the style, and resizes charts.

    A plotly chart only notices a new width of the browser window; the script tells it of a new
    width of its own, when a side bar opens, a tab changes, or a column gets narrow. It also copies
    lines of code, and reports clicks on the nodes of a tree.
    """

    _esm = loader("clipboard.js", "sheet.js")
    _css = STYLE

    def on_node(self, act: Callable[[str], object]) -> None:
        """Call a function on each click on a node of a tree in the explorer.

        Parameters
        ----------
        act : function
            Takes what the node is called in its picture.
        """
        self.on_msg(lambda _widget, content, _buffers: "node" in content and act(content["node"]))

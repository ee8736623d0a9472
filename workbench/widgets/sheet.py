"""What a browser is given once for all widgets of the workbench: their style sheet and a script."""

from collections.abc import Callable

import anywidget

from workbench.figures.theme import stylesheet_of
from workbench.widgets.script import STATIC, loader

#: Where pictures are drawn in the colours of a light page.
SCOPES = (".js-plotly-plot", ".wb-card svg")
_FILES = "explorer.css", "controls.css"
STYLE = stylesheet_of(*SCOPES) + "".join((STATIC / one).read_text("utf-8") for one in _FILES)


class Sheet(anywidget.AnyWidget):
    """A part of an explorer that is not seen: it brings the style, and keeps charts in their width.

    A chart of plotly hears of a new width of the window alone; the script tells it of its own, when
    a side bar opens, a tab is changed, or a column gets narrow. It also copies lines of code,
    and tells of clicks on the nodes of a tree.
    """

    _esm = loader("sheet.js")
    _css = STYLE

    def on_node(self, act: Callable[[str], object]) -> None:
        """Have a click on a node of a tree in the explorer open what is behind it.

        Parameters
        ----------
        act : function
            Takes what the node is called in its picture.
        """
        self.on_msg(lambda _widget, content, _buffers: "node" in content and act(content["node"]))

"""A plotly figure as a part of a widget: as wide as its container, with a toolbar on hover."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
from traitlets import default

from workbench.figures.theme import themed
from workbench.widgets.script import SharedScript, loader, shared_script

SCRIPT = Path(plotly.__file__).parent / "package_data" / "widgetbundle.js"

#: The buttons that the toolbar omits: unneeded ones, and one that a double click replaces.
UNWANTED = ("select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d")


class Chart(go.FigureWidget):  # type: ignore[misc]
    """A figure that fills the available width, next to a :class:`workbench.widgets.sheet.Sheet`.

    plotly gives each of its widgets a copy of its script, 5 MB that a page evaluates for each of
    them; charts share one: :class:`workbench.widgets.script.SharedScript`.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure, optional
        Without it, an empty one to be drawn by :func:`workbench.widgets.redraw.redraw`.
    toolbar : bool
        Whether there is a toolbar on hover; a chart that cannot be zoomed has none.

    Attributes
    ----------
    whole : plotly.graph_objects.Figure
        The figure as it was drawn, whatever part of it a browser has zoomed to; a still is of it.

    Examples
    --------
    >>> chart = Chart(go.Figure(go.Bar(y=[3, 1])))
    >>> chart.data[0].y, chart._config["responsive"]
    ((3, 1), True)
    """

    _esm = loader("chart.js")
    _script = shared_script()
    #: plotly takes no attribute that the class does not have.
    whole: go.Figure = None

    def __init__(self, figure: go.Figure | None = None, *, toolbar: bool = True) -> None:
        figure = themed(go.Figure()) if figure is None else figure
        super().__init__(figure)
        self.whole = figure
        self._config: dict[str, Any] = {
            **self._config,
            "responsive": True,
            "displaylogo": False,
            # Automatic ranges would leave no room for the texts beside marks.
            "doubleClick": "reset",
            "displayModeBar": "hover" if toolbar else False,
            "modeBarButtonsToRemove": list(UNWANTED),
        }
        self.add_class("wb-chart")

    def on_mark(self, act: Callable[[Any, int], object]) -> None:
        """Call a function on each click on a mark; a redrawn figure needs a new call.

        Parameters
        ----------
        act : function
            Takes the mark's trace, and the mark's number in it.
        """
        for trace in self.data:
            trace.on_click(
                lambda trace, points, _state: points.point_inds and act(trace, points.point_inds[0])
            )

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        """Return the current state of the figure when a browser requests all of it.

        A page that is loaded again has missed changes.
        """
        # Without a comm, the widget is being created.
        if key is None and self.comm is not None:
            self._repr_mimebundle_()
        return dict(super().get_state(key, drop_defaults))

    @default("_script")
    def _plotly(self) -> SharedScript:
        return SharedScript.of(SCRIPT, plotly.__version__)

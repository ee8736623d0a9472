"""A figure as a part of a widget: as wide as its place, with a toolbar that shows on hover."""

from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as widgets
import plotly
import plotly.graph_objects as go
from traitlets import Bytes, Instance, Unicode, default

from workbench.figures.theme import themed

STATIC = Path(__file__).parent / "static"
SCRIPT = Path(plotly.__file__).parent / "package_data" / "widgetbundle.js"

#: What the toolbar does not offer: what nobody needs here, and what a double click does.
UNWANTED = ("select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d")


class PlotlyScript(anywidget.AnyWidget):
    """plotly's script, which a page gets once for all charts of a kernel; it is not seen."""

    _esm = "export default {}"
    code = Bytes().tag(sync=True)
    version = Unicode(plotly.__version__).tag(sync=True)

    _of_this_kernel: "PlotlyScript | None" = None

    @classmethod
    def get(cls) -> "PlotlyScript":
        """Return the one of this kernel, made anew if somebody closed it."""
        if cls._of_this_kernel is None or cls._of_this_kernel.comm is None:
            cls._of_this_kernel = cls(code=SCRIPT.read_bytes())
        return cls._of_this_kernel


class Chart(go.FigureWidget):  # type: ignore[misc]
    """A figure that fills the width it gets; a :class:`workbench.widgets.sheet.Sheet` is near.

    plotly gives each of its widgets a copy of its script, 5 MB that a page evaluates for every one;
    charts share one. A widget that is not ready within two seconds is given up by anywidget, so
    that several of them on a busy machine would stay empty.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure, optional
        Without it, an empty one to be drawn by :func:`workbench.widgets.redraw.redraw`.
    toolbar : bool
        Whether there is a toolbar on hover; a chart that cannot be zoomed has none.

    Examples
    --------
    >>> chart = Chart(go.Figure(go.Bar(y=[3, 1])))
    >>> chart.data[0].y, chart._config["responsive"]
    ((3, 1), True)
    """

    _esm = STATIC / "chart.js"
    _plotly = Instance(PlotlyScript).tag(sync=True, **widgets.widget_serialization)

    def __init__(self, figure: go.Figure | None = None, *, toolbar: bool = True) -> None:
        super().__init__(themed(go.Figure()) if figure is None else figure)
        self._config: dict[str, Any] = {
            **self._config,
            "responsive": True,
            "displaylogo": False,
            "displayModeBar": "hover" if toolbar else False,
            "modeBarButtonsToRemove": list(UNWANTED),
        }
        self.add_class("wb-chart")

    @default("_plotly")
    def _script_of_this_kernel(self) -> PlotlyScript:
        return PlotlyScript.get()

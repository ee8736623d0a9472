"""What each way of aggregating frames touches, as a figure with a still picture."""

from typing import Any

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go

from workbench.figures.stills.tree import touched_svg
from workbench.figures.tree import touched_figure

TITLE = "Values touched a row, by the length of the frame"


class TouchedView(widgets.VBox):  # type: ignore[misc]
    """A table of :func:`workbench.lessons.reads_per_frame.touched_table`, drawn.

    Parameters
    ----------
    table : pandas.DataFrame

    Examples
    --------
    >>> TouchedView(pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 9]))
    Values touched a row, by the length of the frame: naive 1.0 to 9.0
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self.figure = go.FigureWidget(touched_figure(table))
        super().__init__([self.figure])

    def __repr__(self) -> str:
        ways = (
            f"{way} {each.iloc[0]:.1f} to {each.iloc[-1]:.1f}" for way, each in self.table.items()
        )
        return f"{TITLE}: {', '.join(ways)}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = super()._repr_mimebundle_(**options) or {}
        return {**live, "image/svg+xml": touched_svg(self.table, TITLE), "text/plain": repr(self)}

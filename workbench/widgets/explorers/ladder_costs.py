"""The operations of each rung of the ladder, as a figure with a still picture."""

from typing import Any

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go

from workbench.figures.ladder_costs import rungs_figure, rungs_svg, rungs_words

TITLE = "Operations of each rung, and how they grow when the size doubles"


class RungsView(widgets.VBox):  # type: ignore[misc]
    """A table of :func:`workbench.lessons.ladder_costs.rung_table`, drawn.

    Parameters
    ----------
    table : pandas.DataFrame

    Examples
    --------
    >>> RungsView(pd.DataFrame({"naive": [10_000, 40_000]}, index=[100, 200]))
    Twice the queries and events: naive takes 4 times the operations, like their product.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self.figure = go.FigureWidget(rungs_figure(table))
        super().__init__([self.figure])

    def __repr__(self) -> str:
        return rungs_words(self.table)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = super()._repr_mimebundle_(**options) or {}
        return {**live, "image/svg+xml": rungs_svg(self.table, TITLE), "text/plain": repr(self)}

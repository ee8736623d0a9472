"""Where a backfill's rows lie, over keys and hops and over tasks, as a figure with a still."""

from typing import Any

import ipywidgets as widgets
import plotly.graph_objects as go

from workbench.backfill.inspect.skew import Skew
from workbench.figures.skew import skew_figure
from workbench.figures.stills.skew import skew_svg


class SkewView(widgets.VBox):  # type: ignore[misc]
    """What :meth:`workbench.Backfill.skew` returns, drawn.

    Parameters
    ----------
    skew : Skew

    Examples
    --------
    >>> import pandas as pd
    >>> hops = pd.DataFrame({"key": ["a", "a", "b"], "hop": [0, 5, 5], "rows": [9, 1, 2]})
    >>> tasks = pd.DataFrame({"method": ["scan"], "task": [0], "rows": [12]})
    >>> tasks = tasks.assign(queries=[2], events=[10], earlier=[0], states=[0])
    >>> SkewView(Skew(hops, pd.DataFrame({"key": [], "begin": []}), tasks))
    scan: the largest task has 12 rows, 1.0 times the mean
    """

    def __init__(self, skew: Skew) -> None:
        self.skew = skew
        self.figure = go.FigureWidget(skew_figure(skew))
        super().__init__([self.figure])

    def __repr__(self) -> str:
        return repr(self.skew)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = super()._repr_mimebundle_(**options) or {}
        return {**live, "image/svg+xml": skew_svg(self.skew), "text/plain": repr(self)}

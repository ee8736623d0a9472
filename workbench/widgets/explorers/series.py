"""The series explorer: a moving band with its outliers, at any zoom."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
import plotly.graph_objects as go

from workbench.errors import WorkbenchError
from workbench.figures.markup import Markup, in_lines
from workbench.figures.series import COLUMNS, View, series_figure
from workbench.figures.stills.still import still
from workbench.widgets.clock import CLOCK
from workbench.widgets.controls.series import SeriesControls
from workbench.widgets.explorers.explorer import Stilled
from workbench.widgets.html import HTML, Status, listing
from workbench.widgets.progress import Progress
from workbench.windows.bands.call import axis_name, band_alone, band_of, check_band
from workbench.windows.bands.prepared_series import PreparedSeries
from workbench.windows.bands.quantile_band import Band, compute, no_band
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


#: How many columns of pixels a still has, which is kept in the notebook.
IN_A_STILL = 300
#: What a zoom, another window or another series changes of a trace.
MOVING = ("x", "y", "customdata", "mode", "name", "hovertemplate", "marker")


class SeriesExplorer(Stilled, widgets.VBox):  # type: ignore[misc]
    """A moving band of quantiles over one series of a table at a time, to be changed by hand.

    Parameters
    ----------
    over : Over
        Where the explorer begins. Its first ``quantile`` of several shares is the band.
    df : pyspark.sql.DataFrame
        Scanned, shuffled and sorted once; ``prepared.free()`` gives the memory back.

    Attributes
    ----------
    over : Over
        The specification as the controls have it; ``over.run(df)`` is what is drawn, as a table.
    key : tuple
        The series that is drawn, by the values of the partition's columns.
    band : Band
        What is drawn, all of it.
    view : (value, value) or None
        What part of the axis is seen; None for all. It can be set.

    Raises
    ------
    WorkbenchError
        When there is no band to draw, or the table does not fit.

    Examples
    --------
    >>> import workbench as wb
    >>> over = wb.Over("plant", "date", wb.Frame.range("-3 days", "3 days"),
    ...                iqr=wb.fn.quantile("mwh", [0.25, 0.5, 0.75]))
    >>> explorer = SeriesExplorer(over, wb.datasets.power_plants(wb.session()))
    >>> explorer.key, explorer.band.quantiles[0.5].tolist()[:2]
    (('Boston',), [517964.0, 507405.0])
    """

    def __init__(self, over: Over, df: "DataFrame") -> None:
        check_band(df, over)
        self.prepared = PreparedSeries(df, band_alone(over))
        self.controls = SeriesControls(over, self.prepared.sizes)
        self.status, self.code = Status(), HTML()
        self.chart = go.FigureWidget()
        self.chart._config = {**self.chart._config, "doubleClick": "autosize"}
        self.progress = Progress(self.prepared.df.sparkSession, self.status, self.chart)
        self.band: Band = no_band(over)
        self._view: View | None = None
        self._seconds = 0.0
        self._ask()
        self.controls.observe(self._ask, names="over")
        self.controls.observe(self._another, names="key")
        self.controls.outliers.observe(self._draw, names="value")
        self.chart.layout.on_change(self._zoomed, "xaxis.range", "xaxis.autorange")
        super().__init__([self.controls, self.progress, self.status, self.chart, self.code])
        self._settle()

    @property
    def over(self) -> Over:
        """The specification as the controls have it."""
        found: Over = self.controls.over
        return found

    @property
    def key(self) -> tuple[Any, ...]:
        """The series that is drawn."""
        return tuple(self.controls.key or ())

    @property
    def view(self) -> View | None:
        """What part of the axis is seen; None for all."""
        return self._view

    @view.setter
    def view(self, view: View | None) -> None:
        self._view = view
        self._draw()

    def __repr__(self) -> str:
        return f"Explorer of {self.over!r}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        self._settle()
        return super()._repr_mimebundle_(**options)

    def _still(self) -> Markup:
        return still(self._figure(IN_A_STILL), self._title())

    def _settle(self) -> None:
        """Let a view begin with what is drawn by now; the chart does so when it is shown alone."""
        self.chart._repr_mimebundle_()

    def _another(self, _change: Any = None) -> None:
        self._view = None
        self._ask()

    def _ask(self, _change: Any = None) -> None:
        self.code.value = listing(repr(self.over))
        # With a clock in view; whatever fails is one sentence, and the next move works.
        self.status.tell(CLOCK + " Working …")
        self.progress.ask(partial(self._compute, self.over, self.key), self._show)

    def _draw(self, _change: Any = None) -> None:
        self.status.tell(CLOCK + " Working …")
        self.status.guard(self._redraw)

    def _compute(self, over: Over, key: tuple[Any, ...]) -> tuple[Band, float]:
        start = time.perf_counter()
        band = compute(self.prepared, over, key) if self.prepared.sizes else no_band(over)
        return band, time.perf_counter() - start

    def _show(self, answer: tuple[Band, float]) -> None:
        self.band, self._seconds = answer
        self._redraw()

    def _redraw(self) -> None:
        start = time.perf_counter()
        figure = self._figure()
        _show(self.chart, figure)
        self.status.tell(self._said(figure, time.perf_counter() - start))

    def _figure(self, columns: int = COLUMNS) -> go.Figure:
        marked, names = self.controls.outliers.value, self._names()
        return series_figure(self.band, self._view, outliers=marked, names=names, columns=columns)

    def _said(self, figure: go.Figure, seconds: float) -> Markup:
        drawn = sum(len(trace.x) for trace in figure.data)
        rows, outliers = len(self.band.x), int(np.count_nonzero(self.band.outlier))
        lines = [
            f"✓ {rows:,} rows in {self._seconds:.2f} s, {outliers:,} outliers in all; "
            f"drawn in {seconds:.2f} s with {drawn:,} points. Drag over the chart to zoom in, "
            "double-click to see all."
        ]
        if self.band.unplaced:
            lines.append(
                f"{self.band.unplaced:,} rows are not drawn: they have no place in the order, "
                "or an infinite value."
            )
        if self.controls.left_out:
            lines.append(f"The longest series are offered; {self.controls.left_out:,} are not.")
        return in_lines(lines)

    def _zoomed(self, layout: Any, *_changed: Any) -> None:
        ends = layout.xaxis.range
        view = None if layout.xaxis.autorange is True or ends is None else self._places(ends)
        if view != self._view:
            self.view = view

    def _places(self, ends: Any) -> View | None:
        """What is seen between two ends of the axis; None where that is all there is."""
        x = self.band.x
        low, high = (
            np.datetime64(str(end).replace(" ", "T"), "us") if x.dtype.kind == "M" else float(end)
            for end in ends
        )
        return None if not len(x) or (low <= x[0] and high >= x[-1]) else (low, high)

    def _names(self) -> tuple[str, str]:
        across = axis_name(self.prepared.df, self.over)
        return across, str(self.over.columns[band_of(self.over)].arguments[0])

    def _title(self) -> str:
        return " · ".join([self._names()[1], *map(str, self.key)])


def draws_a_band(over: Over, df: "DataFrame") -> bool:
    """Say whether a call on a table has a band that a series explorer can draw.

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> draws_a_band(wb.Over("plant", "date", total=wb.fn.sum("mwh")), plants)
    False
    """
    try:
        check_band(df, over)
    except WorkbenchError:
        return False
    return True


def _show(shown: go.FigureWidget, figure: go.Figure) -> None:
    """Draw a figure where another is shown: all of it at first, then only what a move changes."""
    alike = len(shown.data) == len(figure.data)
    with shown.batch_update():
        if not alike:
            shown.data = []
            shown.add_traces(figure.data)
            shown.update_layout(figure.layout)
            return
        for old, new in zip(shown.data, figure.data, strict=True):
            for name in MOVING:
                if new[name] is not None:
                    old[name] = new[name]
        shown.layout.xaxis.update(range=figure.layout.xaxis.range, autorange=False)

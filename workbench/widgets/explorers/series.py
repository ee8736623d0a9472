"""The series explorer: moving bands with their outliers, at any zoom."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from workbench.errors import WorkbenchError
from workbench.figures.decimate import within
from workbench.figures.series import COLUMNS, View, axis_range, bands_figure, whole_view
from workbench.figures.stills.still import NamedFigure, arrange, still
from workbench.figures.svg import bare
from workbench.figures.theme import number, themed
from workbench.frames.frame import Frame
from workbench.markup import Markup, element, in_lines
from workbench.widgets.chart import Chart
from workbench.widgets.clock import CLOCK
from workbench.widgets.controls.frame_choices import label_of
from workbench.widgets.controls.series import SeriesControls, series_name
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.series_points import (
    PointPanel,
    beyond_text,
    frame_shapes,
    outlier_frame,
    outlier_places,
)
from workbench.widgets.explorers.series_views import (
    rows_seen,
    spoken_view,
    view_of,
    view_parts,
    zooms,
)
from workbench.widgets.html import HTML, Status, code_line, fact
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import NOTES, change_to
from workbench.widgets.sharing.files import csv_of
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import Parts, key_text
from workbench.widgets.table import DisplayTable, Table
from workbench.windows.bands.call import axis_name, band_alone, band_of, check_band
from workbench.windows.bands.prepared_series import Key, PreparedSeries
from workbench.windows.bands.quantile_band import Band, compute, no_band
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


#: The most outliers of a view that a page lists.
IN_A_PAGE = 25
#: The columns of pixels of a still, which is stored in the notebook.
IN_A_STILL = 300


class SeriesExplorer(Shared, Card):
    """Moving bands of quantiles over series of a table, with controls to change them.

    Parameters
    ----------
    over : Over
        The initial call. Its first ``quantile`` with several shares is the band.
    df : pyspark.sql.DataFrame
        Scanned, shuffled and sorted once; ``prepared.free()`` releases the memory.

    Attributes
    ----------
    over : Over
        The specification of the controls; ``over.run(df)`` is the table that is drawn.
    key : tuple
        The first series that is drawn, by the values of the partition's columns.
    drawn : tuple of tuple
        All series that are drawn.
    band : Band
        The whole band of the first series.
    bands : dict of tuple to Band
        The bands of all drawn series.
    view : (value, value) or None
        The visible range of the axis; None for all of it. It can be set.
    outliers : pandas.DataFrame
        The visible outliers, the farthest beyond their own window first.

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

    FILE = "band"
    STATE_NAMES = ("series", "below", "window", "band", "outliers", "scale", "from", "to")

    def __init__(self, over: Over, df: "DataFrame") -> None:
        check_band(df, over)
        self.prepared = PreparedSeries(df, band_alone(over))
        self.controls = SeriesControls(over, self.prepared.sizes)
        self.status, self.code = Status(), HTML()
        # Without axes until the first answer.
        hidden = themed(go.Figure()).update_xaxes(visible=False).update_yaxes(visible=False)
        self.chart = Chart(hidden)
        self.chart._config = {**self.chart._config, "doubleClick": "autosize"}
        self.progress = Progress(lambda: self.prepared.df.sparkSession, self.status, self)
        self.bands: dict[Key, Band] = {}
        self._view: View | None = None
        self._seconds = 0.0
        self.point = PointPanel(self.prepared)
        self.table = Table(choose=True)
        self.table.observe(self._choose, names="chosen")
        super().__init__(
            self.chart, self.point, self.table,
            controls=[self.controls],
            foot=[self.progress, self.status, self._share_bar(), self.code],
        )  # fmt: skip
        several = element("b", number(len(self.prepared.sizes))) + " series"
        self.entitle(
            f"Moving band of {self._names()[1]}",
            fact(sum(self.prepared.sizes.values()), "row"),
            several,
        )
        self._make()
        self._flush_chart()

    def _make(self) -> None:
        self._request_bands()
        self.controls.observe(self._request_bands, names="over")
        self.controls.observe(self._change_series, names="key")
        self.controls.observe(self._request_bands, names="more")
        for control in (self.controls.outliers, self.controls.scale):
            control.observe(self._draw, names="value")
        self.chart.layout.on_change(self._zoomed, "xaxis.range", "xaxis.autorange")
        self.chart.layout.on_change(self._take_drags, "dragmode")
        self.point.observe(self._mark, names="place")

    @property
    def over(self) -> Over:
        """The specification of the controls."""
        over: Over = self.controls.over
        return over

    @property
    def key(self) -> Key:
        """The first series that is drawn."""
        return tuple(self.controls.key or ())

    @property
    def drawn(self) -> tuple[Key, ...]:
        """All series that are drawn."""
        return tuple(dict.fromkeys([self.key, *map(tuple, self.controls.more)]))

    @property
    def band(self) -> Band:
        """The whole band of the first series."""
        return self.bands.get(self.key) or no_band(self.over)

    @property
    def view(self) -> View | None:
        """The visible range of the axis; None for all of it."""
        return self._view

    @view.setter
    def view(self, view: View | None) -> None:
        self._view = view
        self._draw()

    @property
    def outliers(self) -> pd.DataFrame:
        """The visible outliers, the farthest beyond their own window first."""
        return outlier_frame(self._bands_by_name(), self._visible_range(), self._names())

    def __repr__(self) -> str:
        return f"Explorer of {self.over!r}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        self._flush_chart()
        return super()._repr_mimebundle_(**options)

    def _still(self) -> Markup:
        return still(self._figure(IN_A_STILL), self._title())

    def _flush_chart(self) -> None:
        """Let a view start with the current figure, as the chart does when it is shown alone."""
        self.chart._repr_mimebundle_()

    def _change_series(self, _change: Any = None) -> None:
        self._view = None
        self._request_bands()

    def _request_bands(self, _change: Any = None) -> None:
        self.code.value = code_line(repr(self.over))
        # A clock runs meanwhile; a failure is shown as one sentence, and the next change works.
        self.status.tell(CLOCK + " Working …")
        self.progress.ask(partial(self._compute, self.over, self.drawn), self._show_bands)

    def _draw(self, _change: Any = None) -> None:
        self.status.tell(CLOCK + " Working …")
        self.status.guard(self._redraw)

    def _compute(self, over: Over, keys: tuple[Key, ...]) -> tuple[dict[Key, Band], float]:
        start = time.perf_counter()
        keys = keys if self.prepared.sizes else ()
        bands = {key: compute(self.prepared, over, key) for key in keys}
        return bands, time.perf_counter() - start

    def _show_bands(self, answer: tuple[dict[Key, Band], float]) -> None:
        self.bands, self._seconds = answer
        self.point.clear()
        self._redraw()

    def _redraw(self) -> None:
        start = time.perf_counter()
        figure = self._figure()
        if _draw_changes(self.chart, figure):
            self.chart.on_mark(self._click)
        self.chart.whole = figure
        seconds = time.perf_counter() - start
        self._list_outliers()
        self.status.tell(self._status_text(figure, seconds))
        self._note_view()

    def _state_parts(self) -> dict[str, Any]:
        return self.controls.parts() | view_parts(self._view)

    def _reopen(self, parts: Parts) -> None:
        view = view_of(parts, self.band.x.dtype.kind == "M")
        self.controls.reopen(parts)
        self.view = view

    def _table(self) -> pd.DataFrame:
        across, value = self._names()
        return pd.concat(
            [
                rows_seen(name, band, self._visible_range(), across, value)
                for name, band in (self._bands_by_name() or {"": self.band}).items()
            ],
            ignore_index=True,
        )

    def _shareable(self) -> Shareable:
        labels: list[tuple[str, tuple[Key, ...]]] = [
            (label, (key,)) for label, key in self.controls.series.options
        ]
        if (self.key,) != self.drawn or not labels:
            labels.insert(0, (" and ".join(self._bands_by_name()), self.drawn))
        first = [keys for _, keys in labels].index(self.drawn)
        windows = self.controls.window
        views = zooms(self._view, whole_view(self._bands_by_name()))
        choices = [
            PageChoice("series", labels, first),
            PageChoice("window", windows.options, windows.index, ordered=True),
            PageChoice("zoom", views),
        ]
        computed: dict[tuple[int, ...], dict[Key, Band]] = {}

        def draw(at: tuple[int, ...]) -> PageView:
            keys, frame, view = (one.options[k][1] for one, k in zip(choices, at, strict=True))
            if at[:2] not in computed:
                computed[at[:2]] = self._compute(self.controls.within(frame), keys)[0]
            return self._page_view(computed[at[:2]], keys, frame, view)

        rows, many = sum(self.prepared.sizes.values()), len(self.prepared.sizes)
        facts = [f"{rows:,} rows", f"{many:,} series"]
        if (whole := whole_view(self._bands_by_name())) is not None:
            facts.append(f"{self._names()[0]} {spoken_view(whole)}")
        title = f"Moving band of {self._names()[1]}"
        return Shareable(title, facts, self.FILE, choices, draw)

    def _page_view(
        self, bands: dict[Key, Band], keys: tuple[Key, ...], frame: Frame, view: View | None
    ) -> PageView:
        """Return the view of some series, a frame and a range of the axis for a page."""
        bands_by_name = _by_name(bands)
        figure = bands_figure(
            bands_by_name or {"": no_band(self.over)}, view, outliers=self.controls.outliers.value,
            names=self._names(), columns=IN_A_STILL, same_scale=self.controls.scale.value,
        )  # fmt: skip
        over, visible = self.controls.within(frame), view or whole_view(bands_by_name)
        outliers = outlier_frame(bands_by_name, visible, self._names())
        some = len(outliers) > IN_A_PAGE
        words = f"{len(outliers):,} outliers of their own window are in view" + (
            f"; the {IN_A_PAGE} farthest are listed." if some else "."
        )
        listed = self._listed(outliers.head(IN_A_PAGE), repr(over))
        drawn, height, width = arrange([NamedFigure(figure, " · ".join(bands_by_name))], 0)
        parts = self.controls.parts() | view_parts(view) | {"window": label_of(frame)}
        if keys and keys[0]:
            parts |= {"series": key_text(keys[0]), "below": [key_text(key) for key in keys[1:]]}
        picture = bare(drawn, f"{', '.join(bands_by_name)}: {words}", width, height)
        return PageView(
            self._state_text(parts), picture, words, listed.markup, repr(over), csv_of(listed.frame)
        )

    def _list_outliers(self) -> None:
        self.table.show_table(
            self._listed(self.outliers, f"wb.explore({self.over!r}, df).shown.outliers"),
            "outliers",
            nothing="No value in view is an outlier of its own window.",
        )

    def _listed(self, outliers: pd.DataFrame, code: str) -> DisplayTable:
        heads = {
            "series": ", ".join(map(str, self.over.partition_by)) or "series",
            "beyond": "beyond (IQR)",
        }
        return DisplayTable(outliers, code, heads, {"beyond": beyond_text})

    def _figure(self, columns: int = COLUMNS) -> go.Figure:
        return bands_figure(
            self._bands_by_name() or {"": self.band}, self._view,
            outliers=self.controls.outliers.value, names=self._names(), columns=columns,
            same_scale=self.controls.scale.value,
        )  # fmt: skip

    def _bands_by_name(self) -> dict[str, Band]:
        return _by_name(self.bands)

    def _visible_range(self) -> View | None:
        return self._view or whole_view(self._bands_by_name())

    def _click(self, trace: Any, k: int) -> None:
        panel = int((trace.yaxis or "y")[1:] or 1) - 1
        key = list(self.bands)[panel]
        self._pick(key, _row_at(self.bands[key], trace.x[k], trace.y[k]))

    def _choose(self, change: dict[str, Any]) -> None:
        if change["new"] is not None:
            key, row = outlier_places(list(self.bands.items()), self._visible_range())[
                change["new"]
            ]
            self._pick(key, row)

    def _pick(self, key: Key, row: int) -> None:
        self.status.guard(lambda: self.point.show(self.over, key, self.bands[key], row))

    def _mark(self, _change: Any = None) -> None:
        """Shade the frame of the selected point."""
        place = self.point.place
        number = list(self.bands).index(place.key) if place else 0
        self.chart.layout.shapes = (
            frame_shapes(self.bands[place.key], place, number) if place else ()
        )

    def _status_text(self, figure: go.Figure, seconds: float) -> Markup:
        drawn = sum(len(trace.x) for trace in figure.data)
        bands = list(self.bands.values())
        rows = sum(len(band.x) for band in bands)
        outliers = sum(int(np.count_nonzero(band.outlier)) for band in bands)
        lines = [
            f"✓ {rows:,} rows in {self._seconds:.2f} s, {outliers:,} outliers in all; "
            f"drawn in {seconds:.2f} s with {drawn:,} points. Drag over the chart to zoom in, "
            "double-click to see all; click a point or a row to see its frame."
        ]
        if unplaced := sum(band.unplaced for band in bands):
            one = unplaced == 1
            lines.append(
                f"{unplaced:,} {'row is' if one else 'rows are'} not drawn: "
                f"{'it has' if one else 'they have'} no place in the order, or an infinite value."
            )
        if self.controls.left_out:
            lines.append(f"The longest series are offered; {self.controls.left_out:,} are not.")
        return in_lines(lines)

    def _zoomed(self, layout: Any, *_changed: Any) -> None:
        ends = layout.xaxis.range
        view = None if layout.xaxis.autorange is True or ends is None else self._range_of(ends)
        if view != self._view:
            self.view = view
        elif view is None:
            # The whole axis again, by a double click or by a range beyond it.
            whole = whole_view(self._bands_by_name())
            layout.xaxis.update(range=axis_range(whole), autorange=False)

    def _take_drags(self, _layout: Any, mode: str) -> None:
        """Let a browser draw the traces again: those with a `zorder` take no other drag before."""
        for trace in self.chart.data[:1]:
            trace.meta = mode

    def _range_of(self, ends: Any) -> View | None:
        """Return the range between two ends of the axis; None if it covers the whole axis."""
        whole = whole_view(self._bands_by_name())
        if whole is None:
            return None
        is_time = self.band.x.dtype.kind == "M"
        low, high = (
            np.datetime64(str(end).replace(" ", "T"), "us") if is_time else float(end)
            for end in ends
        )
        return None if low <= whole[0] and high >= whole[1] else (low, high)

    def _names(self) -> tuple[str, str]:
        across = axis_name(self.prepared.df, self.over)
        return across, str(self.over.columns[band_of(self.over)].arguments[0])

    def _title(self) -> str:
        return " · ".join([self._names()[1], *map(series_name, filter(None, self.drawn))])


def _by_name(bands: dict[Key, Band]) -> dict[str, Band]:
    return {series_name(key): band for key, band in bands.items()}


def draws_a_band(over: Over, df: "DataFrame") -> bool:
    """Return whether a call on a table has a band that a series explorer can draw.

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


def _row_at(band: Band, x: Any, y: float) -> int:
    """Return the row of a point that was clicked, from its coordinates."""
    position = np.datetime64(str(x), "us") if band.x.dtype.kind == "M" else x
    same = within(band.x, position, position)
    rows = np.flatnonzero(band.y[same] == y)
    return int(same.start + (rows[0] if len(rows) else 0))


def _draw_changes(shown: go.FigureWidget, figure: go.Figure) -> bool:
    """Draw a figure in place of another: all of it if the traces differ, else only changes.

    Returns whether all of it was drawn.
    """
    same_traces = [trace.yaxis for trace in shown.data] == [trace.yaxis for trace in figure.data]
    # A double click turns the automatic range on, and later zooms would leave it so.
    figure.update_xaxes(autorange=False, visible=True).update_yaxes(visible=True)
    with shown.batch_update():
        if same_traces:
            _change_all(shown, figure)
        else:
            _replace_all(shown, figure)
        axis = figure.layout.xaxis
        # In place: who zooms may hold the axis. Without rows, there is no range.
        shown.layout.xaxis.update({**axis.to_plotly_json(), "range": axis.range})
    return not same_traces


def _change_all(shown: go.FigureWidget, figure: go.Figure) -> None:
    for old, new in zip(shown.data, figure.data, strict=True):
        change_to(old, new)
    for axis in figure.select_yaxes():
        shown.layout[axis.plotly_name].matches = axis.matches
    for note, other in zip(shown.layout.annotations, figure.layout.annotations, strict=True):
        note.text = other.text


def _replace_all(shown: go.FigureWidget, figure: go.Figure) -> None:
    shown.data = []
    shown.add_traces(figure.data)
    # A browser refuses a list together with changes of its items; what a drag does stays chosen.
    change_to(shown.layout, figure.layout, but=(NOTES, "shapes", "xaxis", "dragmode"))
    shown.layout.annotations = figure.layout.annotations

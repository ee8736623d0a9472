"""One point of a moving band: its frame on the chart, the rows of its window, and its kernel."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets as widgets
import numpy as np
import pandas as pd
import traitlets

from workbench.described import noun
from workbench.figures.decimate import within
from workbench.figures.series import View, spoken_share
from workbench.figures.svg import pale
from workbench.figures.theme import ORANGE, moment, number
from workbench.markup import element
from workbench.widgets.controls.series import series_name
from workbench.widgets.html import HTML, Status
from workbench.widgets.lessons.window import window_lesson
from workbench.widgets.stepper.player import Player
from workbench.windows.bands.call import band_of
from workbench.windows.bands.prepared_series import Key, PreparedSeries
from workbench.windows.bands.quantile_band import Band, outlier_rows
from workbench.windows.inspect.one_partition import MOST_STEPPED
from workbench.windows.over import Over

#: The most outliers that are listed, the farthest ones.
MOST_LISTED = 500


class FrameOfRow(NamedTuple):
    """A row of a series, and its frame.

    Attributes
    ----------
    key : tuple
    row : int
        The row's number in the band.
    first, last : int
        The rows of its frame in the band, half open.
    """

    key: Key
    row: int
    first: int
    last: int


class PointPanel(widgets.VBox):  # type: ignore[misc]
    """The details of the point that was clicked last; hidden until then.

    Attributes
    ----------
    place : FrameOfRow or None
    """

    place = traitlets.Any(None, allow_none=True)

    def __init__(self, prepared: PreparedSeries) -> None:
        self._prepared = prepared
        self._selected: Any = None
        self.words, self.status = HTML(), Status()
        self.button = widgets.Button(
            description="Step through", icon="play",
            tooltip="Step through the kernel that answers, on the rows of this frame",
        )  # fmt: skip
        self.player = widgets.VBox()
        self.button.on_click(lambda _: self.status.guard(self.play))
        row = widgets.HBox([self.words, self.button], layout={"flex_flow": "row wrap"})
        super().__init__([row, self.status, self.player], layout={"display": "none"})

    def clear(self) -> None:
        """Forget the point."""
        self.place, self.player.children, self.layout.display = None, (), "none"

    def show(self, over: Over, key: Key, band: Band, row: int) -> None:
        """Show the details of a point.

        Parameters
        ----------
        over : Over
        key : tuple
        band : Band
            The band of this key.
        row : int
            The row's number in the band.
        """
        frame = self._prepared.frame(over, key, band.rows[row])
        place = FrameOfRow(key, row, *_in_band(band.rows, *frame, row))
        self._selected, self.player.children = (over, band.rows[row]), ()
        self.words.value = _point_text(key, band, place)
        rows = place.last - place.first
        self.button.disabled = rows > MOST_STEPPED
        self.status.tell()
        if self.button.disabled:
            self.status.tell(
                f"Its frame has {rows:,} rows; to step through, choose a window of at most "
                f"{MOST_STEPPED}."
            )
        self.place, self.layout.display = place, None

    def play(self) -> None:
        """Step through the kernel on the rows of the frame."""
        over, row = self._selected
        rows = self._prepared.partition(over, self.place.key, row)
        self.player.children = (Player(window_lesson(rows, band_of(over))),)


def _in_band(rows: range, first: int, last: int, at: int) -> tuple[int, int]:
    """Return the part of a frame that is in the band, for an ascending or descending series."""
    low, high = max(first, min(rows)), min(last, max(rows) + 1)
    if low >= high:
        return at, at
    ends = sorted((rows.index(low), rows.index(high - 1)))
    return ends[0], ends[1] + 1


def _point_text(key: Key, band: Band, place: FrameOfRow) -> Any:
    """Return sentences about a point and its window."""
    row = place.row
    at, value = _moment(band.x[row]), number(float(band.y[row]))
    who = " · ".join(filter(None, [series_name(key), at]))
    window = ", ".join(
        f"{spoken_share(share)} {number(float(line[row]))}"
        for share, line in band.quantiles.items()
    )
    rows = place.last - place.first
    size = f"Its frame has {number(rows)} {noun(rows, 'rows')}"
    if place.last > place.first:
        ends = _moment(band.x[place.first]), _moment(band.x[place.last - 1])
        size += f", from {ends[0]} to {ends[1]}: {window}"
    far = _far_text(float(band.beyond(row)))
    return element("p", element("b", f"{who}: {value}"), f". {size}.{far}", style="margin:4px 0")


def _far_text(beyond: float) -> str:
    """Return a sentence about how far a value is beyond the quartiles.

    The number is infinite if the quartiles are equal, and NaN if they are null, or equal to the
    value.

    Examples
    --------
    >>> _far_text(2.5), _far_text(0.0), _far_text(np.nan)
    (' It is 2.5 interquartile ranges beyond them.', '', '')
    >>> _far_text(np.inf)
    ' It is beyond them, and they are equal.'
    """
    if np.isinf(beyond):
        return " It is beyond them, and they are equal."
    return f" It is {number(round(beyond, 2))} interquartile ranges beyond them." * (beyond > 0)


def beyond_text(beyond: float) -> str:
    """Return a distance in interquartile ranges as text; equal quartiles have no range.

    Examples
    --------
    >>> beyond_text(2.5), beyond_text(np.inf)
    ('2.5', 'quartiles equal')
    """
    return "quartiles equal" if np.isinf(beyond) else number(beyond)


def _moment(value: Any) -> str:
    if isinstance(value, np.datetime64):
        return moment(value.astype("M8[us]").item())
    return number(float(value))


def frame_shapes(band: Band, place: FrameOfRow, panel: int) -> list[dict[str, Any]]:
    """Return the shapes that shade the frame of a point in its panel, and a line at the point."""
    if place.last <= place.first:
        return []
    axis = f"y{panel + 1 if panel else ''} domain"
    ends = [_on_axis(band.x[row]) for row in (place.first, place.last - 1)]
    here = _on_axis(band.x[place.row])
    shared = {"xref": "x", "yref": axis, "y0": 0, "y1": 1, "layer": "below"}
    ground = {"type": "rect", "x0": ends[0], "x1": ends[1], "fillcolor": pale(ORANGE)}
    line = {"type": "line", "x0": here, "x1": here, "line": {"color": ORANGE, "width": 2}}
    return [shared | ground | {"line": {"width": 0}}, shared | line]


def _on_axis(value: Any) -> Any:
    return str(value.astype("M8[us]")) if isinstance(value, np.datetime64) else float(value)


def outlier_places(bands: Sequence[tuple[Any, Band]], view: View | None) -> list[tuple[Any, int]]:
    """Return the key and the row of each visible outlier, the farthest first."""
    outliers: list[tuple[float, Any, int]] = []
    for key, band in bands:
        inside = slice(0, len(band.x)) if view is None else within(band.x, *view)
        rows = outlier_rows(band, inside, MOST_LISTED)
        beyond = band.beyond(rows).tolist()
        outliers += [(far, key, row) for far, row in zip(beyond, rows.tolist(), strict=True)]
    outliers.sort(key=lambda one: -one[0])
    return [(key, row) for _, key, row in outliers[:MOST_LISTED]]


def outlier_frame(
    bands: Mapping[str, Band], view: View | None, names: tuple[str, str]
) -> pd.DataFrame:
    """Return the visible outliers as a table, the farthest beyond their own window first.

    Parameters
    ----------
    bands : dict of str to Band
        The bands by name.
    view : (value, value) or None
    names : (str, str)
        The names of the axis and of the value.

    Returns
    -------
    pandas.DataFrame
        At most five hundred rows; ``beyond`` counts interquartile ranges from the nearer quartile.
    """
    places = outlier_places(list(bands.items()), view)
    across, value = names
    columns: dict[str, list[Any]] = {
        "series": [name for name, _ in places],
        across: [bands[name].x[row] for name, row in places],
        value: [float(bands[name].y[row]) for name, row in places],
        "lower quartile": [_quartile(bands[name], row, 0) for name, row in places],
        "upper quartile": [_quartile(bands[name], row, 1) for name, row in places],
        "beyond": [round(float(bands[name].beyond(row)), 2) for name, row in places],
    }
    outliers = pd.DataFrame(columns)
    return outliers.drop(columns="series") if set(bands) <= {""} else outliers


def _quartile(band: Band, row: int, side: int) -> float:
    return float("nan") if band.quartiles is None else float(band.quartiles[side][row])

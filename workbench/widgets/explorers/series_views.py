"""Ranges of a moving band's axis: in a state and in a page, and the rows in them."""

from typing import Any

import numpy as np
import pandas as pd

from workbench.errors import WorkbenchError
from workbench.figures.decimate import within
from workbench.figures.series import View, spoken_share
from workbench.figures.theme import number
from workbench.widgets.sharing.state import Parts, single_text
from workbench.windows.bands.quantile_band import Band

#: The number of times that the axis is halved for a page.
HALVES = 3


def view_parts(view: View | None) -> dict[str, str]:
    """Return the visible range of the axis as parts of a state; empty for the whole axis.

    Examples
    --------
    >>> view_parts((np.datetime64("2019-01-02"), np.datetime64("2019-01-03T12:00")))
    {'from': '2019-01-02T00:00:00', 'to': '2019-01-03T12:00:00'}
    """
    return {} if view is None else {"from": _text(view[0]), "to": _text(view[1])}


def view_of(parts: Parts, is_time: bool) -> View | None:
    """Return the range of the axis in a state, or None if it has none.

    Parameters
    ----------
    parts : dict of str to list of str
    is_time : bool
        Whether the axis has times rather than numbers.

    Raises
    ------
    WorkbenchError
        When the state has an invalid range.

    Examples
    --------
    >>> view_of({"from": ["2"], "to": ["4.5"]}, is_time=False)
    (2.0, 4.5)
    """
    if "from" not in parts and "to" not in parts:
        return None
    ends = [single_text(parts, name, "") for name in ("from", "to")]
    try:
        low, high = (np.datetime64(end, "us") if is_time else float(end) for end in ends)
    except ValueError:
        low, high = 0.0, 0.0
    if not low < high:
        raise WorkbenchError(
            f"state: from={ends[0]!r} and to={ends[1]!r} are not a range on the axis; "
            "give two of its values, or leave both out."
        )
    return low, high


def zooms(view: View | None, whole: View | None) -> list[tuple[str, View | None]]:
    """Return the ranges to zoom to: the visible one, all, the halves, quarters and eighths.

    Parameters
    ----------
    view : (value, value) or None
        The visible range; None for all.
    whole : (value, value) or None
        The whole axis.

    Returns
    -------
    list of (str, (value, value) or None)
        The ranges with their labels.

    Examples
    --------
    >>> [name for name, _ in zooms(None, (0, 8))][:4]
    ['all', '1/2: 0 to 4', '1/2: 4 to 8', '1/4: 0 to 2']
    """
    ranges: list[tuple[str, View | None]] = [("all", None)]
    if view is not None:
        ranges.insert(0, (spoken_view(view), view))
    if whole is None or not whole[0] < whole[1]:
        return ranges
    low, length = whole[0], whole[1] - whole[0]
    for parts in (2**k for k in range(1, HALVES + 1)):
        for k in range(parts):
            part = low + length * k / parts, low + length * (k + 1) / parts
            ranges.append((f"1/{parts}: {spoken_view(part)}", part))
    return ranges


def spoken_view(view: View) -> str:
    """Return a range in words."""
    low, high = view
    if isinstance(low, np.datetime64):
        unit = "m" if high - low < np.timedelta64(14, "D") else "D"
        return " to ".join(str(end.astype(f"M8[{unit}]")).replace("T", " ") for end in view)
    return f"{number(float(low))} to {number(float(high))}"


def rows_seen(name: str, band: Band, view: View | None, across: str, value: str) -> pd.DataFrame:
    """Return the visible rows of a series, with its band.

    Parameters
    ----------
    name : str
        The name of the series.
    band : Band
    view : (value, value) or None
        The visible range of the axis.
    across, value : str
        The names of the axes.

    Returns
    -------
    pandas.DataFrame
    """
    inside = within(band.x, *view) if view else slice(0, 0)
    lines = {spoken_share(share): line[inside] for share, line in band.quantiles.items()}
    rows = {"series": name, across: band.x[inside], value: band.y[inside], **lines}
    return pd.DataFrame(rows | {"outlier": band.outlier[inside]})


def _text(end: Any) -> str:
    if isinstance(end, np.datetime64):
        return str(end.astype("M8[us]")).removesuffix(".000000")
    return str(end)

"""The quantiles of an Over that are drawn as a band, and changes of their frame and shares."""

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.catalogue import NUMBERS, QUANTILE, QUANTILE_DISC, TIMES, kind_of
from workbench.functions.fn import Function
from workbench.windows.bind import frame_for
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def band_of(over: Over) -> str:
    """Return the name of the first function that can be drawn as a band.

    Parameters
    ----------
    over : Over

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When there is no such function.

    Examples
    --------
    >>> import workbench as wb
    >>> band_of(wb.Over(total=wb.fn.sum("mwh"), iqr=wb.fn.quantile("mwh", [0.25, 0.75])))
    'iqr'
    """
    for name, one in over.columns.items():
        several = len(set(one.options.q)) > 1
        if several and one.info.family in (QUANTILE, QUANTILE_DISC) and _is_name(one):
            return name
    raise WorkbenchError(
        "over: there are no quantiles of a column to draw as a band; "
        "add some, such as iqr=wb.fn.quantile('temp', [0.25, 0.5, 0.75])."
    )


def check_band(df: "DataFrame", over: Over) -> None:
    """Refuse a band of values that are not numbers."""
    name = band_of(over)
    value = str(over.columns[name].arguments[0])
    data_type = df.schema[value].dataType if value in df.columns else None
    if data_type is not None and kind_of(data_type) not in NUMBERS:
        raise WorkbenchError(
            f"{name}: a band needs numbers, but {value!r} holds {data_type.simpleString()}; "
            "name a column of numbers."
        )


def axis_name(df: "DataFrame", over: Over) -> str:
    """Return the title of the axis of the order."""
    names = [term.name for term in over.order_by]
    kind = kind_of(df.schema[names[0]].dataType) if len(names) == 1 else "other"
    if kind not in (*NUMBERS, *TIMES):
        return f"row, by {', '.join(names)}" if names else "row"
    return f"{names[0]} (UTC)" if kind == "timestamp" else names[0]


def frame_of(over: Over) -> Frame:
    """Return the frame of the band."""
    return frame_for(over.columns[band_of(over)], over.frame, bool(over.order_by))


def changed(over: Over, frame: Frame, q: tuple[float, ...]) -> Over:
    """Return the same call with another frame and other quantiles for the band.

    Parameters
    ----------
    over : Over
    frame : Frame
        Replaces the band's own frame, or else the frame of the call.
    q : tuple of float

    Returns
    -------
    Over

    Examples
    --------
    >>> import workbench as wb
    >>> over = wb.Over("plant", "date", wb.Frame.rows(-3, 3), iqr=wb.fn.quantile("mwh", [0, 1]))
    >>> changed(over, wb.Frame.rows(-1, 1), (0.25, 0.75))
    wb.Over(partition_by=['plant'], order_by=['date'], frame=wb.Frame.rows(-1, 1), \
iqr=wb.fn.quantile('mwh', [0.25, 0.75]))
    """
    name = band_of(over)
    band = over.columns[name]
    own = frame if band.frame is not None else None
    band = replace(band, options=replace(band.options, q=q), frame=own)
    shared = over.frame if own else frame
    return rebuilt(over, shared, over.engine, over.columns | {name: band})


def _is_name(one: Function) -> bool:
    return isinstance(one.arguments[0], str)


def rebuilt(over: Over, frame: Frame | None, engine: str, columns: dict[str, Function]) -> Over:
    """Return a call of other functions with the same partitions and order."""
    return Over(over.partition_by, over.order_terms, frame, engine, over.cut, **columns)


def band_alone(over: Over) -> Over:
    """Return the call without its other functions."""
    name = band_of(over)
    return rebuilt(over, over.frame, over.engine, {name: over.columns[name]})

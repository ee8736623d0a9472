"""The rows of a partition on a timeline, with the current row's frame, in each step."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels import Trace
from workbench.columnar.columns import codes_in_order
from workbench.engine.block import Call, Window
from workbench.widgets.stepper.lesson import Lesson
from workbench.windows.inspect.frame_table import FrameTable, frame_table
from workbench.windows.inspect.one_partition import Partition

#: More different values than these share one lane.
MOST_LANES = 14
FRAMELESS_LEGEND = {
    "current": "the row that is answered",
    "chain": None,
    "skipped": None,
    "seen": "a row",
    "future": None,
}
LEGEND = {
    "current": "the row that is answered",
    "chain": "counts in its frame",
    "skipped": "left out, or null",
    "seen": "not in its frame",
    "future": None,
}


def timeline(run: Trace, partition: Partition, window: Window, call: Call) -> Lesson:
    """Return the timeline of a run, with values as lanes or heights, and the frame as a band.

    Parameters
    ----------
    run : kernels.Trace
    partition : Partition
    window : Window
    call : Call

    Returns
    -------
    dict
        A picture of kind ``timeline``.
    """
    table = frame_table(partition, call.column)
    positions = _positions(window)
    values = table.values or ["row"] * partition.rows
    lanes, lane = _lanes(window, call, values)
    level = _levels(window, call)
    named = zip(table.labels, values, strict=True)
    texts = [f"{label}, {value}" if call.arguments else label for label, value in named]
    events = [
        {
            "at": float(at),
            "lane": lane[row],
            "label": values[row],
            "noun": "row",
            "number": row,
            "text": f"row {row}: {text}",
            **({"lane": None, "level": level[row]} if level else {}),
        }
        for row, (at, text) in enumerate(zip(positions, texts, strict=True))
    ]
    ticks = [
        {"at": float(at), "label": name} for at, name in zip(positions, table.labels, strict=True)
    ]
    states = [_state(table, positions, _row(step.variables), call) for step in run.steps]
    title = f"{partition.who}: the rows in their order"
    numbers = [one for one in level or () if one is not None]
    scale = scale_of(min(numbers), max(numbers)) if numbers else None
    return {
        "kind": "timeline", "title": title, "lanes": lanes, "events": events, "ticks": ticks,
        "states": states, "scale": scale, "others": "null", "asks": "Which rows are in its frame?",
        "legend": LEGEND if call.info.has_frame else FRAMELESS_LEGEND,
    }  # fmt: skip


def _row(variables: dict[str, Any]) -> int | None:
    """Return the row whose answer is computed; None while a tree is built."""
    return variables.get("i")


def _positions(window: Window) -> NDArray[np.float64]:
    """Return the position of each row: its order key if keys are distinct, else its number."""
    order = window.order
    rows = np.arange(order.rows, dtype=np.float64)
    nulls = order.valid[0, 1] - order.valid[0, 0] < order.rows
    if order.key is None or nulls or len(np.unique(order.group)) < order.rows:
        return rows
    key = np.abs(np.asarray(order.key, np.float64) - float(order.key[0]))
    gaps = np.diff(key)
    return key / gaps.min() if np.isfinite(key).all() and len(gaps) else rows


def _lanes(window: Window, call: Call, values: list[str]) -> tuple[list[str], list[int]]:
    """Return lanes of the distinct values, the greatest on top; one lane if there are many."""
    one = [call.column], [0] * len(values)
    if not call.arguments or len(set(values)) > MOST_LANES:
        return one
    try:
        code = codes_in_order(window.column(call.arguments[0]))
    except (TypeError, NotImplementedError, ValueError):
        return one
    known = window.present(call.arguments[0])
    order = sorted(set(code[known].tolist()), reverse=True)
    names = {int(c): value.partition(", ")[0] for c, value in zip(code, values, strict=True)}
    lanes = [names[c] for c in order] + ["null"] * (not known.all())
    return lanes, [
        order.index(c) if k else len(order) for c, k in zip(code.tolist(), known, strict=True)
    ]


def _levels(window: Window, call: Call) -> list[float | None] | None:
    """Return the numbers that a function aggregates, or None for other values."""
    if not call.arguments:
        return None
    values = window.column(call.arguments[0])
    kinds = pa.types
    if not (kinds.is_integer(values.type) or kinds.is_floating(values.type)):
        return None
    level = [None if one is None else float(one) for one in values.to_pylist()]
    numbers = {one for one in level if one is not None}
    return level if len(numbers) > 1 and np.isfinite([*numbers]).all() else None


def scale_of(low: float, high: float) -> dict[str, Any]:
    """Return a scale of numbers with round ticks, three to seven of them.

    Examples
    --------
    >>> scale = scale_of(3, 30)
    >>> [tick["label"] for tick in scale["ticks"]]
    ['0', '10', '20', '30']
    """
    size = 10.0 ** np.floor(np.log10((high - low) / 2))
    step = next(size * k for k in (1, 2, 5, 10) if (high - low) / (size * k) <= 5)
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    positions = [float(k * step) for k in range(first, last + 1)]
    ticks = [{"at": at, "label": f"{at:,.10g}"} for at in positions]
    return {"low": positions[0], "high": positions[-1], "ticks": ticks}


def _state(
    table: FrameTable, positions: NDArray[np.float64], row: int | None, call: Call
) -> dict[str, Any] | None:
    everything: dict[str, Any] = {
        "current": row,
        "seen": len(positions),
        "chain": [],
        "skipped": [],
    }
    if row is None or not call.info.has_frame:
        return everything
    inside = table.inside[row]
    in_or_left_out = np.flatnonzero(inside | table.left_out[row])
    chain = np.flatnonzero(inside & table.counted).tolist()
    skipped = np.flatnonzero((inside & ~table.counted) | table.left_out[row]).tolist()
    band = None
    if len(in_or_left_out):
        low, high = (
            float(positions[in_or_left_out[0]]) - 0.4,
            float(positions[in_or_left_out[-1]]) + 0.4,
        )
        band = {"from": low, "to": high, "label": f"frame of row {row}"}
    return everything | {"chain": chain, "skipped": skipped, "window": band}

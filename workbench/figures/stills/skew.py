"""Where a backfill's rows lie as a still picture, for pages that run no widget."""

from typing import Any

import numpy as np
import pandas as pd

from workbench.backfill.inspect.skew import Skew
from workbench.figures.markup import Markup, joined
from workbench.figures.skew import LOOKS, METHODS, SAID, kinds_of, table_of
from workbench.figures.svg import (
    BLUE,
    QUIET,
    RULE,
    VERMILLION,
    Part,
    cut,
    document,
    line,
    moved,
    rect,
    text,
)

LEFT, RIGHT, ROW, TASKS, GAP = 96.0, 20.0, 22.0, 150.0, 62.0


def skew_svg(skew: Skew, width: float = 860.0) -> Markup:
    """Draw the same as :func:`workbench.figures.skew.skew_figure`, as SVG.

    Parameters
    ----------
    skew : Skew
    width : float

    Returns
    -------
    str
        An SVG document that needs nothing else.

    Examples
    --------
    >>> hops = pd.DataFrame({"key": ["a", "a", "b"], "hop": [0, 5, 5], "rows": [9, 1, 2]})
    >>> tasks = pd.DataFrame({"method": ["scan"], "task": [0], "rows": [12]})
    >>> tasks = tasks.assign(queries=[2], events=[10], earlier=[0], states=[0])
    >>> drawn = skew_svg(Skew(hops, pd.DataFrame({"key": [], "begin": []}), tasks))
    >>> "largest task 12 rows, 1.0 times the mean" in drawn
    True
    """
    cells, height = _cells(skew, width)
    bars, more = _runs(skew.tasks, width)
    drawn = text(LEFT, 22, _heading(skew.hops), font_size=14, font_weight=600)
    drawn += moved(0, 34, cells) + moved(0, 34 + height + GAP, bars)
    total = 34 + height + GAP + more
    return document(drawn, repr(skew), width, total)


def _heading(hops: pd.DataFrame) -> str:
    most = f"{int(hops['rows'].max()):,}" if len(hops) else "0"
    length = hops.attrs.get("hop")
    of = "" if length is None else f" of {_length(length)}"
    return f"Rows by key and hop{of}: the darkest has {most}; a bar is where a span begins"


def _length(length: Any) -> str:
    if not isinstance(length, pd.Timedelta):
        return str(length)
    days, hours = length.days, length.seconds // 3600
    if days and not length.seconds:
        return "a day" if days == 1 else f"{days} days"
    if hours and not length.seconds % 3600 and not days:
        return "an hour" if hours == 1 else f"{hours} hours"
    return f"{int(length.total_seconds() // 60)} minutes"


def _cells(skew: Skew, width: float) -> Part:
    table = table_of(skew.hops)
    if table.empty:
        return text(LEFT, 14, "no rows"), ROW
    begins = table.columns.to_numpy().astype(np.int64)
    step = int(np.diff(begins).min()) if len(begins) > 1 else 1
    low, high = int(begins[0]), int(begins[-1]) + step
    most = float(table.to_numpy().max()) or 1.0
    marks = skew.spans.dropna()

    def across(at: int) -> float:
        return LEFT + (min(max(at, low), high) - low) / (high - low) * (width - LEFT - RIGHT)

    drawn = []
    for place, (key, rows) in enumerate(table.iterrows()):
        y = place * ROW
        drawn.append(text(LEFT - 8, y + 15, cut(str(key), 13), text_anchor="end"))
        drawn.append(rect(LEFT, y, width - LEFT - RIGHT, ROW - 4, fill="#f3f4f6"))
        for begin, count in zip(begins.tolist(), rows.to_numpy().tolist(), strict=True):
            if count:
                x = across(begin)
                shade = 0.08 + 0.92 * count / most
                size = across(begin + step) - x
                box = {"fill": BLUE, "fill_opacity": round(shade, 2)}
                drawn.append(rect(x, y, size, ROW - 4, **box))
        drawn += [
            line(across(at), y - 2, across(at), y + ROW - 2, VERMILLION, 3)
            for at in marks.loc[marks["key"] == key, "begin"].to_numpy().astype(np.int64).tolist()
        ]
    y = len(table) * ROW + 12
    ends = (table.columns[0], "start"), (table.columns[-1], "end")
    for x, (end, anchor) in zip((LEFT, width - RIGHT), ends, strict=True):
        drawn.append(text(x, y, _clock(end), text_anchor=anchor, fill=QUIET, font_size=11))
    return joined(drawn), y


def _clock(at: Any) -> str:
    return f"{at:%d %b %Y}" if isinstance(at, pd.Timestamp) else str(at)


def _runs(tasks: pd.DataFrame, width: float) -> Part:
    methods = list(dict.fromkeys(tasks["method"]))
    most = max(int(tasks["rows"].max()), 1) if len(tasks) else 1
    room = (width - LEFT - RIGHT) / max(len(methods), 1)
    drawn = joined(
        text(LEFT - 8, y + 4, f"{value:,}", text_anchor="end", fill=QUIET, font_size=11)
        + line(LEFT, y, width - RIGHT, y, RULE)
        for value, y in ((most, 0.0), (most // 2, TASKS / 2), (0, TASKS))
    )
    for place, method in enumerate(methods):
        of_method = tasks[tasks["method"] == method]
        drawn += moved(LEFT + place * room, 0, _bars(method, of_method, most, room - 24))
    return drawn + _legend(tasks), TASKS + 66


def _bars(method: str, tasks: pd.DataFrame, most: int, room: float) -> Markup:
    step = room / max(len(tasks), 1)
    drawn = Markup()
    for place, (_, task) in enumerate(tasks.iterrows()):
        y = TASKS
        for kind in kinds_of(tasks):
            size = task[kind] / most * TASKS
            y -= size
            if size:
                look = {"fill": LOOKS[kind][0], "stroke": "white", "stroke_width": 0.5}
                drawn += rect(place * step + 1, y, max(step - 2, 1), size, **look)
        name = {"text_anchor": "middle", "fill": QUIET, "font_size": 10}
        if step >= 14 or place % 4 == 0:
            drawn += text((place + 0.5) * step, TASKS + 14, str(task["task"]), **name)
    largest = int(tasks["rows"].max())
    times = largest / max(float(tasks["rows"].mean()), 1.0)
    said = f"largest task {largest:,} rows, {times:.1f} times the mean"
    drawn += text(0, -28, f"Rows by task, {METHODS.get(method, method)}", font_weight=600)
    return drawn + text(0, -12, said, fill=QUIET)


def _legend(tasks: pd.DataFrame) -> Markup:
    drawn, x = text(LEFT - 8, TASKS + 14, "task", text_anchor="end", fill=QUIET, font_size=11), LEFT
    for kind in kinds_of(tasks):
        words = SAID.get(kind, kind)
        drawn += rect(x, TASKS + 32, 12, 12, fill=LOOKS[kind][0]) + text(x + 18, TASKS + 42, words)
        x += 40 + 7 * len(words)
    return drawn

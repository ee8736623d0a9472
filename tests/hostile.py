"""Names that could break a page, and all pictures and widgets with such names."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from workbench.backfill.inspect.origin import Origin
from workbench.backfill.inspect.origin_pieces import EVENT, HOP, OLDER, Piece
from workbench.backfill.inspect.skew import Skew
from workbench.figures.consistency import consistency_figure
from workbench.figures.frames import frames_figure
from workbench.figures.funnel import funnel_figure
from workbench.figures.growth import growth_figure
from workbench.figures.live import Strip, live_figure, live_svg
from workbench.figures.origin import origin_figure
from workbench.figures.plan import plan_figure
from workbench.figures.series import series_figure
from workbench.figures.served import served_figure
from workbench.figures.skew import skew_figure
from workbench.figures.stills.affected import affected_svg
from workbench.figures.stills.still import still
from workbench.spark.names import name_of
from workbench.spark.plans.text import Edge, Operator, QueryPlan
from workbench.widgets.explorers.window_types import WindowTypesExplorer
from workbench.widgets.plan import PlanView
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player
from workbench.windows.bands.quantile_band import Band
from workbench.windows.inspect.frame_table import FrameTable

HACK = "window.hacked=1"
NAMES = {
    "image": f"<img src=x onerror={HACK}>",
    "script": f'"><script>{HACK}</script>',
    "end": f"</script></title></style><!--<svg onload={HACK}>",
    "link": f"<a href='javascript:{HACK}'>link</a>",
    "tags": "<i>i</i><sup>2</sup>",
    "signs": "&amp;&#60; $x^2$ $y$",
    "quotes": "'\"`\\ %{x} {{title}}",
    "control": "a\x00b\ud800c\u202e1\n2\t3\x1b\ufffe",
    "long": "<i>long " * 100,
}


def stills(name: str) -> dict[str, str]:
    """Return every still picture, with a name wherever a name can be."""
    players = {f"player at {k}": _svg(Player(lesson(name), step=k)) for k in (0, 1)}
    return {
        **players,
        **{kind: still(figure, name) for kind, figure in figures(name).items()},
        "affected": affected_svg([name, name], 0, (0, 0, 1, 1), name),
        "numbers": live_svg(live_figure({}, name, name), [(name, name)], name),
        "window types": _svg(kinds(name)),
    }


def figures(name: str) -> dict[str, go.Figure]:
    """Return every figure, with a name wherever a name can be."""
    two = pd.DataFrame({name: [1.0, 9.0]}, index=[1, 9])
    return {
        "consistency": consistency_figure(over_time(name), name).figure,
        "frames": frames_figure(frame_table(name)),
        "funnel": funnel_figure(steps(name)),
        "segments": funnel_figure(steps(name).assign(**{name: name})[[name, *steps(name).columns]]),
        "growth": growth_figure(two, name, name, {}, {name: name}),
        "kinds": kinds(name).chart,
        "live": live_figure({name: a_strip()}, name, name),
        "origin": origin_figure(origin(name), integer_time=True),
        "buckets": origin_figure(origin(name, {name: 2}), integer_time=True),
        "plan": plan_figure(plan(name)),
        "series": series_figure(a_band(), names=(name, name)),
        "served": served(name).figure,
        "skew": skew_figure(skew(name)),
    }  # fmt: skip


def widgets(name: str) -> dict[str, Any]:
    """Return widgets that need no session, with a name wherever a name can be."""
    view = PlanView(plan(name))
    view.operator.value = 1
    types = kinds(name)
    types.list_window("sliding")
    return {"kinds": types, "plan": view, "player": Player(lesson(name))}


def events(spark: SparkSession, names: Iterable[str]) -> DataFrame:
    """Return a table whose columns, keys and events have such names."""
    rows = [
        (name, event, minute, float(minute), name)
        for name in names
        for minute, event in enumerate([NAMES["image"], NAMES["script"], NAMES["end"]] * 2)
    ]
    return spark.createDataFrame(rows, "k string, e string, t long, v double, s string").toDF(
        NAMES["image"], NAMES["script"], NAMES["quotes"], NAMES["end"], NAMES["link"]
    )


def explorers(spark: SparkSession, names: Iterable[str]) -> dict[str, Any]:
    """Return the explorers of a table whose columns, keys and events have such names."""
    key, event, time, value, segment = (
        NAMES[one] for one in ("image", "script", "quotes", "end", "link")
    )
    table = events(spark, names)
    funnel = wb.Funnel([NAMES["image"], NAMES["script"]], 5, key=key, time=time, event=event)
    band: dict[str, Any] = {NAMES["tags"]: wb.fn.quantile(value, [0.25, 0.5, 0.75])}
    over = wb.Over(key, time, wb.Frame.rows(-1, 1), **band)
    last = wb.Backfill(key, time, [wb.Aggregation("last", event, 5, name=NAMES["tags"])], hop=2)
    funnels = wb.explore(funnel, table, by=segment)
    funnels.people.level.value = 2
    funnels.people.button.click()
    return {
        "funnel": funnels,
        "front door": wb.explore(table),
        "series": wb.explore(over, table),
        "frames": wb.explore(over, table).choose("Frames"),
        "origin": wb.explore(last, table.select(name_of(key), name_of(time)), table),
    }


def _svg(widget: Any) -> str:
    bundle = widget._repr_mimebundle_()
    return str((bundle[0] if isinstance(bundle, tuple) else bundle)["image/svg+xml"])


def lesson(name: str) -> Lesson:
    events = [{"at": 0, "lane": 0, "label": name, "text": name}, {"at": 5, "lane": None}]
    lines = {
        "kind": "timeline", "title": name, "lanes": [name], "events": events,
        "ticks": [{"at": 0, "label": name}], "legend": {"current": name, "chain": name},
        "states": [{"current": 0, "chain": [0], "window": {"from": 0, "to": 3, "label": name}}] * 2,
    }  # fmt: skip
    cells = {"kind": "cells", "title": name, "labels": [name], "states": [{"cells": [name]}] * 2}
    state = {"values": {name: name}, "lit": [name], "label": name, "frames": [{"from": 0, "to": 1}]}
    node = {"id": name, "label": name, "from": 0, "to": 1, "depth": 0}
    tree = {
        "kind": "tree", "title": name, "levels": [name], "nodes": [node],
        "legend": {"lit": name}, "states": [state] * 2,
    }  # fmt: skip
    variables = [{"name": name, "value": name}, {"name": "l", "value": [name]}]
    step = {"function": "f", "line": 1, "caption": name, "variables": variables}
    return {
        "title": name, "intro": name, "result": name, "steps": [step, step],
        "functions": [{"name": "f", "source": [f"# {name}"]}], "pictures": [lines, cells, tree],
    }  # fmt: skip


def steps(name: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"step": [name, "b"], "users": [4, 1], "from_first": [1.0, 0.25],
         "from_previous": [1.0, 0.25], "lost": [0, 3]}
    )  # fmt: skip


def over_time(name: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"time": [0, 5], "column": [name, name], "rows": [4, 2], "equal": [3, 2],
         "different": [1, 0], "both_null": [0, 0], "left_null": [0, 0], "right_null": [0, 0]}
    )  # fmt: skip


def frame_table(name: str) -> FrameTable:
    one = np.ones(1, bool)
    return FrameTable(
        name, name, wb.Frame.rows(0, 0), (name, name), [name], [name], np.zeros(1, np.int64),
        one[None], ~one[None], one, pd.DataFrame({name: [name]}), (name,), False,
    )  # fmt: skip


def kinds(name: str) -> WindowTypesExplorer:
    return WindowTypesExplorer([6, 9], 10, 5, clock=lambda at: f"{name} {at}", unit=name)


def origin(name: str, answer: Any = None) -> Origin:
    pieces = [Piece(OLDER, 0, 4, 0, 1), Piece(HOP, 4, 6, 1, 2), Piece(EVENT, 7, 8, 2, 3)]
    value = name if answer is None else answer
    return Origin(
        name, 9, 0, 6, 9, 2, pieces, [name] * 3, [value] * 3, [name] * 3,
        np.array([1, 5, 7]), np.ones(3, bool), value, True,
    )  # fmt: skip


def plan(name: str) -> QueryPlan:
    result = Operator(1, name, "Sort", name, 5, name, name, {name: name})
    return QueryPlan({1: result, 2: Operator(2, name, name, name)}, (Edge(2, 1),), note=name)


def served(name: str) -> Any:
    rows = pd.DataFrame({f"k{name}": [name, name], "at": [5, 10], name: [2, 3]})
    return served_figure(rows, f"k{name}", "at", [name], rows)


def skew(name: str) -> Skew:
    hops = pd.DataFrame({"key": [name, name, "b"], "hop": [0, 5, 5], "rows": [9, 1, 2]})
    tasks = pd.DataFrame({"method": ["scan"], "task": [0], "rows": [12]})
    tasks = tasks.assign(queries=[2], events=[10], earlier=[0], states=[0])
    return Skew(hops, pd.DataFrame({"key": [name], "begin": [5]}), tasks)


def a_band() -> Band:
    y = np.array([1.0, 9, 1])
    return Band(np.arange(3), y, {0.25: y, 0.75: y}, np.array([0, 1, 0], np.int8))


def a_strip() -> Strip:
    time = np.array(["2013-07-01T10", "2013-07-01T11"], "M8[us]")
    return Strip(time, np.array([[1.0, 2, 3], [2, 3, 4]]), np.array([False, True]))

"""The panels of a plotly figure: the traces, the axes and the ranges of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from workbench.figures.stills.scales import Kind, Scale, kind_of, numbers

#: The space left free around points, as a share of their extent.
ROOM = 0.05


class Bar(NamedTuple):
    """A bar: its trace and index in it, and its ends along both axes, as numbers."""

    trace: Any
    place: int
    across: tuple[float, float]
    along: tuple[float, float]


@dataclass(frozen=True)
class Panel:
    """The content of a figure between two axes.

    Attributes
    ----------
    x, y : Scale
    axes : (layout of an axis, layout of an axis)
    traces : list of traces
    bars : list of Bar
    """

    x: Scale
    y: Scale
    axes: tuple[Any, Any]
    traces: list[Any]
    bars: list[Bar]


def panels_of(figure: go.Figure) -> dict[tuple[str, str], Panel]:
    """Return the panels of a figure, by the names of their axes.

    Examples
    --------
    >>> found = panels_of(go.Figure(go.Scatter(x=[1, 2], y=["a", "b"])))
    >>> [(names, panel.x.kind, panel.y.names) for names, panel in found.items()]
    [(('x', 'y'), 'linear', ('a', 'b'))]
    """
    traces_by_panel: dict[tuple[str, str], list[Any]] = {}
    for trace in figure.data:
        traces_by_panel.setdefault((trace.xaxis or "x", trace.yaxis or "y"), []).append(trace)
    traces_by_panel = traces_by_panel or {("x", "y"): []}
    kinds = {name: _kind(figure, name) for pair in traces_by_panel for name in pair}
    bars = {
        pair: list(_bars(figure, pair, traces, kinds)) for pair, traces in traces_by_panel.items()
    }
    scales = {name: _scale(figure, name, kinds, traces_by_panel, bars) for name in kinds}
    return {
        pair: Panel(
            scales[pair[0]], scales[pair[1]], (axis(figure, pair[0]), axis(figure, pair[1])),
            traces, bars[pair],
        )
        for pair, traces in traces_by_panel.items()
    }  # fmt: skip


def axis(figure: go.Figure, name: str) -> Any:
    """Return the layout of an axis by its name in a trace, such as "x2"."""
    return figure.layout[f"{name[0]}axis{name[1:]}"]


def is_across(trace: Any) -> bool:
    """Whether the bars of a trace are horizontal."""
    return bool(trace.orientation == "h")


def _matching_axes(figure: go.Figure, name: str) -> set[str]:
    """Return the names of the axes with the same range as this one."""
    first = axis(figure, name).matches or name
    letters = {getattr(trace, f"{name[0]}axis") or name[0] for trace in figure.data}
    return {one for one in letters if one == first or axis(figure, one).matches == first}


def _values(figure: go.Figure, name: str) -> list[Any]:
    """Return the values of the traces along an axis and along those that match it."""
    names, all_values = _matching_axes(figure, name), []
    for trace in figure.data:
        if (getattr(trace, f"{name[0]}axis") or name[0]) in names:
            long = trace.type == "bar" and is_across(trace) == (name[0] == "x")
            values = trace.base if long and trace.base is not None else trace[name[0]]
            all_values += [] if values is None else list(np.atleast_1d(np.asarray(values, object)))
    return all_values


def _kind(figure: go.Figure, name: str) -> tuple[Kind, tuple[str, ...]]:
    shown, values = axis(figure, name), _values(figure, name)
    kind = kind_of(shown, values)
    if kind != "category":
        return kind, ()
    first = shown.categoryarray if shown.categoryarray is not None else ()
    return kind, tuple(dict.fromkeys(str(one) for one in [*first, *values] if one is not None))


def _bars(
    figure: go.Figure, pair: tuple[str, str], traces: list[Any], kinds: dict[str, Any]
) -> Iterator[Bar]:
    """Yield the bars of a panel: grouped, overlaid or stacked."""
    bar_traces = [trace for trace in traces if trace.type == "bar"]
    if not bar_traces:
        return
    lies, mode = is_across(bar_traces[0]), figure.layout.barmode or "group"
    (at_kind, names), (kind, _) = (kinds[pair[lies]], kinds[pair[not lies]])
    gap = 1 - (0.2 if figure.layout.bargap is None else figure.layout.bargap)
    at = [numbers(at_kind, list(trace["y" if lies else "x"]), names) for trace in bar_traces]
    apart = np.diff(np.unique(np.concatenate(at)))
    each = float(apart.min()) if len(apart) and at_kind != "category" else 1.0
    share = len(bar_traces) if mode == "group" else 1
    upon: dict[float, float] = {}
    for order, (trace, places) in enumerate(zip(bar_traces, at, strict=True)):
        wide = (trace.width or gap) * each / share
        low = places - wide / 2 + ((order - (share - 1) / 2) * wide if share > 1 else 0)
        lengths = numbers("linear", list(trace["x" if lies else "y"]))
        base = numbers(kind, list(trace.base)) if trace.base is not None else None
        for place, (begin, length) in enumerate(zip(low, lengths, strict=True)):
            key = float(places[place])
            start = upon.get(key, 0.0) if base is None else float(base[place])
            end = start + float(length) * (1000 if kind == "date" else 1)
            if mode == "stack":
                upon[key] = end
            yield Bar(trace, place, (float(begin), float(begin + wide)), (start, end))


def _scale(
    figure: go.Figure,
    name: str,
    kinds: dict[str, Any],
    traces_by_panel: dict[tuple[str, str], list[Any]],
    bars: dict[tuple[str, str], list[Bar]],
) -> Scale:
    shown, (kind, names) = axis(figure, name), kinds[name]
    if shown.range is not None:
        low, high = shown.range if kind == "log" else numbers(kind, list(shown.range), names)
        return Scale(kind, float(low), float(high), names)
    among, ends = _matching_axes(figure, name), list[float]()
    on = [pair for pair in traces_by_panel if pair[name[0] == "y"] in among]
    for pair in on:
        for bar in bars[pair]:
            ends += bar.along if is_across(bar.trace) == (name[0] == "x") else bar.across
    traces = [trace for pair in on for trace in traces_by_panel[pair] if trace.type != "bar"]
    for trace in traces:
        values = numbers(kind, _list(trace[name[0]]), names)
        ends += _finite_ends(values) if trace.type == "scatter" else _outer_edges(values)
    marked = any(
        "markers" in (trace.mode or "lines") for trace in traces if trace.type != "heatmap"
    )
    low, high = _with_space(
        kind, (min(ends), max(ends)) if ends else (0.0, 1.0), len(names), marked
    )
    if shown.rangemode == "tozero" and kind == "linear":
        low = min(low, 0.0) if min(ends, default=0.0) < 0 else 0.0
    if shown.autorange == "reversed":
        low, high = high, low
    return Scale(kind, low, high, names)


def _with_space(
    kind: Kind, ends: tuple[float, float], names: int, marked: bool
) -> tuple[float, float]:
    """Return the range of an axis from that of its values, with space for names and marks."""
    low, high = ends
    if kind == "category":
        return min(low, -0.5), max(high, names - 0.5)
    if kind == "log":
        return float(np.floor(low)), float(max(np.ceil(high), np.floor(low) + 1))
    room = (high - low) * ROOM or 0.5
    return (low - room, high + room) if marked else (low, high + room * (kind == "linear"))


def _list(values: Any) -> Sequence[Any]:
    return [] if values is None else list(values)


def _finite_ends(values: Any) -> list[float]:
    known = values[np.isfinite(values)]
    return [float(known.min()), float(known.max())] if len(known) else []


def _outer_edges(middles: Any) -> list[float]:
    """Return the outer edges of cells, given their middles."""
    if not len(middles):
        return []
    half = float(np.diff(middles).min()) / 2 if len(middles) > 1 else 0.5
    return [float(middles.min()) - half, float(middles.max()) + half]

"""The origin of a feature's number: the window on a timeline, and the pieces that merge to it."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench.backfill.inspect.difference import OriginDifference, SeenEvent, difference
from workbench.backfill.inspect.origin import Origin, counted, in_words
from workbench.backfill.inspect.origin_pieces import EVENT, HOP, OLDER, Piece
from workbench.durations import from_epoch
from workbench.figures.svg import cut
from workbench.figures.theme import BLUE, GREY, GROUND, INK, ORANGE, SKY, TEXT, VERMILLION, themed
from workbench.markup import BREAK, NO_NAME, chart_text, element, with_minus_signs

HEIGHT, SECOND_QUERY, MOST_LINES, MOST_DRAWN = 460, 44, 6, 4_000
COUNTED, NOT_COUNTED = "events that count", "other events of the key"
HOPS, EARLIER, SINGLE = "tail: hops", "older pieces at once", "head: single events"
KINDS = {HOP: (HOPS, SKY), OLDER: (EARLIER, GREY), EVENT: (SINGLE, ORANGE)}
SEEN_BY_BOTH, LEFT, ENTERED = "events that both see", "only this query sees", "only the other sees"
#: The ``meta`` of a trace, which tells what its marks stand for: a piece of this query or of the
#: other, all pieces up to one, or none.
PIECE, MERGED, NO_PIECE = "piece", "merged", "no piece"
OTHER_PIECE, OTHER_MERGED = "the other's piece", "the other's merged"

Place = datetime | int


def origin_figure(
    origin: Origin, integer_time: bool = False, other: Origin | None = None
) -> go.Figure:
    """Draw the window of a query: its events, its pieces, and the running merge to the answer.

    Parameters
    ----------
    origin : Origin
    integer_time : bool
        Whether times are integers rather than microseconds.
    other : Origin, optional
        That of another query of the key, to compare: its pieces have their own lane, its merge is
        dashed, and events differ by which of the two queries sees them.

    Returns
    -------
    plotly.graph_objects.Figure
        A trace for events that count and one for others, one for each kind of piece, and a line
        for the running merge, or for each of the largest buckets if the answer is a map. The
        ``meta`` of a trace tells what its marks stand for, such as :data:`PIECE`, and its
        ``customdata`` has the numbers of these pieces; for an event in no piece, its own number.

    Examples
    --------
    >>> import workbench as wb
    >>> views = wb.session().sql("SELECT 'ann' AS user, id AS ts FROM range(20)")
    >>> count = wb.Backfill("user", "ts", wb.Aggregation("count", windows=8), hop=5)
    >>> figure = origin_figure(count.origin(views, views, "ann"), integer_time=True)
    >>> [(trace.name, len(trace.x)) for trace in figure.data]
    [('events that count', 9), ('other events of the key', 1), ('tail: hops', 1), \
('head: single events', 4), ('merge', 6)]
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.42, 0.58], vertical_spacing=0.09,
    )  # fmt: skip

    def at(time: int) -> Place:
        return chart_time(time, integer_time)

    compared = None if other is None else difference(origin, other)
    events = _events(origin, at) if compared is None else _compared_events(compared, at)
    for trace in [*events, *_pieces(origin, at), *(_as_other(_pieces(other, at)) if other else ())]:
        figure.add_trace(trace, row=1, col=1)
    for trace in [*_merges(origin, at), *(_merge_of_other(other, at) if other else ())]:
        figure.add_trace(trace, row=2, col=1)
    low, high = extent(origin)
    if other is not None:
        low, high = min(low, extent(other)[0]), max(high, extent(other)[1])
    lanes = ["pieces", "events"] if other is None else ["pieces", "events", "the other's pieces"]
    queries = [origin] if other is None else [origin, other]
    # The legend of two queries has several lines, which would be below the buttons of the chart.
    above = SECOND_QUERY * (len(queries) - 1)
    themed(
        figure,
        height=HEIGHT + above, barmode="overlay", title={"text": ""},
        margin={"r": 30, "t": 54 + above, "b": 40},
        legend={"y": 1.03},
        shapes=[_query_line(at(one.query), first=one is origin) for one in queries],
        annotations=[
            *(_answer(one, at(one.query), first=one is origin) for one in queries),
            _feature_label(origin.feature, figure.layout.yaxis2.domain[1]),
        ],
    )  # fmt: skip
    # If no event counts, no trace distinguishes times from numbers.
    kind = "linear" if integer_time else "date"
    # Integers are shown as in the table: 1637000000000 rather than 1.637T.
    figure.update_xaxes(
        range=[at(low), at(high)], type=kind, showgrid=False, zeroline=False,
        exponentformat="none", nticks=5 if integer_time else None,
    )  # fmt: skip
    figure.update_yaxes(
        # A second answer is written above the lanes, too.
        row=1, range=[-0.6, len(lanes) - 1.4 + len(queries)],
        tickvals=list(range(len(lanes))), ticktext=lanes,
        showgrid=False, zeroline=False, fixedrange=True,
    )  # fmt: skip
    # An axis without values would have arbitrary numbers.
    merged = any(one.pieces or isinstance(one.answer, int | float) for one in queries)
    figure.update_yaxes(row=2, fixedrange=True, showticklabels=merged, showgrid=merged)
    figure.update_yaxes(row=2, zeroline=merged)
    return figure


def chart_time(time: int, integer_time: bool) -> Place:
    """Return a time as a value of a chart; a time beyond the calendar is moved to its end."""
    if integer_time:
        return time
    try:
        return from_epoch(time).replace(tzinfo=None)
    except OverflowError:
        return datetime.min if time < 0 else datetime.max


def extent(origin: Origin) -> tuple[int, int]:
    """Return the range of the timeline that is drawn: the window, and a little more.

    Examples
    --------
    >>> import workbench as wb
    >>> views = wb.session().sql("SELECT 'ann' AS user, id AS ts FROM range(20)")
    >>> count = wb.Backfill("user", "ts", wb.Aggregation("count", windows=8), hop=5)
    >>> extent(count.origin(views, views, "ann"))
    (9, 20)
    """
    room = max((origin.query - origin.low) // 15, 1)
    return origin.low - room, origin.query + room


def merge_lines(origin: Origin) -> dict[str, list[Any]]:
    """Return the lines of the running merge: itself, or the largest buckets of a map.

    Returns
    -------
    dict of str to list
        The values after each piece, by the name of the line.
    """
    if not any(isinstance(one, dict) for one in origin.merged):
        whole = all(isinstance(one, int | float | type(None)) for one in origin.merged)
        return {"merge": [one if whole else cut(answer_text(one), 24) for one in origin.merged]}
    last: dict[Any, Any] = origin.merged[-1]
    if not all(isinstance(one, int | float | type(None)) for one in last.values()):
        return {"buckets": [len(one or {}) for one in origin.merged]}
    largest = sorted(last, key=lambda name: (-(last[name] or 0), str(name)))[:MOST_LINES]
    return {str(n): [(one or {}).get(n, 0) for one in origin.merged] for n in largest}


def answer_text(value: Any) -> str:
    """Return an answer as the explorer shows it."""
    return with_minus_signs(in_words(value))


def _events(origin: Origin, at: Any) -> list[go.Scatter]:
    low, high = extent(origin)
    drawn = (origin.time >= low) & (origin.time <= high)
    inside = np.flatnonzero(drawn & origin.counts)
    outside = np.flatnonzero(drawn & ~origin.counts)
    # The values are those of the events that count, in order.
    number = np.cumsum(origin.counts) - 1
    texts = {
        row: with_minus_signs(origin.values[number[row]]) for row in inside[-MOST_DRAWN:].tolist()
    }
    styles = {
        COUNTED: (inside, {"symbol": "circle", "color": BLUE, "size": 8}),
        NOT_COUNTED: (outside, {"symbol": "circle-open", "color": GREY, "size": 8}),
    }
    return [
        go.Scatter(
            x=[at(int(origin.time[row])) for row in rows[-MOST_DRAWN:]],
            y=[1] * min(len(rows), MOST_DRAWN), mode="markers", marker=look, name=name,
            text=[chart_text(texts.get(row, "")) for row in rows[-MOST_DRAWN:].tolist()],
            hovertemplate=chart_text("%{x}", BREAK, "%{text}", NO_NAME),
            meta=PIECE if name == COUNTED else NO_PIECE,
            customdata=_piece_numbers(origin, number[rows[-MOST_DRAWN:]]) if name == COUNTED
            else rows[-MOST_DRAWN:].tolist(),
        )
        for name, (rows, look) in styles.items()
        if len(rows)
    ]  # fmt: skip


def _piece_numbers(origin: Origin, events: Any) -> list[int]:
    """Return the numbers of the pieces that contain events, given numbers of counted events."""
    first = [piece.first for piece in origin.pieces]
    numbers: list[int] = (np.searchsorted(first, events, side="right") - 1).tolist()
    return numbers


def _pieces_of_events(origin: Origin, events: list[SeenEvent]) -> list[int]:
    """Return the numbers of the pieces that contain these events."""
    number = {event: k for k, event in enumerate(origin.events)}
    return _piece_numbers(origin, [number[event] for event in events])


def _pieces(origin: Origin, at: Any) -> list[go.Bar | go.Scatter]:
    traces: list[go.Bar | go.Scatter] = []
    piece_texts = [
        f"{piece_words(p)}: {with_minus_signs(s)}"
        for p, s in zip(origin.pieces, origin.states, strict=True)
    ]
    for kind, (name, color) in KINDS.items():
        chosen = [i for i, piece in enumerate(origin.pieces) if piece.kind == kind]
        if not chosen:
            continue
        begins = [at(origin.pieces[i].begin) for i in chosen]
        texts = [chart_text(cut(piece_texts[i], 80)) for i in chosen]
        shared = {"name": name, "hovertext": texts, "hoverinfo": "text+x", "meta": PIECE,
                  "customdata": chosen}  # fmt: skip
        if kind == EVENT:
            look = {"symbol": "diamond", "size": 11, "color": color, "line": {"color": INK}}
            traces.append(
                go.Scatter(
                    x=begins, y=[0] * len(begins), mode="markers",
                    marker=look | {"line": {"color": INK, "width": 1}}, **shared,
                )
            )  # fmt: skip
            continue
        ends = [at(min(origin.pieces[i].end, origin.high)) for i in chosen]
        sizes = [_length(a, b) for a, b in zip(begins, ends, strict=True)]
        line = {"color": color, "opacity": 0.65, "line": {"color": INK, "width": 1}}
        bars = {"orientation": "h", "width": 0.6, "marker": line}
        traces.append(go.Bar(x=sizes, base=begins, y=[0] * len(begins), **bars, **shared))
    return traces


def _length(begin: Any, end: Any) -> float:
    """Return the length of a bar: in milliseconds for times."""
    size = end - begin
    return size / timedelta(milliseconds=1) if isinstance(size, timedelta) else size


def piece_words(piece: Piece) -> str:
    """Return a piece in words.

    Examples
    --------
    >>> piece_words(Piece("hop", 0, 5, 0, 1)), piece_words(Piece("older", 0, 5, 0, 1200))
    ('hop of 1 event', '1,200 events of older pieces')
    """
    events = counted(piece.last - piece.first, "event")
    words = {HOP: f"hop of {events}", OLDER: f"{events} of older pieces"}
    return words.get(piece.kind, "event")


def _merges(origin: Origin, at: Any) -> list[go.Scatter]:
    if not origin.pieces:
        # Only the answer; without it the axes would not be drawn.
        answer = origin.answer if isinstance(origin.answer, int | float) else None
        return [
            go.Scatter(x=[at(origin.query)], y=[answer], name="merge", marker={"color": BLUE},
                       meta=MERGED)
        ]  # fmt: skip
    named = merge_lines(origin)
    ends = [at(min(piece.end, origin.high)) for piece in origin.pieces]
    # The answer is valid from the last piece on, up to the query.
    x, last = [*ends, at(origin.query)], len(ends) - 1
    styles = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]
    colors = [BLUE, VERMILLION, INK, ORANGE, SKY, GREY]
    return [
        go.Scatter(
            x=x, y=[*map(_y_value, values), _y_value(values[-1])], mode="lines+markers",
            name=chart_text(name),
            line={"shape": "hv", "color": color, "dash": style, "width": 2},
            marker={"size": 4, "color": color},
            hovertemplate=chart_text("%{x}", BREAK, "%{y}", NO_NAME),
            meta=MERGED, customdata=[*range(len(ends)), last],
        )
        for (name, values), style, color in zip(named.items(), styles, colors, strict=False)
    ]  # fmt: skip


def _y_value(value: Any) -> Any:
    """Return a number, or a text as a category of the axis."""
    return chart_text(value) if isinstance(value, str) else value


def _query_line(query: Place, first: bool) -> dict[str, Any]:
    return {
        "type": "line", "x0": query, "x1": query, "y0": 0, "y1": 1, "yref": "paper",
        "line": {"color": VERMILLION, "width": 2, "dash": "solid" if first else "dash"},
    }  # fmt: skip


def _answer(origin: Origin, query: Place, first: bool) -> dict[str, Any]:
    name = "query" if first else "the other"
    return {
        "x": query, "y": 1, "xref": "x", "yref": "paper", "xanchor": "right", "yanchor": "top",
        "text": chart_text(element("b", f"{name}: {cut(answer_text(origin.answer), 50)}")),
        # Two labels are placed one below the other, as they may be close.
        "showarrow": False, "yshift": 0 if first else -20,
        "font": {"color": VERMILLION, "size": 13}, "xshift": -6, "bgcolor": GROUND,
    }  # fmt: skip


def _feature_label(feature: str, top: float) -> dict[str, Any]:
    """Return the merged feature's name above its panel; beside the axis it would cover numbers."""
    return {
        "x": 0, "y": top, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
        "text": chart_text(element("b", cut(feature, 60))), "showarrow": False,
        "font": {"size": TEXT},
    }  # fmt: skip


def _compared_events(compared: OriginDifference, at: Any) -> list[go.Scatter]:
    """Return the events of two queries: those that both see, and those of only one."""
    alone = {*compared.left, *compared.entered}
    seen = [*compared.first.events, *compared.second.events]
    groups = {
        SEEN_BY_BOTH: [one for one in dict.fromkeys(seen) if one not in alone],
        LEFT: compared.left,
        ENTERED: compared.entered,
    }
    styles = {
        SEEN_BY_BOTH: {"symbol": "circle-open", "color": GREY, "size": 7},
        LEFT: {"symbol": "triangle-down", "color": BLUE, "size": 10},
        ENTERED: {"symbol": "triangle-up", "color": VERMILLION, "size": 10},
    }
    return [
        go.Scatter(
            x=[at(time) for time, _ in some[-MOST_DRAWN:]], y=[1] * min(len(some), MOST_DRAWN),
            mode="markers", marker=styles[name], name=name,
            text=[chart_text(with_minus_signs(value)) for _, value in some[-MOST_DRAWN:]],
            hovertemplate=chart_text("%{x}", BREAK, "%{text}", NO_NAME),
            meta=OTHER_PIECE if name == ENTERED else PIECE,
            customdata=_pieces_of_events(compared.second if name == ENTERED else compared.first,
                                some[-MOST_DRAWN:]),
        )
        for name, some in groups.items() if some
    ]  # fmt: skip


def _as_other(pieces: list[go.Bar | go.Scatter]) -> list[go.Bar | go.Scatter]:
    """Return the traces in their own lane, and without names, which are in the legend already."""
    for trace in pieces:
        trace.update(y=[2] * len(trace.y), showlegend=False, meta=OTHER_PIECE)
    return pieces


def _merge_of_other(other: Origin, at: Any) -> list[go.Scatter]:
    """Return the running merge of the other query; for a map, only its first line."""
    merges = _merges(other, at)
    for trace in merges:
        trace.update(name=chart_text(f"{trace.name} of the other"), opacity=0.7, meta=OTHER_MERGED)
        trace.line.update(dash="dot", color=VERMILLION)
        trace.marker.color = VERMILLION
    return merges[:1]

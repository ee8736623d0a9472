"""A funnel's tables as plotly figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from workbench.described import name_shown, noun
from workbench.durations import duration_text
from workbench.figures.stills.labels import width_of
from workbench.figures.svg import cut
from workbench.figures.theme import (
    BLUE,
    GREY,
    ORANGE,
    QUIET,
    SMALL,
    TEXT,
    VERMILLION,
    empty,
    share,
    themed,
)
from workbench.funnel.intervals import shares_of
from workbench.markup import BREAK, NO_NAME, chart_text, element

#: The default number of segments that are drawn; the others are drawn as one.
MOST_SEGMENTS = 6
#: The most letters of a name on an axis and above a panel, and the most panels in a row.
_NAME, _HEAD, _PANELS_PER_ROW = 32, 30, 3
_ROW = 26
#: The least width of bars with their texts, in pixels.
_NARROW = 340


#: The names of the bars of those who did not reach a step.
LOST, EXCLUDED = "lost since the step before", "excluded since the step before"


@dataclass(frozen=True)
class Segments:
    """A table of steps by segments, with one row per segment, in order: the largest first.

    Attributes
    ----------
    by : tuple of str
        The columns of segments.
    keys : list of tuple
        A value of each of these columns for each segment.
    steps : list of str
    users : int64 array of shape (segments, steps)
    everybody : int64 array of shape (steps,)
        The users of all segments, including those that the table does not have.
    """

    by: tuple[str, ...]
    keys: list[tuple[Any, ...]]
    steps: list[str]
    users: NDArray[np.int64]
    everybody: NDArray[np.int64]

    @classmethod
    def of(cls, steps: pd.DataFrame) -> "Segments":
        """Return the segments of a table that :meth:`workbench.Funnel.steps` returned."""
        by = tuple(steps.columns[: steps.columns.get_loc("step")])
        rows = [tuple(row) for row in steps[list(by)].itertuples(index=False)]
        count = len(steps.attrs.get("all", ())) or _first_run([name_of(row) for row in rows])
        users = steps["users"].to_numpy(np.int64).reshape(-1, max(count, 1))
        everybody = np.asarray(steps.attrs.get("all", users.sum(axis=0)), np.int64)
        labels = steps["step"].tolist()[:count]
        return cls(by, rows[:: max(count, 1)], labels, users, everybody)

    def names(self, most: int) -> list[str]:
        """Return the names of the first segments, and of the others, if any."""
        rest = len(self.keys) - most
        others = [f"{rest:,} other{'s' if rest > 1 else ''}"] if rest > 0 else []
        return [*map(name_of, self.keys[:most]), *others]

    def first(self, most: int) -> NDArray[np.int64]:
        """Return the users of the first segments, and of all others as one more row."""
        if len(self.keys) <= most:
            return self.users
        first = self.users[:most]
        return np.vstack([first, self.everybody - first.sum(axis=0)])


def _first_run(names: list[str]) -> int:
    """Return the number of rows of the first segment."""
    return next((k for k, name in enumerate(names) if name != names[0]), len(names))


def name_of(values: Sequence[Any]) -> str:
    """Return the name of a segment.

    Examples
    --------
    >>> name_of(("de", None))
    'de · null'
    >>> name_of([""])
    '(empty)'
    """
    return " · ".join("null" if pd.isna(value) else name_shown(value) for value in values)


def funnel_figure(steps: pd.DataFrame, most: int = MOST_SEGMENTS) -> go.Figure:
    """Draw what each step keeps and loses.

    Parameters
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it; with segments, their columns come first.
    most : int
        The number of segments that are drawn, the largest; the others are drawn as one.

    Returns
    -------
    plotly.graph_objects.Figure
        Without segments a bar per step: those who reached it, hatched those who were lost since the
        step before, and crossed those whom an excluded event kept from it. With segments a panel
        per step, with a row per segment: the share of its first step that came this far, with a 95%
        interval (Wilson), and dashed the share of all.

    Examples
    --------
    >>> table = pd.DataFrame({"step": ["a", "b"], "users": [4, 1], "from_first": [1.0, 0.25],
    ...                       "from_previous": [1.0, 0.25], "lost": [0, 3]})
    >>> [(bar.name, bar.x.tolist()) for bar in funnel_figure(table).data[:2]]
    [('reached the step', [4, 1]), ('lost since the step before', [0, 3])]
    """
    unit = steps.attrs.get("unit", "users")
    if not steps["users"].sum():
        first = cut(name_shown(steps["step"].iloc[0]), _NAME) if len(steps) else "the first step"
        return empty(themed(go.Figure(), height=140), f"No {unit} took step 1, {first}.")
    if steps.columns[0] == "step":
        return _steps(steps, unit)
    return _breakdown(Segments.of(steps), most, unit)


def pivot_steps(steps: pd.DataFrame) -> pd.DataFrame:
    """Return a table of steps by segments, with one row per segment.

    Parameters
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it by segments.

    Returns
    -------
    pandas.DataFrame
        The columns of segments, for each step the number of users who reached it, and from the
        second step on their share of the first.

    Examples
    --------
    >>> table = pd.DataFrame({"device": ["tv", "tv"], "step": ["a", "b"], "users": [4, 1]})
    >>> pivot_steps(table)
      device  1 a  2 b  2 b, share
    0     tv    4    1        0.25
    """
    segments = Segments.of(steps)
    table = pd.DataFrame(segments.keys, columns=list(segments.by))
    for k, label in enumerate(segments.steps):
        table[f"{k + 1} {name_shown(label)}"] = segments.users[:, k]
        if k:
            table[f"{k + 1} {name_shown(label)}, share"] = segments.users[:, k] / np.maximum(
                segments.users[:, 0], 1
            )
    return table


def times_figure(times: pd.DataFrame) -> go.Figure:
    """Draw the times that those took who reached every step.

    Parameters
    ----------
    times : pandas.DataFrame
        As :meth:`workbench.Funnel.times` returns it.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> hours = pd.to_timedelta([0, 1, 2], "h")
    >>> table = pd.DataFrame({"from": hours[:2], "to": hours[1:], "users": [3, 1]})
    >>> list(times_figure(table).data[0].customdata)
    ['0 s to 1 h', '1 h to 2 h']
    """
    unit, many = times.attrs.get("unit", "users"), int(times["users"].sum())
    if not many:
        return empty(themed(go.Figure(), height=140), f"No {unit} reached all steps.")
    after = times.attrs.get("time_unit")
    names = [
        f"{length_text(a)} to {length_text(b)}"
        for a, b in zip(times["from"], times["to"], strict=True)
    ]
    users = times["users"].tolist()
    figure = go.Figure(
        go.Bar(
            x=list(range(len(names))), y=users, marker_color=BLUE, name=chart_text(unit),
            customdata=[f"{name} {after}" if after else name for name in names],
            text=[f"{n:,}" if n else "" for n in users] if len(users) <= 16 else None,
            textposition="outside", textfont={"size": SMALL, "color": QUIET}, cliponaxis=False,
            hovertemplate=_hover("%{y:,} ", users, unit, " took %{customdata}"),
        )
    )  # fmt: skip
    edges = [length_text(edge) for edge in [*times["from"], times["to"].iloc[-1]]]
    # As many as stand beside each other in the narrowest place, where plotly would turn them.
    most = min(8, max(2, int(_NARROW // (max(width_of(one, SMALL) for one in edges) + 12))))
    step = -(-len(edges) // most)
    themed(
        figure,
        title=title_with_subtitle(
            "Time from the first step to the last",
            f"of {many:,} {noun(many, unit)} that took all",
        ),
        height=230,
        margin={"t": 60},
        bargap=0.08,
        xaxis={
            "tickvals": [k - 0.5 for k in range(0, len(edges), step)], "ticktext": edges[::step],
            "showgrid": False, "title": {"text": chart_text(after or "")}, "zeroline": False,
            "range": [-0.6, len(names) - 0.4],
        },
        yaxis={"visible": len(users) > 16, "rangemode": "tozero"},
    )  # fmt: skip
    return figure


def length_text(length: Any) -> str:
    """Return a duration in words; an integer as a number."""
    if isinstance(length, pd.Timedelta):
        return duration_text(length / pd.Timedelta("1us"))
    return f"{length:,}" if isinstance(length, int) else str(length)


def title_with_subtitle(head: str, below: str) -> dict[str, Any]:
    """Return a title for plotly, with a subdued line below."""
    quiet = {"text": chart_text(below), "font": {"size": SMALL, "color": QUIET}}
    return {
        "text": chart_text(element("b", head)), "font": {"size": TEXT + 1}, "subtitle": quiet,
        "y": 1, "yanchor": "top", "pad": {"t": 10},
    }  # fmt: skip


def _hover(number: str, counts: Iterable[int], unit: str, *words: str) -> str | list[str]:
    """Return the hover text of each mark, given their counts; one text if all are the same."""
    texts = [chart_text(number, noun(int(n), unit), *words, NO_NAME) for n in counts]
    return texts[0] if len(set(texts)) == 1 else texts


def _numbered(labels: Sequence[Any], length: int) -> list[str]:
    return [
        chart_text(cut(f"{k + 1} {name_shown(label)}", length)) for k, label in enumerate(labels)
    ]


def _steps(steps: pd.DataFrame, unit: str) -> go.Figure:
    y, first = list(range(len(steps))), int(steps["users"].iloc[0])
    before = steps.attrs.get("before") or [max(k - 1, 0) for k in y]
    shares = zip(before, steps["users"], steps["from_first"], steps["from_previous"], strict=True)
    whole = [chart_text(name_shown(label)) for label in steps["step"]]
    reached = go.Bar(
        y=y, x=steps["users"], orientation="h", name="reached the step", marker_color=BLUE,
        hovertemplate=_hover("%{x:,} ", steps["users"], unit, " reached %{customdata}"),
        customdata=whole,
    )  # fmt: skip
    missing = [
        _missing_bars(
            steps["lost"], LOST, VERMILLION, "/", unit, " lost before %{customdata}", whole
        )
    ]
    legend, ends = "hatched: lost since the step before", steps["users"] + steps["lost"]
    if (excluded := steps.get("excluded")) is not None and excluded.any():
        words = " kept from %{customdata} by an excluded event"
        missing.append(_missing_bars(excluded, EXCLUDED, ORANGE, "x", unit, words, whole))
        legend, ends = f"{legend}; crossed: excluded", ends + excluded
    texts = [_bar_text(k, *s) for k, s in enumerate(shares)]
    bar_texts = go.Scatter(
        y=y, x=ends, mode="text", showlegend=False, hoverinfo="skip", text=texts,
        textposition="middle right", cliponaxis=False,
    )  # fmt: skip
    below = f"of {first:,} {noun(first, unit)} that took step 1; {legend}"
    return themed(
        go.Figure([reached, *missing, bar_texts]),
        title=title_with_subtitle("Who goes on", below),
        height=60 + 46 * len(y),
        margin={"t": 48},
        barmode="stack",
        bargap=0.4,
        showlegend=False,
        xaxis={"visible": False, "range": [0, _axis_end(ends.tolist(), texts)]},
        yaxis=_rows(_numbered(steps["step"].tolist(), _NAME)),
    )


def _missing_bars(
    counts: "pd.Series[Any]",
    name: str,
    color: str,
    shape: str,
    unit: str,
    words: str,
    labels: list[str],
) -> go.Bar:
    """Return the bars of those who did not reach a step, with a pattern."""
    # An empty bar has no edge.
    edges = [int(n > 0) for n in counts]
    return go.Bar(
        y=list(range(len(counts))), x=counts, orientation="h", name=name, customdata=labels,
        marker={"color": "rgba(0,0,0,0)", "line": {"color": color, "width": edges},
                "pattern": {"shape": shape, "fgcolor": color, "size": 6}},
        hovertemplate=_hover("%{x:,} ", counts, unit, words),
    )  # fmt: skip


def _axis_end(ends: list[int], texts: list[str]) -> float:
    """Return the end of an axis on which each bar has space for its text, also if it is narrow."""
    room = (_NARROW - min(width_of(text, TEXT) + 8, _NARROW / 2) for text in texts)
    return max(end * _NARROW / pixels for end, pixels in zip(ends, room, strict=True))


def _bar_text(k: int, before: int, users: int, first: float, previous: float) -> str:
    """Return the text next to a bar: the count, its share of the step before, and of the first.

    The step before is the nearest that is not optional, counted from 0.
    """
    parts: list[object] = [" ", element("b", f"{users:,}")]
    if before > 0:
        parts += [f" · {share(previous)} of step {before + 1}"]
    if k:
        parts += [BREAK, f" {share(first)} of step 1"]
    return chart_text(*parts)


def _rows(names: list[str]) -> dict[str, Any]:
    """Return an axis of rows from the top down; rows with the same name stay separate."""
    return {
        "tickvals": list(range(len(names))), "ticktext": names,
        "range": [len(names) - 0.5, -0.5], "showgrid": False, "zeroline": False,
        "ticklabelstandoff": 6,
    }  # fmt: skip


def _breakdown(segments: Segments, most: int, unit: str) -> go.Figure:
    users, names = segments.first(most), segments.names(most)
    later = list(range(1, len(segments.steps))) or [0]
    across = min(len(later), _PANELS_PER_ROW)
    heads = [
        _panel_heading(f"{k + 1} {name_shown(label)}", across)
        for k, label in enumerate(segments.steps)
    ]
    down = -(-len(later) // across)
    figure = make_subplots(
        down, across, shared_yaxes=True, horizontal_spacing=0.03,
        vertical_spacing=0.09 if down < 5 else 0.4 / down,
        subplot_titles=[heads[k] for k in later],
    )  # fmt: skip
    sizes = zip(names, users[:, 0], strict=True)
    rows = [chart_text(f"{cut(name, _NAME)}  {n:,}") for name, n in sizes]
    for at, k in enumerate(later):
        place = {"row": at // across + 1, "col": at % across + 1}
        part, least, top = _panel(users, segments.everybody, k, list(map(chart_text, names)), unit)
        figure.add_traces(part, [place["row"]] * len(part), [place["col"]] * len(part))
        figure.update_xaxes(
            range=[least, top], showticklabels=False, showgrid=False, zeroline=True, **place
        )
        figure.update_yaxes(_rows(rows) | {"showgrid": True}, **place)
    for note in figure.layout.annotations:
        note.update(font={"size": SMALL, "color": QUIET}, yshift=2)
    by = " and ".join(segments.by)
    every = f"{segments.everybody[0]:,} {noun(int(segments.everybody[0]), unit)}"
    second = SMALL + 4 if any(BREAK in head for head in heads) else 0
    subtitle = f"share of step 1 with a 95% interval; dashed: all {every}"
    return themed(
        figure,
        title=title_with_subtitle(f"By {cut(by, _NAME)}", subtitle),
        height=80 + second + down * (28 + _ROW * len(rows)),
        margin={"t": 76 + second},
        showlegend=False,
    )


def _panel_heading(name: str, across: int) -> str:
    """Return the heading of a panel, on two lines if several are side by side."""
    lines = wrap(name, _HEAD if across == 1 else _HEAD // 2 + 1)
    first, rest = lines[0], " ".join(lines[1:])
    return chart_text(first, BREAK, cut(rest, _HEAD // 2 + 1)) if rest else chart_text(first)


def _panel(
    users: NDArray[np.int64], everybody: NDArray[np.int64], k: int, names: list[str], unit: str
) -> tuple[list[Any], float, float]:
    """Return the dots of one step with their intervals, and the range of its axis."""
    y, whole = list(range(len(users))), users[:, 0]
    shares = users[:, k] / np.maximum(whole, 1)
    _, low, high = shares_of(users[:, k], whole)
    everyone = everybody[k] / max(everybody[0], 1)
    most = max(float(np.nanmax(high)), everyone, 0.001)
    between = [at for pair in zip(low, high, [None] * len(y), strict=True) for at in pair]
    rows = [at for one in y for at in (one, one, None)]
    counts = zip(names, users[:, k], whole, strict=True)
    parts = [
        go.Scatter(
            x=[everyone, everyone], y=[-0.5, len(y) - 0.5], mode="lines", hoverinfo="skip",
            line={"color": GREY, "width": 1, "dash": "dash"}, name="all together",
            showlegend=k <= 1,
        ),
        go.Scatter(
            x=between, y=rows, mode="lines", hoverinfo="skip", line={"color": BLUE, "width": 2},
            name="95% interval", showlegend=k <= 1,
        ),
        go.Scatter(
            x=shares.tolist(), y=y, mode="markers", marker={"color": BLUE, "size": 9},
            customdata=[f"{name}: {n:,} of {m:,}" for name, n, m in counts],
            hovertemplate=_hover("%{customdata} ", whole, unit), meta=k,
            name="share of step 1", showlegend=k <= 1,
        ),
        go.Scatter(
            x=[most * 1.04] * len(y), y=y, mode="text", text=list(map(share, shares)),
            name="shares", textposition="middle right", textfont={"size": SMALL}, hoverinfo="skip",
            cliponaxis=False, showlegend=False,
        ),
    ]  # fmt: skip
    return parts, 0.0, most * 1.38

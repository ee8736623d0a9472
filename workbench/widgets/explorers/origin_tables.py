"""Tables of the explorer of a backfill: the pieces of a window, and what two answers differ in."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench.backfill.inspect.difference import SAME, OriginDifference, Seen, change
from workbench.backfill.inspect.origin import Origin, counted, in_words
from workbench.backfill.inspect.origin_pieces import EVENT, Piece
from workbench.figures.origin import piece_words
from workbench.figures.svg import cut
from workbench.markup import Markup, element
from workbench.widgets.table import DisplayTable

#: Rows that are sent to a browser, and those of a page that runs no widget.
MOST_SENT, MOST_ROWS = 500, 12
#: What is read of a time.
Clock = Callable[[int], str]


class Compared(NamedTuple):
    """A table, and what it comes to.

    Attributes
    ----------
    words : Markup
    listed : DisplayTable
    """

    words: Markup
    listed: DisplayTable

    @property
    def markup(self) -> Markup:
        """Both for a page that runs no widget: the first rows."""
        frame = self.listed.frame
        more = len(frame) - MOST_ROWS
        first = self.listed._replace(frame=frame.head(MOST_ROWS)).markup
        note = element("p", f"… and {more:,} more") if more > 0 else Markup()
        head = element("p", self.words, style="margin:8px 0 4px")
        return head + element("div", first, note, class_="wb-table-place")


def pieces_table(one: Origin, clock: Clock, integer_time: bool, asked: str) -> Compared:
    """Return what each piece of a window adds, and what they come to: the newest first.

    Parameters
    ----------
    one : Origin
    clock : function
        Of a time, as it is read.
    integer_time : bool
        Whether times are integers, and not microseconds.
    asked : str
        The line of Python that returns the origin.
    """
    begins = [piece.begin for piece in one.pieces]
    frame = pd.DataFrame(
        {
            "from": times_of(begins, integer_time),
            "piece": [piece_words(piece) for piece in one.pieces],
            "state": [str(state) for state in one.states],
            "merged": _values(one.merged),
        }
    )
    older = max(len(frame) - MOST_SENT, 0)
    frame = frame[::-1].head(MOST_SENT).reset_index(drop=True)
    words = Markup.escape(f"{counted(older, 'older piece')} come before these." if older else "")
    code = f"pd.DataFrame({{'state': (one := {asked}).states, 'merged': one.merged}}, one.pieces)"
    shown = {
        "from": read_by(clock),
        "state": lambda state: cut(state, 70),
        "merged": lambda merged: cut(in_words(merged), 70),
    }
    return Compared(words, DisplayTable(frame, code, {"state": "its state"}, shown))


def piece_events(
    one: Origin, piece: Piece, clock: Clock, integer_time: bool, asked: str
) -> Compared:
    """Return the events of a piece of a window.

    Parameters
    ----------
    one : Origin
    piece : Piece
        One of its pieces.
    clock : function
        Of a time, as it is read.
    integer_time : bool
        Whether times are integers, and not microseconds.
    asked : str
        The line of Python that returns the origin.
    """
    frame = _events(one.events[piece.first : piece.last], integer_time)
    state = one.states[one.pieces.index(piece)]
    until = "" if piece.kind == EVENT else f" up to, but not at, {clock(piece.end)}"
    head = element("b", f"{piece_words(piece).capitalize()} from {clock(piece.begin)}{until}")
    code = _events_code(asked, f"{piece.first}:{piece.last}")
    return Compared(head + f": {cut(state, 70)}.", _listed_events(frame, code, clock))


def merged_events(
    one: Origin, piece: Piece, clock: Clock, integer_time: bool, asked: str
) -> Compared:
    """Return the events of a window up to those of a piece, which is the last one.

    Parameters
    ----------
    one, piece, clock, integer_time, asked
        As :func:`piece_events` takes them.
    """
    frame = _events(one.events[: piece.last], integer_time)
    merged = in_words(one.merged[one.pieces.index(piece)])
    head = element("b", f"{counted(piece.last, 'event')} up to the {piece_words(piece)} from "
                   f"{clock(piece.begin)}")  # fmt: skip
    code = _events_code(asked, f":{piece.last}")
    return Compared(head + f": {cut(merged, 70)}.", _listed_events(frame, code, clock))


def not_counted(one: Origin, event: int, clock: Clock) -> str:
    """Return in a sentence why an event does not count in a window.

    Parameters
    ----------
    one : Origin
    event : int
        Its number among those that have been fetched.
    clock : function
        Of a time, as it is read.
    """
    at = int(one.time[event])
    if at < one.low:
        why = f"the window begins at {clock(one.low)}"
    elif at >= one.high:
        why = f"the window ends before {clock(one.high)}"
    else:
        why = "what is aggregated is null there, or its condition is not true"
    return f"The event at {clock(at)} does not count: {why}."


def _events_code(asked: str, some: str) -> str:
    """The line of Python that returns some events of an origin."""
    whole = f"{{'event': (one := {asked}).time[one.counts], 'value': one.values}}"
    return f"pd.DataFrame({whole})[{some}]"


def differing_events(found: OriginDifference, clock: Clock, integer_time: bool) -> Compared:
    """Return the events that only one of two queries sees.

    Parameters
    ----------
    found : OriginDifference
    clock : function
        Of a time, as it is read.
    integer_time : bool
        Whether times are integers, and not microseconds.
    """
    first, second = found.first, found.second
    told = element("b", f"{cut(in_words(first.answer), 40)} → {cut(in_words(second.answer), 40)}: "
                   f"{cut(found.change, 80)}. ")  # fmt: skip
    words = told + (
        f"{found.both:,} of the events count for both, {len(found.left):,} for this query alone, "
        f"{len(found.entered):,} for the other alone."
    )
    frame = _events([*found.left, *found.entered], integer_time)
    sides = ["only this query"] * len(found.left) + ["only the other"] * len(found.entered)
    frame["seen by"] = pd.Series(sides, dtype=object)
    return Compared(words, _listed_events(frame, "", clock))


def _events(events: list[Seen], integer_time: bool) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "event": times_of([time for time, _ in events], integer_time),
            "value": pd.Series([value for _, value in events], dtype=object),
        }
    )


def _listed_events(frame: pd.DataFrame, code: str, clock: Clock) -> DisplayTable:
    shown = {"event": read_by(clock), "value": lambda value: cut(value, 60)}
    return DisplayTable(frame.head(MOST_SENT), code, {"value": "its value"}, shown)


def differing_answers(online: Mapping[str, Any], offline: Mapping[str, Any]) -> Compared:
    """Return the features of a query as an online view says them and as a backfill does.

    Parameters
    ----------
    online, offline : dict of str to value
        By the feature's name.

    Examples
    --------
    >>> found = differing_answers({"n": 3, "m": 1}, {"n": 4, "m": 1})
    >>> found.words.striptags()
    '1 of 2 features differs.'
    >>> found.listed.frame
      feature online offline difference
    0       n      3       4         +1
    1       m      1       1   the same
    """
    rows = [
        (name, *(cut(in_words(value), 40) for value in (online[name], value)),
         cut(change(online[name], value), 60))
        for name, value in offline.items()
    ]  # fmt: skip
    # Those that differ stand first.
    rows.sort(key=lambda row: row[3] == SAME)
    other = sum(row[3] != SAME for row in rows)
    verb = "differs" if other == 1 else "differ"
    words = element("b", f"{other} of {counted(len(rows), 'feature')} {verb}.")
    frame = pd.DataFrame(rows, columns=["feature", "online", "offline", "difference"])
    return Compared(words, DisplayTable(frame, ""))


def times_of(times: list[int], integer_time: bool) -> "pd.Series[Any]":
    """Return times as the kernels count them as a column that sorts and is saved as they are."""
    return pd.Series(np.array(times, np.int64 if integer_time else "M8[us]"))


def read_by(clock: Clock) -> Callable[[Any], str]:
    """Return what reads a time of such a column."""
    return lambda time: clock(_counted(time))


def _counted(time: Any) -> int:
    """A time as the kernels count them."""
    return int(np.datetime64(time, "us").astype(int) if isinstance(time, pd.Timestamp) else time)


def _values(merged: list[Any]) -> "pd.Series[Any]":
    """Numbers as numbers, so that they sort as such."""
    alike = all(isinstance(one, int | float) and not isinstance(one, bool) for one in merged)
    return pd.Series(merged, dtype=None if alike and merged else object)

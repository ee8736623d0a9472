"""Tables of the explorer of a backfill: the pieces of a window, and differences of answers."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench.backfill.inspect.difference import SAME, OriginDifference, SeenEvent, change
from workbench.backfill.inspect.origin import Origin, counted, in_words
from workbench.backfill.inspect.origin_pieces import EVENT, Piece
from workbench.figures.origin import answer_text, piece_words
from workbench.figures.svg import cut
from workbench.markup import Markup, element, with_minus_signs
from workbench.widgets.table import DisplayTable

#: The most rows that are sent to a browser, and that a page without widgets shows.
MOST_SENT, MOST_ROWS = 500, 12
#: Formats a time.
Clock = Callable[[int], str]


class DescribedTable(NamedTuple):
    """A table, and a sentence about it.

    Attributes
    ----------
    words : Markup
    listed : DisplayTable
    """

    words: Markup
    listed: DisplayTable

    @property
    def markup(self) -> Markup:
        """Both for a page without widgets, with the first rows of the table."""
        frame = self.listed.frame
        more = len(frame) - MOST_ROWS
        first = self.listed._replace(frame=frame.head(MOST_ROWS)).markup
        note = element("p", f"… and {more:,} more") if more > 0 else Markup()
        head = element("p", self.words, style="margin:8px 0 4px")
        return head + element("div", first, note, class_="wb-table-place")


def pieces_table(one: Origin, clock: Clock, integer_time: bool, origin_code: str) -> DescribedTable:
    """Return the state of each piece of a window, and the merged state, the newest first.

    Parameters
    ----------
    one : Origin
    clock : function
        Formats a time.
    integer_time : bool
        Whether times are integers rather than microseconds.
    origin_code : str
        The line of Python that returns the origin.
    """
    begins = [piece.begin for piece in one.pieces]
    frame = pd.DataFrame(
        {
            "from": times_of(begins, integer_time),
            "piece": [piece_words(piece) for piece in one.pieces],
            "state": [str(state) for state in one.states],
            "merged": _number_series(one.merged),
        }
    )
    older = max(len(frame) - MOST_SENT, 0)
    frame = frame[::-1].head(MOST_SENT).reset_index(drop=True)
    words = Markup.escape(f"{counted(older, 'older piece')} come before these." if older else "")
    columns = f"{{'state': (one := {origin_code}).states, 'merged': one.merged}}"
    code = f"pd.DataFrame({columns}, one.pieces)"
    shown = {
        "from": time_formatter(clock),
        "state": lambda state: cut(with_minus_signs(state), 70),
        "merged": lambda merged: cut(answer_text(merged), 70),
    }
    return DescribedTable(words, DisplayTable(frame, code, {"state": "its state"}, shown))


def piece_events(
    one: Origin, piece: Piece, clock: Clock, integer_time: bool, origin_code: str
) -> DescribedTable:
    """Return the events of a piece of a window.

    Parameters
    ----------
    one : Origin
    piece : Piece
        One of its pieces.
    clock : function
        Formats a time.
    integer_time : bool
        Whether times are integers rather than microseconds.
    origin_code : str
        The line of Python that returns the origin.
    """
    frame = _events(one.events[piece.first : piece.last], integer_time)
    state = one.states[one.pieces.index(piece)]
    until = "" if piece.kind == EVENT else f" up to, but not at, {clock(piece.end)}"
    head = element("b", f"{piece_words(piece).capitalize()} from {clock(piece.begin)}{until}")
    code = _events_code(origin_code, f"{piece.first}:{piece.last}")
    state_text = cut(with_minus_signs(state), 70)
    return DescribedTable(head + f": {state_text}.", _events_display(frame, code, clock))


def merged_events(
    one: Origin, piece: Piece, clock: Clock, integer_time: bool, origin_code: str
) -> DescribedTable:
    """Return the events of a window up to the end of a piece.

    Parameters
    ----------
    one, piece, clock, integer_time, origin_code
        As in :func:`piece_events`.
    """
    frame = _events(one.events[: piece.last], integer_time)
    merged = answer_text(one.merged[one.pieces.index(piece)])
    head = element("b", f"{counted(piece.last, 'event')} up to the {piece_words(piece)} from "
                   f"{clock(piece.begin)}")  # fmt: skip
    code = _events_code(origin_code, f":{piece.last}")
    return DescribedTable(head + f": {cut(merged, 70)}.", _events_display(frame, code, clock))


def not_counted(one: Origin, event: int, clock: Clock) -> str:
    """Return a sentence about why an event does not count in a window.

    Parameters
    ----------
    one : Origin
    event : int
        Its number among the fetched events.
    clock : function
        Formats a time.
    """
    at = int(one.time[event])
    if at < one.low:
        why = f"the window begins at {clock(one.low)}"
    elif at >= one.high:
        why = f"the window ends before {clock(one.high)}"
    else:
        why = "its value is null, or the condition is not true for it"
    return f"The event at {clock(at)} does not count: {why}."


def _events_code(origin_code: str, some: str) -> str:
    """Return the line of Python that returns a slice of the events of an origin."""
    whole = f"{{'event': (one := {origin_code}).time[one.counts], 'value': one.values}}"
    return f"pd.DataFrame({whole})[{some}]"


def differing_events(found: OriginDifference, clock: Clock, integer_time: bool) -> DescribedTable:
    """Return the events that only one of two queries sees.

    Parameters
    ----------
    found : OriginDifference
    clock : function
        Formats a time.
    integer_time : bool
        Whether times are integers rather than microseconds.
    """
    first, second = found.first, found.second
    head = element("b", f"{cut(answer_text(first.answer), 40)} → "
                   f"{cut(answer_text(second.answer), 40)}: "
                   f"{cut(with_minus_signs(found.change), 80)}. ")  # fmt: skip
    words = head + (
        f"{found.both:,} of the events count for both, {len(found.left):,} for this query alone, "
        f"{len(found.entered):,} for the other alone."
    )
    frame = _events([*found.left, *found.entered], integer_time)
    sides = ["only this query"] * len(found.left) + ["only the other"] * len(found.entered)
    frame["seen by"] = pd.Series(sides, dtype=object)
    return DescribedTable(words, _events_display(frame, "", clock))


def _events(events: list[SeenEvent], integer_time: bool) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "event": times_of([time for time, _ in events], integer_time),
            "value": pd.Series([value for _, value in events], dtype=object),
        }
    )


def _events_display(frame: pd.DataFrame, code: str, clock: Clock) -> DisplayTable:
    shown = {
        "event": time_formatter(clock),
        "value": lambda value: cut(with_minus_signs(value), 60),
    }
    return DisplayTable(frame.head(MOST_SENT), code, {"value": "its value"}, shown)


def differing_answers(online: Mapping[str, Any], offline: Mapping[str, Any]) -> DescribedTable:
    """Return the features of a query from an online view and from a backfill, compared.

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
    # Those that differ come first.
    rows.sort(key=lambda row: row[3] == SAME)
    differing = sum(row[3] != SAME for row in rows)
    verb = "differs" if differing == 1 else "differ"
    words = element("b", f"{differing} of {counted(len(rows), 'feature')} {verb}.")
    frame = pd.DataFrame(rows, columns=["feature", "online", "offline", "difference"])
    signed = dict.fromkeys(("online", "offline", "difference"), with_minus_signs)
    return DescribedTable(words, DisplayTable(frame, "", {}, signed))


def times_of(times: list[int], integer_time: bool) -> "pd.Series[Any]":
    """Return integer times of kernels as a column that is sorted and saved as times."""
    return pd.Series(np.array(times, np.int64 if integer_time else "M8[us]"))


def time_formatter(clock: Clock) -> Callable[[Any], str]:
    """Return a formatter of the times in such a column."""
    return lambda time: clock(_integer_time(time))


def _integer_time(time: Any) -> int:
    """Return a time as an integer of the kernels."""
    return int(np.datetime64(time, "us").astype(int) if isinstance(time, pd.Timestamp) else time)


def _number_series(merged: list[Any]) -> "pd.Series[Any]":
    """Return values as a column; numbers get a numeric dtype, by which they sort."""
    alike = all(isinstance(one, int | float) and not isinstance(one, bool) for one in merged)
    return pd.Series(merged, dtype=None if alike and merged else object)

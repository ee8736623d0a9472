"""The pieces of a query's window: hops and single events, and the states that they combine to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import empty_for, finalized, without_answer
from kernels.states.states import load
from kernels.tiling.hops import hop_begins, hop_states
from workbench.columnar.columns import codes_in_order, numbers
from workbench.columnar.exact_sums import may_overflow
from workbench.engine.aggregates import numeric_columns
from workbench.engine.block import Call, Window
from workbench.functions.catalogue import COUNT, EXACT_SUM, NTH
from workbench.windows.inspect.one_partition import value_text

HOP, EVENT, OLDER = "hop", "event", "older"


@dataclass(frozen=True)
class Piece:
    """A piece of a window.

    Attributes
    ----------
    kind : str
        "hop", "event", or "older" for pieces that are too many to show one by one.
    begin, end : int
        Its range of times, [begin, end).
    first, last : int
        Its range [first, last) of the events that count in the window.
    """

    kind: str
    begin: int
    end: int
    first: int
    last: int


def pieces_of(time: Ints, hop: int, tail: int, most: int) -> list[Piece]:
    """Return the hops of a window's tail and the single events of its head.

    Parameters
    ----------
    time : int64 array of shape (events,)
        The times of the events that count, sorted.
    hop, tail : int
        The length of a hop, and the end of the last one.
    most : int
        All older pieces than the latest ``most`` ones become one.

    Returns
    -------
    list of Piece
        In the order of time, without hops that have no events.

    Examples
    --------
    >>> found = pieces_of(np.array([2, 4, 7, 11, 12]), 5, 10, 9)
    >>> [(piece.kind, piece.begin, piece.last - piece.first) for piece in found]
    [('hop', 0, 2), ('hop', 5, 1), ('event', 11, 1), ('event', 12, 1)]
    """
    in_tail = int(np.searchsorted(time, tail))
    begins = hop_begins(time[:in_tail], hop)
    first = [0, *(np.flatnonzero(np.diff(begins)) + 1).tolist()] if in_tail else []
    begin = [int(begins[row]) for row in first]
    ends = zip(begin, first, [*first[1:], in_tail], strict=True) if first else ()
    hops = [Piece(HOP, at, at + hop, a, b) for at, a, b in ends]
    single = [Piece(EVENT, int(at), int(at) + 1, row, row + 1) for row, at in enumerate(time)]
    found = [*hops, *single[in_tail:]]
    if len(found) <= most:
        return found
    latest = found[len(found) - most :]
    older = Piece(OLDER, found[0].begin, found[len(found) - most - 1].end, 0, latest[0].first)
    return [older, *latest]


@dataclass(frozen=True)
class MergeableState:
    """An aggregate whose states merge, and the columns of the events that count.

    Attributes
    ----------
    name : str
        One of :data:`kernels.states.aggregates.AGGREGATES`.
    value, other : arrays of shape (events,)
    values : pyarrow.Array or None
        The values of the events, if the state is the row of one event.
    """

    name: str
    value: NDArray[Any]
    other: NDArray[Any]
    values: pa.Array | None

    @cached_property
    def empty(self) -> Any:
        """The state before any event."""
        return empty_for(self.name, self.value, self.other)

    def states(self, pieces: Sequence[Piece]) -> NDArray[Any]:
        """Return the state of each piece, computed by the kernel that rolls events up to hops.

        Returns
        -------
        array of shape (pieces, fields)
        """
        empty, rows = self.empty, len(self.value)
        number = np.repeat(np.arange(len(pieces)), [piece.last - piece.first for piece in pieces])
        states = np.zeros((rows, len(empty)), self.value.dtype)
        start, stop = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        hop_states(empty, 1, number, self.value, self.other, start, stop, states)
        return states[: len(pieces)]

    def merged(self, states: NDArray[Any]) -> NDArray[Any]:
        """Return the running combination of the states."""
        loaded = (load(self.empty, states, k) for k in range(len(states)))
        running = list(accumulate(loaded, lambda a, b: a.combine(b), initial=self.empty))[1:]
        return np.array(running, states.dtype).reshape(states.shape)

    def answers(self, states: NDArray[Any], rows: Sequence[int]) -> list[Any]:
        """Return the answers of states with these numbers of rows, None where they are too few."""
        found = finalized(self.name, states)
        null = without_answer(self.name, found, np.array(rows, np.int64)).tolist()
        pairs = zip(found.tolist(), null, strict=True)
        return [None if missing else self._value(one) for one, missing in pairs]

    def words(self, states: NDArray[Any]) -> list[str]:
        """Return states as text: their fields, or the value of their event."""
        if self.values is not None:
            return [value_text(self._value(row)) for row in finalized(self.name, states).tolist()]
        names = type(self.empty)._fields
        pairs = (zip(names, one, strict=True) for one in states.tolist())
        return [", ".join(f"{name} {value_text(value)}" for name, value in one) for one in pairs]

    def _value(self, found: Any) -> Any:
        return found if self.values is None else self.values[found].as_py()


def mergeable_state(window: Window, call: Call, rows: Ints) -> MergeableState | None:
    """Return a call's aggregate over some events; None if it has no state that merges.

    Parameters
    ----------
    window : Window
    call : Call
    rows : int64 array
        The events' rows of the window's block.

    Returns
    -------
    MergeableState or None
    """
    if call.options.distinct:
        return None
    info, columns = call.info, [window.column(one) for one in call.arguments]
    size, name, values = int(window.offsets[-1]), info.aggregate, None
    given: list[NDArray[Any]]
    if info.picks_row:
        given = [np.arange(size) if info.family == NTH else codes_in_order(columns[-1])]
        values = columns[0].take(pa.array(rows))
    elif info.family == COUNT:
        given = [np.zeros(size, np.int64)]
    elif info.family == EXACT_SUM and pa.types.is_integer(columns[0].type):
        given, name = [numbers(columns[0])], f"integer_{name}"
        if may_overflow(given[0][rows]):
            return None
    elif info.states and not pa.types.is_decimal(columns[0].type):
        given = numeric_columns(name, columns)
    else:
        return None
    found = [one[rows] for one in given]
    return MergeableState(name, found[0], found[-1], values)

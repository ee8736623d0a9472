"""How a feature's answer travels to later spans of time: as states of hops, or as rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.backfill.worker.cogroup import Ints, Span
from workbench.backfill.worker.feature import Feature
from workbench.columnar.exact_sums import count_parts, part
from workbench.engine.aggregates import taken
from workbench.engine.block import Call, Window
from workbench.functions.catalogue import (
    EXACT_SUM,
    FIRST,
    GREATEST,
    LAST,
    LEAST,
    NO_OPTIONS,
    Options,
)

#: The columns of states on their way: the slot that a state is of, and its fields.
SLOT, FIELD = "__slot__", "__field{}_{}__"


@dataclass(frozen=True)
class FeatureGroup:
    """Features over windows of one kind, of all events or by one column of buckets.

    Attributes
    ----------
    span : Span
    by : str or None
    slots : tuple of Call
        The states that are made of the events: each names an aggregate of
        :data:`kernels.states.aggregates.AGGREGATES`.
    calls : tuple of Call
        Those whose events travel.
    """

    span: Span
    by: str | None
    slots: tuple[Call, ...]
    calls: tuple[Call, ...]


def feature_groups(features: Iterable[Feature], schema: pa.Schema) -> tuple[FeatureGroup, ...]:
    """Return features that share their windows and their buckets together.

    Parameters
    ----------
    features : iterable of Feature
    schema : pyarrow.Schema
        The events' columns.

    Returns
    -------
    tuple of FeatureGroup
    """
    slots: dict[tuple[Span, str | None], dict[Call, None]] = {}
    calls: dict[tuple[Span, str | None], list[Call]] = {}
    for one in features:
        kind = cast(Span, one.call.frame), one.by
        slots.setdefault(kind, {}).update(dict.fromkeys(partial_states(one.call, schema)))
        calls.setdefault(kind, []).extend([] if partial_states(one.call, schema) else [one.call])
    return tuple(
        FeatureGroup(span, by, tuple(slots[span, by]), tuple(calls[span, by])) for span, by in slots
    )


def partial_states(call: Call, schema: pa.Schema) -> tuple[Call, ...]:
    """Return the states that a call is made of, none where its events must travel.

    Exact sums are made of several, of which each says by its ``n`` what part of the numbers it is
    of; see :func:`workbench.columnar.exact_sums.part`.
    """
    if call.options.distinct:
        return ()
    if call.info.family == EXACT_SUM:
        kind = schema.field(call.arguments[0]).type
        if not pa.types.is_floating(kind):
            one = replace(call, column="", function="integer_sum", options=NO_OPTIONS)
            numbers = range(1, count_parts(kind) + 1)
            return tuple(replace(one, options=Options(n=number)) for number in numbers)
    plain = replace(call, column="", options=NO_OPTIONS)
    return tuple(replace(plain, function=name) for name in call.info.states)


def picks(call: Call) -> bool:
    """Say whether a call's answer is one event of the window, and each part of it has one."""
    return call.info.picks_row and not call.options.distinct


def needs_all(call: Call, schema: pa.Schema) -> bool:
    """Say whether every event of a window has to be there for a call, and not few of each hop."""
    few = call.options.distinct or call.info.keeps or call.info.once
    return not (few or partial_states(call, schema))


def kept_rows(window: Window, call: Call, at: Ints, part: Ints) -> Ints:
    """Return which rows can still be the answer, or a part of it, of windows of whole parts.

    Parameters
    ----------
    window : Window
    call : Call
    at : int64 array of shape (rows,)
        Rows of the window that count for the call, in order.
    part : int64 array of shape (rows,)
        The number of the part that each belongs to; a part's rows stand together.

    Returns
    -------
    int64 array
        Places among these rows, in order.
    """
    place: Ints = np.arange(len(at))
    if not len(at):
        return place
    begins = np.concatenate([[True], part[1:] != part[:-1]])
    info, keeps = call.info, call.info.keeps
    if info.picks_row and keeps in (LEAST, GREATEST):
        return _least(begins, window.codes(call.arguments[-1])[at], keeps == GREATEST)
    if info.picks_row:
        return np.flatnonzero(begins if keeps == FIRST else np.append(begins[1:], True))
    if call.options.distinct or info.once:
        place = _first_of_each(part, window.keys(call.arguments)[at])
    if not info.keeps_n:
        return place
    if keeps in (LEAST, GREATEST):
        code = window.codes(call.arguments[0])[at][place]
        place = place[np.lexsort((~code if keeps == GREATEST else code, part[place]))]
    elif keeps == LAST:
        place = place[::-1]
    return np.sort(place[_up_to(part[place], call.options.n)])


def _least(begins: NDArray[np.bool_], code: Ints, greatest: bool) -> Ints:
    """The first row of each part that has its least or its greatest code."""
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    best = (np.maximum if greatest else np.minimum).reduceat(code, first)
    found = np.flatnonzero(code == best[number])
    again = np.concatenate([[False], number[found][1:] == number[found][:-1]])
    return np.asarray(found[~again])


def _up_to(part: Ints, most: int) -> NDArray[np.bool_]:
    """Say of each row whether it is among the first so many of its part, whose rows are together.

    Examples
    --------
    >>> _up_to(np.array([7, 7, 7, 8]), 2).tolist()
    [True, True, False, True]
    """
    begins = np.append(True, part[1:] != part[:-1])[: len(part)]
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    return np.asarray(np.arange(len(part)) - first[number] < most)


def _first_of_each(part: Ints, key: Ints) -> Ints:
    """The first row of each part and key."""
    order = np.lexsort((key, part))
    part, key = part[order], key[order]
    new = np.concatenate([[True], (part[1:] != part[:-1]) | (key[1:] != key[:-1])])
    return np.asarray(np.sort(order[new]))


def values_of(window: Window, slot: Call) -> tuple[NDArray[np.generic], ...]:
    """Return the columns that an aggregate is of."""
    return taken_by(slot, [window.column(one) for one in slot.arguments], int(window.offsets[-1]))


def taken_by(slot: Call, columns: Sequence[pa.Array], rows: int) -> tuple[NDArray[Any], ...]:
    """Return an aggregate's arguments as its kernels take them.

    Parameters
    ----------
    slot : Call
        One of :func:`partial_states`.
    columns : sequence of pyarrow.Array
        Its arguments.
    rows : int
    """
    if slot.function == "count":
        return (np.zeros(rows, np.int64),)
    if slot.function == "integer_sum":
        return (part(columns[0], slot.options.n),)
    return tuple(taken(slot.function, columns))

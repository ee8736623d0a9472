"""Functions of rows with validity intervals, over a tree of the queries.

States that combine are combined along the tree. Functions of ranks get each query's rows as a few
ranges of places. These ranges are not in the order of time, so functions that depend on the order
of rows compare the numbers of rows: the first row is the one of the least number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.entities.validity_tiles import validity_states
from kernels.states.aggregates import AGGREGATES
from kernels.states.states import NO_ROW
from kernels.windows.histogram import moving_extremes
from workbench.backfill.worker.validity.intervals import ValidIntervals
from workbench.backfill.worker.validity.tiles import TileLayout, lay_out
from workbench.columnar.columns import codes_in_order, lists_of_ends, rows_of
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import begins_run, offsets_of
from workbench.engine.block import Call
from workbench.engine.functions import answer
from workbench.engine.partials import argument_arrays, from_states, partial_states
from workbench.functions.catalogue import COUNT, COUNT_DISTINCT, END_VALUES, LAST, NTH, ROW

Columns = Mapping[str, pa.Array]

#: How many queries' rows are laid out at once: then the tree is low and frames have few ranges.
AT_ONCE = 8_192


def combines(call: Call) -> bool:
    """Return whether a function needs just states of the rows, and not the rows."""
    return bool(call.info.states) or call.info.once or call.info.picks_row


def answer_in_tiles(call: Call, validity: ValidIntervals, row_columns: Columns) -> pa.Array:
    """Return the answers to all queries in their order.

    Parameters
    ----------
    call : Call
    validity : ValidIntervals
        The rows that count for it.
    row_columns : mapping of str to pyarrow.Array
        The columns of the rows.

    Returns
    -------
    pyarrow.Array
    """
    # The validity intervals are already those of rows that fulfil the condition.
    call = replace(call, where=None)
    if call.options.distinct or call.info.once:
        all_rows = validity
        validity = all_rows.once(
            ("once", call.arguments), lambda: intervals_of_values(all_rows, call, row_columns)
        )
        call = replace(call, options=replace(call.options, distinct=False))
    if call.info.family in (COUNT, COUNT_DISTINCT):
        most = call.options.n if call.info.keeps_n else None
        return pa.array(validity.sizes if most is None else np.minimum(validity.sizes, most))
    if call.info.picks_row:
        return _value_of_row(call, validity, row_columns)
    kinds = pa.schema([(name, row_columns[name].type) for name in call.arguments])
    if slots := partial_states(call, kinds):
        found = [(slot.function, _states(slot, validity, row_columns)) for slot in slots]
        return from_states(call, found, validity.sizes, kinds.types[0])
    return _answer_by_layout(call, validity, row_columns)


def _answer_by_layout(call: Call, validity: ValidIntervals, row_columns: Columns) -> pa.Array:
    parts = []
    for low in range(0, len(validity.queries.time), AT_ONCE):
        high = min(low + AT_ONCE, len(validity.queries.time))
        some: ValidIntervals = validity.once((low, high), partial(validity.between, low, high))
        layout: TileLayout = some.once("layout", partial(lay_out, some, row_columns))
        found = ORDERED_FAMILIES.get(call.info.family, answer)(layout, call)
        parts.append(found.take(pa.array(layout.query_positions)))
    return pa.concat_arrays(parts)


def _column(validity: ValidIntervals, row_columns: Columns, name: str) -> pa.Array:
    """Return a column of the rows that count, in their order."""
    found: pa.Array = validity.once(
        ("column", name), lambda: row_columns[name].take(pa.array(validity.row))
    )
    return found


def _states(slot: Call, validity: ValidIntervals, row_columns: Columns) -> NDArray[Any]:
    """Return an aggregate's state for each query, of the rows that it sees."""

    def compute() -> NDArray[Any]:
        values = [_column(validity, row_columns, name) for name in slot.arguments]
        arguments = argument_arrays(slot, values, len(validity.row))
        return _combined_states(slot.function, validity, arguments)

    kind = "states", slot.function, slot.options.n, slot.arguments
    found: NDArray[Any] = validity.once(kind, compute)
    return found


def _combined_states(
    name: str, validity: ValidIntervals, values: Sequence[NDArray[Any]]
) -> NDArray[Any]:
    empty = AGGREGATES[name].empty
    dtype = np.asarray(empty).dtype
    columns = [one.astype(dtype, copy=False) for one in (values[0], values[-1])]
    states = np.empty((len(validity.queries.time), len(empty)), dtype)
    runs = validity.first, validity.last
    validity_states.over(
        validity.queries.offsets, empty, *runs, *columns, states, right=validity.offsets
    )
    return states


def _value_of_row(call: Call, validity: ValidIntervals, row_columns: Columns) -> pa.Array:
    """Return the first argument's value in the least, greatest, first or last row of each query."""
    name = call.info.aggregate
    if call.info.family == ROW:
        codes = codes_in_order(_column(validity, row_columns, call.arguments[-1]))
    else:
        codes = np.zeros(len(validity.row), np.int64)
    row = AGGREGATES[name].empty._fields.index("row")
    found = _combined_states(name, validity, [codes])[:, row].astype(np.int64)
    first = np.repeat(validity.offsets[:-1], np.diff(validity.queries.offsets))
    place = np.where(found == NO_ROW, NO_ROW, found + first)
    return rows_of(_column(validity, row_columns, call.arguments[0]), place)


def intervals_of_values(
    validity: ValidIntervals, call: Call, row_columns: Columns
) -> ValidIntervals:
    """Return validity intervals of values: from the first row with a value until no row has it.

    Parameters
    ----------
    validity : ValidIntervals
    call : Call
        Its arguments are the columns of the value.
    row_columns : mapping of str to pyarrow.Array

    Returns
    -------
    ValidIntervals
        Of the rows with one value, no two count for the same query.
    """
    if not len(validity.row):
        return validity
    values = pa.table({name: _column(validity, row_columns, name) for name in call.arguments})
    code, _ = key_codes(values)
    order = np.lexsort((validity.first, code, validity.key))
    new = begins_run(validity.key[order], code[order])
    first, last = validity.first[order], validity.last[order]
    # The furthest end so far, within the runs of one value.
    shift = np.cumsum(new) * (len(validity.queries.time) + 1)
    furthest = np.maximum.accumulate(last + shift)
    apart = np.concatenate([[True], first[1:] + shift[1:] > furthest[:-1]])
    at = np.flatnonzero(new | apart)
    ends = np.maximum.reduceat(last, at)
    back = np.argsort(order[at], kind="stable")
    chosen = order[at][back]
    counts = np.bincount(validity.key[chosen], minlength=len(validity.offsets) - 1)
    offsets = offsets_of(counts)
    rows = validity.row[chosen], validity.time[chosen], offsets
    return ValidIntervals(validity.queries, *rows, first[at][back], ends[back])


def _ends(layout: TileLayout, k: int, last: bool) -> tuple[Ints, Ints]:
    """Return the first or the last k rows of each frame, from that end on, as rows of the block."""
    begin, end = layout.place_frames
    ends, rows = moving_extremes(layout.offsets, layout.place_rows, begin, end, k, greatest=last)
    return ends, rows + np.repeat(layout.offsets[:-1], np.diff(ends[layout.offsets]))


def _nth_value(layout: TileLayout, call: Call) -> pa.Array:
    """Return the value of the nth row, from the begin or from the end."""
    nth = call.options.n
    ends, rows = _ends(layout, abs(nth), nth < 0)
    found = np.full(len(ends) - 1, NO_ROW, np.int64)
    enough = (np.diff(ends) == abs(nth)) & (nth != 0)
    found[enough] = rows[ends[1:][enough] - 1]
    return rows_of(layout.column(call.arguments[0]), found)


def _end_values(layout: TileLayout, call: Call) -> pa.Array:
    """Return the first or the last n values, in their order."""
    last = call.info.keeps == LAST
    ends, rows = _ends(layout, call.options.n, last)
    if last:
        # The rows are given from the last one on, so each list is reversed.
        rows = rows[np.repeat(ends[:-1] + ends[1:] - 1, np.diff(ends)) - np.arange(len(rows))]
    flat = rows_of(layout.column(call.arguments[0]), rows)
    return lists_of_ends(ends, flat, np.diff(ends) == 0)


#: Functions of the families that depend on the order of rows.
ORDERED_FAMILIES: dict[str, Callable[[TileLayout, Call], pa.Array]] = {
    NTH: _nth_value,
    END_VALUES: _end_values,
}

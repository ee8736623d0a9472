"""Functions of rows with validity intervals, over the tree of the queries.

What combines is combined along the tree. What is found by rank gets each query's rows as a few
ranges of places; these say nothing of times, so what depends on the order of rows asks for it: the
first row is the one of the least number.
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
from workbench.backfill.worker.validity.tiles import TileLayout, laid_out
from workbench.columnar.columns import codes_in_order, lists_of_ends, rows_of
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import begins_run, offsets_of
from workbench.engine.block import Call
from workbench.engine.functions import answer
from workbench.engine.partials import argument_arrays, from_states, partial_states
from workbench.functions.catalogue import COUNT, COUNT_DISTINCT, END_VALUES, LAST, NTH, ROW

Columns = Mapping[str, pa.Array]

#: Queries whose rows are laid out at once: their tree is low, and so frames have few ranges.
AT_ONCE = 8_192


def combines(call: Call) -> bool:
    """Say whether a function needs no rows, but states of them."""
    return bool(call.info.states) or call.info.once or call.info.picks_row


def answer_in_tiles(call: Call, validity: ValidIntervals, row_columns: Columns) -> pa.Array:
    """Return the answers of all queries in their order.

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
    # The validity intervals are those that count already.
    call = replace(call, where=None)
    if call.options.distinct or call.info.once:
        every = validity
        validity = every.once(("once", call.arguments), lambda: distinct(every, call, row_columns))
        call = replace(call, options=replace(call.options, distinct=False))
    if call.info.family in (COUNT, COUNT_DISTINCT):
        most = call.options.n if call.info.keeps_n else None
        return pa.array(validity.sizes if most is None else np.minimum(validity.sizes, most))
    if call.info.picks_row:
        return _of_row(call, validity, row_columns)
    kinds = pa.schema([(name, row_columns[name].type) for name in call.arguments])
    if slots := partial_states(call, kinds):
        found = [(slot.function, _states(slot, validity, row_columns)) for slot in slots]
        return from_states(call, found, validity.sizes, kinds.types[0])
    return _by_layout(call, validity, row_columns)


def _by_layout(call: Call, validity: ValidIntervals, row_columns: Columns) -> pa.Array:
    parts = []
    for low in range(0, len(validity.queries.time), AT_ONCE):
        high = min(low + AT_ONCE, len(validity.queries.time))
        some: ValidIntervals = validity.once((low, high), partial(validity.between, low, high))
        layout: TileLayout = some.once("layout", partial(laid_out, some, row_columns))
        found = OWN.get(call.info.family, answer)(layout, call)
        parts.append(found.take(pa.array(layout.query_places)))
    return pa.concat_arrays(parts)


def _taken(validity: ValidIntervals, row_columns: Columns, name: str) -> pa.Array:
    """A column of the rows that count, in their order."""
    found: pa.Array = validity.once(
        ("column", name), lambda: row_columns[name].take(pa.array(validity.row))
    )
    return found


def _states(slot: Call, validity: ValidIntervals, row_columns: Columns) -> NDArray[Any]:
    """The state of the rows that each query sees, of one aggregate."""

    def merged() -> NDArray[Any]:
        values = [_taken(validity, row_columns, name) for name in slot.arguments]
        return _merged(slot.function, validity, argument_arrays(slot, values, len(validity.row)))

    kind = "states", slot.function, slot.options.n, slot.arguments
    found: NDArray[Any] = validity.once(kind, merged)
    return found


def _merged(name: str, validity: ValidIntervals, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
    empty = AGGREGATES[name].empty
    dtype = np.asarray(empty).dtype
    columns = [one.astype(dtype, copy=False) for one in (values[0], values[-1])]
    states = np.empty((len(validity.queries.time), len(empty)), dtype)
    runs = validity.first, validity.last
    validity_states.over(
        validity.queries.offsets, empty, *runs, *columns, states, right=validity.offsets
    )
    return states


def _of_row(call: Call, validity: ValidIntervals, row_columns: Columns) -> pa.Array:
    """The first argument's value in the row that is least, greatest, first or last of all."""
    name = call.info.aggregate
    if call.info.family == ROW:
        codes = codes_in_order(_taken(validity, row_columns, call.arguments[-1]))
    else:
        codes = np.zeros(len(validity.row), np.int64)
    row = AGGREGATES[name].empty._fields.index("row")
    found = _merged(name, validity, [codes])[:, row].astype(np.int64)
    first = np.repeat(validity.offsets[:-1], np.diff(validity.queries.offsets))
    place = np.where(found == NO_ROW, NO_ROW, found + first)
    return rows_of(_taken(validity, row_columns, call.arguments[0]), place)


def distinct(validity: ValidIntervals, call: Call, row_columns: Columns) -> ValidIntervals:
    """Return validity intervals of values: from the first row that has it until none has it.

    Parameters
    ----------
    validity : ValidIntervals
    call : Call
        Its arguments make the value.
    row_columns : mapping of str to pyarrow.Array

    Returns
    -------
    ValidIntervals
        Of the rows with one value, no two count for the same query.
    """
    if not len(validity.row):
        return validity
    values = pa.table({name: _taken(validity, row_columns, name) for name in call.arguments})
    code, _ = key_codes(values)
    order = np.lexsort((validity.first, code, validity.key))
    new = begins_run(validity.key[order], code[order])
    first, last = validity.first[order], validity.last[order]
    # Runs of one value reach as far as any of them so far; those of others begin anew.
    shift = np.cumsum(new) * (len(validity.queries.time) + 1)
    reach = np.maximum.accumulate(last + shift)
    apart = np.concatenate([[True], first[1:] + shift[1:] > reach[:-1]])
    at = np.flatnonzero(new | apart)
    ends = np.maximum.reduceat(last, at)
    back = np.argsort(order[at], kind="stable")
    chosen = order[at][back]
    counts = np.bincount(validity.key[chosen], minlength=len(validity.offsets) - 1)
    offsets = offsets_of(counts)
    rows = validity.row[chosen], validity.time[chosen], offsets
    return ValidIntervals(validity.queries, *rows, first[at][back], ends[back])


def _ends(layout: TileLayout, k: int, last: bool) -> tuple[Ints, Ints]:
    """The first or the last k rows of each frame, from the end on, as rows of the block."""
    begin, end = layout.frames_of
    ends, rows = moving_extremes(layout.offsets, layout.laid, begin, end, k, greatest=last)
    return ends, rows + np.repeat(layout.offsets[:-1], np.diff(ends[layout.offsets]))


def _picked(layout: TileLayout, call: Call) -> pa.Array:
    """The value of the nth row, from the begin or from the end."""
    nth = call.options.n
    ends, rows = _ends(layout, abs(nth), nth < 0)
    found = np.full(len(ends) - 1, NO_ROW, np.int64)
    enough = (np.diff(ends) == abs(nth)) & (nth != 0)
    found[enough] = rows[ends[1:][enough] - 1]
    return rows_of(layout.column(call.arguments[0]), found)


def _end_values(layout: TileLayout, call: Call) -> pa.Array:
    """The first or the last values, in their order."""
    last = call.info.keeps == LAST
    ends, rows = _ends(layout, call.options.n, last)
    if last:
        # From the last one on, and so each list is turned round.
        rows = rows[np.repeat(ends[:-1] + ends[1:] - 1, np.diff(ends)) - np.arange(len(rows))]
    flat = rows_of(layout.column(call.arguments[0]), rows)
    return lists_of_ends(ends, flat, np.diff(ends) == 0)


#: Families of functions that depend on the order of rows.
OWN: dict[str, Callable[[TileLayout, Call], pa.Array]] = {NTH: _picked, END_VALUES: _end_values}

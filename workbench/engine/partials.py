"""Partial aggregates of a call: states of some of its rows, and results of merged states."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES, finalized
from workbench.columnar.exact_sums import count_parts, part
from workbench.engine.aggregates import finish_column, finish_sums, numeric_columns
from workbench.engine.block import Call, Window
from workbench.functions.catalogue import COUNT, EXACT_SUM, NO_OPTIONS, Options

Matrix = NDArray[Any]
#: Aggregates and their states, a row for each result.
AggregateStates = Sequence[tuple[str, Matrix]]
#: The names of columns of states: the fields of each slot.
FIELD = "__field{}_{}__"


def partial_states(call: Call, schema: pa.Schema) -> tuple[Call, ...]:
    """Return the states from which a call is computed, none where its events must travel.

    Exact sums use several states. The ``n`` of each is the number of its part of the values; see
    :func:`workbench.columnar.exact_sums.part`.
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


def values_of(window: Window, slot: Call) -> tuple[NDArray[np.generic], ...]:
    """Return the argument arrays of an aggregate."""
    return argument_arrays(
        slot, [window.column(one) for one in slot.arguments], int(window.offsets[-1])
    )


def argument_arrays(slot: Call, columns: Sequence[pa.Array], rows: int) -> tuple[NDArray[Any], ...]:
    """Return an aggregate's arguments as arrays for its kernels.

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
    return tuple(numeric_columns(slot.function, columns))


def row_counts(states_by_aggregate: AggregateStates) -> Ints:
    """Return the number of events in each state."""
    for name, states in states_by_aggregate:
        state = type(AGGREGATES[name].empty)(*states.T)
        if hasattr(state, "rows"):
            return np.asarray(state.rows, np.int64)
    return np.asarray(states_by_aggregate[0][1].sum(axis=1), np.int64)


def from_states(
    call: Call, states_by_aggregate: AggregateStates, sizes: Ints, argument: pa.DataType | None
) -> pa.Array:
    """Return the result column of states, equal to that of :mod:`workbench.engine.functions`.

    Parameters
    ----------
    call : Call
    states_by_aggregate : sequence of (str, array of shape (queries, fields))
        The aggregates that :func:`partial_states` names, and
        their states.
    sizes : int64 array of shape (queries,)
        The number of events behind each result.
    argument : pyarrow.DataType or None
        The type of the call's first argument.

    Returns
    -------
    pyarrow.Array

    Raises
    ------
    OverflowError
        When a sum does not fit its type.
    """
    if call.info.family == COUNT:
        return pa.array(sizes)
    first, states = states_by_aggregate[0]
    if first == "integer_sum":
        sums = [np.ascontiguousarray(one[:, 0]) for _, one in states_by_aggregate]
        return finish_sums(call, sums, sizes, argument)
    return finish_column(call, finalized(call.info.aggregate, states), sizes)

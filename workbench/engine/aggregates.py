"""Conversion between Arrow columns and the kernels' aggregates: arguments and results.

Results are finished here, whether kernels computed them frame by frame, or from merged states of a
backfill or a store.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES, PAIRS, without_answer
from workbench.columnar.columns import answers, floats, numbers
from workbench.columnar.exact_sums import means, scale_of, sums_column
from workbench.engine.block import Call
from workbench.functions.catalogue import BOOLEAN, LIKE_SUM, LONG


def numeric_columns(name: str, columns: Sequence[pa.Array]) -> list[NDArray[Any]]:
    """Return columns as arrays for an aggregate: integers where its state holds integers.

    Parameters
    ----------
    name : str
        A numeric aggregate of :data:`kernels.states.aggregates.AGGREGATES`.
    columns : sequence of pyarrow.Array
    """
    aggregate = AGGREGATES[name]
    whole = aggregate.takes != PAIRS and isinstance(aggregate.empty[0], int)
    return [numbers(one) if whole else floats(one) for one in columns]


def finish_column(call: Call, values: NDArray[Any], rows: Ints) -> pa.Array:
    """Return the values of an aggregate as the result column of a function.

    Parameters
    ----------
    call : Call
        Its function determines the aggregate.
    values : array of shape (rows,)
        From :func:`kernels.states.aggregates.finalized`.
    rows : int64 array of shape (rows,)
        The number of rows, or of distinct values, behind each value.

    Returns
    -------
    pyarrow.Array
        Null where there are too few rows.
    """
    null, gives = without_answer(call.info.aggregate, values, rows), call.info.gives
    if gives in (BOOLEAN, LONG):
        values = values.astype(np.bool_ if gives == BOOLEAN else np.int64, copy=False)
    return answers(values, null)


def finish_sums(call: Call, sums: Sequence[Ints], rows: Ints, kind: pa.DataType) -> pa.Array:
    """Return exact sums as the result column of a function: sums, or means.

    Parameters
    ----------
    call : Call
    sums : sequence of int64 arrays of shape (rows,)
        In the form of :func:`workbench.columnar.exact_sums.words`.
    rows : int64 array of shape (rows,)
        The number of rows, or of distinct values, behind each value.
    kind : pyarrow.DataType
        The type of the summed values.

    Returns
    -------
    pyarrow.Array

    Raises
    ------
    OverflowError
        When a sum does not fit its type.
    """
    if call.info.gives == LIKE_SUM:
        return sums_column(call.column, sums, rows == 0, kind)
    return answers(means(sums, rows, scale_of(kind)), rows == 0)

"""Aggregates of the kernels beside columns: what they take of them, and the answers they make.

An answer is finished here, whether kernels found it frame by frame, or states were merged for it on
the way through a backfill or in a store.
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


def taken(name: str, columns: Sequence[pa.Array]) -> list[NDArray[Any]]:
    """Return columns as an aggregate takes them: whole numbers where its state has such.

    Parameters
    ----------
    name : str
        One of :data:`kernels.states.aggregates.AGGREGATES` that is of numbers.
    columns : sequence of pyarrow.Array
    """
    aggregate = AGGREGATES[name]
    whole = aggregate.takes != PAIRS and isinstance(aggregate.empty[0], int)
    return [numbers(one) if whole else floats(one) for one in columns]


def finished(call: Call, values: NDArray[Any], rows: Ints) -> pa.Array:
    """Return what an aggregate has found as the answer of a function.

    Parameters
    ----------
    call : Call
        Its function says which aggregate it is.
    values : array of shape (rows,)
        From :func:`kernels.states.aggregates.finalized`.
    rows : int64 array of shape (rows,)
        How many rows, or distinct values, each is of.

    Returns
    -------
    pyarrow.Array
        Null where there are too few of them.
    """
    null, gives = without_answer(call.info.aggregate, values, rows), call.info.gives
    if gives in (BOOLEAN, LONG):
        values = values.astype(np.bool_ if gives == BOOLEAN else np.int64, copy=False)
    return answers(values, null)


def finished_sums(call: Call, sums: Sequence[Ints], rows: Ints, kind: pa.DataType) -> pa.Array:
    """Return exact sums as the answer of a function: as they are, or as means.

    Parameters
    ----------
    call : Call
    sums : sequence of int64 arrays of shape (rows,)
        As :func:`workbench.columnar.exact_sums.words` takes them.
    rows : int64 array of shape (rows,)
        How many rows, or distinct values, each is of.
    kind : pyarrow.DataType
        What was added up.

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

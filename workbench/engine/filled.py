"""Linear interpolation of nulls between their neighbours, for columns of numbers and times."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from kernels.frames.ordering import Order
from kernels.windows.fill import fill
from workbench.columnar.columns import as_column, floats, integers, is_ranked, present

#: The bits of the integers behind decimals with the most digits.
WIDE = 128


def interpolate_nulls(order: Order, along: pa.Array, values: pa.Array) -> pa.Array:
    """Return a column with nulls replaced by linear interpolation between their neighbours.

    Parameters
    ----------
    order : kernels.Order
        By one column.
    along : pyarrow.Array
        That column, in its order. The order has only ranks for decimals of many digits, and
        ranks do not give distances.
    values : pyarrow.Array
        Numbers or times, in the same order.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from kernels import order_by_key
    >>> along = pa.array([0, 10, 100]).cast(pa.decimal128(38, 0))
    >>> order = order_by_key(np.array([0, 3]), np.array([0, 1, 2]))
    >>> interpolate_nulls(order, along, pa.array([0.0, None, 50])).to_pylist()
    [0.0, 5.0, 50.0]
    """
    numbers = integers(values)
    if numbers.dtype == object:
        bits = WIDE
    else:
        bits = values.type.bit_width if pa.types.is_integer(values.type) else 64
    if is_ranked(along.type):
        order = replace(order, key=floats(along))
    filled, is_known = fill(order, numbers, present(values).astype(np.uint8), bits)
    return as_column(filled, ~is_known, values.type)

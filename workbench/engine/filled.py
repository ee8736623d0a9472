"""Missing values between their neighbours, of columns of any type that lies on a line."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from kernels.frames.ordering import Order
from kernels.windows.fill import fill
from workbench.columnar.columns import as_column, floats, integers, is_ranked, present

#: The bits of the integers that decimals of the most digits count in.
WIDE = 128


def filled(order: Order, along: pa.Array, values: pa.Array) -> pa.Array:
    """Return a column with its missing values on the line between their neighbours.

    Parameters
    ----------
    order : kernels.Order
        By one column.
    along : pyarrow.Array
        That column, in its order. Its rank, which an order has of decimals of many digits, says
        nothing of how far apart they are.
    values : pyarrow.Array
        Numbers or times, in the same order.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from kernels import order_by_key
    >>> along = pa.array([0, 10, 100]).cast(pa.decimal128(38, 0))
    >>> order = order_by_key(np.array([0, 3]), np.array([0, 1, 2]))
    >>> filled(order, along, pa.array([0.0, None, 50])).to_pylist()
    [0.0, 5.0, 50.0]
    """
    whole = integers(values)
    if whole.dtype == object:
        bits = WIDE
    else:
        bits = values.type.bit_width if pa.types.is_integer(values.type) else 64
    if is_ranked(along.type):
        order = replace(order, key=floats(along))
    line, found = fill(order, whole, present(values).astype(np.uint8), bits)
    return as_column(line, ~found, values.type)

"""Times as integers that kernels take, and back."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.columns import as_numpy
from workbench.durations import DAY


def instants(time: pa.Array) -> NDArray[np.int64]:
    """Return a column of times as integers: microseconds, or the values of an integer column.

    No time zone is applied: the integers of timestamps and dates count from 1970 in UTC.

    Parameters
    ----------
    time : pyarrow.Array
        Timestamps with or without a zone, dates, or integers; no nulls.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> from datetime import date
    >>> instants(pa.array([date(1970, 1, 2), date(1969, 12, 31)])).tolist()
    [86400000000, -86400000000]
    """
    if pa.types.is_date32(time.type):
        return np.asarray(time.cast(pa.int32()), np.int64) * DAY
    return as_numpy(time.cast(pa.int64()))


def from_instants(values: NDArray[np.int64], like: pa.DataType) -> pa.Array:
    """Return integers as a column of times of a given type; the inverse of :func:`instants`.

    Parameters
    ----------
    values : int64 array
    like : pyarrow.DataType
        The type of the column that the integers came from.

    Returns
    -------
    pyarrow.Array

    Examples
    --------
    >>> from_instants(np.array([86_400_000_000]), pa.date32()).to_pylist()
    [datetime.date(1970, 1, 2)]
    """
    if pa.types.is_date32(like):
        return pa.array((values // DAY).astype(np.int32)).cast(like)
    return pa.array(values).cast(like)

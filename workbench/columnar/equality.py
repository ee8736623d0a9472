"""Equality of values: exact for columns of any type, approximate for single values."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.core.arrays import Flags, Ints
from kernels.stream.changelog import same_values
from workbench.columnar.columns import present
from workbench.columnar.ragged import offsets_of, rows_of_runs

#: The relative tolerance within which floats are considered equal.
RELATIVE = 1e-9


def same(before: pa.Array, after: pa.Array) -> Flags:
    """Return where two columns have equal values; NULL equals NULL, and NaN equals NaN.

    Parameters
    ----------
    before, after : pyarrow.Array
        Of the same type and length; lists, maps and structs are compared element by element.

    Returns
    -------
    uint8 array of shape (rows,)

    Examples
    --------
    >>> one, other = pa.array([[1.0, None], None, [2.0]]), pa.array([[1.0, None], None, [2.0, 3.0]])
    >>> same(one, other).tolist()
    [1, 1, 0]
    """
    nulls = ~present(before), ~present(after)
    kind = before.type
    if pa.types.is_struct(kind):
        fields = zip(before.flatten(), after.flatten(), strict=True)
        equal = np.ones(len(before), np.uint8)
        for one, other in fields:
            equal &= same(one, other)
        return same_values(equal, np.ones_like(equal), *nulls)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        equal = _same_lists(before, after)
        return same_values(equal, np.ones_like(equal), *nulls)
    if pa.types.is_floating(kind):
        was, now = (one.fill_null(0).to_numpy(zero_copy_only=False) for one in (before, after))
        return same_values(was, now, *nulls)
    equal = pc.equal(before, after).fill_null(False).to_numpy(zero_copy_only=False)
    return same_values(equal, np.ones(len(equal), np.bool_), *nulls)


def _same_lists(before: pa.Array, after: pa.Array) -> Flags:
    """Return where two columns of lists have equal elements; undefined for nulls."""
    starts, sizes = zip(*(_starts(one) for one in (before, after)), strict=True)
    same_length = np.flatnonzero(sizes[0] == sizes[1])
    length = sizes[0][same_length]
    offsets = offsets_of(length)
    elements = [
        one.values.take(pa.array(rows_of_runs(start[same_length], length)))
        for one, start in zip((before, after), starts, strict=True)
    ]
    differ = offsets_of(same(*elements) == 0)
    equal = np.zeros(len(before), np.uint8)
    equal[same_length] = np.diff(differ[offsets]) == 0
    return equal


def _starts(values: pa.Array) -> tuple[Ints, Ints]:
    """Return the first element and the length of each row's list."""
    ends = np.asarray(values.offsets.to_numpy(), np.int64)
    return ends[:-1], np.diff(ends)


def alike(a: Any, b: Any) -> bool:
    """Return whether two values are equal, floats within a relative tolerance.

    Examples
    --------
    >>> alike(0.1 + 0.2, 0.3), alike(None, 0), alike([1.0, None], [1.0, None])
    (True, False, True)
    """
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=RELATIVE) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(a == b)

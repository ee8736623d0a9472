"""Whether values are the same: columns of any type exactly, single ones as a person takes them."""

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

#: How far floats may be apart, as a share of the greater one, and still be the same.
RELATIVE = 1e-9


def same(before: pa.Array, after: pa.Array) -> Flags:
    """Return where two columns have the same value; NULL equals NULL, and NaN equals NaN.

    Parameters
    ----------
    before, after : pyarrow.Array
        Of one type and length; lists, maps and structs are the same when all they hold is.

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
    found = pc.equal(before, after).fill_null(False).to_numpy(zero_copy_only=False)
    return same_values(found, np.ones(len(found), np.bool_), *nulls)


def _same_lists(before: pa.Array, after: pa.Array) -> Flags:
    """Where two columns of lists have the same elements; of nulls it means nothing."""
    starts, sizes = zip(*(_starts(one) for one in (before, after)), strict=True)
    as_long = np.flatnonzero(sizes[0] == sizes[1])
    length = sizes[0][as_long]
    offsets = offsets_of(length)
    elements = [
        one.values.take(pa.array(rows_of_runs(start[as_long], length)))
        for one, start in zip((before, after), starts, strict=True)
    ]
    differ = offsets_of(same(*elements) == 0)
    equal = np.zeros(len(before), np.uint8)
    equal[as_long] = np.diff(differ[offsets]) == 0
    return equal


def _starts(values: pa.Array) -> tuple[Ints, Ints]:
    """Where the list of each row begins among the elements, and how long it is."""
    ends = np.asarray(values.offsets.to_numpy(), np.int64)
    return ends[:-1], np.diff(ends)


def alike(a: Any, b: Any) -> bool:
    """Say whether two values are the same, floats but for their last digits.

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

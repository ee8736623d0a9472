"""Compute the quantiles of groups in Spark's Python workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.structures.sort_keys import sort_keys
from kernels.windows.selection import between, floats_of_keys, keys_at, quantile_ranks
from workbench.columnar.blocks import grouped
from workbench.columnar.bundles import unbundled
from workbench.columnar.columns import (
    answers,
    as_column,
    codes_in_order,
    floats,
    instants_between,
    is_ranked,
    lists,
    numbers,
    present,
    rows_of,
    times_between,
)
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.columnar.ragged import offsets_of
from workbench.engine.order import measured

#: How many groups go back to Spark in one batch.
GROUPS_AT_ONCE = 100_000


@dataclass(frozen=True)
class QuantileTask:
    """Find quantiles of groups.

    Attributes
    ----------
    keys, columns : tuples of (str, str)
        The columns that define the group, and those with the values: the name in the result, and
        the name in the rows as they arrive. Without keys, all rows are one group.
    q : tuple of float
    single : bool
        Whether one quantile is requested, and not a list.
    discrete : bool
        Whether a quantile is one of the values, instead of between two of them.
    """

    keys: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    q: tuple[float, ...]
    single: bool
    discrete: bool

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the quantiles for a Spark partition that holds all rows of its groups."""
        freeze_gc()
        parts = [batch for batch in unbundled(batches) if batch.num_rows]
        if parts:
            yield from self.batches_of_groups(pa.Table.from_batches(parts))

    def batches_of_groups(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Return the quantiles for all rows of some groups, in batches."""
        if len(rows):
            yield from self.answer(rows).to_batches(GROUPS_AT_ONCE)

    def answer(self, rows: pa.Table) -> pa.Table:
        """Return one row for each group: its key, and the quantiles of each column.

        Parameters
        ----------
        rows : pyarrow.Table
            All rows of some groups, at least one.

        Returns
        -------
        pyarrow.Table
        """
        keys = rows.select([alias for _, alias in self.keys])
        offsets, order = np.array([0, len(rows)]), np.arange(0, dtype=np.uint32)
        if self.keys:
            offsets, order = grouped(*key_codes(keys))
        columns = {name: keys.column(alias).take(order[offsets[:-1]]) for name, alias in self.keys}
        for name, alias in self.columns:
            values = as_array(rows.column(alias))
            values = values.take(order) if self.keys else values
            columns[name] = self.quantiles(offsets, values)
        return pa.table(columns)

    def quantiles(self, offsets: NDArray[np.int64], values: pa.Array) -> pa.Array:
        """Return the quantiles of each group of values, null for a group without values.

        Parameters
        ----------
        offsets : int64 array of shape (groups + 1,)
        values : pyarrow.Array
            Group by group.

        Returns
        -------
        pyarrow.Array
            An array of values, or of lists of them.
        """
        valid_offsets = offsets_of(present(values))[offsets]
        empty = np.diff(valid_offsets) == 0
        quantile_function = discrete_quantiles if self.discrete else interpolated_quantiles
        flat = quantile_function(valid_offsets, values.drop_null(), self.q)
        return flat if self.single else lists(flat, len(self.q), empty)


def discrete_quantiles(
    offsets: NDArray[np.int64], values: pa.Array, q: tuple[float, ...]
) -> pa.Array:
    """Return quantiles that are values of the column, for values of any type that has an order.

    Parameters
    ----------
    offsets : int64 array of shape (groups + 1,)
    values : pyarrow.Array
        Group by group, without nulls.
    q : tuple of float

    Returns
    -------
    pyarrow.Array
        The quantiles of one group after those of the other; null for groups without values.

    Examples
    --------
    >>> discrete_quantiles(np.array([0, 3, 3]), pa.array(["b", "c", "a"]), (0.5,)).to_pylist()
    ['b', None]
    """
    low, _, _ = quantile_ranks(np.diff(offsets), q, discrete=True)
    codes = codes_in_order(values)
    [keys] = keys_at(offsets, codes, low)
    flat, is_empty = keys.ravel(), low.ravel() < 0
    if is_ranked(values.type):
        # Codes of text are ranks among the distinct texts; any row with the text will do.
        row = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
        row[codes] = np.arange(len(codes))
        return rows_of(values, np.where(is_empty, -1, row[flat]))
    plain = floats_of_keys(flat) if pa.types.is_floating(values.type) else flat
    return as_column(plain, is_empty, values.type)


def interpolated_quantiles(
    offsets: NDArray[np.int64], values: pa.Array, q: tuple[float, ...]
) -> pa.Array:
    """Return quantiles interpolated between two values, of numbers or times.

    Parameters
    ----------
    offsets, values, q
        As :func:`discrete_quantiles` takes them.

    Returns
    -------
    pyarrow.Array
        As :func:`discrete_quantiles` returns it; doubles, timestamps, or times of day.

    Examples
    --------
    >>> interpolated_quantiles(np.array([0, 3, 3]), pa.array([4, 1, 9]), (0.25, 1.0)).to_pylist()
    [2.5, 9.0, None, None]
    """
    low, high, fraction = quantile_ranks(np.diff(offsets), q)
    is_empty = low.ravel() < 0
    types = pa.types.is_timestamp, pa.types.is_date32, pa.types.is_time64
    if any(is_time(values.type) for is_time in types):
        first, last = keys_at(offsets, measured(values), low, high)
        times = instants_between(first, last, fraction)
        return times_between(answers(times.ravel(), is_empty), values.type)
    integers = pa.types.is_integer(values.type)
    key = sort_keys(numbers(values) if integers else floats(values))
    ends: list[NDArray[Any]] = [
        one if integers else floats_of_keys(one) for one in keys_at(offsets, key, low, high)
    ]
    return answers(between(ends[0], ends[1], fraction).ravel(), is_empty)

"""The keys and times of all queries as one value, for tasks that look them up."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.split.spans import range_members
from workbench.backfill.worker.cogroup import Times, sort_by_time
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import gathered
from workbench.columnar.delivery import delivered, to_one_task
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.packed_rows import binaries, one_binary, packed_rows, unpacked_rows
from workbench.columnar.process import freeze_gc
from workbench.columnar.ragged import begins_run, offsets_of, places_in_runs, run_of_rows
from workbench.engine.ranges.sample import with_columns
from workbench.errors import WorkbenchError

#: The columns of a key's times, and of the packed times of all keys.
TIMES, QUERY_TIMES = "__times__", "__query_times__"
#: The most that every task gets: about 4,000,000 queries, whose trees need 30 times as much.
MOST_BYTES = 32_000_000


def query_times_of(queries: Times) -> tuple[Ints, Ints, Ints]:
    """Return the distinct query times of each key, and the place of each query among them.

    Parameters
    ----------
    queries : Times

    Returns
    -------
    offsets : int64 array of shape (keys + 1,)
    place : int64 array of shape (queries,)
    time : int64 array of shape (query_times,)

    Examples
    --------
    >>> queries = Times(np.array([0, 3, 4]), np.arange(4), np.array([5, 7, 7, 7]))
    >>> [one.tolist() for one in query_times_of(queries)]
    [[0, 2, 3], [0, 1, 1, 2], [5, 7, 7]]
    """
    new = begins_run(queries.time)
    begins = queries.offsets[:-1]
    new[begins[np.diff(queries.offsets) > 0]] = True
    ends = offsets_of(new)
    return ends[queries.offsets], ends[1:] - 1, queries.time[new]


@dataclass(frozen=True)
class QueryTimes:
    """The distinct keys of queries, and the distinct sorted query times of each.

    Attributes
    ----------
    keys : pyarrow.Table
        A row for each key.
    offsets : int64 array of shape (keys + 1,)
    time : int64 array of shape (query_times,)
    """

    keys: pa.Table
    offsets: Ints
    time: Ints

    @classmethod
    def of(cls, rows: pa.Table, keys: Sequence[str]) -> "QueryTimes":
        """Return the query times of rows, none of which lacks a key or a time.

        Examples
        --------
        >>> rows = pa.table({"k": ["b", "a", "b", "b"], TIME: [5, 1, 3, 5]})
        >>> found = QueryTimes.of(rows, ["k"])
        >>> found.keys.column("k").to_pylist(), found.offsets.tolist(), found.time.tolist()
        (['b', 'a'], [0, 2, 3], [3, 5, 1])
        """
        of_rows = rows.select(list(keys))
        code, count = key_codes(of_rows)
        times = sort_by_time(code, instants(as_array(rows.column(TIME))), count)
        offsets, _, time = query_times_of(times)
        return cls(of_rows.take(pa.array(times.row[times.offsets[:-1]])), offsets, time)

    @classmethod
    def read(cls, packed: Any) -> "QueryTimes":
        """Return the query times from packed ones; the inverse of :meth:`packed`."""
        return cls.of_table(unpacked_rows(packed))

    @classmethod
    def of_table(cls, table: pa.Table) -> "QueryTimes":
        """Return the query times from a table; the inverse of :meth:`table`."""
        lists = as_array(table.column(TIMES))
        return cls(table.drop_columns([TIMES]), lists.offsets.to_numpy(), lists.values.to_numpy())

    def packed(self) -> pa.Buffer:
        """Return these as one binary value."""
        return packed_rows(self.table())

    def table(self) -> pa.Table:
        """Return a row for each key, with its times."""
        lists = pa.LargeListArray.from_arrays(pa.array(self.offsets), pa.array(self.time))
        return with_columns(self.keys, {TIMES: lists}).combine_chunks()

    def rows(self) -> pa.Table:
        """Return a row for each key and time."""
        key = run_of_rows(self.offsets)
        return self.keys.take(pa.array(key)).append_column(TIME, pa.array(self.time))

    def numbers(self, keys: pa.Table) -> Ints:
        """Return the number of each row's key, -1 for keys without queries."""
        # Spark's events lack null keys, and their schema says so; queries may have some.
        schema = pa.schema([field.with_nullable(True) for field in keys.schema])
        own_keys, count = self.keys.cast(schema), len(self.keys)
        # Codes are numbered by first occurrence, so the keys of queries have the first ones.
        codes = key_codes(pa.concat_tables([own_keys, keys.cast(schema)]))[0][count:].astype(
            np.int64
        )
        return np.where(codes < count, codes, -1)

    def times_of(self, key: Ints) -> tuple[Ints, Ints]:
        """Return the offsets and the times of some keys, in this order."""
        first, end = self.offsets[key], self.offsets[key + 1]
        member, _ = range_members(first, end)
        return offsets_of(end - first), self.time[member]

    @cached_property
    def marks(self) -> Ints:
        """A hash of the query times of each key."""
        return marks_of(self.offsets, self.time)


def marks_of(offsets: Ints, time: Ints) -> Ints:
    """Return a hash of the times of each key.

    Examples
    --------
    >>> first, again, other = marks_of(np.array([0, 2, 4, 6]), np.array([3, 5, 3, 5, 3, 6]))
    >>> bool(first == again), bool(first == other)
    (True, False)
    """
    place = places_in_runs(np.diff(offsets))
    mixed = time.astype(np.uint64) ^ place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(31)) * np.uint64(0xBF58476D1CE4E5B9)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed ^ mixed >> np.uint64(29))])
    return np.asarray(total[offsets[1:]] - total[offsets[:-1]]).astype(np.int64)


@dataclass(frozen=True)
class QueryTimesTask:
    """Packs the query times of a Spark partition, not too many rows at once.

    Attributes
    ----------
    columns : tuple of str
        The names of the columns in their order.
    keys : tuple of str
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield query times, each as one binary value."""
        freeze_gc()
        chunks = gathered(batch.rename_columns(list(self.columns)) for batch in batches)
        tables = (QueryTimes.of(rows, self.keys).table() for rows in chunks)
        yield from to_one_task(tables, QUERY_TIMES, self.columns)


@dataclass(frozen=True)
class JoinTask:
    """Joins the query times of all Spark partitions.

    Attributes
    ----------
    keys : tuple of str
    most : int
        The most bytes of the result.
    """

    keys: tuple[str, ...]
    most: int = MOST_BYTES

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield all query times as one binary value, or nothing without query times."""
        freeze_gc()
        tables: list[pa.Table] = []
        size = 0
        packed = (one for batch in batches for one in binaries(batch.column(QUERY_TIMES)))
        for table in delivered(packed):
            tables.append(QueryTimes.of_table(table).rows())
            size += table.nbytes
            if size > self.most and len(tables) > 1:
                joined = self._joined(tables)
                tables, size = [joined.rows()], joined.packed().size
        if tables:
            yield pa.record_batch({QUERY_TIMES: one_binary(self._joined(tables).packed())})

    def _joined(self, tables: Sequence[pa.Table]) -> QueryTimes:
        found = QueryTimes.of(pa.concat_tables(tables), self.keys)
        size = found.packed().size
        if size > self.most:
            raise WorkbenchError(
                f"method: 'tree' sends the keys and times of all queries to every task, and here "
                f"these are more than {self.most / 1e6:,.0f} MB; give method='auto', or days= of "
                "fewer queries."
            )
        return found

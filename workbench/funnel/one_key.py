"""One key's rows, fetched from a table or from prepared blocks, to be looked at by a person."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.columnar.blocks import (
    CONDITIONS,
    NAME,
    TIME,
    binaries,
    instants,
    key_columns,
    unpack,
)
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.funnel.prepared import Prepared
from workbench.funnel.worker import FunnelTask
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.one_key import is_key, key_values
from workbench.spark.shuffle import instants_of
from workbench.spark.table import column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.funnel.funnel import Funnel

MOST_ROWS = 500


@dataclass(frozen=True)
class KeyRows:
    """The rows of one key, in order of time.

    Attributes
    ----------
    time : int64 array of shape (rows,)
        Microseconds, or what an integer time column holds.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k.
    names : list of str
        What happened, as the event column says; empty text where there is none.
    integer_time : bool
    cut : bool
        Whether the key has more rows than these.
    """

    time: NDArray[np.int64]
    conditions: NDArray[np.uint32]
    names: list[str]
    integer_time: bool
    cut: bool


@dataclass(frozen=True)
class OneKeyTask:
    """The part that runs in Spark's Python workers: packed blocks in, the rows of one key out."""

    task: FunnelTask
    values: tuple[Any, ...]
    limit: int

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Look for the key in every block."""
        for batch in batches:
            for packed in binaries(batch.column(0)):
                yield from self._rows(packed)

    def _rows(self, packed: pa.Buffer) -> Iterator[pa.RecordBatch]:
        keys = key_columns(self.task.keys)
        block = unpack(packed, keys)
        wanted = [
            pc.equal(block.keys.column(name), pa.scalar(value, block.keys.column(name).type))
            for name, value in zip(keys, self.values, strict=True)
        ]
        found = np.flatnonzero(reduce(pc.and_, wanted).combine_chunks().to_numpy(False))
        if not len(found):
            return
        first, last = block.offsets[found[0]], block.offsets[found[0] + 1]
        rows = slice(first, min(last, first + self.limit))
        held = self.task.next in block.rows.column_names
        names = block.plain(str(self.task.next))[rows] if held else None
        count = rows.stop - rows.start
        yield pa.record_batch(
            {
                TIME: pa.array(instants(block.column(TIME))[rows]),
                CONDITIONS: pa.array(self.task.conditions(block)[rows].view(np.int32)),
                NAME: names if names is not None else pa.nulls(count, pa.string()),
            }
        )


@in_one_sentence()
def rows_of_key(
    funnel: "Funnel", events: "DataFrame | Prepared", key: Any, limit: int = MOST_ROWS
) -> KeyRows:
    """Return the rows of one key.

    Parameters
    ----------
    funnel : Funnel
    events : pyspark.sql.DataFrame or Prepared
    key : value, or tuple of values when the funnel's key has several columns
    limit : int
        The most rows that are fetched, the earliest ones.

    Returns
    -------
    KeyRows

    Raises
    ------
    WorkbenchError
        When no row has this key.
    """
    values = key_values(key, funnel.key)
    if isinstance(events, Prepared):
        task = OneKeyTask(funnel.prepared_task(events), values, limit + 1)
        schema = f"{TIME} long, {CONDITIONS} int, {NAME} string"
        table = in_arrow(events.blocks.select("block").mapInArrow(task.run, schema))
    else:
        table = in_arrow(_select(funnel, events, values).limit(limit + 1))
    if not len(table):
        raise WorkbenchError(f"key: no row has the key {key!r}; give one that the table holds.")
    cut = len(table) > limit
    table = table.slice(0, limit).combine_chunks()
    conditions = table.column(CONDITIONS).to_numpy().astype(np.int32).view(np.uint32)
    names = [name or "" for name in table.column(NAME).to_pylist()]
    time = instants(as_array(table.column(TIME)))
    return KeyRows(time, conditions, names, funnel.integer_time(events), cut)


@in_one_sentence()
def a_key(funnel: "Funnel", events: "DataFrame | Prepared") -> Any:
    """Return a key that got as far as any, for those who name none.

    Parameters
    ----------
    funnel : Funnel
    events : pyspark.sql.DataFrame or Prepared

    Returns
    -------
    value, or tuple of values when the funnel's key has several columns
    """
    from pyspark.sql import functions as F

    levels = funnel.levels(events)
    names = [column(levels, name, "key") for name in funnel.key]
    best = collected(levels.orderBy(F.desc("level"), *names).select(*names).limit(1))
    if not best:
        raise WorkbenchError("events: there is no row with a key and a time; nothing can be shown.")
    return best[0][0] if len(best[0]) == 1 else tuple(best[0])


def _select(funnel: "Funnel", events: "DataFrame", values: tuple[Any, ...]) -> "DataFrame":
    from pyspark.sql import functions as F

    bits = funnel.bits(events)[CONDITIONS].alias(CONDITIONS)
    known = funnel.event in events.columns
    name = column(events, funnel.event, "event").cast("string") if known else F.lit(None)
    time = instants_of(events, funnel.time).alias(TIME)
    rows = events.where(is_key(events, funnel.key, values))
    chosen = rows.select(time, bits, name.cast("string").alias(NAME))
    return chosen.where(F.col(TIME).isNotNull()).orderBy(TIME, CONDITIONS, NAME)

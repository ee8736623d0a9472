"""Window functions over streams on Spark: the plan, whatever the mode.

Rows travel in bundles to their bucket, as they do in batches (docs/decisions/0006): workers in
front of the shuffle pack those that go the same way as one binary value, Spark's operator for
arbitrary state gets a few of them a micro-batch, and gives bundles of what goes on to the workers
behind it.
"""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.columnar.blocks import binaries, unpacked_rows
from workbench.columnar.bundles import BUNDLE, PARTITION, BundleTask
from workbench.columnar.process import freeze_gc
from workbench.spark.partitions import set_partitions
from workbench.spark.shipping import ship, with_packages
from workbench.spark.shuffle import Carried, numbered, with_partition
from workbench.spark.steps import named_task
from workbench.windows.stream.processor import BUCKET, processor_of
from workbench.windows.stream.worker.bucket import BucketTask
from workbench.windows.stream.worker.operator import HASH, StreamOperator
from workbench.windows.stream.worker.packing import Seal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

#: With what the names of a query's counts begin in its progress.
OBSERVED = "wb.over"
#: Spark refuses a query with two counts of one name, as of one call over two streams.
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class BoundStream:
    """A window call over a stream, in terms of what travels.

    Attributes
    ----------
    mode : StreamOperator
    carried : Carried
    key : tuple of str
        The columns of the partition, by their names on the way.
    schema : pyspark.sql.types.StructType
        Of the result.
    about : bytes
        What the columns are called, for who looks into the state.
    timed : bool
        Whether the stream has a watermark.
    output_mode : str
        Of the operator: "append" or "update".
    computed : tuple of str
        What columns of the stream are that the call alone has: their names do not say all of it.
    """

    mode: StreamOperator
    carried: Carried
    key: tuple[str, ...]
    schema: "StructType"
    about: bytes
    timed: bool = True
    output_mode: str = "append"
    computed: tuple[str, ...] = ()


def answered_stream(bound: BoundStream) -> "DataFrame":
    """Return a stream of what a window call gives for a stream.

    Parameters
    ----------
    bound : BoundStream

    Returns
    -------
    pyspark.sql.DataFrame
        A stream; nothing runs until a query is started.
    """
    from pyspark.sql import functions as F

    df = bound.carried.table.df
    ship(df.sparkSession)
    buckets = set_partitions(df.sparkSession)
    seal = Seal(buckets, _fingerprint(bound))
    bundles = _bundled(bound, buckets)
    processor = processor_of(BucketTask(bound.mode, seal, bound.about))
    names = bound.mode.counts
    given = ", ".join([f"{BUNDLE} binary", *(f"{name} long" for name in names)])
    time_mode = "EventTime" if bound.timed else "None"
    found = bundles.groupBy(BUCKET).transformWithState(
        processor, given, bound.output_mode.capitalize(), time_mode
    )
    sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in names]
    counted = found.observe(f"{OBSERVED} {seal.call.hex()[:8]} {next(_NUMBERS)}", *sums)
    task = UnbundleTask(tuple(bound.schema.names))
    bundles = counted.select(BUNDLE).where(F.col(BUNDLE).isNotNull())
    return bundles.mapInArrow(named_task("stream rows", with_packages(task.run)), bound.schema)


def _bundled(bound: BoundStream, buckets: int) -> "DataFrame":
    from pyspark.sql import functions as F

    wanted = dict(bound.carried.wanted)
    parts = [wanted[name] for name in bound.key] or [F.lit(0)]
    wanted[HASH] = F.xxhash64(*parts)
    rows, number = numbered(bound.carried.table.df, wanted)
    goes = with_partition(rows, [number[HASH]], buckets)
    task = BundleTask((*wanted, PARTITION), bound.key, buckets)
    bundles = goes.mapInArrow(
        named_task("bundle by bucket", with_packages(task.run)), f"{PARTITION} int, {BUNDLE} binary"
    )
    names = F.array(*map(F.lit, bucket_names(buckets)))
    return bundles.select(names[F.col(PARTITION)].alias(BUCKET), BUNDLE)


@dataclass(frozen=True)
class UnbundleTask:
    """Give rows that have come in bundles to Spark.

    Attributes
    ----------
    columns : tuple of str
        The names of the result's columns. They are part of the task, because Spark takes plans for
        equal whose columns differ by name alone.
    """

    columns: tuple[str, ...]

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of bundles."""
        freeze_gc()
        for batch in batches:
            # There is no shuffle between the operator and this.
            for bundle in binaries(batch.column(0)):
                yield from unpacked_rows(bundle).rename_columns(list(self.columns)).to_batches()


def bucket_names(buckets: int) -> list[int]:
    """Return a name for each bucket, such that each goes to a partition of its own.

    Spark sends a row to the partition that its grouping key's hash says; numbers from 0 would meet
    in some partitions and leave others empty.

    Parameters
    ----------
    buckets : int

    Returns
    -------
    list of int

    Examples
    --------
    >>> bucket_names(4)
    [12, 6, 2, 0]
    """
    found: dict[int, int] = {}
    name = 0
    while len(found) < buckets:
        found.setdefault(spark_hash(name) % buckets, name)
        name += 1
    return [found[partition] for partition in range(buckets)]


def spark_hash(value: int) -> int:
    """Return what Spark's ``hash`` gives for an integer: Murmur3 of 32 bits, with the seed 42.

    Examples
    --------
    >>> spark_hash(1)
    -559580957
    """
    mixed = _rotated(value * 0xCC9E2D51, 15) * 0x1B873593 & _ALL
    found = _rotated(42 ^ mixed, 13) * 5 + 0xE6546B64 & _ALL
    found ^= 4
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        found = (found ^ found >> shift) * factor & _ALL
    return found - (1 << 32) if found >> 31 else found


_ALL = 0xFFFFFFFF


def _rotated(value: int, by: int) -> int:
    value &= _ALL
    return (value << by | value >> 32 - by) & _ALL


def _computed(carried: Carried) -> list[str]:
    """The values that no column of the stream holds, as Spark writes them.

    What Spark calls an expression is the same in each session, which the text of a Column is not.
    """
    table = carried.table
    own = {carried.of(name) for name in table.schema.names}
    # Within another expression, as a name that somebody gave to a value says nothing of it.
    values = [value.isNotNull() for name, value in carried.wanted.items() if name not in own]
    return list(table.without_rows.select(*values).columns) if values else []


def _fingerprint(bound: BoundStream) -> bytes:
    """What tells calls apart whose state is not the same."""
    types = [[f.name, f.dataType.simpleString()] for f in bound.carried.table.schema.fields]
    travels = {"types": types, "key": bound.key, "wanted": list(bound.carried.wanted)}
    # Only where there are such, so that queries without them stay what they are.
    computed = [*_computed(bound.carried), *bound.computed]
    travels |= {"computed": computed} if computed else {}
    text = json.dumps({**travels, **bound.mode.description})
    return blake2b(text.encode(), digest_size=16).digest()

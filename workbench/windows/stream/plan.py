"""The Spark plan of window functions over streams, for every emit mode.

Rows travel in bundles to their bucket, as they do in batches (docs/decisions/0006): workers before
the shuffle pack the rows of one bucket as one binary value, Spark's operator for arbitrary state
gets a few of these per micro-batch, and passes bundles of emitted rows to the workers after it.
"""

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.columnar.bundles import BUNDLE, PARTITION, BundleTask
from workbench.columnar.packed_rows import binaries, unpacked_rows
from workbench.columnar.process import freeze_gc
from workbench.columnar.spark_hash import numbers_for
from workbench.spark.partitions import set_partitions
from workbench.spark.shipping import ship, with_packages
from workbench.spark.shuffle import Carried, numbered, with_partition
from workbench.spark.steps import named_task
from workbench.windows.stream.processor import BUCKET, processor_of
from workbench.windows.stream.watermarks import plan_of
from workbench.windows.stream.worker.bucket import BucketTask
from workbench.windows.stream.worker.operator import HASH, StreamOperator
from workbench.windows.stream.worker.packing import Seal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

#: The prefix of the names of a query's counts in its progress.
OBSERVED = "wb.over"
#: Makes names unique: Spark refuses a query that observes two counts under one name.
_NUMBERS = itertools.count()
#: A column or a variable in Spark's plans. Spark numbers both anew in each session.
_REFERENCE = re.compile(r"([^\s()\[\],]*?)(?:_\d+)?#\d+")


@dataclass(frozen=True)
class BoundStream:
    """A window call bound to a stream: the operator, and the columns that travel to it.

    Attributes
    ----------
    mode : StreamOperator
    carried : Carried
    key : tuple of str
        The columns of the partition, by the names that they have in the workers.
    schema : pyspark.sql.types.StructType
        The schema of the result.
    about : bytes
        The names of the columns, for :func:`workbench.stream_state`.
    timed : bool
        Whether the stream has a watermark.
    output_mode : str
        The output mode of the operator: "append" or "update".
    computed : tuple of str
        The expressions of columns that are computed for the call, as names alone do not tell them.
    """

    mode: StreamOperator
    carried: Carried
    key: tuple[str, ...]
    schema: "StructType"
    about: bytes
    timed: bool = True
    output_mode: str = "append"
    computed: tuple[str, ...] = ()


def run_stream(bound: BoundStream) -> "DataFrame":
    """Return the stream of a window call's results.

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
    bundles = _bundle_by_bucket(bound, buckets)
    processor = processor_of(BucketTask(bound.mode, seal, bound.about))
    names = bound.mode.counts
    schema = ", ".join([f"{BUNDLE} binary", *(f"{name} long" for name in names)])
    time_mode = "EventTime" if bound.timed else "None"
    output = bundles.groupBy(BUCKET).transformWithState(
        processor, schema, bound.output_mode.capitalize(), time_mode
    )
    sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in names]
    counted = output.observe(f"{OBSERVED} {seal.call.hex()[:8]} {next(_NUMBERS)}", *sums)
    task = UnbundleTask(tuple(bound.schema.names))
    bundles = counted.select(BUNDLE).where(F.col(BUNDLE).isNotNull())
    return bundles.mapInArrow(named_task("stream rows", with_packages(task.run)), bound.schema)


def _bundle_by_bucket(bound: BoundStream, buckets: int) -> "DataFrame":
    from pyspark.sql import functions as F

    wanted = dict(bound.carried.wanted)
    parts = [wanted[name] for name in bound.key] or [F.lit(0)]
    wanted[HASH] = F.xxhash64(*parts)
    rows, number = numbered(bound.carried.table.df, wanted)
    routed = with_partition(rows, [number[HASH]], buckets)
    task = BundleTask((*wanted, PARTITION), bound.key, buckets)
    bundles = routed.mapInArrow(
        named_task("bundle by bucket", with_packages(task.run)), f"{PARTITION} int, {BUNDLE} binary"
    )
    names = F.array(*map(F.lit, bucket_names(buckets)))
    return bundles.select(names[F.col(PARTITION)].alias(BUCKET), BUNDLE)


@dataclass(frozen=True)
class UnbundleTask:
    """Unpack bundles of emitted rows for Spark.

    Attributes
    ----------
    columns : tuple of str
        The names of the result's columns. They are part of the task, because Spark considers plans
        equal that differ in column names alone.
    """

    columns: tuple[str, ...]

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of bundles."""
        freeze_gc()
        for batch in batches:
            # No shuffle lies between the operator and this task.
            for bundle in binaries(batch.column(0)):
                yield from unpacked_rows(bundle).rename_columns(list(self.columns)).to_batches()


def bucket_names(buckets: int) -> list[int]:
    """Return a name for each bucket, such that each bucket gets its own Spark partition.

    Spark partitions rows by the hash of their grouping key; numbers from 0 would share some
    partitions and leave others empty.

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
    return [int(name) for name in numbers_for(buckets, buckets)]


def _computed(carried: Carried) -> list[list[str]]:
    """Return the text, the type and the columns of each value that is computed for the call.

    Spark's name of an expression is the same in each session; the text of a Column is not.
    """
    table = carried.table
    own = {carried.of(name) for name in table.schema.names}
    found = []
    for name, value in carried.wanted.items():
        if name not in own:
            # Wrapped in another expression, because an alias would replace the text of the value.
            both = table.without_rows.select(value, value.isNotNull())
            kind = both.schema[0].dataType.simpleString()
            found.append([both.columns[1], kind, *columns_read(plan_of(both))])
    return found


def columns_read(plan: str) -> list[str]:
    """Return the columns that the first step of a plan reads, and the variables of its functions.

    Spark's name of an expression writes the text 'paid' as it writes a column paid.

    Examples
    --------
    >>> columns_read("~Project [(kind#3 = paid) AS yes#4, exists(paid#5, lambda x_1#6) AS no#7]")
    ['kind', 'yes', 'paid', 'x', 'no']
    """
    # Spark marks the steps of a stream.
    step = next((one for one in plan.splitlines() if one.lstrip("~").startswith("Project")), "")
    return [str(name) for name in _REFERENCE.findall(step)]


def _fingerprint(bound: BoundStream) -> bytes:
    """Return a hash that differs for calls whose states are not compatible."""
    types = [[f.name, f.dataType.simpleString()] for f in bound.carried.table.schema.fields]
    travels = {"types": types, "key": bound.key, "wanted": list(bound.carried.wanted)}
    # Added only if there are any, so that the hashes of queries without them do not change.
    computed = [*_computed(bound.carried), *bound.computed]
    travels |= {"computed": computed} if computed else {}
    text = json.dumps({**travels, **bound.mode.description})
    return blake2b(text.encode(), digest_size=16).digest()

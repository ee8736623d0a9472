"""What a person sees of a window call over a stream: rows that came too late, and its state."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.arguments import whole_number
from workbench.columnar.blocks import Block
from workbench.columnar.columns import rows_of
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected
from workbench.spark.sessions.session import session
from workbench.spark.table import unused
from workbench.windows.stream.plan import OBSERVED
from workbench.windows.stream.processor import DIRECTORY, PARTS
from workbench.windows.stream.worker.bucket import LATE, PARTITION_BYTES
from workbench.windows.stream.worker.directory import Directory
from workbench.windows.stream.worker.packing import Seal, unpacked_part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.streaming.query import StreamingQuery

ROWS, OLDEST, NEWEST, BYTES = "rows", "oldest", "newest", "bytes"


def late_rows(query: "StreamingQuery | str | PathLike[str]", operator: int = 0) -> int:
    """Return how many rows a window call has dropped, because they came behind the watermark.

    Parameters
    ----------
    query : pyspark.sql.streaming.StreamingQuery or path
        A query, for those of the micro-batches that Spark remembers (100, unless
        ``spark.sql.streaming.numRecentProgressUpdates`` says otherwise); or its checkpoint, for all
        since it was begun, up to the last micro-batch that is done.
    operator : int
        Of a checkpoint: which of the query's stateful operators, counted from its end.

    Returns
    -------
    int

    Raises
    ------
    WorkbenchError
        When there is no state of a window call in the checkpoint.

    Examples
    --------
    Three readings, each a micro-batch, of which the third comes too late. Late is what is behind
    the watermark of the micro-batch before, and that is an hour behind the rows before that.

    >>> import tempfile, workbench as wb
    >>> spark, folder = wb.session(), tempfile.mkdtemp()
    >>> for hour in ("05", "06", "02"):
    ...     row = spark.sql(f"SELECT 'a' AS plant, TIMESTAMP '2024-05-01 {hour}:00:00' AS at")
    ...     row.coalesce(1).write.mode("append").parquet(f"{folder}/in")
    >>> files = spark.readStream.schema(row.schema).option("maxFilesPerTrigger", 1)
    >>> stream = files.parquet(f"{folder}/in").withWatermark("at", "1 hour")
    >>> found = wb.over(stream, "plant", "at", emit="on window close", n=wb.fn.row_number())
    >>> sink = found.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
    >>> query = sink.trigger(availableNow=True).start(f"{folder}/out")
    >>> query.awaitTermination()
    >>> spark.read.parquet(f"{folder}/out").orderBy("at").show()
    +-----+-------------------+---+
    |plant|                 at|  n|
    +-----+-------------------+---+
    |    a|2024-05-01 05:00:00|  1|
    +-----+-------------------+---+
    <BLANKLINE>
    >>> late_rows(query)
    1
    """
    if isinstance(query, str | PathLike):
        parts = _read(_variable(query, DIRECTORY, operator), query)
        return sum(Directory.unpacked(p, Seal.of(p)).late for p in map(_packed, parts))
    return sum(counts.get(LATE, 0) for counts in stream_counts(query))


def stream_counts(query: "StreamingQuery") -> list[dict[str, int]]:
    """Return what the window calls of a query have counted, by micro-batch.

    Parameters
    ----------
    query : pyspark.sql.streaming.StreamingQuery

    Returns
    -------
    list of dict of str to int
        Of the micro-batches that Spark remembers: ``late_rows``, ``rows_without_time`` and
        ``closed_rows`` on window close; on update the first two, the ``changes`` that were said,
        the rows that were read and computed anew for them (``rows_read``, ``rows_recomputed``), and
        how many more are held than before (``rows_held``). Of several calls in one query the sums.

    Raises
    ------
    WorkbenchError
        When it is no query.

    Examples
    --------
    >>> import tempfile, workbench as wb
    >>> spark, folder = wb.session(), tempfile.mkdtemp()
    >>> spark.range(3).coalesce(1).write.parquet(f"{folder}/in")
    >>> stream = spark.readStream.schema("id long").parquet(f"{folder}/in")
    >>> found = wb.over(stream, order_by="id", emit="on update", n=wb.fn.row_number())
    >>> sink = found.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
    >>> query = sink.trigger(availableNow=True).start(f"{folder}/out")
    >>> query.awaitTermination()
    >>> stream_counts(query)  # doctest: +NORMALIZE_WHITESPACE
    [{'late_rows': 0, 'rows_without_time': 0, 'changes': 3,
      'rows_recomputed': 3, 'rows_read': 3, 'rows_held': 3}]
    """
    if not hasattr(query, "recentProgress"):
        raise WorkbenchError(f"query: {query!r} is none; give what writeStream.start() returned.")
    return [summed(progress.observedMetrics or {}) for progress in query.recentProgress]


def summed(observed: dict[str, Any]) -> dict[str, int]:
    """Return what the window calls of a micro-batch have counted."""
    found: dict[str, int] = {}
    for name, row in observed.items():
        if name.startswith(OBSERVED):
            for count, value in _named(row.asDict()).items():
                found[count] = found.get(count, 0) + int(value or 0)
    return found


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """What was observed by name: Spark Connect gives the values and the schema instead."""
    if "schema" not in row:
        return row
    names = [field["name"] for field in row["schema"]["fields"]]
    return dict(zip(names, row["values"], strict=True))


def stream_state(checkpoint: "str | PathLike[str]", operator: int = 0) -> "DataFrame":
    """Return what a window call over a stream keeps, partition by partition.

    Parameters
    ----------
    checkpoint : path
        The query's ``checkpointLocation``; the query may run.
    operator : int
        Which of the query's stateful operators is the call, counted from its end.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the key, ``rows`` (that are kept), ``oldest`` and ``newest`` (the first and
        the last of these in the order) and ``bytes``, about; as of the last micro-batch that was
        done when the state was asked for. Where the key has a column of such a name, an underscore
        stands behind ours. Of a state that keeps no row it has ``rows`` and ``bytes`` alone.

    Raises
    ------
    WorkbenchError
        When there is no state of a window call in the checkpoint.

    Examples
    --------
    >>> import tempfile, workbench as wb
    >>> spark, folder = wb.session(), tempfile.mkdtemp()
    >>> spark.range(3).coalesce(1).write.parquet(f"{folder}/in")
    >>> stream = spark.readStream.schema("id long").parquet(f"{folder}/in")
    >>> found = wb.over(stream, order_by="id", emit="on update", n=wb.fn.row_number())
    >>> sink = found.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
    >>> query = sink.trigger(availableNow=True).start(f"{folder}/out")
    >>> query.awaitTermination()
    >>> stream_state(f"{folder}/checkpoint").drop("bytes").show()
    +----+------+------+
    |rows|oldest|newest|
    +----+------+------+
    |   3|     0|     2|
    +----+------+------+
    <BLANKLINE>
    """
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import LongType, StructType

    directories = _read(_variable(checkpoint, DIRECTORY, operator).limit(1), checkpoint)
    parts = _variable(checkpoint, PARTS, operator)
    some = _read(parts.limit(1), checkpoint)
    about = _about(directories[0]) if directories else {"key": [], "order": None}
    task = StateTask(tuple(map(tuple, about["key"])), about["order"])
    if not some:
        empty = StructType().add(ROWS, LongType()).add(BYTES, LongType())
        return parts.sparkSession.createDataFrame([], empty)
    schema: StructType = from_arrow_schema(
        task.shown(_packed(some[0])).schema, prefer_timestamp_ntz=True
    )
    return parts.mapInArrow(task.run, schema)


@dataclass(frozen=True)
class StateTask:
    """Show packed parts to a person.

    Attributes
    ----------
    key : tuple of (str, str)
        The columns of the key: their names, and those in the parts.
    order : str or None
        The column of the order in the parts.
    """

    key: tuple[tuple[str, str], ...]
    order: str | None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the partitions of packed parts."""
        for batch in batches:
            for packed in batch.column(0):
                yield from self.shown(packed.as_py()).to_batches()

    def shown(self, packed: bytes) -> pa.Table:
        """Return the partitions of a packed part."""
        part = unpacked_part(packed, Seal.of(packed))
        sizes = np.diff(part.offsets)
        columns = {name: as_array(part.keys.column(alias)) for name, alias in self.key}
        found = {ROWS: pa.array(sizes)}
        if self.order is not None:
            found |= self._ends(part, sizes, self.order)
        width = len(packed) / max(len(part.rows) + len(sizes), 1)
        found[BYTES] = pa.array((sizes * width + min(width, PARTITION_BYTES)).astype(np.int64))
        # A key may have a column called "rows".
        own = {unused(columns, name): values for name, values in found.items()}
        return pa.table(columns | own)

    def _ends(self, part: Block, sizes: Any, order: str) -> dict[str, pa.Array]:
        values, none = part.column(order), sizes == 0
        first = np.where(none, -1, part.offsets[:-1])
        last = np.where(none, -1, part.offsets[1:] - 1)
        return {OLDEST: rows_of(values, first), NEWEST: rows_of(values, last)}


def _variable(checkpoint: "str | PathLike[str]", name: str, operator: int) -> "DataFrame":
    """A variable of the state as one column of packed values."""
    from pyspark.errors import AnalysisException, PySparkException
    from pyspark.sql import functions as F

    if not isinstance(checkpoint, str | PathLike):
        raise WorkbenchError(
            f"checkpoint: {checkpoint!r} is no path; give the query's checkpointLocation."
        )
    number = whole_number(operator)
    if number is None or number < 0:
        raise WorkbenchError(
            f"operator: {operator!r} is no stateful operator of a query; give 0 for its last one, "
            "1 for the one before."
        )
    reader = session().read.format("statestore").option("stateVarName", name)
    try:
        found = reader.option("operatorId", number).load(fspath(checkpoint))
        # A variable that is a map names its values otherwise.
        value = next(name for name in ("user_map_value", "value") if name in found.columns)
        return found.select(F.col(f"{value}.packed"))
    except (AnalysisException, PySparkException) as error:
        text = str(error).strip().splitlines()[0]
        raise WorkbenchError(
            f"checkpoint: there is no state of a window call in {fspath(checkpoint)!r}; give the "
            f"query's checkpointLocation, after its first micro-batch ({text[:120]})."
        ) from None


def _read(values: "DataFrame", checkpoint: "str | PathLike[str]") -> "list[Row]":
    """Values of the state, of which Spark may miss files."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        return collected(values)
    except (Py4JJavaError, PySparkException):
        raise WorkbenchError(
            f"checkpoint: the state in {fspath(checkpoint)!r} cannot be read, as files of it are "
            "gone or damaged; ask again where the query runs, else restore it as a whole, or begin "
            "a new checkpoint."
        ) from None


def _about(row: Any) -> dict[str, Any]:
    packed = _packed(row)
    found: dict[str, Any] = json.loads(Directory.unpacked(packed, Seal.of(packed)).about)
    return found


def _packed(row: Any) -> bytes:
    return bytes(row[0])

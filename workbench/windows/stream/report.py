"""Reports on a window call over a stream: its late rows, its counts and its state."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.arguments import check_text, whole_number
from workbench.columnar.blocks import Block
from workbench.columnar.columns import rows_of
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected
from workbench.spark.names import unused
from workbench.spark.sessions.session import session
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
    """Return how many rows a window call has dropped because they arrived after the watermark.

    Parameters
    ----------
    query : pyspark.sql.streaming.StreamingQuery or path
        A query, for the micro-batches that Spark remembers (100, unless
        ``spark.sql.streaming.numRecentProgressUpdates`` is set); or its checkpoint, for all
        micro-batches since it was begun, up to the last finished one.
    operator : int
        For a checkpoint: the number of the query's stateful operator, counted from its end.

    Returns
    -------
    int

    Raises
    ------
    WorkbenchError
        When there is no state of a window call in the checkpoint.

    Examples
    --------
    Three readings, each a micro-batch; the third arrives too late. A row is late when it is before
    the watermark of the previous micro-batch, which is an hour before the rows before that.

    >>> import tempfile, workbench as wb
    >>> spark, folder = wb.session(), tempfile.mkdtemp()
    >>> for hour in ("05", "06", "02"):
    ...     row = spark.sql(f"SELECT 'a' AS plant, TIMESTAMP '2024-05-01 {hour}:00:00' AS at")
    ...     row.coalesce(1).write.mode("append").parquet(f"{folder}/in")
    >>> files = spark.readStream.schema(row.schema).option("maxFilesPerTrigger", 1)
    >>> stream = files.parquet(f"{folder}/in").withWatermark("at", "1 hour")
    >>> result = wb.over(stream, "plant", "at", emit="on window close", n=wb.fn.row_number())
    >>> sink = result.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
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
    """Return the counts of a query's window calls, by micro-batch.

    Parameters
    ----------
    query : pyspark.sql.streaming.StreamingQuery

    Returns
    -------
    list of dict of str to int
        For the micro-batches that Spark remembers: ``late_rows``, ``rows_without_time`` and
        ``closed_rows`` on window close; on update the first two, the emitted ``changes``, the rows
        read and recomputed for them (``rows_read``, ``rows_recomputed``), and the increase of the
        rows in the state (``rows_held``). Several calls in one query are summed.

    Raises
    ------
    WorkbenchError
        When ``query`` is not a query.

    Examples
    --------
    >>> import tempfile, workbench as wb
    >>> spark, folder = wb.session(), tempfile.mkdtemp()
    >>> spark.range(3).coalesce(1).write.parquet(f"{folder}/in")
    >>> stream = spark.readStream.schema("id long").parquet(f"{folder}/in")
    >>> result = wb.over(stream, order_by="id", emit="on update", n=wb.fn.row_number())
    >>> sink = result.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
    >>> query = sink.trigger(availableNow=True).start(f"{folder}/out")
    >>> query.awaitTermination()
    >>> stream_counts(query)  # doctest: +NORMALIZE_WHITESPACE
    [{'late_rows': 0, 'rows_without_time': 0, 'changes': 3,
      'rows_recomputed': 3, 'rows_read': 3, 'rows_held': 3}]
    """
    # A Column of Spark has attributes of any name.
    batches = getattr(query, "recentProgress", None)
    if not isinstance(batches, list):
        raise WorkbenchError(
            f"query: {query!r} is not a query; give what writeStream.start() returned."
        )
    return [summed(progress.observedMetrics or {}) for progress in batches]


def summed(observed: dict[str, Any]) -> dict[str, int]:
    """Return the summed counts of the window calls of a micro-batch."""
    counts: dict[str, int] = {}
    for name, row in observed.items():
        if name.startswith(OBSERVED):
            for count, value in _values_by_name(row.asDict()).items():
                counts[count] = counts.get(count, 0) + int(value or 0)
    return counts


def _values_by_name(row: dict[str, Any]) -> dict[str, Any]:
    """Return observed values by name; Spark Connect gives the values and the schema instead."""
    if "schema" not in row:
        return row
    names = [field["name"] for field in row["schema"]["fields"]]
    return dict(zip(names, row["values"], strict=True))


def stream_state(checkpoint: "str | PathLike[str]", operator: int = 0) -> "DataFrame":
    """Return the state of a window call over a stream, a row per partition.

    Parameters
    ----------
    checkpoint : path
        The query's ``checkpointLocation``; the query may run.
    operator : int
        The number of the call's stateful operator in the query, counted from its end.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the key, ``rows`` (in the state), ``oldest`` and ``newest`` (the first and
        the last of these in the order) and an estimate of ``bytes``; as of the last finished
        micro-batch. A trailing underscore is added to these names where the key has such a column.
        For a state without rows, the table has ``rows`` and ``bytes`` alone.

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
    >>> result = wb.over(stream, order_by="id", emit="on update", n=wb.fn.row_number())
    >>> sink = result.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
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
    sample = _read(parts.limit(1), checkpoint)
    about = _about(directories[0]) if directories else {"key": [], "order": None}
    task = StateTask(tuple(map(tuple, about["key"])), about["order"])
    if not sample:
        empty = StructType().add(ROWS, LongType()).add(BYTES, LongType())
        return parts.sparkSession.createDataFrame([], empty)
    schema: StructType = from_arrow_schema(
        task.partitions(_packed(sample[0])).schema, prefer_timestamp_ntz=True
    )
    return parts.mapInArrow(task.run, schema)


@dataclass(frozen=True)
class StateTask:
    """Unpack parts of the state into a readable table.

    Attributes
    ----------
    key : tuple of (str, str)
        The columns of the key: their names, and their names in the parts.
    order : str or None
        The column of the order in the parts.
    """

    key: tuple[tuple[str, str], ...]
    order: str | None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the partitions of packed parts."""
        for batch in batches:
            for packed in batch.column(0):
                yield from self.partitions(packed.as_py()).to_batches()

    def partitions(self, packed: bytes) -> pa.Table:
        """Return the partitions of a packed part."""
        part = unpacked_part(packed, Seal.of(packed))
        sizes = np.diff(part.offsets)
        columns = {name: as_array(part.keys.column(alias)) for name, alias in self.key}
        figures = {ROWS: pa.array(sizes)}
        if self.order is not None:
            figures |= self._ends(part, sizes, self.order)
        width = len(packed) / max(len(part.rows) + len(sizes), 1)
        figures[BYTES] = pa.array((sizes * width + min(width, PARTITION_BYTES)).astype(np.int64))
        # A key may have a column called "rows".
        renamed = {unused(columns, name): values for name, values in figures.items()}
        return pa.table(columns | renamed)

    def _ends(self, part: Block, sizes: Any, order: str) -> dict[str, pa.Array]:
        values, is_empty = part.column(order), sizes == 0
        first = np.where(is_empty, -1, part.offsets[:-1])
        last = np.where(is_empty, -1, part.offsets[1:] - 1)
        return {OLDEST: rows_of(values, first), NEWEST: rows_of(values, last)}


def _variable(checkpoint: "str | PathLike[str]", name: str, operator: int) -> "DataFrame":
    """Return a variable of the state as a DataFrame with one column of packed values."""
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as F

    if not isinstance(checkpoint, str | PathLike):
        raise WorkbenchError(
            f"checkpoint: {checkpoint!r} is not a path; give the query's checkpointLocation."
        )
    check_text(fspath(checkpoint), "checkpoint")
    number = whole_number(operator)
    if number is None or number < 0:
        raise WorkbenchError(
            f"operator: {operator!r} is not the number of a stateful operator; give 0 for the "
            "query's last one, 1 for the one before."
        )
    reader = session().read.format("statestore").option("stateVarName", name)
    try:
        state = reader.option("operatorId", number).load(fspath(checkpoint))
        # The values of a map have another name.
        value = next(name for name in ("user_map_value", "value") if name in state.columns)
        return state.select(F.col(f"{value}.packed"))
    except PySparkException as error:
        text = str(error).strip().splitlines()[0].partition(". ")[0]
        raise WorkbenchError(
            f"checkpoint: there is no state of a window call in {fspath(checkpoint)!r}; give the "
            f"query's checkpointLocation, after its first micro-batch ({text})."
        ) from None


def _read(values: "DataFrame", checkpoint: "str | PathLike[str]") -> "list[Row]":
    """Return values of the state; refuse a state of which files are missing or damaged."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        return collected(values)
    except (Py4JJavaError, PySparkException):
        raise WorkbenchError(
            f"checkpoint: the state in {fspath(checkpoint)!r} cannot be read, as some of its files "
            "are missing or damaged; ask again if the query is running, else restore the whole "
            "checkpoint, or begin a new one."
        ) from None


def _about(row: Any) -> dict[str, Any]:
    packed = _packed(row)
    about: dict[str, Any] = json.loads(Directory.unpacked(packed, Seal.of(packed)).about)
    return about


def _packed(row: Any) -> bytes:
    return bytes(row[0])

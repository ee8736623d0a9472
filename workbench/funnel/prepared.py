"""Prepared events: scanned, shuffled and sorted once, then queried many times.

An explorer's slider must not repeat the work that no slider changes. Each Spark partition is kept
as one packed block, so another query costs no work per row outside the kernel.
"""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from workbench.arguments import column_names, one_name, optional_names
from workbench.columnar.blocks import CONDITIONS, NAME
from workbench.described import Described
from workbench.errors import WorkbenchError
from workbench.funnel.columns import RESULTS, check_event
from workbench.funnel.steps import Condition, bits_of, check_steps, event_name
from workbench.funnel.worker.pack import MOST_NAMES, PackTask
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.shipping import ship
from workbench.spark.shuffle import select_rows, skipped_of
from workbench.spark.sources.given import table
from workbench.spark.steps import named_task
from workbench.spark.table import (
    BoundTable,
    check_arrow_type,
    check_key,
    column,
    is_integer_time,
    type_of,
)
from workbench.spark.types import INTEGERS

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Observation

    from workbench.spark.sources.given import TableLike

BYTES_A_TASK = 32_000_000

#: Types whose values can be names of events, because Arrow writes them as text like Spark does.
NAMES = ("string", "char", "varchar", *INTEGERS, "boolean", "date", "decimal", "void")

Event = str | Mapping[str, Condition]


class Prepared(Described):
    """Events held as packed blocks, for funnels over the same key, time and events.

    Attributes
    ----------
    blocks : pyspark.sql.DataFrame
        One row for each block, its bytes first.
    key, time, event, keep
        The arguments of :func:`workbench.prepare`.
    names : tuple of str
        The event names in alphabetical order, or the labels of the conditions in their order.
    rows, keys, skipped, bytes, partitions : int
        How many events it holds, distinct keys, events left out because their key or time is null,
        bytes of packed blocks, and blocks.
    span : (int, int) or None
        The first time and the last, in microseconds since 1970 in UTC, or as an integer column
        holds them; None without events.
    tasks : int
        How many Spark tasks a query takes: few if the blocks are small, because starting a task
        takes longer than reading a small block. If it is one, summaries run in this process.

    Examples
    --------
    >>> import pandas as pd
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> did = ["visit", "buy", "visit"]
    >>> events = pd.DataFrame({"user_id": [1, 1, 2], "timestamp": [0, 2, 1], "event": did})
    >>> with wb.prepare(events) as prepared:
    ...     prepared.names, prepared.rows, prepared.keys, prepared.span
    (('buy', 'visit'), 3, 2, (0, 2))
    """

    def __init__(
        self,
        events: BoundTable,
        event: Event,
        keep: Sequence[str],
        argument_of: Mapping[str, str] | None = None,
    ) -> None:
        self.key, self.time, self.keep = events.key, events.time, tuple(keep)
        self.event = event if isinstance(event, str) else dict(event)
        self.schema, self.integer_time = events.schema, events.integer_time
        self._fetched: list[pa.RecordBatch] | None = None
        self.blocks, skipped = self._pack(events, argument_of)
        self.blocks.persist()
        try:
            self._measure(events, skipped)
        except BaseException:
            self.free()
            raise

    def __repr__(self) -> str:
        skipped = f", {self.skipped:,} rows skipped" if self.skipped else ""
        return (
            f"<prepared: {self.rows:,} events of {self.keys:,} keys, "
            f"{len(self.names)} kinds of event, "
            f"{self.bytes / 1e6:,.1f} MB in {self.partitions} blocks{skipped}>"
        )

    def _facts(self) -> dict[str, object]:
        kinds = ", ".join(self.names[:8]) + (" and more" if len(self.names) > 8 else "")
        size = f"{self.bytes / 1e6:,.1f} MB in {self.partitions:,} blocks"
        return {
            "events": f"{self.rows:,} of {self.keys:,} keys ({', '.join(self.key)})",
            "kinds of event": f"{len(self.names):,}: {kinds}",
            "further columns": ", ".join(self.keep) or None,
            "held": f"{size}; free() releases it",
            "left out": f"{self.skipped:,} rows without a key or a time" if self.skipped else None,
        }

    def __enter__(self) -> "Prepared":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.free()

    def packed(self) -> "DataFrame":
        """Return the blocks as one column, in as few Spark partitions as ``tasks``."""
        return self.blocks.select("block").coalesce(self.tasks)

    def fetched(self) -> "list[pa.RecordBatch]":
        """Return the packed blocks in this process, for a summary; only if ``tasks`` is one.

        A Spark job for so few rows takes ten times as long as the kernel, too long for a slider.
        """
        if self._fetched is None:
            self._fetched = in_arrow(self.blocks.select("block")).to_batches()
        return self._fetched

    def free(self) -> None:
        """Release the memory; a later query computes the blocks again.

        Examples
        --------
        >>> import workbench as wb
        >>> clicks = wb.datasets.clickstream(wb.session(), users=10)
        >>> with wb.prepare(clicks) as prepared:
        ...     prepared.keys
        10
        """
        self.blocks.unpersist()
        self._fetched = None

    def _pack(
        self, events: BoundTable, argument_of: Mapping[str, str] | None
    ) -> "tuple[DataFrame, Observation]":
        from pyspark.sql import Observation

        ship(events.df.sparkSession)
        named = isinstance(self.event, str)
        columns = (
            event_name(events, self.event)
            if isinstance(self.event, str)
            else bits_of(events, self.event, "event", argument_of)
        )
        skipped = Observation()
        rows = select_rows(events, columns, self.keep, skipped=skipped)
        task = PackTask(self.key, NAME if named else CONDITIONS)
        schema = "block binary, rows long, keys long, first long, last long, names array<string>"
        return rows.mapInArrow(named_task("pack by key", task.run), schema), skipped

    @in_one_sentence()
    def _measure(self, events: BoundTable, skipped: "Observation") -> None:
        from pyspark.sql import functions as F

        figures = collected(
            self.blocks.agg(
                F.coalesce(F.sum("rows"), F.lit(0)).alias("rows"),
                F.coalesce(F.sum("keys"), F.lit(0)).alias("keys"),
                F.coalesce(F.sum(F.length("block")), F.lit(0)).alias("bytes"),
                F.count("*").alias("partitions"),
                F.min("first").alias("first"),
                F.max("last").alias("last"),
                F.array_sort(F.array_distinct(F.flatten(F.collect_list("names")))).alias("names"),
            )
        )[0]
        self.rows, self.keys, self.bytes = figures["rows"], figures["keys"], figures["bytes"]
        self.partitions = figures["partitions"]
        self.span = None if figures["first"] is None else (figures["first"], figures["last"])
        self.tasks = min(self.partitions, self.bytes // BYTES_A_TASK + 1) or 1
        if len(figures["names"]) > MOST_NAMES:
            raise WorkbenchError(
                f"event: column {self.event!r} has more than {MOST_NAMES:,} different values; "
                "name a column of event names."
            )
        self.names = tuple(figures["names"] if isinstance(self.event, str) else self.event)
        self.skipped: int = skipped_of(skipped, bool(self.partitions), events)


def prepare(
    events: "TableLike",
    key: str | Sequence[str] = "user_id",
    time: str = "timestamp",
    event: Event = "event",
    keep: Sequence[str] = (),
) -> Prepared:
    """Scan, shuffle and sort events once, and hold them as packed blocks.

    Parameters
    ----------
    events : TableLike
    key : str or sequence of str
        The column or columns whose values identify one user.
    time : str
        A column of timestamps (with or without a zone), dates or integers.
    event : str or dict of str to (str or Column)
        The column of event names, or conditions by label. All of them are held, not only the steps
        of one funnel: other steps, another order, window or mode can use the same blocks.
    keep : sequence of str
        Further columns to hold, for segments.

    Returns
    -------
    Prepared
        Replaces the table in every method of a funnel; ``free()`` releases the memory.

    Raises
    ------
    WorkbenchError
        When a column is missing or has a wrong type.

    Examples
    --------
    >>> import workbench as wb
    >>> prepared = wb.prepare(wb.datasets.clickstream(wb.session(), users=50))
    >>> prepared.keys, prepared.names[:3]
    (50, ('add_to_cart', 'checkout', 'help'))
    >>> prepared.free()
    """
    return prepared_of(events, key, time, event, keep)


def prepared_of(
    events: "TableLike",
    key: str | Sequence[str],
    time: str,
    event: Event,
    keep: Sequence[str],
    argument_of: Mapping[str, str] | None = None,
) -> Prepared:
    """Prepare events as :func:`prepare` does.

    Parameters
    ----------
    events, key, time, event, keep
    argument_of : mapping of str to str, optional
        The argument that a condition came from, by its label, if that is not ``event``.
    """
    keep, bound = (
        optional_names(keep, "keep"),
        BoundTable.of(table(events), column_names(key), time),
    )
    if isinstance(event, Mapping):
        check_steps(event, "event")
    elif not isinstance(event, str):
        raise WorkbenchError(
            f"event: {event!r} is not text; name a column, or give a dict of conditions by label."
        )
    else:
        check_event(bound, event)
    check_key(bound, RESULTS)
    is_integer_time(bound, one_name(time, "time"))
    for name in keep:
        column(bound, name, "keep")
        check_arrow_type(type_of(bound, name), name, "keep")
    return Prepared(bound, event, keep, argument_of)


def holds_names(events: Prepared, column: str) -> bool:
    """Return whether a held column has names of events: the event column, or one of ``keep``.

    Arrow's text of times, floats, bytes and lists differs from Spark's, so they cannot be names.
    """
    if isinstance(events.event, str):
        return column == events.event
    return column in events.keep and events.schema[column].dataType.typeName() in NAMES

"""Checks of a window call over a stream: each refuses it with one sentence, before a query."""

from typing import TYPE_CHECKING, Any

from workbench.arguments import check_known
from workbench.errors import WorkbenchError
from workbench.frames.bounds import PerRow
from workbench.functions.catalogue import AHEAD, BACK, CHUNKS, PARTITION
from workbench.spark.names import quoted
from workbench.spark.sessions.session import PROVIDER, ROCKSDB
from workbench.spark.table import BoundTable, type_of
from workbench.spark.types import values_in_words

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.windows.bind import Resolved
    from workbench.windows.spec import WindowCall

#: The key of a column's metadata that marks a watermark.
WATERMARK = "spark.watermarkDelayMs"
CLOSE = "emit='on window close'"


def check_emit(emit: Any, known: "list[str]") -> None:
    """Refuse a stream without an emit mode, or with an unknown one."""
    if emit is None:
        listed = " or ".join(map(repr, known))
        raise WorkbenchError(f"emit: this is a stream, so say when rows are emitted: {listed}.")
    check_known(emit, known, "emit")


def check_at_rest(emit: Any, row_id: "tuple[str, ...]" = ()) -> None:
    """Refuse an emit mode for a table at rest."""
    check_no_id(row_id)
    if emit is not None:
        raise WorkbenchError(
            f"emit: {emit!r} is for streams, and this table is at rest; leave it out, or read the "
            "table with spark.readStream."
        )


def check_no_id(row_id: "tuple[str, ...]") -> None:
    """Refuse ``row_id`` in a mode that does not use it."""
    if row_id:
        raise WorkbenchError("row_id: it is for emit='on update'; leave it out.")


def check_engine(over: "WindowCall") -> None:
    """Refuse an engine or a cut into pieces, which streams do not support."""
    if over.engine == "spark":
        raise WorkbenchError(
            "engine: Spark has no window functions over streams; take engine='auto' or 'kernel'."
        )
    if isinstance(over.cut, int):
        raise WorkbenchError("cut: partitions of a stream are not cut; leave it out.")


def check_provider(spark: "SparkSession") -> None:
    """Refuse a session that does not keep a stream's state in RocksDB."""
    provider = str(spark.conf.get(PROVIDER, "") or "")
    if not provider.endswith("RocksDBStateStoreProvider"):
        raise WorkbenchError(
            "df: this session does not keep a stream's state in RocksDB, which Spark needs for it; "
            f"call spark.conf.set('{PROVIDER}', '{ROCKSDB}') before the query is started."
        )


def has_watermark(df: BoundTable, name: str) -> bool:
    """Return whether a column of a stream has a watermark, on classic Spark and Spark Connect."""
    return WATERMARK in (df.schema[name].metadata or {})


def check_closing(over: "WindowCall", df: BoundTable, functions: "list[Resolved]") -> None:
    """Refuse a call on window close whose rows could never be emitted, or not in order.

    Parameters
    ----------
    over : WindowCall
    df : BoundTable
        A stream.
    functions : list of Resolved

    Raises
    ------
    WorkbenchError
    """
    if not over.partition_by:
        raise WorkbenchError(
            f"partition_by: {CLOSE} needs partitions, as one alone would go to one task for ever; "
            "name the columns that make them."
        )
    _check_closing_order(over, df)
    for one in functions:
        if reason := _why_never_closes(one):
            raise WorkbenchError(f"{one.column}: {reason}")


def _check_closing_order(over: "WindowCall", df: BoundTable) -> None:
    marked = [name for name in df.names if has_watermark(df, name)]
    if not marked:
        name = over.order_by[0].name if over.order_by else "time"
        written = name if name.isidentifier() else quoted(name)
        if over.order_by and (kind := type_of(df, name).typeName()) != "timestamp":
            raise WorkbenchError(
                f"df: {CLOSE} needs a watermark, which Spark has along timestamps alone, and "
                f"column {name!r} holds {values_in_words(kind)}; make it one, for example with "
                f"F.col({written!r}).cast('timestamp'), and call df.withWatermark first."
            )
        raise WorkbenchError(
            f"df: {CLOSE} needs a watermark, as nothing else says that a window is complete; call "
            f"df.withWatermark({written!r}, '10 minutes') first."
        )
    names = [term.name for term in over.order_by]
    if not names or names[0] not in marked:
        raise WorkbenchError(
            f"order_by: {CLOSE} follows the column of the watermark, and other columns can only "
            f"break ties; order by {marked[0]!r} first."
        )
    if over.order_by[0].descending:
        raise WorkbenchError(
            f"order_by: {CLOSE} needs an ascending order, as the first row of a descending one is "
            f"never known; order by {names[0]!r}."
        )


def _why_never_closes(one: "Resolved") -> str | None:
    name, info = one.function.name, one.function.info
    advice = "use emit='on update', or a frame that ends"
    if info.extent == PARTITION:
        return f"{name} depends on rows to come, so no window closes; use emit='on update'."
    if info.extent == AHEAD and one.function.options.ignore_nulls:
        return f"{name} that ignores nulls may wait for ever, so no window closes; keep the nulls."
    if info.extent in (BACK, AHEAD) and not isinstance(one.function.options.n, int):
        return f"{name} has an n that differs from row to row, so no window closes; {advice}."
    if info.extent == CHUNKS:
        return (
            f"{name} counts its chunks from a partition's first row, which a stream does not keep."
        )
    if not info.has_frame or one.frame.is_empty:
        return None
    if one.frame.high is None:
        return f"{one.frame!r} has no end, so it never closes; {advice}."
    if any(b is not None and isinstance(b.amount, PerRow) for b in (one.frame.low, one.frame.high)):
        return "a frame that differs from row to row has no known end; give constant bounds."
    return None

"""The emit modes of a window call over a stream, by name."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.spark.table import BoundTable, type_of
from workbench.windows.extent import frame_extents
from workbench.windows.plan import resolved, result_schema, task_of
from workbench.windows.stream.checks import (
    WATERMARK,
    check_closing,
    check_emit,
    check_engine,
    check_no_id,
    check_provider,
    has_watermark,
)
from workbench.windows.stream.plan import BoundStream, run_stream
from workbench.windows.stream.update_checks import check_updating
from workbench.windows.stream.watermarks import check_no_second_watermark
from workbench.windows.stream.worker.close import CloseOperator
from workbench.windows.stream.worker.update import OP, UpdateOperator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from workbench.engine.task import WindowTask
    from workbench.spark.shuffle import Carried
    from workbench.windows.bind import Resolved
    from workbench.windows.spec import WindowCall


class StreamCall(NamedTuple):
    """A window call bound to a stream.

    Attributes
    ----------
    over : WindowCall
    functions : list of Resolved
    task : WindowTask
    carried : Carried
    schema : pyspark.sql.types.StructType
        The schema of the result.
    row_id : tuple of str
        The columns that identify rows, if given.
    computed : tuple of str
        The expressions of columns that a query computes for the call.
    """

    over: "WindowCall"
    functions: "list[Resolved]"
    task: "WindowTask"
    carried: "Carried"
    schema: "StructType"
    row_id: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()

    @property
    def table(self) -> BoundTable:
        """The stream."""
        return self.carried.table


def stream_call(over: "WindowCall", df: BoundTable, row_id: tuple[str, ...]) -> StreamCall:
    """Bind a call to a stream.

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    functions = resolved(over, df)
    return StreamCall(
        over, functions, *task_of(over, df, functions), result_schema(df, functions), row_id
    )


def emitted(call: StreamCall, emit: Any) -> "DataFrame":
    """Return the stream of a window call's results.

    Parameters
    ----------
    call : StreamCall
    emit : str
        One of :data:`EMITS`.

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When the call, the stream or the session does not support the mode.
    """
    check_emit(emit, list(EMITS))
    check_engine(call.over)
    bound = EMITS[emit](call)
    check_no_second_watermark(call.table)
    check_provider(call.table.df.sparkSession)
    return run_stream(replace(bound, computed=call.computed))


def closing(call: StreamCall) -> BoundStream:
    """Bind a call that emits on window close."""
    check_closing(call.over, call.table, call.functions)
    check_no_id(call.row_id)
    along = type_of(call.table, call.over.order_by[0].name)
    mode = CloseOperator(call.task, frame_extents(call.functions, along))
    schema = without_watermark(call.schema)
    return BoundStream(mode, call.carried, call.task.keys, schema, about(call))


def about(call: StreamCall) -> bytes:
    """Return the description of a call that :func:`workbench.stream_state` reads."""
    pairs = zip(call.over.partition_by, call.task.keys, strict=True)
    order = call.task.order[0].name if call.task.order else None
    return json.dumps({"key": list(pairs), "order": order}).encode()


def updating(call: StreamCall) -> BoundStream:
    """Bind a call that emits on update."""
    from pyspark.sql.types import StringType, StructField, StructType

    check_updating(call.over, call.table, call.row_id)
    changelog, order = OP in call.table.names, call.over.order_by
    along = type_of(call.table, order[0].name) if order else StringType()
    timed = bool(order) and not order[0].descending and has_watermark(call.table, order[0].name)
    columns = tuple(pair for pair in call.task.columns if pair[0] != OP)
    mode = UpdateOperator(
        replace(call.task, columns=columns),
        frame_extents(call.functions, along),
        call.carried.of(OP) if changelog else None,
        tuple(map(call.carried.of, call.row_id)),
        timed,
    )
    fields = [field for field in call.schema.fields if field.name != OP]
    schema = without_watermark(StructType([StructField(OP, StringType()), *fields]))
    return BoundStream(mode, call.carried, call.task.keys, schema, about(call), timed=timed)


def without_watermark(schema: "StructType") -> "StructType":
    """Return a schema without the metadata of a watermark.

    Rows leave after the watermark has passed them, so a later operator would drop all as late.
    """
    from pyspark.sql.types import StructField, StructType

    fields = []
    for field in schema.fields:
        metadata = {k: v for k, v in (field.metadata or {}).items() if k != WATERMARK}
        fields.append(StructField(field.name, field.dataType, field.nullable, metadata))
    return StructType(fields)


#: The functions that bind a call to a stream, by emit mode.
EMITS: dict[str, Callable[[StreamCall], BoundStream]] = {
    "on window close": closing,
    "on update": updating,
}

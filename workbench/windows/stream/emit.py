"""When the rows of a stream go on: the modes of a window call by the names that a person gives."""

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
from workbench.windows.stream.plan import BoundStream, answered_stream
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
    found : list of Resolved
    task : WindowTask
    carried : Carried
    schema : pyspark.sql.types.StructType
        Of the table with the answers.
    row_id : tuple of str
        The columns that tell rows apart, if any are named.
    computed : tuple of str
        What columns of the stream are, where a query has computed them for the call.
    """

    over: "WindowCall"
    found: "list[Resolved]"
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
        When a column is missing or has a type that cannot be used so.
    """
    found = resolved(over, df)
    return StreamCall(over, found, *task_of(over, df, found), result_schema(df, found), row_id)


def emitted(call: StreamCall, emit: Any) -> "DataFrame":
    """Return a stream of what a window call gives for a stream.

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
        When the call, the stream or the session cannot be used so.
    """
    check_emit(emit, list(EMITS))
    check_engine(call.over)
    bound = EMITS[emit](call)
    check_no_second_watermark(call.table)
    check_provider(call.table.df.sparkSession)
    return answered_stream(replace(bound, computed=call.computed))


def closing(call: StreamCall) -> BoundStream:
    """Bind a call that emits on window close."""
    check_closing(call.over, call.table, call.found)
    check_no_id(call.row_id)
    along = type_of(call.table, call.over.order_by[0].name)
    mode = CloseOperator(call.task, frame_extents(call.found, along))
    schema = without_watermark(call.schema)
    return BoundStream(mode, call.carried, call.task.keys, schema, about(call))


def about(call: StreamCall) -> bytes:
    """Return what :func:`workbench.stream_state` is to know of a call."""
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
    back = tuple(pair for pair in call.task.columns if pair[0] != OP)
    mode = UpdateOperator(
        replace(call.task, columns=back),
        frame_extents(call.found, along),
        call.carried.of(OP) if changelog else None,
        tuple(map(call.carried.of, call.row_id)),
        timed,
    )
    fields = [field for field in call.schema.fields if field.name != OP]
    schema = without_watermark(StructType([StructField(OP, StringType()), *fields]))
    return BoundStream(mode, call.carried, call.task.keys, schema, about(call), timed=timed)


def without_watermark(schema: "StructType") -> "StructType":
    """Return columns that say nothing of a watermark.

    Rows leave behind it, so an operator behind this one would take all of them for late.
    """
    from pyspark.sql.types import StructField, StructType

    fields = []
    for field in schema.fields:
        metadata = {k: v for k, v in (field.metadata or {}).items() if k != WATERMARK}
        fields.append(StructField(field.name, field.dataType, field.nullable, metadata))
    return StructType(fields)


#: How a call is bound to a stream, by when its rows go on.
EMITS: dict[str, Callable[[StreamCall], BoundStream]] = {
    "on window close": closing,
    "on update": updating,
}

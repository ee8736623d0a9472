"""When the rows of a stream go on: the modes of a window call by the names that a person gives."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.stream_checks import (
    WATERMARK,
    check_closing,
    check_emit,
    check_engine,
    check_provider,
)
from workbench.stream_close import ClosingMode
from workbench.stream_looks import looks_of
from workbench.stream_plan import Asked, answered_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from workbench.window_plan import Carried, Resolved
    from workbench.window_task import WindowTask
    from workbench.windows import Over


class StreamCall(NamedTuple):
    """A window call bound to a stream.

    Attributes
    ----------
    over : Over
    df : pyspark.sql.DataFrame
    found : list of Resolved
    task : WindowTask
    carried : Carried
    schema : pyspark.sql.types.StructType
        Of the table with the answers.
    """

    over: "Over"
    df: "DataFrame"
    found: "list[Resolved]"
    task: "WindowTask"
    carried: "Carried"
    schema: "StructType"


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
    asked = EMITS[emit](call)
    check_provider(call.df.sparkSession)
    return answered_stream(call.df, asked)


def closing(call: StreamCall) -> Asked:
    """Bind a call that emits on window close."""
    check_closing(call.over, call.df, call.found)
    along = call.df.schema[call.over.order_by[0].name].dataType
    mode = ClosingMode(call.task, looks_of(call.found, along))
    return Asked(mode, call.carried, call.task.keys, without_watermark(call.schema))


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
EMITS: dict[str, Callable[[StreamCall], Asked]] = {"on window close": closing}

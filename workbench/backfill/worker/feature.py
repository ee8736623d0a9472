"""One column of a backfill's result, for the workers."""

from dataclasses import dataclass

import pyarrow as pa

from workbench.engine.block import Call


@dataclass(frozen=True)
class Feature:
    """One column of the result.

    Attributes
    ----------
    call : Call
        Its frame is a :class:`workbench.backfill.worker.cogroup.Span`.
    kind : pyarrow.DataType
        The type of the column, as Spark has it.
    by : str, optional
        The column of buckets: the feature is a map with an answer for each of its values.
    """

    call: Call
    kind: pa.DataType
    by: str | None = None

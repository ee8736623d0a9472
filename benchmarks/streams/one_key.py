"""The same windows over a stream in the usual way: the operator calls Python for each key."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import ArrayType, DoubleType, LongType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RESULT = "sensor long, at timestamp, value double, id long, total double, before double, top double"
ROWS = 10


class OneKey(StatefulProcessor):
    """Three functions over the last ten rows of one sensor, on window close."""

    def init(self, handle: Any) -> None:
        """Declare the state: the rows, and how many of them have been returned."""
        schema = StructType().add("at", ArrayType(LongType())).add("value", ArrayType(DoubleType()))
        schema = schema.add("id", ArrayType(LongType())).add("left", LongType())
        self.handle, self.state = handle, handle.getValueState("rows", schema)

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: Any,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Add the rows of a sensor."""
        new = pd.concat(rows)
        new["at"] = new["at"].astype("datetime64[us]").astype("int64")
        yield from self._closed(key, new[["at", "value", "id"]], timerValues)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Return the rows that the watermark has passed."""
        yield from self._closed(key, None, timerValues)

    def _closed(self, key: Any, new: pd.DataFrame | None, timers: Any) -> Iterator[pd.DataFrame]:
        watermark = timers.getCurrentWatermarkInMs()
        at, value, ids, returned = self.state.get() or ([], [], [], 0)
        earlier = pd.DataFrame({"at": at, "value": value, "id": ids})
        rows = earlier if new is None else pd.concat([earlier, new]) if len(earlier) else new
        rows = rows.sort_values("at", kind="stable", ignore_index=True)
        released = int((rows["at"] <= watermark * 1_000).sum())
        frames = rows["value"].rolling(ROWS, min_periods=1)
        answers = {"total": frames.sum(), "before": rows["value"].shift(1), "top": frames.max()}
        closed = rows.assign(sensor=key[0], **answers)[returned:released]
        first = max(released - (ROWS - 1), 0)
        remaining = rows[first:]
        columns = [remaining[name].tolist() for name in ("at", "value", "id")]
        self.state.update((*columns, released - first))
        if released < len(rows):
            self.handle.registerTimer(-(-int(rows["at"][released]) // 1_000))
        if len(closed):
            closed["at"] = pd.to_datetime(closed["at"], unit="us", utc=True).dt.tz_localize(None)
            yield closed[["sensor", "at", "value", "id", "total", "before", "top"]]

    def close(self) -> None:
        """Do nothing, as nothing is open."""


def one_key_a_call(stream: "DataFrame") -> "DataFrame":
    """Return the windows of a stream that has a watermark."""
    return stream.groupBy("sensor").transformWithStateInPandas(
        OneKey(), RESULT, "Append", "EventTime"
    )

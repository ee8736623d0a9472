"""A stream that is explored: by the verb, to its end, and then once more from its first step."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.lessons.replay import Replay
from workbench.widgets.explorers.live_stream import LiveStream

QUARTILES = wb.fn.quantile("delay", [0.25, 0.5, 0.75])
OVER = wb.Over("line", "at", wb.Frame.range("-2 hours", 0), iqr=QUARTILES)


def replay_in(folder: Path) -> Replay:
    at = pa.array(range(0, 30 * 1_200_000_000, 1_200_000_000)).cast(pa.timestamp("us", "UTC"))
    delays = [float(n % 7) for n in range(30)]
    rows = pa.table({"line": ["A", "B"] * 15, "at": at, "delay": delays})
    return Replay(rows, "at", folder, delay="0 minutes", late=0, lateness="4 hours")


def medians(live: LiveStream) -> list[float]:
    (line,) = [trace for trace in live.chart.data if trace.name == "median"][:1]
    return list(line.y)


@pytest.fixture
def one_partition(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", 1)
    monkeypatch.setattr("workbench.lessons.follow.print_elsewhere", lambda _spark: None)
    yield spark
    spark.conf.set("spark.sql.shuffle.partitions", before)


def test_a_table_told_again_is_a_stream_that_can_be_looked_at_once_more(
    one_partition: SparkSession, tmp_path: Path
) -> None:
    live = wb.explore(OVER, replay_in(tmp_path))
    live.speed.value = 240
    live.step()
    first = medians(live)
    assert live.again.layout.display == "none"
    while not live.ended:
        live.step()
    whole = medians(live)
    assert len(whole) == 15 > len(first)
    assert live.again.layout.display is None
    assert "Play it again" in live.status.value
    # Back to the first step, and on to the last.
    live.again.at.index = 0
    assert medians(live) == first
    assert "As it was at" in live.status.value
    live.again.at.index = len(live.moments) - 1
    assert medians(live) == whole
    live.stop()


def test_a_streaming_table_of_ones_own_is_looked_at_and_not_written_to(
    one_partition: SparkSession, tmp_path: Path
) -> None:
    replay = replay_in(tmp_path)
    replay.advance("20 hours")
    schema = one_partition.read.parquet(str(tmp_path)).schema
    stream = one_partition.readStream.schema(schema).parquet(str(tmp_path))
    live = wb.explore(OVER, stream.withWatermark("at", "1 hour"))
    live.follower.catch_up()
    live.step()
    assert len(medians(live)) == 15
    assert dict(live.numbers)["watermark"] == "none yet"
    with pytest.raises(wb.WorkbenchError, match="late event: only a replay takes one"):
        live.inject()
    live.stop()
    assert live.ended
    assert live.again.layout.display is None


def test_a_call_that_goes_along_another_column_is_refused(tmp_path: Path) -> None:
    other = wb.Over("line", "delay", wb.Frame.rows(-2, 0), iqr=QUARTILES)
    with pytest.raises(wb.WorkbenchError, match="over: partition by one column, and order by 'at'"):
        wb.explore(other, replay_in(tmp_path))

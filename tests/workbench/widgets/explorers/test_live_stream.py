"""A stream that is explored by the verb, to its end, and then again from its first step."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import PARTITIONS, session_options
from tests.workbench.widgets.explorers.clicks import click_mark
from workbench.lessons.follow import Beat, Follower, MicroBatches
from workbench.lessons.replay import Replay
from workbench.widgets.explorers.live_stream import LiveStream

QUARTILES = wb.fn.quantile("delay", [0.25, 0.5, 0.75])
OVER = wb.Over("line", "at", wb.Frame.range("-2 hours", 0), iqr=QUARTILES)


def replay_in(folder: Path, begin: int = 0) -> Replay:
    times = range(begin, begin + 30 * 1_200_000_000, 1_200_000_000)
    at = pa.array(times).cast(pa.timestamp("us", "UTC"))
    delays = [float(n % 7) for n in range(30)]
    rows = pa.table({"line": ["A", "B"] * 15, "at": at, "delay": delays})
    return Replay(rows, "at", folder, delay="0 minutes", late=0, lateness="4 hours")


def medians(live: LiveStream) -> list[float]:
    (line,) = [trace for trace in live.chart.data if trace.name == "median"][:1]
    return list(line.y)


@pytest.fixture
def one_partition(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    monkeypatch.setattr("workbench.lessons.follow.print_elsewhere", lambda _spark: None)
    with session_options(spark, {PARTITIONS: 1}):
        yield spark


def test_a_replayed_table_is_a_stream_that_can_be_played_again(
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
    # Ended while a past step is shown: the slider goes to the last one, and so does the picture.
    live.again.at.index = 0
    live.stop()
    assert live.again.at.index == len(live.moments) - 1
    assert medians(live) == whole


def in_frame(live: LiveStream, key: str, at: datetime) -> list[datetime]:
    """Return the times of the emitted rows of a key in the two hours up to a time."""
    emitted = live._emitted
    assert emitted is not None
    times = [row["at"] for row in emitted.to_pylist() if row["line"] == key]
    return sorted(one for one in times if at - timedelta(hours=2) <= one <= at)


def listed_times(live: LiveStream) -> list[datetime]:
    return [at.to_pydatetime().replace(tzinfo=UTC) for at in live.clicked.frame["at"]]


def test_a_click_on_a_point_lists_the_emitted_rows_of_its_frame(
    one_partition: SparkSession, tmp_path: Path
) -> None:
    live = wb.explore(OVER, replay_in(tmp_path))
    live.speed.value = 240
    live.step()
    assert live.clicked.layout.display == "none"
    # The second line's third row, at 01:40: in its frame are those of 00:20 and 01:00, too.
    click_mark(live.chart, "median", 2, nth=1)
    at = datetime(1970, 1, 1, 1, 40, tzinfo=UTC)
    assert live.clicked.layout.display is None
    assert listed_times(live) == in_frame(live, "B", at)
    assert live.clicked.frame["line"].tolist() == ["B"] * 3
    assert live.clicked.frame["iqr"].iloc[-1] == [2.0, 3.0, 4.0]
    words = live.clicked.note.value
    assert "B at 1970-01-01 01:40</b>: iqr = [2, 3, 4], of the 3 rows in its frame" in words
    frame = live.frame_of("B", at.replace(tzinfo=None))
    assert frame.column("at").to_pylist() == listed_times(live)
    # A late row enters the frame: the list is updated, and the row is revised.
    live.replay.write([{"line": "B", "at": at - timedelta(minutes=5), "delay": 600.0}])
    live.step()
    assert listed_times(live) == in_frame(live, "B", at)
    assert len(listed_times(live)) == 4
    assert "iqr = [2.5, 4, 153.75]" in live.clicked.note.value
    assert live.clicked.frame["iqr"].iloc[-1] == [2.5, 4.0, 153.75]
    live.stop()


def test_the_listed_rows_follow_the_moment_that_is_shown(
    one_partition: SparkSession, tmp_path: Path
) -> None:
    live = wb.explore(OVER, replay_in(tmp_path))
    live.speed.value = 240
    while not live.ended:
        live.step()
    live.list_frame("A", "1970-01-01T08:00")
    assert "as emitted so far." in live.clicked.note.value
    # It had not been emitted in the first step; later it is listed again.
    live.again.at.index = 0
    assert live.clicked.layout.display == "none"
    with pytest.raises(wb.WorkbenchError, match="of 'A' at 1970-01-01T08:00 has been emitted"):
        live.frame_of("A", "1970-01-01T08:00")
    live.again.at.index = 2
    assert live.clicked.layout.display is None
    assert f"as emitted by {live.moments[2].at}." in live.clicked.note.value
    at = datetime(1970, 1, 1, 8, tzinfo=UTC)
    assert listed_times(live) == in_frame(live, "A", at)
    click_mark(live.chart, "median", 0)
    assert len(live.clicked.frame) == 1
    assert "of the 1 row in its frame" in live.clicked.note.value
    live.stop()


def test_before_a_row_comes_the_view_says_so_and_after_its_end_it_offers_the_replay(
    one_partition: SparkSession, tmp_path: Path
) -> None:
    live = wb.explore(OVER, replay_in(tmp_path))
    assert not live.chart.data
    assert "No row has been emitted yet" in live.chart.layout.annotations[0].text
    live.speed.value, live.limit = 120, 1
    live.step_button.click()
    live.step_button.click()
    assert len(live.chart.data) == 4
    assert "1 of 2 keys shown" in live.head.value
    # Its end may come before that of the rows; the next step goes on, and hides the offer.
    live.end_button.click()
    assert live.ended
    assert live.again.layout.display is None
    assert "Ended after 2 steps" in live.status.value
    live.step_button.click()
    assert not live.ended
    assert live.again.layout.display == "none"
    assert len(live.moments) == 3
    live.stop()


def test_a_time_with_any_name_is_followed(one_partition: SparkSession, tmp_path: Path) -> None:
    rows = replay_in(tmp_path).rows.rename_columns(["line", "when. it was", "delay"])
    replay = Replay(rows, "when. it was", tmp_path, delay="0 minutes", late=0)
    over = wb.Over("line", "when. it was", wb.Frame.range("-2 hours", 0), iqr=QUARTILES)
    live = wb.explore(over, replay)
    live.step()
    assert len(medians(live)) > 0
    live.stop()


def test_play_pressed_again_at_once_continues_as_one_run(
    one_partition: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = wb.explore(OVER, replay_in(tmp_path))
    steps: list[int] = []
    begun, let_go = threading.Event(), threading.Event()

    def step(*_: object) -> str:
        begun.set()
        let_go.wait(30)
        steps.append(threading.get_ident())
        return ""

    monkeypatch.setattr(live, "_advance", step)
    live.play_button.value = True
    assert begun.wait(30)
    assert live.step_button.disabled
    live.play_button.value = False
    assert not live.step_button.disabled
    live.play_button.value = True
    let_go.set()
    while len(steps) < 6:
        time.sleep(0.05)
    assert live.play_button.value
    assert len(set(steps[2:])) == 1
    live.play_button.value = False
    live.stop()


def test_it_plays_to_the_end_of_the_rows(one_partition: SparkSession, tmp_path: Path) -> None:
    live = wb.explore(OVER, replay_in(tmp_path))
    live.speed.value = 240
    live.play_button.value = True
    live.progress.wait(60)
    while live.play_button.value:
        time.sleep(0.1)
    assert live.ended
    assert len(medians(live)) == 15
    assert live.again.layout.display is None
    live.stop()


def test_a_micro_batch_says_how_far_it_is_and_can_be_stopped(
    one_partition: SparkSession, tmp_path: Path
) -> None:
    def slowly(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(60)
            yield batch

    replay = replay_in(tmp_path / "rows")
    replay.advance("20 hours")
    schema = one_partition.read.parquet(str(replay.folder)).schema
    rows = one_partition.readStream.schema(schema).parquet(str(replay.folder))
    stream = OVER.run(rows.mapInArrow(slowly, schema).withWatermark("at", "1 hour"),
                      emit="on update")  # fmt: skip
    follower = Follower(stream, tmp_path / "checkpoint").start()
    jobs, end = MicroBatches(follower), time.monotonic() + 50
    with jobs:
        while (report := jobs.report()) is None and time.monotonic() < end:
            time.sleep(0.1)
        assert report is not None
        assert "stage 1 · 0 of" in report.words
        jobs.cancel()
    assert follower.query is not None
    assert not follower.query.isActive
    assert time.monotonic() < end
    assert follower.table is None


def test_a_streaming_table_of_the_user_is_read_and_not_written_to(
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
    assert dict(live.numbers)["watermark"] == "1970-01-01 08:40"
    with pytest.raises(wb.WorkbenchError, match="late event: only a replay takes one"):
        live.inject()
    live.stop()
    assert live.ended
    assert live.again.layout.display is None


def test_a_call_ordered_by_another_column_is_refused(tmp_path: Path) -> None:
    other = wb.Over("line", "delay", wb.Frame.rows(-2, 0), iqr=QUARTILES)
    with pytest.raises(wb.WorkbenchError, match="over: partition by one column, and order by 'at'"):
        wb.explore(other, replay_in(tmp_path))


@pytest.mark.parametrize(
    ("lag", "expected"), [("5797m", "4 days 37 min"), ("90m", "1 h 30 min"), ("20s", "0 min")]
)
def test_the_lag_of_a_watermark_is_shown_in_days_and_hours(
    one_partition: SparkSession, tmp_path: Path, lag: str, expected: str
) -> None:
    replay = replay_in(tmp_path, begin=1_704_067_200_000_000)
    live = wb.explore(OVER, replay)
    mark = replay.now - np.timedelta64(int(lag[:-1]), lag[-1])  # type: ignore[call-overload]
    live.stop()
    live.follower.beats = {0: Beat(watermark=f"{mark}Z")}
    assert dict(live.numbers)["watermark behind the clock"] == expected


@pytest.mark.parametrize(
    ("mark", "expected"),
    [("1970-01-01T00:00:00.000", "none yet"), ("1970-01-01T02:30:00.000", "1 h")],
)
def test_a_time_in_1970_is_a_watermark_and_the_epoch_itself_is_not(
    one_partition: SparkSession, tmp_path: Path, mark: str, expected: str
) -> None:
    replay = replay_in(tmp_path)
    replay.advance("210 minutes")
    live = wb.explore(OVER, replay)
    live.stop()
    live.follower.beats = {0: Beat(watermark=f"{mark}Z")}
    live.replay.now = np.datetime64("1970-01-01T03:30:00", "us")
    assert dict(live.numbers)["watermark behind the clock"] == expected

"""What a person sees of windows over streams: lessons, pictures, a replay, rows that arrive."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from kernels.frames.extent import FrameExtent, frame_extent
from tests.workbench.windows.cases import same
from workbench import fn
from workbench.figures.live import Strip, live_figure, live_svg
from workbench.figures.stills.affected import MARKS, affected_svg
from workbench.lessons.arrivals import arrivals_of
from workbench.lessons.replay import Replay
from workbench.widgets.lessons.stream import play_affected, play_close, play_merge
from workbench.widgets.stepper.player import Player
from workbench.windows.stream.changelog import folded

AT = [600, 602, 610, 617]
ARTICLE = [FrameExtent("rows", -1, 0), FrameExtent("rows", 0, 1), frame_extent("lead", 1)]


def clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def captions(player: Player) -> list[str]:
    return [step["caption"] for step in player.lesson["steps"]]


def states(player: Player) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = player.lesson["pictures"][0]["states"]
    return found


def test_closing_windows_step_by_step() -> None:
    player = play_close(AT[:3], ARTICLE, 605, clock)
    assert captions(player)[1:3] == [
        "Row 0 and its frames are complete: it leaves.",
        "Row 1 waits for the watermark to reach 10:10.",
    ]
    assert [state["chain"] for state in states(player)] == [[], [0], [0], [0]]
    assert states(player)[0]["window"]["to"] == 1.4


def test_the_affected_range_step_by_step() -> None:
    player = play_affected(sorted([*AT, 606]), ARTICLE, 2, clock)
    assert captions(player)[0] == "Row 2, of 10:06, has changed."
    last = states(player)[-1]
    assert (last["current"], last["chain"]) == (2, [1, 3])
    assert (last["window"]["from"], last["window"]["to"]) == (-0.4, 4.4)


def test_an_arrival_finds_its_place() -> None:
    player = play_merge(AT, [100, 101, 103, 104], (606, 102), clock)
    assert captions(player) == ["The arrival of 10:06 becomes row 2."]
    (picture,) = player.lesson["pictures"]
    drawn = [event["text"] for event in picture["events"]]
    assert drawn == ["10:00", "10:02", "10:06", "10:10", "10:17"]
    assert [state["current"] for state in states(player)] == [2]


def test_the_marks_are_drawn_at_their_rows() -> None:
    drawn = affected_svg(list("abcde"), 2, (0, 1, 3, 4), "An insert")
    assert [drawn.index(mark) for mark in MARKS] == sorted(drawn.index(mark) for mark in MARKS)
    assert "c   ← comes" in drawn


def strip(rows: int) -> Strip:
    time = np.datetime64("2013-07-01", "us") + np.arange(rows) * np.timedelta64(1, "h")
    band = np.arange(3.0 * rows).reshape(rows, 3)
    return Strip(time, band, np.arange(rows) == 1)


def test_each_key_has_a_band_and_marks_of_revised_rows() -> None:
    figure = live_figure({"EWR": strip(3), "JFK": strip(2)}, "time", "delay")
    assert [len(trace.y) for trace in figure.data] == [3, 3, 3, 1, 2, 2, 2, 1]
    assert list(figure.data[3].y) == [4.0]
    figure = live_figure({"EWR": strip(3), "JFK": strip(0)}, "time", "delay")
    drawn = live_svg(figure, [("late rows", "7")], "Delays")
    assert drawn.count("<polygon") == 1
    assert "no values" in drawn
    assert drawn.count(' stroke="#c65200"') == 2  # One in the legend.


def test_a_figure_without_rows_is_empty() -> None:
    assert not live_figure({}, "time", "delay").data


def rows_at(*minutes: int) -> pa.Table:
    times = [datetime(1969, 12, 31, 23, minute) for minute in minutes]
    return pa.table({"at": pa.array(times, pa.timestamp("us")), "n": range(len(times))})


def test_a_replay_loses_no_row_and_is_out_of_order(tmp_path: Path) -> None:
    rows = rows_at(*range(60))
    replay = Replay(rows, "at", tmp_path, "5 minutes", late=0.2, most_late="10 minutes", seed=3)
    while replay.left:
        replay.advance("7 minutes")
    arrived = [pq.read_table(path)["n"].to_pylist() for path in sorted(tmp_path.glob("0*"))]
    flat = [n for part in arrived for n in part]
    assert sorted(flat) == list(range(60)) != flat
    assert len(arrived) > 5


@pytest.mark.parametrize(
    ("time", "message"), [("when", "time: the table has no"), ("n", "time: 'n' must hold")]
)
def test_a_replay_needs_times(tmp_path: Path, time: str, message: str) -> None:
    with pytest.raises(wb.WorkbenchError, match=message):
        Replay(rows_at(1), time, tmp_path)


def test_a_few_rows_that_arrive_have_the_answer_of_a_batch(spark: SparkSession) -> None:
    over = wb.Over((), "at", wb.Frame.rows(-1, 1), total=fn.sum("n"), place=fn.rank())
    df = spark.createDataFrame(rows_at(5, 1, 9, 3, 9))
    answers = None
    for one in arrivals_of(over, df, "on update", sizes=[2, 2, 1]):
        answers = folded(answers, one.output, "n")
    assert answers is not None
    names = ["n", "total", "place"]
    streamed, batch = (t.sort_by("n").select(names) for t in (answers, over.run(df).toArrow()))
    assert same(streamed.to_pydict(), batch.to_pydict(), names)
    with pytest.raises(wb.WorkbenchError, match="lateness: emit='on window close' needs"):
        arrivals_of(over, df, "on window close")
    with pytest.raises(wb.WorkbenchError, match="df: it has 101 rows; give at most 100"):
        arrivals_of(over, spark.createDataFrame(rows_at(*[1] * 101)), "on update")


@pytest.mark.parametrize("row_id", [None, "id"])
def test_a_row_that_was_not_emitted_cannot_be_removed(row_id: str | None) -> None:
    answers = folded(None, pa.table({"op": ["+I", "+I"], "id": [1, 1]}))
    once = pa.table({"op": ["-D"], "id": [1]})
    assert folded(answers, once, row_id)["id"].to_pylist() == [1]
    with pytest.raises(wb.WorkbenchError, match="changes: a row is removed that is not in said"):
        folded(answers, pa.table({"op": ["-D"], "id": [2]}), row_id)


ROWS = pa.table({"id": [1, 2], "mean": [5.0, 7.0]})
INVALID_CHANGES: list[tuple[Any, dict[str, list[Any]], Any, str]] = [
    (ROWS, {"op": ["insert"], "id": [3], "mean": [1.0]}, "id", "changes: .* says 'insert', which"),
    (ROWS, {"op": [None], "id": [3], "mean": [1.0]}, "id", "changes: .* says None, which is not "),
    (ROWS, {"op": [1], "id": [3], "mean": [1.0]}, "id", "changes: .* says 1, which is not a"),
    (ROWS, {"op": ["-D"], "id": [1], "mean": [5.0]}, "ids", "row_id: .* no column 'ids'; there a"),
    (ROWS, {"op": ["-D"], "id": [1], "mean": [5.0]}, 5, "row_id: 5 is not text; give the name"),
    (ROWS, {"op": ["-D"], "id": [1], "mean": [5.0]}, 0, "row_id: 0 is not text; give the name"),
    (ROWS, {"op": ["+I"], "id": [3], "most": [1.0]}, "id", "changes: 'mean' is missing here, but"),
    (ROWS, {"op": ["-D"], "id": ["1"], "mean": [5.0]}, "id", "changes: 'id' is string here, but i"),
    ([ROWS], {"op": ["+I"], "id": [3], "mean": [1.0]}, "id", "said: this is a list; give the pyar"),
]


@pytest.mark.parametrize(("emitted", "changes", "row_id", "sentence"), INVALID_CHANGES)
def test_invalid_changes_are_one_sentence(
    emitted: Any, changes: dict[str, list[Any]], row_id: Any, sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError, match=sentence):
        folded(emitted, pa.table(changes), row_id)


def test_changes_are_folded_by_the_names_of_their_columns() -> None:
    reordered = pa.table({"mean": [5.0, 6.0], "op": ["-U", "+U"], "id": [1, 1]})
    assert folded(ROWS, reordered).to_pydict() == {"id": [2, 1], "mean": [7.0, 6.0]}
    nothing = pa.table({"op": pa.array([], pa.null()), "id": pa.array([], pa.int64())})
    assert len(folded(None, nothing)) == 0


def test_spark_reads_all_rows_of_a_folded_table(spark: SparkSession) -> None:
    one, other = (pa.table({"op": ["+I"], "id": [number]}) for number in (1, 2))
    moved = pa.table({"op": ["-U", "+U"], "id": [1, 3]})
    answers = folded(folded(folded(None, one), other), moved)
    # Spark would read no rows of a table whose first chunk is empty.
    assert sorted(row.id for row in spark.createDataFrame(answers).collect()) == [2, 3]

"""The notebook on streams: its exercises take the right answers, and a reader's table runs."""

from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession

from kernels.frames.extent import FrameExtent, frame_extent
from tests.notebooks.own_tables import read, texts_with
from workbench.exercises import digest_of
from workbench.widgets.lessons.stream import play_close

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "07-streaming-windows.ipynb"
OWN_TABLE = """
source = {meters!r}
key, time, value = "meter", "at", "kwh"
around, lateness = "90 minutes", "2 hours 30 minutes"
steps, minutes = 2, 120
"""


def accepted(answer: object) -> bool:
    return digest_of(answer) in NOTEBOOK.read_text()


def test_the_changes_of_the_articles_insert() -> None:
    notebook = read(NOTEBOOK)
    texts = [
        out.text for cell in notebook.cells for out in cell.get("outputs", []) if "text" in out
    ]
    (text_of_change,) = [text for text in texts if "10:06 comes:" in text]
    changes = text_of_change.partition("10:06 comes:\n")[2].strip().splitlines()
    assert [line.split()[0] for line in changes] == ["-U", "+U", "+I", "-U", "+U"]
    assert accepted(len(changes))


def test_the_watermark_that_closes_the_window_of_a_row() -> None:
    times, extents = (
        [600, 602, 610, 617],
        [FrameExtent("rows", -1, 0), FrameExtent("rows", 0, 1), frame_extent("lead", 1)],
    )
    steps = play_close(times, extents, 612, lambda m: f"{m // 60}:{m % 60:02}", waiting=2).lesson[
        "steps"
    ]
    assert "Row 2 waits for the watermark to reach 10:17." in [step["caption"] for step in steps]
    assert accepted("10:17")
    assert not accepted("10:12")


def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    meters = pd.DataFrame(
        {
            "meter": [f"m{i % 2}" for i in range(120)],
            "at": pd.date_range("2024-02-28 20:00", periods=120, freq="7min", tz="UTC"),
            "kwh": [i * i % 31 / 2 for i in range(120)],
        }
    )
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, meters=meters)
    assert any(text.startswith("Live view of") and "meter" in text for text in texts)

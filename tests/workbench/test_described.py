"""Our own objects as the last line of a cell: short facts, escaped, and no job of Spark."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.described import frame_table, rows_table
from workbench.online.inspect.agreement import Consistency

AGGREGATIONS = [wb.Aggregation("count", windows=["1 day"])]
BACKFILL = wb.Backfill("user", "ts", AGGREGATIONS, hop="1 hour")
FUNNEL = wb.Funnel({"<b>late": "delay > 15"}, "12 hours", key="tailnum", unit="aircraft")


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (FUNNEL, ["1 &lt;b&gt;late", "delay &gt; 15", "12 h", "tailnum (aircraft)"]),
        (wb.Over("plant", "ts", n=wb.fn.avg("mwh")), ["n = wb.fn.avg(", "plant", "ts", "spark"]),
        (BACKFILL, ["count_1d", "user", "sawtooth, hop 1 hour"]),
    ],
    ids=["Funnel", "Over", "Backfill"],
)
def test_a_specification_is_shown_as_its_facts(thing: object, words: list[str]) -> None:
    shown = thing._repr_html_()  # type: ignore[attr-defined]
    assert type(thing).__name__ in shown
    assert [word for word in words if word not in shown] == []
    assert "<b>late" not in shown


def test_an_online_view_is_shown_without_being_opened(tmp_path: Path) -> None:
    shown = wb.OnlineView(BACKFILL, tmp_path / "store")._repr_html_()
    assert "count_1d" in shown
    assert "2 days" in shown
    assert not (tmp_path / "store").exists()


def test_consistency_is_shown_feature_by_feature() -> None:
    counts = {"rows": 3, "both_null": 0, "left_null": 0, "right_null": 1, "equal": 2}
    columns = pd.DataFrame([{**counts, "different": 0}], index=["count_1d"])
    shown = Consistency(columns, pd.DataFrame(), pd.DataFrame(), 1, 0)._repr_html_()
    assert "2 of 3 values agree" in shown
    assert '<td class="wb-number">1</td>' in shown
    assert "count_1d" in shown


def test_numbers_stand_on_the_right_and_long_texts_are_cut() -> None:
    shown = rows_table("t", ["a", "b"], [("x" * 1000, 5), ("y", 12345)])
    assert '<td class="wb-number">12,345</td>' in shown
    assert "x" * 399 + "…" in shown
    assert "x" * 400 not in shown


def test_a_list_is_read_with_commas_though_it_is_an_array() -> None:
    shown = rows_table("t", ["iqr"], [([1, None],), (np.array([0.5, 2.0]),)])
    assert "<td>[1, null]</td>" in shown
    assert "<td>[0.5, 2.0]</td>" in shown


def test_what_is_left_out_is_not_shown() -> None:
    assert "modes" not in FUNNEL._repr_html_()
    assert "modes" in wb.Funnel(["a"], "1 day", modes="strict_once")._repr_html_()


def test_rows_of_a_frame_are_read_where_they_are_there_and_counted_where_they_are_cut() -> None:
    frame = pd.DataFrame({"n": [1, None], "k": [1, None], "<i>": ["a", None]}).convert_dtypes()
    shown = frame_table("t", frame, heads={"n": "aircraft"}, shown={"n": lambda n: 1000 * n})
    assert '<td class="wb-number">1,000</td><td class="wb-number">1</td><td>a</td>' in shown
    assert '<td class="wb-number">—</td><td class="wb-number">null</td><td>null</td>' in shown
    assert "aircraft" in shown
    assert "<i>" not in shown
    assert "the first 20 of 60 rows" in frame_table("t", pd.DataFrame({"n": range(60)}))


def test_shares_and_lengths_of_time_stand_on_the_right_though_they_are_shown_as_text() -> None:
    frame = pd.DataFrame({"step": ["a"], "kept": [0.5], "took": pd.to_timedelta([60], "s")})
    shown = frame_table("Steps", frame, shown={"kept": "{:.0%}".format, "took": str})
    assert '<td>a</td><td class="wb-number">50%</td><td class="wb-number">' in shown

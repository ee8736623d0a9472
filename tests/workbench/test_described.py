"""Objects of the workbench display short, escaped facts in a cell, without a job of Spark."""

from pathlib import Path
from typing import Any

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
    ("specification", "words"),
    [
        (FUNNEL, ["1 &lt;b&gt;late", "delay &gt; 15", "12 h", "tailnum (aircraft)"]),
        (wb.Over("plant", "ts", n=wb.fn.avg("mwh")), ["n = wb.fn.avg(", "plant", "ts", "spark"]),
        (BACKFILL, ["count_1d", "user", "sawtooth, hop 1 hour"]),
    ],
    ids=["Funnel", "Over", "Backfill"],
)
def test_a_specification_displays_its_facts(specification: object, words: list[str]) -> None:
    html = specification._repr_html_()  # type: ignore[attr-defined]
    assert type(specification).__name__ in html
    assert [word for word in words if word not in html] == []
    assert "<b>late" not in html


def test_an_online_view_is_displayed_without_being_opened(tmp_path: Path) -> None:
    html = wb.OnlineView(BACKFILL, tmp_path / "store")._repr_html_()
    assert "count_1d" in html
    assert "2 days" in html
    assert not (tmp_path / "store").exists()


def test_consistency_is_displayed_per_feature() -> None:
    counts = {"rows": 3, "both_null": 0, "left_null": 0, "right_null": 1, "equal": 2}
    columns = pd.DataFrame([{**counts, "different": 0}], index=["count_1d"])
    html = Consistency(columns, pd.DataFrame(), pd.DataFrame(), 1, 0)._repr_html_()
    assert "2 of 3 values agree" in html
    assert '<td class="wb-number">1</td>' in html
    assert "count_1d" in html


def test_numbers_are_aligned_right_and_long_text_is_cut() -> None:
    html = rows_table("t", ["a", "b"], [("x" * 1000, 5), ("y", 12345)])
    assert '<td class="wb-number">12,345</td>' in html
    assert "x" * 399 + "…" in html
    assert "x" * 400 not in html


def test_lists_and_arrays_are_displayed_with_commas() -> None:
    html = rows_table("t", ["iqr"], [([1, None],), (np.array([0.5, 2.0]),)])
    assert "<td>[1, null]</td>" in html
    assert "<td>[0.5, 2.0]</td>" in html


def test_numpys_durations_are_displayed_as_they_are() -> None:
    gap: Any = np.timedelta64(5, "m")
    session = wb.Funnel(["a"], "1 day", count="sessions", session=gap)
    assert "5 minutes" in session._repr_html_()


def test_options_that_are_not_given_are_not_displayed() -> None:
    assert "modes" not in FUNNEL._repr_html_()
    assert "modes" in wb.Funnel(["a"], "1 day", modes="strict_once")._repr_html_()


def test_a_frame_displays_its_first_rows_and_how_many_there_are() -> None:
    frame = pd.DataFrame({"n": [1, None], "k": [1, None], "<i>": ["a", None]}).convert_dtypes()
    html = frame_table("t", frame, heads={"n": "aircraft"}, shown={"n": lambda n: 1000 * n})
    assert '<td class="wb-number">1,000</td><td class="wb-number">1</td><td>a</td>' in html
    assert '<td class="wb-number">—</td><td class="wb-number">null</td><td>null</td>' in html
    assert "aircraft" in html
    assert "<i>" not in html
    assert "the first 20 of 60 rows" in frame_table("t", pd.DataFrame({"n": range(60)}))


def test_shares_and_durations_are_aligned_right_though_displayed_as_text() -> None:
    frame = pd.DataFrame({"step": ["a"], "kept": [0.5], "took": pd.to_timedelta([60], "s")})
    html = frame_table("Steps", frame, shown={"kept": "{:.0%}".format, "took": str})
    assert '<td>a</td><td class="wb-number">50%</td><td class="wb-number">' in html

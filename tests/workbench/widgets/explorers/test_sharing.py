"""Views of explorers are shared as a state, a page, a picture or a table; undo and redo."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from workbench.widgets.explorers.funnel import FunnelExplorer
from workbench.widgets.explorers.series import SeriesExplorer
from workbench.widgets.sharing.state import parse_any_state

DOCUMENT = Path(__file__).parents[4] / "docs" / "sharing.md"
SHOP = ["signup", "add_to_cart", "checkout"]
IQR = wb.fn.quantile("mwh", [0.25, 0.5, 0.75])
BAND = wb.Over("plant", "date", wb.Frame.range("-3 days", "3 days"), iqr=IQR)


@pytest.fixture(scope="module")
def clicks(spark: SparkSession) -> Iterator[wb.Prepared]:
    events = wb.datasets.clickstream(spark, users=60)
    with wb.prepare(events, keep=["country", "device"]) as prepared:
        yield prepared


@pytest.fixture
def funnel(clicks: wb.Prepared) -> FunnelExplorer:
    explorer: FunnelExplorer = wb.explore(wb.Funnel(SHOP, "1 day"), clicks)
    return explorer


@pytest.fixture(scope="module")
def plants(spark: SparkSession) -> DataFrame:
    return wb.datasets.power_plants(spark)


def test_a_state_opens_a_funnel_as_it_was(funnel: FunnelExplorer, clicks: wb.Prepared) -> None:
    assert funnel.state == "step=signup&step=add_to_cart&step=checkout&within=1+day"
    controls = funnel.controls
    controls.editor.steps, controls.window.value = ("signup", "checkout"), "2 hours"
    controls.modes["strict_order"].value, controls.segments.value = True, "country"
    controls.shown.value = 12
    again = wb.explore(wb.Funnel(SHOP, "1 day"), clicks, state=funnel.state)
    assert again.state == funnel.state
    assert (repr(again.funnel), again.controls.most) == (repr(funnel.funnel), 12)
    assert again.steps.equals(funnel.steps)


def test_a_state_brings_a_window_that_the_slider_does_not_have(funnel: FunnelExplorer) -> None:
    funnel.state = "step=signup&step=checkout&within=45+minutes"
    assert funnel.funnel.window == "45 minutes"
    assert funnel.controls.window.label == "45 min"
    funnel.undo()
    assert funnel.funnel.window == "1 day"
    exact = wb.Funnel(SHOP, timedelta(minutes=7))
    assert wb.explore(exact, funnel.prepared, state=funnel.state).funnel.window == "1 day"


def test_choices_are_undone_and_redone(funnel: FunnelExplorer) -> None:
    buttons = funnel.share
    assert (buttons.undo.disabled, buttons.redo.disabled) == (True, True)
    users = [funnel.steps["users"].tolist()]
    for window in ("1 hour", "1 second"):
        funnel.controls.window.value = window
        users.append(funnel.steps["users"].tolist())
    buttons.undo.click()
    assert funnel.steps["users"].tolist() == users[1]
    funnel.undo()
    funnel.undo()
    assert funnel.steps["users"].tolist() == users[0] != users[1]
    assert (buttons.undo.disabled, buttons.redo.disabled) == (True, False)
    funnel.redo()
    assert funnel.steps["users"].tolist() == users[1]
    funnel.controls.window.value = "3 days"
    assert buttons.redo.disabled
    funnel.redo()
    assert funnel.funnel.window == "3 days"


@pytest.mark.parametrize(
    "state",
    ["nonsense", "window=1", "step=flown", "within=1", "within=1+month", "by=age", "mode=strict"],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(
    funnel: FunnelExplorer, state: str
) -> None:
    before = funnel.state
    with pytest.raises(wb.WorkbenchError, match=r"^state: .*\.$"):
        funnel.state = state
    assert funnel.state == before


def test_a_funnels_page_has_every_window_and_segment_and_describes_its_data(
    funnel: FunnelExplorer, tmp_path: Path
) -> None:
    page = funnel.to_html(tmp_path / "funnel.html")
    text = page.read_text("utf-8")
    count = len(funnel.controls.window.options) * len(funnel.controls.segments.options)
    assert text.count("<template>") == count == 60
    assert page.stat().st_size <= 2_000_000
    assert "600 events" in text
    assert "60 users" in text
    assert re.search(r"2024-01-\d\d to 2024-0\d-\d\d", text)
    assert "by=[&#39;country&#39;]" in text
    assert f"<td>{funnel.steps['users'].iloc[1]}</td>" in text
    # Writing it changes nothing.
    assert funnel.share.undo.disabled


def test_a_small_page_says_what_it_leaves_out(funnel: FunnelExplorer, tmp_path: Path) -> None:
    page = funnel.to_html(tmp_path / "funnel.html", most_bytes=80_000)
    assert page.stat().st_size <= 80_000
    assert "within: 0 s, 1 s" in page.read_text("utf-8")


def test_a_picture_and_a_table_are_written(funnel: FunnelExplorer, tmp_path: Path) -> None:
    assert funnel.to_svg(tmp_path / "f.svg").read_text("utf-8").startswith("<svg")
    assert funnel.to_png(tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(funnel.to_csv(tmp_path / "f.csv"))
    assert table["users"].tolist() == funnel.steps["users"].tolist()
    seconds = funnel.steps["median_time"].dt.total_seconds()
    assert table["median_time"].dropna().tolist() == seconds.dropna().tolist()


def test_buttons_save_what_is_written(funnel: FunnelExplorer, tmp_path: Path) -> None:
    sent: list[tuple[object, bytes]] = []
    funnel.share._sheet.send = lambda content, buffers: sent.append((content, buffers[0]))
    for button in funnel.share.children:
        if getattr(button, "description", "") in ("SVG", "CSV"):
            button.click()
    names = [content for content, _ in sent]
    assert names == [{"save": "funnel.svg"}, {"save": "funnel.csv"}]
    assert sent[1][1] == funnel.to_csv(tmp_path / "f.csv").read_bytes()


def test_the_view_of_a_moving_band_is_shared(plants: DataFrame, tmp_path: Path) -> None:
    explorer = wb.explore(BAND, plants)
    band: SeriesExplorer = explorer.shown
    first = explorer.state
    assert first == "series=Boston&window=%C2%B1+3+days&band=0.25..0.75"
    band.controls.window.value = dict(band.controls.window.options)["± 1 day"]
    band.controls.add.value = ("Worcester",)
    band.view = np.datetime64("2019-01-04"), np.datetime64("2019-01-08")
    band.controls.outliers.value = False
    state = explorer.state
    assert state.endswith("&outliers=no&from=2019-01-04T00%3A00%3A00&to=2019-01-08T00%3A00%3A00")
    table = pd.read_csv(explorer.to_csv(tmp_path / "band.csv"))
    assert table["series"].tolist() == ["Boston"] * 5 + ["Worcester"] * 5
    assert table["date"].tolist()[:5] == [f"2019-01-0{day}" for day in range(4, 9)]
    assert table["mwh"].tolist()[:5] == band.band.y[2:7].tolist()
    for _ in range(4):
        explorer.undo()
    assert explorer.state == first
    explorer.state = state
    assert (explorer.state, band.drawn) == (state, (("Boston",), ("Worcester",)))
    page = explorer.to_html(tmp_path / "band.html", seconds=2).read_text("utf-8")
    assert page.count("<template>") > 8
    assert "24 rows" in page
    for bad in ("window=far", "band=1", "series=Rome", "from=2019-01-04", "scale=log"):
        with pytest.raises(wb.WorkbenchError, match=r"^state: .*\.$"):
            explorer.state = bad
    assert explorer.state == state
    band.prepared.free()


def test_the_frames_of_a_call_are_shared(plants: DataFrame, tmp_path: Path) -> None:
    explorer = wb.explore(BAND, plants)
    frames = explorer.choose("Frames")
    first = explorer.state
    assert parse_any_state(first) == {
        "tab": ["Frames"], "partition": ["Boston"], "function": ["iqr"], "unit": ["range"],
        "from": ["3 days preceding"], "to": ["3 days following"], "exclude": ["no others"],
    }  # fmt: skip
    frames.controls.exclude.value = "current row"
    frames.controls.low.distance.value = "36 hours"
    frames.who.value = ("Worcester",)
    state, drawn = explorer.state, str(frames.table)
    again = wb.explore(BAND, plants, state=f"page.html#{state}")
    assert (again.state, str(again.shown.table)) == (state, drawn)
    assert again.over.frame == wb.Frame.range("-36 hours", "3 days", exclude="current row")
    for _ in range(3):
        explorer.undo()
    assert (explorer.state, frames.share.undo.disabled) == (first, True)
    for _ in range(3):
        explorer.redo()
    assert (explorer.state, str(frames.table)) == (state, drawn)
    frames.controls.unit.value = "rows"
    explorer.undo()
    assert (explorer.state, frames.controls.low.distance.value) == (state, "36 hours")
    again.state = "function=iqr&tab=Frames"
    assert again.state == first
    assert (again.to_svg(tmp_path / "f.svg").stat().st_size, again.over.frame) == (
        len(again._still().encode()),
        BAND.frame,
    )
    table = pd.read_csv(explorer.to_csv(tmp_path / "f.csv"))
    assert table["rows in its frame"].tolist()[:2] == ["1, 2, 3", "0, 2, 3, 4"]
    assert table["mwh"].tolist() == frames.table.rows["mwh"].tolist()


def test_a_state_of_frames_that_does_not_fit_is_refused_and_changes_nothing(
    plants: DataFrame,
) -> None:
    explorer = wb.explore(BAND, plants)
    frames = explorer.choose("Frames")
    before, drawn = explorer.state, str(frames.table)
    for bad in (
        "tab=Map", "tab=Frames&partition=Rome", "tab=Frames&function=mode",
        "tab=Frames&from=soon", "tab=Frames&from=two+preceding", "tab=Frames&unit=days",
        "tab=Frames&to=8+days+preceding", "tab=Frames&exclude=all", "function=iqr",
    ):  # fmt: skip
        with pytest.raises(wb.WorkbenchError, match=r"^state: .*\.$"):
            explorer.state = bad
        assert (explorer.state, str(frames.table)) == (before, drawn)
    explorer.state = "series=Worcester"
    assert explorer.shown.key == ("Worcester",)


def test_a_page_of_frames_has_longer_and_shorter_ones(plants: DataFrame, tmp_path: Path) -> None:
    call = wb.Over("plant", "date", wb.Frame.rows(-1, 1), total=wb.fn.sum("mwh"))
    explorer = wb.explore(call, plants)
    page = explorer.to_html(tmp_path / "frames.html", most_bytes=600_000, seconds=30)
    assert page.stat().st_size <= 600_000
    text = page.read_text("utf-8")
    known = json.loads(text.partition('id="known">')[2].partition("</script>")[0])
    assert known["states"][known["first"]] == explorer.state
    plants_shown = {parse_any_state(one)["partition"][0] for one in known["states"]}
    assert plants_shown == {"Boston", "Worcester"}
    csv_text = known["csv"][known["first"]]
    assert csv_text == (explorer.to_csv(tmp_path / "a.csv").read_bytes().decode())
    another = next(one for one in known["states"] if "Worcester" in one and "from=2" in one)
    explorer.state = another
    assert (
        known["csv"][known["states"].index(another)].encode()
        == explorer.to_csv(tmp_path / "b.csv").read_bytes()
    )


def test_the_view_of_a_backfill_is_shared(spark: SparkSession, tmp_path: Path) -> None:
    views = spark.range(30).selectExpr(
        "if(id % 3 = 0, 'bob', 'ann') AS user", "timestamp_seconds(id * 400 + 7) AS at",
        "id * 1.5D AS price",
    )  # fmt: skip
    aggregations = [wb.Aggregation(name, "price", "1 hour") for name in ("avg", "max")]
    backfill, queries = wb.Backfill("user", "at", aggregations), views.select("user", "at")
    explorer = wb.explore(backfill, queries, views)
    first = explorer.state
    explorer.feature.value = "price_max_1h"
    explorer.who.value = ("bob",)
    explorer.when.value = explorer.when.options[4][1]
    explorer.compare.value = "another query"
    state, answer = explorer.state, explorer.origin.answer
    for _ in range(4):
        explorer.undo()
    assert explorer.state == first
    assert explorer.difference is None
    explorer.state = state
    assert (explorer.state, explorer.origin.answer) == (state, answer)
    assert explorer.difference is not None
    table = pd.read_csv(explorer.to_csv(tmp_path / "origin.csv"))
    assert float(table["merged"].iloc[-1]) == answer
    page = explorer.to_html(tmp_path / "origin.html").read_text("utf-8")
    # Each feature of each query, alone and next to the other one.
    assert page.count("<template>") == 2 * len(explorer.when.options) * 2
    assert page.count("for this query alone") == page.count("<template>") / 2
    known = json.loads(page.partition('id="known">')[2].partition("</script>")[0])
    assert known["states"][known["first"]] == state
    for bad in ("key=eve", "feature=n", "query=now", "compare=all"):
        with pytest.raises(wb.WorkbenchError, match=r"^state: .*\.$"):
            explorer.state = bad
    assert explorer.state == state


def test_a_table_without_a_view_takes_no_state(plants: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^state: it is for specifications"):
        wb.explore(plants, state="a=1")


def test_the_code_in_the_document_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    for block in blocks:
        exec(block, namespace)
    assert len(blocks) == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        f"funnel.{kind}" for kind in ("html", "svg", "png", "csv")
    }
    assert namespace["state"] in blocks[1]
    assert namespace["again"].state == namespace["state"]
    assert namespace["explorer"].funnel.window == "3 days"
    namespace["explorer"].prepared.free()
    namespace["again"].prepared.free()

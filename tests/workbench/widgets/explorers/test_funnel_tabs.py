"""The funnel explorer's tabs: each shows its twin's answer, the people of a mark, and its code."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import ZONE, session_options
from workbench.figures.behaviour.paths import sankey_of
from workbench.widgets.explorers.funnel import FunnelExplorer
from workbench.widgets.explorers.funnel.tabs import TABS, _trend_words, period_choices
from workbench.widgets.sharing.state import parse_any_state

SHOP = ["signup", "add_to_cart", "checkout"]


@pytest.fixture(scope="module")
def clicks(spark: SparkSession) -> Iterator[wb.Prepared]:
    events = wb.datasets.clickstream(spark, users=400)
    with wb.prepare(events, keep=["country", "device"]) as prepared:
        yield prepared


@pytest.fixture
def explorer(clicks: wb.Prepared) -> FunnelExplorer:
    explorer: FunnelExplorer = wb.explore(wb.Funnel(SHOP, "1 day"), clicks)
    return explorer


def open_tab(explorer: FunnelExplorer, tab: str, **chosen: Any) -> FunnelExplorer:
    for name, value in chosen.items():
        control = explorer.controls.segments if name == "by" else getattr(explorer.tabs, name)
        control.value = value
    explorer.tabs.tab.value = tab
    return explorer


def marks(explorer: FunnelExplorer) -> list[Any]:
    return [trace for trace in explorer.tab_chart.data if trace.meta is not None]


def shown_columns(explorer: FunnelExplorer) -> dict[str, list[str]]:
    """Return the columns of the table as they are shown, by their heads."""
    shown = explorer.table.grid._dt_args
    heads = re.findall("<th>(.*?)</th>", shown["table_html"])
    columns = list(map(list, zip(*json.loads(shown["data_json"]), strict=True)))
    # The columns that are shown come before the values that CSV has.
    return dict(zip(reversed(heads), reversed(columns), strict=True))


def people_from_the_code(explorer: FunnelExplorer) -> Any:
    """Return what the line of Python of the table of people returns."""
    shown = unescape(re.sub("<[^>]+>", "", explorer.people.table.code.value))
    (line,) = re.findall(r"wb\.Funnel\(.*\)(?=\.toPandas\(\))", shown)
    return eval(line, {"wb": wb, "events": explorer.prepared})


def test_a_trend_is_that_of_the_funnel(explorer: FunnelExplorer) -> None:
    open_tab(explorer, "Trend", every="1 week")
    twin = explorer.funnel.trend(explorer.prepared, every="1 week")
    assert explorer._table().equals(twin)
    assert list(marks(explorer)[0].x) == [str(one) for one in twin["from"].drop_duplicates()]
    assert (explorer._tab_picture.layout.display, explorer._steps.layout.display) == (None, "none")
    assert "entries of users reached the last step" in explorer.status.value


def test_a_changed_window_changes_the_trend(explorer: FunnelExplorer) -> None:
    open_tab(explorer, "Trend", every="1 week")
    before = list(marks(explorer)[0].y)
    explorer.controls.window.value = "1 minute"
    assert list(marks(explorer)[0].y) != before
    assert explorer._table().equals(explorer.funnel.trend(explorer.prepared, every="1 week"))


def test_a_point_opens_its_people(explorer: FunnelExplorer) -> None:
    open_tab(explorer, "Trend", every="1 week", by="device")
    trend = explorer._table()
    for trace in marks(explorer):
        explorer._click_mark(trace, 0)
        assert explorer.people.head.value.count(" users") == 1
        rows = trend[trend["device"].eq(trace.name) & (trend["step"] == "checkout")]
        assert len(explorer.people._people.keys) == rows["users"].iloc[0]
        assert people_from_the_code(explorer).count() == rows["users"].iloc[0]
    assert explorer.people.table.layout.display is None


def test_a_bar_of_a_trend_opens_who_entered_then(clicks: wb.Prepared) -> None:
    explorer = wb.explore(wb.Funnel(SHOP, "20 days"), clicks, by="device")
    open_tab(explorer, "Trend", every="1 week")
    for name, words in (("entered", "from"), ("of them open", "may still go on")):
        (bars,) = [trace for trace in explorer.tab_chart.data if trace.name == name]
        some = [k for k, many in enumerate(bars.y) if many]
        for k in {some[0], some[-1]}:
            explorer._click_mark(bars, k)
            assert len(explorer.people._people.keys) == bars.y[k]
            assert people_from_the_code(explorer).count() == bars.y[k]
            assert words in explorer.people.head.value


def test_a_trend_of_nobody_by_segment_says_so(clicks: wb.Prepared) -> None:
    explorer = wb.explore(wb.Funnel(["nothing"], "1 day"), clicks, by="device")
    open_tab(explorer, "Trend", every="1 week")
    assert "reached the last step" in explorer.status.value


def test_an_hour_that_clocks_show_twice_has_two_bars_and_two_points(spark: SparkSession) -> None:
    hours = spark.sql(
        "SELECT id AS user_id, 'A' AS event, timestamp'2024-11-03 04:30:00Z' "
        "+ make_dt_interval(0, int(id DIV 2)) AS timestamp FROM range(8)"
    ).unionAll(spark.sql("SELECT 9L, 'B', timestamp'2024-11-05 00:00:00Z'"))
    with session_options(spark, {ZONE: "America/New_York"}), wb.prepare(hours) as events:
        explorer = open_tab(wb.explore(wb.Funnel(["A"], "1 hour"), events), "Trend", every="1 hour")
        (bars,) = [trace for trace in explorer.tab_chart.data if trace.name == "entered"]
        assert [at[11:16] for at in bars.x[:4]] == ["00:00", "01:00", "01:00", "02:00"]
        for trace in (bars, marks(explorer)[0]):
            keys = []
            for k in range(4):
                explorer._click_mark(trace, k)
                keys += [sorted(row.user_id for row in people_from_the_code(explorer).collect())]
                assert [*map(int, sorted(explorer.people._people.table["user_id"]))] == keys[-1]
            assert keys == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_a_picture_has_all_the_width_until_a_mark_of_it_is_clicked(
    explorer: FunnelExplorer,
) -> None:
    main = explorer._main
    assert "wb-two" in main._dom_classes
    open_tab(explorer, "Trend", every="1 week")
    assert ("wb-two" in main._dom_classes, main.children[1].layout.display) == (False, "none")
    assert "Click a mark" in explorer.status.value
    explorer._click_mark(marks(explorer)[0], 0)
    assert ("wb-two" in main._dom_classes, main.children[1].layout.display) == (True, None)
    explorer.controls.window.value = "1 minute"
    assert "wb-two" not in main._dom_classes
    assert "wb-two" in open_tab(explorer, "Steps")._main._dom_classes


@pytest.mark.parametrize(
    "options", [{"order": "any"}, {"count": "conversions"}, {"start": "2024-01-04"}]
)
def test_a_point_of_any_funnel_opens_its_people(
    clicks: wb.Prepared, options: dict[str, Any]
) -> None:
    explorer = open_tab(wb.explore(wb.Funnel(SHOP, "1 day", **options), clicks), "Trend")
    line = marks(explorer)[0]
    trend = explorer._table()
    users = trend.loc[trend["step"] == trend["step"].iloc[-1], "users"].tolist()
    for k in range(len(users)):
        if users[k]:
            explorer._click_mark(line, k)
            assert len(explorer.people._people.keys) == users[k]


def test_segments_are_compared_and_a_dot_opens_its_people(explorer: FunnelExplorer) -> None:
    open_tab(explorer, "Compare", by="country")
    comparison = explorer._table()
    assert comparison.equals(explorer.funnel.compare(explorer.prepared, by=["country"], largest=6))
    baseline, second = (shown_columns(explorer)[name][1::3] for name in ("difference, points", "p"))
    assert (baseline[0], second[0]) == ("—", "—")
    assert re.fullmatch(r"[+-]\d+\.\d", baseline[1])
    for trace in marks(explorer):
        for k, segment in enumerate(trace.customdata):
            explorer._click_mark(trace, k)
            users = comparison["users"].iloc[segment * 3 + trace.meta]
            assert len(explorer.people._people.keys) == users
    assert people_from_the_code(explorer).count() >= users


def test_the_last_dot_opens_the_people_of_the_other_segments(explorer: FunnelExplorer) -> None:
    explorer.controls.shown.options = [("2 largest", 2), *explorer.controls.shown.options]
    explorer.controls.shown.value = 2
    open_tab(explorer, "Compare", by="country")
    comparison, trace = explorer._table(), marks(explorer)[0]
    assert comparison["country"].iloc[-1] == "others"
    explorer._click_mark(trace, len(trace.x) - 1)
    assert len(explorer.people._people.keys) == comparison["users"].iloc[-2]


def test_drivers_are_those_of_the_funnel_and_a_dot_opens_its_people(
    explorer: FunnelExplorer,
) -> None:
    open_tab(explorer, "Drivers", by="device", step=2)
    twin = explorer.funnel.drivers(explorer.prepared, "add_to_cart", by="device")
    assert explorer._table().equals(twin.table)
    assert len(twin.table) > 1
    assert "This is association, not cause." in explorer.status.value
    (dots,) = [trace for trace in explorer.tab_chart.data if trace.name == "odds ratio"]
    columns = twin.table["column"].tolist()
    for k in {columns.index(column) for column in columns}:
        row = twin.table.iloc[k]
        explorer._click_mark(dots, k)
        assert len(explorer.people._people.keys) == row["went_on"] + row["dropped"]
        assert people_from_the_code(explorer).where("converted").count() == row["went_on"]
        assert f"{row['value']}: compared for add_to_cart" in explorer.people.head.value


@pytest.mark.parametrize(("watched", "landmark"), [(20, "72 minutes"), (2, "12 hours")])
def test_drivers_are_compared_after_the_chosen_part_of_the_window(
    explorer: FunnelExplorer, watched: int, landmark: str
) -> None:
    open_tab(explorer, "Drivers", step=2, watched=watched)
    twin = explorer.funnel.drivers(explorer.prepared, "add_to_cart", landmark=landmark)
    assert explorer._table().equals(twin.table)
    assert f"more than {twin.landmark} after signup" in explorer.status.value
    assert f"landmark='{landmark}'" in unescape(explorer.table.code.value)


@pytest.mark.parametrize(
    "ends", [{"after": 1, "dropped": True}, {"after": None, "before": 3}, {"after": 1, "before": 2}]
)
def test_paths_are_those_of_the_funnel_and_a_band_opens_who_took_it(
    explorer: FunnelExplorer, ends: dict[str, Any]
) -> None:
    open_tab(explorer, "Paths", **ends)
    twin = explorer.funnel.paths(explorer.prepared, **ends, longest=3)
    assert explorer._table().equals(twin.table)
    (trace,) = explorer.tab_chart.data
    nodes, links = len(trace.node.label), len(trace.link.value)
    # A node and a band of each column, those of others and ends among them.
    some = {(trace.node.color[k], trace.node.x[k]): k for k in range(nodes)}
    some |= {(trace.node.color[trace.link.target[k]], trace.link.source[k]): k
             for k in range(nodes, links)}  # fmt: skip
    for place in sorted(some.values())[::4]:
        _, many = sankey_of(twin).mark(place)
        explorer._click_mark(trace, place)
        assert len(explorer.people._people.keys) == many
    assert people_from_the_code(explorer).count() == many
    assert explorer.people.button.layout.display is None


def test_impossible_choices_are_one_sentence(explorer: FunnelExplorer) -> None:
    open_tab(explorer, "Paths", after=None)
    assert "after: no step is named; say after which step, or before= which" in (
        explorer.status.value
    )
    open_tab(explorer, "Paths", before=2)
    assert "different paths of" in explorer.status.value
    explorer.controls.editor.steps = ("signup",)
    open_tab(explorer, "Drivers")
    assert "step: there is no required step after the first; add one." in explorer.status.value


def test_steps_that_are_offered_are_those_of_the_funnel(explorer: FunnelExplorer) -> None:
    open_tab(explorer, "Drivers", step=2)
    explorer.controls.editor.steps = (*SHOP, "search")
    assert [k for _, k in explorer.tabs.step.options] == [2, 3, 4]
    assert explorer.tabs.step.value == 2
    explorer.tabs.step.value = 4
    explorer.controls.editor.steps = ("signup", "add_to_cart")
    assert [k for _, k in explorer.tabs.step.options] == [2]
    twin = explorer.funnel.drivers(explorer.prepared, "add_to_cart")
    assert explorer._table().equals(twin.table)


def sentences(explorer: FunnelExplorer) -> list[str]:
    """Return all sentences of a tab: in its picture, above its table, and below both."""
    drawn = [note.text for note in explorer.tab_chart.layout.annotations]
    below = [explorer.table.note.value, explorer.status.value]
    return [*drawn, *filter(None, (re.sub("<[^>]*>", "", one) for one in below))]


def test_without_segments_a_comparison_says_once_what_to_choose(
    explorer: FunnelExplorer, spark: SparkSession
) -> None:
    open_tab(explorer, "Compare")
    assert sentences(explorer) == ["Choose the column that defines the segments."]
    bare = wb.explore(wb.Funnel(SHOP, "1 day"), wb.datasets.clickstream(spark, users=20))
    if not bare.prepared.keep:
        assert "keep=[...]" in sentences(open_tab(bare, "Compare"))[0]
    bare.prepared.free()


@pytest.mark.parametrize(
    ("tab", "offered"),
    [("Steps", ["by", "show"]), ("Trend", ["by"]), ("Compare", ["by", "show"]),
     ("Drivers", ["by"]), ("Paths", [])],
)  # fmt: skip
def test_segments_are_offered_where_they_change_what_is_seen(
    explorer: FunnelExplorer, tab: str, offered: list[str]
) -> None:
    open_tab(explorer, tab, by="country")
    controls = explorer.controls
    seen = [one for one in (controls.segments, controls.shown) if one.layout.display != "none"]
    assert [one.description for one in seen] == offered


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("ann", 0, "a"), ("ann", 9, "b"), ("bob", 0, "a")],
         "none of them did anything else meanwhile"),
        ([("ann", 0, "a"), ("ann", 1, "c"), ("ann", 9, "b"), ("bob", 0, "a")],
         "1 event or value is too rare or too common"),
        ([("bob", 0, "a"), ("eve", 0, "a")], "one of the two groups is empty"),
    ],
)  # fmt: skip
def test_a_tab_without_drivers_says_why(
    spark: SparkSession, rows: list[tuple[str, int, str]], why: str
) -> None:
    events = spark.createDataFrame(rows, "user_id string, timestamp int, event string")
    explorer = wb.explore(wb.Funnel(["a", "b"], 10), events)
    open_tab(explorer, "Drivers")
    assert f"Nothing could be compared: {why}." in explorer.status.value
    assert "Click a mark" not in explorer.status.value
    explorer.prepared.free()


def test_back_at_the_steps_all_is_as_before(explorer: FunnelExplorer) -> None:
    before = explorer.state
    open_tab(open_tab(explorer, "Trend"), "Steps")
    assert explorer.view is None
    assert explorer.state == before
    assert (explorer._tab_picture.layout.display, explorer._steps.layout.display) == ("none", None)
    assert explorer._table().equals(explorer.funnel.steps(explorer.prepared))


def test_a_tab_is_part_of_the_state_and_is_undone(
    explorer: FunnelExplorer, clicks: wb.Prepared
) -> None:
    open_tab(explorer, "Trend", every="1 week", by="device")
    parts = parse_any_state(explorer.state)
    assert (parts["tab"], parts["every"], parts["by"]) == (["Trend"], ["1 week"], ["device"])
    again = wb.explore(wb.Funnel(SHOP, "1 day"), clicks, state=explorer.state)
    assert again.state == explorer.state
    assert again._table().equals(explorer._table())
    explorer.undo()
    assert explorer.view is None
    explorer.redo()
    assert explorer.state == again.state


@pytest.mark.parametrize(
    ("tab", "chosen", "state"),
    [
        ("Drivers", {"step": 2}, "tab=Drivers&to=2"),
        ("Drivers", {"step": 2, "watched": 2}, "tab=Drivers&to=2&watched=half"),
        ("Paths", {"after": None, "before": 3}, "tab=Paths&before=3"),
        ("Paths", {"after": 2, "dropped": True}, "tab=Paths&after=2&dropped=yes"),
    ],
)
def test_the_choices_of_a_tab_are_part_of_the_state(
    explorer: FunnelExplorer, clicks: wb.Prepared, tab: str, chosen: dict[str, Any], state: str
) -> None:
    before = explorer.state
    # Chosen before the tab is opened, so that one answer is undone.
    open_tab(explorer, tab, **chosen)
    assert explorer.state.endswith(f"&{state}")
    again = wb.explore(wb.Funnel(SHOP, "1 day"), clicks, state=explorer.state)
    assert again.state == explorer.state
    assert again._table().equals(explorer._table())
    explorer.state = before
    explorer.undo()
    assert explorer.state == again.state


def test_a_state_of_paths_that_names_no_step_begins_after_the_first(
    explorer: FunnelExplorer,
) -> None:
    explorer.state = "&".join(f"step={step}" for step in SHOP) + "&tab=Paths"
    assert explorer.state.endswith("&tab=Paths&after=1")
    assert "no step is named" not in explorer.status.value


def test_a_state_of_an_unknown_tab_is_refused_and_changes_nothing(explorer: FunnelExplorer) -> None:
    before = explorer.state
    with pytest.raises(wb.WorkbenchError, match="state: tab='Churn' cannot be chosen here; use"):
        explorer.state = "step=signup&tab=Churn"
    assert explorer.state == before


@pytest.mark.parametrize(
    ("entrants", "unfinished", "words"),
    [
        (0, 0, "0 of 0 entries of users reached the last step."),
        (4, 0, "1 of 4 entries of users reached the last step (25.0%)."),
        (5, 1, "1 of 4 entries of users reached the last step (25.0%); 1 is apart, "
         "as its window is not over."),
    ],
)  # fmt: skip
def test_a_trend_is_told_without_what_it_has_not(
    entrants: int, unfinished: int, words: str
) -> None:
    rows = {"entrants": [entrants], "open": [unfinished], "users": [min(entrants, 1)]}
    assert _trend_words(pd.DataFrame(rows), "users", "1 day") == f"Periods of 1 day: {words}"


@pytest.mark.parametrize("every", ["1 week", "1 month", "1 quarter"])
def test_a_trend_names_its_periods_as_its_control_does(every: str) -> None:
    rows = {"entrants": [1], "open": [0], "users": [1]}
    assert _trend_words(pd.DataFrame(rows), "users", every).startswith(f"Periods of {every}: 1 of")


def test_the_picture_of_segments_says_by_what_and_of_which_step(explorer: FunnelExplorer) -> None:
    drawn = open_tab(explorer, "Steps", by="device")._still()
    assert "Funnel of 3 steps within 1 day, by device</text>" in drawn
    assert "Step 1 is signup.</text>" in drawn


@pytest.mark.parametrize("tab", TABS[1:])
def test_a_tab_is_shared_as_page_picture_and_table(
    explorer: FunnelExplorer, tab: str, tmp_path: Path
) -> None:
    open_tab(explorer, tab, by="device")
    page = explorer.to_html(tmp_path / "page.html", seconds=5).read_text()
    assert f"tab={tab}" in page
    assert f".{tab.lower()}(events" in page
    assert explorer.to_svg(tmp_path / "a.svg").read_text().startswith("<svg")
    head = {"Drivers": "column,", "Paths": "path,"}.get(tab, "device,")
    assert explorer.to_csv(tmp_path / "a.csv").read_text().startswith(head)
    assert tab in explorer._still() or "Segments" in explorer._still()
    assert (", by device" in explorer._still()) == (tab in ("Trend", "Compare"))


def test_periods_that_are_offered_make_some_points_and_not_too_many(clicks: wb.Prepared) -> None:
    lengths = [every for _, every in period_choices(clicks)]
    assert lengths == ["1 hour", "6 hours", "1 day", "1 week", "1 month"]


def test_drivers_say_from_when_they_are_compared_without_statistical_terms(
    explorer: FunnelExplorer,
) -> None:
    open_tab(explorer, "Drivers")
    view = explorer.view
    assert view is not None
    words = view.words
    assert "more than 2 h 24 min after add_to_cart, and" in words
    assert "landmark" not in words

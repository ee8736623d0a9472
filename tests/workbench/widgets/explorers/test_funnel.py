"""The funnel explorer shows the twin's answers for its controls, and survives every failure."""

import json
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from workbench.widgets.causes import cause
from workbench.widgets.controls.funnel import StepsEditor
from workbench.widgets.explorers.funnel import FunnelExplorer

SHOP = ["signup", "add_to_cart", "checkout"]


@pytest.fixture(scope="module")
def clicks(spark: SparkSession) -> DataFrame:
    return wb.datasets.clickstream(spark, users=300)


@pytest.fixture
def explorer(clicks: DataFrame) -> Iterator[FunnelExplorer]:
    explorer = wb.explore(wb.Funnel(SHOP, "1 day"), clicks)
    yield explorer
    explorer.prepared.free()


def test_it_opens_on_the_answer_of_its_twin(explorer: FunnelExplorer, clicks: DataFrame) -> None:
    assert explorer.steps.equals(wb.Funnel(SHOP, "1 day").steps(clicks))
    assert list(explorer.chart.data[0].x) == explorer.steps["users"].tolist()
    assert "<b>300</b> users" in explorer.head.value
    assert "answered in" in explorer.head.value


def test_a_still_of_a_zoomed_chart_is_the_whole_picture(explorer: FunnelExplorer) -> None:
    for by, chart in ("", explorer.chart), ("country", explorer.breakdown):
        explorer.controls.segments.value = by
        before = explorer._still()
        chart.layout.xaxis.range = [20, 30]
        assert explorer._still() == before


def test_moving_the_window_asks_again(explorer: FunnelExplorer) -> None:
    before = explorer.steps["users"].tolist()
    explorer.controls.window.value = "0 seconds"
    assert explorer.funnel.window == "0 seconds"
    assert explorer.steps["users"].tolist() != before
    assert explorer.steps.equals(explorer.funnel.steps(explorer.prepared))


def test_the_line_of_python_makes_the_same_funnel(explorer: FunnelExplorer) -> None:
    explorer.controls.modes["strict_order"].value = True
    explorer.controls.modes["allow_reentry"].value = True
    explorer.controls.editor.steps = ("signup", "checkout")
    line = repr(explorer.funnel)
    assert line in unescape(explorer.code.value)
    assert repr(eval(line, {"wb": wb})) == line


def test_allow_reentry_goes_when_strict_order_goes(explorer: FunnelExplorer) -> None:
    modes = explorer.controls.modes
    modes["strict_order"].value = modes["allow_reentry"].value = True
    modes["strict_order"].value = False
    assert explorer.funnel.modes == ()
    assert modes["allow_reentry"].disabled


def test_a_breakdown_draws_a_row_for_each_segment_and_says_how_many(
    explorer: FunnelExplorer,
) -> None:
    explorer.controls.segments.value = "country"
    assert explorer.steps.columns[0] == "country"
    users = explorer.steps.groupby("country")["users"].first().sort_values(ascending=False)
    many, whole = len(users), explorer.steps.attrs["all"]
    assert many > 3
    assert (
        list(explorer.chart.data[0].x)
        == whole
        == explorer.funnel.steps(explorer.prepared)["users"].tolist()
    )
    assert f"{min(6, many)} of {many} shown" in explorer.status.value
    explorer.controls.shown.options = [("3 largest", 3), *explorer.controls.shown.options]
    explorer.controls.shown.value = 3
    assert f"3 of {many} shown, the others as one row" in explorer.status.value
    rows = explorer.breakdown.layout.yaxis.ticktext
    others = whole[0] - users.iloc[:3].sum()
    assert rows[-1] == f"{many - 3} others  {others}"
    assert explorer.table.frame["country"].nunique() == len(explorer.table.frame) == many


def test_several_columns_together_are_a_breakdown(clicks: DataFrame) -> None:
    explorer = wb.explore(wb.Funnel(SHOP, "1 day"), clicks, by=["device", "country"])
    assert explorer.controls.segments.label == "device and country"
    assert explorer.steps.equals(explorer.funnel.steps(clicks, by=["device", "country"]))
    explorer.controls.segments.value = "device"
    assert explorer.steps.columns[0] == "device"
    explorer.prepared.free()


def keys_from_the_code(explorer: FunnelExplorer, events: DataFrame | wb.Prepared) -> list[int]:
    """Return the keys that the line of Python below the table of people returns."""
    line = unescape(explorer.people.table.code.value).partition("<code>")[2].partition("</code>")[0]
    return sorted(eval(line, {"wb": wb, "events": events})["user_id"])


def test_a_click_opens_the_people_of_a_bar_a_bin_or_a_dot(
    explorer: FunnelExplorer, clicks: DataFrame
) -> None:
    def click(trace: Any, point: int) -> list[Any]:
        for act in trace._click_callbacks:
            act(trace, SimpleNamespace(point_inds=[point]), None)
        return explorer.people.table.frame["user_id"].tolist()

    funnel, prepared = explorer.funnel, explorer.prepared
    levels = funnel.levels(prepared, by="device").toPandas().set_index("user_id")
    reached, lost, _ = explorer.chart.data
    assert click(reached, 1) == sorted(levels.index[levels["level"] > 1])
    assert click(lost, 1) == sorted(levels.index[levels["level"] == 1])
    users = click(explorer.histogram.data[0], 0)
    assert len(users) == explorer.times["users"].iloc[0] > 0
    assert keys_from_the_code(explorer, clicks) == users
    explorer.controls.segments.value = "device"
    first = explorer.steps["device"].iloc[0]
    dots = next(trace for trace in explorer.breakdown.data if trace.meta == 2)
    expected = sorted(levels.index[(levels["level"] > 2) & (levels["device"] == first)])
    assert click(dots, 0) == expected == keys_from_the_code(explorer, clicks)


RULES: dict[str, dict[str, Any]] = {
    "the last step optional": {"optional": ["checkout"]},
    "an exclusion after an optional step": {
        "optional": ["add_to_cart"], "exclude": {"product_page": ("signup", "checkout")},
    },
    "any order": {"order": "any"},
    "sessions by a gap": {"count": "sessions", "session": "30 minutes"},
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared_clicks(clicks: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(clicks, keep=["device"]) as prepared:
        yield prepared


@pytest.mark.parametrize("case", RULES)
def test_a_click_opens_as_many_people_as_are_drawn_whatever_the_rules(
    prepared_clicks: wb.Prepared, case: str
) -> None:
    explorer = wb.explore(wb.Funnel(SHOP, "1 day", **RULES[case]), prepared_clicks, by="device")
    steps, people = explorer.steps, explorer.people

    def people_count() -> int:
        listed = people._people
        words = f"the first {len(listed.keys)}<" if listed.cut else f"{len(listed.keys):,} "
        assert f"<small>{words}" in people.head.value
        return len(listed.keys)

    *bars, _ = explorer.chart.data
    for bar in bars:
        for k in [k for k, many in enumerate(bar.x) if many]:
            explorer._click_bar(bar, k)
            assert people_count() == bar.x[k]
        # Only the last one is counted by its code, as this starts a job.
        assert len(keys_from_the_code(explorer, prepared_clicks)) == bar.x[k]
    for k in [k for k, many in enumerate(explorer.times["users"]) if many]:
        explorer._click_bin(None, k)
        assert people_count() == explorer.times["users"].iloc[k]
    segments = steps["device"].drop_duplicates().tolist()
    dots = [trace for trace in explorer.breakdown.data if trace.meta is not None]
    for trace in dots:
        for row, segment in enumerate(segments):
            explorer._click_dot(trace, row)
            assert people_count() == steps[steps["device"] == segment]["users"].iloc[trace.meta]
    for _, level in people.level.options[1:]:
        people.level.value = level
        people_count()


def test_one_move_of_a_control_asks_once(
    explorer: FunnelExplorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[dict[str, Any]] = []
    summary = wb.Funnel.summary

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(options)
        return summary(*arguments, **options)

    monkeypatch.setattr(wb.Funnel, "summary", counted)
    explorer.controls.segments.value = "device"
    explorer.controls.window.value = "1 hour"
    explorer.controls.shown.value = 12
    assert calls == [{"by": ("device",)}] * 2


def test_the_people_of_a_drop_off_open_in_the_player(explorer: FunnelExplorer) -> None:
    explorer.people.level.value = 1
    keys = explorer.people.table.frame["user_id"].tolist()
    stopped = explorer.funnel.people(explorer.prepared, 1)
    assert keys == [row.user_id for row in stopped.orderBy("user_id").limit(500).collect()]
    explorer.people.button.click()
    (player,) = explorer.people.player.children
    assert player.lesson["title"].endswith(f"· {keys[0]}")
    explorer.people.table.grid.selected_rows = [2]
    (player,) = explorer.people.player.children
    assert player.lesson["title"].endswith(f"· {keys[2]}")


def test_the_time_of_the_last_step_is_shown_as_times_are_in_other_tables(
    explorer: FunnelExplorer,
) -> None:
    explorer.people.level.value = 1
    (first, *_) = json.loads(explorer.people.table.grid._dt_args["data_json"])
    last_step = explorer.people.table.frame["last_step"].iloc[0]
    assert first[1] in (f"{last_step:%d %b %H:%M}", f"{last_step:%d %b %Y %H:%M}")


def test_nobody_at_a_step_is_a_sentence(explorer: FunnelExplorer) -> None:
    explorer.controls.editor.steps = ("checkout", "signup")
    explorer.controls.window.value = "0 seconds"
    explorer.people.level.value = 2
    assert "Nobody reached 2 signup." in explorer.people.table.note.value
    assert explorer.people.button.layout.display == "none"
    assert explorer.histogram.layout.annotations[0].text == "No users reached all steps."


def test_a_failed_job_shows_its_cause_and_the_next_move_works(
    explorer: FunnelExplorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("[JOB_ABORTED] Job aborted.\n\tat org.apache.spark\nKeyError: 'gone'")

    with monkeypatch.context() as patch:
        patch.setattr(wb.Funnel, "summary", fails)
        explorer.controls.window.value = "1 hour"
    assert "Spark could not finish: KeyError: 'gone'" in unescape(explorer.status.value)
    explorer.controls.window.value = "2 hours"
    assert "Spark" not in explorer.status.value


def test_a_real_failure_in_a_worker_is_one_sentence(spark: SparkSession) -> None:
    def fails(_: object) -> Iterator[object]:
        raise ZeroDivisionError("nothing to divide by")
        yield

    with pytest.raises(Exception) as error:  # noqa: PT011 (Spark's own class differs by path)
        spark.range(1).mapInArrow(fails, "id long").collect()
    assert cause(error.value) == "Spark could not finish: ZeroDivisionError: nothing to divide by"


def test_a_page_without_widgets_shows_the_funnel_as_a_picture(explorer: FunnelExplorer) -> None:
    bundle = explorer._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == f"Explorer of {explorer.funnel!r}"


def test_a_funnel_of_conditions_is_explored_by_its_labels(clicks: DataFrame) -> None:
    steps = {"in": "event = 'signup'", "buys": "event IN ('add_to_cart', 'checkout')"}
    explorer = wb.explore(wb.Funnel(steps, timedelta(hours=5)), clicks, keep=["event"])
    assert explorer.controls.editor.steps == ("in", "buys")
    explorer.controls.editor.steps = ("buys", "in")
    assert explorer.steps["step"].tolist() == ["buys", "in"]
    explorer.prepared.free()


def test_steps_can_be_moved_removed_added_and_changed() -> None:
    editor: Any = StepsEditor(["a", "b", "c"], ["a", "b"])
    row = editor.children[0].children
    row[2].click()  # down
    assert editor.steps == ("b", "a")
    editor.children[-1].click()  # add: the first that is not there yet
    assert editor.steps == ("b", "a", "c")
    editor.children[1].children[3].click()  # remove
    assert editor.steps == ("b", "c")
    editor.children[0].children[0].value = "a"
    assert editor.steps == ("a", "c")


def test_what_has_no_explorer_is_refused(clicks: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match="a str has no explorer"):
        wb.explore("signup", clicks)
    with pytest.raises(wb.WorkbenchError, match="one table, and 0 are given"):
        wb.explore(wb.Funnel(SHOP, "1 day"))


def test_the_order_of_steps_is_chosen_and_excludes_the_modes(explorer: FunnelExplorer) -> None:
    explorer.controls.modes["strict_order"].value = True
    explorer.controls.order.value = "any"
    assert explorer.funnel.rules.order == "any"
    assert explorer.funnel.modes == ()
    assert explorer.controls.modes["strict_order"].disabled
    assert explorer.steps.equals(explorer.funnel.steps(explorer.prepared))


def test_rules_stay_until_their_step_is_removed(clicks: DataFrame) -> None:
    funnel = wb.Funnel(
        [*SHOP[:2], ["checkout", "help"]],
        "1 day",
        optional=["add_to_cart"],
        exclude={"logout": ("signup", "checkout or help")},
    )
    explorer = wb.explore(funnel, clicks)
    assert repr(explorer.funnel) == repr(funnel)
    explorer.controls.window.value = "2 days"
    assert explorer.funnel.rules.optional == (1,)
    explorer.controls.editor.steps = ("signup", "checkout or help")
    assert explorer.funnel.rules.optional == ()
    assert explorer.funnel.names == (("signup",), ("checkout", "help"))
    explorer.prepared.free()


def test_cohorts_are_segments_and_a_name_that_is_neither_is_refused(spark: SparkSession) -> None:
    rows = pd.DataFrame({"who": [1, 1, 2], "at": [1, 2, 3], "what": ["a", "b", "a"]})
    funnel = wb.Funnel(["a", "b"], 9, key="who", time="at", event="what", cohorts={"buyer": "b"})
    explorer = wb.explore(funnel, rows, by="buyer")
    assert "buyer" in [value for _, value in explorer.controls.segments.options]
    cells = [row[0] for row in json.loads(explorer.table.grid._dt_args["data_json"])]
    assert sorted(cells) == ["False", "True"]
    with pytest.raises(wb.WorkbenchError, match="by: there is no column 'land'"):
        wb.explore(funnel, rows, by="land")
    with pytest.raises(wb.WorkbenchError, match=r"by: .*; prepare them with keep=\['land'\]"):
        wb.explore(funnel, explorer.prepared, by="land")
    explorer.prepared.free()


def test_an_empty_name_is_shown_as_a_word(spark: SparkSession) -> None:
    rows = {"who": [1, 1, 2], "at": [1, 2, 3], "what": ["a", "", "a"], "land": ["", "", None]}
    funnel = wb.Funnel(["a", ""], window=9, key="who", time="at", event="what")
    explorer = wb.explore(funnel, pd.DataFrame(rows), by="land")
    steps = [row.children[0].label for row in explorer.controls.editor.children[:-1]]
    assert steps == ["a", "(empty)"]
    cells = [row[0] for row in json.loads(explorer.table.grid._dt_args["data_json"])]
    assert sorted(cells) == ["(empty)", "null"]
    explorer.controls.segments.value = ""
    explorer.progress.wait()
    cells = [row[0] for row in json.loads(explorer.table.grid._dt_args["data_json"])]
    assert cells == ["a", "(empty)"]
    assert explorer.chart.layout.yaxis.ticktext == ("1 a", "2 (empty)")

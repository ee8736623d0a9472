"""The funnel explorer: controls in, the twin's answers out, and no failure ends it."""

from collections.abc import Iterator
from datetime import timedelta
from html import unescape

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
    assert "300 keys, answered in" in explorer.status.value


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


def test_a_breakdown_draws_a_bar_a_segment(explorer: FunnelExplorer) -> None:
    explorer.controls.segments.value = "device"
    assert explorer.steps.columns[0] == "device"
    assert {bar.name.partition(":")[0] for bar in explorer.chart.data} == {"device"}


def test_the_people_of_a_drop_off_open_in_the_player(explorer: FunnelExplorer) -> None:
    explorer.people.level.value = 1
    keys = [key for _, key in explorer.people.people.options]
    stopped = explorer.funnel.people(explorer.prepared, 1)
    assert keys == [row.user_id for row in stopped.orderBy("user_id").limit(50).collect()]
    explorer.people.button.click()
    (player,) = explorer.people.player.children
    assert player.lesson["title"].endswith(f"· {keys[0]}")


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
    assert "answered in" in explorer.status.value


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
    editor = StepsEditor(["a", "b", "c"], ["a", "b"])
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

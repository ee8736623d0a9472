"""The frame explorer shows the twin's answers for its controls, and survives every mistake."""

from html import unescape

import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from workbench.widgets.explorers.frame import FrameExplorer


@pytest.fixture(scope="module")
def plants(spark: SparkSession) -> DataFrame:
    return wb.datasets.power_plants(spark)


WEEK = wb.Over(
    "plant", "date", wb.Frame.range("-3 days", "3 days"),
    mean=wb.fn.avg("mwh"), middle=wb.fn.median("mwh"), place=wb.fn.rank(),
)  # fmt: skip


@pytest.fixture
def explorer(plants: DataFrame) -> FrameExplorer:
    shown: FrameExplorer = wb.explore(WEEK, plants).choose("Frames")
    return shown


def has_the_answer_of_the_twin(explorer: FrameExplorer, plants: DataFrame) -> bool:
    key, column = explorer.partition.key, explorer.column.value
    return str(explorer.table) == str(explorer.over.frames(plants, key, column))


def test_it_opens_on_the_answer_of_its_twin(explorer: FrameExplorer, plants: DataFrame) -> None:
    assert has_the_answer_of_the_twin(explorer, plants)
    assert "4 to 7 rows in a frame" in explorer.status.value
    assert explorer.column.options == ("mean", "middle")


def test_changing_the_frame_runs_the_kernels_again(
    explorer: FrameExplorer, plants: DataFrame
) -> None:
    explorer.controls.unit.value = "rows"
    explorer.controls.low.kind.value = "unbounded"
    explorer.controls.high.kind.value = "current row"
    explorer.controls.exclude.value = "current row"
    assert explorer.over.frame == wb.Frame.rows(None, 0, exclude="current row")
    assert has_the_answer_of_the_twin(explorer, plants)
    assert explorer.table.inside.sum(axis=1).tolist() == list(range(12))


def test_the_rows_in_the_frame_of_a_row_are_listed_until_the_frame_changes(
    explorer: FrameExplorer,
) -> None:
    assert explorer.clicked.layout.display == "none"
    explorer.list_frame(5)
    assert explorer.clicked.layout.display is None
    inside = explorer.table.rows[explorer.table.inside[5]]
    assert explorer.clicked.frame["date"].tolist() == inside["date"].tolist()
    assert explorer.clicked.frame["row"].tolist() == list(range(2, 9))
    assert f"mean = {explorer.table.texts('mean')[5]}, of the 7 rows" in unescape(
        explorer.clicked.note.value
    )
    explorer.controls.unit.value = "rows"
    assert explorer.clicked.layout.display == "none"


def test_a_row_whose_frame_is_empty_says_so(explorer: FrameExplorer) -> None:
    explorer.controls.unit.value = "rows"
    for side in (explorer.controls.low, explorer.controls.high):
        side.kind.value = "current row"
    explorer.controls.exclude.value = "current row"
    explorer.list_frame(0)
    assert explorer.clicked.frame.empty
    assert "of the 0 rows in its frame" in explorer.clicked.note.value


def test_sessions_have_one_distance(explorer: FrameExplorer, plants: DataFrame) -> None:
    controls = explorer.controls
    controls.high.kind.value = "current row"
    controls.unit.value = "session"
    assert controls.low.layout.display == controls.high.kind.layout.display == "none"
    controls.high.distance.value = "36 hours"
    assert explorer.over.frame == wb.Frame.session("36 hours")
    assert has_the_answer_of_the_twin(explorer, plants)
    controls.high.distance.value = "0"
    assert controls.problem.startswith("gap: 0 is not above zero")
    controls.unit.value = "rows"
    assert explorer.over.frame == wb.Frame.rows(-1, 0)
    again = FrameExplorer(explorer.over.with_frame(wb.Frame.session("2 days")), plants)
    assert again.controls.frame == wb.Frame.session("2 days")


def test_another_partition_and_function_are_drawn(
    explorer: FrameExplorer, plants: DataFrame
) -> None:
    explorer.who.value = ("Worcester",)
    explorer.column.value = "middle"
    assert has_the_answer_of_the_twin(explorer, plants)
    assert explorer.table.who == "Worcester"


def test_the_line_of_python_makes_the_same_call(explorer: FrameExplorer) -> None:
    explorer.controls.low.distance.value = "36 hours"
    line = repr(explorer.over)
    assert "'-36 hours'" in line
    assert line in unescape(explorer.code.value)
    assert repr(eval(line, {"wb": wb})) == line


def test_each_unit_keeps_its_own_distances(explorer: FrameExplorer) -> None:
    explorer.controls.unit.value = "groups"
    assert explorer.over.frame == wb.Frame.groups(-1, 1)
    explorer.controls.high.distance.value = "soon"
    explorer.controls.low.kind.value = "unbounded"
    explorer.controls.unit.value = "session"
    assert explorer.over.frame == wb.Frame.session("1 day")
    explorer.controls.unit.value = "range"
    assert explorer.over.frame == wb.Frame.range(None, "3 days")


def test_each_choice_has_a_label_or_a_hint(explorer: FrameExplorer) -> None:
    controls = explorer.controls
    choices = [explorer.who, explorer.column, controls.exclude, controls.low.kind]
    assert all(one.description or one.tooltip for one in choices)


def test_an_invalid_bound_is_one_sentence_and_the_next_move_works(
    explorer: FrameExplorer,
) -> None:
    before = explorer.over
    explorer.controls.low.distance.value = "three"
    assert "✕ from: &#39;three&#39; is not a distance" in explorer.status.value
    assert explorer.over is before
    explorer.controls.low.distance.value = "2 days"
    assert explorer.over.frame == wb.Frame.range("-2 days", "3 days")
    for side in (explorer.controls.low, explorer.controls.high):
        side.distance.value = "1 month"
    assert explorer.over.frame == wb.Frame.range("-1 month", "1 month")
    assert explorer.status.value.count("✓") == 1


@pytest.mark.parametrize(
    ("unit", "typed", "sentence"),
    [
        ("range", "-3 days", "from: '-3 days' has a sign, but the side is chosen"),
        ("rows", "-2", "from: '-2' has a sign, but the side is chosen"),
        ("range", "", "from: the distance is missing; give a number, or a duration such as 3"),
        ("rows", "1.5", "from: '1.5' is not a distance; give a number of rows, such as 3."),
        ("groups", "two", "from: 'two' is not a distance; give a number of groups, such as 3."),
        ("range", "1 month 2 days", "from: '1 month 2 days' is not a distance; give a number"),
        ("range", "3 Tage", "from: '3 Tage' is not a distance; give a number, or a duration"),
        ("range", "99999999999999999999", "from: -99999999999999999999 is too far; choose unb"),
    ],
)
def test_a_distance_is_refused_as_it_was_typed(
    explorer: FrameExplorer, unit: str, typed: str, sentence: str
) -> None:
    explorer.controls.unit.value = unit
    explorer.controls.low.distance.value = typed
    assert explorer.controls.problem.startswith(sentence)


def test_bounds_in_the_wrong_order_are_named_as_in_the_controls(
    explorer: FrameExplorer,
) -> None:
    explorer.controls.low.kind.value = "following"
    explorer.controls.low.distance.value = "9 days"
    assert explorer.controls.problem.startswith("from, to: the frame begins at '9 days'")
    explorer.controls.unit.value = "session"
    explorer.controls.high.distance.value = "soon"
    assert explorer.controls.problem.startswith("gap: 'soon' is not a distance")


def test_a_frame_that_the_order_cannot_measure_is_one_sentence(plants: DataFrame) -> None:
    over = wb.Over("plant", ["mwh", "date"], wb.Frame.rows(-1, 0), n=wb.fn.count())
    shown = wb.explore(over, plants).shown
    shown.controls.unit.value = "range"
    assert "measured along one column, but order_by names 2" in shown.status.value
    shown.controls.unit.value = "groups"
    assert shown.over.frame == wb.Frame.groups(-1, 0)


def test_a_refused_frame_is_told_and_not_shared_while_another_function_is_drawn(
    plants: DataFrame,
) -> None:
    frame, total = wb.Frame.rows(-1, 0), wb.fn.sum("mwh")
    over = wb.Over("plant", ["mwh", "date"], frame, n=wb.fn.count(), total=total)
    shown = wb.explore(over, plants).shown
    shown.controls.unit.value = "range"
    shown.column.value = "total"
    assert "measured along one column, but order_by names 2" in shown.status.value
    state = shown.state
    assert "unit=rows" in state
    shown.state = state
    assert "✓" in shown.status.value
    assert (shown.state, shown.controls.unit.value) == (state, "rows")
    # The same refused frame after a mistyped one is refused again.
    shown.controls.unit.value = "range"
    shown.controls.low.distance.value = "x"
    shown.controls.low.distance.value = "1"
    assert "measured along one column, but order_by names 2" in shown.status.value


def test_its_rows_open_in_the_player(explorer: FrameExplorer) -> None:
    explorer.column.value = "middle"
    explorer.button.click()
    (player,) = explorer.player.children
    assert player.lesson["title"].startswith("middle = median('mwh') · Boston")
    explorer.controls.exclude.value = "ties"
    assert explorer.player.children == ()


def test_functions_without_a_frame_get_one_that_counts_it(plants: DataFrame) -> None:
    shown = wb.explore(wb.Over("plant", "date", place=wb.fn.rank()), plants).shown
    assert shown.column.options == ("rows_in_frame",)
    assert shown.table.rows["rows_in_frame"].tolist() == list(range(1, 13))


def test_a_page_without_widgets_shows_the_frames_as_a_picture(plants: DataFrame) -> None:
    explorer = wb.explore(WEEK, plants)
    explorer.choose("Frames")
    bundle = explorer._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == f"Explorer of {WEEK!r}"
    assert explorer.over is explorer.shown.over


def test_invalid_arguments_are_refused_at_once(plants: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match="one table, and 0 are given"):
        wb.explore(WEEK)
    with pytest.raises(wb.WorkbenchError, match=r"^by: it is for funnels"):
        wb.explore(WEEK, plants, by="plant")
    with pytest.raises(wb.WorkbenchError, match="there is no tab 'Frame'; give one of"):
        wb.explore(WEEK, plants).choose("Frame")
    with pytest.raises(wb.WorkbenchError, match="there is no column 'day'"):
        wb.explore(wb.Over("plant", "day", n=wb.fn.count()), plants)

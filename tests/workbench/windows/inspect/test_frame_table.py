"""The rows in the frame of each row: the drawn matrix, compared with a definition by hand."""

from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench.figures.frames import frames_figure
from workbench.figures.stills.still import still
from workbench.windows.inspect.one_partition import keys_of, partition_of

PRICES = [None, 10, 20, 20, 20, 50, 60]
# The rows that tie, at 20, all have an item, as they come in any order.
ITEMS = ["box", "pen", "ink", "cap", "nib", "pad", None]
EXCLUSIONS = ["no others", "current row", "group", "ties"]


@pytest.fixture(scope="module")
def sales(spark: SparkSession) -> DataFrame:
    rows = [("a", price, item) for price, item in zip(PRICES, ITEMS, strict=True)]
    return spark.createDataFrame(
        [*rows, (None, 1, "x")], "shop string, `unit price` int, item string"
    )


def over(frame: wb.Frame, **columns: Any) -> wb.Over:
    return wb.Over("shop", "unit price", frame, **columns or {"n": wb.fn.count("item")})


def by_hand(frame: wb.Frame) -> list[list[bool]]:
    """Go through all pairs of rows, as SQL defines frames."""
    group = [0, 1, 2, 2, 2, 3, 4]
    low, high = frame.given

    def within(i: int, j: int) -> bool:
        if frame.unit == "range":
            a, b = PRICES[i], PRICES[j]
            return a is b if a is None or b is None else low <= b - a <= high
        at = range(7) if frame.unit == "rows" else group
        return bool(low <= at[j] - at[i] <= high)

    def stays(i: int, j: int) -> bool:
        peers = group[i] == group[j]
        out = {"current row": i == j, "group": peers, "ties": peers and i != j}
        return not out.get(frame.exclude, False)

    return [[within(i, j) and stays(i, j) for j in range(7)] for i in range(7)]


@pytest.mark.parametrize("exclude", EXCLUSIONS)
@pytest.mark.parametrize("make", ["rows", "groups", "range"])
def test_the_matrix_is_what_sql_defines(sales: DataFrame, make: str, exclude: str) -> None:
    distance = 10 if make == "range" else 1
    frame = getattr(wb.Frame, make)(-distance, distance, exclude=exclude)
    table = over(frame).frames(sales, key="a")
    assert table.inside.tolist() == by_hand(frame)
    whole = getattr(wb.Frame, make)(-distance, distance)
    assert (table.inside | table.left_out).tolist() == by_hand(whole)
    counts = [sum(map(bool, np.array(ITEMS, object)[row])) for row in table.inside]
    assert table.rows["n"].tolist() == counts


def test_the_answers_are_as_on_spark(sales: DataFrame) -> None:
    call = over(wb.Frame.groups(-1, 0), n=wb.fn.count("item"), m=wb.fn.median("unit price"))
    table = call.frames(sales, key="a", column="m")
    on_spark = call.run(sales).where("shop = 'a'").toPandas()
    assert sorted(table.rows["n"]) == sorted(on_spark["n"])
    assert table.column == "m"
    assert table.names == ("unit price", "unit price")


def test_a_row_that_does_not_count_is_marked_in_the_frame(sales: DataFrame) -> None:
    table = over(wb.Frame.rows(-1, 1)).frames(sales, key="a")
    marks = [table.mark(5, j) for j in range(7)]
    assert marks == ["out", "out", "out", "out", "in", "in", "not counted"]
    assert "□" in str(table)
    drawn = {trace.name for trace in frames_figure(table).data}
    assert {"in the frame", "in the frame, but null or filtered out", "the row itself"} <= drawn
    assert "null or filtered" in still(frames_figure(table), "Frames")


def test_the_figure_marks_every_cell_once_and_outlines_the_peers(sales: DataFrame) -> None:
    figure = frames_figure(over(wb.Frame.rows(-1, 1, exclude="ties")).frames(sales, key="a"))
    cells = [trace for trace in figure.data if trace.mode == "markers" and len(trace.x)]
    marked = sum(len(trace.x) for trace in cells if trace.name != "the row itself")
    assert marked == 49
    outlined = [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.line.width]
    assert outlined == [(1.5, 4.5)]


def test_a_null_key_is_a_partition(sales: DataFrame) -> None:
    call = over(wb.Frame.rows(-1, 1))
    assert keys_of(call, sales) == [((None,), 1), (("a",), 7)]
    assert call.frames(sales, key=(None,)).labels == ["1"]


def test_a_large_partition_shows_its_first_rows_and_is_marked_as_cut(
    spark: SparkSession,
) -> None:
    days = spark.range(60).withColumnRenamed("id", "day")
    table = wb.Over(order_by="-day", n=wb.fn.count()).frames(days)
    assert table.labels[:2] == ["59", "58"]
    assert (len(table.labels), table.cut) == (40, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"key": "z"}, "key: no row has the key 'z'; give one that the table holds."),
        ({"key": ("a", 1)}, "the key has 1: shop."),
    ],
)
def test_a_key_that_does_not_fit_is_named_in_the_error(
    sales: DataFrame, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        over(wb.Frame.rows(-1, 1)).frames(sales, **arguments)
    assert str(error.value).endswith(sentence)


def test_an_unknown_result_is_refused_before_a_job(spark: SparkSession, sales: DataFrame) -> None:
    call = over(wb.Frame.rows(-1, 1))
    sentence = "^column: 'm' is not a result here; give one of 'n'.$"
    with no_job(spark):
        with pytest.raises(wb.WorkbenchError, match=sentence):
            call.frames(sales, column="m")
        with pytest.raises(wb.WorkbenchError, match=r"^column: \['n'\] is not a result here"):
            call.frames(sales, column=["n"])  # type: ignore[arg-type]
        with pytest.raises(wb.WorkbenchError, match=sentence):
            wb.play(call, sales, column="m")


def test_an_empty_table_has_no_partition(sales: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match="df: the table has no row"):
        partition_of(over(wb.Frame.rows(0, 0)), sales.where("false"))

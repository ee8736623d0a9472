"""Each limit of docs/limits.md: calls work at it, and beyond it raise the sentence of the page."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from kernels.core.trace import trace
from kernels.funnel.scan import window_funnel
from kernels.windows.first_last_k import list_ends
from kernels.windows.string_agg import moving_join
from workbench.backfill.inspect.one_query import MOST_EVENTS, MOST_KEYS, MOST_QUERIES
from workbench.backfill.inspect.skew import MOST_HOPS
from workbench.backfill.inspect.skew import MOST_KEYS as MOST_SKEWED
from workbench.backfill.tree.query_times import QUERY_TIMES, JoinTask, QueryTimes
from workbench.columnar.delivery import to_one_task
from workbench.columnar.key_codes import as_array, key_codes
from workbench.durations import microseconds, ticks
from workbench.funnel import plan as funnel_plan
from workbench.funnel.behaviour.retention_spec import RetentionSpec
from workbench.funnel.inspect import one_key as funnel_rows
from workbench.funnel.inspect.people import MOST_PEOPLE
from workbench.funnel.worker.paths import MOST_PATHS
from workbench.funnel.worker.retention import MOST_COHORTS
from workbench.lessons.arrivals import arrivals_of
from workbench.lessons.tree_run import run_tree
from workbench.spark.jobs import in_one_sentence
from workbench.stores import Embedded
from workbench.widgets.controls.series import MOST_SERIES
from workbench.widgets.explorers.tile import TileExplorer
from workbench.windows.inspect import one_partition as window_partition
from workbench.windows.stream.worker.packing import Seal

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()


def rows_under(heading: str) -> dict[str, list[str]]:
    """Return the rows of the table under a heading of the page: first cell -> other cells."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| ")
    ]
    return {first.strip("| "): [one.strip("| ") for one in rest] for first, *rest in cells[1:]}


REFUSED = rows_under("What is refused")
SHOWN = rows_under("What is shown in part")
TRIED = rows_under("What has no limit of its own")


def number(cell: str) -> int:
    """Return the first number in a cell."""
    return int(re.findall(r"\d[\d,]*", cell)[0].replace(",", ""))


def limit_of(what: str) -> int:
    return number(REFUSED[what][0])


class Case(NamedTuple):
    """A call that works at a limit, and one that raises beyond it; each gets the limit."""

    at: Callable[[int], Any] | None
    beyond: Callable[[int], Any]
    session: bool = False


def funnel(steps: int = 2, **more: Any) -> wb.Funnel:
    arguments: dict[str, Any] = {"window": 5, "key": "k", "time": "t", "event": "event"} | more
    return wb.Funnel([f"step {i}" for i in range(steps)], **arguments)


def table(rows: int = 9) -> DataFrame:
    number = F.col("id")
    return (
        wb.session()
        .range(rows)
        .select((number % 3).alias("k"), number.alias("t"), number.cast("string").alias("event"))
    )


def drivers_of_values(values: int) -> object:
    """Compare a user who dropped off, with `values` values of a column, to one who went on."""
    stays = wb.session().range(values).selectExpr("0L AS k", "0L AS t", "'step 0' AS event", "id n")
    goes = "SELECT 1L k, i t, concat('step ', i DIV 3) event, 0L n FROM VALUES (0L), (3L) AS (i)"
    return funnel().drivers(stays.union(wb.session().sql(goes)), step=2, by="n")


def nested(depth: int) -> DataFrame:
    column = F.col("t")
    for _ in range(depth):
        column = F.array(column)
    return table().withColumn("deep", column)


def rows_of_a_window_call(df: DataFrame) -> int:
    return wb.over(df, "k", "t", wb.Frame.rows(-1, 0), m=wb.fn.median("t")).toArrow().num_rows


def along_decimals(digits: int) -> Any:
    df = table().withColumn("t", F.col("t").cast(f"decimal({digits}, 0)"))
    return wb.over(df, "k", "t", wb.Frame.range(-1, 0), m=wb.fn.median("k"))


def same_values(size: int, count: int) -> pa.ChunkedArray:
    """Return `count` values of `size` bytes each, which share their memory."""
    one = pa.array(["x" * size])
    return pa.chunked_array([one] * count)


def nulls(rows: int) -> pa.Table:
    """Return a column of `rows` nulls in two chunks, which takes no memory."""
    half = pa.nulls(rows // 2)
    return pa.table({"k": pa.chunked_array([half, half])})


def join_texts(frames: int) -> Any:
    """Join a text of 1 MiB in each frame."""
    text, ones = np.zeros(2**20, np.uint8), np.full(frames, 2**20)
    start = np.append(0, ones[1:])
    ends = np.arange(1, frames + 1)
    column = (np.zeros((frames, 1), np.int64), ends[:, None])
    return moving_join(np.array([0, frames]), text, start, ones, *column, b"")


def query_times(most_bytes: int, queries: int) -> None:
    rows = pa.table({"k": pa.array(range(queries)), "__time__": pa.array(range(queries))})
    sent = to_one_task([QueryTimes.of(rows, ("k",)).table()], QUERY_TIMES, ["k"])
    list(JoinTask(("k",), most_bytes).run(sent))


def stream(rows: int) -> Any:
    df = table(rows).withColumn("t", F.timestamp_micros("t"))
    over = wb.Over("k", "t", wb.Frame.rows(-1, 0), m=wb.fn.count("k"))
    return arrivals_of(over, df, "on update", sizes=[rows])


def frame_from(low: Any) -> wb.Frame:
    return wb.Frame.range(low, 0) if isinstance(low, str) else wb.Frame.rows(low, 0)


@in_one_sentence()
def raise_in_a_job(error: Exception) -> None:
    raise error


def store(size: int) -> Embedded:
    return Embedded(tempfile.mkdtemp(), most_bytes=size)


def trace_funnel(rows: int) -> Any:
    """Trace a funnel of one step over `rows` rows, each of which opens a window."""
    state = (np.zeros(1, np.int64) for _ in range(2))
    output = np.zeros(rows, np.int32), np.zeros(1, np.int64)
    time, step, modes = np.arange(rows), np.ones(rows, np.uint32), (False,) * 4
    return trace(window_funnel, time, step, 5, *modes, *state, *output)


TOO_LARGE = "org.apache.arrow.vector.util.OversizedAllocationException: Memory required for vector"

CASES = {
    "steps of a funnel": Case(funnel, lambda n: funnel(n + 1)),
    "intervals of `funnel.times`": Case(
        lambda n: funnel().times(table(), bins=n),
        lambda n: funnel().times(table(), bins=n + 1),
        session=True,
    ),
    "points of `funnel.trend`": Case(
        lambda n: funnel(1).trend(table(n).withColumn("event", F.lit("step 0")), every=1),
        lambda n: funnel(1).trend(table(n + 1).withColumn("event", F.lit("step 0")), every=1),
        session=True,
    ),
    "periods of `wb.retention`": Case(
        lambda n: RetentionSpec.of("a", "b", 1, n, "user_id", "timestamp", "event", None),
        lambda n: RetentionSpec.of("a", "b", 1, n + 1, "user_id", "timestamp", "event", None),
    ),
    "events of a path": Case(
        lambda n: funnel().paths(table(), after=1, longest=n),
        lambda n: funnel().paths(table(), after=1, longest=n + 1),
        session=True,
    ),
    "values of a column of `funnel.drivers`": Case(
        lambda n: drivers_of_values(n),
        lambda n: drivers_of_values(n + 1),
        session=True,
    ),
    "different names of events that `wb.prepare` holds": Case(
        lambda n: funnel().prepare(table(n)).free(),
        lambda n: funnel().prepare(table(n + 1)),
        session=True,
    ),
    "a duration, as text": Case(
        lambda n: microseconds(f"{n} days", "window"),
        lambda n: microseconds(f"{n + 1} days", "window"),
    ),
    "a duration, as an integer": Case(ticks, lambda n: ticks(n + 1)),
    "the bounds of a frame, in rows, groups or numbers": Case(
        lambda n: frame_from(-n), lambda n: frame_from(-n - 1)
    ),
    "the bounds of a frame, in months": Case(
        lambda n: frame_from(f"-{n} months"), lambda n: frame_from(f"-{n + 1} months")
    ),
    "digits of decimals along which a frame has distances": Case(
        along_decimals, lambda n: along_decimals(n + 1), session=True
    ),
    "`n` and `k` of functions (`lag`, `ntile`, `first_k`, ...)": Case(
        lambda n: wb.fn.lag("x", n), lambda n: wb.fn.lag("x", n + 1)
    ),
    "`lg_k` of `approx_count_distinct`": Case(
        lambda n: wb.fn.approx_count_distinct("x", n),
        lambda n: wb.fn.approx_count_distinct("x", n + 1),
    ),
    "`k` of `approx_quantile`": Case(
        lambda n: wb.fn.approx_quantile("x", 0.5, k=n),
        lambda n: wb.fn.approx_quantile("x", 0.5, k=n + 1),
    ),
    "`k` of `approx_top_k`": Case(
        lambda n: wb.fn.approx_top_k("x", n), lambda n: wb.fn.approx_top_k("x", n + 1)
    ),
    "nesting of a column's type": Case(
        lambda n: rows_of_a_window_call(nested(n)),
        lambda n: rows_of_a_window_call(nested(n + 1)),
        session=True,
    ),
    "rows that meet in one task": Case(None, lambda n: key_codes(nulls(n + 1))),
    "text or binary values of one column in one task": Case(
        lambda n: as_array(same_values(2**20, 2**3)),
        lambda n: as_array(same_values(2**26, n * 2**4)),
    ),
    "rows in bundles for one task of a window call or a funnel": Case(
        None, lambda n: raise_in_a_job(RuntimeError(f"{TOO_LARGE} is ({n * 2**30 + 1})"))
    ),
    "values of all lists that a window call makes in one task": Case(
        lambda n: list_ends(np.array([n])), lambda n: list_ends(np.array([n, 1]))
    ),
    "bytes of all texts that `string_agg` joins in one task": Case(
        lambda n: join_texts(2**4), lambda n: join_texts((n + 1) // 2**20)
    ),
    'keys and times of queries for `method="tree"`': Case(
        lambda n: query_times(n * 1_000_000, 2**10), lambda n: query_times(n * 1_000_000, 2**21)
    ),
    "buckets of a stream's checkpoint, when it was begun with 4": Case(
        lambda n: Seal(n, b"0123456789abcdef").check_buckets(n),
        lambda n: Seal(2 * n, b"0123456789abcdef").check_buckets(n),
    ),
    "bytes of an embedded store": Case(
        lambda n: Embedded("/data/features", most_bytes=n),
        lambda n: Embedded("/data/features", most_bytes=n + 1),
    ),
    "what is written to an embedded store, here of 1 MiB": Case(
        lambda n: store(n).write([(b"key", b"x" * (n // 2))]),
        lambda n: store(n).write([(b"key", b"x" * n)]),
    ),
    "steps of a trace": Case(lambda n: trace_funnel(n // 10), lambda n: trace_funnel(n)),
    "values of a tree that is shown": Case(
        lambda n: run_tree("sum", range(n), wb.Frame.rows(-1, 0)),
        lambda n: run_tree("sum", range(n + 1), wb.Frame.rows(-1, 0)),
    ),
    "queries of tiles that are shown": Case(
        lambda n: TileExplorer(n), lambda n: TileExplorer(n + 1)
    ),
    "rows of a stream that is shown": Case(stream, lambda n: stream(n + 1), session=True),
}


CONSTANTS = {
    "rows of a key in a funnel's player": funnel_rows.MOST_ROWS,
    "rows of a partition in a window call's player": window_partition.MOST_STEPPED,
    "rows of a partition in the explorer of frames": window_partition.MOST_ROWS,
    "partitions that the explorer of frames offers": window_partition.MOST_KEYS,
    "partitions that the explorer of a moving band offers": MOST_SERIES,
    "people of a drop-off": MOST_PEOPLE,
    "segments of `funnel.steps(by=)`": funnel_plan.MOST_SEGMENTS,
    "cohorts of `wb.retention`": MOST_COHORTS,
    "paths of `funnel.paths`": MOST_PATHS,
    "events before a query in the explorer of origins": MOST_EVENTS,
    "keys that the explorer of origins offers": MOST_KEYS,
    "queries of a key that it offers": MOST_QUERIES,
    "keys in the picture of skew": MOST_SKEWED,
    "hops of a key in the picture of skew": MOST_HOPS,
}

BROKEN_OFF = {
    "a Python worker that is killed": "Python worker exited unexpectedly (crashed): ",
    "a Python worker without memory": "pyarrow.lib.ArrowMemoryError: malloc of size 99 failed",
    "a Python worker that crashes": (
        "Python worker exited unexpectedly (crashed): Fatal Python error: Segmentation fault"
    ),
    "Java without memory": "java.lang.OutOfMemoryError: Java heap space",
    "an answer that the driver does not take": (
        "Total size of serialized results of 3 tasks is bigger than spark.driver.maxResultSize"
    ),
    "a full disk": "java.io.IOException: No space left on device",
    "an executor that is lost": "ExecutorLostFailure (executor 1 exited)",
    "a session that is stopped": "Job 0 cancelled because SparkContext was shut down",
    "a file that is gone": (
        "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file "
        "file:///data/clicks/part-0.parquet. File does not exist. It is possible the underlying"
    ),
    "a file that cannot be read": (
        "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file "
        "file:///data/clicks/part-0.parquet.  SQLSTATE: KD001"
    ),
}
ON_SPARK = [what for what, case in CASES.items() if case.session]
IN_PROCESS = [what for what in CASES if what not in ON_SPARK]


def test_every_limit_of_the_page_is_tested() -> None:
    assert list(REFUSED) == list(CASES)
    assert list(SHOWN) == list(CONSTANTS)
    assert list(rows_under("What breaks a job off")) == list(BROKEN_OFF)


@pytest.mark.parametrize("what", IN_PROCESS)
def test_a_call_at_a_limit_works(what: str) -> None:
    case = CASES[what]
    if case.at is not None:
        case.at(limit_of(what))


@pytest.mark.parametrize("what", ON_SPARK)
def test_a_call_at_a_limit_works_on_spark(spark: SparkSession, what: str) -> None:
    test_a_call_at_a_limit_works(what)


@pytest.mark.parametrize("what", IN_PROCESS)
def test_a_call_beyond_a_limit_raises_the_sentence_of_the_page(what: str) -> None:
    case = CASES[what]
    with pytest.raises((wb.WorkbenchError, OverflowError, ValueError)) as error:
        case.beyond(limit_of(what))
    message = re.sub(rf"{tempfile.gettempdir()}/\w+", "/data/features", str(error.value))
    assert f"`{message}`" == REFUSED[what][1]


@pytest.mark.parametrize("what", ON_SPARK)
def test_a_call_beyond_a_limit_raises_the_sentence_of_the_page_on_spark(
    spark: SparkSession, what: str
) -> None:
    test_a_call_beyond_a_limit_raises_the_sentence_of_the_page(what)


@pytest.mark.parametrize("what", CONSTANTS)
def test_limits_of_what_is_shown_are_those_of_the_page(what: str) -> None:
    assert number(SHOWN[what][0]) == CONSTANTS[what]


@pytest.mark.parametrize("what", BROKEN_OFF)
def test_the_error_of_an_aborted_job_says_why(what: str) -> None:
    begin = rows_under("What breaks a job off")[what][0].strip("`")
    with pytest.raises(wb.WorkbenchError) as error:
        raise_in_a_job(RuntimeError(f"Job aborted.\n{BROKEN_OFF[what]}\n\tat org.apache.spark"))
    assert str(error.value).startswith(begin)
    assert "\n" not in str(error.value)


def test_sizes_without_a_limit_work_as_far_as_the_page_says(spark: SparkSession) -> None:
    tried = {what: number(cells[0]) for what, cells in TRIED.items()}
    name = "n" * tried["letters of a column's name"]
    key = F.concat(F.lit("x" * tried["bytes of a key"]), (F.col("id") % 2).cast("string"))
    more = (F.lit(i).alias(f"c{i}") for i in range(tried["columns of a table"] - 3))
    events = spark.range(6).select(
        key.alias("k"), F.col("id").alias("t"), F.lit(1.5).alias(name), *more
    )
    calls = range(tried["functions of one call"])
    functions: dict[str, Any] = {f"m{i}": wb.fn.median(name) for i in calls}
    moving = wb.over(events, "k", "t", wb.Frame.rows(-1, 0), **functions).agg(
        *(F.sum(one).alias(one) for one in functions)
    )
    assert moving.toArrow().to_pylist() == [dict.fromkeys(functions, 9.0)]
    label = "s" * tried["letters of a step's name"]
    levels = wb.Funnel({label: "t >= 0"}, window=1, key="k", time="t").levels(events)
    assert levels.agg(F.sum("level")).toArrow().to_pydict() == {"sum(level)": [2]}
    windows = list(range(1, tried["windows of one aggregation"] + 1))
    sums = wb.Aggregation("count", windows=windows)
    backfill = wb.Backfill(key="k", time="t", aggregations=[sums], window="sliding")
    moments = events.select("k", "t")
    last = backfill.run(moments, moments).agg(F.max(backfill.names[-1]))
    assert last.toArrow().to_pylist()[0].popitem()[1] == 2


def test_times_may_be_at_the_ends_of_spark_s_years_and_of_64_bits(spark: SparkSession) -> None:
    ends = {"timestamp": ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999")}
    ends["bigint"] = (str(-(2**63)), str(2**63 - 1))
    by_integer = wb.Funnel(["a"], window=1, key="k", time="t", event="event")
    for kind, (first, last) in ends.items():
        rows = [(1, first, "a"), (2, last, "a")]
        events = spark.createDataFrame(rows, "k int, t string, event string")
        events = events.withColumn("t", F.col("t").cast(kind))
        by_timestamp = wb.Funnel(["a"], window="1 day", key="k", time="t", event="event")
        funnel = by_integer if kind == "bigint" else by_timestamp
        reached = funnel.levels(events).select("k", F.col("reached")[0].cast("string").alias("t"))
        assert {row.k: row.t for row in reached.collect()} == {1: first, 2: last}

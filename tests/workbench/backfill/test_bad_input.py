"""An invalid backfill is one clear sentence, before any Spark job."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench import fn

GIVE_LIST = "give a list of wb.Aggregation(...)."
SUCH_AS = "such as '1 hour', '90 days' or timedelta(minutes=5)."
COUNT = wb.Aggregation("count", windows=["5 hours"])

#: Specifications that are invalid for any tables, and the errors.
SPECIFICATIONS: list[tuple[Callable[[], Any], str]] = [
    (lambda: wb.Aggregation("summ", "v"), "function: 'summ' is not known; did you mean 'sum'?"),
    (
        lambda: wb.Aggregation(pd.NA, "v"),  # type: ignore[arg-type]
        "function: <NA> is not known; there are 'approx_count_distinct', 'approx_quantile', "
        "'approx_top_k', 'arg_max', 'arg_min', 'array_agg', 'avg', "
        "'bit_and', 'bit_or', 'bit_xor' and more.",
    ),
    (lambda: wb.Aggregation("sum"), "column: sum needs a column; name one of the events'."),
    (
        lambda: wb.Aggregation("quantile", "v"),
        "function: quantile needs q as well; call it: wb.fn.quantile('v', ...).",
    ),
    (
        lambda: wb.Aggregation("percentile", "v"),
        "function: percentile needs q as well; call it: wb.fn.quantile('v', ...).",
    ),
    (
        lambda: wb.Aggregation(fn.sum("v"), "v"),
        "column: wb.fn.sum('v') already has a column; leave 'v' out, "
        "or give the function's name alone.",
    ),
    (
        lambda: wb.Aggregation("lag", "v"),
        "function: lag is about a row among others, and a query is not an event; "
        "give an aggregate, such as 'last'.",
    ),
    (
        lambda: wb.Aggregation(fn.sum("v").over(wb.Frame.rows(-1, 0))),
        "function: wb.fn.sum('v').over(wb.Frame.rows(-1, 0)) has a frame; give windows= instead.",
    ),
    (
        lambda: wb.Aggregation("sum", "v", []),
        "windows: none is given; give one, or None for an unbounded one.",
    ),
    (
        lambda: wb.Aggregation("sum", "v", "5 parsecs"),
        "windows: '5 parsecs' is not a duration; give one " + SUCH_AS,
    ),
    (
        lambda: wb.Aggregation("sum", "v", ["90"]),
        "windows: '90' has no unit; give a duration with a unit, " + SUCH_AS,
    ),
    (
        lambda: wb.Aggregation("sum", "v", True),
        "windows: True is not a length of time; give one " + SUCH_AS,
    ),
    (lambda: wb.Aggregation("sum", "v", -1), "windows: -1 is negative; give zero or more."),
    (
        lambda: wb.Aggregation("sum", F.col("v") + 1),
        "name: the function takes a Column, which has no name here; give name=...",
    ),
    (
        lambda: wb.Aggregation("sum", "v", by=3),  # type: ignore[arg-type]
        "by: 3 is not text; give the name of a column.",
    ),
    (lambda: wb.Backfill("k", "t", []), "aggregations: [] contains no aggregation; " + GIVE_LIST),
    (
        lambda: wb.Backfill("k", "t", "count"),  # type: ignore[arg-type]
        "aggregations: 'count' contains no aggregation; " + GIVE_LIST,
    ),
    (
        lambda: wb.Backfill("k", "t", [COUNT, wb.Aggregation("count", windows="300 minutes")]),
        "aggregations: two results are called 'count_5h'; give one of them a name=.",
    ),
    (
        lambda: wb.Backfill("k", "t", COUNT, window="tumbling"),
        "window: 'tumbling' is not known; give one of 'sawtooth', 'sliding', 'hopping'.",
    ),
    (
        lambda: wb.Backfill(F.col("k"), "t", COUNT),  # type: ignore[arg-type]
        "key: Column<'k'> is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda: wb.Aggregation("count", windows=F.col("v")),  # type: ignore[arg-type]
        "windows: Column<'v'> is not a duration; give one " + SUCH_AS,
    ),
    (
        lambda: wb.Backfill([], "t", COUNT),
        "key: no column is named; give one column, or several in a list.",
    ),
    (
        lambda: wb.Aggregation("count", windows={"5 hours": 1}),  # type: ignore[arg-type]
        "windows: {'5 hours': 1} is a mapping; give one value, or several in a list.",
    ),
    (
        lambda: wb.Aggregation("count", windows=b"5"),
        "windows: b'5' is not a duration; give one " + SUCH_AS,
    ),
    (
        lambda: wb.Backfill("k", ["t", "u"], COUNT),  # type: ignore[arg-type]
        "time: ['t', 'u'] is not text; give the name of one column.",
    ),
    (
        lambda: wb.Backfill("k", "t", COUNT, window=["sliding"]),  # type: ignore[arg-type]
        "window: ['sliding'] is not known; give one of 'sawtooth', 'sliding', 'hopping'.",
    ),
    (
        lambda: wb.Aggregation("count", name="\ud800"),
        "name: '\\ud800' has half of a character (a surrogate), which no column can hold; "
        "leave it out.",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), SPECIFICATIONS, ids=lambda one: str(one)[:40])
def test_an_invalid_specification_is_one_sentence(
    spark: SparkSession, make: Callable[[], Any], sentence: str
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        make()
    assert str(error.value) == sentence


def queries(spark: SparkSession, key: str = "string", time: str = "timestamp") -> DataFrame:
    return spark.createDataFrame([], f"k {key}, t {time}, note string")


def events(spark: SparkSession, key: str = "string", time: str = "timestamp") -> DataFrame:
    return spark.createDataFrame([], f"k {key}, t {time}, v double, w string, m map<string, int>")


def backfill_of(*arguments: Any, **options: Any) -> wb.Backfill:
    aggregation = wb.Aggregation(*arguments, **options) if arguments else COUNT
    return wb.Backfill("k", "t", aggregation)


#: Backfills that do not fit their tables, the types of queries and of events, and the errors.
TABLES: list[tuple[wb.Backfill, dict[str, str], dict[str, str], str]] = [
    (
        backfill_of(),
        {"key": "int"},
        {},
        "key: 'k' holds int in the queries but string in the events; "
        "cast one of them to the type of the other.",
    ),
    (
        wb.Backfill("user", "t", COUNT),
        {},
        {},
        "key: the queries have no column 'user'; both tables need it, under the same name.",
    ),
    (
        backfill_of(),
        {"time": "timestamp_ntz"},
        {},
        "time: the queries' 't' holds timestamp_ntz but the events' 't' holds timestamp; "
        "cast one of them to the type of the other.",
    ),
    (
        backfill_of(),
        {"time": "long"},
        {"time": "int"},
        "windows: '5 hours' has a unit, but the time columns hold integers; "
        "give an integer in the unit of those columns.",
    ),
    (
        backfill_of("count", windows=[9]),
        {},
        {},
        "windows: 9 has no unit, but the time columns hold times; "
        "give a duration with a unit, such as '90 days'.",
    ),
    (
        backfill_of("count", windows=[9]),
        {"time": "long"},
        {"time": "long"},
        "hop: sawtooth windows of integer times need a hop; "
        "give an integer in the unit of the time columns.",
    ),
    (
        backfill_of("count", windows=["2 minutes"]),
        {},
        {},
        "windows: '2 minutes' of 'count' is shorter than its hop; give a longer window, "
        "a shorter hop=, or window='sliding', which has none.",
    ),
    (
        backfill_of("count", windows=["2 hours"], hop="0 minutes"),
        {},
        {},
        "hop: it has no length; give a hop longer than 0.",
    ),
    (
        backfill_of("sum", "w", "5 hours"),
        {},
        {},
        "w_sum_5h: sum cannot take string; give it a column of numbers or booleans.",
    ),
    (
        backfill_of("sum", "x", "5 hours"),
        {},
        {},
        "x_sum_5h: the events have no column 'x'; there are 'k', 't', 'v', 'w', 'm'.",
    ),
    (
        backfill_of("count", windows="5 hours", where="v"),
        {},
        {},
        "count_5h: the condition gives doubles; write one that is true or false.",
    ),
    (
        backfill_of("count", windows="5 hours", by="m"),
        {},
        {},
        "by: the events' column 'm' holds map<string,int>, which cannot be a bucket; "
        "name a column of numbers, times or text.",
    ),
    (
        backfill_of("count", windows="5 hours", by="bucket"),
        {},
        {},
        "by: the events have no column 'bucket'; there are 'k', 't', 'v', 'w', 'm'.",
    ),
    (
        wb.Backfill("k", "t", COUNT, query_time="at"),
        {},
        {},
        "query_time: the queries have no column 'at'; did you mean 't'?",
    ),
]


@pytest.mark.parametrize(
    ("backfill", "ours", "theirs", "sentence"), TABLES, ids=lambda one: str(one)[:40]
)
def test_tables_that_do_not_fit_are_one_sentence(
    spark: SparkSession, backfill: wb.Backfill, ours: Any, theirs: Any, sentence: str
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        backfill.run(queries(spark, **ours), events(spark, **theirs))
    assert str(error.value) == sentence


def test_an_invalid_run_is_one_sentence(spark: SparkSession) -> None:
    tables = queries(spark), events(spark)
    conflicting = queries(spark).withColumnRenamed("note", "Count_5h")
    days = "give a day such as '2013-01-31', or the first and the last one."
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: backfill_of().run(*tables, method="tree?"), "method: 'tree?' is not known;"),
        (
            lambda: backfill_of().run(conflicting, tables[1]),
            "count_5h: the queries have a column of this name;",
        ),
        (lambda: backfill_of().run(*tables, days="June"), "days: 'June' is not a day; " + days),
        (
            lambda: backfill_of().run(*tables, days=("2013-02-01", "2013-01-01")),
            "days: 2013-01-01 is before 2013-02-01; " + days,
        ),
        (
            lambda: backfill_of().run(7, tables[1]),  # type: ignore[arg-type]
            "queries: this is an int and no table;",
        ),
        (
            lambda: backfill_of("mode", "v", "5 hours").run(*tables, method="naive"),
            "v_mode_5h: method='naive' cannot answer wb.fn.mode('v'), as Spark's SQL has no such "
            "aggregate with the same answer; take another method.",
        ),
        (
            lambda: backfill_of(fn.corr("v", "v"), name="c").run(*tables, method="naive"),
            "c: method='naive' cannot answer wb.fn.corr('v', 'v'), as Spark's SQL has no such",
        ),
        (
            lambda: backfill_of(fn.last(F.create_map("v", "v")), name="m").run(
                *tables, method="naive"
            ),
            "m: method='naive' cannot answer wb.fn.last(Column<'map(v, v)'>), as Spark has no "
            "order of map<",
        ),
        (
            lambda: backfill_of("median", "v", "5 hours").run(*tables, method="tree"),
            "v_median_5h: method='tree' cannot answer wb.fn.median('v'), which has no state that "
            "adds up from parts; take method='auto', 'scan' or 'sawtooth'.",
        ),
        (
            lambda: backfill_of("last", "age", "5 hours").run(
                tables[0], tables[1].withColumn("age", F.make_ym_interval(F.lit(1)))
            ),
            "age_last_5h: the events' column 'age' holds interval year to month, which does not go",
        ),
        (
            lambda: backfill_of().run(*tables, method=["scan"]),  # type: ignore[arg-type]
            "method: ['scan'] is not known;",
        ),
        (
            lambda: backfill_of("count", windows="5 hours", where="rand() > 0.5").run(*tables),
            "count_5h: the condition is another one each time it is computed, and so the answer",
        ),
        (
            lambda: backfill_of().origin(*tables, datetime(2024, 1, 1)),
            "key: datetime.datetime(2024, 1, 1, 0, 0) is no value of the queries' 'k', which",
        ),
        (
            lambda: wb.play(backfill_of(), *tables, key="\ud800"),
            "key: '\\ud800' has half of a character",
        ),
        (
            lambda: backfill_of().origin(*tables, "a", "noon"),
            "time: 'noon' is no value of the queries' 't', which holds timestamp; give one of",
        ),
        (
            lambda: backfill_of().check(tables[0], tables[1], rows=True),
            "rows: True is not possible; give 1 or more rows.",
        ),
        (
            lambda: wb.consistency(*tables, 5),  # type: ignore[arg-type]
            "backfill: 5 is not a backfill; give wb.Backfill(...).",
        ),
    ]
    for run, sentence in cases:
        with pytest.raises(wb.WorkbenchError) as error:
            run()
        assert str(error.value).startswith(sentence)

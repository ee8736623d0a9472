"""Bad input raises one clear sentence that names the argument, before any Spark job."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.spark.jobs import no_job

NO_LIST = "give one value, or several in a list."
OTHERS_EACH_TIME = (
    "is another one each time it is computed, and so the answer would be; "
    "save it as a column of a table first."
)
NO_END = "does not fit the table: Syntax error at or near end of input."
NO_NAMES = "which are no names of events; name a plain column, or give conditions by label."
HALF = "has half of a character (a surrogate), which no column can hold; leave it out."
THERE_ARE = "there are 'user_id', 'timestamp', 'n', 'event', 'tags', 'level'."
ONE_COLUMN = "give the name of one column."
BY_CONDITION = {"a": "n = 1", "b": "n = 2"}
SUCH_AS = "such as '1 hour', '90 days' or timedelta(minutes=5)."


def funnel(steps: Any = ("a", "b"), window: Any = "1 hour", **more: Any) -> wb.Funnel:
    return wb.Funnel(steps, window, **more)


#: Calls that are invalid for any table.
SPECIFICATIONS: list[tuple[Callable[[], object], str]] = [
    (
        lambda: funnel(modes=["strict_ordr"]),
        "modes: 'strict_ordr' is not a mode; did you mean 'strict_order'? There are strict_order, "
        "strict_deduplication, strict_increase, strict_once, allow_reentry.",
    ),
    (
        lambda: funnel(modes=[pd.NA]),
        "modes: <NA> is not a mode; did you mean 'strict_order'? There are strict_order, "
        "strict_deduplication, strict_increase, strict_once, allow_reentry.",
    ),
    (
        lambda: funnel(attribution=pd.NA),
        "attribution: <NA> is not known; give one of 'first', 'last', 'each', 'a', 'b'.",
    ),
    (
        lambda: funnel(modes=["allow_reentry", "strict_once"]),
        "modes: 'allow_reentry' relaxes 'strict_order'; give both, or leave it out.",
    ),
    (lambda: funnel([]), "steps: there are 0; give 1 to 32 steps."),
    (lambda: funnel({}), "steps: there are 0; give 1 to 32 steps."),
    (lambda: funnel(list(map(str, range(33)))), "steps: there are 33; give 1 to 32 steps."),
    (
        lambda: funnel("signup"),
        "steps: give a list of event names, or a dict of conditions by label, "
        'such as {"late": "delay > 15"}.',
    ),
    (
        lambda: funnel(["a", 5]),
        "steps: 5 is not text; name events by text, and label conditions by text.",
    ),
    (
        lambda: funnel({"a": True}),
        "steps: the condition of 'a' is True; give SQL text or a Column.",
    ),
    (
        lambda: funnel(window="-1 hour"),
        "window: '-1 hour' is negative; give a duration of zero or more, " + SUCH_AS,
    ),
    (lambda: funnel(window=-1), "window: -1 is negative; give zero or more."),
    (
        lambda: funnel(window=True),
        "window: True is not a length of time; give one " + SUCH_AS,
    ),
    (
        lambda: funnel(window=float("nan")),
        "window: nan has no unit; give a duration with a unit, " + SUCH_AS,
    ),
    (lambda: funnel(window="soon"), "window: 'soon' is not a duration; give one " + SUCH_AS),
    (lambda: funnel(key=[]), "key: no column is named; give one column, or several in a list."),
    (
        lambda: funnel(key=5),
        "key: 5 is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda: funnel(key=[["user_id"]]),
        "key: ['user_id'] is not text; give the name of a column, or several in a list.",
    ),
    (lambda: funnel(key={"user_id": 1}), "key: {'user_id': 1} is a mapping; " + NO_LIST),
    (lambda: funnel(key={"user_id"}), "key: {'user_id'} is a set; " + NO_LIST),
    (
        lambda: funnel(modes={"strict_order": False}),
        "modes: {'strict_order': False} is a mapping; " + NO_LIST,
    ),
    (lambda: funnel(time=["timestamp"]), "time: ['timestamp'] is not text; " + ONE_COLUMN),
    (lambda: funnel(event=None), "event: None is not text; " + ONE_COLUMN),
    (lambda: funnel(["\ud800"]), "steps: '\\ud800' " + HALF),
    (lambda: funnel({"a": "event = '\ud800'"}), "steps: \"event = '\\ud800'\" " + HALF),
]

#: Calls that do not fit the table.
QUESTIONS: list[tuple[Callable[[DataFrame], object], str]] = [
    (
        lambda _: funnel(key=F.col("user_id")),
        "key: Column<'user_id'> is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda df: funnel(window=3600).levels(df),
        "window: 3600 has no unit; give a duration with a unit, " + SUCH_AS,
    ),
    (
        lambda df: funnel(time="n").levels(df),
        "window: '1 hour' has a unit, but the time column holds integers; "
        "give an integer in the unit of that column.",
    ),
    (
        lambda df: funnel(window=timedelta(1), time="n").steps(df),
        "window: datetime.timedelta(days=1) has a unit, but the time column holds integers; "
        "give an integer in the unit of that column.",
    ),
    (
        lambda df: funnel(key="user").levels(df),
        "key: there is no column 'user'; did you mean 'user_id'?",
    ),
    (
        lambda df: funnel(key=["user_id", "zzz"]).steps(df),
        "key: there is no column 'zzz'; " + THERE_ARE,
    ),
    (
        lambda df: funnel(time="timestmp").times(df),
        "time: there is no column 'timestmp'; did you mean 'timestamp'?",
    ),
    (lambda df: funnel(time="zzz").skipped(df), "time: there is no column 'zzz'; " + THERE_ARE),
    (
        lambda df: funnel(event="events").levels(df),
        "event: there is no column 'events'; did you mean 'event'?",
    ),
    (
        lambda df: funnel().levels(df, by="tag"),
        "by: there is no column 'tag'; did you mean 'tags'?",
    ),
    (
        lambda df: funnel().steps(df, by="tags"),
        "by: column 'tags' holds arrays, which cannot be grouped by; name a plain column.",
    ),
    (
        lambda df: funnel().steps(df.withColumn("users", F.lit(1)), by="users"),
        "by: the result has a column 'users' of its own; rename yours first.",
    ),
    (
        lambda df: funnel(time="tags").levels(df.select("user_id", F.expr("interval 1 day tags"))),
        "time: column 'tags' holds durations; make it a timestamp, a date or an integer, for "
        "example with F.to_timestamp('tags').",
    ),
    (
        lambda df: funnel({"late": F.expr("interval 1 day")}).levels(df),
        "steps: the condition of 'late' gives durations; write one that is true or false.",
    ),
    (
        lambda df: funnel(hold="ages").levels(df.select("*", F.expr("interval 1 month AS ages"))),
        "hold: column 'ages' holds interval month, which does not go through Arrow; drop it, or "
        "cast it to text.",
    ),
    (
        lambda df: funnel(key="tags").levels(df),
        "key: column 'tags' holds arrays, which cannot be grouped by; name a plain column.",
    ),
    (
        lambda df: funnel(key="level").levels(df),
        "key: the result has a column 'level' of its own; rename yours first.",
    ),
    (
        lambda df: funnel(exclude="x", key="Excluded").levels(df.toDF("Excluded", *df.columns[1:])),
        "key: the result has a column 'Excluded' of its own; rename yours first.",
    ),
    (
        lambda df: funnel(exclude="x").levels(df.withColumnRenamed("n", "excluded"), "excluded"),
        "by: the result has a column 'excluded' of its own; rename yours first.",
    ),
    *(
        (
            lambda df, name=name: funnel().people(df.withColumnRenamed("n", name), 1, by=name),
            f"by: the result has a column {name!r} of its own; rename yours first.",
        )
        for name in ("__entered__", "__end__", "__nulls__")
    ),
    (
        lambda df: funnel(time="event").levels(df),
        "time: column 'event' holds strings; make it a timestamp, a date or an integer, "
        "for example with F.to_timestamp('event').",
    ),
    (
        lambda df: funnel({"late": "n >"}).levels(df),
        "steps: the condition of 'late' does not fit the table: "
        "Syntax error at or near end of input.",
    ),
    (
        lambda df: funnel({"late": F.col("n") + 1}).levels(df),
        "steps: the condition of 'late' gives integers; write one that is true or false.",
    ),
    (
        lambda df: funnel().levels({"user": [7]}),  # type: ignore[arg-type]
        "events: this is a dict and no table; give one of Spark, pandas, Polars or "
        "Arrow, the path of a file, or a table's name.",
    ),
    (
        lambda df: funnel().skipped(pd.DataFrame()),
        "events: the table has no columns; give one that has some.",
    ),
    (
        lambda df: funnel().steps(df.sparkSession.readStream.format("rate").load()),
        "events: this is a stream; give a table that is at rest.",
    ),
    (
        lambda df: funnel().people(df),
        "stopped_at: no level is given; give 0 to 2, or reached= a step.",
    ),
    (
        lambda df: funnel().people(df, stopped_at=3),
        "stopped_at: 3 is not a level of this funnel; give 0 to 2.",
    ),
    (
        lambda df: funnel().people(df, 1, open="yes"),  # type: ignore[arg-type]
        "open: 'yes' is not known; give True or False.",
    ),
    (
        lambda df: funnel().paths(df, "a", dropped="no"),  # type: ignore[arg-type]
        "dropped: 'no' is not known; give True or False.",
    ),
    (
        lambda df: funnel().people(df, stopped_at="1"),  # type: ignore[arg-type]
        "stopped_at: '1' is not a level of this funnel; give 0 to 2.",
    ),
    (
        lambda df: funnel().times(df, bins=0),
        "bins: 0 is not possible; give 1 to 1,000 intervals.",
    ),
    (
        lambda df: wb.prepare(df, key="usr_id"),
        "key: there is no column 'usr_id'; did you mean 'user_id'?",
    ),
    (
        lambda df: wb.prepare(df, keep="tag"),
        "keep: there is no column 'tag'; did you mean 'tags'?",
    ),
    (
        lambda df: wb.prepare(df, event=["event"]),  # type: ignore[arg-type]
        "event: ['event'] is not text; name a column, or give a dict of conditions by label.",
    ),
    (
        lambda df: funnel().times(df, bins=True),
        "bins: True is not possible; give 1 to 1,000 intervals.",
    ),
    (
        lambda df: funnel().summary(df, bins=2.0),  # type: ignore[arg-type]
        "bins: 2.0 is not possible; give 1 to 1,000 intervals.",
    ),
    (
        lambda df: funnel().people(df, stopped_at=1.0),  # type: ignore[arg-type]
        "stopped_at: 1.0 is not a level of this funnel; give 0 to 2.",
    ),
    (
        lambda df: funnel().people(df, stopped_at=True),
        "stopped_at: True is not a level of this funnel; give 0 to 2.",
    ),
    (
        lambda df: funnel({"sure": "n = 1", "lucky": "rand() > 0.5"}).levels(df),
        "steps: the condition of 'lucky' " + OTHERS_EACH_TIME,
    ),
    (
        lambda df: wb.prepare(df, event={"lucky": F.monotonically_increasing_id() > 5}),
        "event: the condition of 'lucky' " + OTHERS_EACH_TIME,
    ),
    (
        lambda df: wb.retention(df, {"a": "n >"}),
        "first: the condition of 'a' " + NO_END,
    ),
    (
        lambda df: wb.retention(df, {"a": "n > 1"}, {"b": "n >"}),
        "again: the condition of 'b' " + NO_END,
    ),
    (
        lambda df: funnel(BY_CONDITION, exclude={"ex": ("n >", "a", "b")}).levels(df),
        "exclude: the condition of 'ex' " + NO_END,
    ),
    (
        lambda df: funnel(BY_CONDITION, cohorts={"co": "n >"}).levels(df, by="co"),
        "cohorts: the condition of 'co' " + NO_END,
    ),
    (
        lambda df: funnel({"a": "n >"}).prepare(df),
        "steps: the condition of 'a' " + NO_END,
    ),
    (
        lambda df: funnel(BY_CONDITION, cohorts={"co": "n >"}).prepare(df),
        "cohorts: the condition of 'co' " + NO_END,
    ),
    (lambda df: funnel(event="tags").levels(df), "event: column 'tags' holds arrays, " + NO_NAMES),
    (lambda df: wb.prepare(df, event="tags"), "event: column 'tags' holds arrays, " + NO_NAMES),
    (
        lambda df: funnel(event="b").steps(df.withColumn("b", F.expr("X'00'"))),
        "event: column 'b' holds binary values, " + NO_NAMES,
    ),
    (
        lambda df: wb.prepare(df, keep={"tags": 1}),  # type: ignore[arg-type]
        "keep: {'tags': 1} is a mapping; " + NO_LIST,
    ),
    (
        lambda df: funnel(key="ages").levels(df.withColumn("ages", F.make_ym_interval(F.lit(1)))),
        "key: column 'ages' holds interval year to month, which does not go through Arrow; "
        "drop it, or cast it to text.",
    ),
    (
        lambda df: wb.prepare(df.withColumn("ages", F.make_ym_interval(F.lit(1))), keep="ages"),
        "keep: column 'ages' holds interval year to month, which does not go through Arrow; "
        "drop it, or cast it to text.",
    ),
    (
        lambda df: funnel(key="N").levels(df.withColumnRenamed("level", "N")),
        "key: columns 'n' and 'N' are one name to Spark; rename one, "
        "or set spark.sql.caseSensitive to true.",
    ),
    (
        lambda df: wb.play(funnel(), df, key="ann"),
        "key: 'ann' is no value of 'user_id', which holds bigint; give one of that type.",
    ),
    (
        lambda df: wb.play(funnel(), df, key=np.timedelta64(1, "s")),
        "key: np.timedelta64(1,'s') is no value of 'user_id', which holds bigint; give one of "
        "that type.",
    ),
    (
        lambda df: wb.play(funnel(key="event"), df, key="\ud800"),
        "key: '\\ud800' " + HALF,
    ),
    (
        lambda df: wb.last_in_group(df, {"user_id": 1}, "n"),  # type: ignore[arg-type]
        "by: {'user_id': 1} is a mapping; " + NO_LIST,
    ),
    (
        lambda df: wb.quantiles(df, "n", by=False),  # type: ignore[arg-type]
        "by: False is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda df: wb.quantiles(df, "n", kind=["cont"]),  # type: ignore[arg-type]
        "kind: ['cont'] is not known; give 'cont' or 'disc'.",
    ),
    (
        lambda df: wb.stream_counts(5),  # type: ignore[arg-type]
        "query: 5 is not a query; give what writeStream.start() returned.",
    ),
    (
        lambda df: wb.late_rows(F.col("n")),  # type: ignore[arg-type]
        "query: Column<'n'> is not a query; give what writeStream.start() returned.",
    ),
    (
        lambda df: wb.stream_state("\ud800"),
        f"checkpoint: '\\ud800' {HALF}",
    ),
    (
        lambda df: wb.folded(None, pa.table({"op": []}), F.col("n")),  # type: ignore[arg-type]
        "row_id: Column<'n'> is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda df: wb.stream_state(5),  # type: ignore[arg-type]
        "checkpoint: 5 is not a path; give the query's checkpointLocation.",
    ),
    (
        lambda df: wb.session([1]),  # type: ignore[arg-type]
        "conf: [1] is no mapping; give Spark's options by name.",
    ),
    (lambda df: wb.prepare(df, event={}), "event: there are 0; give 1 to 32 steps."),
    (
        lambda df: wb.prepare(df, event={str(k): "true" for k in range(33)}),
        "event: there are 33; give 1 to 32 steps.",
    ),
    (
        lambda df: wb.prepare(df, event={"a": "n"}),
        "event: the condition of 'a' gives integers; write one that is true or false.",
    ),
]

#: What prepared events, by user_id, timestamp and event, do not hold.
PREPARED: list[tuple[Callable[[wb.Prepared], object], str]] = [
    (
        lambda p: funnel(key="n").levels(p),
        "key: the events were prepared by ('user_id',) and the funnel asks for ('n',); "
        "prepare them anew with funnel.prepare(events).",
    ),
    (
        lambda p: funnel(time="n", window=5).levels(p),
        "time: the events were prepared by 'timestamp' and the funnel asks for 'n'; "
        "prepare them anew with funnel.prepare(events).",
    ),
    (
        lambda p: funnel(event="other").steps(p),
        "event: the events were prepared by 'event' and the funnel asks for 'other'; "
        "prepare them anew with funnel.prepare(events).",
    ),
    (
        lambda p: funnel({"a": "n > 1"}).levels(p),
        "steps: the events were prepared by event names and the funnel asks for conditions; "
        "prepare them anew with funnel.prepare(events).",
    ),
    (
        lambda p: wb.retention(p, {"a": "n > 1"}),
        "first: the events were prepared by event names and retention asks for conditions; "
        "prepare them anew with wb.prepare(events, ...).",
    ),
    (
        lambda p: funnel().levels(p, by="n"),
        "by: the prepared events do not hold 'n'; prepare them with keep=['n'].",
    ),
    (
        lambda p: funnel().levels(p, by="tags"),
        "by: column 'tags' holds arrays, which cannot be grouped by; name a plain column.",
    ),
    (
        lambda p: funnel().levels(p, by="level"),
        "by: the result has a column 'level' of its own; rename yours first.",
    ),
    (
        lambda p: funnel(window=5).levels(p),
        "window: 5 has no unit; give a duration with a unit, " + SUCH_AS,
    ),
]


def sentences(cases: list[tuple[Any, str]]) -> list[Any]:
    return [pytest.param(*case, id=case[1][:50]) for case in cases]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    row = "1L user_id, timestamp'2024-01-01' timestamp, 1 n, 'a' event, array('x') tags, 1 level"
    return spark.sql(f"SELECT {row}")


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(events, keep=["tags", "level"]) as prepared:
        yield prepared


@pytest.mark.parametrize(("call", "sentence"), sentences(SPECIFICATIONS))
def test_an_invalid_funnel_is_refused(call: Any, sentence: str) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        call()
    assert str(error.value) == sentence


@pytest.mark.parametrize(("call", "sentence"), sentences(QUESTIONS))
def test_a_table_that_does_not_fit_is_refused_before_a_job(
    call: Any, sentence: str, events: DataFrame, spark: SparkSession
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        call(events)
    assert str(error.value) == sentence


@pytest.mark.parametrize(("call", "sentence"), sentences(PREPARED))
def test_prepared_events_that_do_not_fit_are_refused_before_a_job(
    call: Any, sentence: str, prepared: wb.Prepared, spark: SparkSession
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        call(prepared)
    assert str(error.value) == sentence


def test_a_condition_may_use_other_rows(events: DataFrame) -> None:
    before = "lag(n) OVER (PARTITION BY user_id ORDER BY timestamp) IS NULL"
    assert funnel({"first": before, "now": "timestamp < current_timestamp()"}).levels(
        events
    ).columns == ["user_id", "level", "reached"]


def test_a_condition_over_other_rows_that_matches_no_row_is_warned_of(
    events: DataFrame,
) -> None:
    never = "row_number() OVER (ORDER BY n) > 100"
    with pytest.warns(wb.WorkbenchWarning, match="'never' matches no event; look at its"):
        assert funnel({"never": never}).steps(events)["users"].tolist() == [0]


def test_modes_may_be_a_set() -> None:
    assert funnel(modes={"strict_order"}).modes == ("strict_order",)


@pytest.mark.parametrize(
    "condition", ["count(*) > 1", "explode(array(true, false))", "struct(n)", "delay > 15"]
)
def test_an_invalid_condition_is_refused_before_a_job(
    condition: str, events: DataFrame, spark: SparkSession
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError, match=r"^steps: the condition of 'odd' "):
        funnel({"odd": condition}).levels(events)


def test_conditions_other_than_the_prepared_ones_are_refused(events: DataFrame) -> None:
    with wb.prepare(events, event={"a": "n > 1"}) as prepared:
        for steps in ({"a": "n > 2"}, {"b": "n > 1"}):
            with pytest.raises(wb.WorkbenchError) as error:
                funnel(steps).levels(prepared)
            assert str(error.value) == (
                f"steps: the events were not prepared by the condition of {next(iter(steps))!r}; "
                "prepare them anew with funnel.prepare(events)."
            )
        with pytest.raises(wb.WorkbenchError) as error:
            funnel().levels(prepared)
        assert str(error.value) == (
            "steps: the events were prepared by conditions and the funnel asks for event names; "
            "prepare them anew with funnel.prepare(events)."
        )


def test_the_key_of_prepared_events_hides_no_column_of_another_funnel(events: DataFrame) -> None:
    source = events.withColumnRenamed("user_id", "session")
    with funnel(key="session").prepare(source) as prepared:
        by_gap = funnel(key="session", count="sessions", session="1 hour")
        with pytest.raises(wb.WorkbenchError) as error:
            by_gap.levels(prepared)
    assert str(error.value) == (
        "key: the result has a column 'session' of its own; rename yours first."
    )


#: By type, columns that hold no event names.
NOT_NAMES = {
    "array<string>": "array(event)",
    "struct<event:string>": "struct(event)",
    "binary": "binary(event)",
    "timestamp": "timestamp",
    "double": "double(n)",
}


@pytest.mark.parametrize("kind", NOT_NAMES)
def test_a_kept_column_that_is_not_text_has_no_event_names(kind: str, events: DataFrame) -> None:
    steps, table = {"a": "n = 1"}, events.selectExpr("*", f"{NOT_NAMES[kind]} AS did")
    by_condition = wb.Funnel(steps, "1 day", event="did")
    with wb.prepare(table, event=steps, keep=["did"]) as prepared:
        people = by_condition.people(prepared, 1)
        assert people.count() == 1
        assert "next_event" not in people.columns
        with pytest.raises(wb.WorkbenchError) as error:
            by_condition.paths(prepared, after="a")
        assert str(error.value) == (
            f"event: the prepared events hold {kind} in 'did', which are not names of what "
            "happened; prepare them from a table where they are cast to string."
        )


def test_a_column_of_too_many_names_is_refused_and_no_blocks_stay_cached(
    spark: SparkSession,
) -> None:
    many = spark.range(10_001).selectExpr("0 user_id", "id n", "concat('event ', id) event")
    cached = spark.sparkContext._jsc.getPersistentRDDs().size()
    with pytest.raises(wb.WorkbenchError) as error:
        wb.prepare(many, time="n")
    assert str(error.value) == (
        "event: column 'event' has more than 10,000 different values; name a column of event names."
    )
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == cached


def test_an_error_names_the_argument_of_a_condition_that_prepared_events_lack(
    events: DataFrame,
) -> None:
    with wb.prepare(events.drop("level"), event=BY_CONDITION) as prepared:
        for argument, label, call in (
            ("exclude", "ex", lambda: funnel(
                BY_CONDITION, exclude={"ex": ("n < 0", "a", "b")}).levels(prepared)),
            ("cohorts", "co", lambda: funnel(
                BY_CONDITION, cohorts={"co": "n < 0"}).levels(prepared, by="co")),
            ("again", "c", lambda: wb.retention(prepared, {"a": "n = 1"}, {"c": "n = 3"})),
        ):  # fmt: skip
            with pytest.raises(wb.WorkbenchError) as error:
                call()
            assert str(error.value) == (
                f"{argument}: the events were not prepared by the condition of {label!r}; "
                "prepare them anew with funnel.prepare(events)."
            )


def test_one_mode_may_be_given_as_text() -> None:
    assert funnel(modes="strict_order").modes == ("strict_order",)


STEPS_THAT_MATCH_NOTHING = [
    (["a", "aa"], "steps: 'aa' matches no event; did you mean 'a'?"),
    (["zzz"], "steps: 'zzz' matches no event; there are 'a'."),
    ({"late": "n > 100"}, "steps: 'late' matches no event; look at its condition."),
]


@pytest.mark.parametrize(("steps", "sentence"), STEPS_THAT_MATCH_NOTHING)
@pytest.mark.parametrize("by", [None, "level"])
def test_a_step_that_matches_no_event_is_warned_of(
    steps: Any, sentence: str, by: str | None, events: DataFrame
) -> None:
    source = events.withColumnRenamed("level", "segment")
    with pytest.warns(wb.WorkbenchWarning) as caught:
        funnel(steps).steps(source, by="segment" if by else None)
    assert [str(warning.message) for warning in caught] == [sentence]


def test_prepared_events_know_their_names_without_another_scan(prepared: wb.Prepared) -> None:
    with pytest.warns(wb.WorkbenchWarning, match=r"^steps: 'b' matches no event; did|there are"):
        funnel().steps(prepared)


def test_a_step_that_matches_but_is_never_reached_is_not_warned_of(events: DataFrame) -> None:
    assert funnel({"never first": "n = 1", "now": "n = 1"}, modes="strict_once").steps(events)[
        "users"
    ].tolist() == [1, 0]


NOTHING = {
    "no rows": "SELECT * FROM {events} WHERE false",
    "no keys": "SELECT * EXCEPT (user_id), CAST(NULL AS BIGINT) AS user_id FROM {events}",
    "no times": "SELECT * EXCEPT (timestamp), CAST(NULL AS TIMESTAMP) AS timestamp FROM {events}",
}


@pytest.mark.parametrize("query", NOTHING.values(), ids=NOTHING)
def test_a_table_without_any_key_gives_empty_results_and_a_warning(
    query: str, events: DataFrame, spark: SparkSession
) -> None:
    source = spark.sql(query, events=events)
    skipped = source.count()
    assert funnel().levels(source).collect() == []
    with pytest.warns(wb.WorkbenchWarning) as caught:
        steps = funnel(["a"]).steps(source)
    expected = ["1 row was left out: its key or its time is null."] if skipped else []
    if not skipped:
        expected = ["steps: 'a' matches no event; there are none."]
    assert [str(warning.message) for warning in caught] == expected
    assert steps["users"].tolist() == [0]
    assert steps.attrs["skipped"] == skipped
    with wb.prepare(source) as prepared:
        assert (prepared.rows, prepared.keys, prepared.skipped) == (0, 0, skipped)
        assert (prepared.names, prepared.bytes, prepared.partitions) == ((), 0, 0)
        assert funnel().levels(prepared).collect() == []
        assert funnel().times(prepared).empty

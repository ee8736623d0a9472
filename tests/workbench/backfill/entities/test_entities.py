"""Backfills of entities on Spark, against a join over their validity intervals in DuckDB."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.oracle import duck
from tests.workbench.backfill.entities.tables import DAYS, History, at, history, queries
from tests.workbench.spark.jobs import no_job
from workbench import fn
from workbench.columnar.equality import alike

HOUR = 3_600_000_000
FLOORED = "{q} - ((({q}) % " + f"{HOUR}) + {HOUR}) % {HOUR}"
#: The bounds of each kind of window, of which the hop is an hour.
BOUNDS = {
    "sliding": ("q - {w}", "q"),
    "sawtooth": (FLOORED.replace("{q}", "(q - {w})"), "q"),
    "hopping": (FLOORED.replace("{q}", "(q - {w})"), FLOORED.replace("{q}", "q")),
}
WINDOWS = {"6 hours": 6 * HOUR, "2 days": 48 * HOUR, None: None}
FEATURES: dict[str, tuple[Callable[[Any], wb.Aggregation], str]] = {
    "count": (lambda w: wb.Aggregation("count", windows=w), "count(*)"),
    "v_sum": (lambda w: wb.Aggregation("sum", "v", w), "sum(v)"),
    "v_max": (lambda w: wb.Aggregation("max", "v", w), "max(v)"),
    "s_last": (lambda w: wb.Aggregation("last", "s", w), "last(s ORDER BY t, s NULLS FIRST)"),
    "s_count_distinct": (lambda w: wb.Aggregation("count_distinct", "s", w), "count(DISTINCT s)"),
    "v_median": (lambda w: wb.Aggregation("median", "v", w), "median(v)"),
    "big": (
        lambda w: wb.Aggregation("count", windows=w, where="v > 3", name="big"),
        "count(*) FILTER (v > 3)",
    ),
}
NAMES = {"key": "k", "id": "id", "time": "t"}
#: When a row was added or changed, and its value since.
MUTATIONS = ((10, 1), (20, 2), (30, 2))


def backfill(kind: str) -> wb.Backfill:
    aggregations = [make(list(WINDOWS)) for make, _ in FEATURES.values()]
    return wb.Backfill("k", "t", aggregations, kind, None if kind == "sliding" else "1 hour")


def entities(spark: SparkSession, changed: History, **options: Any) -> wb.Entities:
    return wb.Entities(
        changed.snapshots(spark), changed.changes(spark), mutation_time="made", **NAMES, **options
    )


@pytest.fixture(scope="module")
def changed() -> History:
    return history()


def in_micros(table: pa.Table) -> pa.Table:
    """Return times as integers, for arithmetic in DuckDB."""
    for i, column in enumerate(table.schema):
        if pa.types.is_timestamp(column.type):
            table = table.set_column(i, column.name, table.column(i).cast(pa.int64()))
    return table


def in_duckdb(query_rows: pa.Table, intervals: pa.Table, kind: str) -> list[dict[str, Any]]:
    columns = []
    for name, (_, call) in FEATURES.items():
        for window, length in WINDOWS.items():
            low, high = (bound.format(w=length) for bound in BOUNDS[kind])
            bounds = f"t < {high}" if window is None else f"t >= {low} AND t < {high}"
            bounds += f' AND e.begin <= {high} AND {high} < e."end"'
            ending = {"6 hours": "_6h", "2 days": "_2d", None: ""}[window]
            of_window = f"(SELECT {call} FROM intervals e WHERE e.k = asked.k AND {bounds})"
            columns.append(f"{of_window} AS {name}{ending}")
    with duck() as connection:
        connection.register("queries", in_micros(query_rows))
        connection.register("intervals", in_micros(intervals))
        text = f"SELECT id, {', '.join(columns)} FROM (SELECT k, t AS q, id FROM queries) asked"
        answers: list[dict[str, Any]]
        answers = connection.sql(f"{text} ORDER BY id").to_arrow_table().to_pylist()
    return answers


def check(features: DataFrame, expected: list[dict[str, Any]]) -> None:
    rows = [row.asDict() for row in features.orderBy("id").collect()]
    assert len(rows) == len(expected)
    for ours, theirs in zip(rows, expected, strict=True):
        for name, value in theirs.items():
            assert alike(ours[name], value), (name, ours, theirs)
    assert sum(row["count"] for row in rows) > 100


@pytest.mark.parametrize(
    ("kind", "method"),
    [("sliding", "auto"), ("sawtooth", "scan"), ("hopping", "scan"), ("hopping", "naive")],
)
def test_features_are_those_of_the_rows_in_the_table(
    spark: SparkSession, changed: History, kind: str, method: str
) -> None:
    query_rows = queries(spark)
    expected = in_duckdb(query_rows.toArrow(), changed.intervals_table(), kind)
    check(backfill(kind).run(query_rows, entities(spark, changed), method), expected)


def test_the_tables_order_and_partitions_change_nothing(
    spark: SparkSession, changed: History
) -> None:
    """Queries of some days only; mutations in another order, with a boolean in place of the op."""
    query_rows = queries(spark)
    mutations = changed.changes(spark).orderBy(F.rand(3)).repartition(5)
    mutations = mutations.withColumn("op", F.col("op").isin("delete", "update_before"))
    snapshots = changed.snapshots(spark, [0, 3]).withColumn("ds", F.col("ds").cast("string"))
    table = wb.Entities(snapshots, mutations, mutation_time="made", **NAMES)
    features = backfill("sliding").run(query_rows, table, days=("1969-12-31", "1970-01-01"))
    first, last = at(86_400), at(3 * 86_400)
    expected = [
        row
        for row, moment in zip(
            in_duckdb(query_rows.toArrow(), changed.intervals_table(), "sliding"),
            [row["t"] for row in query_rows.orderBy("id").toArrow().to_pylist()],
            strict=True,
        )
        if moment is not None and first <= moment < last
    ]
    check(features, expected)


def test_at_midnight_accuracy_rows_are_those_of_the_last_snapshot(
    spark: SparkSession, changed: History
) -> None:
    query_rows = queries(spark)
    intervals = []
    for day in range(DAYS):
        begin, end = at((day + 1) * 86_400), at((day + 2) * 86_400)
        end = end if day < DAYS - 1 else at(10**9)
        for row in changed.snapshot(day):
            intervals.append(dict(zip(("id", "k", "t", "v", "s"), row[1:], strict=True)))
            intervals[-1] |= {"begin": begin, "end": end}
    table = wb.Entities(changed.snapshots(spark), accuracy="midnight", **NAMES)
    expected = in_duckdb(query_rows.toArrow(), History(intervals).intervals_table(), "sawtooth")
    check(backfill("sawtooth").run(query_rows, table), expected)
    assert {row["problem"] for row in table.problems().collect()} <= {
        "dated later than when it was added"
    }


def test_problems_are_listed_with_their_rows(spark: SparkSession, changed: History) -> None:
    """A day has no snapshot, a mutation is lost, and some are in another day's partition."""
    mutations = changed.changes(spark)
    lost = max(one for one in changed.mutations if one[1] == "delete")
    remaining = mutations.where(~((F.col("id") == lost[3]) & (F.col("made") == F.lit(lost[0]))))
    late = remaining.withColumn("ds", F.expr("if(id = 3, date_add(ds, 1), ds)"))
    table = wb.Entities(changed.snapshots(spark, [0, 1, 3]), late, mutation_time="made", **NAMES)
    problems = table.problems()
    assert "nothing has run yet" in problems._repr_html_()  # type: ignore[operator]
    problem_rows = problems.where("problem NOT LIKE 'dated%'").toArrow().to_pylist()
    listed = {(row["id"], row["problem"]) for row in problem_rows}
    moved = "in the partition of a date other than its mutation's"
    assert (None, "no snapshot of this day") in listed
    assert (3, moved) in listed
    assert (lost[3], "not in the next snapshot, and not removed") in listed
    assert {row for row in listed if row[0] not in (None, 3, lost[3])} == set()
    (day,) = (row for row in problem_rows if row["id"] is None)
    assert day["known"] == datetime(1970, 1, 2, tzinfo=UTC)
    ends = table.lives().where(F.col("id") == lost[3]).agg(F.max("alive_until")).collect()[0][0]
    assert ends.astimezone(UTC) == at(DAYS * 86_400)
    assert table.skipped() == 0
    without_id = late.withColumn("id", F.expr("if(id = 3, null, id)"))
    table = wb.Entities(changed.snapshots(spark), without_id, mutation_time="made", **NAMES)
    left_out = sum(1 for one in changed.mutations if one[3] == 3)
    assert backfill("sliding").skipped(table) == left_out


@pytest.mark.parametrize(
    "value",
    [
        "map('a', {})",
        "array(map('a', if({} = 1, null, {})))",
        "named_struct('m', map(1, timestamp_micros(-{})))",
        "if({} = 1, array(array(1, null)), array(array(1), array(null)))",
        "if({} = 1, named_struct('a', CAST(null AS INT)), null)",
        "from_json(if({} = 1, '{\"a.b\": 1}', '{\"c\": 1}'), '`a.b` INT, c INT')",
    ],
)
def test_a_change_within_a_nested_value_is_a_change(spark: SparkSession, value: str) -> None:
    changes = spark.sql(
        "SELECT 7 id, 'ann' k, 1 t, made, 'insert' op, value FROM VALUES "
        + ", ".join(f"({made}, {value.replace('{}', str(now))})" for made, now in MUTATIONS)
        + " AS _(made, value)"
    )
    no_snapshots = changes.drop("made", "op").where("false").withColumn("ds", F.lit(0))
    table = wb.Entities(no_snapshots, changes, mutation_time="made", **NAMES)
    lives = table.lives().orderBy("alive_from").select("alive_from", "alive_until").collect()
    assert [tuple(row) for row in lives] == [(11, 21), (21, None)]


def test_buckets_lists_and_checks(spark: SparkSession, changed: History) -> None:
    """Maps by bucket, functions that list rows, and a check of the features of a run."""
    query_rows, table = queries(spark), entities(spark, changed)
    listing = wb.Backfill(
        "k",
        "t",
        [
            wb.Aggregation("count", windows="2 days", by="s"),
            wb.Aggregation(fn.mode("s"), windows="2 days", name="mode"),
            wb.Aggregation(fn.last_k("v", 2), windows="2 days", name="newest"),
        ],
        "sliding",
    )
    rows = listing.run(query_rows, table).where("id < 120").orderBy("id").collect()
    intervals = changed.intervals_table().to_pylist()
    for row in rows:
        moment = row["t"].astimezone(UTC)
        in_window = [
            one
            for one in intervals
            if one["k"] == row["k"] and one["begin"] <= moment < one["end"]
            and moment - timedelta(days=2) <= one["t"] < moment
        ]  # fmt: skip
        counts = {name: [one["s"] for one in in_window].count(name) for name in "pqr"}
        assert (row["count_2d_by_s"] or {}) == {name: n for name, n in counts.items() if n}
        valued = sorted((one["t"], one["v"]) for one in in_window if one["v"] is not None)
        assert (row["newest_2d"] or []) == [value for _, value in valued[-2:]]
        assert row["mode_2d"] is None or counts[row["mode_2d"]] == max(counts.values())
    counting = wb.Backfill("k", "t", wb.Aggregation("count", windows="2 days"), "sliding")
    features = counting.run(query_rows.drop("id"), table)
    assert len(counting.check(features, table)) == 0


CASES: list[tuple[dict[str, Any], str]] = [
    ({"key": "nobody"}, "key: the snapshots have no column 'nobody';"),
    ({"id": []}, "id: no column is named; give one column, or several in a list."),
    ({"id": "nothing"}, "id: the snapshots have no column 'nothing';"),
    ({"time": "never"}, "time: the snapshots have no column 'never';"),
    ({"time": "s"}, "time: the snapshots' column 's' holds strings;"),
    ({"date": "day"}, "date: the snapshots have no column 'day';"),
    ({"date": "v"}, "date: the snapshots' column 'v' holds integers but 't' timestamps; give"),
    ({"mutation_time": None}, "mutation_time: it is missing;"),
    ({"mutation_time": "when"}, "mutation_time: the mutations have no column 'when';"),
    (
        {"mutation_time": "ds"},
        "mutation_time: the mutations' 'ds' holds date but 't' holds",
    ),
    (
        {"mutation_time": ["made"]},
        "mutation_time: ['made'] is not text; give the name of one",
    ),
    ({"op": ["op"]}, "op: ['op'] is not text; give the name of one column."),
    ({"op": "what"}, "op: the mutations have no column 'what';"),
    ({"op": "v"}, "op: the mutations' column 'v' holds integers; give text such as 'insert',"),
    ({"accuracy": "noon"}, "accuracy: 'noon' is not known; give 'exact' or 'midnight'."),
    ({"taken": "noon"}, "taken: 'noon' is not known; give 'end' or 'begin'."),
]


def test_bad_input_is_one_sentence_without_a_job(spark: SparkSession, changed: History) -> None:
    snapshots, mutations = changed.snapshots(spark), changed.changes(spark)
    good: dict[str, Any] = {**NAMES, "mutation_time": "made"}

    def refused(sentence: str, make: Callable[[], Any]) -> None:
        with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
            make()
        assert str(error.value).startswith(sentence), str(error.value)

    for change, sentence in CASES:
        refused(sentence, partial(wb.Entities, snapshots, mutations, **(good | change)))
    refused("mutations: without them", lambda: wb.Entities(snapshots, **good))
    refused("snapshots: this is", lambda: wb.Entities([], mutations, **good))  # type: ignore[arg-type]
    months = (rows.withColumn("m", F.make_ym_interval("v")) for rows in (snapshots, mutations))
    refused(
        "snapshots: column 'm' holds interval year to month, which does not go through Arrow; drop",
        partial(wb.Entities, *months, **good),
    )
    other = mutations.withColumn("v", F.col("v").cast("double"))
    refused(
        "mutations: 'v' holds int in the snapshots but double in the mutations; cast",
        lambda: wb.Entities(snapshots, other, **good),
    )
    table, query_rows = wb.Entities(snapshots, mutations, **good), queries(spark)
    one = backfill("sliding")
    refused(
        "method: 'sawtooth' only looks at the rows' own times,",
        lambda: one.run(query_rows, table, "sawtooth"),
    )
    refused(
        "events: rows of entities have validity intervals,",
        lambda: one.explain(query_rows, table),  # type: ignore[arg-type]
    )
    summing = [wb.Backfill("k", "t", wb.Aggregation("sum", v), "sliding") for v in ("v", "w", "op")]
    bare = wb.Entities(snapshots, mutations.drop("v"), **good)
    both = wb.Entities(snapshots.withColumn("op", F.lit(1)), mutations, **good)
    refused(
        "v_sum: the mutations have no column 'v'; both", lambda: summing[0].run(query_rows, bare)
    )
    refused(
        "w_sum: the snapshots have no column 'w'; there", lambda: summing[1].run(query_rows, table)
    )
    refused("op_sum: column 'op' says when or how rows", lambda: summing[2].run(query_rows, both))
    by_id = wb.Backfill("id", "t", wb.Aggregation("count"), "sliding")
    refused(
        "key: the backfill names 'id' but the entities name 'k';",
        lambda: by_id.run(query_rows, table),
    )


def test_an_unknown_op_is_named(spark: SparkSession, changed: History) -> None:
    mutations = changed.changes(spark).withColumn("op", F.expr("if(id = 3, 'upsert', op)"))
    table = wb.Entities(changed.snapshots(spark), mutations, mutation_time="made", **NAMES)
    with pytest.raises(wb.WorkbenchError, match="op: 'upsert' is not known; give 'insert',"):
        backfill("sliding").run(queries(spark), table)


def test_rows_that_are_not_removed_are_in_the_table_at_the_last_instant(
    spark: SparkSession,
) -> None:
    last = 2**63 - 1
    users = spark.sql("SELECT 0L AS ds, 7 AS id, 'ann' AS k, 1L AS t")
    made = users.selectExpr("id", "k", "t", f"{last}L AS made", "'delete' AS op")
    table = wb.Entities(users, made, mutation_time="made", **NAMES)
    query_rows = spark.sql(f"SELECT 'ann' AS k, {last}L AS t")
    count = wb.Backfill("k", "t", wb.Aggregation("count"), "sliding")
    for method in ("scan", "naive"):
        assert [row["count"] for row in count.run(query_rows, table, method).collect()] == [1]
    assert [row["alive_until"] for row in table.lives().collect()] == [None]
    # No query comes after such a mutation, so it is left out.
    assert table.skipped() == 1


def test_rows_may_have_no_columns_other_than_their_key_and_id(spark: SparkSession) -> None:
    visits = spark.sql("SELECT 0L AS ds, 'ann' AS k, 1L AS t")
    made = visits.selectExpr("k", "t", "10L AS made", "'delete' AS op")
    table = wb.Entities(visits, made, key="k", id="t", time="t", mutation_time="made")
    query_rows = spark.sql("SELECT 'ann' AS k, explode(array(10L, 11L)) AS t")
    count = wb.Backfill("k", "t", wb.Aggregation("count"), "sliding")
    assert [row["count"] for row in count.run(query_rows, table).orderBy("t").collect()] == [1, 0]


def test_lives_of_dates_begin_and_end_when_queries_see_the_change(spark: SparkSession) -> None:
    """A query at the date of a mutation does not see it; one at the date of a snapshot does."""
    users = spark.sql("SELECT DATE '1969-12-28' ds, 7 id, 'ann' k, DATE '1969-12-20' t")
    made = users.selectExpr("id", "k", "t", "DATE '1969-12-31' AS made", "'delete' AS op")
    table = wb.Entities(users, made, mutation_time="made", **NAMES)
    (row,) = table.lives().collect()
    assert (row["alive_from"], row["alive_until"]) == (date(1969, 12, 29), date(1970, 1, 1))

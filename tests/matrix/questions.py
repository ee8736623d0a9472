"""The questions that every session must answer alike: 24, over all public calls."""

import warnings
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import session_options
from tests.matrix.tables import USERS, Tables
from tests.workbench.backfill.split.test_spans import alike
from tests.workbench.windows.stream import queries as stream_queries
from tests.workbench.windows.stream.files import LATE
from tests.workbench.windows.stream.queries import KINDS, answers_in
from workbench import Frame, fn
from workbench.spark.sessions.session import PROVIDER, ROCKSDB

Answer = list[Any]
#: The prefix of an answer that is an error.
FAILED = "it failed: "

STEPS = ["view", "cart", "buy"]
FUNNEL = wb.Funnel(STEPS, "30 hours", key="user", time="at")
KEYS = [f"user {user}" for user in range(USERS)]
#: The aggregations of features, in every kind of window.
AGGREGATIONS = [
    wb.Aggregation("count", windows=["5 hours", "2 days"]),
    wb.Aggregation("sum", "cents", ["5 hours", None]),
    wb.Aggregation("avg", "price", "2 days", where="price > 2"),
    wb.Aggregation("last", "city", ["5 hours", "2 days"]),
    wb.Aggregation("max", "at", "2 days"),
    wb.Aggregation("sum", "paid", "2 days", by="city"),
]
BY_HOP = wb.Backfill("user", "at", AGGREGATIONS, "sawtooth", "1 hour")
HOLISTIC = [
    *(AGGREGATIONS[0], wb.Aggregation("median", "price", "2 days")),
    wb.Aggregation(fn.histogram("event"), windows="2 days"),
    wb.Aggregation("count_distinct", "city", "2 days", by="event"),
]
UNTIL, FETCHED_AT = "1970-01-01 12:00:00+00:00", "1970-01-01 15:17:30+00:00"


def plain(value: Any) -> Any:
    """Return a value that is the same in every process and zone: instants in microseconds."""
    if isinstance(value, dict):
        return sorted(((plain(k), plain(v)) for k, v in value.items()), key=repr)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is pd.NaT:
        return None
    if isinstance(value, pd.Timedelta):
        return value.value // 1_000
    if isinstance(value, datetime):
        return pd.Timestamp(value).value // 1_000
    return value.isoformat() if isinstance(value, date) else value


def rows_of(df: DataFrame, *keys: str) -> Answer:
    """Return all rows, as plain values, in an order that does not depend on Spark."""
    table = df.toArrow()
    maps = {one.name for one in table.schema if pa.types.is_map(one.type)}
    rows = [
        [plain(dict(v) if n in maps and v is not None else v) for n, v in row.items()]
        for row in table.to_pylist()
    ]
    places = [table.column_names.index(key) for key in keys]
    return sorted(rows, key=lambda row: repr([row[place] for place in places] or row))


def pandas_rows(table: pd.DataFrame) -> Answer:
    """Return a small table's rows as plain values."""
    return [[plain(value) for value in row] for row in table.itertuples(index=False)]


def levels(tables: Tables) -> Answer:
    return rows_of(FUNNEL.levels(tables.events, by="city"), "user")


def levels_by_conditions(tables: Tables) -> Answer:
    dear = "price > 40 OR cents > 150"
    steps: dict[str, Any] = {"seen": "event = 'view'", "good": F.col("good"), "dear": dear}
    modes = ["strict_order", "allow_reentry", "strict_once"]
    funnel = wb.Funnel(steps, "2 days", ["user", "city"], "at", modes=modes)
    return rows_of(funnel.levels(tables.events), "user", "city")


def steps(tables: Tables) -> Answer:
    return pandas_rows(FUNNEL.steps(tables.events, by="city").reset_index())


def times(tables: Tables) -> Answer:
    return pandas_rows(FUNNEL.times(tables.events, bins=7).reset_index())


def people(tables: Tables) -> Answer:
    funnel = wb.Funnel(STEPS, "5 hours", key="user", time="at")
    stopped = [rows_of(funnel.people(tables.events, level), "user") for level in (1, 2)]
    return [*stopped, funnel.skipped(tables.events)]


def prepared(tables: Tables) -> Answer:
    other = wb.Funnel(STEPS[1:], "1 hour", key="user", time="at", modes=["strict_increase"])
    with FUNNEL.prepare(tables.events, keep=["city"]) as events:
        summary = [events.rows, events.keys, events.skipped, list(events.names)]
        answers = [rows_of(one.levels(events, by="city"), "user") for one in (FUNNEL, other)]
        return [summary, *answers, pandas_rows(FUNNEL.steps(events).reset_index())]


def levels_of_dates(tables: Tables) -> Answer:
    """Keys of binary and time, days as times."""
    funnel = wb.Funnel(STEPS, "2 days", ["bytes", "good"], "day", modes=["strict_increase"])
    return rows_of(funnel.levels(tables.events), "bytes", "good")


def rows_frames(tables: Tables) -> Answer:
    found = wb.over(
        tables.events, "user", ["day", "id"], Frame.rows(-3, 1), "kernel",
        total=fn.sum("cents"), band=fn.quantile("price", [0.25, 0.5]), often=fn.mode("city"),
        cities=fn.count("city").distinct(), names=fn.string_agg("event").where("good"),
        spent=fn.sum("paid"), spread=fn.stddev("cents"),
    )  # fmt: skip
    return rows_of(found, "id")


def range_frames(tables: Tables) -> Answer:
    frame = Frame.range("-30 hours", "1 hour", exclude="ties")
    found = wb.over(
        tables.events, ["user", "good"], "at", frame, "kernel",
        mean=fn.avg("price"), low=fn.min("city"), high=fn.max("bytes"), last_day=fn.max("day"),
        half=fn.median("at"), dearest=fn.top_k("cents", 2), counts=fn.histogram("event"),
    )  # fmt: skip
    return rows_of(found, "id")


def groups_frames(tables: Tables) -> Answer:
    frame = Frame.groups(-1, 0, exclude="current row")
    found = wb.over(
        tables.events, "city", "day", frame, "kernel",
        users=fn.count_distinct("user"), all_good=fn.bool_and("good"), total=fn.sum("paid"),
        place=fn.rank(), share=fn.cume_dist(), dense=fn.dense_rank(),
    )  # fmt: skip
    return rows_of(found, "id")


def frames_by_spark(tables: Tables) -> Answer:
    """Frames that Spark's own operator can answer, by it and by the kernels."""
    functions: dict[str, Any] = {
        "before": fn.lag("city"), "after": fn.lead("cents", 2), "number": fn.row_number(),
        "total": fn.sum("cents"), "most": fn.max("price"), "tile": fn.ntile(3),
    }  # fmt: skip
    return [
        rows_of(wb.over(tables.events, "user", "id", Frame.rows(-2, 0), engine, **functions), "id")
        for engine in ("spark", "kernel")
    ]


def frames_of_each_row(tables: Tables) -> Answer:
    frame = Frame.range(-F.col("reach"), F.col("reach"))
    found = wb.over(
        tables.events.withColumn("hour", F.unix_seconds("at") / 3600), "user", "hour", frame,
        total=fn.sum("cents"), half=fn.median("price"), cities=fn.count("city").distinct(),
    )  # fmt: skip
    return rows_of(found, "id")


def whole_table(tables: Tables) -> Answer:
    """One partition that is cut into pieces, and values that are filled in."""
    call = wb.Over(
        None, ["at", "id"], Frame.rows(-5, 5), "kernel",
        total=fn.sum("price"), low=fn.min("cents"), before=fn.lag("event").ignore_nulls(),
    )  # fmt: skip
    filled = wb.over(tables.events, "city", "id", None, price_filled=fn.fill("price"))
    return [rows_of(call.run(tables.events), "id"), rows_of(filled, "id")]


def group_quantiles(tables: Tables) -> Answer:
    exact = wb.quantiles(tables.events, ["price", "cents", "at"], [0.1, 0.5], by="city")
    one = wb.quantiles(tables.events, ["city", "day"], 0.3, by=["user", "good"], kind="disc")
    return [rows_of(exact, "city"), rows_of(one, "user", "good")]


def last_rows(tables: Tables) -> Answer:
    return [
        rows_of(wb.last_in_group(tables.events, ["user", "good"], ["at"], method), "id")
        for method in ("window", "auto")
    ]


def features(
    tables: Tables, kind: str, method: str, aggregations: list[wb.Aggregation] | None = None
) -> Answer:
    hop = None if kind == "sliding" else "1 hour"
    backfill = wb.Backfill("user", "at", aggregations or AGGREGATIONS, kind, hop)
    return rows_of(backfill.run(tables.queries, tables.events, method))


def entities(tables: Tables) -> Answer:
    changing = wb.Entities(
        tables.snapshots, tables.mutations, key="k", id="id", time="t", mutation_time="made"
    )
    aggregations = [
        wb.Aggregation("count", windows=["6 hours", None]),
        wb.Aggregation("sum", "v", "2 days", by="s"),
        wb.Aggregation("last", "s", "2 days"),
    ]
    queries = tables.queries.selectExpr("id", "id % 5 AS k", "at AS t")
    answer = wb.Backfill("k", "t", aggregations, "sliding").run(queries, changing)
    return [rows_of(answer), rows_of(changing.problems()), rows_of(changing.lives())]


def online(tables: Tables) -> Answer:
    """Features that are served: uploaded, and updated by a stream."""
    view = wb.OnlineView(BY_HOP, tables.scratch / "store")
    counts = view.upload(tables.events, UNTIL)
    keys = [key for key in KEYS if key != "user 0"]
    before = view.fetch(keys, at=FETCHED_AT)
    query = view.update(
        tables.stream("events"), tables.scratch / "checkpoint", {"availableNow": True}
    )
    query.awaitTermination()
    after, status = view.fetch(keys, at=FETCHED_AT), view.status()
    numbers = [counts.events, counts.keys, counts.after, counts.skipped]
    numbers += [status.streamed, status.late, status.skipped]
    # A key whose hop has begun and holds later events is refused, in the same words.
    rows = [
        [served.errors.get(key) or plain(served[key]) for key in keys] for served in (before, after)
    ]
    return [numbers, *rows]


def consistency(tables: Tables) -> Answer:
    """The differences between windows of two kinds."""
    queries = tables.queries.where("user IS NOT NULL AND at IS NOT NULL").drop("id").distinct()
    sliding = wb.Backfill("user", "at", AGGREGATIONS[:1], "sliding").run(queries, tables.events)
    hopping = wb.Backfill("user", "at", AGGREGATIONS[:1], "hopping", "1 hour")
    offline = hopping.run(queries, tables.events)
    report = wb.consistency(sliding, offline, hopping, tables.events)
    counts = report.columns.reset_index()
    return [pandas_rows(counts), sorted(pandas_rows(report.differing), key=repr)]


def naive(tables: Tables) -> Answer:
    return [features(tables, "sliding", "naive"), consistency(tables)]


def stream(tables: Tables, name: str) -> Answer:
    """Windows over a stream, which equal those of a batch over the same rows."""
    files, folder, kind = tables.files / "streams", tables.scratch / name, KINDS[name]
    writer = kind.windows(tables.spark, files).writeStream.format("parquet").queryName(name)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(folder / "answers"))
    query.awaitTermination()
    answers = [plain(row) for row in answers_in(folder, kind.row_id)]
    batch = [plain(row) for row in stream_queries.by_batch(tables.spark, files, name)]
    late = wb.late_rows(query)
    assert late == (0 if kind.row_id else LATE), f"{late} rows were late"
    assert alike(answers, batch), "a stream's answers are not those of batch"
    return answers


#: Every question by its name.
QUESTIONS: dict[str, Callable[[Tables], Answer]] = {
    "levels": levels,
    "levels by conditions": levels_by_conditions,
    "steps": steps,
    "times": times,
    "people": people,
    "prepared": prepared,
    "levels of dates": levels_of_dates,
    "rows": rows_frames,
    "range": range_frames,
    "groups": groups_frames,
    "by spark": frames_by_spark,
    "each row": frames_of_each_row,
    "whole table": whole_table,
    "quantiles": group_quantiles,
    "last rows": last_rows,
    "auto": partial(features, kind="sawtooth", method="auto"),
    "naive and consistency": naive,
    "scan": partial(features, kind="hopping", method="scan", aggregations=HOLISTIC),
    "tree": partial(features, kind="hopping", method="tree"),
    "sawtooth": partial(features, kind="sawtooth", method="sawtooth", aggregations=HOLISTIC),
    "entities": entities,
    "online": online,
    "on window close": partial(stream, name="close"),
    "on update": partial(stream, name="changelog"),
}


def ask(
    spark: SparkSession,
    files: Path,
    names: list[str],
    conf: Mapping[str, str] | None = None,
    source: str = "files",
) -> dict[str, Answer]:
    """Return the answers under some settings of a session, which are restored afterwards."""
    answers: dict[str, Answer] = {}
    with session_options(spark, {PROVIDER: ROCKSDB, **(conf or {})}), warnings.catch_warnings():
        # The tables have rows without a key or a time on purpose.
        warnings.simplefilter("ignore", wb.WorkbenchWarning)
        tables = Tables(spark, files, Path(mkdtemp(prefix="matrix-")), source)
        for name in names:
            tables.scratch = Path(mkdtemp(prefix="matrix-"))
            try:
                answers[name] = QUESTIONS[name](tables)
            except Exception as error:
                answers[name] = [f"{FAILED}{type(error).__name__}: {error}"]
        for table in tables.read.values() if source == "caches" else ():
            table.unpersist()
    return answers


def differing(answers: Mapping[str, Answer], expected: Mapping[str, Answer]) -> list[str]:
    """Return a line for each answer that is not the expected one; floats may differ by rounding.

    A question without an expected answer only must not fail.
    """
    lines = []
    for name, answer in answers.items():
        if answer and str(answer[0]).startswith(FAILED):
            lines.append(f"{name}: {answer[0]}"[:2_000])
        elif name in expected and not alike(answer, expected[name]):
            pairs = zip(answer, expected[name], strict=False)
            other = [f"{a} is not {b}" for a, b in pairs if not alike(a, b)]
            other += [f"{len(answer)} rows are not {len(expected[name])}"]
            lines.append(f"{name}: {other[0]}"[:2_000])
    return lines

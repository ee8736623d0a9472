"""The same funnel with other systems: ClickHouse, Spark's SQL functions, and pandas for each user.

Each reads the events of Parquet files and returns the number of keys at each level. If only keys
with a matching event are needed, each reads only the rows of the steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chdb.session import Session

from benchmarks.funnel import sql

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

Histogram = dict[int, int]
ANY_ORDER, EXCLUSION = "any order", "an exclusion"
#: The event that must not happen between the last two steps.
EXCLUDED = "help"


@dataclass(frozen=True)
class Question:
    """The funnel that every way computes.

    Attributes
    ----------
    path : str
        A folder of Parquet files.
    steps : tuple of str
        The names of the events.
    window : int
        Microseconds.
    every_key : bool
        Whether keys without a matching event count, at level 0.
    rule : str, optional
        :data:`ANY_ORDER` or :data:`EXCLUSION`, of keys with a matching event.
    """

    path: str
    steps: tuple[str, ...]
    window: int
    every_key: bool
    rule: str | None = None


class ClickHouse:
    """ClickHouse in this process, on as many threads as Spark has cores."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.session: Any = Session()  # type: ignore[no-untyped-call]

    def histogram(self, question: Question) -> Histogram:
        """Return the number of keys at each level."""
        text = str(self.session.query(self.sql(question), "CSV"))
        rows = [line.split(",") for line in text.splitlines()]
        return {int(level): int(count) for level, count in rows}

    def sql(self, question: Question) -> str:
        """Return the query."""
        if question.rule is not None:
            return f"{self._levels(question)} SETTINGS max_threads = {self.threads}"
        names = ", ".join(f"'{step}'" for step in question.steps)
        conditions = ", ".join(f"event = '{step}'" for step in question.steps)
        where = "" if question.every_key else f"WHERE event IN ({names})"
        # windowFunnel needs integers, and these keep every microsecond.
        time = "toUInt64(toUnixTimestamp64Micro(timestamp))"
        return f"""
            SELECT level, count() FROM (
                SELECT user_id, windowFunnel({question.window})({time}, {conditions}) AS level
                FROM file('{question.path}/*.parquet', Parquet) {where} GROUP BY user_id
            ) GROUP BY level SETTINGS max_threads = {self.threads}
        """

    def _levels(self, question: Question) -> str:
        source = f"file('{question.path}/*.parquet', Parquet)"
        if question.rule == ANY_ORDER:
            levels = sql.any_order(source, question.steps, question.window)
        else:
            levels = sql.exclusion(source, question.steps, question.window, EXCLUDED)
        return f"SELECT level, count() FROM ({levels}) GROUP BY level"


def spark_sql(spark: "SparkSession", question: Question) -> Histogram:
    """Compute with collect_list, sort_array and a fold over the array, all inside the JVM."""
    from pyspark.sql import functions as F

    # Rows that match no step are null, and are not collected.
    entry = F.when(F.col("step") > 0, F.struct("time", "step"))
    users = _entries(spark, question).groupBy("user_id")
    levels = users.agg(F.sort_array(F.collect_list(entry)).alias("entries"))
    level = F.expr(_fold(len(question.steps), question.window))
    return histogram(levels.select(level.alias("level")))


def apply_in_pandas(spark: "SparkSession", question: Question) -> Histogram:
    """Compute with a Python function that gets each user's events as a pandas frame."""
    task = PandasTask(len(question.steps), question.window)

    def run(key: tuple[Any, ...], events: "pd.DataFrame") -> "pd.DataFrame":
        return task.run(key, events)  # Spark accepts a function, but no method.

    users = _entries(spark, question).groupBy("user_id")
    return histogram(users.applyInPandas(run, "user_id long, level int"))


@dataclass(frozen=True)
class PandasTask:
    """The task that ``applyInPandas`` runs for each user.

    Attributes
    ----------
    steps : int
    window : int
        Microseconds.
    """

    steps: int
    window: int

    def run(self, key: tuple[Any, ...], events: "pd.DataFrame") -> "pd.DataFrame":
        """Return the level of one user as a frame of one row."""
        import numpy as np
        import pandas as pd

        time, step = events["time"].to_numpy(), events["step"].to_numpy()
        order = np.lexsort((step, time))
        level = self.level(time[order].tolist(), step[order].tolist())
        return pd.DataFrame({"user_id": [key[0]], "level": [level]})

    def level(self, time: Sequence[int], step: Sequence[int]) -> int:
        """Return the level for sorted times, with the newest start of a chain for each step."""
        start: list[int | None] = [None] * (self.steps + 1)
        level = 0
        for now, k in zip(time, step, strict=True):
            if k == 1:
                start[1] = now
            elif k > 1 and (first := start[k - 1]) is not None and now - first <= self.window:
                start[k] = first
            else:
                continue
            level = max(level, k)
        return level


def histogram(levels: "DataFrame") -> Histogram:
    """Return the number of rows at each level."""
    return {row["level"]: row["count"] for row in levels.groupBy("level").count().collect()}


def _entries(spark: "SparkSession", question: Question) -> "DataFrame":
    """Return key, time and step of each event, 0 for an event that is no step."""
    from pyspark.sql import functions as F

    events, event = spark.read.parquet(question.path), F.col("event")
    if not question.every_key:
        events = events.where(event.isin(list(question.steps)))
    step = F.lit(0)
    for k, name in reversed(list(enumerate(question.steps, start=1))):
        step = F.when(event == name, k).otherwise(step)
    return events.select("user_id", F.unix_micros("timestamp").alias("time"), step.alias("step"))


def _fold(steps: int, window: int) -> str:
    """Return the scan as SQL: its state is the level, and the start of the chain at each step."""
    fields = [f"cast(null AS bigint) AS start{k}" for k in range(1, steps + 1)]
    start = f"named_struct('level', 0, {', '.join(_named(f) for f in fields)})"
    cases = " ".join(_case(k, steps, window) for k in range(1, steps + 1))
    return f"aggregate(entries, {start}, (s, e) -> CASE {cases} ELSE s END, s -> s.level)"


def _case(k: int, steps: int, window: int) -> str:
    earlier = f"s.start{k - 1}"
    fits = f" AND e.time - {earlier} <= {window}" if k > 1 else ""
    began = earlier if k > 1 else "e.time"
    fields = [f"{began if j == k else f's.start{j}'} AS start{j}" for j in range(1, steps + 1)]
    after = f"named_struct('level', greatest(s.level, {k}), {', '.join(map(_named, fields))})"
    return f"WHEN e.step = {k}{fits} THEN {after}"


def _named(field: str) -> str:
    value, _, name = field.rpartition(" AS ")
    return f"'{name}', {value}"

"""Run a query and read its metrics from the REST interface of Spark's web UI."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from workbench.arguments import check_truth
from workbench.errors import WorkbenchError, kind_in_words
from workbench.spark.jobs import in_one_sentence
from workbench.spark.plans.text import Operator, QueryPlan, explain, read_plan

_ROWS = ["number of output rows", "shuffle records written"]
_SIZES = {
    "shuffle bytes written": "shuffled",
    "data sent to Python workers": "to Python",
    "size of files read": "read",
    "data size": "sent",
}
_TIMES = [
    "time to run Python workers",
    "sort time",
    "scan time",
    "time in aggregation build",
    "time to build",
    "time to build hash map",
    "shuffle write time",
]
# These output as many rows as they read, so Spark does not count the rows again.
_SAME_ROWS = {"Project", "Sort", "AQEShuffleRead", "ReusedExchange", "BroadcastExchange"}

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}

_PATIENCE = 30.0  # seconds until the web UI of a busy driver shows that a run has ended


def query_plan(df: DataFrame, run: bool = False) -> QueryPlan:
    """Return a query's plan: its shape or, after a run, its final form with rows, sizes, times.

    Parameters
    ----------
    df
        The query, classic or Connect.
    run
        Run the query once, discard its result, and add the metrics of that run to the operators.
        This costs as much as the query.

    Returns
    -------
    QueryPlan
        Its `note` says in one sentence what the numbers are or why there are none.

    Raises
    ------
    WorkbenchError
        When `df` is no DataFrame, or is a stream that should run.

    Examples
    --------
    >>> import workbench as wb
    >>> numbers = wb.session().range(1000).where("id % 2 = 0")
    >>> query_plan(numbers, run=True).result.rows
    500
    """
    _check(df, run)
    shape = read_plan(explain(df))
    if not run:
        return replace(shape, note="The plan before a run: its shape, without numbers.")
    spark = df.sparkSession
    address = _sql_api(spark)
    if address is None:
        return replace(
            shape,
            note="The plan before a run: metrics need a classic session with Spark's web pages.",
        )
    mark = f"wb.plan {uuid4().hex[:12]}"
    with _with_description(spark, mark), in_one_sentence():
        df.write.format("noop").mode("overwrite").save()
    execution = _finished_execution(address, mark)
    if execution is None:
        return replace(shape, note="The query ran, but Spark's web pages did not give its metrics.")
    return plan_of_execution(execution)


def plan_of_execution(execution: dict[str, Any]) -> QueryPlan:
    """Return the final plan of one SQL execution from the JSON of Spark's REST interface.

    Parameters
    ----------
    execution
        The response of ``/api/v1/applications/…/sql/…?details=true&planDescription=true``.

    Returns
    -------
    QueryPlan
        Times are sums over all tasks.
    """
    plan = read_plan(execution["planDescription"])
    graph = _Graph.of(execution)
    operators = dict(plan.operators)
    for id, node in _matching_nodes(plan, plan.result.id, graph, graph.root):
        operators[id] = _with_metrics(operators[id], graph.metrics[node])
    plan = replace(plan, operators=operators)
    operators = {id: replace(op, rows=_rows(plan, id)) for id, op in operators.items()}
    seconds = execution["duration"] / 1000
    note = f"After a run of {seconds:.1f} s; times on the operators are summed over all tasks."
    return _with_result_title(replace(plan, operators=operators, note=note, seconds=seconds))


def _check(df: object, run: bool) -> None:
    # Both kinds of DataFrame are instances of the public one.
    if not isinstance(df, DataFrame):
        raise WorkbenchError(
            f"df: {kind_in_words(df)} has no plan; give a DataFrame, a table or a wb.query."
        )
    if check_truth(run, "run") and df.isStreaming:
        raise WorkbenchError("run: a streaming DataFrame never ends; use run=False for its shape.")


def _sql_api(spark: SparkSession) -> str | None:
    """Return the URL of this application's SQL executions, or None without a JVM or web UI."""
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        return None
    context = spark.sparkContext
    url = context.uiWebUrl
    return url and f"{url}/api/v1/applications/{context.applicationId}/sql"


@contextmanager
def _with_description(spark: SparkSession, description: str) -> Iterator[None]:
    """Set the description of the jobs in this context, so that their execution can be found."""
    context = spark.sparkContext
    before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(description)
    try:
        yield
    finally:
        context.setLocalProperty("spark.job.description", before)  # type: ignore[arg-type]


def _finished_execution(address: str, description: str) -> dict[str, Any] | None:
    """Wait until the web UI shows the finished execution with a description, and return it."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            listing = _get(f"{address}?details=false&planDescription=false&offset=0&length=100000")
            for entry in listing:
                if entry["description"] == description and entry["status"] != "RUNNING":
                    full = f"{address}/{entry['id']}?details=true&planDescription=true"
                    execution: dict[str, Any] = _get(full)
                    return execution
        except (URLError, TimeoutError, ValueError):
            return None
        time.sleep(0.1)
    return None


def _get(url: str) -> Any:
    # The web UI runs in the driver, so no proxy is used.
    with build_opener(ProxyHandler({})).open(url, timeout=_PATIENCE) as response:
        return json.load(response)


@dataclass(frozen=True)
class _Graph:
    """The graph of an execution without the nodes that wrap others."""

    names: dict[int, str]
    metrics: dict[int, dict[str, str]]
    edges: list[tuple[int, int]]

    @classmethod
    def of(cls, execution: dict[str, Any]) -> "_Graph":
        nodes = execution["nodes"]
        stages = {n["nodeName"]: _metric_texts(n) for n in nodes if "Codegen" in n["nodeName"]}
        names = {n["nodeId"]: n["nodeName"].strip() for n in nodes if n["nodeName"] not in stages}
        metrics = {n["nodeId"]: _metric_texts(n) for n in nodes}
        for node in nodes:
            stage = f"WholeStageCodegen ({node.get('wholeStageCodegenId')})"
            if stage in stages and "duration" in stages[stage]:
                metrics[node["nodeId"]][f"duration of {stage}"] = stages[stage]["duration"]
        return cls(names, metrics, [(e["fromId"], e["toId"]) for e in execution["edges"]])

    @property
    def root(self) -> int:
        return min(self.names)

    def sources(self, node: int, subqueries: bool = False) -> list[int]:
        """Return the nodes that this one reads, without wrappers, from left to right."""
        below = []
        for source in sorted(start for start, end in self.edges if end == node):
            name = self.names[source]
            if "Subquery" in name:
                below += self.sources(source) if subqueries else []
            elif not subqueries:
                below += self.sources(source) if name == "AdaptiveSparkPlan" else [source]
        return below


def _metric_texts(node: dict[str, Any]) -> dict[str, str]:
    return {metric["name"]: metric["value"] for metric in node["metrics"]}


def _matching_nodes(
    plan: QueryPlan, id: int, graph: _Graph, node: int
) -> Iterator[tuple[int, int]]:
    """Walk the printed tree and the graph in parallel, as long as the names agree."""
    if plan.operators[id].name != graph.names[node]:
        return
    yield id, node
    inputs = [*zip(plan.sources(id), graph.sources(node), strict=False)]
    subqueries = zip(
        plan.sources(id, "subquery"), graph.sources(node, subqueries=True), strict=False
    )
    for next_id, next_node in [*inputs, *subqueries]:
        yield from _matching_nodes(plan, next_id, graph, next_node)


def _with_metrics(operator: Operator, metrics: dict[str, str]) -> Operator:
    sizes = [
        # Spark also writes whole bytes with a decimal.
        f"{_total(metrics[name]).replace('.0 B', ' B')} {word}"
        for name, word in _SIZES.items()
        if name in metrics
    ]
    time_text = next((metrics[name] for name in _TIMES if name in metrics), "")
    rows = [int(_total(metrics[name]).replace(",", "")) for name in _ROWS if name in metrics]
    return replace(
        operator,
        metrics={
            name: _one_line(metrics[name]) for name in sorted(metrics) if _is_shown(name, metrics)
        },
        rows=max(rows, default=None),
        size=next(iter(sizes), ""),
        time=_total(time_text),
        seconds=_seconds(_total(time_text)),
        tasks=_median_and_max(time_text),
    )


def _is_shown(name: str, metrics: dict[str, str]) -> bool:
    """Return whether to show a metric: counts of rows always, other metrics unless zero."""
    return name in _ROWS or _total(metrics[name]) not in ("0", "0 ms", "0.0 B")


def _one_line(text: str) -> str:
    """Return a metric in one line; a spread over tasks loses the place of its maximum."""
    total, _, spread = text.rpartition("\n")[2].partition("(")
    if not spread:
        return text
    return f"{total}(tasks' least, median, most: {spread.partition(' (')[0]})"


def _total(text: str) -> str:
    """Return the total of a metric that also has its spread over the tasks."""
    return text.rpartition("\n")[2].partition(" (")[0]


def _seconds(text: str) -> float:
    """Return a time that Spark has formatted, in seconds.

    >>> _seconds("395 ms"), _seconds("1.7 s"), _seconds("2.5 m"), _seconds("")
    (0.395, 1.7, 150.0, 0.0)
    """
    amount, _, unit = text.partition(" ")
    return float(amount.replace(",", "")) * _UNITS[unit] if unit in _UNITS else 0.0


def _median_and_max(text: str) -> tuple[float, float] | None:
    """Return the median and the maximum of a time that has its spread over the tasks.

    >>> _median_and_max("total (min, med, max (stageId: taskId))\\n1.7 s (0 ms, 1.1 s, 1.6 s (x))")
    (1.1, 1.6)
    """
    spread = text.rpartition("\n")[2].partition("(")[2].partition(" (")[0].split(", ")
    return (_seconds(spread[1]), _seconds(spread[2])) if len(spread) == 3 else None


def _rows(plan: QueryPlan, id: int) -> int | None:
    operator = plan.operators[id]
    if operator.rows is None and operator.name in _SAME_ROWS:
        sources = plan.sources(id, "data", "reuse")
        return _rows(plan, sources[0]) if sources else None
    return operator.rows


def _with_result_title(plan: QueryPlan) -> QueryPlan:
    """Rename the sink that discards the rows, which stands for the query's result."""
    sink = plan.result
    if "noop" not in sink.title:
        return plan
    result = replace(sink, title="Result", name="Result", detail="The rows of the query.")
    return replace(plan, operators=plan.operators | {sink.id: result})

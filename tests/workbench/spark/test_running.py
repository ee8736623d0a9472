"""Running jobs report their progress and can be cancelled, on classic Spark and Spark Connect."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from workbench.spark.running import jobs_of, reporting
from workbench.spark.shipping import is_connect, ship

Batches = Iterator[pa.RecordBatch]


def cancelled_at_the_second_stage(spark: SparkSession) -> tuple[list[str], float, list[int]]:
    """Return the reports of a query until it is cancelled, the seconds it took, and later rows."""

    def slowly(batches: Batches) -> Batches:
        import time

        for batch in batches:
            time.sleep(60)
            yield batch

    rows = spark.range(40_000, numPartitions=2).repartition(3)
    query = rows.mapInArrow(slowly, "id long")
    messages: list[str] = []
    jobs = jobs_of(spark)

    def on_report(report: Any, _seconds: float) -> None:
        if report is not None:
            messages.append(report.words)
            # Over Connect, a stage is reported once one of its tasks has ended.
            if report.stages == 2 or (is_connect(spark) and report.done == report.tasks):
                jobs.cancel()

    begin = time.monotonic()
    try:
        with jobs, reporting(jobs, on_report, 0.2, 0.2):
            query.collect()
        messages.append("it was not stopped")
    except Exception as error:
        messages.append(str(error))
    seconds = time.monotonic() - begin
    return messages, seconds, [row.id for row in spark.range(3).collect()]


@pytest.mark.cluster
@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_a_query_reports_progress_and_is_cancelled_and_the_session_continues(
    kind: str, run_on: Callable[..., Any]
) -> None:
    messages, seconds, after = run_on(kind, cancelled_at_the_second_stage)
    if kind == "classic":
        assert any(words.startswith("stage 2 · 0 of 3 tasks") for words in messages), messages
    else:
        assert any(words.startswith("stage 1 · 2 of 2 tasks") for words in messages), messages
    assert "cancel" in messages[-1].lower(), messages
    assert seconds < 50  # a task takes 60
    assert after == [0, 1, 2]


def test_tags_and_properties_of_a_thread_are_restored(spark: SparkSession) -> None:
    context = spark.sparkContext
    context.addJobTag("mine")
    before = context.getLocalProperty("spark.job.interruptOnCancel")
    try:
        with jobs_of(spark):
            assert len(set(context.getJobTags())) == 2
        assert set(context.getJobTags()) == {"mine"}
        assert context.getLocalProperty("spark.job.interruptOnCancel") == before
    finally:
        context.removeJobTag("mine")


def test_errors_of_spark_caused_by_a_workbench_error_are_one_sentence_in_a_cell(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.errors import PySparkException

    def refused(batches: Batches) -> Batches:
        from workbench.errors import WorkbenchError

        raise WorkbenchError("mwh: too large; cast it.")
        yield from batches

    def fails(_: Batches) -> Batches:
        raise KeyError("mine")
        yield

    import IPython  # noqa: F401 (plans render errors this way where IPython is installed)

    monkeypatch.delattr(PySparkException, "_render_traceback_", raising=False)
    ship(spark)
    errors = []
    for task in (refused, fails):
        with pytest.raises(PySparkException) as error:
            spark.range(1).mapInArrow(task, "id long").collect()
        errors.append(error.value)
    ours, theirs = ("\n".join(error._render_traceback_()) for error in errors)  # type: ignore[attr-defined]
    place, line, *rest = ours.splitlines()
    assert __file__ in place
    assert line.endswith('spark.range(1).mapInArrow(task, "id long").collect()')
    sentence = "PythonException: mwh: too large; cast it."
    assert rest == ["", sentence, "%tb shows the whole traceback."]
    assert "KeyError: 'mine'" in theirs
    assert "mapInArrow" in theirs

"""A job that is aborted is an error of one sentence, and its session logs nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clusters import FOR_FEW_ROWS
from workbench.spark.broken_off import failure_reason

CHILD = """
import json, sys, tempfile, time, workbench as wb
from pyspark.sql import functions as F

options = {"spark.master": "local[2]", "spark.driver.memory": "1g"}
spark = wb.session(options | json.loads(sys.argv[1]))

@F.udf("boolean")
def killed(value):
    import os, signal
    if value == 50:
        os.kill(os.getpid(), signal.SIGKILL)
    return True

def refused(batches):
    from workbench.errors import WorkbenchError
    for batch in batches:
        raise WorkbenchError("mwh: too large; cast it.")
        yield batch

events = spark.range(100).select((F.col("id") % 10).alias("k"), F.col("id").alias("t"))
funnel = wb.Funnel({"a": "t > 0", "b": "t > 1"}, window=5, key="k", time="t")
for broken in (events.where(killed("t")), events.mapInArrow(refused, events.schema)):
    try:
        funnel.steps(broken)
    except wb.WorkbenchError as error:
        print(type(error).__name__, error, file=sys.stderr, flush=True)
print("==", file=sys.stderr, flush=True)
# Workers that were about to write find that their rows are no longer needed.
events.repartition(4).mapInArrow(lambda batches: batches, events.schema).limit(1).collect()
spark._jvm.org.slf4j.LoggerFactory.getLogger("org.apache.spark.Any").error(
    "one", spark._jvm.java.lang.RuntimeException("two" + chr(10) + "three")
)
# The worker of a stream's first batch logs its steps.
folder = tempfile.mkdtemp()
events.withColumn("t", F.timestamp_seconds("t")).write.parquet(folder + "/rows")
stream = spark.readStream.schema("k long, t timestamp").parquet(folder + "/rows")
late = wb.Over("k", "t", wb.Frame.rows(-1, 0), n=wb.fn.count()).run(
    stream.withWatermark("t", "1 second"), emit="on window close"
)
writer = late.writeStream.format("noop").option("checkpointLocation", folder + "/checkpoint")
writer.trigger(availableNow=True).start().awaitTermination()
time.sleep(1)
spark.stop()
"""


@pytest.fixture(scope="module")
def stderr_lines(jvm: None, tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The lines on stderr of a session: about aborted jobs, and about everything after them."""
    code = [sys.executable, "-c", CHILD, json.dumps(FOR_FEW_ROWS)]
    folder: Path = tmp_path_factory.mktemp("notebook")
    run = subprocess.run(code, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    broken, _, rest = run.stderr.partition("==\n")
    return [broken.splitlines(), rest.splitlines()]


def test_a_killed_worker_is_one_sentence_and_no_other_line(stderr_lines: list[list[str]]) -> None:
    assert stderr_lines[0][0] == (
        "JobError Spark could not finish: a Python worker was killed, most likely because the "
        "machine ran out of memory; raise spark.sql.shuffle.partitions, so that a task holds fewer "
        "keys, or give the machine more memory."
    )


def test_an_error_of_the_workbench_in_a_task_keeps_its_sentence(
    stderr_lines: list[list[str]],
) -> None:
    assert stderr_lines[0][1:] == ["JobError mwh: too large; cast it."]


def test_a_session_logs_an_error_on_one_line_and_ends_its_workers_silently(
    stderr_lines: list[list[str]],
) -> None:
    assert [line.partition(" ")[2] for line in stderr_lines[1]] == [
        "ERROR Any: one java.lang.RuntimeException: two"
    ]


def test_the_error_of_a_session_whose_process_has_ended_says_what_to_do() -> None:
    reason = failure_reason(str(ConnectionRefusedError(111, "Connection refused")))
    assert reason is not None
    assert "has ended" in reason
    assert "restart Python" in reason
    assert failure_reason("Lost task: java.net.ConnectException: Connection refused") is None

"""There is one session, configured well, wherever the notebook runs."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import workbench as wb

EXPECTED = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
}


def test_a_second_session_is_the_first(spark: SparkSession) -> None:
    assert wb.session() is spark


def test_options_that_the_active_session_does_not_have_are_warned_of(spark: SparkSession) -> None:
    same = {"spark.sql.session.timeZone": "UTC", "spark.ui.showConsoleProgress": False}
    assert wb.session(same) is spark
    with pytest.warns(wb.WorkbenchWarning) as warned:
        assert wb.session({"spark.task.cpus": 3, "spark.master": "local[7]"}) is spark
    assert [str(one.message).partition(";")[0] for one in warned] == [
        "conf: 'spark.task.cpus' is to be '3', but a session runs already and does not have it",
        "conf: 'spark.master' is to be 'local[7]', but a session runs already and has 'local[2]'",
    ]


def test_a_widget_s_thread_gets_the_same_session(spark: SparkSession) -> None:
    seen: list[SparkSession] = []
    thread = Thread(target=lambda: seen.append(wb.session()))
    thread.start()
    thread.join()
    assert seen == [spark]


@pytest.mark.parametrize(("name", "value"), EXPECTED.items())
def test_a_local_session_is_configured_as_a_careful_user_would(
    spark: SparkSession, name: str, value: str
) -> None:
    assert spark.conf.get(name) == value


def test_workers_run_the_running_python(spark: SparkSession) -> None:
    def executable(batches):  # type: ignore[no-untyped-def]
        import pyarrow as pa

        yield from (pa.RecordBatch.from_pydict({"path": [sys.executable]}) for _ in batches)

    rows = spark.range(1, numPartitions=1).mapInArrow(executable, "path string").collect()
    assert [row.path for row in rows] == [sys.executable]


def test_java_and_its_workers_ask_for_large_pages(spark: SparkSession) -> None:
    def pages(batches):  # type: ignore[no-untyped-def]
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"tunables": [os.environ.get("GLIBC_TUNABLES")]})

    # A worker inherits the environment of the Java that started it.
    rows = spark.range(1, numPartitions=1).mapInArrow(pages, "tunables string").collect()
    assert [row.tunables for row in rows] == ["glibc.malloc.hugetlb=1"]


def test_workers_start_with_the_imports_of_tasks_and_exclude_them_from_garbage_collection(
    spark: SparkSession,
) -> None:
    def begin(batches):  # type: ignore[no-untyped-def]
        import gc

        import pyarrow as pa

        yield from (pa.RecordBatch.from_pydict({"n": [gc.get_freeze_count()]}) for _ in batches)

    (row,) = spark.range(1, numPartitions=1).mapInArrow(begin, "n long").collect()
    assert row.n > 100_000


def test_a_failed_query_is_raised_and_not_logged_as_json(
    spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AnalysisException):
        spark.sql("select nothing from nowhere")
    assert "nowhere" not in capfd.readouterr().err


LEAVES_NO_TRACE = """
import os, socket, sys, tempfile, workbench as wb
from pathlib import Path
temporary = Path(tempfile.gettempdir())
with socket.create_server(("127.0.0.1", 0)) as busy:
    port = busy.getsockname()[1]
    spark = wb.session({"spark.driver.memory": "1g", "spark.ui.port": port})
    spark.sql("create table t as select 1 as a")
    spark.createDataFrame([(1,)], "a int").toPandas()
    print(port, spark.sparkContext.uiWebUrl, spark.conf.get("spark.driver.memory"))
    spark.range(100).repartition(3).collect()
    from workbench.lessons.follow import print_elsewhere
    print_elsewhere(spark)
    for name in ("shuffle_*.data", "streams.log"):
        (first, *_) = temporary.rglob(name)
        top = temporary / first.relative_to(temporary).parts[0]
        print(oct(top.stat().st_mode & 0o777))
    print("the end", file=sys.stderr, flush=True)
    spark.stop()
"""


class Bystander(NamedTuple):
    """What a session printed, wrote to stderr while at work and at its end, and left in its folder
    and among the temporary files."""

    printed: list[str]
    while_at_work: str
    at_the_end: str
    left: list[str]
    left_behind: list[str]


@pytest.fixture(scope="module")
def bystander(jvm: None, tmp_path_factory: pytest.TempPathFactory) -> Bystander:
    """A session started in an empty folder while port 4040 is busy: what it wrote and left."""
    folder = tmp_path_factory.mktemp("notebook")
    temporary = tmp_path_factory.mktemp("temporary")
    code = [sys.executable, "-c", LEAVES_NO_TRACE]
    places = os.environ | {"TMPDIR": str(temporary)}
    run = subprocess.run(code, cwd=folder, env=places, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    while_at_work, _, at_the_end = run.stderr.partition("the end\n")
    left = [os.listdir(one) for one in (folder, temporary)]
    return Bystander(run.stdout.split(), while_at_work, at_the_end, *left)


def test_a_session_starts_despite_a_busy_port_and_stays_on_loopback(bystander: Bystander) -> None:
    port, url, *_ = bystander.printed
    assert url.startswith("http://127.0.0.1:")
    assert not url.endswith(port)


def test_the_user_s_own_options_win(bystander: Bystander) -> None:
    assert bystander.printed[2] == "1g"


def test_a_session_leaves_nothing_in_the_notebook_s_folder(bystander: Bystander) -> None:
    assert bystander.left == []


def test_shuffled_rows_and_logs_are_for_this_user_only(bystander: Bystander) -> None:
    assert bystander.printed[3:] == ["0o700", "0o700"]


def test_a_session_leaves_nothing_among_the_temporary_files(bystander: Bystander) -> None:
    assert bystander.left_behind == []


def test_a_session_starts_and_works_without_output_on_stderr(bystander: Bystander) -> None:
    assert bystander.while_at_work == ""


def test_a_session_ends_without_output_on_stderr(bystander: Bystander) -> None:
    # Spark's daemon may write a traceback if an idle worker sees the end before the daemon does.
    assert all("daemon" in traceback for traceback in bystander.at_the_end.split("Traceback")[1:])
    assert not bystander.at_the_end.partition("Traceback")[0]


ITS_OWN_SERVER = """
import sys, workbench as wb
from pyspark.sql import functions as F
spark = wb.session({"spark.remote": "local[2]", "spark.driver.memory": "1g"})
def executable(batches):
    import pyarrow as pa
    yield from (pa.RecordBatch.from_pydict({"path": [sys.executable]}) for _ in batches)
rows = spark.range(1).repartition(1).mapInArrow(executable, "path string").collect()
print(rows[0].path, spark.conf.get("spark.sql.session.timeZone"), type(spark).__module__)
"""


@pytest.mark.usefixtures("jvm")
def test_a_local_server_of_spark_connect_runs_the_running_python_too(tmp_path: Path) -> None:
    places = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
    code = [sys.executable, "-c", ITS_OWN_SERVER]
    run = subprocess.run(
        code, cwd=tmp_path, env=places, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [sys.executable, "UTC", "pyspark.sql.connect.session"]
    assert run.stderr == ""
    assert os.listdir(tmp_path) == []

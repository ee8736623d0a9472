"""``python -m workbench.spark.classes``: write the archive of the classes that Spark loads."""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from workbench.spark.sessions.class_archive import QUIET, class_archive
from workbench.spark.sessions.java import java_home
from workbench.spark.sessions.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: An archive takes 160 MB; if there are more than this, the oldest are deleted.
MOST_ARCHIVES = 3
#: Seconds to wait for a JVM to end, which takes 10 if it has a core to itself.
PATIENCE = 300


def main() -> None:
    """Write the archive unless it exists, and print its path."""
    start, archive = time.perf_counter(), class_archive()
    if archive.is_file() or (can_write() and write(archive)):
        print(f"Spark's classes are ready in {archive} ({time.perf_counter() - start:.1f} s)")
    else:
        print("This Java writes no archive of classes: Spark starts without one.")


def can_write() -> bool:
    """Return whether this Java has an archive of its own classes, on which others build."""
    command = [str(java_home() / "bin" / "java"), "-version"]
    return "sharing" in subprocess.run(command, capture_output=True, text=True).stderr


def write(archive: Path) -> bool:
    """Write the archive; return False if the result is not usable."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        # Moved into place when it is complete, as other JVMs may start meanwhile.
        part = Path(folder, archive.name)
        previous_options = os.environ.get("SPARK_SUBMIT_OPTS", "")
        # Compiled code is not archived, so no time is spent on optimising it.
        archive_options = f'-XX:TieredStopAtLevel=1 "-XX:ArchiveClassesAtExit={part}" {QUIET}'
        os.environ["SPARK_SUBMIT_OPTS"] = f"{previous_options} {archive_options}"
        run_a_jvm(Path(folder))
        if not is_usable(part):
            return False
        part.replace(archive)
    archives = sorted(archive.parent.glob("*.jsa"), key=lambda path: path.stat().st_mtime)
    for old in archives[:-MOST_ARCHIVES]:
        old.unlink()
    return True


def run_a_jvm(folder: Path) -> None:
    """Use a session in a new JVM, and wait for its end, when it writes the archive."""
    for name in ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT"):
        os.environ.pop(name, None)
    spark = session({"spark.master": "local[2]", "spark.driver.memory": "1g"})
    gateway: Any = spark.sparkContext._gateway
    use(spark, folder)
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(PATIENCE)


def is_usable(archive: Path) -> bool:
    """Return whether an archive exists and is complete: a truncated one may crash a JVM."""
    options = f"-XX:SharedArchiveFile={archive}", "-XX:+UnlockDiagnosticVMOptions", QUIET
    command = [str(java_home() / "bin" / "java"), *options, "-XX:+VerifySharedSpaces", "-version"]
    if not archive.is_file():
        return False
    # A JVM that crashes writes its report into the current folder.
    return subprocess.run(command, cwd=archive.parent, capture_output=True).returncode == 0


def use(spark: "SparkSession", folder: Path) -> None:
    """Run what most sessions use: files, groups, joins, windows, Python workers."""
    numbers = spark.range(2_000).selectExpr("id % 7 as key", "cast(id as string) as text")
    numbers.write.parquet(f"{folder}/table")
    table = spark.read.parquet(f"{folder}/table").where("text > '1'")
    other = spark.createDataFrame(table.toArrow().to_pandas())
    groups = table.groupBy("key").agg(sf.collect_list(sf.struct("text")).alias("bundle"))
    rank = sf.expr("row_number() over (partition by key order by text desc)").alias("rank")
    joined = other.join(groups, "key").select("*", rank).where("rank < 3")
    same = joined.mapInArrow(lambda batches: batches, joined.schema)
    same.orderBy("key").cache().collect()
    same.groupBy("key").applyInArrow(lambda group: group, joined.schema).count()
    spark.sql("select count(distinct key), percentile(rank, 0.5) from {same}", same=same).collect()


if __name__ == "__main__":
    main()

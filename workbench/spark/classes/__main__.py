"""``python -m workbench.spark.classes``: write down the classes that Spark loads, once."""

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

#: An archive takes 160 MB; of more than so many, the oldest goes.
KEPT = 3
#: Seconds for a JVM to end, which takes 10 where it has a core to itself.
PATIENCE = 300


def main() -> None:
    """Write the archive unless it is there, and say where it is."""
    start, archive = time.perf_counter(), class_archive()
    if archive.is_file() or (can_write() and written(archive)):
        print(f"Spark's classes are ready in {archive} ({time.perf_counter() - start:.1f} s)")
    else:
        print("This Java writes no archive of classes: Spark starts without one.")


def can_write() -> bool:
    """Whether this Java has an archive of its own classes, as another one builds on that."""
    look = [str(java_home() / "bin" / "java"), "-version"]
    return "sharing" in subprocess.run(look, capture_output=True, text=True).stderr


def written(archive: Path) -> bool:
    """Write the archive; False where what came of it does not serve."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        # Moved into place when it is whole, as others may start meanwhile.
        part = Path(folder, archive.name)
        given = os.environ.get("SPARK_SUBMIT_OPTS", "")
        # What is compiled is not written down, so no time goes into compiling it well.
        own = f'-XX:TieredStopAtLevel=1 "-XX:ArchiveClassesAtExit={part}" {QUIET}'
        os.environ["SPARK_SUBMIT_OPTS"] = f"{given} {own}"
        run_a_jvm(Path(folder))
        if not serves(part):
            return False
        part.replace(archive)
    for old in sorted(archive.parent.glob("*.jsa"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
        old.unlink()
    return True


def run_a_jvm(folder: Path) -> None:
    """Use a session in a JVM of its own, and wait for its end, when it writes the archive."""
    for name in ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT"):
        os.environ.pop(name, None)
    spark = session({"spark.master": "local[2]", "spark.driver.memory": "1g"})
    gateway: Any = spark.sparkContext._gateway
    use(spark, folder)
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(PATIENCE)


def serves(archive: Path) -> bool:
    """Whether it is there, and whole: of one that broke off, as on a full disk, a JVM may die."""
    options = f"-XX:SharedArchiveFile={archive}", "-XX:+UnlockDiagnosticVMOptions", QUIET
    look = [str(java_home() / "bin" / "java"), *options, "-XX:+VerifySharedSpaces", "-version"]
    if not archive.is_file():
        return False
    # One that dies writes down why, in the folder that it is in.
    return subprocess.run(look, cwd=archive.parent, capture_output=True).returncode == 0


def use(spark: "SparkSession", folder: Path) -> None:
    """Ask what nearly all ask: files, groups, joins, windows, rows to Python's workers and back."""
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

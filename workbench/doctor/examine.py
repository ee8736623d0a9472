"""Examine a session, its executors and this machine, and yield findings."""

import json
import os
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from typing import TYPE_CHECKING, Any

from workbench.doctor.findings import (
    Finding,
    executor_findings,
    kernel_finding,
    settings_findings,
    version_findings,
)
from workbench.doctor.place import describe_this_process, process_describer
from workbench.spark.partitions import SHUFFLE_PARTITIONS
from workbench.spark.sessions.session import BUFFERS, PROVIDER
from workbench.spark.shipping import is_connect, ship

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = (
    "spark.sql.session.timeZone",
    BUFFERS,
    PROVIDER,
    "spark.driver.extraJavaOptions",
    "spark.executor.extraJavaOptions",
    SHUFFLE_PARTITIONS,
    "spark.master",
    "spark.driver.memory",
    "spark.executor.memory",
)
JAVA = "reflect('java.lang.System', 'getProperty', 'java.version')"
#: The number of cores to assume if the session does not tell.
DEFAULT_CORES = 32


def examine(spark: "SparkSession") -> Iterator[Finding]:
    """Check whether a session is set up well, and yield one finding after the other.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Spark Connect. Two small jobs run on it.

    Returns
    -------
    iterator of Finding

    Examples
    --------
    >>> import workbench as wb
    >>> [found.subject for found in examine(wb.session()) if found.subject == "Java"]
    ['Java']
    """
    import pyspark
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from kernels import registry

    here = describe_this_process()
    java = spark.sql(f"SELECT {JAVA}").collect()[0][0]
    required = required_versions()
    yield from version_findings(
        pyspark.__version__, spark.version, java, required.get("pyspark", "")
    )
    cores = None if is_connect(spark) else spark.sparkContext.defaultParallelism
    settings = _settings(spark)
    yield from settings_findings(settings, cores)
    yield kernel_finding(_compiled_count(), len(registry))
    local = settings.get("spark.master", "").startswith("local")
    heap_option = "spark.driver.memory" if local else "spark.executor.memory"
    heap = bytes_of(settings.get(heap_option, "1g"))
    try:
        executors = _describe_executors(spark, 4 * (cores or DEFAULT_CORES))
    except (PySparkException, Py4JError) as error:
        sentence = f"Python does not answer there; fix this: {first_cause(error)}"
        yield Finding("Executors", False, sentence)
    else:
        heap_per_host = heap * _jvms_per_host(spark, len({one["host"] for one in executors}))
        yield from executor_findings(here, executors, heap_per_host, heap_option, required, cores)


def _settings(spark: "SparkSession") -> dict[str, str]:
    settings = {name: spark.conf.get(name, None) for name in SETTINGS}
    return {name: value for name, value in settings.items() if value is not None}


def _jvms_per_host(spark: "SparkSession", hosts: int) -> int:
    """Return how many executors share a host, as far as the session tells."""
    if is_connect(spark):
        return 1
    # The driver is one of them, and the only one in a local session.
    jvms: int = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
    return max(1, -(-(jvms - 1) // max(1, hosts)))


def _describe_executors(spark: "SparkSession", tasks: int) -> list[dict[str, Any]]:
    """Return descriptions of Python on the executors, each distinct one once."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    ship(spark)
    describe = process_describer()
    description = F.udf(lambda _: describe(), T.StringType(), useArrow=False)
    descriptions = spark.range(0, tasks, 1, tasks).select(description("id").alias("place"))
    return [json.loads(row["place"]) for row in descriptions.distinct().collect()]


def bytes_of(size: str) -> int:
    """Return the bytes of a size as Spark writes it, such as "512m"; without a unit it is in MiB.

    Examples
    --------
    >>> bytes_of("512m"), bytes_of("2G"), bytes_of("1024")
    (536870912, 2147483648, 1073741824)
    """
    number = size.strip().lower().removesuffix("b")
    units = {"k": 10, "m": 20, "g": 30, "t": 40}
    return int(number.rstrip("kmgt")) << units.get(number[-1], 20)


def _compiled_count() -> int:
    """Return how many kernels this machine's cache holds."""
    from kernels import registry
    from kernels.core.cache import cache_folder, source_stamp

    folder = cache_folder() / source_stamp()
    names = {name.partition(" over ")[0] for name in os.listdir(folder)} if folder.is_dir() else ()
    return sum(name in names for name in registry)


def required_versions() -> dict[str, str]:
    """Return the versions that the workbench requires, by package; nothing in a bare checkout.

    Examples
    --------
    >>> required_versions()["pyspark"]
    '<4.4,>=4.3'
    """
    try:
        requirements = requires("window-workbench") or ()
    except PackageNotFoundError:
        return {}
    matches = (re.match(r"([\w.-]+)(?:\[\w+\])?([^;]*)", one) for one in requirements)
    return {one[1]: one[2].strip() for one in matches if one}


def first_cause(error: Exception) -> str:
    """Return the cause of an error in one line, without the line that Python puts before Java's.

    For a failed job, this is the message of its last task.

    Examples
    --------
    >>> first_cause(OSError("An error occurred while calling a.b.\\n: c.D: No room.\\n\\tat e.F"))
    'c.D: No room.'
    >>> first_cause(OSError(": c.D: Lost task 0.3 (TID 7) (host executor 1): No room."))
    'No room.'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [repr(error)]
    java = [line.removeprefix(": ") for line in lines if line.startswith(": ")]
    return re.sub(r"^.*\(TID \d+\) \([^)]*\): ", "", (java or lines)[0])

"""Ask a session, its executors and this machine, and say what was found."""

import json
import os
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from typing import TYPE_CHECKING, Any

from workbench.doctor.findings import (
    Finding,
    of_executors,
    of_kernels,
    of_settings,
    of_versions,
)
from workbench.doctor.place import described_here, place_asker
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
#: How many tasks ask for a place where the session does not say how many cores there are.
SOME = 32


def examine(spark: "SparkSession") -> Iterator[Finding]:
    """Say of a session, one thing after the other, whether it is set up well.

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

    here = described_here()
    java = spark.sql(f"SELECT {JAVA}").collect()[0][0]
    wanted = asked_for()
    yield from of_versions(pyspark.__version__, spark.version, java, wanted.get("pyspark", ""))
    cores = None if is_connect(spark) else spark.sparkContext.defaultParallelism
    settings = _settings(spark)
    yield from of_settings(settings, cores)
    yield of_kernels(_compiled(), len(registry))
    local = settings.get("spark.master", "").startswith("local")
    heap_option = "spark.driver.memory" if local else "spark.executor.memory"
    heap = in_bytes(settings.get(heap_option, "1g"))
    try:
        there = _places(spark, 4 * (cores or SOME))
    except (PySparkException, Py4JError) as error:
        words = f"Python does not answer there; mend this: {first_cause(error)}"
        yield Finding("Executors", False, words)
    else:
        heaps = heap * _jvms_of_a_host(spark, len({one["host"] for one in there}))
        yield from of_executors(here, there, heaps, heap_option, wanted, cores)


def _settings(spark: "SparkSession") -> dict[str, str]:
    found = {name: spark.conf.get(name, None) for name in SETTINGS}
    return {name: value for name, value in found.items() if value is not None}


def _jvms_of_a_host(spark: "SparkSession", hosts: int) -> int:
    """How many executors share a host, as far as the session says."""
    if is_connect(spark):
        return 1
    # The driver is one of them, and the only one of a local session.
    known: int = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
    return max(1, -(-(known - 1) // max(1, hosts)))


def _places(spark: "SparkSession", tasks: int) -> list[dict[str, Any]]:
    """What Python has on the executors: each different answer once."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    ship(spark)
    ask = place_asker()
    answer = F.udf(lambda _: ask(), T.StringType(), useArrow=False)
    asked = spark.range(0, tasks, 1, tasks).select(answer("id").alias("place"))
    return [json.loads(row["place"]) for row in asked.distinct().collect()]


def in_bytes(size: str) -> int:
    """Return a size as Spark writes it, such as "512m"; without a unit it is of MiB.

    Examples
    --------
    >>> in_bytes("512m"), in_bytes("2G"), in_bytes("1024")
    (536870912, 2147483648, 1073741824)
    """
    number = size.strip().lower().removesuffix("b")
    units = {"k": 10, "m": 20, "g": 30, "t": 40}
    return int(number.rstrip("kmgt")) << units.get(number[-1], 20)


def _compiled() -> int:
    """How many kernels this machine's cache holds."""
    from kernels import registry
    from kernels.core.cache import cache_folder, source_stamp

    folder = cache_folder() / source_stamp()
    names = {name.partition(" over ")[0] for name in os.listdir(folder)} if folder.is_dir() else ()
    return sum(name in names for name in registry)


def asked_for() -> dict[str, str]:
    """Return the versions that the workbench asks for, by package; of a bare checkout nothing.

    Examples
    --------
    >>> asked_for()["pyspark"]
    '<4.4,>=4.3'
    """
    try:
        asked = requires("window-workbench") or ()
    except PackageNotFoundError:
        return {}
    found = (re.match(r"([\w.-]+)(?:\[\w+\])?([^;]*)", one) for one in asked)
    return {one[1]: one[2].strip() for one in found if one}


def first_cause(error: Exception) -> str:
    """Return in one line what went wrong; what comes of Java has a line of Python's in front.

    Of a job, what its last task said.

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

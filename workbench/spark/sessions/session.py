"""The Spark session of a notebook: the one that is there, else a local one, configured well."""

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.spark.broken_off import broken_off
from workbench.spark.cell_line import said_in_cell
from workbench.spark.own_folder import own_folder
from workbench.spark.partitions import SHUFFLE_PARTITIONS
from workbench.spark.sessions.class_archive import reading_options
from workbench.spark.sessions.java import java_home
from workbench.spark.sessions.jvm_questions import remember_classes
from workbench.spark.sessions.jvm_stderr import without_steps
from workbench.spark.sessions.pyspark_place import pyspark_is_found
from workbench.spark.shipping import ship_ahead

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG_OPTION = f"-Dlog4j2.configurationFile={Path(__file__).parents[2] / 'log4j2.properties'}"
_GIB = 2**30
#: Where a session says what keeps the state of a stream, and what does so by files on a disk.
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_STREAMING = "org.apache.spark.sql.execution.streaming"
ROCKSDB = f"{_STREAMING}.state.RocksDBStateStoreProvider"
#: Arrow, on Spark's way to Python, else checks at each value that its place is within its column.
UNCHECKED = "-Darrow.enable_unsafe_memory_access=true"
#: At any other value than the largest, Spark measures its buffers at every row, which costs most
#: of the time.
BUFFERS = "spark.sql.execution.arrow.maxBytesPerBatch"


def session(conf: Mapping[str, object] | None = None) -> "SparkSession":
    """Return the active Spark session, else start a local one.

    A session that is there already, as on a cluster, in a hosted notebook or over Spark Connect,
    is returned as it is. A local one, also where ``spark.remote`` is ``"local[2]"``, uses the
    machine's cores, a third of its free memory, the running Python and UTC; it listens on loopback
    only, leaves no files in the folder, and what it writes elsewhere no other user can read.

    To a cluster the packages are sent in the background, and each executor loads them.

    Parameters
    ----------
    conf : mapping, optional
        Spark's options by name for a session that is started here; they win over the defaults.

    Returns
    -------
    pyspark.sql.SparkSession
        Classic or Spark Connect.

    Raises
    ------
    WorkbenchError
        When a local session is needed and there is no Java 17 or newer, when ``conf`` is none, or
        when the process of this Python's session has ended.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> spark is wb.session()
    True
    >>> spark.conf.get("spark.sql.session.timeZone")
    'UTC'
    """
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    if conf is not None and not isinstance(conf, Mapping):
        raise WorkbenchError(f"conf: {conf!r} is no mapping; give Spark's options by name.")
    try:
        spark = SparkSession.active()
    except PySparkRuntimeError:
        spark = _start(dict(conf or {}))
    except ConnectionRefusedError as error:  # py4j asks a process that has ended
        raise WorkbenchError(broken_off(str(error)) or str(error)) from None
    remember_classes(spark)
    ship_ahead(spark)
    return spark


def _start(conf: dict[str, object]) -> "SparkSession":
    from pyspark.sql import SparkSession

    _quiet_error_logs()
    remote = str(conf.get("spark.remote", os.environ.get("SPARK_REMOTE", "")))
    master = str(conf.get("spark.master", os.environ.get("MASTER", f"local[{cores()}]")))
    options, environment = _of_remote(remote, conf) if remote else _of_master(master)
    builder = SparkSession.builder
    for name, value in (options | conf).items():
        builder = builder.config(name, value)
    # A server that stays has been started by others, or outlives the reader of what it writes.
    quiet = without_steps() if options else nullcontext()
    said = said_in_cell("starting Spark")
    with said, quiet, _environment(environment), warnings.catch_warnings():
        # A local server has got all options; its client sends them again, and warns of each one
        # that can be given at the start alone.
        warnings.filterwarnings("ignore", "Failed to set spark", UserWarning)
        return builder.getOrCreate()


def _of_master(master: str) -> tuple[dict[str, object], dict[str, str]]:
    """The options and the environment of a JVM that is started here."""
    options = {"spark.master": master, **_common_options()}
    if master.startswith("local"):
        options |= _local_options()
    return options, _launch_environment(master)


def _of_remote(remote: str, conf: Mapping[str, object]) -> tuple[dict[str, object], dict[str, str]]:
    """The same where Spark Connect is between: a server elsewhere has its own."""
    if not remote.startswith("local"):
        return {}, {}
    options, environment = _of_master(remote)
    # The address is the master as well, and Spark takes one of the two alone.
    del options["spark.master"]
    stays = conf.get("spark.local.connect.reuse", os.environ.get("SPARK_LOCAL_CONNECT_REUSE", ""))
    # A server that outlives this process needs a folder that does so too.
    return {} if str(stays).lower() in ("1", "true") else options, environment


def _common_options() -> dict[str, object]:
    return {
        "spark.app.name": "window workbench",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": 100_000,
        BUFFERS: 2**31 - 1,
        # Rows of Arrow's that are more go to the tasks as they are. Spark makes rows of its own of
        # up to 48 MB, keeps these in the plan and sends them with each question anew.
        "spark.sql.execution.arrow.localRelationThreshold": "1m",
        "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
        "spark.python.worker.faulthandler.enabled": "true",
        "spark.python.worker.reuse": "true",
        # Spark says so to the tasks of tables alone, and workers that are told other things are
        # those of another daemon: rows of Python's that become a table had one for themselves.
        "spark.executorEnv.SPARK_SIMPLIFIED_TRACEBACK": "1",
        # What keeps a stream's state: the operator for arbitrary state takes no other.
        PROVIDER: ROCKSDB,
        # A micro-batch then saves what it has changed, and not all files of the state.
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.ui.showConsoleProgress": "false",
        "spark.port.maxRetries": 100,
        "spark.driver.memory": f"{_driver_memory() // 2**20}m",
        "spark.driver.extraJavaOptions": f'{UNCHECKED} "{_LOG_OPTION}" {reading_options()}',
        "spark.executor.extraJavaOptions": UNCHECKED,
    }


def _local_options() -> dict[str, object]:
    return {
        # Over TCP, a small task waits for the delayed acknowledgement of its first few bytes.
        "spark.python.unix.domain.socket.enabled": str(os.name == "posix").lower(),
        # The workers are of this machine and Python, so they find our module.
        "spark.python.daemon.module": "workbench.spark.sessions.worker_daemon",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        SHUFFLE_PARTITIONS: 2 * cores(),
        # Of a local folder, Spark's default asks the system's `readlink` of each file, sixty times
        # in a micro-batch: a process each, and a third of the time.
        "spark.sql.streaming.checkpointFileManagerClass": (
            f"{_STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"
        ),
        # What is shuffled stays on this machine: to compress it takes longer than to write it.
        "spark.shuffle.compress": "false",
        "spark.sql.warehouse.dir": f"{own_folder()}/warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={own_folder()}/metastore;create=true"
        ),
    } | _own_places()


def _own_places() -> dict[str, object]:
    """Where Spark puts what everybody may read, but for the folder that it is in."""
    places: dict[str, object] = {}
    if not os.environ.get("SPARK_LOCAL_DIRS"):
        places["spark.local.dir"] = own_folder()
    # A socket's whole path has about 100 characters at the most, its name 42.
    if len(own_folder()) <= 60:
        places["spark.python.unix.domain.socket.dir"] = own_folder()
    return places


def _launch_environment(master: str) -> dict[str, str]:
    """What the JVM and its Python workers find in their environment."""
    if not master.startswith("local"):
        return {"JAVA_HOME": str(java_home())}
    # The workers of master "local-cluster" are below Spark's home.
    archive = master.startswith("local-") or not pyspark_is_found()
    return {
        "JAVA_HOME": str(java_home(archive=archive)),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        # What goes to Python at once passes through buffers of its size, each of new memory, which
        # the system hands out by pages: of 2 MB rather than of 4 KB (docs/decisions/0006).
        "GLIBC_TUNABLES": os.environ.get("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"),
        # The one way to keep Spark's web pages off the network.
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def cores() -> int:
    """Return how many cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _driver_memory() -> int:
    """A third of the free memory in bytes, 1 to 16 GiB: Python's workers need the rest."""
    import psutil

    free: int = psutil.virtual_memory().available
    return max(_GIB, min(min(free, _container_limit()) // 3, 16 * _GIB))


def _container_limit() -> int:
    """The memory a container allows, in bytes; as good as endless outside of one."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return sys.maxsize


def _quiet_error_logs() -> None:
    """Keep PySpark from printing each failed query as JSON: the exception itself says it."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logger = PySparkLogger.getLogger(name)
        logger.setLevel("CRITICAL")
        logger.propagate = False

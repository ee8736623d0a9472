"""The Spark session of a notebook: the active one, else a new local one with good defaults."""

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError, kind_in_words, warn
from workbench.spark.broken_off import failure_reason
from workbench.spark.cell_line import cell_message
from workbench.spark.own_folder import own_folder
from workbench.spark.partitions import SHUFFLE_PARTITIONS
from workbench.spark.sessions.class_archive import reading_options
from workbench.spark.sessions.java import java_home
from workbench.spark.sessions.jvm_questions import remember_classes
from workbench.spark.sessions.jvm_stderr import without_steps
from workbench.spark.sessions.pyspark_place import pyspark_is_found
from workbench.spark.shipping import is_connect, ship_ahead

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG_OPTION = f"-Dlog4j2.configurationFile={Path(__file__).parents[2] / 'log4j2.properties'}"
_GIB = 2**30
#: Spark's option for the store of a stream's state, and the store that uses files on a disk.
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_STREAMING = "org.apache.spark.sql.execution.streaming"
ROCKSDB = f"{_STREAMING}.state.RocksDBStateStoreProvider"
#: Without it, Arrow in the JVM checks the bounds at each access of a value.
UNCHECKED = "-Darrow.enable_unsafe_memory_access=true"
#: At any value but the largest, Spark measures its buffers at every row, which takes most of the
#: time.
BUFFERS = "spark.sql.execution.arrow.maxBytesPerBatch"


def session(conf: Mapping[str, object] | None = None) -> "SparkSession":
    """Return the active Spark session, else start a local one.

    An active session, as on a cluster, in a hosted notebook or over Spark Connect, is returned
    unchanged, and a warning names the options of ``conf`` that it does not have. A local session,
    also with ``spark.remote`` as ``"local[2]"``, uses the machine's cores, a third of its free
    memory, the running Python and UTC. It listens on loopback only, leaves no files in the current
    folder, and no other user can read the files that it writes.

    The packages are sent to a cluster in the background, and each executor loads them.

    Parameters
    ----------
    conf : mapping, optional
        Spark's options by name for a new session; they override the defaults.

    Returns
    -------
    pyspark.sql.SparkSession
        Classic or Spark Connect.

    Warns
    -----
    WorkbenchWarning

    Raises
    ------
    WorkbenchError
        When a local session is needed and there is no Java 17 or newer, when ``conf`` is not a
        mapping, or when the process of this Python's session has ended.

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
        _warn_of_other_options(spark, conf or {})
    except PySparkRuntimeError:
        spark = _start(dict(conf or {}))
    except ConnectionRefusedError as error:  # py4j asks a process that has ended
        raise WorkbenchError(failure_reason(str(error)) or str(error)) from None
    remember_classes(spark)
    ship_ahead(spark)
    return spark


def check_session(value: object) -> None:
    """Refuse what is no Spark session, classic or Connect.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> check_session("local[2]")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: spark: this is a str and no Spark session; give wb.session().
    """
    from pyspark.sql import SparkSession

    if not isinstance(value, SparkSession) and not is_connect(value):
        raise WorkbenchError(
            f"spark: this is {kind_in_words(value)} and no Spark session; give wb.session()."
        )


def _warn_of_other_options(spark: "SparkSession", conf: Mapping[str, object]) -> None:
    """Warn of options for a new session that the active one does not have."""
    for name, value in conf.items():
        wanted = str(value).lower() if isinstance(value, bool) else str(value)
        # A server does not know the address at which its clients reach it.
        if name == "spark.remote" and is_connect(spark):
            continue
        if (current := spark.conf.get(name, None)) != wanted:
            has = f"has {current!r}" if current else "does not have it"
            warn(
                f"conf: {name!r} is to be {wanted!r}, but a session runs already and {has}; "
                "it is returned unchanged. Set the option with spark.conf.set or, if Spark "
                "refuses that, call wb.session after spark.stop()."
            )


def _start(conf: dict[str, object]) -> "SparkSession":
    from pyspark.sql import SparkSession

    _quiet_error_logs()
    remote = str(conf.get("spark.remote", os.environ.get("SPARK_REMOTE", "")))
    master = str(conf.get("spark.master", os.environ.get("MASTER", f"local[{cores()}]")))
    options, environment = _remote_options(remote, conf) if remote else _master_options(master)
    builder = SparkSession.builder
    for name, value in (options | conf).items():
        builder = builder.config(name, value)
    # A server without options of ours runs already, or outlives the reader of its stderr.
    quiet = without_steps() if options else nullcontext()
    message = cell_message("starting Spark")
    with message, quiet, _environment(environment), warnings.catch_warnings():
        # A local server starts with all options; its client sends them again, and warns of each
        # one that can only be set at the start.
        warnings.filterwarnings("ignore", "Failed to set spark", UserWarning)
        return builder.getOrCreate()


def _master_options(master: str) -> tuple[dict[str, object], dict[str, str]]:
    """Return the options and the environment of a JVM that is started here."""
    options = {"spark.master": master, **_common_options()}
    if master.startswith("local"):
        options |= _local_options()
    return options, _launch_environment(master)


def _remote_options(
    remote: str, conf: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, str]]:
    """Return the same for Spark Connect: a remote server has its own options."""
    if not remote.startswith("local"):
        return {}, {}
    options, environment = _master_options(remote)
    # Spark accepts only one of the remote address and the master.
    del options["spark.master"]
    stays = conf.get("spark.local.connect.reuse", os.environ.get("SPARK_LOCAL_CONNECT_REUSE", ""))
    # A server that outlives this process cannot use this process's private folder.
    return {} if str(stays).lower() in ("1", "true") else options, environment


def _common_options() -> dict[str, object]:
    return {
        "spark.app.name": "window workbench",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": 100_000,
        BUFFERS: 2**31 - 1,
        # Larger Arrow tables go to the tasks unchanged. By default, Spark converts up to 48 MB to
        # its own rows, keeps these in the plan and sends them with each query again.
        "spark.sql.execution.arrow.localRelationThreshold": "1m",
        "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
        "spark.python.worker.faulthandler.enabled": "true",
        "spark.python.worker.reuse": "true",
        # Spark sets this only for tasks of SQL, and workers with another environment need another
        # daemon: tasks that turn Python's rows into a table would have one for themselves.
        "spark.executorEnv.SPARK_SIMPLIFIED_TRACEBACK": "1",
        # The store of a stream's state: the operator for arbitrary state accepts no other.
        PROVIDER: ROCKSDB,
        # A micro-batch then saves its changes instead of all files of the state.
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.ui.showConsoleProgress": "false",
        "spark.port.maxRetries": 100,
        "spark.driver.memory": f"{_driver_memory() // 2**20}m",
        "spark.driver.extraJavaOptions": f'{UNCHECKED} "{_LOG_OPTION}" {reading_options()}',
        "spark.executor.extraJavaOptions": UNCHECKED,
    }


def _local_options() -> dict[str, object]:
    return {
        # Over TCP, a small task waits for the delayed acknowledgement of its first bytes.
        "spark.python.unix.domain.socket.enabled": str(os.name == "posix").lower(),
        # The workers run on this machine with this Python, so they find our module.
        "spark.python.daemon.module": "workbench.spark.sessions.worker_daemon",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        SHUFFLE_PARTITIONS: 2 * cores(),
        # For local folders, Spark's default runs the program `readlink` for each file, sixty times
        # in a micro-batch: each is a process, in all a third of the time.
        "spark.sql.streaming.checkpointFileManagerClass": (
            f"{_STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"
        ),
        # Shuffled data stays on this machine: to compress it takes longer than to write it.
        "spark.shuffle.compress": "false",
        "spark.sql.warehouse.dir": f"{own_folder()}/warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={own_folder()}/metastore;create=true"
        ),
    } | _private_folders()


def _private_folders() -> dict[str, object]:
    """Return the options that move world-readable files and sockets into the private folder."""
    folders: dict[str, object] = {}
    if not os.environ.get("SPARK_LOCAL_DIRS"):
        folders["spark.local.dir"] = own_folder()
    # The path of a socket has about 100 characters at most, and its name 42.
    if len(own_folder()) <= 60:
        folders["spark.python.unix.domain.socket.dir"] = own_folder()
    return folders


def _launch_environment(master: str) -> dict[str, str]:
    """Return the environment variables of the JVM and its Python workers."""
    if not master.startswith("local"):
        return {"JAVA_HOME": str(java_home())}
    # The workers of master "local-cluster" run in Spark's home.
    archive = master.startswith("local-") or not pyspark_is_found()
    return {
        "JAVA_HOME": str(java_home(archive=archive)),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        # Data for Python passes through buffers of its size, each in newly allocated memory. The
        # system allocates it in pages: of 2 MB with this setting, else of 4 KB
        # (docs/decisions/0006).
        "GLIBC_TUNABLES": os.environ.get("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"),
        # The only way to keep Spark's web UI off the network.
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
    """Return the number of cores that this process may use, which can be fewer than all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _driver_memory() -> int:
    """Return a third of the free memory in bytes, 1 to 16 GiB: Python's workers need the rest."""
    import psutil

    free: int = psutil.virtual_memory().available
    return max(_GIB, min(min(free, _container_limit()) // 3, 16 * _GIB))


def _container_limit() -> int:
    """Return the memory limit of the container in bytes; a huge number outside of one."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return sys.maxsize


def _quiet_error_logs() -> None:
    """Keep PySpark from printing each failed query as JSON: the exception has the same text."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logger = PySparkLogger.getLogger(name)
        logger.setLevel("CRITICAL")
        logger.propagate = False

"""Get the two packages onto the executors, so that nobody copies files to a cluster.

What this machine has compiled goes with them: `kernels.core.shipment` says who takes it.
"""

import os
import pickle
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from workbench.spark.broken_off import shorten_spark_errors
from workbench.spark.own_folder import own_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = ("kernels", "workbench")
T = TypeVar("T")
LOCAL = "local"  # but not local-cluster, whose executors are processes of their own

_served: WeakSet[object] = WeakSet()
_served_ahead: WeakSet[object] = WeakSet()
_lock = Lock()


def ship(spark: "SparkSession") -> None:
    """Make ``kernels`` and ``workbench`` importable on the executors of a session.

    Cheap to call before every plan: each cluster gets the packages once, and a local session,
    whose workers share this Python, needs nothing. Executors need numpy, pyarrow and numba,
    and datasketches for the approximate functions.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Spark Connect.

    Examples
    --------
    >>> import workbench as wb
    >>> ship(wb.session())
    """
    shorten_spark_errors()
    _ship(spark)


def ship_ahead(spark: "SparkSession") -> None:
    """Begin to ship before anything is asked, and have executors load what every task needs.

    Both happen in the background, once for each cluster: its first call then waits neither for the
    archive to be packed and fetched, nor for what a Spark job of any kind does first. A local
    session is sent nothing, so nothing happens.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Spark Connect.

    Examples
    --------
    >>> import workbench as wb
    >>> ship_ahead(wb.session())
    """
    receiver = _receiver(spark)
    if _is_local(spark) or receiver in _served_ahead:
        return
    _served_ahead.add(receiver)
    # Of a compiler that two threads load at once, each finds a part.
    import kernels.core.shipment  # noqa: F401

    Thread(target=_load_on_executors, args=(spark,), name="ship ahead", daemon=True).start()


def _load_on_executors(spark: "SparkSession") -> None:
    # What fails here fails again, and is said, in the call that needs it.
    with suppress(Exception):
        _ship(spark)
        if not is_connect(spark):
            # Of this thread's jobs alone.
            spark.sparkContext.setJobDescription("workbench: executors load the kernels")
        # One task a core.
        spark.range(1).mapInArrow(load, "id long").collect()


def load(batches: Iterable[T]) -> Iterator[T]:
    """Load what every task needs, and return what came: the first job on a new executor.

    Parameters
    ----------
    batches : iterable

    Returns
    -------
    iterator

    Examples
    --------
    >>> list(load(["a batch"]))
    ['a batch']
    """
    import workbench.engine.functions  # noqa: F401
    from workbench.columnar.process import load_libraries

    load_libraries()
    yield from batches


def _ship(spark: "SparkSession") -> None:
    receiver = _receiver(spark)
    with _lock:
        if receiver in _served:
            return
        if is_connect(spark):
            spark.addArtifacts(str(archive()), pyfile=True)
        elif not _is_local(spark):
            spark.sparkContext.addPyFile(str(archive()))
        _served.add(receiver)


def _receiver(spark: "SparkSession") -> object:
    """What is sent files: those of a classic session are its context's, which others share."""
    return spark if is_connect(spark) else spark.sparkContext


def _is_local(spark: "SparkSession") -> bool:
    """Whether a session's workers share this Python."""
    if is_connect(spark):
        # PySpark says so where it has started the server itself.
        return "SPARK_LOCAL_REMOTE" in os.environ
    return str(spark.sparkContext.master).partition("[")[0] == LOCAL


def is_connect(spark: "SparkSession") -> bool:
    """Whether a session talks to Spark through Spark Connect."""
    connect = sys.modules.get("pyspark.sql.connect.session")
    return connect is not None and isinstance(spark, connect.SparkSession)


@cache
def archive() -> Path:
    """Zip both packages and the compiled kernels, under a name that is the digest of it all."""
    # Imported here, as the kernels bring their compiler along.
    from kernels.core.shipment import archive_name, compiled_functions, digest_of

    made = Path(own_folder()) / "packages.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for package in PACKAGES:
            _add(target, files(package), package)
        for name, packed in compiled_functions():
            target.writestr(zipfile.ZipInfo(name), packed)
    return made.rename(made.with_name(archive_name(digest_of(made))))


def finder() -> Callable[[], None]:
    """Return what lets a worker find the packages where its session's files are.

    Over Spark Connect, Spark tells a stream's workers the folder above those of all sessions, so
    that they do not find what their own was given. What this returns travels by value, and so runs
    where the packages are not found yet.

    Returns
    -------
    function
    """
    # Where no session was sent any, the workers share this Python.
    name = archive().name if archive.cache_info().currsize else None

    def find() -> None:
        from pyspark import SparkFiles

        if name and find_spec("workbench") is None:
            there = Path(SparkFiles.getRootDirectory()).glob(f"*/{name}")
            sys.path.extend(str(one) for one in sorted(there)[:1])

    return find


def finding(task: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a stream's task that finds the packages before it is opened.

    Parameters
    ----------
    task : function
        From record batches to record batches.

    Returns
    -------
    function
    """
    find, packed = finder(), pickle.dumps(task)

    def found(batches: Any) -> Any:
        find()
        return pickle.loads(packed)(batches)

    return found


def _add(target: zipfile.ZipFile, source: Traversable, name: str) -> None:
    if source.is_file():
        target.writestr(zipfile.ZipInfo(name), source.read_bytes(), zipfile.ZIP_DEFLATED)
        return
    for child in sorted(source.iterdir(), key=lambda child: child.name):
        if child.name != "__pycache__":
            _add(target, child, f"{name}/{child.name}")

"""Ship the two packages to the executors, so that nobody has to copy files to a cluster.

The kernels that this machine has compiled go with them; see `kernels.core.shipment`.
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
LOCAL = "local"  # but not local-cluster, whose executors are separate processes

_shipped: WeakSet[object] = WeakSet()
_shipped_ahead: WeakSet[object] = WeakSet()
_lock = Lock()


def ship(spark: "SparkSession") -> None:
    """Make ``kernels`` and ``workbench`` importable on the executors of a session.

    Cheap to call before every plan: each cluster gets the packages once, and a local session
    needs nothing, as its workers use this Python. Executors need numpy, pyarrow and numba, and
    datasketches for the approximate functions.

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
    """Ship the packages in the background, and have executors load the modules of every task.

    Both happen once for each cluster. The first call then waits neither until the archive is packed
    and fetched, nor for the start-up of the first Spark job. For a local session this does nothing.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Spark Connect.

    Examples
    --------
    >>> import workbench as wb
    >>> ship_ahead(wb.session())
    """
    target = _target_of(spark)
    if _is_local(spark) or target in _shipped_ahead:
        return
    _shipped_ahead.add(target)
    # Imported here, as two threads that import the compiler at once may each see a part of it.
    import kernels.core.shipment  # noqa: F401

    Thread(target=_load_on_executors, args=(spark,), name="ship ahead", daemon=True).start()


def _load_on_executors(spark: "SparkSession") -> None:
    # An error here is raised again by the call that needs the packages.
    with suppress(Exception):
        _ship(spark)
        if not is_connect(spark):
            # Of the jobs of this thread alone.
            spark.sparkContext.setJobDescription("workbench: executors load the kernels")
        # One task per core.
        spark.range(1).mapInArrow(load, "id long").collect()


def load(batches: Iterable[T]) -> Iterator[T]:
    """Load the modules of every task and return the batches: the first job on a new executor.

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
    target = _target_of(spark)
    with _lock:
        if target in _shipped:
            return
        if is_connect(spark):
            spark.addArtifacts(str(archive()), pyfile=True)
        elif not _is_local(spark):
            spark.sparkContext.addPyFile(str(archive()))
        _shipped.add(target)


def _target_of(spark: "SparkSession") -> object:
    """Return what files are sent to: a Connect session, or the context that classic ones share."""
    return spark if is_connect(spark) else spark.sparkContext


def _is_local(spark: "SparkSession") -> bool:
    """Return whether a session's workers use this Python."""
    if is_connect(spark):
        # PySpark sets this variable if it has started the server itself.
        return "SPARK_LOCAL_REMOTE" in os.environ
    return str(spark.sparkContext.master).partition("[")[0] == LOCAL


def is_connect(spark: object) -> bool:
    """Return whether a session uses Spark Connect."""
    connect = sys.modules.get("pyspark.sql.connect.session")
    return connect is not None and isinstance(spark, connect.SparkSession)


@cache
def archive() -> Path:
    """Zip both packages and the compiled kernels; the file's name is the digest of its contents."""
    # Imported here, as the kernels import their compiler.
    from kernels.core.shipment import archive_name, compiled_functions, digest_of

    path = Path(own_folder()) / "packages.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for package in PACKAGES:
            _add(target, files(package), package)
        for name, packed in compiled_functions():
            target.writestr(zipfile.ZipInfo(name), packed)
    return path.rename(path.with_name(archive_name(digest_of(path))))


def package_finder() -> Callable[[], None]:
    """Return a function that lets a worker find the packages in its session's folder of files.

    Over Spark Connect, a stream's workers get the parent of the folders of all sessions, so they
    do not find the files of their own. The function is pickled by value, so it can run in a worker
    that does not find the packages yet.

    Returns
    -------
    function
    """
    # If no archive has been sent, the workers use this Python.
    name = archive().name if archive.cache_info().currsize else None

    def find() -> None:
        from pyspark import SparkFiles

        if name and find_spec("workbench") is None:
            archives = Path(SparkFiles.getRootDirectory()).glob(f"*/{name}")
            sys.path.extend(str(path) for path in sorted(archives)[:1])

    return find


def with_packages(task: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a stream's task that finds the packages before the given task is unpickled.

    Parameters
    ----------
    task : function
        Takes and returns record batches.

    Returns
    -------
    function
    """
    find, packed = package_finder(), pickle.dumps(task)

    def run(batches: Any) -> Any:
        find()
        return pickle.loads(packed)(batches)

    return run


def _add(target: zipfile.ZipFile, source: Traversable, name: str) -> None:
    if source.is_file():
        target.writestr(zipfile.ZipInfo(name), source.read_bytes(), zipfile.ZIP_DEFLATED)
        return
    for child in sorted(source.iterdir(), key=lambda child: child.name):
        if child.name != "__pycache__":
            _add(target, child, f"{name}/{child.name}")

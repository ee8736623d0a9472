"""Get the two packages onto the executors, so that nobody copies files to a cluster.

What this machine has compiled goes with them: `kernels.core.shipment` says who takes it.
"""

import pickle
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from workbench.spark.broken_off import show_in_cells
from workbench.spark.session import own_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = ("kernels", "workbench")
LOCAL = "local"  # but not local-cluster, whose executors are processes of their own

_served: WeakSet[object] = WeakSet()
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
    show_in_cells()
    # A classic session's files belong to its context, which new sessions share.
    receiver = spark if is_connect(spark) else spark.sparkContext
    with _lock:
        if receiver in _served:
            return
        if is_connect(spark):
            spark.addArtifacts(str(archive()), pyfile=True)
        elif str(spark.sparkContext.master).partition("[")[0] != LOCAL:
            spark.sparkContext.addPyFile(str(archive()))
        _served.add(receiver)


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

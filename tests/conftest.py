"""Fixtures of Spark: classic in this process, Spark Connect and a cluster in others."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import FOR_FEW_ROWS, Cluster, ConnectServer, python_without_the_packages

RunOn = Callable[..., Any]


@pytest.fixture(scope="session")
def classic() -> Iterator[SparkSession]:
    """A local classic session on two cores."""
    session = wb.session({"spark.master": "local[2]", "spark.driver.memory": "2g", **FOR_FEW_ROWS})
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark(classic: SparkSession) -> SparkSession:
    """The same; a module may have its own fixture of this name, with other options."""
    return classic


@pytest.fixture(scope="session")
def jvm() -> None:
    """Marks tests that start Spark in another process: ``--without-spark`` leaves them out."""


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with every dependency, but without the two packages."""
    return python_without_the_packages(tmp_path_factory.mktemp("bare-python"))


@pytest.fixture(scope="session")
def cluster(
    jvm: None, bare_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """A standalone master with two workers on loopback."""
    with Cluster(bare_python, tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def connect(
    jvm: None, bare_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ConnectServer]:
    """A Spark Connect server on loopback."""
    with ConnectServer(bare_python, tmp_path_factory.mktemp("connect")) as server:
        yield server


@pytest.fixture(scope="session")
def run_on(jvm: None, request: pytest.FixtureRequest) -> RunOn:
    """Call a function with a session of kind "classic", "connect" or "cluster".

    ``run_on(kind, function, *arguments)`` returns the result of ``function(spark, *arguments)``.
    Only "classic" runs in this process, so the function must be at the top level of a test module,
    and the arguments and the result must be picklable.
    """

    def run(kind: str, function: Callable[..., Any], *arguments: object) -> Any:
        if kind == "classic":
            return function(request.getfixturevalue("classic"), *arguments)
        return request.getfixturevalue(kind).run(function, *arguments)

    return run

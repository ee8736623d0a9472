"""For the run of the notebooks: their sessions are in one JVM, one after the other.

A plugin of pytest: ``-p tests.notebooks.one_jvm``. A new JVM loads, interprets and compiles the
same classes of Spark anew, which takes half a notebook's time. PySpark takes a JVM that its
environment names, as it does below `spark-submit`; what a notebook starts in it is a Spark of its
own, with its own settings, tables and workers.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from nbval.plugin import IPyNbFile

import workbench as wb

_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
_sessions = pytest.StashKey[Any]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the JVM as `wb.session()` does, and say where it is to all that start after this."""
    spark = wb.session()
    gateway: Any = spark.sparkContext._gateway
    spark.stop()
    address = gateway.gateway_parameters
    os.environ |= {_PORT: str(address.port), _SECRET: address.auth_token}
    session.config.stash[_sessions] = gateway.jvm.org.apache.spark.sql.classic.SparkSession


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Stop the Spark of a notebook whose kernel has ended: a JVM has one at a time."""
    yield
    ended = item.getparent(IPyNbFile)
    if ended and (nextitem is None or nextitem.getparent(IPyNbFile) is not ended):
        spark = item.config.stash[_sessions].getDefaultSession()
        if spark.isDefined():
            spark.get().stop()

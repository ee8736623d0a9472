"""For the run of the notebooks: run their sessions in one JVM, one after the other.

A plugin of pytest: ``-p tests.notebooks.one_jvm``.
"""

import os
from collections.abc import Iterator

import pytest
from nbval.plugin import IPyNbFile

from tests.one_jvm import OneJvm

_jvm = pytest.StashKey[OneJvm]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the JVM as `wb.session()` does, and put its address into the environment."""
    jvm = session.config.stash[_jvm] = OneJvm()
    os.environ |= jvm.environment()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Stop the Spark of a notebook after its last cell."""
    yield
    notebook = item.getparent(IPyNbFile)
    if notebook and (nextitem is None or nextitem.getparent(IPyNbFile) is not notebook):
        item.config.stash[_jvm].stop_spark()

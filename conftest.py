"""Select tests: ``pytest --without-spark`` leaves out those that start a JVM in any process.

``--clusters=only`` runs tests on a cluster or a Spark Connect server, ``without`` the others. Both
take long to start, so only one part of `make test` starts them.
"""

import os
from collections.abc import Callable
from importlib import import_module
from itertools import filterfalse

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import settings

#: The fixtures of a session here, and of one in another process.
STARTS_A_JVM = {"spark", "jvm"}
#: Code of examples that starts Spark.
CALLS_SPARK = ("session()", "wb.over(")
#: The fixtures of Spark in other processes.
ELSEWHERE = {"cluster", "connect", "run_on"}

# The same sources give the same result, even on a busy machine: each test draws the same cases.
# `pytest --hypothesis-profile=search` draws new cases each time, and keeps those that fail;
# `quick` draws the first quarter of the cases.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("search", deadline=None)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "leave out what asks for the fixture 'spark' or 'jvm'; what starts Spark without fails"
    parser.addoption("--without-spark", action="store_true", help=text)
    text = "run what asks for a cluster or a server of Spark Connect only, or without it"
    parser.addoption("--clusters", choices=("only", "without"), help=text)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--without-spark"):
        # Every process looks for Spark in this folder, and the error contains its path.
        os.environ["SPARK_HOME"] = "/no/Spark/as/the/test/does/not/ask/for/the/fixture/jvm"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--without-spark"):
        leave_out(config, items, starts_a_jvm)
    if clusters := config.getoption("--clusters"):
        leave_out(config, items, lambda item: runs_elsewhere(item) == (clusters == "without"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give the examples of ``wb.fn`` the names that its docstring promises."""
    if isinstance(item, DoctestItem) and item.name.startswith("workbench.functions.fn."):
        item.dtest.globs |= {"pd": import_module("pandas"), "wb": import_module("workbench")}


def leave_out(
    config: pytest.Config, items: list[pytest.Item], unwanted: Callable[[pytest.Item], bool]
) -> None:
    """Remove items from those to run, and report them to pytest as deselected."""
    config.hook.pytest_deselected(items=list(filter(unwanted, items)))
    items[:] = filterfalse(unwanted, items)


def starts_a_jvm(item: pytest.Item) -> bool:
    """Return whether a test starts Spark by its fixtures, or an example by its code."""
    if isinstance(item, DoctestItem):
        sources = [example.source for example in item.dtest.examples]
        return any(call in source for call in CALLS_SPARK for source in sources)
    return not STARTS_A_JVM.isdisjoint(getattr(item, "fixturenames", ()))


def runs_elsewhere(item: pytest.Item) -> bool:
    """Return whether a test uses a cluster or a Spark Connect server, by its fixtures."""
    return not ELSEWHERE.isdisjoint(getattr(item, "fixturenames", ()))

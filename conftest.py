"""Which tests run: ``pytest --without-spark`` leaves out those that start a JVM, here or elsewhere.

``--clusters=only`` runs those that ask for a cluster or a server of Spark Connect, ``without`` the
others: both take long to start, and so are started for one part of `make test`.
"""

import os
from collections.abc import Callable
from importlib import import_module
from itertools import filterfalse

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import settings

#: What gives a session, and what says that one is started elsewhere.
STARTS_A_JVM = {"spark", "jvm"}
#: What does so in an example.
CALLS_SPARK = ("session()", "wb.over(")
#: What is a Spark elsewhere.
ELSEWHERE = {"cluster", "connect", "run_on"}

# The same sources get the same verdict, on a busy machine too: each test draws the same cases.
# `pytest --hypothesis-profile=search` draws others each time, and keeps those that fail;
# `quick` draws the first quarter of them.
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
        # Every process looks there for Spark, and the error names the place.
        os.environ["SPARK_HOME"] = "/no/Spark/as/the/test/does/not/ask/for/the/fixture/jvm"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--without-spark"):
        leave_out(config, items, starts_a_jvm)
    if clusters := config.getoption("--clusters"):
        leave_out(config, items, lambda item: runs_elsewhere(item) == (clusters == "without"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the examples of ``wb.fn`` have the names that its docstring says they know."""
    if isinstance(item, DoctestItem) and item.name.startswith("workbench.functions.fn."):
        item.dtest.globs |= {"pd": import_module("pandas"), "wb": import_module("workbench")}


def leave_out(
    config: pytest.Config, items: list[pytest.Item], unwanted: Callable[[pytest.Item], bool]
) -> None:
    """Take items from those to run, and have pytest count them as deselected."""
    config.hook.pytest_deselected(items=list(filter(unwanted, items)))
    items[:] = filterfalse(unwanted, items)


def starts_a_jvm(item: pytest.Item) -> bool:
    """Whether a test starts Spark, as its fixtures say; or an example, as its code does."""
    if isinstance(item, DoctestItem):
        sources = [example.source for example in item.dtest.examples]
        return any(call in source for call in CALLS_SPARK for source in sources)
    return not STARTS_A_JVM.isdisjoint(getattr(item, "fixturenames", ()))


def runs_elsewhere(item: pytest.Item) -> bool:
    """Whether a test asks for a cluster or a server of Spark Connect, as its fixtures say."""
    return not ELSEWHERE.isdisjoint(getattr(item, "fixturenames", ()))

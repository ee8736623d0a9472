"""``pytest --without-spark`` runs the tests that start no JVM, in this process or in another."""

import os

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import settings

#: What gives a session, and what says that one is started elsewhere.
STARTS_A_JVM = {"spark", "jvm"}

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


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--without-spark"):
        # Every process looks there for Spark, and the error names the place.
        os.environ["SPARK_HOME"] = "/no/Spark/as/the/test/does/not/ask/for/the/fixture/jvm"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--without-spark"):
        config.hook.pytest_deselected(items=list(filter(starts_a_jvm, items)))
        items[:] = [item for item in items if not starts_a_jvm(item)]


def starts_a_jvm(item: pytest.Item) -> bool:
    """Whether a test starts Spark, as its fixtures say; or an example, as its code does."""
    if isinstance(item, DoctestItem):
        return any("session()" in example.source for example in item.dtest.examples)
    return not STARTS_A_JVM.isdisjoint(getattr(item, "fixturenames", ()))

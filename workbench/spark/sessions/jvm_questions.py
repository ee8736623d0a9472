"""What PySpark asks the JVM with each column and each plan, and need not ask again."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from workbench.spark.shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Where PySpark keeps whether it notes them, once it has asked its session.
_NOTED = "_enable_debugging_cache"
#: Classes that PySpark names whenever it makes a column or runs a query, and those of their methods
#: that it names each time, too.
_CLASSES = {
    "functions": ("col", "lit"),
    "org.apache.spark.sql.functions": ("col", "lit"),
    "PythonUtils": ("toSeq", "getBroadcastThreshold"),
    "PythonSQLUtils": ("ddlToJson",),
    "SimplePythonFunction": (),
    "org.apache.spark.sql.classic.SparkSession": ("getActiveSession",),
    "org.apache.spark.sql.catalyst.trees.PySparkCurrentOrigin": ("set", "clear"),
    "org.apache.spark.sql.execution.python.UserDefinedPythonFunction": (),
}


def remember_classes(spark: "SparkSession") -> None:
    """Look up once which classes of the JVM PySpark means by the names that it uses most.

    Py4J asks the JVM at each use of a name. For one without its package, such as ``functions``,
    Java searches its 280 archives for a class without one, and again for each package that PySpark
    has imported: 0.3 ms and more, several times for each column. What is set on Py4J's view of the
    JVM is found there, and nothing is asked.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Spark Connect has no JVM of its own, and needs nothing.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> remember_classes(spark)
    >>> spark._jvm.functions is spark._jvm.functions
    True
    """
    if is_connect(spark):
        return
    from py4j.protocol import Py4JError

    jvm: Any = spark._jvm
    for name, methods in _CLASSES.items():
        # Another release of Spark may lack one, and then asks for it as it did.
        with suppress(Py4JError):
            if name not in vars(jvm):
                found = getattr(jvm, name)
                for method in methods:
                    setattr(found, method, getattr(found, method))
                setattr(jvm, name, found)


@contextmanager
def without_call_sites() -> Iterator[None]:
    """Let Spark note no lines of ours, which say nothing to a person.

    With each call of its own that makes a column, PySpark asks its session three questions and
    notes the line above it. Where a query is text, that line is always one of the workbench.

    Examples
    --------
    >>> import workbench as wb
    >>> from pyspark.errors import utils
    >>> spark = wb.session()
    >>> with without_call_sites():
    ...     utils.is_debugging_enabled()
    False
    """
    from pyspark.errors import utils

    before = getattr(utils, _NOTED, None)
    if before is None and not hasattr(utils, _NOTED):
        # Another release of PySpark keeps it elsewhere: it is slower, and as right.
        yield
        return
    setattr(utils, _NOTED, False)
    try:
        yield
    finally:
        setattr(utils, _NOTED, before)

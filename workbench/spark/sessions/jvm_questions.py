"""Avoid repeated requests of PySpark to the JVM for each column and each plan."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from workbench.spark.shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The name under which PySpark caches whether to record call sites, after asking its session.
_DEBUGGING_CACHE = "_enable_debugging_cache"
#: The classes that PySpark looks up for each column or query, and the methods that it looks up in
#: them.
_CLASSES_AND_METHODS = {
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
    """Look up the JVM classes that PySpark uses most, once for the session.

    Py4J asks the JVM at each use of a name. For a name without its package, such as ``functions``,
    Java searches its 280 archives for a class without package, and again for each package that
    PySpark has imported: 0.3 ms and more, several times for each column. Attributes that are set
    on Py4J's view of the JVM are found without a request.

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
    for name, methods in _CLASSES_AND_METHODS.items():
        # A class that another release of Spark lacks is looked up as before.
        with suppress(Py4JError):
            if name not in vars(jvm):
                java_class = getattr(jvm, name)
                for method in methods:
                    setattr(java_class, method, getattr(java_class, method))
                setattr(jvm, name, java_class)


@contextmanager
def without_call_sites() -> Iterator[None]:
    """Stop PySpark from recording our own lines as call sites, as they tell the user nothing.

    For each column that is made, PySpark sends its session three requests and records the calling
    line. If a query is text, that line is always one of the workbench.

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

    before = getattr(utils, _DEBUGGING_CACHE, None)
    if before is None and not hasattr(utils, _DEBUGGING_CACHE):
        # Another release of PySpark caches this elsewhere: the result is the same, only slower.
        yield
        return
    setattr(utils, _DEBUGGING_CACHE, False)
    try:
        yield
    finally:
        setattr(utils, _DEBUGGING_CACHE, before)

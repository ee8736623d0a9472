"""Lines of code that Spark notes with each column that is made of it."""

from collections.abc import Iterator
from contextlib import contextmanager

#: Where PySpark keeps whether it notes them, once it has asked its session.
_NOTED = "_enable_debugging_cache"


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

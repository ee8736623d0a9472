"""DuckDB in this process, started once: to open a database takes longer than most answers."""

from atexit import register
from functools import cache

import duckdb


def duck() -> duckdb.DuckDBPyConnection:
    """A connection of one's own to one thread of DuckDB; used in a ``with``, it forgets its tables.

    Tables that are registered are its own; none is created.
    """
    return _database().cursor()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    register(_database.cache_clear)
    return duckdb.connect(config={"threads": 1})

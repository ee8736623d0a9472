"""DuckDB in this process, started once: opening a database takes longer than most queries."""

from atexit import register
from functools import cache

import duckdb


def duck() -> duckdb.DuckDBPyConnection:
    """Return a new connection to DuckDB with one thread; a ``with`` block drops its tables.

    Registered tables belong to the connection, and no tables are created.
    """
    return _database().cursor()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    register(_database.cache_clear)
    return duckdb.connect(config={"threads": 1})

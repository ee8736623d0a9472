"""The tables of ``cases`` in the ClickHouse of this process, and its answers to queries."""

import json
from datetime import datetime
from functools import cache
from typing import Any

import pyarrow as pa
from chdb.session import Session

from tests.kernels.funnel.test_funnel import clickhouse
from tests.workbench.queries.cases import EVENTS, TABLE, plain

_COLUMNS = (
    ("t", TABLE, "id Int64, p Nullable(String), x Nullable(Int64), y Float64, day Date"),
    ("events", EVENTS, "who String, at DateTime('UTC'), what Nullable(String), "
     "much Nullable(Int64)"),
)  # fmt: skip


def answer_of_clickhouse(query: str) -> list[Any]:
    """Return the rows of ClickHouse's answer, each as a list of plain values."""
    session = _tables()
    session.query("USE queries")
    try:
        lines = str(
            session.query(
                f"{query} SETTINGS output_format_json_quote_64bit_integers = 0, "
                "allow_experimental_window_functions = 1",
                "JSONCompactEachRow",
            )
        )
    finally:
        # Other tests share the session.
        session.query("USE default")
    return [plain(json.loads(line)) for line in lines.splitlines()]


@cache
def _tables() -> Session:
    session = clickhouse()
    session.query("CREATE DATABASE IF NOT EXISTS queries ENGINE = Memory")
    session.query("USE queries")
    for name, rows, columns in _COLUMNS:
        session.query(f"CREATE TABLE {name} ({columns}) ENGINE = Memory")
        names = [column.split()[0] for column in columns.split(", ")]
        session.query(f"INSERT INTO {name} FORMAT JSONEachRow {_lines(rows.select(names))}")
    session.query("USE default")
    return session


def _lines(rows: pa.Table) -> str:
    return "\n".join(
        json.dumps({name: _text(value) for name, value in row.items()}) for row in rows.to_pylist()
    )


def _text(value: object) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return value if isinstance(value, str | int | float | None) else str(value)

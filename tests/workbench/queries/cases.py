"""One query for each construct, and the tables that the queries read."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import Any

import pyarrow as pa

ROWS = 12
DAY = date(2024, 1, 1)
NOON = datetime(2024, 1, 1, 12)

#: Nulls, ties, and days out of order.
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "p": ["a", "b", None, "a", "b", "a", "b", "a", "a", "b", None, "a"],
        "x": pa.array([3, None, 5, 7, 1, 3, 3, None, 9, 2, 4, 4], pa.int64()),
        "y": [float(k % 5) for k in range(ROWS)],
        "price": pa.array([Decimal(k * 7 % 11) / 4 for k in range(ROWS)], pa.decimal128(9, 2)),
        "day": [DAY + timedelta(k * 7 % 12) for k in range(ROWS)],
        "t": ["u", "v", "w"] * 4,
        "yes": [k % 3 == 0 for k in range(ROWS)],
    }
)
#: Events of people, with ties and nulls; one person has no event of any step.
EVENTS = pa.table(
    {
        "who": ["ann", "ann", "ann", "ann", "bob", "bob", "cid", "cid", "cid", "dan", "eve", "eve"],
        "at": pa.array(
            [NOON + timedelta(seconds=s) for s in (0, 10, 20, 50, 5, 5, 0, 40, 70, 3, 1, 2)],
            pa.timestamp("s", "UTC"),
        ),
        "what": ["a", "x", "b", "c", "a", "b", "a", None, "b", "x", "b", "c"],
        "much": pa.array([1, 2, 3, None, 5, 6, 7, 8, 9, 1, 2, 3], pa.int64()),
    }
)


def queries(dialect: str) -> dict[str, str]:
    """Return the queries of a dialect, by the construct that each is about."""
    text = Path(__file__).with_name(f"{dialect}.sql").read_text("utf-8")
    sections = (one.partition("\n") for one in text.split("-- ")[1:])
    return {name: query.strip().removesuffix(";") for name, _, query in sections}


def plain(value: Any) -> Any:
    """Return a value in the form in which it is compared between systems."""
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return "nan" if isnan(value) else float(f"{value:.12g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value

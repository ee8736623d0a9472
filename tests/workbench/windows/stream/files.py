"""Files that are read as streams: rows out of order, and a changelog of such rows."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SECOND = 1_000_000
#: 2024-05-01, in seconds.
START = 1_714_521_600
SCHEMA = "user string, at timestamp, value double, id long"
#: How late rows may arrive, in seconds, and how many arrive later than that.
DELAY, LATE = 20, 3
SENTINEL = "~ the end"
FILES, ROWS, USERS = 4, 60, 9
KINDS = {"user": pa.string(), "at": pa.timestamp("us", "UTC"), "value": pa.float64()}
ROW = pa.schema(KINDS | {"id": pa.int64()})
Row = dict[str, Any]


def write_files(folder: Path) -> None:
    """Write the files of both kinds of streams, in folders of their own."""
    for number, rows in enumerate([*_rows(late=LATE), *_ends()]):
        _write(folder / "rows", number, rows, ROW)
    for number, changes in enumerate(_changes()):
        _write(folder / "changes", number, changes, ROW.append(pa.field("op", pa.string())))


def write_one(folder: Path, number: int, user: str) -> Path:
    """Write one more file, with a row after all others."""
    row = {"user": user, "at": (START + number * 1000) * SECOND, "value": 1.0, "id": number * 1000}
    path = folder / f"{number:03}.parquet"
    schema = pq.read_schema(next(iter(folder.glob("*.parquet"))))
    _write(folder, number, [row | {"op": "+I"}], schema)
    return path


def rows_of_changes() -> pa.Table:
    """Return the rows that the changelog folds to."""
    present: dict[int, Row] = {}
    for changes in _changes():
        for change in changes:
            if change["op"] in ("-U", "-D"):
                del present[change["id"]]
            else:
                present[change["id"]] = {name: change[name] for name in ROW.names}
    return _table(list(present.values()), ROW)


def named_in(log: Path) -> list[Path]:
    """Return the files of a micro-batch, by the log of Spark's sink."""
    lines = log.read_text().splitlines()[1:]
    return [Path(unquote(urlparse(json.loads(line)["path"]).path)) for line in lines]


def _rows(late: int = 0) -> Iterator[list[Row]]:
    """Yield rows out of order, some of the last ones too late."""
    random = np.random.default_rng(5)
    for number in range(FILES):
        users = random.integers(0, USERS, ROWS).tolist()
        # No two rows of a user have one time, so that the order is determined.
        seconds = (number * 30 + random.integers(0, DELAY, ROWS)).tolist()
        if number == FILES - 1:
            users, seconds = users + [1] * late, seconds + [0] * late
        values = random.integers(0, 9, len(users)).tolist()
        yield [
            {"user": f"user {user}", "at": (START + at) * SECOND + who, "value": value, "id": who}
            for who, (user, at, value) in enumerate(
                zip(users, seconds, values, strict=True), start=number * 1000
            )
        ]


def _ends() -> Iterator[list[Row]]:
    """Yield rows of one more user, whose times close the windows of all others."""
    for number in (FILES, FILES + 1):
        at = (START + number * 1000 + 10_000) * SECOND
        yield [{"user": SENTINEL, "at": at, "value": number * 1000, "id": number * 1000}]


def _changes() -> Iterator[list[Row]]:
    """Yield the rows as a changelog: the next file changes, moves or deletes the rows of a file."""
    before: list[Row] = []
    for rows in [*_rows(), []]:
        changes = [row | {"op": "+I"} for row in rows]
        for old in before:
            new = _changed(old)
            if new is None:
                changes.append(old | {"op": "-D"})
            elif new != old:
                changes += [old | {"op": "-U"}, new | {"op": "+U"}]
        yield changes
        before = rows


def _changed(row: Row) -> Row | None:
    """Return a row with another value, time or user, None if it is deleted, or the same row."""
    user = f"user {row['id'] % USERS}"
    later = row["at"] + 11 * SECOND
    changed: tuple[Row | None, ...] = (
        {"value": row["value"] + 1},
        {"at": later},
        {"user": user},
        None,
        {},
    )
    new = changed[row["id"] % len(changed)]
    return None if new is None else row | new


def _write(folder: Path, number: int, rows: list[Row], schema: pa.Schema) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:03}.parquet"
    pq.write_table(_table(rows, schema), path)
    # Spark reads files in the order of their times.
    os.utime(path, (START + number, START + number))


def _table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    columns = {name: [row[name] for row in rows] for name in schema.names}
    return pa.table({name: pa.array(columns[name], schema.field(name).type) for name in columns})

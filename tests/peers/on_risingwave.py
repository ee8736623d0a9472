"""RisingWave's end-to-end tests of windows: its files have the answers, DuckDB has the tables."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot
from pyspark.sql import DataFrame
from sqlglot import exp

import workbench as wb
from tests.peers.asked import WINDOW, ask, tree_of, why_it_failed
from tests.peers.compare import Row, differing, plain
from tests.peers.records import Record, files_of
from tests.peers.report import FAILED, NOT_APPLICABLE, PASSED, Report
from tests.peers.sqllogic import UnreadableError, records
from workbench.lessons import Follower

_VIEW = re.compile(r"\s*CREATE\s+(MATERIALIZED\s+)?VIEW\s+(\w+)\s+AS\b(.*)", re.I | re.S)
_WATERMARK = re.compile(
    r",\s*WATERMARK\s+FOR\s+(\w+)\s+AS\s+\w+\s*-\s*INTERVAL\s+'([^']+)'(\s+\w+)?", re.IGNORECASE
)
_CLOSE = re.compile(r"\bEMIT\s+ON\s+WINDOW\s+CLOSE\b", re.IGNORECASE)


def ask_all(checkout: Path, report: Report, only: str = "") -> None:
    """Run all queries of RisingWave's window tests in a checkout.

    Parameters
    ----------
    checkout : Path
    report : Report
    only : str
        A part of the paths of the files.
    """
    for file in files_of(checkout, (".slt", ".slt.part"), ("over_window", "eowc")):
        # Parts are included by the other files.
        if only in file.as_posix() and file.name != "main.slt" and not _is_part(file):
            _Session(checkout.resolve(), report).run(file)


def _is_part(file: Path) -> bool:
    return file.name in ("main.slt.part", "setup.slt.part", "teardown.slt.part",
                         "cross_check.slt.part")  # fmt: skip


@dataclass
class _Stream:
    """A table with a watermark, whose rows arrive batch by batch."""

    column: str
    delay: str
    folder: Path = field(default_factory=lambda: Path(mkdtemp(prefix="peers-")))
    batches: int = 0

    def add(self, rows: pa.Table) -> None:
        """Write the rows that have arrived since the last batch."""
        place = self.folder / f"{self.batches:05d}.parquet"
        pq.write_table(rows, place, coerce_timestamps="us")
        os.utime(place, (self.batches, self.batches))
        self.batches += 1

    def read(self) -> DataFrame:
        """Return the stream from its beginning."""
        spark = wb.session()
        schema = spark.read.parquet(str(self.folder)).schema
        reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder)).withWatermark(self.column, self.delay)


class _Session:
    """One test file, and a separate DuckDB with its tables."""

    def __init__(self, checkout: Path, report: Report) -> None:
        self.checkout, self.report = checkout, report
        self.con = duckdb.connect(config={"threads": 1})
        self.con.execute("SET TimeZone = 'UTC'")
        self.views: dict[str, str] = {}
        self.streams: dict[str, _Stream] = {}

    def run(self, file: Path) -> None:
        """Run its queries one by one."""
        try:
            for record in records(file, self.checkout):
                if record.kind == "query":
                    self._query(record)
                elif record.kind == "statement":
                    self._statement(record.text)
        except UnreadableError as error:
            self.report.note(Record(file.name, "query", file.name), NOT_APPLICABLE, str(error))
        finally:
            self.con.close()

    def _statement(self, text: str) -> None:
        if match := _VIEW.match(text):
            self.views[match[2].lower()] = text if match[1] else match[3].strip()
            return
        if match := re.match(r"\s*DROP\s+(?:MATERIALIZED\s+)?VIEW\s+(\w+)", text, re.I):
            self.views.pop(match[1].lower(), None)
            return
        watermark = _WATERMARK.search(text)
        text = re.sub(r"\)\s*APPEND\s+ONLY", ")", _WATERMARK.sub("", text), flags=re.I)
        tree = tree_of(text, "risingwave")
        if not isinstance(tree, exp.Create | exp.Insert | exp.Update | exp.Delete | exp.Drop):
            return
        target = tree.find(exp.Table)
        name = target.name.lower() if target is not None else ""
        before = self._count(name)
        self.con.execute(sqlglot.transpile(text, read="risingwave", write="duckdb")[0])
        if isinstance(tree, exp.Create) and watermark:
            delay = f"{watermark[2]}{watermark[3] or ''}"
            self.streams[name] = _Stream(watermark[1], delay)
        if isinstance(tree, exp.Insert) and name in self.streams:
            self.streams[name].add(self._arrow(f'"{name}" LIMIT -1 OFFSET {before}'))

    def _count(self, name: str) -> int:
        try:
            count = self.con.execute(f'SELECT count(*) FROM "{name}"').fetchone()
        except duckdb.Error:
            return 0
        return int(count[0]) if count else 0

    def _arrow(self, source: str) -> pa.Table:
        source = source.replace("LIMIT -1 OFFSET", "OFFSET")
        table = self.con.sql(f"SELECT * FROM {source}").to_arrow_table()
        return table.cast(pa.schema([_in_utc(one) for one in table.schema]))

    def _query(self, record: Record) -> None:
        texts = [record.text, *(self.views.get(name, "") for name in self._views_of(record.text))]
        if not any(map(WINDOW.search, texts)):
            self.report.note(record, NOT_APPLICABLE, "no window in it")
            return
        try:
            tables = {name: self._table(name) for name in _names(record.text)}
            answer, _ = ask(record.text, "risingwave", tables)
        except Exception as error:
            self.report.note(record, FAILED, why_it_failed(error))
            return
        ordered = re.search(r"\bORDER\s+BY\s+[^)]*$", record.text, re.I) and not record.sort
        expected = [_words(line) for line in record.expected]
        why = differing(list(map(_joined, answer)), expected, bool(ordered), False)
        self.report.note(record, FAILED if why else PASSED, why)

    def _views_of(self, text: str) -> set[str]:
        """Return the views that a query names, and those that they name."""
        views = {name for name in _names(text) if name in self.views}
        for name in list(views):
            views |= self._views_of(self.views[name])
        return views

    def _table(self, name: str) -> Any:
        if name not in self.views:
            return self._arrow(f'"{name}"')
        text = self.views[name]
        tables: Mapping[str, Any] = {one: self._of_view(one, text) for one in _names(text)}
        df = wb.sql(text, dialect="risingwave", **tables)
        if not df.isStreaming:
            return df
        table = Follower(df, Path(mkdtemp(prefix="peers-"))).drain().table
        assert table is not None
        return table

    def _of_view(self, name: str, text: str) -> Any:
        if name in self.streams and _CLOSE.search(text):
            return self.streams[name].read()
        return self._table(name)


def _in_utc(one: pa.Field) -> pa.Field:
    return one.with_type(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(one.type) else one


def _names(text: str) -> list[str]:
    """Return the tables that a query or a view names."""
    tree = tree_of(_CLOSE.sub("", text), "risingwave")
    if tree is None:
        return sorted({one.lower() for one in re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", text, re.I)})
    defined = {one.alias.lower() for one in tree.find_all(exp.CTE)}
    query = tree.expression if isinstance(tree, exp.Create) else tree
    names = {one.name.lower() for one in query.find_all(exp.Table) if one.name}
    for call in query.find_all(exp.Anonymous):
        if call.name.lower() in ("tumble", "hop"):
            names |= {one.name.lower() for one in call.expressions[:1]}
    return sorted(names - defined)


def _words(line: str) -> Row:
    return tuple(plain(word) for word in re.split(r"\s+", line.strip()))


def _joined(row: Row) -> Row:
    """Return a row as in RisingWave's files, where spaces between values are like those within."""
    words = " ".join(one.removesuffix("+00") for one in row).split()
    return tuple(map(plain, words))

"""DuckDB's own tests of windows, with the answers of its files, or else those of DuckDB."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from tests.peers.asked import MOST_ROWS, WINDOW, ask, places_of_order, tree_of, why_it_failed
from tests.peers.compare import Row, differing, plain, rows_of
from tests.peers.records import Record, files_of
from tests.peers.report import ANSWERED, FAILED, NOT_APPLICABLE, PASSED, REFUSED, Report
from tests.peers.sqllogic import UnreadableError, is_hash, records

#: Types of DuckDB that Spark has by another name.
_TYPES = {
    "HUGEINT": "DECIMAL(38, 0)", "UHUGEINT": "DECIMAL(38, 0)", "UBIGINT": "DECIMAL(20, 0)",
    "UINTEGER": "BIGINT", "USMALLINT": "INTEGER", "UTINYINT": "SMALLINT", "UUID": "VARCHAR",
    "TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP", "TIMESTAMP_NS": "TIMESTAMP",
}  # fmt: skip
#: Settings that have no form in a query: where nulls go, and how text is ordered.
_SETTING = re.compile(r"\s*(SET|PRAGMA)\s+default_(null_order|order|collation)\b", re.IGNORECASE)
#: Features of DuckDB that no other system has.
_ONLY_DUCKDB = {
    "random": "random numbers", "setseed": "random numbers", r"uuid\(": "random numbers",
    "rowid": "rowid",
    "getvariable": "variables of a session", "pragma_": "DuckDB's own state",
    "duckdb_": "DuckDB's own state", "reservoir_quantile": "random numbers",
}  # fmt: skip


def ask_all(checkout: Path, report: Report, only: str = "") -> None:
    """Run all queries of DuckDB's window tests in a checkout.

    Parameters
    ----------
    checkout : Path
    report : Report
    only : str
        A part of the names of the files.
    """
    for file in files_of(checkout, (".test", ".test_slow"), ("window",)):
        if only in file.name:
            _Session(checkout.resolve(), report).run(file)


class _Session:
    """One test file, and a separate DuckDB that runs its statements."""

    def __init__(self, checkout: Path, report: Report) -> None:
        self.checkout, self.report = checkout, report
        self.con = duckdb.connect(config={"threads": 1})
        self.con.execute(f"SET file_search_path = '{checkout}'")
        self.macros: set[str] = set()
        self.has_settings = False

    def run(self, file: Path) -> None:
        """Run its queries one by one."""
        try:
            with TemporaryDirectory(prefix="peers-") as folder:
                for record in records(file, self.checkout, {"TEST_DIR": folder}):
                    self._record(record)
        except UnreadableError as error:
            self.report.note(Record(file.name, "query", file.name), NOT_APPLICABLE, str(error))
        finally:
            self.con.close()

    def _record(self, record: Record) -> None:
        tree = tree_of(record.text, "duckdb")
        if record.kind == "query":
            self._query(record, tree)
        elif record.kind == "error":
            if WINDOW.search(record.text) and isinstance(tree, exp.Query | None):
                self._error(record)
        else:
            self._statement(record, tree)

    def _statement(self, record: Record, tree: exp.Expr | None) -> None:
        if isinstance(tree, exp.Create) and isinstance(tree.expression, exp.Query):
            inner = Record(record.place, "query", _query_of(record.text))
            if tree.find(exp.Window) is not None and tree.args["kind"] == "TABLE":
                self._query(inner, tree_of(inner.text, "duckdb"))
        if match := re.match(r"\s*CREATE\s.*?MACRO\s+(\w+)", record.text, re.I | re.S):
            self.macros.add(match[1].lower())
        if _SETTING.match(record.text):
            # The file's answers depend on the setting; DuckDB without it gives the expected ones.
            self.has_settings = True
            return
        # The queries that need a statement that fails here report it.
        try:
            self.con.execute(record.text)
        except duckdb.Error:
            return

    def _query(self, record: Record, tree: exp.Expr | None) -> None:
        if why := self._not_applicable(record, tree):
            self.report.note(record, NOT_APPLICABLE, why)
            return
        try:
            theirs = self._live(record.text)
        except duckdb.Error as error:
            self.report.note(record, NOT_APPLICABLE, f"DuckDB fails: {why_it_failed(error)}")
            return
        try:
            tables = self._tables(tree, record.text)
            answer, names = ask(record.text, "duckdb", tables)
        except Exception as error:
            self.report.note(record, FAILED, why_it_failed(error))
            return
        why = self._differing(record, tree, answer, theirs, names)
        self.report.note(record, FAILED if why else PASSED, why)

    def _differing(
        self, record: Record, tree: exp.Expr | None, answer: list[Row], theirs: list[Row],
        names: list[str],
    ) -> str:  # fmt: skip
        expected = theirs
        if record.expected and not is_hash(record.expected) and not self.has_settings:
            printed = rows_of(record.expected, len(names))
            if differing(printed, theirs, False, True):
                self.report.of_another_version.append(record)
            else:
                expected = printed
        order = None if record.sort else places_of_order(tree, names)
        why = differing(answer, expected, False, record.sort == "valuesort")
        if not why and order:
            why = differing(
                [tuple(row[k] for k in order) for row in answer],
                [tuple(row[k] for k in order) for row in expected],
                True, False,
            )  # fmt: skip
        return why

    def _error(self, record: Record) -> None:
        try:
            tables = self._tables(tree_of(record.text, "duckdb"), record.text)
            ask(record.text, "duckdb", tables)
        except Exception as error:
            self.report.note(record, REFUSED, why_it_failed(error))
        else:
            self.report.note(record, ANSWERED, "it has an answer here")

    def _not_applicable(self, record: Record, tree: exp.Expr | None) -> str:
        text = record.text.lower()
        if tree is not None and not isinstance(tree, exp.Query):
            return f"not a question: {text.split()[0].upper()}"
        if text.split()[0] in ("explain", "pragma", "describe", "show", "summarize"):
            return f"not a question: {text.split()[0].upper()}"
        if not WINDOW.search(record.text) and not self._windows_in_views(tree):
            return "no window in it"
        for word, why in _ONLY_DUCKDB.items():
            if re.search(rf"\b{word}", text):
                return why
        if called := [one for one in self.macros if re.search(rf"\b{one}\s*\(", text)]:
            return f"a macro of the session: {called[0]!r}"
        if (most := _counted(tree)) > MOST_ROWS:
            return f"more than {MOST_ROWS:,} rows" if most else ""
        for name in _names(tree):
            if (rows := self._rows(name)) > MOST_ROWS:
                return f"more than {MOST_ROWS:,} rows" if rows else ""
        return ""

    def _live(self, text: str) -> list[Row]:
        """Return DuckDB's answer as text."""
        try:
            rows = self.con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM (\n{text}\n)").fetchall()
        except duckdb.Error:
            rows = [tuple(map(_text, row)) for row in self.con.execute(text).fetchall()]
        return [tuple(map(plain, row)) for row in rows]

    def _views(self) -> dict[str, str]:
        views = self.con.execute("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal")
        return {name.lower(): _query_of(sql) for name, sql in views.fetchall()}

    def _windows_in_views(self, tree: exp.Expr | None) -> bool:
        views = self._views()
        return any(WINDOW.search(views.get(name, "")) for name in _names(tree))

    def _rows(self, name: str) -> int:
        try:
            count = self.con.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()
        except duckdb.Error:
            return 0
        return int(count[0]) if count else 0

    def _tables(self, tree: exp.Expr | None, text: str) -> dict[str, Any]:
        """Return the tables that a query names."""
        names = _names(tree) or [one.lower() for one in re.findall(r"\b\w+\b", text)]
        views = self._views()
        tables: dict[str, Any] = {}
        for name in names:
            if WINDOW.search(views.get(name, "")):
                inner = self._tables(tree_of(views[name], "duckdb"), views[name])
                import workbench as wb

                tables[name] = wb.sql(views[name], **inner)
            elif (table := self._table(name)) is not None:
                tables[name] = table
        return tables

    def _table(self, name: str) -> pa.Table | None:
        try:
            described = self.con.execute(f"DESCRIBE SELECT * FROM {_quoted(name)}").fetchall()
        except duckdb.Error:
            return None
        columns = ", ".join(_spark_column(column, kind) for column, kind, *_ in described)
        return self.con.sql(f"SELECT {columns} FROM {_quoted(name)}").to_arrow_table()


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _spark_column(column: str, kind: str) -> str:
    """Return a column with a type that Spark has."""
    other = "VARCHAR" if kind.startswith("ENUM") else _TYPES.get(kind)
    name = _quoted(column)
    return f"CAST({name} AS {other}) AS {name}" if other else name


def _query_of(text: str) -> str:
    """Return the query of a statement that creates a table or a view."""
    return re.split(r"\bAS\b", text, maxsplit=1, flags=re.IGNORECASE)[1].strip().rstrip(";")


def _names(tree: exp.Expr | None) -> list[str]:
    if tree is None:
        return []
    tables = [one for one in tree.find_all(exp.Table) if isinstance(one.this, exp.Identifier)]
    return sorted({one.name.lower() for one in tables})


def _counted(tree: exp.Expr | None) -> int:
    """Return the greatest number in a call of a table function."""
    if tree is None:
        return 0
    functions = [one.this for one in tree.find_all(exp.Table) if isinstance(one.this, exp.Func)]
    numbers = [one.this for call in functions for one in call.find_all(exp.Literal)
               if not one.is_string and one.this.isdigit()]  # fmt: skip
    return max(map(int, numbers), default=0)

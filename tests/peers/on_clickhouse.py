"""ClickHouse's stateless tests of ``windowFunnel``, with the answers in a file next to each."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import sqlglot
from chdb.session import Session
from sqlglot import exp
from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

from tests.kernels.funnel.test_funnel import clickhouse
from tests.peers.asked import ask, tree_of, why_it_failed
from tests.peers.compare import Row, differing, plain
from tests.peers.records import Record, files_of
from tests.peers.report import ANSWERED, FAILED, NOT_APPLICABLE, PASSED, REFUSED, Report

_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*$", re.IGNORECASE)
_FUNNEL = re.compile(r"\bwindowFunnel\s*\(", re.IGNORECASE)
_MUST_FAIL = re.compile(r"--\s*\{\s*(server|client)Error")


def ask_all(checkout: Path, report: Report, only: str = "") -> None:
    """Run all queries of ClickHouse's funnel tests in a checkout.

    Parameters
    ----------
    checkout : Path
    report : Report
    only : str
        A part of the names of the files.
    """
    session = clickhouse()
    for file in files_of(checkout, (".sql",), ("window_funnel", "windowfunnel", "funnel_window")):
        if only in file.name:
            session.query("CREATE DATABASE peers ENGINE = Memory")
            session.query("USE peers")
            try:
                _File(file, session, report).run()
            finally:
                session.query("USE default")
                session.query("DROP DATABASE peers")


def statements(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the statements of a file, each with its line and whether it must fail."""
    begin: int | None = None
    for token in sqlglot.tokenize(text, read="clickhouse"):
        if token.token_type is not TokenType.SEMICOLON:
            begin = token.start if begin is None else begin
        elif begin is not None:
            comment = text[token.end + 1 :].partition("\n")[0]
            must_fail = _MUST_FAIL.search(comment) is not None
            yield text.count("\n", 0, begin) + 1, text[begin : token.start].strip(), must_fail
            begin = None


class _File:
    def __init__(self, file: Path, session: Session, report: Report) -> None:
        self.file, self.session, self.report = file, session, report
        reference = file.with_suffix(".reference")
        lines = reference.read_text("utf-8").splitlines() if reference.is_file() else []
        text = file.read_text("utf-8")
        # A file that echoes its queries has the answers on the lines between them.
        echoed = set(text.splitlines()) if lines and "echoOn" in lines[0] else set()
        self.expected = [line for line in lines if line not in echoed and "echoOn" not in line]
        self.text, self.place = text, 0

    def run(self) -> None:
        """Run its queries one by one."""
        for line, text, must_fail in statements(self.text):
            place = f"{self.file.name}:{line}"
            record = Record(place, "error" if must_fail else "query", text)
            try:
                live = str(self.session.query(text, "TSV"))
            except Exception as error:
                self._without_an_answer(record, str(error))
                continue
            self._query(record, live.splitlines())

    def _without_an_answer(self, record: Record, error_text: str) -> None:
        if not _FUNNEL.search(record.text):
            return
        if record.kind != "error":
            self.report.note(record, NOT_APPLICABLE, f"ClickHouse fails: {error_text[:80]}")
            return
        try:
            self._our_answer(record.text)
        except Exception as error:
            self.report.note(record, REFUSED, why_it_failed(error))
        else:
            self.report.note(record, ANSWERED, "it has an answer here")

    def _query(self, record: Record, live: list[str]) -> None:
        printed = self._printed(live)
        if not live:
            return
        if not _FUNNEL.search(record.text):
            self.report.note(record, NOT_APPLICABLE, "no funnel in it")
            return
        try:
            answer = self._our_answer(record.text)[0]
        except Exception as error:
            self.report.note(record, FAILED, why_it_failed(error))
            return
        tree = tree_of(record.text, "clickhouse")
        ordered = tree is not None and tree.args.get("order") is not None
        expected = _rows(live)
        if differing(_rows(printed), expected, ordered, False):
            self.report.of_another_version.append(record)
        why = differing(answer, expected, ordered, False)
        self.report.note(record, FAILED if why else PASSED, why)

    def _printed(self, live: list[str]) -> list[str]:
        """Return the next lines of the file with answers, or those of ClickHouse if it has none."""
        if not self.expected:
            return live
        lines = self.expected[self.place : self.place + len(live)]
        self.place += len(live)
        return lines

    def _our_answer(self, text: str) -> tuple[list[Row], list[str]]:
        query = _FORMAT.sub("", text)
        tree = tree_of(query, "clickhouse")
        names = {one.name for one in tree.find_all(exp.Table)} if tree is not None else set()
        tables: dict[str, Any] = {
            name: table for name in sorted(names) if (table := self._table(name)) is not None
        }
        return ask(query, "clickhouse", tables)

    def _table(self, name: str) -> pa.Table | None:
        try:
            lines = str(self.session.query(f"DESCRIBE TABLE `{name}`", "TSV")).splitlines()
        except Exception:
            return None
        columns = ", ".join(_spark_column(*line.split("\t")[:2]) for line in lines)
        table: pa.Table = self.session.query(f"SELECT {columns} FROM `{name}`", "ArrowTable")
        return table


def _spark_column(column: str, kind: str) -> str:
    """Return a column with a type that Spark has."""
    if "DateTime" in kind:
        return f"toDateTime64(`{column}`, 3, 'UTC') AS `{column}`"
    return f"toInt64(`{column}`) AS `{column}`" if "UInt" in kind else f"`{column}`"


def _rows(lines: list[str]) -> list[Row]:
    values = [json.loads(one) if one.startswith("[") else one.split("\t") for one in lines]
    return [tuple(plain(str(one)) for one in row) for row in values]

"""The harness on tests of our own: its records, its queries, and its report."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.peers.compare import differing, plain, rows_of
from tests.peers.on_clickhouse import ask_all as ask_clickhouse
from tests.peers.on_clickhouse import statements
from tests.peers.on_duckdb import ask_all as ask_duckdb
from tests.peers.report import NOT_APPLICABLE, PASSED, REFUSED, Report
from tests.peers.sqllogic import UnreadableError, is_hash, records

SQLLOGIC = """\
# a comment
statement ok
CREATE TABLE n AS SELECT 4 - range AS i FROM range(3);

loop k 1 3

query II rowsort
SELECT i, sum(i) OVER (ORDER BY i ROWS ${k} PRECEDING) FROM n
----
2	2
3	5
4	{k}

endloop

foreach agg min max

query I
SELECT {agg}(i) OVER () FROM n ORDER BY 1
----
3 values hashing to 0123456789abcdef

endloop

query I
SELECT i FROM n
----
4
3
2

query I
SELECT entropy_of(i) OVER (ORDER BY i) FROM n

statement error
SELECT sum(i) OVER (ORDER BY j) FROM n
----
no such column
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "window").mkdir()
    path = tmp_path / "window" / "own.test"
    path.write_text(SQLLOGIC)
    return path


def test_loops_are_unrolled_and_records_know_their_place(file: Path, tmp_path: Path) -> None:
    read = list(records(file, tmp_path))
    assert [(one.kind, one.place) for one in read] == [
        ("statement", "own.test:2"),
        *[("query", "own.test:7")] * 2,
        *[("query", "own.test:18")] * 2,
        ("query", "own.test:25"),
        ("query", "own.test:32"),
        ("error", "own.test:35"),
    ]
    assert read[2].text.endswith("ROWS 2 PRECEDING) FROM n")
    assert (read[2].sort, read[2].expected[-1]) == ("rowsort", "4\t2")
    assert [is_hash(one.expected) for one in read[3:6]] == [True, True, False]


def test_a_file_that_requires_an_extension_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "needs.test").write_text("require spatial\n\nquery I\nSELECT 1\n----\n1\n")
    with pytest.raises(UnreadableError, match="needs spatial"):
        list(records(tmp_path / "needs.test", tmp_path))


def test_values_compare_as_numbers_however_they_are_written() -> None:
    assert rows_of(["1\t2.50", "NULL\ttrue"], 2) == [("1", "2.5"), ("NULL", "1")]
    assert rows_of(["1", "a b", "(empty)", "x"], 2) == [("1", "a b"), ("", "x")]
    assert plain("2024-01-01 10:00:00+00") == plain("2024-01-01 10:00:00")
    assert plain("2024-01-01 10:00:00+00:00") == plain("2024-01-01 10:00:00")
    assert differing([("1",), ("2",)], [("2",), ("1",)], False, False) == ""
    assert "row 0" in differing([("1",), ("2",)], [("2",), ("1",)], True, False)
    assert "1 rows, and 2 there" in differing([("1",)], [("1",), ("1",)], False, False)


def test_queries_of_a_file_are_compared_and_counted(
    spark: SparkSession, file: Path, tmp_path: Path
) -> None:
    report = Report()
    ask_duckdb(tmp_path, report)
    assert [outcome for _, outcome, _ in report.outcomes] == [
        *[PASSED] * 4,
        *[NOT_APPLICABLE] * 2,
        REFUSED,
    ]
    # In the first loop the file's own answer is wrong, and that of DuckDB counts.
    assert len(report.of_another_version) == 2
    lines = report.text().splitlines()
    assert lines[:3] == [
        "6 queries, 4 applicable, 4 passed, 0 failed",
        "1 that must fail, 1 refused",
        "2 of whose answers are of another version than the one here",
    ]
    assert "     1  no window in it" in lines


def test_statements_of_clickhouse_end_at_semicolons_outside_of_texts_and_comments() -> None:
    text = "SELECT ';';\n-- a; comment\nSELECT 2; -- { serverError 63 }\nSELECT 3;"
    assert [(line, must_fail) for line, _, must_fail in statements(text)] == [
        (1, False), (3, True), (4, False),
    ]  # fmt: skip


def test_funnels_of_clickhouse_are_compared_with_the_file_next_to_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "1_window_funnel.sql").write_text(
        "CREATE TABLE e (t DateTime, u UInt32, what String) ENGINE = Memory;\n"
        "INSERT INTO e VALUES (1, 1, 'a') (2, 1, 'b') (9, 2, 'b');\n"
        "SELECT u, windowFunnel(5)(t, what = 'a', what = 'b') FROM e GROUP BY u ORDER BY u;\n"
        "SELECT '---';\n"
    )
    (tmp_path / "1_window_funnel.reference").write_text("1\t2\n2\t0\n---\n")
    report = Report()
    ask_clickhouse(tmp_path, report)
    assert [outcome for _, outcome, _ in report.outcomes] == [PASSED, NOT_APPLICABLE]
    assert not report.of_another_version


def test_a_file_has_a_temporary_folder_and_settings_of_a_session_do_not_count(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "window").mkdir()
    (tmp_path / "window" / "set.test").write_text(
        "statement ok\nSET default_null_order='nulls_first'\n\n"
        "statement ok\nCOPY (SELECT NULL AS i UNION ALL SELECT 7) TO '{TEST_DIR}/i.csv'\n\n"
        "statement ok\nCREATE TABLE n AS SELECT * FROM read_csv('{TEST_DIR}/i.csv')\n\n"
        "query II\nSELECT i, rank() OVER (ORDER BY i) FROM n\n----\nNULL\t1\n7\t2\n"
    )
    report = Report()
    ask_duckdb(tmp_path, report)
    assert [outcome for _, outcome, _ in report.outcomes] == [PASSED]
    assert not report.of_another_version

"""``%%wbsql`` in a cell: tables of the notebook, a name for the answer, places of errors."""

import re
from collections.abc import Iterator

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.workbench.queries.cases import TABLE
from tests.workbench.shells import quiet_shell
from workbench.widgets.cell_magic import FirstRows


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    with quiet_shell() as shell:
        shell.run_line_magic("load_ext", "workbench")
        yield shell


QUERY = "SELECT id, rank() OVER (ORDER BY x, id) AS r FROM plants ORDER BY id"


def test_a_cell_answers_over_the_tables_of_the_notebook(
    spark: SparkSession, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.user_ns["plants"] = TABLE
    shell.run_cell_magic("wbsql", "--dialect duckdb --into ranked --query asked --rows 2", QUERY)
    ranked, query = shell.user_ns["ranked"], shell.user_ns["asked"]
    assert isinstance(ranked, DataFrame)
    assert ranked.count() == len(TABLE)
    assert (query.text, query.answer) == (QUERY, ranked)
    assert "r=wb.fn.rank()" in repr(query.one()[0])
    output = capsys.readouterr().out
    assert output.splitlines() == [" id  r", "  0  3", "  1 11", "only the first 2 rows"]


def test_an_integer_next_to_a_null_stays_one_and_a_time_is_in_the_time_zone_of_the_session(
    spark: SparkSession, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    query = """SELECT 9007199254740993 AS a, TIMESTAMPTZ '2020-01-01 10:00' AS a,
               CAST('NaN' AS DOUBLE) AS x UNION ALL SELECT NULL, NULL, NULL"""
    shell.run_cell_magic("wbsql", "", query)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["9007199254740993", "2020-01-01", "10:00:00", "NaN"]
    assert lines[2].split() == ["<NA>", "NaT", "<NA>"]


def test_the_answer_is_a_table_on_a_page(spark: SparkSession) -> None:
    frame = wb.sql("SELECT '<b>' AS name, 3 AS n").toPandas()
    page = FirstRows(frame, False)._repr_html_()
    assert "<td" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("frame", "cells", "title"),
    [
        (pd.DataFrame({"n": range(30)}), [str(n) for n in range(30)], "all rows"),
        (pd.DataFrame({"x": [float("nan"), 0.5]}), ["nan", "0.5"], "all rows"),
        (pd.DataFrame({"x": pd.array([pd.NA, 7], "Int64")}), ["null", "7"], "all rows"),
        (pd.DataFrame({"x": [pd.NA, float("nan")]}, dtype=object), ["null", "nan"], "all rows"),
        (pd.DataFrame({"x": []}), [], "no rows"),
    ],
    ids=["every row that is asked for", "NaN", "null", "null and NaN", "no rows"],
)
def test_a_page_shows_every_row_and_tells_nan_from_null(
    frame: pd.DataFrame, cells: list[str], title: str
) -> None:
    page = FirstRows(frame, False)._repr_html_()
    assert re.findall(r"<td[^>]*>([^<]*)</td>", page) == cells
    assert f">{title}</caption>" in page


@pytest.mark.parametrize(
    ("line", "query", "expected"),
    [
        ("", "SELECT id,\n  sum(x OVER () FROM t", ["  sum(x OVER () FROM t", "        ^"]),
        ("--dialect oracle", "SELECT 1", ["WorkbenchError: dialect: 'oracle' is not known; give"]),
        (
            "--into 3x",
            "SELECT 1",
            ["WorkbenchError: --into: '3x' is not a valid Python name; give one."],
        ),
        (
            "--into class",
            "SELECT 1",
            ["WorkbenchError: --into: 'class' is not a valid Python name"],
        ),
        ("--into 'a", "SELECT 1", ['WorkbenchError: %%wbsql: a quote in "--into \'a" is never']),
        (
            "--query plants",
            "SELECT * FROM plants",
            ["WorkbenchError: --query: 'plants' is a table, which it would replace; give another"],
        ),
        ("--into x --query x", "SELECT 1", ["WorkbenchError: --query: --into is 'x', too; give"]),
        ("", "SELECT * FROM plant", ["WorkbenchError: query: there is no table 'plant'; did you"]),
        (
            "--rows 0",
            "SELECT 1",
            ["WorkbenchError: --rows: 0 is not possible; give 1 or more rows."],
        ),
    ],
)
def test_an_error_is_a_sentence_with_its_place(
    spark: SparkSession,
    shell: InteractiveShell,
    capsys: pytest.CaptureFixture[str],
    line: str,
    query: str,
    expected: list[str],
) -> None:
    shell.user_ns["plants"] = TABLE
    shell.run_cell(f"%%wbsql {line}\n{query}")
    lines = capsys.readouterr().out.splitlines()
    assert all(any(one.startswith(part) for one in lines) for part in expected)


def test_an_error_shows_the_first_line_of_the_cell(
    spark: SparkSession, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_cell("%%wbsql --into 3x\nSELECT 1")
    place, line, *_ = capsys.readouterr().out.splitlines()
    assert place.endswith(", line 1")
    assert ".py" not in place
    assert line == "----> 1 %%wbsql --into 3x"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%wbsql\nSELECT pri|\nFROM plants", ["price"]),
        ("%%wbsql\nSELECT count(*) FROM pla|", ["plants"]),
        ("%%wbsql\nSELECT a.da|\nFROM plants AS a", ["a.day"]),
        ("%%wbsql\nSELECT n| FROM counted_view", ["number_of_view"]),
        ("%%wbsql\nSELECT 2| FROM counted_view", ['"2nd"']),
        ("%%wbsql --dia|\nSELECT 1", ["--dialect"]),
        ("%%wbsql --dialect du|\nSELECT 1", ["duckdb"]),
        ("%%wbsql\nSELECT * FROM hou|", ['"hourly sums"']),
        ('%%wbsql\nSELECT * FROM "hou|', ["hourly sums"]),
        ("%%wbsql --dialect spark\nSELECT * FROM hou|", ["`hourly sums`"]),
        ("%%wbsql\nSELECT nothing_like_it|", []),
    ],
)
def test_names_complete_in_a_cell(
    spark: SparkSession, shell: InteractiveShell, cell: str, expected: list[str]
) -> None:
    shell.user_ns["plants"] = TABLE
    spark.sql("SELECT 1 AS number_of_view, 2 AS `2nd`").createOrReplaceTempView("counted_view")
    spark.sql("SELECT 1 AS n").createOrReplaceTempView("`hourly sums`")
    before, _, after = cell.partition("|")
    try:
        with provisionalcompleter():
            completions = list(shell.Completer.completions(before + after, len(before)))
    finally:
        spark.catalog.dropTempView("counted_view")
        spark.catalog.dropTempView("hourly sums")
    rest = before.removesuffix(_last_word(before))
    assert [before[: one.start] + one.text for one in completions] == [
        rest + one for one in expected
    ]


def _last_word(text: str) -> str:
    """Return the word that a text ends with."""
    match = re.search(r"[-\w.]*$", text)
    assert match is not None
    return match[0]


def test_cells_of_python_still_complete(shell: InteractiveShell) -> None:
    shell.user_ns["plants"] = TABLE
    with provisionalcompleter():
        found = [one.text for one in shell.Completer.completions("plants.num_ro", 13)]
    assert any("num_rows" in one for one in found)

"""A path is a table in the format of its suffix; unreadable files are an error of one sentence."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.errors import WorkbenchError
from workbench.spark.sources.files import read_files

ROWS = pd.DataFrame({"user": ["ann", 'b"o;b,'], "n": [1, 2], "x": [0.5, None]})
EXPECTED = sorted(ROWS.astype(object).where(ROWS.notna(), None).itertuples(index=False, name=None))


def _write_tabs(path: Path) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as packed:
        packed.write(ROWS.to_csv(index=False, sep="\t"))


def _write_partitions(path: Path) -> None:
    for user, rows in ROWS.groupby("n"):
        (path / f"n={user}").mkdir(parents=True)
        rows.drop(columns="n").to_parquet(path / f"n={user}" / "a.parquet")


def _write_nested(path: Path) -> None:
    (path / "deep").mkdir(parents=True)
    (path / "_SUCCESS").touch()
    ROWS[:1].to_parquet(path / "a.parquet")
    ROWS[1:].to_parquet(path / "deep" / "b.parquet")


FILES: dict[str, Callable[[Path], object]] = {
    "a.parquet": ROWS.to_parquet,
    "a.csv": lambda path: ROWS.to_csv(path, index=False),
    "semicolons.csv": lambda path: ROWS.to_csv(path, index=False, sep=";"),
    "tabs.csv.gz": _write_tabs,
    "lines.jsonl": lambda path: ROWS.to_json(path, orient="records", lines=True),
    "document.json": lambda path: ROWS.to_json(path, orient="records", indent=1),
    "we[i]rd {name}.csv": lambda path: ROWS.to_csv(path, index=False),
    "by_key": _write_partitions,
    "folder": _write_nested,
}


def test_every_format_layout_and_folder_gives_the_same_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    for name, write in FILES.items():
        write(tmp_path / name)
        for given in (tmp_path / name, str(tmp_path / name)):
            rows = wb.table(given).select("user", "n", "x").collect()
            assert sorted(map(tuple, rows)) == EXPECTED, name


def test_a_pattern_reads_all_its_files_by_the_names_of_their_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    ROWS[:1].to_csv(tmp_path / "a.csv", index=False)
    ROWS[1:].to_csv(tmp_path / "b.csv", index=False)
    assert sorted(map(tuple, wb.table(f"{tmp_path}/*.csv").collect())) == EXPECTED
    ROWS[["n", "user", "x"]].to_csv(tmp_path / "b.csv", index=False)
    mixed = wb.table(f"{tmp_path}/?.csv")
    with pytest.raises(Exception, match="CSV header does not conform to the schema"):
        mixed.collect()


def _write_bad(path: Path) -> None:
    (path / "empty").mkdir()
    (path / "mixed").mkdir()
    (path / "lake" / "_delta_log").mkdir(parents=True)
    for name in ("mixed/a.csv", "mixed/b.json", "book.xlsx", "_hidden.csv", "lake/a.parquet"):
        (path / name).write_text("a,b\n1,2\n", encoding="utf-8")
    (path / "layouts").mkdir()
    (path / "layouts" / "a.json").write_text('[{"a": 1}, {"a": 2}]', encoding="utf-8")
    (path / "layouts" / "b.json").write_text('{"a": 3}\n{"a": 4}\n', encoding="utf-8")


#: CSV of other programs, with its columns and rows.
WRITTEN = {
    "an index without a name": (",n\n0,5\n1,6\n", ["_c0", "n"], [(0, 5), (1, 6)]),
    "a name twice": ("n,N\n5,6\n", ["n0", "N1"], [(5, 6)]),
    "a line's end in a value": ('a,n\n"x\ny",5\nz,6\n', ["a", "n"], [("x\ny", 5), ("z", 6)]),
    "a quote left open": ('a,n\n"x,5\nz,6\n', ["a", "n"], None),
}


@pytest.mark.parametrize(("text", "names", "rows"), WRITTEN.values(), ids=WRITTEN)
def test_csv_of_other_programs_is_read_correctly(
    spark: SparkSession,
    tmp_path: Path,
    text: str,
    names: list[str],
    rows: list[tuple[Any, ...]] | None,
) -> None:
    (tmp_path / "a.csv").write_text(text)
    table = wb.table(tmp_path / "a.csv")
    assert table.columns == names
    if rows is None:
        assert table.count() == 2
    else:
        assert sorted(map(tuple, table.collect()), key=repr) == sorted(rows, key=repr)


REFUSED = {
    "clics.csv": "there is no file '{}/clics.csv'; "
    "there are 'book.xlsx', 'empty', 'lake', 'layouts', 'mixed'.",
    "boo.xlsx": "there is no file '{}/boo.xlsx'; did you mean 'book.xlsx'?",
    "no/a.csv": "there is no file '{}/no/a.csv'; nor is there a folder '{}/no'.",
    "x" * 300: f"there is no file '{{}}/{'x' * 300}'; "
    "there are 'book.xlsx', 'empty', 'lake', 'layouts', 'mixed'.",
    f"{'x' * 300}/a.csv": f"there is no file '{{}}/{'x' * 300}/a.csv'; "
    f"nor is there a folder '{{}}/{'x' * 300}'.",
    "empty": "'{}/empty' has no file in it; give one that has data.",
    "book.xlsx": "'{}/book.xlsx' ends in '.xlsx', and Parquet, CSV, TSV, JSON and ORC can be read; "
    "give a file of these, or the table that pandas.read_excel makes of it.",
    "mixed": "'{}/mixed' has files of several formats (.csv, .json); name those of one, such as "
    "'{}/mixed/*.csv'.",
    "layouts": "some JSON files of '{}/layouts' have an object on each line, others are one "
    "document; read each kind alone.",
    "_hidden.csv": "Spark leaves out files such as '_hidden.csv', which begin with '_' or '.'; "
    "rename it.",
    "lake": "'{}/lake' is a table of Delta Lake; give spark.read.format('delta').load('{}/lake') "
    "in a session that has it.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_path_that_is_no_table_is_an_error_before_spark_is_used(
    name: str, tmp_path: Path
) -> None:
    _write_bad(tmp_path)
    with pytest.raises(WorkbenchError) as raised:
        read_files(tmp_path / name, "events", cast(Any, None))
    assert str(raised.value) == f"events: {REFUSED[name]}".replace("{}", str(tmp_path))


def test_a_file_that_spark_cannot_read_is_an_error_of_one_sentence(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "a.parquet").write_text("no parquet", encoding="utf-8")
    (tmp_path / "a.json").write_text("no json\n", encoding="utf-8")
    (tmp_path / "a.csv").touch()
    for name, words in {
        "a.parquet": "cannot be read: Encountered error while reading file",
        "a.json": "is no JSON; give a file with a table in it.",
        "a.csv": "is empty; give a file with a table in it.",
    }.items():
        with pytest.raises(WorkbenchError, match=words):
            wb.table(tmp_path / name)


NANOSECONDS = [-1_000_000_000_000_001_001, -1, 0, 1_700_000_000_000_001_000, None]


def _write_nanoseconds(path: Path, unit: str = "ns", **more: Any) -> None:
    rows = {"at": pa.array(NANOSECONDS, pa.int64()).cast(pa.timestamp(unit))}
    zoned = {"sent": pa.array(NANOSECONDS, pa.int64()).cast(pa.timestamp(unit, "Asia/Tokyo"))}
    pq.write_table(pa.table(rows | zoned | {"n": range(5)} | more), path)


def test_nanoseconds_of_parquet_become_the_microseconds_of_pandas(
    spark: SparkSession, tmp_path: Path
) -> None:
    _write_nanoseconds(tmp_path / "a.parquet")
    warning = r"2 of 5 times in column '(at|sent)' have parts of a microsecond"
    with pytest.warns(wb.WorkbenchWarning, match=warning):
        rows = wb.table(tmp_path / "a.parquet").orderBy("n")
    with pytest.warns(wb.WorkbenchWarning, match=warning):
        expected = wb.table(pd.read_parquet(tmp_path / "a.parquet")).orderBy("n")
    assert rows.schema == expected.schema
    assert rows.collect() == expected.collect()
    assert spark.conf.get("spark.sql.legacy.parquet.nanosAsLong") == "false"


def test_nanoseconds_that_would_be_read_wrongly_are_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    _write_nanoseconds(tmp_path / "a.parquet")
    _write_nanoseconds(tmp_path / "b.parquet", unit="us")
    with pytest.raises(WorkbenchError, match="column 'at' are in nanoseconds in some of the files"):
        wb.table(tmp_path)
    inside = pa.array([[1]] * 5, pa.list_(pa.timestamp("ns")))
    _write_nanoseconds(tmp_path / "b.parquet", all=inside)
    with pytest.raises(WorkbenchError, match=r"'all\.list\.element' holds times in nanoseconds"):
        wb.table(tmp_path / "b.parquet")

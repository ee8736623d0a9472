"""``python -m benchmarks sql``: queries as text, against Python and against other systems."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from chdb.session import Session

import workbench as wb
from benchmarks.funnel import data as events
from benchmarks.measuring.measure import check_same, side_by_side
from benchmarks.measuring.report import Report, Result, milliseconds, plain_seconds
from benchmarks.sql import queries
from benchmarks.sql.data import plants

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTS = ("translate", "article", "funnel")
CORES = 2
#: Targets: milliseconds to translate a query of a hundred lines, and the multiple of Python's time.
TRANSLATED, AS_IN_PYTHON = 50.0, 1.05
#: Translations before the measurement, as Java compiles hot code.
WARM = 40
TEXT, PYTHON = "text", "Python"


@dataclass(frozen=True)
class TextQuery:
    """A query of another system, and the same in Python.

    Attributes
    ----------
    what, table, text, dialect : str
    ask : function of a table to its answer
    """

    what: str
    table: str
    text: str
    dialect: str
    ask: "Callable[[DataFrame], DataFrame]"


ARTICLE = (
    TextQuery("moving average", "plants", queries.AVERAGE, "duckdb", queries.average),
    TextQuery("moving quartiles", "plants", queries.IQR, "duckdb", queries.quartiles),
    TextQuery("last day of each", "plants", queries.LAST, "duckdb", queries.last),
)
FUNNEL = TextQuery("windowFunnel", "clicks", queries.FUNNEL, "clickhouse", queries.levels)


@dataclass(frozen=True)
class SqlBench:
    """The settings that the parts share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    rows, rounds : int
    folder : Path
        The folder of generated files and of answers.
    report : Report
    """

    spark: "SparkSession"
    rows: int
    rounds: int
    folder: Path
    report: Report

    def folder_of(self, who: str) -> Path:
        """Return the folder of a result."""
        return self.folder / f"answer-of-{who}"

    def table(self, question: TextQuery, source: str) -> "DataFrame":
        """Return the table of a query; a DateTime of ClickHouse has whole seconds."""
        from pyspark.sql import functions as F

        df = self.spark.read.parquet(source)
        if question.dialect != "clickhouse":
            return df
        return df.withColumn("timestamp", F.date_trunc("second", "timestamp"))

    def compare(self, question: TextQuery, source: str, other: str, theirs: Any) -> None:
        """Compare a query as text with the same in Python, and with its own system."""

        def write(who: str, ask: "Callable[[DataFrame], DataFrame]") -> None:
            answer = ask(self.table(question, source))
            answer.write.mode("overwrite").parquet(str(self.folder_of(who)))

        def as_text(df: "DataFrame") -> "DataFrame":
            return wb.sql(question.text, dialect=question.dialect, **{question.table: df})

        ways = {
            TEXT: lambda: write(TEXT, as_text),
            PYTHON: lambda: write(PYTHON, question.ask),
            other: theirs,
        }
        timings = side_by_side(ways, self.rounds, same=False)
        check_same({who: self.total(who) for who in ways})
        times = {who: timing.median for who, timing in timings.items()}
        self.report.took(question.what, self.rows, times)
        for against, goal in ((PYTHON, AS_IN_PYTHON), (other, None)):
            cells = plain_seconds(times[TEXT]), plain_seconds(times[against])
            ratio = times[TEXT] / times[against]
            self.report.add(Result(question.what, against, self.rows, *cells, ratio, goal))

    def total(self, who: str) -> Any:
        """Return the number of rows and a sum of hashes of a result, whatever its order."""
        with duckdb.connect() as connection:
            files = f"read_parquet('{self.folder_of(who)}/*.parquet')"
            rows = connection.sql(
                f"SELECT count(*), sum(hash(columns(*)::VARCHAR)::HUGEINT) FROM {files}"
            )
            return [int(value) for value in rows.fetchall()[0]]


def run(rows: int, rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rows : int
        The rows of each table.
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Some of :data:`PARTS`, all of them when it is empty.

    Returns
    -------
    Report
    """
    chosen = set(only or PARTS)
    spark = wb.session({"spark.master": f"local[{CORES}]"})
    bench = SqlBench(spark, rows, rounds, folder, Report())
    if "translate" in chosen:
        translate(bench)
    if "article" in chosen:
        article(bench)
    if "funnel" in chosen:
        funnel(bench)
    return bench.report


def translate(bench: SqlBench) -> None:
    """Time the translation of a long query, and the same calls in Python."""
    generation = bench.spark.sql(
        "SELECT id % 3 AS plant, date_add(DATE '2019-01-01', CAST(id AS INT)) AS date, "
        "CAST(id * 977 % 131 AS DOUBLE) AS mwh, 'north' AS region FROM range(300)"
    )

    def as_text() -> Any:
        return wb.sql(queries.LONG, generation=generation)

    source = wb.explain_sql(queries.LONG, generation=generation)
    lines = compile(source, "the same in Python", "exec")
    names = {"wb": wb, "spark": bench.spark, "generation": generation}
    for _ in range(WARM):
        as_text()
    # One name after another, as a person's notebook has them.
    ways = {TEXT: as_text, PYTHON: lambda: exec(lines, dict(names))}
    timings = side_by_side(ways, bench.rounds, same=False)
    ours, theirs = timings[TEXT].median, timings[PYTHON].median
    what = f"translate {len(queries.LONG.strip().splitlines())} lines"
    cells = milliseconds(ours), milliseconds(theirs)
    bench.report.add(Result(what, "its lines in Python", 0, *cells, ours * 1e3, TRANSLATED, "ms"))
    beyond = (ours - theirs) * 1e3
    bench.report.add(
        Result(f"{what}, beyond", "its lines in Python", 0, *cells, beyond, TRANSLATED, "ms")
    )


def article(bench: SqlBench) -> None:
    """Time the queries of DuckDB's article, from Parquet to Parquet."""
    source = plants(bench.rows, bench.folder)
    for question in ARTICLE:
        bench.compare(question, str(source), "DuckDB", lambda one=question: by_duckdb(bench, one))


def by_duckdb(bench: SqlBench, question: TextQuery) -> None:
    """Run a query with DuckDB."""
    shutil.rmtree(to := bench.folder_of("DuckDB"), ignore_errors=True)
    source = plants(bench.rows, bench.folder)
    with duckdb.connect(config={"threads": CORES}) as connection:
        connection.sql(f"CREATE VIEW plants AS FROM '{source}/*.parquet'")
        connection.execute(f"COPY ({question.text}) TO '{to}' (FORMAT parquet, PER_THREAD_OUTPUT)")


def funnel(bench: SqlBench) -> None:
    """Time a funnel of ClickHouse, from Parquet to Parquet."""
    source = events.clicks(bench.spark, bench.rows, bench.folder)
    session: Any = Session()  # type: ignore[no-untyped-call]
    session.query("CREATE DATABASE bench ENGINE = Atomic")
    session.query("USE bench")
    session.query(
        "CREATE VIEW clicks AS SELECT user_id, event, toDateTime(timestamp) AS timestamp "
        f"FROM file('{source}/*.parquet', Parquet)"
    )

    def by_clickhouse() -> None:
        (place := bench.folder_of("ClickHouse")).mkdir(exist_ok=True)
        session.query(
            f"INSERT INTO FUNCTION file('{place}/levels.parquet', Parquet) {queries.FUNNEL} "
            f"SETTINGS max_threads = {CORES}, engine_file_truncate_on_insert = 1"
        )

    bench.compare(FUNNEL, source, "ClickHouse", by_clickhouse)

"""Queries as text have the answer of the system whose SQL they are."""

from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.oracle import duck
from tests.workbench.queries.cases import EVENTS, ROWS, TABLE, plain, queries
from tests.workbench.queries.held_by_clickhouse import answer_of_clickhouse

DUCKDB, CLICKHOUSE, SPARK = queries("duckdb"), queries("clickhouse"), queries("spark")

pytestmark = pytest.mark.filterwarnings("ignore:low, high. the frame begins at:UserWarning")


@pytest.mark.parametrize("query", DUCKDB.values(), ids=DUCKDB)
def test_a_query_of_duckdb_has_the_answer_of_duckdb(
    spark: SparkSession, query: str, caplog: pytest.LogCaptureFixture
) -> None:
    with duck() as con:
        con.register("t", TABLE)
        result = con.execute(query)
        names = [column[0] for column in result.description or ()]
        expected = [plain(row) for row in result.fetchall()]
    answer = wb.sql(query, t=TABLE)
    assert answer.columns == names
    assert [plain(list(row)) for row in answer.collect()] == expected
    # The parser logs nothing about a query that works.
    assert not [one.message for one in caplog.records if one.name.startswith("sqlglot")]


@pytest.mark.parametrize("query", CLICKHOUSE.values(), ids=CLICKHOUSE)
def test_a_query_of_clickhouse_has_the_answer_of_clickhouse(
    spark: SparkSession, query: str
) -> None:
    expected = answer_of_clickhouse(query)
    answer = wb.sql(query, dialect="clickhouse", t=TABLE, events=EVENTS)
    assert [plain(list(row)) for row in answer.collect()] == expected


@pytest.mark.parametrize("query", SPARK.values(), ids=SPARK)
def test_a_query_of_spark_has_the_answer_of_spark(spark: SparkSession, query: str) -> None:
    expected = spark.sql(
        query.replace("FROM t", "FROM {t}").replace("JOIN t", "JOIN {t} AS t"),
        t=spark.createDataFrame(TABLE),
    )
    answer = wb.sql(query, dialect="spark", t=TABLE)
    assert answer.dtypes == expected.dtypes
    assert answer.collect() == expected.collect()


#: Dialects differ in where nulls go and in what a quotient of integers is.
BY_DIALECT = {
    "postgres": [(9, 1, "a"), (3, 4, "b"), (None, 2, "c")],
    "risingwave": [(9, 1, "a"), (3, 4, "b"), (None, 2, "c")],
    "duckdb": [(9, 1.5, "a"), (3, 4.0, "b"), (None, 2.5, "c")],
    "clickhouse": [(9, 1.5, "a"), (3, 4.0, "b"), (None, 2.5, "c")],
    "spark": [(9, 1.5, "a"), (3, 4.0, "b"), (None, 2.5, "c")],
}


@pytest.mark.parametrize("dialect", BY_DIALECT)
def test_the_dialect_decides_quotients_of_integers_and_where_nulls_go(
    spark: SparkSession, dialect: str
) -> None:
    rows = pa.table({"k": [2, 1, 3], "n": [8, 3, 5], "s": ["b", "a", "c"], "x": [3, 9, None]})
    answer = wb.sql(
        "SELECT x, n / 2 AS half, s, row_number() OVER (ORDER BY x DESC) AS r FROM rows ORDER BY k",
        dialect=dialect,
        rows=rows,
    )
    assert [tuple(row)[:3] for row in answer.collect()] == BY_DIALECT[dialect]
    row_number = 1 if dialect in ("postgres", "risingwave") else 3
    assert [row["r"] for row in answer.collect()][2] == row_number


@pytest.mark.parametrize(
    ("dialect", "query", "expected"),
    [
        ("postgres", "SELECT array_agg(x ORDER BY id DESC) FROM t WHERE id < 3", [5, None, 3]),
        ("duckdb", "SELECT mode(t) FROM t", "u"),
        (
            "postgres",
            "SELECT array_agg(id ORDER BY id) FROM t WHERE NOT (x, id) <= (3, 5)",
            [2, 3, 6, 8, 10, 11],
        ),
        ("clickhouse", "SELECT count() FROM t PREWHERE id > 9", 2),
        ("clickhouse", "SELECT count() FROM t WHERE rand() > 0 AND randCanonical() < 1", ROWS),
        ("clickhouse", "SELECT sum(id) FROM t PREWHERE id = 1 OR id > 9 WHERE id < 11", 11),
        ("postgres", "SELECT round((sum(y) / 9)::numeric, 2) FROM t", Decimal("2.33")),
        ("postgres", "SELECT 7 / 2 / 2", 1),
        ("postgres", "SELECT 1.0 / 3", Decimal("0.33333333333333333333")),
        ("postgres", "SELECT max(price / 3) FROM t", Decimal("0.83333333333333333333")),
        ("postgres", "SELECT 1 / 3.0 * 3", Decimal("0.99999999999999999999")),
        ("postgres", "SELECT 10.0 / 4", Decimal("2.5")),
        ("postgres", "SELECT (ARRAY[1, 2])[-1]", None),
        ("postgres", "SELECT round(max(y) / 8 * 5) FROM t", 2.0),
        ("postgres", r"SELECT regexp_replace('abab', '(b)', '<\1>')", "a<b>ab"),
        ("postgres", "SELECT 1234567890123.5::numeric", Decimal("1234567890123.5")),
        ("postgres", "SELECT sum(k) FROM generate_series(1, 7, 3) AS s(k)", 12),
        ("postgres", "SELECT substring('ab12' from '([a-z])[0-9]')", "b"),
        ("postgres", "SELECT substring('ab12' from '[0-9]+')", "12"),
        ("postgres", "SELECT substring('ab12' from 'c')", None),
        ("postgres", "SELECT 'Abc' ~* '^aB' AND NOT 'Abc' !~* 'BC'", True),
        ("postgres", """SELECT ('{"a": {"b": 3}}'::jsonb->>'a')::json->>'b'""", "3"),
        ("postgres", """SELECT '{"a": [1, null]}'::json->'a'->>1""", None),
        ("postgres", r"SELECT 'ab' LIKE 'a\b' AND NOT 'a\b' LIKE 'a\b'", True),
        ("postgres", r"SELECT 'a%' LIKE 'a\%' AND 'a\b' LIKE 'a\\b'", True),
        ("postgres", r"SELECT 'axb' ILIKE 'A!x_' ESCAPE '!'", True),
        ("postgres", r"SELECT bool_and(t LIKE concat('\', t)) FROM t", True),
        ("risingwave", r"SELECT 'ab' LIKE ANY (ARRAY['x', 'a\b'])", True),
        ("postgres", "SELECT initcap('hELLO o''neil-x_y 2nd élan')", "Hello O'Neil-X_Y 2nd Élan"),
        ("postgres", "SELECT every(id < 11) OVER (ORDER BY id) FROM t ORDER BY id DESC", False),
        ("postgres", "SELECT ceil(5)", 5.0),
        ("postgres", "SELECT sum(x) / 2 FROM (VALUES (1), (2)) AS v(x)", 1),
        ("postgres", "SELECT -sum(x) / 2 FROM (VALUES (1::bigint), (2)) AS v(x)", Decimal("-1.5")),
        (
            "postgres",
            "SELECT s / 2 FROM (SELECT sum(x) FROM (VALUES (1::bigint)) AS v(x)) AS u(s)",
            Decimal("0.5"),
        ),
        (
            "risingwave",
            "SELECT 9 * sum(x) OVER () / 2 FROM (VALUES (1::bigint)) AS v(x)",
            Decimal("4.5"),
        ),
        (
            "postgres",
            "SELECT (date '2024-02-01' + interval '1 month - 1 day')::date",
            date(2024, 2, 29),
        ),
        (
            "postgres",
            "SELECT max(d.d)::date FROM generate_series('2024-01-01'::timestamp, "
            "'2024-01-03'::timestamp, '1 day'::interval) AS d",
            date(2024, 1, 3),
        ),
        (
            "postgres",
            "SELECT e || n FROM unnest(ARRAY['a']) AS e, generate_series(1, 1) AS n",
            "a1",
        ),
        ("postgres", "SELECT sign(-2.5::float8)", -1.0),
        ("postgres", "SELECT regexp_match('foobarbequebaz', '(bar)(beque)')", ["bar", "beque"]),
        ("postgres", "SELECT regexp_match('aBc', 'b', 'i')", ["B"]),
        ("postgres", "SELECT regexp_match('abc', '(x)')", None),
        ("postgres", "SELECT regexp_split_to_array('aXbx', 'x', 'i')", ["a", "b", ""]),
        ("postgres", "SELECT string_to_array('a.b..c', '.')", ["a", "b", "", "c"]),
        ("postgres", "SELECT string_to_array('a,b', ',', 'b')", ["a", None]),
        ("postgres", "SELECT string_to_array('abc', NULL)", ["a", "b", "c"]),
        ("postgres", "SELECT string_to_array('abc', '')", ["abc"]),
        ("postgres", "SELECT string_to_array('', ',')", []),
        ("postgres", "SELECT 3 = ALL(ARRAY[3, NULL])", None),
        ("postgres", "SELECT trunc(-42.4382, 1)", Decimal("-42.4")),
        ("postgres", "SELECT trunc(4242.5, -2)", 4200),
        ("postgres", "SELECT gcd(-12, 18) + lcm(4, 6)", 18),
        ("postgres", "SELECT ARRAY[1, NULL] @> ARRAY[1]", True),
        ("postgres", "SELECT ARRAY[1, NULL] @> ARRAY[NULL]::int[]", False),
        ("postgres", "SELECT ARRAY[1] <@ ARRAY[1, 2]", True),
        ("postgres", "SELECT array_position(ARRAY[1, NULL], NULL)", 2),
        ("postgres", "SELECT array_position(ARRAY[1, 2], 3)", None),
        ("postgres", "SELECT date '2024-01-02'::text", "2024-01-02"),
        (
            "postgres",
            "SELECT (timestamp '2024-07-01 12:00' AT TIME ZONE 'America/New_York') = "
            "timestamptz '2024-07-01 16:00:00+00'",
            True,
        ),
        ("postgres", "SELECT to_hex(255)", "ff"),
        ("postgres", "SELECT to_hex(-7) || to_hex(-7::bigint)", "fffffff9fffffffffffffff9"),
        (
            "postgres",
            "SELECT encode(sha256('a'::bytea), 'hex')",
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        ),
        (
            "postgres",
            "SELECT concat(id < 0, coalesce(id * 0::float8, 1), '|', true::text) FROM t LIMIT 1",
            "f0|true",
        ),
        ("postgres", "SELECT concat_ws(',', id < 0, id * 0::float8, NULL) FROM t LIMIT 1", "f,0"),
        ("duckdb", "SELECT concat_ws(',', id < 0, 1e20::double) FROM t LIMIT 1", "false,1e+20"),
        ("postgres", "SELECT format('%s %s', id < 0, id * 0::float8) FROM t LIMIT 1", "f 0"),
        ("postgres", "SELECT array_to_string(ARRAY[1e20::float8, NULL, 0], ',', 'N')", "1e+20,N,0"),
        ("postgres", "SELECT array_to_string(ARRAY[true, false], ',')", "t,f"),
        ("duckdb", "SELECT array_to_string([1e20, 0.5::double], ',')", "1e+20,0.5"),
        ("postgres", "SELECT string_to_array(nullif('', ''), '')", None),
        ("postgres", "SELECT array_remove(ARRAY[1, NULL, 2], NULL)", [1, 2]),
        ("postgres", "SELECT array_remove(ARRAY[1, NULL], nullif(1, 1))", [1]),
        ("postgres", "SELECT (NULL, nullif(1, 1)) IS NULL AND NOT (1, NULL) IS NULL", True),
        ("postgres", "SELECT (1, 2) IS NOT NULL AND NOT (1, NULL) IS NOT NULL", True),
        (
            "postgres",
            "SELECT date_trunc('milliseconds', timestamp '2024-07-01 12:00:01.2345')",
            datetime(2024, 7, 1, 12, 0, 1, 234000),
        ),
        (
            "duckdb",
            "SELECT date_trunc('ms', timestamp '2024-07-01 12:00:01.2345')",
            datetime(2024, 7, 1, 12, 0, 1, 234000),
        ),
        (
            "postgres",
            "SELECT extract(epoch FROM timestamp '2070-01-01' - timestamp '1970-01-01')::bigint",
            3_155_760_000,
        ),
        ("postgres", "SELECT array_length(array_remove(ARRAY[1], 1), 1)", None),
        ("postgres", "SELECT format('%s of %s, 5%%', NULL, 1.5)", " of 1.5, 5%"),
        ("postgres", "SELECT to_date('05 Dec 2000', 'DD Mon YYYY')", date(2000, 12, 5)),
        ("postgres", "SELECT to_char(timestamp '2024-07-01 12:00:01.25', 'SS.MS')", "01.250"),
        (
            "postgres",
            "SELECT date_bin('9 minute', '1960-01-01 10:00'::timestamp, '2000-01-01 00:00:02')",
            datetime(1960, 1, 1, 9, 54, 2),
        ),
        (
            "postgres",
            "SELECT max || ' ' || int4 FROM (SELECT max(day)::text, 1::int, 1 + 1 FROM t) AS u",
            "2024-01-12 1",
        ),
        (
            "postgres",
            "SELECT date '2024-01-31' + make_interval(months => 1, hours => 2)",
            datetime(2024, 2, 29, 2),
        ),
        (
            "postgres",
            "SELECT (0 || array_agg(id ORDER BY id) || NULL::bigint[]) || NULL FROM t WHERE id < 3",
            [0, 0, 1, 2],
        ),
        ("postgres", "SELECT to_char(max(day), 'Dy, IYYY-\"W\"IW, Q') FROM t", "Fri, 2024-W02, 1"),
        ("postgres", "SELECT i FROM unnest(ARRAY['a']) WITH ORDINALITY AS u(x, i)", 1),
        (
            "postgres",
            "SELECT max(v) FROM (SELECT generate_series(1, id::int)::text AS v FROM t) AS s",
            "9",
        ),
        (
            "postgres",
            "SELECT n FROM (SELECT lower(unnest(ARRAY[t, 'Z'])) AS v, count(*) AS n FROM t "
            "GROUP BY 1) AS s WHERE v = 'z'",
            ROWS,
        ),
        (
            "postgres",
            "SELECT extract(millisecond FROM timestamp '1960-05-06 07:08:09.123456')",
            Decimal("9123.456"),
        ),
        ("postgres", "SELECT extract(decade FROM date '1969-05-06')", 196),
        (
            "postgres",
            "SELECT count(*) FROM generate_series('2024-01-01'::timestamp, "
            "'2024-01-03', interval '1 day') AS s(d)",
            3,
        ),
        (
            "postgres",
            "SELECT to_char(max(day), 'DD Mon YYYY, HH:MI AM') FROM t",
            "12 Jan 2024, 12:00 AM",
        ),
        (
            "postgres",
            "SELECT to_char(max(day) + 2, 'FMMonth DD, FMDay, Dy, ID, D') FROM t",
            "January 14, Sunday, Sun, 7, 1",
        ),
        ("postgres", "SELECT to_date('April 04, 2021', 'FMMonth DD, YYYY')", date(2021, 4, 4)),
        (
            "postgres",
            "SELECT TIMESTAMPTZ '2021-04-04 10:00+02' = '2021-04-04T08:00 UTC'::timestamptz",
            True,
        ),
        (
            "postgres",
            "SELECT max(t || 'bc')::varchar(2) || 'a  '::char(2) || 'xy'::char FROM t",
            "wbax",
        ),
        (
            "postgres",
            "SELECT encode(repeat('a', 58)::bytea, 'base64') || "
            "encode(decode('0aFF', 'hex'), 'hex')",
            "YWFh" * 19 + "\nYQ==0aff",
        ),
        (
            "postgres",
            "SELECT max(y * 1e7)::text || 2::float8 || 1e15::float8 FROM t",
            "4000000021e+15",
        ),
        ("postgres", "SELECT num_nulls(1, NULL, x) + num_nonnulls(x, 'a') FROM t WHERE id = 1", 3),
        (
            "postgres",
            "SELECT count(*) FROM t AS o WHERE EXISTS (SELECT FROM t AS u WHERE u.x = o.id)",
            7,
        ),
        ("postgres", "SELECT regexp_split_to_table('a1b2', '[0-9]') LIMIT 1", "a"),
        ("postgres", "SELECT localtimestamp > timestamp '2024-01-01'", True),
        ("postgres", "SELECT count(*) FROM (SELECT generate_series(2, x) FROM t) AS s", 31),
        ("postgres", "SELECT array_cat(NULL, ARRAY[1])", [1]),
        (
            "duckdb",
            "SELECT first(x RESPECT NULLS ORDER BY id) + quantile_disc(x, 0.5) FROM t",
            6,
        ),
        ("postgres", "SELECT (ARRAY[1, 2, 3])[:x] FROM t WHERE id = 9", [1, 2]),
        ("postgres", "WITH a AS MATERIALIZED (SELECT * FROM ONLY t) SELECT count(*) FROM a", ROWS),
        ("spark", "SELECT /*+ BROADCAST(u) */ count(*) FROM t JOIN t AS u ON t.id = u.id", ROWS),
        (
            "risingwave",
            "SELECT count(proctime()) FROM t "
            "JOIN t FOR SYSTEM_TIME AS OF PROCTIME() AS u ON t.x = u.id",
            10,
        ),
        ("risingwave", "SELECT max((v).f2) FROM (SELECT ROW(id, p) AS v FROM t) AS s", "b"),
        (
            "postgres",
            "SELECT to_char(max(day), 'yyyy-mm-dd hh24:mi hh12') FROM t",
            "2024-01-12 00:00 12",
        ),
        ("postgres", "SELECT regexp_replace('abab', 'B', 'x', 1, 0, 'i')", "axax"),
        (
            "postgres",
            r"SELECT '\xC3A4'::bytea::text || encode('a\\\001'::bytea, 'hex')",
            "\\xc3a4615c01",
        ),
        ("risingwave", "SELECT array_sum(ARRAY[2147483647, NULL, 1])", 2_147_483_648),
        ("risingwave", "SELECT array_distinct(ARRAY[1, NULL, 1, NULL])", [1, None]),
        (
            "postgres",
            "SELECT (ARRAY[1, 2, 3])[-1:2] || (ARRAY[1, 2])[:-1] || (ARRAY[4])[NULL:1]",
            [1, 2],
        ),
        ("postgres", "SELECT 2 # 3 & 1", 1),
        ("postgres", "SELECT 1e20::text || 1.5e-7::text", "1000000000000000000000.00000015"),
        ("duckdb", "SELECT (2 | 3 & 4) || 'a' || 1 + 1", "0a2"),
        (
            "risingwave",
            "SELECT count(*) FROM t WHERE x = SOME (ARRAY[1, 3]) "
            "AND t NOT ILIKE ALL (ARRAY['V', 'w'])",
            2,
        ),
        (
            "postgres",
            "SELECT 'a' NOT LIKE ANY (ARRAY['a', 'b']) AND 'a' LIKE ALL (ARRAY['a', '%'])",
            True,
        ),
    ],
)
def test_a_query_of_one_value_has_the_answer_of_its_dialect(
    spark: SparkSession, dialect: str, query: str, expected: object
) -> None:
    row = wb.sql(query, dialect=dialect, t=TABLE).first()
    assert row is not None
    assert row[0] == expected


#: Rows of one value, of a NaN, and a single one: correlation and regression have limits there.
LIMITS = pa.table({
    "k": [1, 1, 2, 2, 3, 3, 4, 5, 5],
    "x": [1.0, 2.0, 3.0, 3.0, float("nan"), 1.0, 5.0, 1.0, 2.0],
    "y": [1.0, 3.0, 3.0, 4.0, 1.0, 2.0, 1.0, 6.0, 6.0],
})  # fmt: skip


@pytest.mark.parametrize("dialect", ["postgres", "risingwave", "spark"])
def test_correlation_and_regression_are_null_without_spread_and_nan_of_a_nan(
    spark: SparkSession, dialect: str
) -> None:
    names = ("corr", "regr_slope", "regr_intercept", "regr_r2")
    calls = [f"{name}(y, x) OVER (PARTITION BY k) AS {name}" for name in names]
    calls += [f"{name}(y, x) FILTER (WHERE y > 2) OVER (PARTITION BY k)" for name in names]
    query = f"SELECT {', '.join(calls)} FROM {{limits}} ORDER BY k, x, y"
    answer = wb.sql(query.format(limits="limits"), dialect=dialect, limits=LIMITS)
    expected = spark.sql(query, limits=spark.createDataFrame(LIMITS))
    # A NaN is not equal to itself, its text is.
    assert [str(tuple(row)) for row in answer.collect()] == [
        str(tuple(row)) for row in expected.collect()
    ]


def test_the_same_partition_and_order_share_a_shuffle(spark: SparkSession) -> None:
    answer = wb.sql(
        "SELECT median(x) OVER (PARTITION BY p ORDER BY id) AS a, mad(x) OVER (PARTITION BY p "
        "ORDER BY id ROWS 3 PRECEDING) AS b, lag(x) OVER (PARTITION BY p ORDER BY id) AS c FROM t",
        t=TABLE,
    )
    plan = answer._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange") == 1


def test_conditions_reach_the_scan_and_unused_columns_are_not_read(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = str(tmp_path_factory.mktemp("queries") / "t.parquet")
    pq.write_table(TABLE, path)
    answer = wb.sql(
        "WITH some AS (SELECT * FROM t WHERE id > 5) "
        "SELECT id, mode(x) OVER (PARTITION BY p ORDER BY id) AS m FROM some",
        t=path,
    )
    plan = answer._jdf.queryExecution().executedPlan().toString()
    assert "GreaterThan(id,5)" in plan
    assert "ReadSchema: struct<id:bigint,p:string,x:bigint>" in plan


def test_tables_may_be_views_or_what_other_calls_take_and_no_view_is_left(
    spark: SparkSession,
) -> None:
    views = {table.name for table in spark.catalog.listTables()}
    spark.range(3).createOrReplaceTempView("threes")
    try:
        query = "SELECT id, sum(id) OVER (ORDER BY id) AS s FROM threes ORDER BY id"
        assert [tuple(row) for row in wb.sql(query).collect()] == [(0, 0), (1, 1), (2, 3)]
        answer = wb.sql(query, threes=TABLE.select(["id"]).slice(0, 2).to_pandas())
        assert [tuple(row) for row in answer.collect()] == [(0, 0), (1, 1)]
    finally:
        spark.catalog.dropTempView("threes")
    assert {table.name for table in spark.catalog.listTables()} == views


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("TUMBLE(events, at, INTERVAL '1 minute')",
         [("12:00", "12:01", 11), ("12:01", "12:02", 1)]),
        ("TUMBLE(events, at, INTERVAL '1' HOUR, INTERVAL '10 minutes') AS x",
         [("11:10", "12:10", 12)]),
        ("HOP((SELECT * FROM events WHERE who = 'cid'), at, INTERVAL '1 minute', "
         "INTERVAL '2 minutes')", [("11:59", "12:01", 2), ("12:00", "12:02", 3),
                                   ("12:01", "12:03", 1)]),
    ],
)  # fmt: skip
def test_time_windows_are_tables_in_risingwave(
    spark: SparkSession, rows: str, expected: list[tuple[str, str, int]]
) -> None:
    answer = wb.sql(
        f"SELECT window_start, window_end, count(*) AS n FROM {rows} "
        "GROUP BY window_start, window_end ORDER BY window_start",
        dialect="risingwave",
        events=EVENTS,
    )
    windows = [(f"{a:%H:%M}", f"{b:%H:%M}", n) for a, b, n in answer.collect()]
    assert windows == expected


def test_the_local_time_of_a_zone_is_the_same_in_every_session(spark: SparkSession) -> None:
    with session_options(spark, {ZONE: "America/New_York"}):
        answer = wb.sql(
            "SELECT extract(hour FROM at AT TIME ZONE 'Asia/Tokyo') AS hour, "
            "(at AT TIME ZONE 'Asia/Tokyo')::DATE AS day, at AT TIME ZONE 'Asia/Tokyo' AS local "
            "FROM (SELECT to_timestamp(61200) AS at)"
        )
        assert answer.collect() == [(2, date(1970, 1, 2), datetime(1970, 1, 2, 2))]

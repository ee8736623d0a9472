"""An invalid query is one sentence, before any job; text in a query is never read as SQL."""

import re

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.workbench.queries.cases import EVENTS, TABLE
from tests.workbench.spark.jobs import no_job

REFUSED: list[tuple[str, str, str]] = [
    ("duckdb", "", "query: '' is not SQL; give the text of a query."),
    ("oracle", "SELECT 1", "dialect: 'oracle' is not known; give one of 'clickhouse', 'duckdb', "
     "'postgres', 'risingwave', 'spark'."),
    ("duckdb", "SELECT id,\n  sum(x OVER ()\nFROM t",
     "query: line 2, column 9: expecting ):\n  sum(x OVER ()\n        ^"),
    ("duckdb", "SELECT 'a",
     "query: this is not valid SQL of duckdb: Error tokenizing 'SELECT ''."),
    ("duckdb", "SELECT 1; SELECT 2", "query: there are 2 statements; give one at a time."),
    ("duckdb", "DROP TABLE t",
     "query: a query begins with SELECT, WITH, FROM or VALUES, not with DROP."),
    ("clickhouse", "-- every hour",
     "query: a query begins with SELECT, WITH, FROM or VALUES, not with nothing."),
    ("duckdb", "SELECT $least",
     "query: $least stands for a value that is not given; write the value."),
    ("postgres", "SELECT x INTO copied FROM t", "query: INTO writes to a table, which a query does "
     "not do here; write the DataFrame of a query that only selects."),
    ("postgres", "WITH gone AS (DELETE FROM t RETURNING x) SELECT x FROM gone",
     "query: DELETE writes to a table, which a query does not do here; write the DataFrame of a "
     "query that only selects."),
    ("postgres", "EXPLAIN SELECT 1", "query: a query begins with SELECT, WITH, FROM or VALUES, not "
     "with EXPLAIN. wb.explain_sql explains a query."),
    ("duckdb", "SELECT sum(x) OVER () FROM tt", "query: there is no table 'tt'; did you mean 't'?"),
    ("duckdb", "SELECT sum(x) OVER () FROM event",
     "query: there is no table 'event'; did you mean 'events'?"),
    ("clickhouse", "SELECT sum(x) OVER () FROM T",
     "query: there is no table 'T'; there are 'events', 't'."),
    ("clickhouse", "SELECT x = ALL (SELECT much FROM events) FROM t",
     "query: = ALL and != ANY of a query are not available, as ClickHouse compares with one value "
     "there; compare with min(...) and max(...) of the query."),
    ("duckdb", "SELECT [{'a': id}]::VARCHAR FROM t",
     "query: Spark writes [{'a': id}] as text in another way than duckdb; write its fields."),
    ("postgres", "SELECT (now() - day)::text FROM t",
     "query: Spark writes (CURRENT_TIMESTAMP - day) as text in another way than postgres; write "
     "its parts, as in extract(epoch FROM x)."),
    ("clickhouse", "SELECT toString([id]) FROM t",
     "query: Spark writes [id] as text in another way than clickhouse; write its elements by "
     "arrayStringConcat."),
    ("clickhouse", "SELECT toStartOfInterval(day, INTERVAL 1 DAY, toDate('2024-01-01')) FROM t",
     "query: toStartOfInterval takes no origin here; subtract it from the time before, and add it "
     "after."),
    ("clickhouse", "SELECT toDate()", "query: there is no function 'toDate', neither here nor in "
     "Spark."),
    ("clickhouse", "SELECT formatDateTime(day, '%g') FROM t",
     "query: %g in a format of times has no counterpart in Spark; write years, months, days, "
     "hours, minutes and seconds as numbers, or build the text from parts."),
    ("clickhouse", "SELECT hex(y) FROM t",
     "query: hex of the float y is not available, as Spark takes its integer part; cast it to an "
     "integer."),
    ("postgres", "SELECT jsonb_agg(x ORDER BY id) FROM t",
     "query: jsonb_agg is not available, as Spark writes JSON with other blanks; return the values "
     "as columns, or make lists of them by array_agg(x ORDER BY y)."),
    ("postgres", "SELECT p::json #>> '{a,b}' FROM t",
     "query: #> and #>> of JSON are not available; write -> for each name, and ->> for the last "
     "one."),
    ("duckdb", "SELECT p AS k, count(*) FROM t GROUP BY ROLLUP (p) ORDER BY grouping(p)",
     "query: grouping in HAVING and ORDER BY takes keys that keep their names here; leave out "
     "their aliases, or order and filter in a query around this one."),
    ("clickhouse", "SELECT arrayReduce('median', [id]) FROM t",
     "query: arrayReduce takes 'sum', 'avg', 'min', 'max', 'count' or 'uniq' and one list here; "
     "use arrayJoin and the aggregate for others."),
    ("postgres", "SELECT encode(t::bytea, 'escape') FROM t",
     "query: encode takes bytes or text, and 'hex' or 'base64'."),
    ("duckdb", "SELECT id::BIT FROM t",
     "query: Spark has no type BIT; use integers, and & or |."),
    ("duckdb", "SELECT [x for x, i in [1]]",
     "query: a list comprehension has no position here; use list_transform, whose lambda may have "
     "one."),
    ("duckdb", "SELECT mush, sum(much) OVER () FROM events",
     "query: there is no column 'mush'; did you mean 'much'?"),
    ("clickhouse", "SELECT WHO FROM events",
     "query: there is no column 'WHO'; did you mean 'who'?"),
    ("clickhouse", "SELECT lagInFrame(much, 1) OVER (ORDER BY at ROWS BETWEEN 3 PRECEDING AND "
     "2 PRECEDING) FROM events",
     "query: lagInFrame looks only at the rows of its frame; write ROWS BETWEEN UNBOUNDED "
     "PRECEDING AND UNBOUNDED FOLLOWING, or use lag and lead."),
    ("duckdb", "SELECT who, product(much) AS p FROM events GROUP BY CUBE (who)",
     "query: product is not available with ROLLUP, CUBE or GROUPING SETS; group by one set of keys "
     "at a time, and combine the queries by UNION ALL."),
    ("duckdb", "SELECT fsum() FROM t", "query: fsum takes one argument; give a column."),
    ("duckdb", "SELECT p, max(x, 0) FROM t GROUP BY p",
     "query: MAX(x, 0) returns no values; give a number of 1 or more."),
    ("clickhouse", "SELECT who, windowFunnel(9)(at, what = 'a') FROM events",
     "query: who is neither in GROUP BY nor within an aggregate, and a group has many values of "
     "it; add it to GROUP BY."),
    ("duckdb", "SELECT foo(x) OVER (ORDER BY id) FROM t", "query: there is no window function "
     "'foo', neither here nor in Spark with the same meaning."),
    ("duckdb", "SELECT foo(x) FROM t",
     "query: there is no function 'foo', neither here nor in Spark."),
    ("duckdb", "SELECT sum(x) OVER w FROM t WINDOW v AS (ORDER BY id)",
     "query: there is no window 'w'; there are 'v'."),
    ("duckdb", "SELECT sum(x) OVER (w ORDER BY x) FROM t WINDOW w AS (ORDER BY id)",
     "query: the window 'w' cannot be given another ORDER BY; a named window can only be given "
     "what it lacks."),
    ("duckdb", "SELECT row_number() OVER () FROM t",
     "query: row_number depends on the order of the rows, and its window has no ORDER BY; rows in "
     "Spark have no order of their own, so add one."),
    ("duckdb", "SELECT sum(x) OVER (ROWS 2 PRECEDING) FROM t",
     "query: sum depends on the order of the rows, and its window has no ORDER BY; rows in Spark "
     "have no order of their own, so add one."),
    ("duckdb", "SELECT dense_rank(ORDER BY y) OVER (ORDER BY id) FROM t",
     "query: dense_rank takes no ORDER BY among its arguments; order the window instead."),
    ("duckdb", "SELECT sum(x) OVER (ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM t",
     "query: the frame has a bound of -1; write PRECEDING or FOLLOWING with a number that is not "
     "negative."),
    ("duckdb", "SELECT lag(x, 'far') OVER (ORDER BY id) FROM t",
     "query: the distance of lag is 'far'; write a whole number, the same for all rows."),
    ("duckdb", "SELECT lag(x, y) OVER (ORDER BY id) AS n FROM t", "n: n holds double, "
     "but lag counts rows; give a Column of integers."),
    ("clickhouse", "SELECT id FROM t LIMIT 1 BY p", "query: LIMIT BY depends on the order of the "
     "rows, and the query has no ORDER BY; add one."),
    ("postgres", "SELECT id FROM t ORDER BY id OFFSET 1 FETCH FIRST 3 ROWS WITH TIES",
     "query: WITH TIES together with OFFSET is not available; number the rows by row_number() or "
     "rank() in a subquery."),
    ("postgres", "SELECT id FROM t UNION SELECT 2 ORDER BY id FETCH FIRST ROW WITH TIES",
     "query: WITH TIES together with UNION, EXCEPT and INTERSECT is not available; number the rows "
     "by row_number() or rank() in a subquery."),
    ("duckdb", "SELECT * FROM t LIMIT 30%", "query: a LIMIT in percent is not available; give a "
     "number of rows."),
    ("duckdb", "SELECT DISTINCT ON (p) * FROM t ORDER BY 1", "query: ORDER BY 1 together with * "
     "and DISTINCT ON, LIMIT BY or WITH TIES is not available; name the column."),
    ("spark", "SELECT percentile(x, 0.5, y) FROM t", "query: line 1, column 27: percentile does "
     "not take y here; leave it out:\nSELECT percentile(x, 0.5, y) FROM t\n" + 26 * " " + "^"),
    ("spark", "SELECT percentile(x, 0.5, 2 * y) FROM t", "query: line 1, column 31: percentile "
     "does not take y here; leave it out:\nSELECT percentile(x, 0.5, 2 * y) FROM t\n"
     + 30 * " " + "^"),
    ("spark", "SELECT extract(DAY FROM id), percentile(x, 0.5, y) FROM t", "query: line 1, column "
     "49: percentile does not take y here; leave it out:\n"
     "SELECT extract(DAY FROM id), percentile(x, 0.5, y) FROM t\n" + 48 * " " + "^"),
    ("risingwave", "SELECT 1; SELECT 2 EMIT ON WINDOW CLOSE",
     "query: there are 2 statements; give one at a time."),
    ("duckdb", "SELECT any_value(x, y) FROM t", "query: line 1, column 21: any_value does "
     "not take y here; leave it out:\nSELECT any_value(x, y) FROM t\n" + 20 * " " + "^"),
    ("duckdb", "SELECT covar_samp(DISTINCT x, y) OVER (ORDER BY id) FROM t",
     "query: line 1, column 32: covar_samp takes no DISTINCT here, as it has two columns; apply it "
     "to a subquery with SELECT DISTINCT:\nSELECT covar_samp(DISTINCT x, y) OVER (ORDER BY id) "
     "FROM t\n                               ^"),
    ("duckdb", "SELECT corr(x) OVER (ORDER BY id) FROM t",
     "query: line 1, column 14: corr lacks an argument:\n"
     "SELECT corr(x) OVER (ORDER BY id) FROM t\n             ^"),
    ("duckdb", "SELECT lead(x, \"offset\" := 2) OVER (ORDER BY id) FROM t", "query: lead has named "
     "arguments, which are not available; give them by position."),
    ("duckdb", "SELECT t COLLATE NOCASE, sum(x) OVER () FROM t", "query: COLLATE NOCASE is not "
     "available; compare lower(...) or translate(...) of the text."),
    ("duckdb", "SELECT sum(id) OVER () FROM (SELECT * FROM t UNION ALL BY NAME SELECT id FROM t)",
     "query: BY NAME needs the names of the columns of both sides; write them out."),
    ("duckdb", "SELECT unnest([1, 2]) AS a, unnest([3, 4]) AS b", "query: 2 lists become rows in "
     "one SELECT, of which Spark returns all combinations; make them one list of structs, or "
     "number and join them."),
    ("duckdb", "SELECT sum(x) OVER (ORDER BY id ROWS unnest([1]) PRECEDING) FROM t",
     "query: a bound of the frame turns a list into rows; write one number or interval for each "
     "row."),
    ("duckdb", "SELECT count(x) FILTER (WHERE x = unnest([2])) OVER (ORDER BY id) FROM t",
     "query: FILTER of count turns a list into rows; write one condition for each row."),
    ("duckdb", "SELECT sum(x) OVER w FROM t WINDOW w AS (), W AS (ORDER BY id)",
     "query: WINDOW defines 'W' twice, as case does not matter; define it once."),
    ("duckdb", "SELECT sum(x IGNORE NULLS) OVER (ORDER BY id) FROM t",
     "query: sum has no IGNORE NULLS, as it does not return the value of one row; leave that "
     "out."),
    ("clickhouse", "SELECT xxHash64(p) FROM t", "query: xxHash64 is not available, as Spark has "
     "other hashes; use md5, which is the same in all systems."),
    ("postgres", "SELECT to_char(day, 'YYYY WW') FROM t",
     "query: %U in a format of times has no counterpart in Spark; write years, months, days, "
     "hours, minutes and seconds as numbers, or build the text from parts."),
    ("duckdb", "SELECT date_trunc('decade', day) FROM t",
     "query: date_trunc has no decade here; compute it from the year, as in make_date(year(d) - "
     "year(d) % 10, 1, 1)."),
    ("duckdb", "SELECT date_trunc('isoyear', day) FROM t",
     "query: date_trunc has no unit 'isoyear' here; write one of years, quarters, months, weeks, "
     "days, hours, minutes, seconds, milliseconds or microseconds."),
    ("postgres", "SELECT rank() RESPECT NULLS OVER (ORDER BY id) FROM t",
     "query: rank has no RESPECT NULLS, as it does not return the value of one row; leave that "
     "out."),
    ("duckdb", "SELECT rank(x) OVER (ORDER BY id) FROM t", "query: rank is given x, which it does "
     "not take here."),
    ("duckdb", "SELECT ntile() OVER (ORDER BY id) FROM t",
     "query: ntile has no number; write how many buckets, as in ntile(4)."),
    ("postgres", "SELECT max(x, 3) OVER (ORDER BY id) FROM t",
     "query: max is given 3, which it does not take here."),
    ("duckdb", "SELECT count(x, y) OVER (ORDER BY id) FROM t",
     "query: count is given y, which it does not take here."),
    ("duckdb", "SELECT arg_max(x, y, 3) OVER (ORDER BY id) FROM t",
     "query: arg_max is given 3, which it does not take here."),
    ("duckdb", "SELECT arg_max(x) OVER (ORDER BY id) FROM t",
     "query: arg_max takes 2 columns and is given 1."),
    ("duckdb", "SELECT fill(x, id) OVER (ORDER BY id) FROM t",
     "query: fill takes 1 column and is given 2."),
    ("duckdb", "SELECT count(DISTINCT x, y) OVER (ORDER BY id) FROM t",
     "query: count takes 1 column and is given 2."),
    ("clickhouse", "SELECT uniqExact(x, y) OVER (ORDER BY id) FROM t",
     "query: uniqexact takes 1 column and is given 2."),
    ("duckdb", "SELECT nth_value(x, 2, 3) OVER (ORDER BY id) FROM t",
     "query: nth_value is given 3, which it does not take here."),
    ("postgres", "SELECT nth_value(x, 0) OVER (ORDER BY id) FROM t",
     "query: nth_value has no row number 0; write 1 or more."),
    ("duckdb", "SELECT * FROM range(DATE '2024-01-31', DATE '2024-06-01', INTERVAL 1 MONTH)",
     "query: range by months needs a start from the 1st to the 28th here."),
    ("duckdb", "SELECT * FROM generate_series(now(), now(), INTERVAL 1 DAY)",
     "query: generate_series takes a constant date or time as its start and its end here."),
    ("duckdb", "SELECT sum(max(x) OVER ()) OVER () FROM t",
     "query: the window MAX(x) OVER () is within another window; name its answer in a subquery."),
    ("duckdb", "SELECT id FROM t WHERE row_number() OVER (ORDER BY id) = 1",
     "query: there is a window in WHERE, which is evaluated before windows; use QUALIFY, or a "
     "query around this one."),
    ("duckdb", "SELECT id FROM t a WHERE x > (SELECT max(b.x) OVER () FROM t b WHERE b.id = a.id)",
     "query: a query with windows refers to a.id of the query around it, which Spark cannot do; "
     "join the two instead."),
    ("duckdb", "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + row_number() OVER "
     "(ORDER BY n) FROM c WHERE n < 9) SELECT * FROM c",
     "query: 'c' refers to itself and has windows, a funnel or quantiles, which Spark cannot do; "
     "write its steps one by one."),
    ("duckdb", "SELECT quantile_cont(x, id) OVER (ORDER BY id) FROM t",
     "query: id is not a share of a quantile; write a number from 0 to 1."),
    ("clickhouse", "SELECT windowFunnel(60, strict)(at, much > 1) FROM events GROUP BY who",
     "query: strict is not a mode of windowFunnel; write modes in quotes."),
    ("clickhouse", "SELECT windowFunnel(60)(at) FROM events GROUP BY who",
     "query: windowFunnel(window)(time, condition, ...) needs a time and a condition."),
    ("clickhouse", "SELECT windowFunnel(60)(what, much > 1) FROM events GROUP BY who",
     "query: windowFunnel needs times or integers as its first argument, but what holds string."),
    ("clickhouse", "SELECT windowFunnel(60, 'strict')(at, much > 1) FROM events GROUP BY who",
     "modes: 'strict' is not a mode; did you mean 'strict_once'? There are strict_order, "
     "strict_deduplication, strict_increase, strict_once, allow_reentry."),
    ("duckdb", "SELECT list(DISTINCT t ORDER BY id) FROM t", "query: a list of DISTINCT t can only "
     "be ordered by its own values; leave any other order out."),
    ("duckdb", "SELECT p, mode(t ORDER BY id) FROM t GROUP BY p", "query: mode of groups takes no "
     "ORDER BY among its arguments; leave it out to get the least of the most frequent values."),
    ("duckdb", "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x DESC) OVER (ORDER BY id) FROM "
     "t", "query: there is no window function 'percentile_disc in descending order', neither here "
     "nor in Spark with the same meaning."),
    ("duckdb", "SELECT max({'a': t, 'b': x}) OVER (ORDER BY id) AS m FROM t",
     "m: max cannot take struct<a:string,b:bigint>; give it a column of plain values, such as "
     "numbers, times or text."),
    ("duckdb", "SELECT 'a\\y'::BLOB AS a",
     "query: 'a\\y' is not a valid text of bytes; write each backslash as \\x5C."),
    ("duckdb", "SELECT 'two'::INT AS a",
     "query: 'two' is not of type INT; write a number that is."),
    ("duckdb", "SELECT '127.5'::TINYINT AS a",
     "query: '127.5' is not of type TINYINT; write a number that is."),
    ("postgres", "SELECT '2.5'::INT AS a",
     "query: '2.5' is not of type INT; write a number that is."),
    ("clickhouse", "SELECT id FROM t FINAL",
     "query: Spark has no counterpart of FINAL; leave it out."),
    ("clickhouse", "SELECT windowFunnelIf(60)(at, what = 'a', much > 1) FROM events GROUP BY who",
     "query: there is no function 'windowFunnelIf', neither here nor in Spark."),
    ("clickhouse", "SELECT sequenceMatch('(?1)(?2)')(at, what = 'a', what = 'b') FROM events",
     "query: sequenceMatch is not available, as Spark has no patterns of events; use "
     "windowFunnel(seconds)(time, condition, ...), whose level is how many conditions were met one "
     "after the other, or wb.Funnel(steps, window=...)."),
    ("clickhouse", "SELECT quantileTDigest(0.5)(x) FROM t", "query: quantileTDigest is not "
     "available, as its answer is an approximation; use quantile, which is exact here however many "
     "values there are."),
    ("clickhouse", "SELECT sumMerge(x) FROM t", "query: sumMerge is not available, as Spark has no "
     "values for states of aggregates; aggregate the rows themselves, or their sums and counts."),
    ("clickhouse", "SELECT dictGet('d', 'name', id) FROM t", "query: dictGet is not available, as "
     "there are no dictionaries; join the table that the dictionary is made from."),
    ("clickhouse", "SELECT runningDifference(id) FROM t", "query: runningDifference is not "
     "available, as rows have no order of their own; use x - lag(x) OVER (ORDER BY ...), or lag "
     "and lead for rows before and after."),
    ("clickhouse", "SELECT id FROM t SAMPLE 0.1", "query: SAMPLE is not available, as tables have "
     "no key to sample by here; write WHERE randCanonical() < 0.1, or sample the table before you "
     "pass it."),
    ("clickhouse", "SELECT parseDateTimeBestEffort(p) FROM t", "query: parseDateTimeBestEffort is "
     "not available, as Spark does not guess formats; use toDateTime(text) for times such as "
     "2024-01-02 03:04:05 or 2024-01-02T03:04:05Z, and to_timestamp(text, 'dd/MM/yyyy HH:mm') for "
     "others."),
    ("clickhouse", "SELECT toDateTime64(p, 9) FROM t", "query: toDateTime64 has 9 digits after the "
     "seconds; Spark's times have microseconds: write a number up to 6."),
    ("clickhouse", "SELECT JSONExtract(p, 'a', 'Array(Int64)') FROM t", "query: JSONExtract of "
     "'Array(Int64)' is not available; there are Int64, Float64, Bool, String, and "
     "from_json(JSONExtractRaw(...), type) for others."),
    ("risingwave", "SELECT * FROM HOP(events, at, INTERVAL '30 seconds')", "query: hop as a table "
     "takes a table, a column of times, the distance between its windows, their width and an "
     "offset; write intervals as INTERVAL '1 minute'."),
    ("duckdb", "SELECT a.id FROM t a ASOF JOIN t b ON a.p = b.p AND a.id >= b.id",
     "query: ASOF JOIN is not available; join the last row before each by LEFT JOIN LATERAL "
     "(SELECT ... ORDER BY ... DESC LIMIT 1) ON true, or use wb.Backfill."),
    ("clickhouse", "SELECT id FROM t ORDER BY id WITH FILL", "query: WITH FILL is not available; "
     "join the answer to a table of all values, such as numbers(...)."),
    ("clickhouse", "SELECT p, sum(x) FROM t GROUP BY p WITH TOTALS", "query: WITH TOTALS is not "
     "available; use GROUP BY ROLLUP, whose row without keys is the total."),
    ("clickhouse", "SELECT id FROM t ARRAY JOIN splitByChar(',', p)", "query: a list of ARRAY JOIN "
     "that is no column, or stands beside *, needs a name for its values, as in ARRAY JOIN tags "
     "AS tag."),
    ("clickhouse", "SELECT * FROM (SELECT [id] AS l FROM t) ARRAY JOIN l", "query: a list of ARRAY "
     "JOIN that is no column, or stands beside *, needs a name for its values, as in ARRAY JOIN "
     "tags AS tag."),
    ("clickhouse", "SELECT leadInFrame(x) OVER (ORDER BY id) FROM t", "query: leadInFrame looks "
     "only at the rows of its frame; write ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED "
     "FOLLOWING, or use lag and lead."),
    ("duckdb", "SELECT time_bucket(INTERVAL 1 DAY, day, INTERVAL '6 hours') FROM t", "query: the "
     "origin of time_bucket is a constant time of whole seconds here, such as TIMESTAMP "
     "'2024-01-01 09:30:00'; subtract an offset from the time first, and add it to the result."),
    ("duckdb", "SELECT time_bucket(INTERVAL 1 MONTH, day, DATE '2024-01-02') FROM t", "query: "
     "buckets of months begin on the first of a month here; give time_bucket such an origin."),
    ("duckdb", "SELECT time_bucket(INTERVAL '1 day 2 hours', day) FROM t", "query: time_bucket "
     "takes an interval of one number and one unit here, from seconds to years, such as INTERVAL "
     "'15 minutes'."),
    ("postgres", "SELECT INTERVAL '.5 days'", "query: line 1, column 17: an interval here is "
     "numbers with units, and at most a time after them, such as '1 day 03:04:05':\n"
     "SELECT INTERVAL '.5 days'\n                ^"),
    ("duckdb", "SELECT regexp_matches(t, 'u', 'x') FROM t", "query: a regular expression has "
     "the flag 'x', which is not available; there are 'c', 'g', 'i' and 's', in quotes."),
    ("duckdb", "SELECT COLUMNS(lambda c: c = 'x') FROM t", "query: COLUMNS takes a regular "
     "expression, a list of names or * here; write one."),
    ("duckdb", "SELECT coalesce(*COLUMNS('x')) FROM t", "query: *COLUMNS(...), which gives all "
     "columns to one call, is not available; name them."),
    ("duckdb", "SELECT t GLOB p FROM t", "query: GLOB p is not available, as Spark has only "
     "regular expressions; give a constant pattern of letters, *, ? and [...]."),
    ("duckdb", "SELECT list_aggregate([x], 'skewness') FROM t", "query: list_aggregate has no "
     "'skewness' here; use one of any_value, avg, bit_and, bit_or, bit_xor, bool_and, bool_or, "
     "count, entropy, first, histogram, last, mad, max, median, min, mode, product, "
     "quantile_cont, quantile_disc, sem, stddev_pop, stddev_samp, string_agg, sum, var_pop, "
     "var_samp in quotes, or an aggregate over unnest."),
    ("duckdb", "SELECT list_median([day]) FROM t", "query: list_median takes a list of numbers; "
     "cast its elements."),
    ("duckdb", "SELECT list_aggregate([x], 'quantile_cont', -0.5) FROM t", "query: the share of a "
     "quantile of list_aggregate is a constant number from 0 to 1 here, as in list_aggregate(l, "
     "'quantile_cont', 0.25)."),
    ("duckdb", "SELECT bar(x, 0, 1, y) FROM t", "query: the width of bar is a constant whole "
     "number from 1 to 1000 here."),
    ("duckdb", "SELECT parse_filename(t, yes) FROM t", "query: parse_filename takes constants "
     "after the path here, as in parse_filename(s, true, 'forward_slash')."),
    ("duckdb", "SELECT list_distance([t], [x]) FROM t", "query: list_distance takes two lists of "
     "numbers; cast their elements."),
    ("duckdb", "SELECT list_grade_up([x], t) FROM t", "query: list_grade_up takes a list, 'ASC' or "
     "'DESC', and 'NULLS FIRST' or 'NULLS LAST' here."),
    ("duckdb", "SELECT struct_insert({'a': x}, t) FROM t", "query: struct_insert takes a struct "
     "and fields with their names, as in struct_insert(s, b := 1)."),
    ("duckdb", "SELECT struct_insert({'a': x}, a := t) FROM t", "query: struct_insert has a field "
     "twice; give it another name."),
    ("duckdb", "SELECT list_sum([t]) FROM t", "query: list_sum takes a list of numbers; cast its "
     "elements."),
    ("duckdb", "SELECT [x, id][1:2:2] FROM t", "query: a part of a list with a step is not "
     "available; use list_filter by the positions of the elements."),
    ("duckdb", "SELECT list_slice([x, id], 1, 2, 2) FROM t", "query: list_slice takes a list and "
     "the positions of its first and last element here; for a step, use list_filter by the "
     "positions of the elements."),
    ("duckdb", "SELECT list_reduce([x], lambda a, b, i: a + i) FROM t", "query: list_reduce takes "
     "a list, a lambda of two names, and an initial value here; count positions by list_transform "
     "first."),
    ("postgres", "SELECT regexp_match(t, '(a)?b') FROM t", "query: regexp_match takes a constant "
     "pattern here, and one with groups can have neither | nor optional groups; use substring(x "
     "from pattern) for each part."),
    *(("duckdb", f"SELECT {one} FROM t", "query: a path into JSON that finds several parts, by * "
       "or .., is not available; write names and positions from 0, such as '$.a.b[0]'.")
      for one in ("json_extract(t, '$.a[*].b')", "t->'$.*'", "t->>'$..b'")),
    ("duckdb", "SELECT json_extract_string(t, ['$.a', '$.b']) FROM t", "query: a list of paths "
     "into JSON is not available; extract each part by itself, and make a list of them."),
    ("postgres", "SELECT '{}'::jsonb ? 'a' FROM t", "query: ?, ?| and ?& of JSON are not "
     "available; ask whether x->>'key' IS NOT NULL."),
    ("duckdb", "SELECT regexp_extract(t, '(a)', ['y']) FROM t", "query: regexp_extract with a list "
     "of names is not available; extract each group by its number, as in regexp_extract(x, "
     "pattern, 1)."),
    ("duckdb", "SELECT count(*) FROM t USING SAMPLE 5", "query: USING SAMPLE is not available, as "
     "Spark samples only tables; write FROM t TABLESAMPLE (10 PERCENT), or ORDER BY random() LIMIT "
     "5."),
    ("duckdb", "PIVOT t ON t USING sum(x) GROUP BY p ORDER BY p", "query: PIVOT as a statement is "
     "not available; write SELECT * FROM t PIVOT (sum(x) FOR k IN ('a', 'b'))."),
    ("duckdb", "FROM (UNPIVOT t ON x, y INTO NAME n VALUE v)", "query: UNPIVOT as a statement is "
     "not available; write SELECT * FROM t UNPIVOT (v FOR n IN (a, b))."),
    ("duckdb", "SELECT ARRAY(SELECT x FROM t)", "query: ARRAY(SELECT ...) is not available; use "
     "(SELECT array_agg(x ORDER BY y) FROM t), which is null where there is no row."),
    ("duckdb", "SELECT unnest({'a': x}) FROM t", "query: unnest of a struct is not available; name "
     "its fields, as s.a and s.b."),
    ("duckdb", "SELECT t::TIME FROM t", "query: times of day are not available in this session; "
     "set spark.sql.timeType.enabled, or keep the time with its day."),
    ("duckdb", "SELECT gcd(y, 2) FROM t", "query: gcd takes two integers here; cast them."),
    ("postgres", "SELECT trunc(price, id) FROM t", "query: trunc takes a constant number of digits "
     "here; write it."),
    ("duckdb", "SELECT strptime(t, '%d/%m/%y') FROM t", "query: %y in a format of strptime has no "
     "counterpart in Spark; read years of four digits, months, days, hours, minutes and seconds, "
     "and compute the rest."),
    ("duckdb", "SELECT try_strptime(t, p) FROM t", "query: try_strptime takes a constant format, "
     "or a list of them, here."),
    ("duckdb", "SELECT date_part(['year', 'month'], day) FROM t", "query: date_part of a list of "
     "parts is not available; ask for each part by itself, as in date_part('year', t)."),
    ("postgres", "SELECT to_char(price, '999.9') FROM t", "query: a format of numbers is not "
     "available, as Spark pads them differently; use round(x, 2)::text, or lpad of the text."),
    ("postgres", "SELECT array_position(ARRAY[1, 1], 1, 2)", "query: array_position takes a list "
     "and a value here, no position to begin at; take the position within a slice, as in "
     "array_position(x[2:], y) + 1."),
    ("postgres", "SELECT now()::timestamp(0)", "query: Spark does not round times to TIMESTAMP(0); "
     "use date_trunc('second', t) or date_trunc('millisecond', t)."),
    ("postgres", "SELECT date_trunc('day', now(), 'Asia/Tokyo')", "query: date_trunc has no zone "
     "here; use date_trunc(unit, t AT TIME ZONE zone) AT TIME ZONE zone."),
    ("postgres", "SELECT array_length(ARRAY[1], 2)", "query: array_length counts only the first "
     "dimension here; write array_length(l, 1)."),
    ("postgres", "SELECT format('%I', p) FROM t", "query: format takes a text with %s for each "
     "value here; build the text with ||, which is null where a value is."),
    ("postgres", "SELECT to_date(p, 'DD Month YYYY') FROM t", "query: Month in a format of to_date "
     "has no counterpart in Spark; read years of four digits, months, days, hours, minutes and "
     "seconds."),
    ("postgres", "SELECT to_char(day, 'Month') FROM t", "query: Month in a format of times has no "
     "counterpart in Spark; write years, months, days, hours, minutes and seconds as numbers, or "
     "build the text from parts."),
    ("postgres", "SELECT '{}'::jsonb @> '{}' FROM t", "query: @> and <@ compare lists here; "
     "extract a part of JSON by ->> and compare that."),
    ("postgres", r"SELECT '\xa'::bytea",
     "query: '\\xa' is not a valid text of bytes; write \\x and two hexadecimal digits for each "
     "byte."),
    ("postgres", "SELECT ARRAY['12:00']::time[]",
     "query: times of day are not available in this session; set spark.sql.timeType.enabled, "
     "or keep the time with its day."),
    ("postgres", "SELECT regexp_replace(p, 'b', 'x', 1, 2) FROM t",
     "query: regexp_replace replaces the first match or, with 'g', all of them here; leave out"
     " where to begin and which match."),
    ("postgres", "SELECT current_timestamp(0)",
     "query: Spark does not round the time of now to 0 digits; use date_trunc('second', now())"
     " or date_trunc('millisecond', now())."),
    ("postgres", "SELECT to_char(day, 'SSSS') FROM t",
     "query: SSSS in a format of times has no counterpart in Spark; write years, months, days,"
     " hours, minutes and seconds as numbers, or build the text from parts."),
    ("postgres", "SELECT p SIMILAR TO 'a%' FROM t", "query: SIMILAR TO is not available; "
     "compare by ~ and a regular expression."),
    ("duckdb", "SELECT format('{:.2f}', y) FROM t", "query: format takes a text with {}, or {0} "
     "and {1}, for its values here; build the text with ||, or use printf."),
    ("clickhouse", "SELECT toString(y) AS a FROM t", "query: Spark writes the float y differently "
     "than ClickHouse does; cast it to an integer or a decimal first."),
    ("clickhouse", "SELECT topKIf(2)(p, id > 3) FROM t", "query: topKIf is not available, as its "
     "choice among equally frequent values is arbitrary; count them, as in SELECT x, count(*) FROM "
     "t GROUP BY x ORDER BY 2 DESC, x LIMIT 3."),
    ("clickhouse", "SELECT topK(p) OVER () FROM t", "query: topK is not available, as its choice "
     "among equally frequent values is arbitrary; count them, as in SELECT x, count(*) FROM t "
     "GROUP BY x ORDER BY 2 DESC, x LIMIT 3."),
    ("duckdb", "SELECT age(day) FROM t", "query: age is not available, as Spark has no interval of "
     "months and days; subtract the times, or compare their years, months and days."),
    ("duckdb", "SELECT date_sub('decade', day, day) FROM t", "query: date_sub has no unit 'decade' "
     "here; use years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds or "
     "microseconds, in quotes."),
    ("duckdb", "SELECT json_type('[1]')", "query: json_type is not available, as Spark does not "
     "keep how JSON writes a number; look at how the text from -> begins."),
    ("duckdb", "SELECT t->>'$.a[-1]' FROM t", "query: a path into JSON counts from the end of a "
     "list, which Spark does not support; write names and positions from 0, such as '$.a.b[0]'."),
    ("duckdb", "SELECT t->'a'->-1 FROM t", "query: a path into JSON counts from the end of a list, "
     "which Spark does not support; write names and positions from 0, such as '$.a.b[0]'."),
    ("duckdb", "SELECT json_extract_string(t, '/a/0') FROM t", "query: a path into JSON is '/a/0', "
     "which Spark does not support; write names and positions from 0, such as '$.a.b[0]'."),
    ("duckdb", "SELECT * RENAME (z AS b) FROM t", "query: there is no column 'z' to leave out, "
     "replace or rename."),
    ("postgres", "SELECT p LIKE 'a\\' FROM t", "query: the pattern 'a\\\\' of LIKE ends with its "
     "escape character; write it twice, or leave it out."),
    ("postgres", "SELECT @ -5 AS a", "query: line 1, column 10: something is missing here:\n"
     "SELECT @ -5 AS a\n         ^"),
    ("clickhouse", "SELECT k.3 FROM (SELECT (id, p) AS k FROM t)", "query: it is not known which "
     "element of a tuple tupleElement(k, 3) is; name the tuple's values as columns of a subquery, "
     "and use these."),
    ("clickhouse", "SELECT JSONHas(p, 1) FROM t", "query: JSONHas takes names in quotes here, "
     "without quotes, brackets or backslashes in them, and no positions in a list; use "
     "get_json_object(text, '$.a[0]') for these."),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "query", "sentence"), REFUSED)
def test_an_invalid_query_is_a_sentence_before_any_job(
    spark: SparkSession, dialect: str, query: str, sentence: str
) -> None:
    rows = wb.table(TABLE), wb.table(EVENTS)
    with no_job(spark), pytest.raises(wb.WorkbenchError, match=f"^{re.escape(sentence)}$"):
        wb.sql(query, dialect=dialect, t=rows[0], events=rows[1])


HOSTILE = [
    "x' OR '1'='1", "'; DROP TABLE t; --", "\\'", "\\", "\\\\' --", "${spark.app.name}",
    "${env:HOME}", "{t}", "{0}", "{", "}", "`", '"', "/* */", "--", "\n", "%s", ":name", "?",
    "日本", "a$b", "$", "{{}}",
]  # fmt: skip


def test_text_stays_text_whatever_it_contains(spark: SparkSession) -> None:
    doubled = [text.replace("'", "''") for text in HOSTILE]
    columns = ", ".join(f"'{text}' AS c{k}" for k, text in enumerate(doubled))
    found = wb.sql(f"SELECT {columns}, count(*) OVER () AS n FROM t", t=TABLE).first()
    assert list(found or ())[:-1] == HOSTILE


def test_a_name_stays_a_name_whatever_it_contains(spark: SparkSession) -> None:
    names = [name for name in HOSTILE if "${" not in name and "\n" not in name]
    rows = TABLE.select(["id"]).slice(0, 1)
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        renamed = rows.rename_columns([name])
        query = f"SELECT {quoted}, sum({quoted}) OVER (ORDER BY {quoted}) AS {quoted} FROM rows"
        found = wb.sql(query, rows=renamed)
        assert (found.columns, list(found.first() or ())) == ([name, name], [0, 0])


def test_a_variable_of_spark_in_a_name_is_refused(spark: SparkSession) -> None:
    sentence = (
        "query: the name '${env:HOME}' has '${', which begins a variable in Spark; rename it."
    )
    with pytest.raises(wb.WorkbenchError, match=f"^{re.escape(sentence)}$"):
        wb.sql('SELECT id AS "${env:HOME}" FROM t', t=TABLE)


def test_a_number_that_is_too_large_is_a_sentence(spark: SparkSession) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^query: .*\.$"):
        wb.sql("SELECT 170141183460469231731687303715884105727::HUGEINT")


def test_text_that_a_setting_of_spark_reads_differently_is_refused(spark: SparkSession) -> None:
    setting = "spark.sql.parser.escapedStringLiterals"
    spark.conf.set(setting, "true")
    try:
        with pytest.raises(wb.WorkbenchError, match=f"^query: .*{re.escape(setting)} is true"):
            wb.sql("SELECT id FROM t WHERE p = 'it''s'", t=TABLE)
        assert wb.sql("SELECT id FROM t WHERE p = 'b'", t=TABLE).count() == 4
    finally:
        spark.conf.unset(setting)

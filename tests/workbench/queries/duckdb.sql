-- no window
SELECT id, x + 1 AS more FROM t WHERE p = 'a' ORDER BY id;

-- values
VALUES (1, 'a'), (2, NULL);

-- values in a query
SELECT col0, sum(col1) OVER (ORDER BY col0) AS s FROM (VALUES (1, 2), (3, 4)) ORDER BY 1;

-- from first
FROM t SELECT id, count(*) OVER () AS n ORDER BY id;

-- numbers
SELECT i, sum(i) OVER (ORDER BY i) AS s FROM range(5) r(i) ORDER BY i;

-- a series
SELECT *, ntile(2) OVER (ORDER BY generate_series) AS half FROM generate_series(1, 9, 2) ORDER BY 1;

-- default frame
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY y) AS s FROM t ORDER BY id;

-- rows
SELECT id, avg(x) OVER (ORDER BY id ROWS 3 PRECEDING) AS m FROM t ORDER BY id;

-- constant bounds
SELECT id, max(x) OVER (ORDER BY id ROWS BETWEEN 1 + 1 PRECEDING AND 2 * 1 FOLLOWING) AS m FROM t ORDER BY id;

-- range of numbers
SELECT id, sum(id) OVER (ORDER BY x NULLS FIRST RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING) AS s FROM t ORDER BY id;

-- range of days
SELECT id, sum(x) OVER (ORDER BY day RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND INTERVAL '2' DAY FOLLOWING) AS s FROM t ORDER BY id;

-- range of months
SELECT id, count(*) OVER (ORDER BY day RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND CURRENT ROW) AS n FROM t ORDER BY id;

-- groups
SELECT id, sum(x) OVER (ORDER BY y GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t ORDER BY id;

-- exclude
SELECT id, sum(x) OVER (w GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS a, sum(x) OVER (w GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP) AS b, sum(x) OVER (w GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) AS c, sum(x) OVER (w GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE NO OTHERS) AS d FROM t WINDOW w AS (ORDER BY y) ORDER BY id;

-- exclude with a frame
SELECT id, sum(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS a, sum(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS b FROM t ORDER BY id;

-- bounds by row
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN x PRECEDING AND CURRENT ROW) AS s FROM t WHERE x IS NOT NULL ORDER BY id;

-- empty frames
SELECT id, sum(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING) AS s, count(*) OVER (ORDER BY id ROWS BETWEEN 3 FOLLOWING AND 2 FOLLOWING) AS n FROM t ORDER BY id;

-- filter
SELECT id, sum(x) FILTER (WHERE y > 1) OVER (PARTITION BY p ORDER BY id) AS s, count(*) FILTER (WHERE yes) OVER () AS n FROM t ORDER BY id;

-- distinct
SELECT id, count(DISTINCT x) OVER (ORDER BY id) AS n, sum(DISTINCT x) OVER (ORDER BY id ROWS 4 PRECEDING) AS s FROM t ORDER BY id;

-- ignore nulls
SELECT id, first_value(x IGNORE NULLS) OVER w AS a, lag(x IGNORE NULLS) OVER w AS b, nth_value(x, 2 IGNORE NULLS) OVER w AS c, any_value(x) OVER w AS d FROM t WINDOW w AS (ORDER BY id) ORDER BY id;

-- named windows
SELECT id, ntile(3) OVER w AS n, percent_rank() OVER w AS r, cume_dist() OVER w AS c, last_value(x) OVER W AS l FROM t WINDOW base AS (PARTITION BY p), w AS (base ORDER BY id) ORDER BY id;

-- refined windows
SELECT id, sum(x) OVER (w ROWS 1 PRECEDING) AS a, sum(x) OVER w AS b FROM t WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id;

-- several keys
SELECT id, row_number() OVER (PARTITION BY p, yes ORDER BY y DESC, x NULLS FIRST, id) AS n FROM t ORDER BY id;

-- nulls last by default
SELECT id, rank() OVER (ORDER BY x) AS a, rank() OVER (ORDER BY x DESC) AS b, rank() OVER (ORDER BY x NULLS FIRST) AS c FROM t ORDER BY x DESC, id;

-- expressions
SELECT id, sum(x * 2 + id) OVER (PARTITION BY id % 3, upper(p) ORDER BY -id) AS s FROM t ORDER BY id;

-- within expressions
SELECT id, CASE WHEN row_number() OVER (ORDER BY id) > 3 THEN x + 1 END AS c, CAST(sum(x) OVER (ORDER BY id) AS VARCHAR) || '!' AS s FROM t ORDER BY id;

-- shift
SELECT id, lag(x, 2, 0) OVER w AS a, lead(x, -1) OVER w AS b, lag(x, 1, id) OVER w AS c, lag(t, 1, 'none') OVER w AS d, lead(day) OVER w AS e FROM t WINDOW w AS (ORDER BY id) ORDER BY id;

-- qualify
SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY p ORDER BY x, id) = 1 ORDER BY id;

-- qualify by name
SELECT id, row_number() OVER (PARTITION BY p ORDER BY id DESC) AS rn FROM t QUALIFY rn <= 2 AND id > 3 ORDER BY p, rn;

-- ranks without an order
SELECT id, rank() OVER () AS a, dense_rank() OVER (PARTITION BY p) AS b, percent_rank() OVER () AS c FROM t ORDER BY id;

-- many aggregates
SELECT id, mode(t) OVER w AS a, arg_min(t, x) OVER w AS b, string_agg(t, '-') OVER w AS c, bool_and(yes) OVER w AS d, stddev(x) OVER w AS e, kurtosis(y) OVER w AS f, mad(x) OVER w AS g, max(x, 2) OVER w AS h, product(y + 1) OVER w AS i, corr(x, y) OVER w AS j, count(x) OVER w AS k FROM t WINDOW w AS (ORDER BY id ROWS 4 PRECEDING) ORDER BY id;

-- fill
SELECT id, fill(x) OVER (ORDER BY id) AS f FROM t ORDER BY id;

-- bits
SELECT id, bit_and(x) OVER (PARTITION BY p ORDER BY id) AS b FROM t WHERE x > 0 ORDER BY id;

-- quantiles
SELECT id, quantile_cont(x, [0.25, 0.5, 0.75]) OVER w AS a, median(day) OVER w AS b, quantile_disc(t, 0.5) OVER w AS c, quantile(x, 0.5) OVER w AS d, quantile_cont(x, 0.25) OVER w AS e FROM t WINDOW w AS (ORDER BY id ROWS 4 PRECEDING) ORDER BY id;

-- over groups
SELECT p, sum(x) AS s, rank() OVER (ORDER BY sum(x) DESC) AS r FROM t GROUP BY p HAVING count(*) > 1 ORDER BY s;

-- sum of sums
SELECT day, sum(sum(x)) OVER (ORDER BY day) AS s FROM t GROUP BY day ORDER BY day;

-- star
SELECT *, row_number() OVER (ORDER BY id) AS n FROM t ORDER BY id;

-- star but
SELECT * EXCLUDE (day, price) REPLACE (x + 1 AS x), count(*) OVER () AS n FROM t ORDER BY id;

-- star of two
SELECT a.*, b.id AS other, count(*) OVER (PARTITION BY a.p) AS n FROM t a JOIN t b ON a.id = b.id + 1 ORDER BY a.id;

-- using
SELECT *, count(*) OVER () AS n FROM (SELECT id, x FROM t) JOIN (SELECT id, y FROM t) USING (id) ORDER BY id;

-- join
SELECT a.id, count(*) OVER (PARTITION BY a.p) AS n, b.x FROM t a LEFT JOIN t b ON a.id = b.id + 1 AND b.y > 1 ORDER BY a.id;

-- subquery
SELECT * FROM (SELECT id, p, row_number() OVER (PARTITION BY p ORDER BY id) AS rn FROM t) z WHERE z.p = 'a' ORDER BY id;

-- common tables
WITH a AS (SELECT p, x, avg(x) OVER (PARTITION BY p) AS m FROM t), b(q) AS (SELECT p FROM a WHERE x > m) SELECT q, count(*) AS n FROM b GROUP BY q ORDER BY q;

-- a name hides a table
WITH t AS (SELECT id, x FROM t WHERE id < 5) SELECT id, sum(x) OVER (ORDER BY id) AS s FROM t ORDER BY id;

-- recursive
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT n, sum(n) OVER (ORDER BY n) AS s FROM c ORDER BY n;

-- scalar subquery
SELECT (SELECT max(r) FROM (SELECT rank() OVER (ORDER BY x) AS r FROM t)) AS m, count(*) AS n FROM t;

-- in
SELECT id FROM t WHERE x IN (SELECT max(x) OVER () FROM t) ORDER BY id;

-- exists
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM (SELECT row_number() OVER (ORDER BY id) AS r FROM t) WHERE r > 5) ORDER BY id;

-- union
SELECT id, rank() OVER (ORDER BY id) AS r FROM t UNION ALL SELECT 100, 1 ORDER BY id;

-- except
SELECT id FROM t EXCEPT SELECT lead(id) OVER (ORDER BY id) FROM t ORDER BY id;

-- parentheses
(SELECT id, count(*) OVER () AS n FROM t ORDER BY id LIMIT 2) UNION ALL (SELECT id, 0 FROM t ORDER BY id DESC LIMIT 1);

-- distinct rows
SELECT DISTINCT p, count(*) OVER (PARTITION BY p) AS n FROM t ORDER BY p;

-- limit
SELECT id, sum(x) OVER (ORDER BY id) AS s, s * 2 AS twice FROM t ORDER BY twice DESC, id LIMIT 3 OFFSET 1;

-- division
SELECT id, x / 2 AS a, x // 2 AS b, x % 2 AS c, x / (id - 3) AS z, sum(x) OVER (ORDER BY id) / count(*) OVER (ORDER BY id) AS m FROM t ORDER BY id;

-- quantiles of groups
SELECT p, quantile_cont(x, 0.5) AS m, median(y) AS n, quantile_disc(x, [0.1, 0.9]) AS d, count(*) AS c, max(y) AS y FROM t GROUP BY p ORDER BY p;

-- quantiles with a filter
SELECT upper(p) AS k, quantile_cont(x, 0.5) FILTER (WHERE yes) AS m FROM t GROUP BY ALL HAVING count(*) > 2 ORDER BY k;

-- quantiles of all
SELECT quantile_cont(x, 0.5) AS a, percentile_cont(0.25) WITHIN GROUP (ORDER BY x DESC) AS b FROM t;

-- ranks of quantiles
SELECT p, median(x) AS m, row_number() OVER (ORDER BY median(x), p) AS r FROM t GROUP BY 1 QUALIFY row_number() OVER (ORDER BY p) > 0 ORDER BY ALL;

-- rollup
SELECT p, t, median(x) AS m FROM t GROUP BY ROLLUP (p, t) ORDER BY p, t, m;

-- odd names
SELECT id AS "we`ird {name}", count(*) OVER (ORDER BY id) AS "n {x} $y", median(x) OVER (ORDER BY id) AS frame, mode(x) OVER (ORDER BY id) AS "Cut", mad(x) OVER (ORDER BY id) AS "class" FROM t WHERE t <> '{q} ${z} \ ''' ORDER BY id LIMIT 2;

-- order of arrival
SELECT id, row_number() OVER () AS n, sum(x) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS we, lag(x) OVER () AS b, first_value(t) OVER () AS f, nth_value(x, 3) OVER (ROWS UNBOUNDED PRECEDING) AS third FROM t ORDER BY id;

-- arrival behind a condition
SELECT *, row_number() OVER () AS n FROM t AS held WHERE held.x > 2 ORDER BY id;

-- orders of functions
SELECT id, first_value(x ORDER BY y, id) OVER (PARTITION BY p) AS a, last_value(t ORDER BY id DESC) OVER (PARTITION BY p) AS b, nth_value(x, 2 ORDER BY id) OVER () AS c, rank(ORDER BY x) OVER (PARTITION BY p) AS d, cume_dist(ORDER BY y) OVER () AS e, lag(x ORDER BY y, id) OVER (PARTITION BY p) AS f, ntile(3 ORDER BY y, id) OVER () AS g, string_agg(t, '-' ORDER BY y, id) OVER () AS h, median(x ORDER BY id) OVER (ORDER BY id ROWS 2 PRECEDING) AS i, first_value(x ORDER BY id) OVER (ORDER BY id ROWS 2 PRECEDING) AS j FROM t ORDER BY id;

-- shifts by row
SELECT id, lag(x, id % 3) OVER (ORDER BY id) AS a, lead(t, x, 'none') OVER (PARTITION BY p ORDER BY id) AS b, lag(id, x - 4, -1) OVER (ORDER BY id) AS c FROM t ORDER BY id;

-- logarithms and casts
SELECT id, log(y + 1) AS a, CAST(y / 2 AS INTEGER) AS b, CAST(price AS BIGINT) AS c, 2.5::INT AS d FROM t ORDER BY id;

-- parts of days
SELECT id, extract(dow FROM day) AS a, isodow(day) AS b, dayname(day) AS c, monthname(day) AS d, day - DATE '2023-12-25' AS e, day + INTERVAL 1 MONTH AS f, date_diff('month', DATE '2023-11-30', day) AS g, date_diff('week', DATE '2023-11-30', day) AS h FROM t ORDER BY id;

-- elements of lists
SELECT id, [x, id][1] AS a, [x, id][-1] AS b, [x][3] AS c, list_contains([x, NULL], 3) AS d, len([x, id]) AS e FROM t ORDER BY id;

-- arrival of numbers
SELECT r, row_number() OVER () AS n, lag(r) OVER () AS b, first_value(r) OVER () AS f FROM range(9, 0, -2) AS numbers(r) ORDER BY r;

-- times as a table
SELECT i, count(*) OVER (ORDER BY i RANGE BETWEEN INTERVAL 2 MINUTES PRECEDING AND CURRENT ROW) AS n FROM range('1969-12-31 23:58'::TIMESTAMP, '1970-01-01 00:03'::TIMESTAMP, INTERVAL 1 MINUTE) AS r(i) ORDER BY i;

-- times as a table, back and by months
SELECT a, b, row_number() OVER (ORDER BY a, b) AS n FROM generate_series(DATE '2024-03-02', DATE '2024-02-28', INTERVAL '-1' DAY) AS r(a), generate_series(DATE '2024-01-28', DATE '2024-03-28', INTERVAL 1 MONTH) AS s(b) ORDER BY a, b;

-- times as a table without one
SELECT count(*) OVER () AS n FROM range(DATE '2024-03-02', DATE '2024-02-28', INTERVAL 1 DAY) AS r(a);

-- arrival of values
SELECT a, row_number() OVER () AS n, sum(b) OVER (ROWS 1 PRECEDING) AS s FROM (VALUES (3, 1), (1, 2), (2, 4)) AS v(a, b) ORDER BY a;

-- names of aggregates
SELECT id, count_star() OVER w AS a, fsum(y) OVER w AS b, favg(x) OVER w AS c, arbitrary(id) OVER w AS d, x::HUGEINT AS e, id::UTINYINT AS f FROM t WINDOW w AS (ORDER BY id) ORDER BY id;

-- a comment behind its end
SELECT count(*) OVER () AS n FROM t LIMIT 1; /* done */

-- orders of functions in frames that move
SELECT id, first_value(x ORDER BY y DESC, id) OVER w AS a, nth_value(x, 2 ORDER BY y, id) OVER w AS b, rank(ORDER BY x) OVER w AS c, ntile(2 ORDER BY x, id) OVER w AS d, lag(id, 1 ORDER BY y, id) OVER w AS e, lead(id, 2, -1 ORDER BY x, id) OVER w AS f, mode(x ORDER BY id DESC) OVER w AS g, string_agg(t, '-' ORDER BY y, id) OVER w AS h, fill(x ORDER BY id) OVER w AS i, arg_max(id, x ORDER BY y, id) OVER w AS j, quantile_cont(x, 0.25 ORDER BY y) OVER w AS k FROM t WINDOW w AS (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) ORDER BY id;

-- lists
SELECT id, list(x) OVER w AS a, array_agg(DISTINCT t ORDER BY t DESC) OVER w AS b, list(x ORDER BY y, id) FILTER (yes) OVER w AS c, list(DISTINCT x) OVER w AS d FROM t WINDOW w AS (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) ORDER BY id;

-- places by row
SELECT id, nth_value(x, id % 3) OVER w AS a, nth_value(x, x IGNORE NULLS) OVER w AS b, ntile(1 + id % 2) OVER w AS c, lag(x, id % 2 ORDER BY y, id) OVER (w ROWS 3 PRECEDING) AS d FROM t WINDOW w AS (ORDER BY id) ORDER BY id;

-- places that no row has
SELECT id, nth_value(x, NULL) OVER w AS a, ntile(NULL) OVER w AS b, nth_value(x, 0) OVER w AS c, nth_value(x, -1) OVER w AS d FROM t WINDOW w AS (ORDER BY id) ORDER BY id;

-- a sketch that is exact
SELECT id, approx_count_distinct(x) OVER (ORDER BY id ROWS 4 PRECEDING) AS n FROM t ORDER BY id;

-- numbers as conditions
SELECT id, sum(if(id % 2, x, NULL)) OVER (ORDER BY id) AS s, CASE WHEN id % 3 THEN 1 END AS c FROM t ORDER BY id;

-- elements by a function
SELECT id, list_extract(list(x) OVER (ORDER BY id ROWS 2 PRECEDING), 2) AS a, list_element([1, 2], 0) AS b FROM t ORDER BY id;

-- bounds that are cast
SELECT id, sum(x) OVER (ORDER BY day RANGE BETWEEN '3 days'::interval PRECEDING AND '1 month'::interval FOLLOWING EXCLUDE CURRENT ROW) AS s FROM t ORDER BY id;

-- one row
SELECT row_number() OVER () AS n, 5 AS k, sum(3) OVER (ROWS 2 PRECEDING) AS s;

-- a union by name
SELECT id, v, w, count(*) OVER (ORDER BY id) AS n FROM (SELECT id, x AS v FROM t UNION ALL BY NAME SELECT y AS w, id FROM t) ORDER BY id, v, w;

-- text whose case does not count
SELECT id, count(*) OVER (PARTITION BY upper(t) || 'a' COLLATE NOCASE ORDER BY p COLLATE nocase, id) AS n FROM t ORDER BY id;

-- a series of days
SELECT d, row_number() OVER (ORDER BY d) AS n FROM (SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 MONTH)) AS d) ORDER BY d;

-- quantiles by what is computed of a column
SELECT x * 2 AS k, median(id) AS m, count(*) AS n FROM t GROUP BY k HAVING k > 4 ORDER BY k NULLS LAST;

-- quantiles by a column and what is computed of it
SELECT x, x % 2 AS k, median(id) AS m FROM t GROUP BY x, k ORDER BY x NULLS LAST;

-- the first row of each, in the order of the query
SELECT DISTINCT ON (p) p, id, -x AS x FROM t ORDER BY p DESC NULLS LAST, x NULLS LAST, id LIMIT 2;

-- the first row of each beside windows
SELECT DISTINCT ON (id % 3) id % 3 AS k, *, sum(y) OVER (PARTITION BY t) AS s FROM t ORDER BY k, y DESC, id;

-- an order by a column whose name an answer has
SELECT t.id, -t.y AS y, count(*) OVER () AS n FROM t ORDER BY t.y, id;

-- an order by what is computed of answers
SELECT id, row_number() OVER (ORDER BY y, id) AS r, -y AS y FROM t ORDER BY r % 3, y + row_number() OVER (ORDER BY id), id;

-- an order by what is computed of a column whose name an answer has
SELECT -x AS x, x AS y, id AS yes FROM t WHERE x IS NOT NULL ORDER BY abs(x - 3), -y, abs(yes::INT), yes LIMIT 5;

-- the same of a query without a name, joined by a column, and of values
SELECT * FROM (SELECT u.y AS id, id AS x FROM (SELECT * FROM t WHERE id < 6) JOIN (SELECT id, y FROM t) AS u USING (id) ORDER BY -id LIMIT 2) UNION ALL (SELECT b, a AS b FROM (VALUES (1, 9), (2, 8)) AS v(a, b) ORDER BY b + 1 LIMIT 1);

-- the same of groups
SELECT p, -sum(id) AS id, max(x) AS x FROM t GROUP BY p ORDER BY 1 - sum(id), p;

-- all columns of tables that are joined by one
SELECT * EXCLUDE (p, day, price, yes), count(*) OVER (PARTITION BY t) AS n FROM (SELECT t, x, id FROM t) AS a FULL JOIN (SELECT t, y AS x, p, day, price, yes FROM t WHERE id < 2) AS b USING (t) ORDER BY ALL;

-- any of a list
SELECT id, x = ANY([3, 7]) AS a, count(*) OVER (ORDER BY id) AS n FROM t WHERE x > ANY([2, y]) OR id = ANY([1, 7]) ORDER BY id;

-- any, all and in of a query with nulls
SELECT id, x IN (SELECT x FROM t WHERE id > 8) AS a, x NOT IN (SELECT x FROM t WHERE id < 3) AS b, x > ALL (SELECT x FROM t WHERE id > 9) AS c, x < ANY (SELECT u.x FROM t AS u WHERE u.p = o.p AND u.id < 6) AS d, x = ALL (SELECT x FROM t WHERE false) AS e, x <> ANY (SELECT x FROM t WHERE id < 2) AS f, sum(id) OVER (PARTITION BY x IN (SELECT x FROM t WHERE id < 3) ORDER BY id) AS g FROM t AS o WHERE (x IN (SELECT x FROM t WHERE id < 4)) IS NULL OR y >= ALL (SELECT 2) ORDER BY id;

-- first rows of subqueries by an expression
SELECT id, (SELECT u.x FROM t AS u WHERE u.id = o.id - 1 ORDER BY u.x LIMIT 1) AS a, l.n FROM t AS o LEFT JOIN LATERAL (SELECT u.id AS n FROM t AS u WHERE o.y + 1 = u.y ORDER BY u.id DESC LIMIT 1) AS l ON true ORDER BY id;

-- lists of groups
SELECT p, list(x ORDER BY id DESC) AS a, array_agg(x ORDER BY x DESC NULLS FIRST, id) FILTER (WHERE id > 2) AS b, list(DISTINCT t ORDER BY t DESC) AS c, len(list(x ORDER BY id)) AS d, list(x ORDER BY y / 2, id) AS e, list(x ORDER BY id) FILTER (id > 10) AS f FROM t GROUP BY p ORDER BY p;

-- lists of no rows
SELECT list(x) AS a, list(x ORDER BY id) AS b FROM t WHERE id < 0;

-- first values of groups
SELECT p, first(x ORDER BY id) AS a, last(x ORDER BY y, id) AS b, any_value(x ORDER BY id) AS c, sum(x ORDER BY id) AS d, count(DISTINCT t ORDER BY t) AS e FROM t GROUP BY p ORDER BY p;

-- extremes by another column of groups
SELECT p, arg_min(x, id) AS a, arg_max(x, id) AS b, arg_max(x, id) FILTER (WHERE id < 8) AS c, arg_max(id, y ORDER BY id DESC) AS d FROM t GROUP BY p ORDER BY p;

-- shapes of groups
SELECT p, skewness(y) AS a, kurtosis(y) AS b, kurtosis_pop(y) AS c, kurtosis(x) FILTER (id > 2) AS d, skewness(1) AS e FROM t GROUP BY p ORDER BY p;

-- quantiles that go down
SELECT p, percentile_disc(0.5) WITHIN GROUP (ORDER BY id DESC) AS a, percentile_disc([0, 0.25, 1]) WITHIN GROUP (ORDER BY day DESC) AS b, percentile_disc(0.5) WITHIN GROUP (ORDER BY id) AS c FROM t WHERE id < 10 GROUP BY p ORDER BY p;

-- parts of days by functions
SELECT id, date_part('dow', day) AS a, weekday(day) AS b, date_part('isodow', day) AS c, date_part('year', day) AS d FROM t ORDER BY id;

-- ends of texts
SELECT id, right('abc', -1) AS a, right('abc', 1 - id) AS b, left('abc', 1 - id) AS c, substr('abc', 0, 2) AS d, substr('abc', id - 5, 3) AS e, substr('abc', 3, -2) AS f FROM t ORDER BY id;

-- clocks of zones
SELECT id, TIMESTAMP '2020-07-01 12:00:00' AT TIME ZONE 'America/New_York' = TIMESTAMPTZ '2020-07-01 16:00:00+00' AS a, CAST(day AS TIMESTAMP) AT TIME ZONE 'Asia/Tokyo' < TIMESTAMPTZ '2024-01-01 00:00:00+00' AS b, to_timestamp(1.5) > to_timestamp(1) AS c FROM t ORDER BY id;

-- bytes
SELECT '\xAA'::BLOB AS a, 'a\x41b'::BLOB AS b, 'abc'::BLOB AS c;

-- text of values that are none
SELECT concat('n', x, day, price, yes, p) AS c FROM t ORDER BY id;

-- nulls are not known to be no number
SELECT id FROM t WHERE NOT isnan(CASE WHEN id = 1 THEN 'nan'::DOUBLE WHEN id > 3 THEN y END) ORDER BY id;

-- infinite
SELECT id, isinf(CASE WHEN id = 1 THEN '-inf'::DOUBLE WHEN id > 3 THEN y END) AS i FROM t ORDER BY id;

-- means of decimals
SELECT p, avg(price) AS a, avg(CASE WHEN yes THEN 1.0 ELSE 0 END) AS rate, avg(DISTINCT price) FILTER (id > 2) AS d FROM t GROUP BY p ORDER BY p;

-- different texts in order beside others
SELECT p, string_agg(DISTINCT t, '-' ORDER BY t DESC) AS a, count(DISTINCT x) AS n, string_agg(DISTINCT t, ',' ORDER BY t) FILTER (id > 99) AS none FROM t GROUP BY p ORDER BY p;

-- seconds between times
SELECT id, extract(epoch FROM day::TIMESTAMP - lag(day::TIMESTAMP) OVER (ORDER BY id)) AS s FROM t ORDER BY id;

-- seconds between the ends
SELECT epoch(max(day::TIMESTAMP) - min(day::TIMESTAMP)) AS s, epoch(max(day::TIMESTAMP)) AS e FROM t;

-- doubles without their fractions
SELECT id, trunc(y * -1.5) AS a, trunc(1e19::DOUBLE) AS b, trunc(CASE WHEN id > 3 THEN 'nan'::DOUBLE END) AS c FROM t ORDER BY id;

-- times as text
SELECT strftime(day, '%j: %-d. %B of %Y, it''s %a, 100%%') AS s, strftime(day - 3, '%G-W%V-%u') AS w, strftime(day, '%w of %d') AS d FROM t ORDER BY id;

-- what stands within another function
SELECT id, len(list_distinct([t, 'u', NULL])) AS a, right(right('abcdef', 1 - id), id - 3) AS b, 100 / 0 / 2 AS c FROM t ORDER BY id;

-- days between the ends
SELECT max(day) - min(day) AS a, any_value(day) - DATE '2024-01-01' AS b FROM t WHERE id = 3;

-- groups of patterns, flags, and the first place alone
SELECT id, regexp_replace('a1-b2', '([a-z])([0-9])', '\2\1$\\', 'g') AS a, regexp_replace('xAxa', 'a', '<\0>0') AS b, regexp_replace('xAxa', 'a', '<\0>0', 'i') AS c, regexp_matches(upper(t), 'u|v', 'i') AS d, regexp_extract(upper(t), '(u)', 1, 'i') AS e, t SIMILAR TO 'u|v' AS f, regexp_full_match(t, '[uv]') AS g FROM t ORDER BY id;

-- parts of json as json
SELECT '{"a": "b", "c": {"d": ["e", null]}}'->'$.a' AS a, '{"a": "b", "c": {"d": ["e", null]}}'->'c'->'d'->1 AS b, json_extract('{"a": null}', '$.a') AS c, json_extract('{}', '$.a') AS d, '{"a": "b"}'->>'a' AS e;

-- texts as integers, if they are any
SELECT try_cast('2.5' AS INTEGER) AS a, try_cast('-2.5' AS BIGINT) AS b, try_cast('x' AS INTEGER) AS c, try_cast(t AS DOUBLE) AS d FROM t WHERE id = 0;

-- intervals of each row, buckets of time and epochs
SELECT id, day + INTERVAL (id) DAY AS a, day - INTERVAL (id + 1) MONTHS AS b, day::TIMESTAMP + to_days(x::INTEGER) AS c, time_bucket(INTERVAL 5 DAY, day) AS d, time_bucket(INTERVAL '7 hours', day::TIMESTAMP + INTERVAL 100 MINUTE) AS e, time_bucket(INTERVAL 2 MONTH, day) AS f, epoch_ms(day::TIMESTAMP) AS g, week(day) AS h, date_add(day, INTERVAL 1 DAY) AS i FROM t ORDER BY id;

-- intervals with a time at their end
SELECT day + INTERVAL '1 day 03:04:05.5' AS a, day::TIMESTAMP - '-1 month -00:10'::INTERVAL AS b, day + INTERVAL '03:04' AS c, count(*) OVER (ORDER BY day::TIMESTAMP RANGE BETWEEN INTERVAL '1 day 00:30' PRECEDING AND CURRENT ROW) AS d FROM t ORDER BY id LIMIT 2;

-- values in lists
SELECT id, t IN ['u', 'v'] AS a, list_has_any([t, p], ['a']) AS b FROM t WHERE p IS NOT NULL ORDER BY id;

-- parts of lists and texts
SELECT id, l[1:2] AS a, l[2:] AS b, l[:-2] AS c, l[-2:] AS d, l[0:1] AS e, s[2:3] AS f, s[-2:] AS g, l[id + 1] AS h, list_position(l, 3) AS i, list_position(l, 9) AS j, list_reverse(l) AS k, list_unique(l) AS m FROM (SELECT id, [1, 3, x] AS l, 'hello' AS s FROM t) ORDER BY id;

-- texts put together by a format
SELECT id, format('{} and {}!', t, x) AS a, printf('%s-%03d', t, x) AS b, prefix(t, 'u') AS c, isoyear(day - INTERVAL 2 DAY) AS d FROM t ORDER BY id;

-- a star with others in its places
SELECT * EXCLUDE (price, day) REPLACE (-x AS x) FROM t ORDER BY id;

-- all columns of tables that are joined by one, in their places
WITH a AS (SELECT x AS v, id FROM t), b AS (SELECT y, id FROM t) SELECT * FROM a JOIN b USING (id) ORDER BY id;

-- columns by a pattern
SELECT COLUMNS('^(x|y)$'), COLUMNS(['id']) + 1 AS k FROM t ORDER BY ALL;

-- columns by a list, in the order of the table
SELECT COLUMNS(['x', 'id']) + 1 FROM t ORDER BY ALL;

-- days between dates of a query with its own WITH
SELECT * FROM (WITH q AS (SELECT day, id FROM t) SELECT id, day - DATE '2020-01-01' AS n FROM q) ORDER BY id;

-- days between dates of a calendar
WITH days AS (SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-01-03', INTERVAL 1 DAY))::DATE AS d) SELECT d - DATE '2024-01-01' AS n FROM days ORDER BY n;

-- all columns in aggregates
SELECT p, max(COLUMNS(* EXCLUDE (p, t, yes))), min(COLUMNS('x')) FROM t GROUP BY p ORDER BY p;

-- an answer by its name in a condition
SELECT id * 2 AS d, d + 1 AS e FROM t WHERE d > 4 ORDER BY e;

-- conditions that are counted
SELECT p, sum(x > 3) AS a, count_if(x > 3) AS b, sum(NOT yes) FILTER (id > 2) AS c FROM t GROUP BY p ORDER BY p;

-- conditions of no row that are counted
SELECT count_if(x > 3) AS a, sum(x > 3) AS b FROM t WHERE id < 0;

-- text that is rounded to an integer
SELECT '2.5'::INT AS a, CAST(' -2.5 ' AS BIGINT) AS b, '25e-1'::SMALLINT AS c, '.5'::TINYINT AS d, (id || '.5')::INT AS e, CAST(id || '_000.49' AS BIGINT) AS f, '0.49999999999999999999999'::INT AS g FROM t ORDER BY id;

-- text that is rounded to an integer if it is a number
SELECT TRY_CAST(coalesce(p, '-2.5') AS INT) AS a, TRY_CAST((9223372036854775794 + id) || '.4' AS BIGINT) AS b, TRY_CAST(id || 'e9' AS INT) AS c, TRY_CAST(id || '_5' AS INT) AS d FROM t ORDER BY id;

-- maps of pairs
SELECT MAP {'a': x, 'b': id} AS a, MAP {'a': x}['a'] AS b, MAP {'a': 1}['b'] AS c, MAP {0: 'y', 1: 'z'}[1] AS d, MAP {'a': MAP {2: 'z'}}['a'][2] AS e, MAP {-1: 'y', 3: 'z'}[id] AS f, MAP {} AS g, cardinality(MAP {'a': 1}) AS h FROM t ORDER BY id;

-- values of maps by keys
SELECT m[0] AS a, m[id] AS b, m[1 + 2] AS c, element_at(m, id) AS d, map_extract(m, 3) AS e, map_extract_value(m, 3) AS f, map_contains(m, id) AS g, MAP([0], ['x'])[0] AS h FROM (SELECT id, MAP {0: 'y', 3: 'z'} AS m FROM t) ORDER BY id;

-- elements by computed places
SELECT l[length(t)] AS a, l[id::INT] AS b, l[id - 2] AS c, l[-1] AS d, l[length('')] AS e, l[1 + 1] AS f, [l, [8]][2][1] AS g FROM (SELECT id, t, [id, 5, 7] AS l FROM t) ORDER BY id;

-- whole units between times
SELECT date_sub('month', day, DATE '2024-02-29') AS a, datesub('day', day, TIMESTAMP '2024-01-03 23:59:59') AS b, date_sub('quarters', DATE '2030-01-05', day) AS c, date_sub('year', day, DATE '2030-01-05') AS d, date_sub('week', day, DATE '2023-01-05') AS e, date_sub('hour', day, TIMESTAMP '2024-01-03 00:59:59') AS f FROM t ORDER BY id;

-- whole months by the ends of months and the hour
SELECT date_sub('month', a, b) AS m, date_sub('month', b, a) AS n, date_sub('millisecond', a, b) AS s FROM (SELECT i, TIMESTAMP '2020-01-31' + INTERVAL (i % 9 * 7) HOUR AS a, TIMESTAMP '2020-02-27' + INTERVAL (i // 9 * 5) HOUR AS b FROM range(0, 200) r(i)) ORDER BY i;

-- a star with other names
SELECT * EXCLUDE (price, day) REPLACE (-x AS x) RENAME (t AS kind) FROM t ORDER BY id;

-- all columns of a table of which others say what stays
SELECT * FROM (SELECT id, x, t FROM t) AS a SEMI JOIN (SELECT y AS id, p FROM t) AS b USING (id) ANTI JOIN (SELECT 3 AS x) AS c USING (x) ORDER BY id;

-- quotients that are no integers
SELECT id, x // 2 AS a, y // 2 AS b, price // 2 AS c, -7 // 2.0 AS d FROM t ORDER BY id;

-- whole doubles and signs
SELECT id, ceil(CASE WHEN id > 3 THEN y - 2.5 WHEN id > 1 THEN 'nan'::DOUBLE END) AS a, floor(-y / 2) AS b, floor(1e19::DOUBLE) AS c, sign(CASE WHEN id > 3 THEN y - 2 WHEN id > 1 THEN 'nan'::DOUBLE END) AS d, ceil(x) / 2 AS e, floor(price) AS f FROM t ORDER BY id;

-- places in functions of elements
SELECT list_transform([5, id], lambda v, i: v * i) AS a, list_filter([5, 6, 7], lambda v, i: i > 1) AS b, list_transform([[1], [2, 3]], lambda v, i: list_transform(v, lambda w, j: w * 100 + i * 10 + j)) AS c, list_transform([1, 2], lambda v: v + id) AS d FROM t ORDER BY id;

-- letters by their numbers
SELECT id, chr(id::INT * 40 + 60) AS a, chr(26085) AS b, chr(128512) AS c FROM t ORDER BY id;

-- nulls among elements of json
SELECT '["null", null, 1]'->>'$[0]' AS a, '["null", null, 1]'->>1 AS b, '{"a": [null, {"b": [2]}]}'->>'$.a[0]' AS c, '{"a": [null, {"b": [2]}]}'->'a'->1->'b'->>0 AS d, json_extract_string('[]', '$[0]') AS e;

-- totals of several keys
SELECT p, t, count(*) AS n, grouping(p, t) AS g FROM t GROUP BY CUBE (p, t) ORDER BY ALL;

-- backslashes in patterns
SELECT s, s LIKE 'a\_%' AS a, s ILIKE 'A\b' AS b, s LIKE 'a!_%' ESCAPE '!' AS c, s NOT LIKE s AS d, s LIKE 'a\%' ESCAPE '\' AS e, s LIKE t || '\%' AS f FROM (SELECT unnest(['a_b', 'a\b', 'a\xb', 'ab', 'a%']) AS s, 'a' AS t) ORDER BY s;

-- aggregates of lists
SELECT id, list_sum([x, id]) AS a, list_avg([x, y]) AS b, list_sum(l) AS c, list_avg(l) AS d, list_aggregate(l, 'sum') AS e, list_aggregate([t, NULL, 'z'], 'string_agg', '-') AS f, list_bool_and([yes, NULL]) AS g, list_any_value([x, id]) AS h, list_product([y, -2, NULL]) AS i, list_sum([y, 'nan'::DOUBLE]) AS j, list_sum([price, NULL]) AS k, list_count([x]) AS m FROM (SELECT *, CASE WHEN id > 3 THEN [x] WHEN id > 1 THEN [] END AS l FROM t) ORDER BY id;

-- parts of lists by places of each row
SELECT id, list_slice([x, id, 3], x, id) AS a, array_slice([x, id, 3], -2, -1) AS b, list_slice('hello', 0, 2) AS c, [x, id, 3][x:] AS d, list_slice([x], 2, 1) AS e FROM t ORDER BY id;

-- places of values that may be null
SELECT id, list_position([id, x], x) AS a, list_position([id, x], NULL) AS b, array_position([1, 2], 9) AS c, list_contains([id, 3], x) AS d, x IN [3, id] AS e, list_contains([1, NULL], NULL) AS f FROM t ORDER BY id;

-- lists in lists
SELECT id, list_has_all([id, 3], [x]) AS a, [x, id] @> [3] AS b, list_has_any([id], CASE WHEN x > 3 THEN [4] END) AS g, [id] <@ [x, 4] AS c, list_intersect([x, 3, 3], [3, NULL]) AS d, list_intersect([1], NULL::BIGINT[]) AS e, list_intersect(NULL::BIGINT[], [1]) AS f FROM t ORDER BY id;

-- what a function makes of the elements of a list
SELECT id, list_reduce([id, x, 3], lambda a, b: a * 10 + b + y) AS a, list_reduce([id, 2], lambda a, b: a / b) AS b, list_reduce([]::INT[], lambda a, b: a + b, 7) AS c, list_reduce([1, 2], lambda a, b: a + b, 1.5) AS d, list_reduce([t, 'x'], lambda a, b: a || '-' || b) AS e, list_reduce(NULL::INT[], lambda a, b: a + b) AS f FROM t ORDER BY id;

-- divisors and multiples
SELECT id, gcd(id, x) AS a, lcm(id, x) AS b, gcd(-12, id) AS c, gcd(0, 0) AS d, gcd(7540113804746346429, 4660046610375530309) AS e, lcm(-4, 6) AS f FROM t ORDER BY id;

-- numbers to the even one, and cut off behind some digits
SELECT round_even(y + 0.5, 0) AS a, round_even(price, 1) AS b, round_even(id * 5, -1) AS c, roundbankers(2.675::DOUBLE, 2) AS d, round_even('nan'::DOUBLE, 1) AS e, trunc(price * -1, 1) AS f, trunc(y * -1234.56, 1) AS g, trunc(-4242, -2) AS h, trunc('-inf'::DOUBLE, 2) AS i, trunc(y * 1234.56, -2) AS j FROM t ORDER BY id;

-- parts of times that have names of their own
SELECT millisecond(s) AS a, microsecond(s) AS b, decade(s) AS c, century(s) AS d, millennium(s) AS e, era(s) AS f, julian(s) AS g, epoch(s) AS h, extract(decade FROM s) AS i, date_part('ms', s) AS j, date_part('yearweek', s) AS k, extract(microseconds FROM s) AS l FROM (SELECT unnest([TIMESTAMP '1960-05-06 07:08:09.123456', '2000-12-31 23:59:59.999999', '2001-01-01', NULL]) AS s) ORDER BY s;

-- texts as times, if they are any
SELECT try_strptime(s, '%d/%m/%Y %H:%M') AS a, try_strptime(s, ['%Y-%m-%d', '%Y%m%dT%H%M%S']) AS b, strptime('10:30 PM', '%I:%M %p') AS c, strptime(' Jan 5 1960', '%b %d %Y') AS d, strptime('2020-05-06 1.5', '%Y-%m-%d %S.%f') AS e FROM (SELECT unnest(['1/12/1960 3:05', '1960-1-2', '19600102T030405', 'x', NULL]) AS s) ORDER BY s;

-- times as text by formats of formats
SELECT strftime(s, '%x|%X|%c|%g') AS a, strftime('%Y', s) AS b FROM (SELECT TIMESTAMP '1960-05-06 07:08:09.123456' AS s);

-- patterns of letters by GLOB
SELECT s, s GLOB 'a*' AS a, s GLOB '[!b]?c' AS b, s GLOB '[a-c^]' AS c, s GLOB 'a\*c' AS d, s GLOB '?' AS e, s NOT GLOB '??' AS f, s GLOB '[]a]*' AS g, s GLOB 'a.c' AS h FROM (SELECT unnest(['abc', 'a*c', 'ä', '^', ']', '', NULL, 'b']) AS s) ORDER BY s;

-- values in a row
SELECT id, row(x, t) AS r, row(x, t) = row(id, 'u') AS same FROM t ORDER BY id;

-- all of a list
SELECT id, x = ALL([x, 3]) AS a, x <> ALL([1, id]) AS b, x > ALL([]::INT[]) AS c, 3 = ALL([3, x]) AS d FROM t ORDER BY id;


-- lists without values beside a left join
SELECT id, v FROM (SELECT id, CASE WHEN x > 3 THEN [x, y] WHEN x > 1 THEN [] END AS l FROM t) LEFT JOIN LATERAL unnest(l) AS u(v) ON true ORDER BY id, v;

-- places of values that become rows
SELECT id, v, i, sum(v) OVER (PARTITION BY id ORDER BY i) AS s FROM (SELECT id, [x, id] AS l FROM t), unnest(l) WITH ORDINALITY AS u(v, i) ORDER BY id, i;

-- what is computed of values that become rows
SELECT id, upper(unnest(string_split(t || '-' || p, '-'))) AS v, -x AS x FROM t ORDER BY id, v;

-- days that become rows
SELECT unnest(generate_series(DATE '2024-01-30', DATE '2024-02-02', INTERVAL 1 DAY))::DATE AS d, 1 AS k ORDER BY d;

-- any value of those that a condition takes
SELECT p, any_value(x) FILTER (WHERE id > 6) AS a FROM t WHERE x IS NULL OR x = 9 GROUP BY p ORDER BY p;

-- months and days in one interval
SELECT id, day - INTERVAL '1 month 2 days' AS a, day::TIMESTAMP + INTERVAL '1 year 1 month -3 days 4 hours' AS b, '1 month 1 day'::INTERVAL + day AS c FROM t ORDER BY id;

-- times that are cast as they are written
SELECT DATE '2024-01-02'::VARCHAR AS a, 'on ' || DATE '2024-01-02'::VARCHAR AS b, TIMESTAMP '2024-01-02 03:04:05'::DATE AS c, timezone('Asia/Tokyo', TIMESTAMP '2024-01-02 03:04:05') = TIMESTAMPTZ '2024-01-01 18:04:05+00' AS d, date_trunc('month', DATE '2024-02-03') AS e, date_trunc('week', TIMESTAMP '1969-12-31 10:00'::DATE) AS f, date_trunc('hours', TIMESTAMP '2024-01-02 03:04:05.678901') AS g, date_trunc('m', TIMESTAMP '2024-01-02 03:04:05.678901') AS h, date_trunc('msecs', TIMESTAMP '2024-01-02 03:04:05.678901') AS i, date_trunc('weeks', TIMESTAMP '2024-01-02 03:04:05') AS j;

-- letters of texts
SELECT id, t[1] AS a, (t || 'é')[-1] AS b, (t || 'xy')[id] AS c, t[9] AS d, string_split('ab cd', ' ')[2][1] AS e, string_split(t || 'éx', '') AS f, string_split(t || 'xy', left(t, 0)) AS g FROM t ORDER BY id;

-- some texts in an order beside different values
SELECT p, string_agg(t, '-' ORDER BY id DESC) FILTER (id > 2) AS a, count(DISTINCT x) FILTER (id > 1) AS n FROM t GROUP BY p ORDER BY p;

-- comparisons of rows
SELECT id, (x, id) > (3, 5) AS a, (x, y) <= (4, 1) AS b, (x, p) <> (NULL, 'b') AS c, (x, y) IN ((3, 0), (NULL, 1), (9, 3)) AS d, row(y, x) = row(1, 3) AS e, ((x, y), id) < ((4, 0), 11) AS f, (x, p) IS DISTINCT FROM (4, NULL) AS g FROM t WHERE (y, x) NOT IN ((4, 7), (2, 2)) ORDER BY id;

-- buckets of time from an origin
SELECT id, time_bucket(INTERVAL 5 DAY, day, DATE '2024-02-07') AS a, time_bucket(INTERVAL '7 hours', day::TIMESTAMP + INTERVAL 100 MINUTE, TIMESTAMP '2025-01-01 09:30:15') AS b, time_bucket(INTERVAL 2 MONTH, day, DATE '2023-02-01') AS c, time_bucket(INTERVAL 1 DAY, day, TIMESTAMP '2024-01-01 06:00') AS d FROM t ORDER BY id;

-- dates and computed intervals, and the later of a date and a text
SELECT id, day + (id || ' hours')::INTERVAL AS a, INTERVAL 2 HOUR + day AS b, day - '1 day'::INTERVAL AS c, greatest(day, '2024-01-05') AS d, least(day::TIMESTAMP, '2024-01-05 01:00', NULL) AS e FROM t ORDER BY id;

-- list comprehensions
SELECT id, [k * 2 + id for k in range(4) if k <> x] AS a, [k for K in [[1], [2, 3]]] AS b FROM t ORDER BY id;

-- remainders of floats, numbers in a format, codes, and units of intervals
SELECT id, x % (y - 1) AS a, y % 2 AS b, printf('%.2f', price) AS c, base64(repeat('ab', 40)::BLOB) AS d, date_diff('millisecond', DATE '2024-01-01', day) AS e, date_diff('microsecond', day::TIMESTAMP, TIMESTAMP '2024-01-01 00:00:00.5') AS f, to_hours(id) + day AS g, day::TIMESTAMP - to_months(1) AS h FROM t ORDER BY id;

-- synonyms of functions, and codes of texts
SELECT id, list_apply([id, 2], lambda k : k + 1) AS a, array_apply([id, 2], lambda k, i : k * i) AS b, array_has_any([id], [x]) AS c, list_select(['u', 'v'], [id % 4, 1]) AS d, list_where([t, p], [yes, id > 3]) AS e, list_resize([id], id % 3, 7) AS f, array_resize([x], 2) AS g, list_cat([x], [id]) AS h, to_binary(id) AS i, unicode(left(t, id)) AS j, url_encode('a b*~' || t) AS k, regexp_extract('xU' || t, 'uu?', 'i') AS l FROM t ORDER BY id;

-- correlations and slopes without spread
SELECT p, corr(x, y) AS a, corr(x, 2) AS b, regr_slope(y, id % 2) AS c, corr(id, x) FILTER (id > 90) AS d, corr(NULL::INT, id) AS e, regr_slope(x, 1) FILTER (id < 3) AS f FROM t GROUP BY p ORDER BY p;

-- keys of groups that are not summarized, in HAVING and ORDER BY
SELECT p, t, count(*) AS n FROM t GROUP BY ROLLUP (p, t) HAVING grouping(p) = 0 ORDER BY grouping(t), grouping(p, t), p, t;

-- units of intervals that are abbreviated
SELECT id, day + INTERVAL '30 min' AS a, day - INTERVAL '2 hrs' AS b, day + INTERVAL '10 secs' AS c, day + '1 hr 5 mins'::INTERVAL AS d, day + INTERVAL '250 ms' AS e, time_bucket(INTERVAL '90 mins', day::TIMESTAMP + INTERVAL '2 h') AS f FROM t ORDER BY id;

-- values as json
SELECT id, to_json({'a': x, 'b': p}) AS a, to_json(x) AS b, to_json(p || '"') AS c, to_json([x, 1]) AS d, json_object('x', x, 'p', p) AS e, '{"a": null}'::JSON AS f FROM t ORDER BY id;

-- floats and lists as text
SELECT id, (y * 1e7)::VARCHAR AS a, concat(y * 1e16, '-', x) AS b, y * 1e-5 || '%' AS c, CASE WHEN id = 9 THEN y / (y - y) ELSE y END::VARCHAR AS d, [x, id]::VARCHAR AS e, [[y * 1e8], NULL]::VARCHAR AS f FROM t ORDER BY id;

-- series of numbers that may be empty
SELECT id, generate_series(1, x) AS a, generate_series(3, x, -2) AS b, range(id, 12, 4) AS c, range(5, x, -2) AS d FROM t ORDER BY id;

-- lists that are null or have nulls alone
SELECT id, list_concat(CASE WHEN x > 3 THEN [x] END, [id]) AS a, array_to_string([p], '-') AS b, flatten([[x], CASE WHEN id > 3 THEN [id] END]) AS c, 3 = ANY(CASE WHEN x < 4 THEN [x] END) AS d, 2 < ALL(CASE WHEN x > 1 THEN [x] END) AS e FROM t ORDER BY id;

-- parts of texts that are empty
SELECT id, split_part('a-' || p, '-', id % 3) AS a, unicode(left(p, id % 2)) AS b, ord(left(p, id % 2)) AS c, url_encode(p || ' *~') AS d, url_decode('a+' || p) AS e FROM t ORDER BY id;

-- how often conditions hold that are never known
SELECT t, count_if(x > 3 AND id < 6) AS a, count_if(x > 3) FILTER (WHERE x IS NULL) AS b FROM t GROUP BY t ORDER BY t;

-- columns as rows by values
SELECT id, k, v FROM t CROSS JOIN LATERAL (VALUES ('x', x), ('id', id)) AS u(k, v) WHERE v > 2 ORDER BY id, k;

-- values in an order
VALUES (2, 'b'), (1, 'a') ORDER BY 1 LIMIT 1;

-- local times of zones, and back
SELECT id, a AT TIME ZONE 'Asia/Tokyo' AT TIME ZONE 'America/New_York' = TIMESTAMPTZ '2024-03-31 13:30:00+00' AS s, date_trunc('day', a AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Tokyo' = TIMESTAMPTZ '2024-03-30 15:00:00+00' AS b, extract(hour FROM a AT TIME ZONE 'Asia/Tokyo') AS h, a AT TIME ZONE 'Asia/Tokyo' AS l, date_trunc('month', day) AT TIME ZONE 'Asia/Tokyo' = TIMESTAMPTZ '2023-12-31 15:00:00+00' AS m FROM (SELECT id, day, to_timestamp(1711845000) AS a FROM t) ORDER BY id;

-- conditions that are counted in frames without rows
SELECT id, count_if(x > 3) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 PRECEDING) AS a, count_if(yes) FILTER (x > 3) OVER (PARTITION BY p ORDER BY id) AS b FROM t ORDER BY id;

-- quantiles of groups and their totals
SELECT p, quantile(x, 0.3) AS a, quantile_disc(t, 0.5) AS b, quantile(x, [0.25, 0.5]) FILTER (id > 1) AS c, quantile_cont(x, 0.3) AS d FROM t GROUP BY ROLLUP (p) ORDER BY ALL;

-- aggregates of groups that windows alone have
SELECT p, product(x) AS a, mad(x) FILTER (id > 1) AS b, sem(y) AS c, entropy(t) AS d, median(x) AS e, count(*) AS f, product(x ORDER BY id) / sum(sum(x)) OVER () AS g FROM (SELECT * FROM t WHERE x < 9) GROUP BY ALL HAVING product(x) > 1 ORDER BY mad(x), p;

-- aggregates that windows alone have, of all rows and of none
SELECT product(x) AS a, mad(DISTINCT x) AS b, (SELECT entropy(p) FROM t) AS c, (SELECT product(x) FROM t WHERE x > 99) AS d FROM t;

-- the first values of groups
SELECT p, max(x, 2) AS a, min(t, 3) FILTER (x > 2) AS b, arg_min(id, x + id / 100, 2) AS c, arg_max(t, id, 2) FILTER (x > 3) AS d FROM t GROUP BY ROLLUP (p) ORDER BY ALL;

-- sums of doubles
SELECT p, fsum(x) AS a, kahan_sum(price) AS b, favg(x) FILTER (id > 2) AS c, kurtosis_pop(y) AS d, quantile_disc(x, 0.5) AS e FROM t GROUP BY p ORDER BY p;

-- moments and sums of distinct values
SELECT p, fsum(DISTINCT x) AS a, kurtosis_pop(DISTINCT x ORDER BY x) AS b, skewness(DISTINCT x) AS c, favg(x ORDER BY id) FILTER (id > 2) AS d FROM t GROUP BY p ORDER BY p;

-- statistics of lists
SELECT id, list_median([x, id, 4]) AS a, list_median([t, p, 'b']) AS b, list_median(l) AS c, list_mode([id % 3, x, x, 7]) AS d, list_mode([p, t]) AS e, list_stddev_samp([x, id, y]) AS f, list_stddev_pop(l) AS g, list_var_samp([price, x]) AS h, list_var_pop([y, 'inf'::DOUBLE]) AS i, list_sem([x, id, 9]) AS j, list_mad([x, y, 'nan'::DOUBLE]) AS k, list_entropy([x % 2, id % 2, NULL]) AS m, list_entropy(l) AS n, list_histogram([0.0, -y / 2 + y / 2, 1]) AS o, list_bit_and([x, id]) AS q, list_bit_or(l) AS r, list_bit_xor([x, 6, id]) AS s, list_aggregate([x, id, 8], 'quantile_cont', 0.25) AS u, list_aggregate([t, p, 'c'], 'quantile_disc', 0.75) AS v, list_aggregate(l, 'variance') AS w, list_aggregate([x], 'stddev') AS z FROM (SELECT *, CASE WHEN id > 3 THEN [x] WHEN id > 1 THEN [] END AS l FROM t) ORDER BY id;

-- quotients that are rounded down, even numbers, and numbers of other bases
SELECT id, fdiv(x - 4, y - 1) AS a, fdiv(price, -2) AS b, fmod(x - 4, 3) AS c, fmod(y, -1.5) AS d, fmod(id, y) AS e, even(x - 4) AS f, even(price / -3) AS g, even(CASE WHEN id > 1 THEN 'nan'::DOUBLE ELSE 1e300 END) AS h, signbit(-y) AS i, signbit(x - 4) AS j, to_base(x, 2) AS k, to_base(id * 97, 36, 4) AS l FROM t ORDER BY id;

-- texts that are compared byte by byte
SELECT id, hamming(t || 'é', p || 'è') AS a, mismatches('日本', '日木') AS b, jaccard(t || 'bé', p || 'ba') AS c FROM t ORDER BY id;

-- numbers as bars
SELECT id, bar(x, 0, 9, 10) AS a, bar(y, x, 4, 3) AS b, bar(CASE WHEN id > 3 THEN 'nan'::DOUBLE END, 0, 1, 2) AS c, bar(id, 0, 11) AS d FROM t ORDER BY id;

-- parts of paths
SELECT s, parse_filename(s) AS a, parse_filename(s, true) AS b, parse_filename(s, true, 'backslash') AS c, parse_dirname(s) AS d, parse_dirpath(s) AS e, parse_dirpath(s, 'forward_slash') AS f, parse_path(s) AS g, parse_path(s, 'system') AS h FROM (SELECT unnest(['/', '//', 'a/', '/a', 'a//b', '/a/b/', 'C:\a/b', '.a', 'a.', 'é.b.c', 'a/.b', '\\srv\x.y', '', NULL, 'a/b.' || chr(10)]) AS s) ORDER BY s;

-- distances and products of vectors
SELECT id, list_distance([x, y], [id, 2]) AS a, [y, 1] <-> [0, id] AS b, list_cosine_similarity([y, 2], [1, y]) AS c, array_cosine_distance([y, 2]::DOUBLE[2], [1, y]::DOUBLE[2]) AS d, list_inner_product([x, y], [price, 2]) AS e, list_negative_dot_product([y], ['inf'::DOUBLE]) AS f, list_cosine_similarity([y], [0.0]) AS g, list_distance(NULL::DOUBLE[], [y]) AS h FROM (SELECT * REPLACE (coalesce(x, 6) AS x) FROM t) ORDER BY id;

-- rows of several lists, and positions in an order
SELECT id, list_zip([x, id], [t], l) AS a, list_zip(l, [t, p], true) AS b, list_zip([x], [t])[1][2] AS c, row(x, p)[1] AS d, list_grade_up([x, id + 0.5, y + 0.25, 3.125]) AS e, list_grade_up([x, id + 0.5, 3.125], 'DESC') AS f, array_grade_up([t, p, 'é'], 'desc', 'nulls first') AS g, list_grade_up(l) AS h FROM (SELECT *, CASE WHEN id > 3 THEN [x] WHEN id > 1 THEN [] END AS l FROM t) ORDER BY id;

-- structs with further fields
SELECT id, s.a AS a, s.b AS b, s.c AS c FROM (SELECT id, struct_insert(CASE WHEN id > 3 THEN {'a': x} END, b := t, c := [id]) AS s FROM t) ORDER BY id;

-- nulls as conditions
SELECT id, CASE WHEN NULL THEN 1 WHEN x > 3 THEN 2 END AS a, if(NULL, 1, x) AS b, (SELECT count(*) FILTER (WHERE NULL) FROM t WHERE NULL OR id > 2) AS c FROM t WHERE id % 3 ORDER BY id;

-- constants with a power of ten as text
SELECT id, 1e10::VARCHAR AS a, 1e16 || t AS b, concat('-', 1e-7) AS c, concat_ws('-', 1e10, p) AS d, format('{} {} {}', 1e10, y, price) AS e, format('{1}{0}', [x], yes) AS f FROM t ORDER BY id;

-- floats that are joined
SELECT p, string_agg(y * 1e7, '-' ORDER BY id) AS a, string_agg(DISTINCT y * 0) AS b, string_agg(x, ',' ORDER BY id) AS c, list_aggregate(list(y * 1e7 ORDER BY id), 'string_agg', '-') AS d FROM t GROUP BY p ORDER BY p;

-- series of times by months, without their end, and of times that lead away from it
SELECT id, generate_series(day + 30, day + INTERVAL 4 MONTH, INTERVAL 1 MONTH) AS a, generate_series(day + 29, day - INTERVAL 2 MONTH, -INTERVAL 1 MONTH) AS b, range(day, day + INTERVAL 3 DAY, INTERVAL 1 DAY) AS c, generate_series(day, day - INTERVAL 4 DAY, INTERVAL 1 DAY) AS d, range(DATE '2024-01-31', day + INTERVAL 1 YEAR, INTERVAL 1 QUARTER) AS e, generate_series(day, NULL, INTERVAL 1 DAY) AS f FROM t ORDER BY id;

-- values that are computed in CASE, and lists without an end
SELECT id, CASE x WHEN id + 1 THEN 'a' WHEN NULL THEN 'b' ELSE 'c' END AS a, array_pop_back([x, id]) AS b, array_pop_front(l) AS c, array_push_back(l, x) AS d, array_push_front(l, id) AS e, array_pop_back(l) AS f FROM (SELECT *, CASE WHEN id > 3 THEN [x] WHEN id > 1 THEN [] END AS l FROM t) ORDER BY id;

-- funnel
SELECT who, windowFunnel(60)(at, what = 'a', what = 'b', what = 'c') AS level FROM events GROUP BY who ORDER BY who;

-- funnel in seconds
SELECT who, windowFunnel(45)(toUnixTimestamp(at), what = 'a', what = 'b') AS level FROM events WHERE at IS NOT NULL GROUP BY who ORDER BY who;

-- strict order
SELECT who, windowFunnel(60, 'strict_order')(at, what = 'a', what = 'b', what = 'c') AS level FROM events GROUP BY who ORDER BY who;

-- several modes
SELECT who, windowFunnel(60, 'strict_increase', 'strict_once')(at, what = 'a', what IN ('b', 'c'), much > 5) AS level FROM events GROUP BY who ORDER BY who;

-- a null among its conditions
SELECT who, windowFunnel(60)(at, what = 'a', what = 'b', what = 'c' AND much > 0) AS level FROM events GROUP BY who ORDER BY who;

-- levels counted
SELECT level, count() AS users FROM (SELECT who, windowFunnel(60)(at, what = 'a', what = 'b', what = 'c') AS level FROM events GROUP BY who) GROUP BY level ORDER BY level;

-- funnel beside others
SELECT who, windowFunnel(60)(at, what = 'a', what = 'b') AS level, count() AS n, max(much) AS most, windowFunnel(5)(at, what = 'a', what = 'b') AS quick FROM events GROUP BY who HAVING n > 1 ORDER BY who;

-- funnel of all
SELECT windowFunnel(60)(at, what = 'a', what = 'b', what = 'c') AS level FROM events;

-- window
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, row_number() OVER (ORDER BY x, id) AS n, count() OVER () AS c FROM t ORDER BY id;

-- conditions in names
SELECT id, sumIf(x, y > 1) OVER (ORDER BY id) AS s, countIf(x > 3) OVER () AS n FROM t ORDER BY id;

-- moving quantiles
SELECT id, quantile(0.5)(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS q FROM t WHERE x > 0 ORDER BY id;

-- quantiles of groups
SELECT p, quantile(0.25)(x) AS q, quantiles(0.25, 0.5)(y) AS r, median(y) AS m FROM t GROUP BY p ORDER BY p;

-- division
SELECT id, id / 4 AS a, intDiv(id, 4) AS b FROM t ORDER BY id;

-- nulls last
SELECT id, x FROM t ORDER BY x DESC, id;

-- a window longer than all times
SELECT who, windowFunnel(6048000000000000)(at, what = 'a', what = 'c') AS level FROM events GROUP BY who ORDER BY who;

-- strict order that may come back
SELECT who, windowFunnel(60, 'strict_order', 'allow_reentry')(at, what = 'a', what = 'b', what = 'c') AS level FROM events GROUP BY who ORDER BY who;

-- one event for one step
SELECT who, windowFunnel(60, 'strict_once')(at, what = 'a', what = 'a', what = 'b') = 2 AS twice, windowFunnel(60, 'strict_deduplication')(at, what = 'a', what = 'b') AS once FROM events GROUP BY who ORDER BY who;

-- parts of days
SELECT id, toDayOfWeek(day) AS a, dateDiff('month', toDate('2023-11-30'), day) AS b, day - toDate('2024-01-03') AS c, length('日') AS d FROM t ORDER BY id;

-- an answer that takes the name of its column
SELECT id, id + 1 AS id2, sum(y) OVER (ORDER BY id) AS s, y + 1 AS y FROM t ORDER BY id;

-- first values that are there
SELECT id, first_value(x) OVER (ORDER BY id DESC) AS a, last_value(x) OVER (ORDER BY id) AS b, last_value(x) RESPECT NULLS OVER (ORDER BY id) AS c, uniq(p) OVER (ORDER BY id) AS d FROM t ORDER BY id;

-- rounded and wrapped
SELECT id, round(2.5) AS a, round(y / 2) AS b, toInt8(300) AS c, toUInt8(-5) AS d, toInt8(id * 50) AS e, toUInt32(-1) AS f, toInt32(5000000000) AS g, toString(id) AS h FROM t ORDER BY id;

-- the first rows of each key
SELECT id, p, -x AS x FROM t ORDER BY p, x, id DESC LIMIT 2 BY p;

-- the second and third of each, in groups of what is computed
SELECT id % 3 AS k, p, count() AS n FROM t GROUP BY k, p ORDER BY n DESC, p, k LIMIT 1, 2 BY k;

-- the first rows and those that tie with the last one
SELECT id, x FROM t ORDER BY x, p LIMIT 3 WITH TIES;

-- conditions in names of groups
SELECT p, sumIf(x, y > 1) AS s, avgIf(y, id > 3) AS a, uniqExact(y) AS u, uniqExactIf(y, id > 3) AS c, argMaxIf(y, id, id < 9) AS m, minIf(x, id > 2) AS l FROM t WHERE p = 'a' GROUP BY p;

-- the first where a condition holds
SELECT p, anyIf(y, id = 4) AS f, countIf(x > 2) AS n, groupUniqArrayIf(y, y = 4) AS g FROM t WHERE p = 'b' GROUP BY p;

-- groups beside quantiles
SELECT p, quantile(0.5)(id) AS q, sumIf(id, id > 3) AS s FROM t WHERE p IS NOT NULL GROUP BY p ORDER BY p;

-- nulls are not known to be no number of clickhouse
SELECT id FROM t WHERE NOT isNaN(if(id = 1, sqrt(-1), if(id > 3, y, NULL))) ORDER BY id;

-- times as text of clickhouse
SELECT formatDateTime(at, '%F %T, %i of %M, %W, %h %p, %j') AS s, formatDateTime(at, 'Q%Q %G-%V %u %w') AS w FROM events WHERE who = 'ann' ORDER BY at;

-- begins of units, which are days from weeks on
SELECT toString(date_trunc('day', at)) AS a, toString(dateTrunc('hour', at)) AS b, toString(toStartOfMonth(at)) AS c, toString(toMonday(at)) AS d, toString(date_trunc('year', at)) AS e, toString(toStartOfWeek(at)) AS f, toString(toStartOfTenMinutes(at)) AS g FROM events ORDER BY who, at, what;

-- intervals that a time lies in
SELECT toString(toStartOfInterval(at, INTERVAL 7 SECOND)) AS a, toString(toStartOfInterval(at, INTERVAL 5 DAY)) AS b, toString(toStartOfInterval(at, INTERVAL 1 WEEK)) AS c, toString(toStartOfInterval(at, toIntervalMonth(5))) AS d, toString(toStartOfInterval(at, INTERVAL 2 YEAR)) AS e FROM events ORDER BY who, at, what;

-- seconds between times
SELECT who, max(at) - min(at) AS s, max(at) - 60 < min(at) AS b FROM events GROUP BY who HAVING max(at) - min(at) > 3 ORDER BY who;

-- times some units later
SELECT toString(dateAdd(HOUR, 2, at)) AS a, toString(addMonths(toDate(at), 1)) AS b, toString(subtractDays(at, 3)) AS c, toString(at + 90) AS d, toString(toDate(at) - 1) AS e, toString(addHours(toDate(at), 1)) AS f, toString(dateSub(WEEK, 1, toDate(at))) AS g FROM events ORDER BY who, at, what;

-- parts of times by their names
SELECT toYear(at) AS a, toMonth(at) AS b, toDayOfMonth(at) AS c, toHour(at) AS d, toMinute(at) AS e, toSecond(at) AS f, toYYYYMM(at) AS g, toYYYYMMDD(at) AS h, toQuarter(at) AS i, toDayOfYear(at) AS j, toISOYear(at) AS k FROM events ORDER BY who, at, what;

-- choices of several
SELECT id, multiIf(x > 5, 'big', x > 2, 'mid', 'small') AS a, transform(t, ['u', 'v'], ['U', 'V'], '-') AS b, toInt32OrZero(t) AS c, toFloat64OrNull('2.5') AS d FROM (SELECT id, ifNull(x, 0) AS x, ['u', 'v', 'w'][id % 3 + 1] AS t FROM t) ORDER BY id;

-- texts and patterns
SELECT replaceRegexpAll('a1-b2', '([a-z])([0-9])', '\\2\\1$') AS a, replaceRegexpOne('xaxa', 'a', '<\\0>') AS b, extract('ab12', '([a-z])[a-z]') AS c, extract('ab12', '[0-9]+') AS d, extractAll('ab12', '[a-z]') AS e, replaceAll('a.b.c', '.', '-') AS f, replaceOne('a.b.c', '.', '-') AS g, empty('') AS h, notEmpty([1]) AS i;

-- parts of json as text
SELECT JSONExtractString(j, 'a') AS a, JSONExtractString(j, 'b', 'c') AS b, JSONExtractInt(j, 'a') AS c, JSONExtractFloat(j, 'a') AS d FROM (SELECT arrayJoin(['{"a": 2.5, "b": {"c": "x"}}', '{"a": "7"}', '{}', 'none']) AS j) ORDER BY j;

-- lists of clickhouse
SELECT l[2] AS a, l[-1] AS b, arraySort(l) AS d, arrayReverseSort(l) AS e, arrayReverse(l) AS f, arrayStringConcat(['a', 'b'], '-') AS g, indexOf(l, 3) AS h, arrayExists(x -> x > 2, l) AS i, arrayCount(x -> x > 2, l) AS j, hasAny(l, [3, 9]) AS k, hasAll(l, [3, 9]) AS m, arrayUniq(l) AS n, arrayElement(l, 1) AS o, range(3) AS p, arrayDistinct(l) AS q FROM (SELECT [2, 3, 3, 1] AS l);

-- floats that are rounded to digits
SELECT id, round(y * 1.115, 2) AS a, round(2.345, 2) AS b, round(0.125, 2) AS c, round(1234, -2) AS d FROM t ORDER BY id;

-- groups of an answer that hides its column
SELECT toString(toStartOfMinute(at)) AS at, sum(much) AS much FROM events GROUP BY at HAVING count() > 1 ORDER BY at;

-- answers that hide their columns
SELECT -id AS id, id * 2 AS y FROM t WHERE id < -5 ORDER BY y;

-- conditions as numbers
SELECT p, sum(x > 3) AS a, avg(id > 3) AS b, sum(id > 4) / count() AS c, max((id > 3) + (y > 2)) AS d FROM t GROUP BY p ORDER BY p;

-- quantiles that are values
SELECT p, quantileExact(0.5)(id) AS a, quantileExactIf(0.7)(id, id > 2) AS b, quantilesExact(0.25, 1)(id) AS c, medianExact(id) AS d, median(y) AS e, length(groupArray(2)(id)) AS f FROM t WHERE p IS NOT NULL GROUP BY p ORDER BY p;

-- how many are different
SELECT uniq(p, t) AS a, uniqCombined(p) AS b, uniqIf(p, id > 4) AS c, anyLast(7) AS d FROM (SELECT id, p, id % 2 AS t FROM t);

-- scalars by their names
WITH 3 AS k, (SELECT avg(y) FROM t) AS m SELECT id, y - m AS d FROM t WHERE id > k ORDER BY id;

-- the values of lists as rows
SELECT v, count() AS n FROM (SELECT id, [id % 2, id % 3] AS l FROM t) ARRAY JOIN l AS v WHERE v > 0 GROUP BY v ORDER BY v;

-- lists without values that keep a row
SELECT id, v IS NULL OR v = 0 AS none FROM (SELECT id, range(id % 2) AS l FROM t) LEFT ARRAY JOIN l AS v ORDER BY id;

-- rows before and behind in frames
SELECT id, lagInFrame(x) OVER (ORDER BY id) AS a, lagInFrame(x, 2, 0) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b, leadInFrame(x) OVER w AS c, anyLast(x) OVER (ORDER BY id) AS d FROM t WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY id;

-- the first rows of each, and of these the first
SELECT id, p FROM (SELECT id, p FROM t ORDER BY p, id LIMIT 2 BY p LIMIT 5) ORDER BY p, id LIMIT 1 BY p LIMIT 2 OFFSET 1;

-- elements of tuples
SELECT (1, 'a').2 AS a, tuple(id, p).1 AS b, tupleElement((id, p), 2) AS c, (id, x) AS k, k.1 AS d, ((id, p), x).1.2 AS e, (id + 1, x * 2).2 + 1 AS f FROM t ORDER BY id;

-- elements of tuples that columns hold
SELECT k.1 AS a, s.k.2 AS b, l.1.2 AS c, sum(k.1) OVER (ORDER BY k.1) AS d FROM (SELECT (id + 1, p) AS k, ((id, p), x) AS l FROM t) s ORDER BY k.1;

-- elements of tuples of groups
SELECT p, max((id, x)).1 AS a, argMax((id, y), id).2 AS b FROM t WHERE p IS NOT NULL GROUP BY p ORDER BY p;

-- elements by computed places
SELECT [1, 2, 3][length(p)] AS a, [1, 2, 3][-1] AS b, [1, 2, 3][toInt32(id % 3) + 1] AS c FROM t WHERE p IS NOT NULL ORDER BY id;

-- what a text of json has
SELECT JSONHas('{"a": {"b": null}}', 'a', 'b') AS a, JSONHas('{"a": 1}', 'b') AS b, JSONHas('x', 'a') AS c, JSONHas('{"a": 1, "a": null}', 'a') AS d, JSONExtractInt('{"1": 3}', '1') AS e, countIf(JSONHas(concat('{"', p, '": 1}'), 'a')) AS f FROM t;

-- integers or zero of texts that may be null
SELECT id, toInt32OrZero(p) AS a, toInt64OrNull(p) AS b, toFloat64OrZero('2.5') AS c FROM t ORDER BY id;

-- groups by tuples in their order
SELECT (p, x) AS k, count() AS n FROM t WHERE p IS NOT NULL AND x IS NOT NULL GROUP BY k ORDER BY k.1 DESC, k.2;

-- quotients of decimals
SELECT id, toDecimal64(id, 2) / 7 AS a, sum(toDecimal64(x, 4)) OVER () / toDecimal64(3, 2) AS b, 100 / toDecimal64(id + 1, 3) AS c, toDecimal64(-id, 1) / 4 AS d, toDecimal64(x, 2) / 0.3 AS e FROM t ORDER BY id;

-- means of decimals of groups
SELECT p, sum(toDecimal64(x, 2)) / count() AS a, round(sum(toDecimal64(x, 2)) / 7, 1) AS b FROM t GROUP BY p ORDER BY p;

-- whole doubles and their signs
SELECT id, floor(y - 2.5) AS a, ceil(y / 2) / 4 AS b, trunc(-y / 2) AS c, sign(y - 2) AS d, floor(id / 3) AS e, isNaN(floor(if(id > 3, sqrt(-1), y))) AS f, sign(if(id > 3, sqrt(-1), -y)) AS g, floor(id) AS h FROM t ORDER BY id;

-- numbers as decimals, without what is behind their digits
SELECT id, toDecimal32(id, 1) AS a, toDecimal64(y / 8 - 0.3, 2) AS b, toDecimal64(toDecimal64(-y / 8, 3), 1) AS c, toDecimal128(x, 3) AS d FROM t ORDER BY id;

-- ends of months, and texts by their letters
SELECT id, toString(toLastDayOfMonth(day)) AS a, substringUTF8('日本語', 2, 1) AS b, positionCaseInsensitive('aXx', 'X') AS c, splitByWhitespace(concat(' a  ', p, ' c ')) AS d FROM t WHERE p IS NOT NULL ORDER BY id;

-- remainders that are not negative, and bits that move
SELECT id, positiveModulo(-id, 5) AS a, bitShiftLeft(id, 2) AS b, bitShiftRight(id, 1) AS c, bitNot(id) AS d FROM t ORDER BY id;

-- keys and values of maps
SELECT id, mapKeys(m) AS a, mapValues(m) AS b, mapContains(m, 'v') AS c FROM (SELECT id, map('u', id, 'v', 2) AS m FROM t) ORDER BY id;

-- backslashes in LIKE that are none of wildcards
SELECT id, 'a\\b' LIKE 'a\\b' AS a, 'ab' LIKE 'a\\b' AS b, 'a%' LIKE 'a\\%' AS c, 'a\\' LIKE 'a\\\\' AS d, 'A\\b' ILIKE 'a\\B' AS e, concat(p, '\\x') LIKE concat(p, '\\x') AS f, 'ab' NOT LIKE 'a\\b' AS g, 'a_\\y' LIKE concat('a\\_', '\\y') AS h FROM t ORDER BY id;

-- capitals of words
SELECT id, initcap('hello wORLD-foo bar1a 2nd') AS a, initcap(concat('élan o''neil x_', p)) AS b, initcapUTF8('élan vITAL') AS c, initcap('') AS d FROM t ORDER BY id;

-- casts by the text of a type, and integers that wrap
SELECT CAST(id, 'String') AS a, CAST('3', 'Int32') + 1 AS b, CAST(p, 'Nullable(String)') AS c, CAST(300, 'UInt8') AS d, CAST(id * 100 AS Int8) AS e, CAST(-1 AS UInt32) AS f, CAST(id, 'Nullable(Float64)') AS g FROM t ORDER BY id;

-- decimals that hold more digits than their type says
SELECT toDecimal32(12345678, 2) AS a, CAST(12345678 AS Decimal(5, 2)) AS b, toDecimal64('12345678.999', 2) AS c, toDecimal32('-1.259', 2) AS d, CAST(id AS Decimal(9, 2)) AS e FROM t ORDER BY id;

-- quotients and casts of decimals with more than six digits behind the point
SELECT CAST(id AS Decimal(18, 8)) / 3 AS a, toDecimal64(id, 12) / 7 AS b, toDecimal64('1.23456789', 7) AS c, toDecimal128('-0.123456789012345678', 18) AS d FROM t ORDER BY id;

-- times with digits behind their seconds
SELECT toString(toDateTime64('2024-01-02 03:04:05.678', 1)) AS a, toString(toDateTime64('2024-01-02 03:04:05', 3)) AS b, toUnixTimestamp64Milli(toDateTime64('2024-01-02 03:04:05.678', 3, 'UTC')) AS c, toString(toDateTime64(1.5, 1)) AS d, toDateTime64(id, 3) = toDateTime(id) AS e FROM t ORDER BY id;

-- parts of json by their types
SELECT JSONExtractBool('{"a": true}', 'a') AS a, JSONExtractBool('{"a": "1"}', 'a') AS b, JSONExtractBool('{"a": 2}', 'a') AS c, JSONExtractBool(p, 'a') AS d, JSONExtractRaw('{"a": {"b": 1, "a": "x\\"y"}}', 'a') AS e, JSONExtractRaw('{"a": {"b": "x"}}', 'a', 'b') AS f, JSONExtractRaw('{"a": 1e5}', 'a') AS g, JSONExtractRaw('{"a": null}', 'a') AS h, JSONExtractRaw('{}', 'a') AS i, JSONExtract('{"a": {"b": 3}}', 'a', 'b', 'Int64') AS k, JSONExtract('{"a": "x"}', 'a', 'String') AS l FROM t ORDER BY id;

-- parts of urls
SELECT u, domain(u) AS a, path(u) AS b, protocol(u) AS c, domainWithoutWWW(u) AS d, extractURLParameter(u, 'a') AS e FROM (SELECT arrayJoin(['https://www.x.com:80/a/b?a=1&b=2#c', 'http://localhost/x', '//x.y/z', 'http://u:p@x.com/', 'http://a.b@x.com/', 'x.y.z', 'mailto:a@b.com', 'http://x.com./', '/a/b?a', 'http://x.com?q=/a', 'http://x.com', '', 'http://x/?aa=1&a=2#a=3', 'http://x/#a=1', 'HTTP://1.2.3.4/?a=&b']) AS u) ORDER BY u;

-- sums so far, differences and several lists
SELECT id, arrayCumSum([id, 2, 3]) AS a, arrayDifference([id, 4, 9]) AS b, arrayMap((x, y) -> x * y + id, [1, 2], [id, 4]) AS c, arrayCumSum([1.5, y]) AS d, arrayDifference([y, 3.5]) AS e, arrayCumSum(x -> x * id, [1, 2]) AS f FROM t ORDER BY id;

-- pairs, weights and who comes again
SELECT p, covarPop(x, y) AS a, covarSamp(x, y) AS b, corr(x, y) AS c, avgWeighted(x, id) AS d, avgWeightedIf(x, y, id > 3) AS e, covarPopIf(x, y, id > 3) AS f, retention(x > 5, y > 2, id = 4) AS g FROM t WHERE p IS NOT NULL GROUP BY p ORDER BY p;

-- covariances in frames
SELECT id, covarPop(x, y) OVER (PARTITION BY p ORDER BY id) AS a, covarSamp(x, y) OVER () AS b FROM t ORDER BY id;

-- numbers that are none or infinite
SELECT id, isNaN(nan) AS a, y < inf AS b, -INF < y AS c, isInfinite(-inf) AS d FROM t ORDER BY id;

-- the values of several lists as rows
SELECT id, v, n FROM (SELECT id, [id, id + 1] AS l FROM t) ARRAY JOIN l AS v, arrayEnumerate(l) AS n ORDER BY id, n;

-- nulls are in no set
SELECT id, x NOT IN (3, NULL) AS a, x IN (NULL) AS b, x IN (SELECT x FROM t WHERE id IN (0, 1)) AS c, x NOT IN (SELECT x FROM t WHERE id < 3) AS d FROM t WHERE p NOT IN ('b', NULL) ORDER BY id;

-- rows that are in no set with nulls
SELECT id FROM t WHERE x NOT IN (SELECT x FROM t WHERE id < 3) OR (id > 5 AND isNull(x IN (SELECT x FROM t WHERE id < 3))) ORDER BY id;

-- tuples in sets
SELECT id, (p, x) IN (('a', 3), ('b', NULL)) AS a, (p, x) NOT IN (SELECT p, x FROM t WHERE id < 3) AS b FROM t WHERE (p, x) NOT IN (('b', 2), ('a', NULL)) ORDER BY id;

-- sets that are queries by their names, and what is asked of all servers
WITH s AS (SELECT 3 AS v) SELECT u.id AS id FROM t AS u GLOBAL JOIN (SELECT id FROM t) AS v ON u.id = v.id WHERE u.x GLOBAL IN s AND u.x IN (s) AND u.id IN [0, 5] ORDER BY id;

-- times by the clocks of a zone
SELECT toString(toStartOfHour(at, 'Asia/Kolkata')) AS a, toUnixTimestamp(toStartOfDay(at, 'America/New_York')) AS b, toHour(toTimeZone(at, 'Asia/Tokyo')) AS c, toString(toDate(at, 'Pacific/Auckland')) AS d, toYYYYMM(at, 'Asia/Tokyo') AS e, formatDateTime(at, '%F %H:%i', 'Asia/Kathmandu') AS f, toString(toStartOfMonth(at, 'Asia/Tokyo')) AS g, dateDiff('day', at, at + 14400, 'Asia/Tokyo') AS h, toString(toStartOfInterval(at, INTERVAL 15 MINUTE, 'Asia/Kathmandu')) AS i, toString(date_trunc('day', at, 'Asia/Tokyo')) AS j, toHour(toDateTime('2024-01-01 12:00:00', 'Asia/Tokyo')) AS k, toString(toMonday(at, 'Pacific/Auckland')) AS l FROM events ORDER BY who, at, what;

-- days of weeks by either name, and texts with places
SELECT DAYOFWEEK(day) AS a, format('{1}-{0}{{}}', 'a', p) AS b, format('{}x', 'a') AS c FROM t ORDER BY id;

-- frames of so many days, or seconds
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY day RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS a, count() OVER (ORDER BY toDateTime(day) RANGE BETWEEN 86400 PRECEDING AND 172800 FOLLOWING) AS b, count() OVER (ORDER BY day DESC RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS c FROM t ORDER BY id;

-- elements that a function of one or two lists chooses
SELECT id, arrayFilter((x, y) -> y > 1, [1, 2, 3], [0, 2, id]) AS a, arrayCount(x -> x > id, [1, 2, 3]) AS b, arrayExists((x, y) -> x = y, [1, 2], [3, id]) AS c, arrayAll(x -> x > 0, [1, id]) AS d, arrayFirst(x -> x > 1, [1, 2, 3]) AS e, arrayLast(x -> x > 1, [1, 2, id + 2]) AS f, arrayFirstIndex(x -> x > 9, [1, id]) AS g, arrayLastIndex(x -> x < 5, [1, 7, id]) AS h, arrayCount([1, 0, 1]) AS i FROM t ORDER BY id;

-- lists in the order of what a function makes of them
SELECT arraySort(x -> -x, [1, 3, 2]) AS a, arraySort((x, y) -> y, ['a', 'b', 'c'], [3, 1, 2]) AS b, arrayReverseSort(x -> x % 2, [4, 1, 2, 3]) AS c, arraySort(x -> x % 2, [4, 1, 2, 3]) AS d, arrayCompact([1, 1, NULL, NULL, 1]) AS f, arrayExcept([1, 1, 2, 3], [2]) AS g, has([1, NULL], NULL) AS h, indexOf([1, NULL], NULL) AS i, hasAny([1, NULL], [NULL]) AS j;

-- sums and means of lists, their ends and parts
SELECT id, arraySum(x -> x * 2, [1, id]) AS a, arrayAvg(x -> x + 1, [1, id]) AS b, arraySum([1.5, y]) AS c, arrayZip([1, 2], ['a', 'b']) AS d, arrayPushFront([id], 0) AS e, arrayPopBack([1, 2]) AS f, arrayPopFront([1, 2]) AS g, arrayIntersect([1, 2, 3], [2, 3, id]) AS h, countEqual([1, id, 1], 1) AS i, arrayWithConstant(2, p) AS j, range(2, 5) AS k, arraySlice([1, 2, 3], -2) AS l FROM t ORDER BY id;

-- counts of texts within texts, and quotients that are zero
SELECT id, countSubstrings('aaa', 'a') AS a, countMatches('ab12', '[0-9]') AS b, multiSearchAny('abc', ['x', 'b']) AS c, multiMatchAny('abc', ['x', 'b.']) AS d, substringIndex('a.b.c', '.', 2) AS e, reverseUTF8('日本') AS f, intDivOrZero(7, id % 2) AS g, moduloOrZero(5, id % 3) AS h, clamp(id, 1, 3) AS i, toString(timeSlot(toDateTime(id * 1800 + 5))) AS j, toString(makeDate(2024, 2, id + 1)) AS k, intDivOrZero(x, id - id) AS l, moduloOrZero(id, x - 3) AS m FROM t WHERE p IS NOT NULL ORDER BY id;

-- endings of aggregates
SELECT sumDistinct(x) AS a, countDistinct(x) AS b, sumDistinctIf(x, id > 3) AS c, countDistinctIf(x, id > 3) AS d, sumOrNull(x) AS e, sumOrNullIf(id, id > 100) AS f, maxIfOrNull(id, id > 3) AS g, argMaxOrNull(x, id) AS h, length(groupUniqArray(2)(x)) AS i, sum(isNull(x)) AS j, length(map('a', 1)) AS k, arraySort(groupArrayDistinct(x)) AS m FROM t WHERE isNotNull(p);

-- types of aggregates
SELECT p, length(groupArray(id)) AS a, round(sumIf(y, id > 2) / 4) AS b, sumIf(toDecimal64(x, 2), id > 2) / 7 AS c, toString(maxIf(day, id > 2) + 1) AS d, countIf(DISTINCT x, id > 2) AS e, sumIf(DISTINCT x, id > 0) AS f FROM t WHERE p IS NOT NULL GROUP BY p ORDER BY p;

-- logarithms of what has none
SELECT id, isNaN(log(y - 2)) AS a, log(y) = -inf AS b, log2(id - 3) = -inf AS c, isNaN(log10(id - 3)) AS d, log10(id + 1) AS e, log1p(id - 1) < -9 AS f, log(x) AS g FROM t ORDER BY id;

-- letters of ASCII
SELECT id, upper(concat(p, 'é')) AS a, lower('ÉA') AS b, upperUTF8('é') AS c, ucase('aé') AS d FROM t ORDER BY id;

-- decimals as texts
SELECT id, toString(toDecimal64(id * 5, 1) / 4) AS a, concat(p, toDecimal64(id * 10, 2), '!') AS b, CAST(toDecimal64(id, 3) / 2 AS String) AS c, toString(sum(toDecimal64(x, 2)) OVER (ORDER BY id)) AS d FROM t ORDER BY id;

-- shifts in frames of some rows
SELECT id, lagInFrame(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS a, lagInFrame(x, 2, 9) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) AS b, leadInFrame(x, 1) OVER (ORDER BY id rows between 2 preceding and 1 following) AS c FROM t ORDER BY id;

-- groups by the values of lists that become rows
SELECT arrayJoin([id % 2, id % 3]) AS v, upper(p) AS q, count() AS n FROM t WHERE id > 2 GROUP BY v, q ORDER BY v, q;

-- one condition and not the other
SELECT id, xor(x > 3, y > 2) AS a, xor(x, id > 4, y > 1) AS b, NOT xor(id, 0) AS c FROM t ORDER BY id;

-- any and all of a query
SELECT id, x = ANY (SELECT x FROM t WHERE id < 3) AS a, x != ALL (SELECT x FROM t WHERE id < 3) AS b, x > ALL (SELECT x FROM t WHERE id < 3) AS c, x < ANY (SELECT x FROM t WHERE id < 3) AS d, x <= ALL (SELECT x FROM t WHERE id > 99) AS e FROM t WHERE y >= ALL (SELECT 2) ORDER BY id;

-- comparisons of rows
SELECT id, (x, id) > (3, 5) AS a, (x, y) <= (4, 1) AS b, (x, id) != (3, 5) AS c, (x, y) IN ((3, 0), (9, 3)) AS d, (y, x, id) >= (1, 3, 6) AS e FROM t WHERE (y, id) = (1, 6) OR (x, y) < (5, 2) ORDER BY id;

-- ends and parts of texts, and digits of bytes
SELECT id, left('abc', id - 2) AS a, right('abc', -1) AS b, substring('abc', id - 3, 2) AS c, substring('abc', 2, 1 - id) AS d, substring('abc', 0) AS e, substringUTF8('abc', -2, -1) AS f, hex(id * 90) AS g, hex('ab') AS h, splitByString('', 'abc') AS i FROM t ORDER BY id;

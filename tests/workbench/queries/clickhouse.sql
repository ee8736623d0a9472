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

-- division of a difference by a call
SELECT id, intDiv(id - 7, 2) AS a, intDiv(60, id + 1) AS b FROM t ORDER BY id;

-- groups by an answer that has the name of another column
SELECT intDiv(id, 4) AS x, count() AS n FROM t GROUP BY x ORDER BY x;

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

-- conditions as numbers, and numbers as conditions
SELECT id, (x > 3) = 0 AS a, startsWith(p, 'a') = 1 AS b, (x > 3) = (y > 1) AS c, x = true AS d, NOT y AS e, x AND y AS f, toString(x > 3) AS g, CASE id WHEN 1 THEN 'one' ELSE 'other' END AS h FROM t WHERE ifNull(x > 2, 1) AND isNull(p) = 0 ORDER BY id;

-- sums of conditions
SELECT big, sum(big) AS s, avg(1 - big) AS a FROM (SELECT x > 3 AS big FROM t) WHERE big = 1 OR NOT big GROUP BY big HAVING count() AND 1 ORDER BY big;

-- elements of tuples in lambdas
SELECT who, arrayMap(e -> e.2, arraySort(groupArray((much, what)))) AS a, arrayFilter(e -> e.1 > 1, arraySort(e -> -e.1, groupArray(tuple(much, what)))) AS b, arrayMap((e, n) -> e.1 + n, [(1, 'x')], [2]) AS c FROM events WHERE what IS NOT NULL AND much IS NOT NULL GROUP BY who ORDER BY who;

-- digests
SELECT hex(SHA256('a')) AS a, lower(hex(SHA1('b'))) AS b, hex(MD5('c')) AS c;

-- users at each step of a funnel, by a list that becomes rows
SELECT arrayJoin(range(1, 4)) AS step, countIf(level >= step) AS n, arrayJoin([0, 1]) AS k, sum(k) AS s FROM (SELECT who, windowFunnel(60)(at, what = 'a', what = 'b', what = 'c') AS level FROM events GROUP BY who) WHERE step != 2 GROUP BY step, k HAVING n > 0 ORDER BY step, k;

-- weeks, days and names of parts of times
SELECT id, toWeek(day) AS a, toWeek(day - 3, 3) AS b, toYearWeek(day - 1) AS c, toYearWeek(day - 3, 3) AS d, toDayOfWeek(day, 1) AS e, toDayOfWeek(day, 2) AS f, toDayOfWeek(day, 3) AS g, dateName('month', day) AS h, dateName('weekday', day) AS i, monthName(day) AS j, toYYYYMMDDhhmmss(toDateTime(day) + 3661) AS k, toString(YYYYMMDDToDate(20240229)) AS l, toString(toStartOfISOYear(day - 1)) AS m, toRelativeDayNum(day) AS n, age('month', toDate('2023-11-30'), day) AS o, age('hour', toDateTime('2024-01-01 00:30:00'), toDateTime(day)) AS p, toString(day + toIntervalMonth(1)) AS q, toString(toIntervalDay(id) + day) AS r, toString(makeDateTime(2024, 1, 2, 3, 4, 5)) AS s, toString(day + INTERVAL 1 QUARTER) AS v, toString(toStartOfWeek(day)) AS w, toString(toStartOfInterval(day, toIntervalMonth(2))) AS x, dateDiff('millisecond', toDateTime('2024-01-01 00:00:01'), toDateTime(day)) AS u FROM t ORDER BY id;

-- codes of texts, numbers of texts, and remainders of floats
SELECT id, base64Encode(repeat('ab', 40)) AS a, base64Decode(base64Encode('x')) AS b, concatWithSeparator('-', p, 'z') AS c, firstLine('a\nb') AS d, alphaTokens('ab1cd') AS e, exp2(3) AS f, exp10(2) AS g, bitTest(5, 2) AS h, roundBankers(2.25, 1) AS i, x % 2.5 AS j, isFinite(y % 0) = 1 AS k, toInt32(isFinite(y)) AS l, bin(id * 30) AS m, arrayFlatten([[[id]], [[2], [3]]]) AS n, range(id, 9, 3) AS o, toUInt8OrZero(toString(id * 60 - 60)) AS q, toUInt8OrNull('-8') AS r, regexpExtract('a1b2', '([a-z])2') AS s, toString(toDate(id + 65530)) AS u FROM t ORDER BY id;

-- correlations without spread
SELECT p, isNaN(corr(y, 2)) = 1 AS a, round(corr(y, id), 6) AS b, isNaN(corrIf(y, 1, id > 3)) = 0 AS c FROM t GROUP BY p HAVING count() > 2 ORDER BY p;

-- divisors, decimals of texts, and aggregates of lists
SELECT id, gcd(id + 4, 6) AS a, lcm(id + 1, 4) AS b, toDecimal64OrNull(p, 2) AS c, toDecimal32OrZero(concat(toString(id), '.239'), 2) AS d, arrayReduce('sum', [id, 2]) AS e, arrayReduce('max', [id, 2]) AS f, arrayReduce('avg', [id, 2]) AS g, arrayReduce('uniq', [id, 2]) AS h, [id > 2, 1] AS i, range(toInt64(1), id, 2) AS j FROM t ORDER BY id;

-- parts of lists from their ends
SELECT id, arraySlice(range(id % 4), -2) AS a, arraySlice(range(id % 4), 1, -1) AS b, arraySlice(range(id % 4), 2) AS c FROM t ORDER BY id;

-- sums that are 0 without rows, and moments
SELECT sumOrDefault(x) AS a, sumOrDefaultIf(id, id > 99) AS b, countOrDefault(x) AS c, round(skewPop(y), 6) AS d FROM t WHERE id > 2;

-- groups that are not summarized
SELECT p, x, count() AS n FROM t WHERE p IS NOT NULL GROUP BY ROLLUP (p, x) HAVING grouping(p, x) = 1 ORDER BY p;

-- times without fractions of seconds
SELECT toString(toDateTime(fromUnixTimestamp64Milli(1704103200123, 'UTC'), 'UTC')) AS a, toUnixTimestamp(toDateTime(at)) AS b FROM events ORDER BY b LIMIT 1;

-- lists of frames without values
SELECT id, groupArray(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS a, groupArrayIf(p, id > 9) OVER (PARTITION BY p ORDER BY id) AS b, anyLastIf(x, id < 8) OVER (ORDER BY id) AS d, length(groupArray(x) OVER (PARTITION BY p ORDER BY id)) AS c FROM t ORDER BY id;
-- length counts bytes, and CHAR_LENGTH letters
SELECT length('日a') AS a, char_length('日a') AS b, CHARACTER_LENGTH('é') AS c, lengthUTF8('é') AS d;

-- a group of a pattern, or the whole match without groups
SELECT regexpExtract('a1-b2', '([a-z])([0-9])') AS a, regexpExtract('a1-b2', '([a-z])([0-9])', 2) AS b, regexpExtract('a1-b2', 'b.') AS c, regexpExtract('a1', 'z') AS d;

-- letters of texts
SELECT leftUTF8('日本語', 2) AS a, rightUTF8('日本語', -1) AS b, positionUTF8('日本語', '語') AS c, leftPadUTF8('é', 3, 'ß') AS d, rightPadUTF8('é', 3) AS e, leftPadUTF8('abc', 5, '') AS f;

-- tokens and empty parts of texts
SELECT hasToken('a b_c,é d', 'é') AS a, hasToken('a b_c', 'b') AS b, hasToken('a b', '') AS c, countSubstrings('abab', 'ab') AS d, countSubstrings('ab', '') AS e;

-- texts as numbers, or something else
SELECT n, toInt32OrDefault(n, toInt32(-1)) AS a, toUInt8OrDefault(n) AS b, toFloat64OrDefault(n, 1.5) AS c, toInt64OrNull(n) AS d, toFloat64OrZero(n) AS e FROM (SELECT arrayJoin(['12', '-3', '3.7', '', 'x', '300', ' 5', '5 ', '1d', '2.f', '1e2', '99999999999999999999']) AS n) ORDER BY n;

-- texts as times, or null
SELECT toString(toDateOrNull('2024-01-05')) AS a, toDateOrNull('2024-1-5') = toDate('2024-01-05') AS b, toDateOrNull('2024-01') AS c, toDateOrNull('') AS d, toString(toDateTimeOrNull('2024-01-05 01:02:03')) AS e, toDateTimeOrNull('x') AS f, toString(toDateTimeOrNull('2024-01-05')) AS g, toString(toDate32('2024-01-05')) AS h;

-- units of time since the begin of all
SELECT id, toRelativeYearNum(day) AS a, toRelativeQuarterNum(day) AS b, toRelativeMonthNum(day) AS c, toRelativeWeekNum(day) AS d, toRelativeHourNum(toDateTime(day)) AS e, toRelativeMinuteNum(toDateTime(day)) AS f, toRelativeSecondNum(toDateTime(day)) AS g FROM t ORDER BY id;

-- weeks of a year around its ends
SELECT toString(d) AS day, toWeek(d, 1) AS w FROM (SELECT arrayJoin([toDate('2016-01-01'), toDate('2020-12-31'), toDate('2021-01-03'), toDate('2021-01-04'), toDate('2024-12-29'), toDate('2024-12-30'), toDate('2024-12-31')]) AS d) ORDER BY d;

-- slices between bounds of rows
SELECT id, arraySlice([1, 2, 3, 4], id - 6) AS a, arraySlice([1, 2, 3, 4], id - 6, 2) AS b, arraySlice([1, 2, 3, 4], 2, id - 5) AS c, arraySlice([1, 2, 3, 4], -3, id - 5) AS d FROM t ORDER BY id;

-- lists of another length
SELECT id, arrayResize([1, 2, 3], id - 5, 7) AS a, arrayResize([1, NULL], id - 5, NULL) AS b FROM t ORDER BY id;

-- lists folded and multiplied
SELECT id, arrayFold((s, v) -> s * 2 + v, range(toUInt64(id)), toInt64(0)) AS a, arrayProduct(range(toUInt64(id))) AS b, arrayEnumerateUniq([id % 2, 1, NULL, 1, NULL]) AS c, arrayAvg([id > 3, id > 5]) AS d, arraySum(v -> v > 1, [1, 2, id]) AS e FROM t ORDER BY id;

-- lists turned, searched and numbered
SELECT id, arrayRotateLeft([1, NULL, 3], id - 5) AS a, arrayRotateRight(range(toUInt64(id % 4)), id - 3) AS b, if(hasSubstr(range(toUInt64(id)), [2, 3]), 1, 0) AS c, arrayEnumerateDense([id % 2, 1, NULL, id % 3, NULL]) AS d FROM t ORDER BY id;

-- elements that all lists have, and the first of a kind or null
SELECT arraySort(arrayIntersect([1, 2, 2, 3], [2, 3, 4], [3, 2])) AS a, arraySort(arrayIntersect([1, NULL], [NULL, 2])) AS b, arrayFirstOrNull(v -> v > 5, [1, 2]) AS c, arrayLastOrNull(v -> v < 5, [1, 2, 9]) AS d;

-- finite numbers
SELECT id, ifNotFinite(1 / (id - 2), -1) AS a, ifNotFinite(log(id - 1), y) AS b, identity(x) AS c, materialize(p) AS d FROM t ORDER BY id;

-- parts of addresses
SELECT u, domain(u) AS a, topLevelDomain(u) AS b, pathFull(u) AS c, queryString(u) AS d, queryStringAndFragment(u) AS e, fragment(u) AS f, cutQueryString(u) AS g, cutFragment(u) AS h, cutQueryStringAndFragment(u) AS i FROM (SELECT arrayJoin(['http://www.a.com/b/c?x=1&y=2#f', 'https://a.b.uk:80/?q=a%20b', '//www.x.de/', 'a.com', '', 'http://u@h.org/p#a?b', 'http://1.2.3.4/x?y', 'http://ünï.de/pä?ä=ö#ß', 'http://a.b/c#f', 'a?b?c#d#e']) AS u) ORDER BY u;

-- codes of addresses
SELECT encodeURLComponent('a b~*()!-_.;/?:@&=+$,#é') AS a, decodeURLComponent('%C3%A9+%2B%20%41%zz%2') AS b;

-- parts of JSON
SELECT j, JSONLength(j) AS a, JSONLength(j, 'a') AS b, JSONExtractKeys(j) AS c, JSONExtractKeys(j, 'a') AS d FROM (SELECT arrayJoin(['{"a": {"x": 1, "y": 2}, "b": 3}', '[1, 2]', '"t"', 'x', '', '{}', '{"a": [1]}', 'null']) AS j) ORDER BY j;

-- lists in rows under their own name
SELECT l, count() AS n FROM (SELECT id, range(toUInt64(id % 4)) AS l FROM t) ARRAY JOIN l WHERE l < 2 GROUP BY l HAVING n > 1 ORDER BY l;

-- lists in rows beside another
SELECT id, l, l * 2 AS twice, i, row_number() OVER (PARTITION BY id ORDER BY l DESC) AS r FROM (SELECT id, range(toUInt64(id % 4)) AS l FROM t) AS s ARRAY JOIN s.l, arrayEnumerate(l) AS i ORDER BY id, i;

-- distinct elements of lists in order
SELECT DISTINCT l FROM (SELECT range(toUInt64(id % 4)) AS l FROM t) ARRAY JOIN l ORDER BY l DESC;

-- a table of values
SELECT a, b FROM values('a Int64, b Nullable(String)', (2, 'x'), (1, NULL)) ORDER BY a;

-- a table of values of one column
SELECT toString(v.d + 1) AS e, t.id FROM values('d Date', '2024-01-01', '2024-01-03') AS v JOIN t ON t.day = v.d ORDER BY e;

-- names of parts
SELECT (x + 1 AS more) * 2 AS a, more AS b, ((id AS c) + 1 AS d) + c + d AS e, (y AS f) FROM t WHERE f > 0 ORDER BY id;

-- a name of a part that is that of a column
SELECT id, (y AS x) + x AS a, (id + 1 AS p) AS b, k FROM (SELECT id, x, y, p, x AS k FROM t WHERE x > 2) ORDER BY id;

-- a join of all rows
SELECT t.id, s.k FROM t ALL INNER JOIN (SELECT DISTINCT p, length(p) AS k FROM t) AS s ON s.p = t.p ORDER BY id;

-- endings of aggregates in windows
SELECT id, anyIf(x, x > 1) OVER (ORDER BY id) AS a, sumDistinct(x) OVER (ORDER BY id) AS b, sumOrNull(x) OVER (PARTITION BY p ORDER BY id) AS c, sumOrNullIf(x, y > 1) OVER (ORDER BY id) AS d, avgDistinct(x) OVER (ORDER BY id) AS e, denseRank() OVER (ORDER BY y) AS f FROM t ORDER BY id;

-- the average of no rows as 0
SELECT p, avgOrDefault(y) AS a, avgOrDefaultIf(y, y > 3) AS b FROM t GROUP BY p ORDER BY p;

-- quantiles of a condition without their share
SELECT p, quantileIf(x, x > 1) AS a, quantileExactIf(x, x > 1) AS b, medianIf(y, y > 0) AS c FROM t GROUP BY p ORDER BY p;

-- quantiles of a condition without their share, in windows
SELECT id, quantileIf(x, x > 1) OVER (PARTITION BY p ORDER BY id) AS a, quantileIf(y, x > 1) OVER (ORDER BY id) AS b FROM t WHERE id != 1 ORDER BY id;

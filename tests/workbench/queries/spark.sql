-- groups
SELECT p, any(x > 4) AS a, some(x IS NULL) AS b, std(y) AS c, try_sum(x) AS d, listagg(t) AS e, max_by(x, id) AS f, percentile(x, 0.25) AS g, percentile_disc(0.3) WITHIN GROUP (ORDER BY x DESC) AS h FROM t GROUP BY p ORDER BY p;

-- quantiles of a descending order beside totals
SELECT p, percentile_cont(0.25) WITHIN GROUP (ORDER BY y DESC) AS a, percentile_disc(0.3) WITHIN GROUP (ORDER BY x DESC) AS b FROM t GROUP BY ROLLUP (p) ORDER BY p, b;

-- windows
SELECT id, max_by(x, id) OVER (ORDER BY id ROWS 1 PRECEDING) AS a, bit_xor(CAST(x AS INT)) OVER (ORDER BY id) AS h, any_value(x) OVER (ORDER BY id ROWS 1 PRECEDING) AS b, min_by(x, id) FILTER (WHERE id > 1) OVER (PARTITION BY p) AS c, listagg(t) OVER (ORDER BY id ROWS 2 PRECEDING) AS d, mode() WITHIN GROUP (ORDER BY t DESC) OVER (PARTITION BY p) AS e, percentile_disc(0.5) WITHIN GROUP (ORDER BY x) OVER (PARTITION BY p) AS f, sum(x) OVER (ORDER BY day RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS g FROM t ORDER BY id;

-- names of columns
SELECT count(*), max(x) + 1, percentile(x, 0.5), window.start, posexplode(array(1, 2)) FROM t GROUP BY window(day, '4 days') ORDER BY start, pos;

-- a series and a hint
SELECT /*+ BROADCAST(r) */ r.id, rank() OVER (ORDER BY r.id % 2) AS a, t.t ILIKE ANY ('U') AS b FROM range(1, 4) AS r JOIN t ON t.id = r.id ORDER BY r.id;

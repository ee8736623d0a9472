"""Random queries of the tables in ``cases``: as text, for any system that has this SQL."""

from hypothesis import strategies as st

#: Their answer is the same for any order of ties.
AGGREGATES = (
    "sum(x)", "avg(y)", "count(*)", "count(x)", "min(t)", "max(price)", "min(day)", "median(x)",
    "quantile_cont(y, [0.25, 0.5])", "quantile_disc(t, 0.5)", "stddev(x)", "var_pop(y)",
    "count(DISTINCT x)", "sum(DISTINCT id % 3)", "bool_or(yes)", "mad(x)", "sum(x * 2 - id)",
    "max(upper(t))", "count(DISTINCT p)", "quantile_cont(x, 0.9)", "bool_and(yes)",
)  # fmt: skip
#: Their answer depends on positions, so the order leaves no ties.
PLACED = (
    "first_value(x)", "last_value(t)", "nth_value(x, 2)", "first_value(x IGNORE NULLS)",
    "last_value(x IGNORE NULLS)", "nth_value(x, 2 IGNORE NULLS)", "mode(t)", "string_agg(t, '-')",
    "arg_min(t, x)", "any_value(x)",
)  # fmt: skip
#: These have no frame.
UNFRAMED = (
    "row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", "lag(x)",
    "lead(t, 2, 'none')", "lag(x, 1, 0)", "lag(x, 2, id)", "lead(x IGNORE NULLS)", "lag(day, -1)",
)  # fmt: skip
FILTERS = ("", "", "", " FILTER (WHERE y > 1)", " FILTER (WHERE yes)", " FILTER (p = 'a' OR x > 3)")
EXCLUDED = ("", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS")
PARTITIONS = ("", "PARTITION BY p ", "PARTITION BY yes, p ", "PARTITION BY id % 3 ",
              "PARTITION BY upper(p) || t ")  # fmt: skip
DIRECTIONS = ("", " DESC", " NULLS FIRST", " DESC NULLS FIRST", " ASC NULLS LAST")
KEYS = ("x", "y", "t", "day", "price", "x + id", "yes", "-y")
SOURCES = (
    "t", "t", "(SELECT * FROM t WHERE y < 4) AS t",
    "t JOIN (SELECT id AS other FROM t) ON id = other",
    "(SELECT * REPLACE (id IN (SELECT x FROM t WHERE id > 6) AS yes) FROM t) AS t",
)  # fmt: skip
WHERES = (
    "", "", "", " WHERE x > 2", " WHERE p IS NOT NULL AND id < 9",
    " WHERE x >= ALL (SELECT y FROM t WHERE id < 4) OR id NOT IN (SELECT x FROM t WHERE y < 2)",
)  # fmt: skip
AROUND = ("{0}", "{0}", "coalesce({0}, NULL)", "CASE WHEN id > 4 THEN {0} END")


def orders(placed: bool) -> st.SearchStrategy[str]:
    """An order of rows, without ties where positions matter."""
    term = st.tuples(st.sampled_from(KEYS), st.sampled_from(DIRECTIONS)).map("".join)
    terms = st.lists(term, min_size=1, max_size=2, unique_by=lambda one: one.split()[0])
    return terms.map(lambda drawn: "ORDER BY " + ", ".join([*drawn, *(["id"] if placed else [])]))


@st.composite
def bounds(draw: st.DrawFn, unit: str) -> str:
    """Two bounds, the first not after the second."""
    low, high = sorted(draw(st.tuples(st.integers(-4, 4), st.integers(-4, 4))))
    if unit == "days":
        low, high = 3 * low, 3 * high
    texts = [_bound(n, unit) for n in (low, high)]
    if draw(st.booleans()):
        texts[0] = "UNBOUNDED PRECEDING"
    if draw(st.sampled_from([False, False, True])):
        texts[1] = "UNBOUNDED FOLLOWING"
    return f"BETWEEN {texts[0]} AND {texts[1]}"


def _bound(n: int, unit: str) -> str:
    if n == 0:
        return "CURRENT ROW"
    size = f"INTERVAL {abs(n)} DAYS" if unit == "days" else str(abs(n))
    return f"{size} {'PRECEDING' if n < 0 else 'FOLLOWING'}"


@st.composite
def windows(draw: st.DrawFn) -> str:
    """One window call, sometimes within an expression."""
    kind = draw(st.sampled_from(["frame", "frame", "frame", "place", "unframed", "range"]))
    partition = draw(st.sampled_from(PARTITIONS))
    if kind == "unframed":
        function = draw(st.sampled_from(UNFRAMED))
        over = partition + draw(orders(placed=True))
    elif kind == "range":
        key, unit = draw(st.sampled_from([("x", "n"), ("id", "n"), ("y", "n"), ("day", "days")]))
        function = draw(st.sampled_from(AGGREGATES)) + draw(st.sampled_from(FILTERS))
        direction = draw(st.sampled_from(DIRECTIONS))
        over = f"{partition}ORDER BY {key}{direction} RANGE {draw(bounds(unit))}"
        over += draw(st.sampled_from(EXCLUDED))
    else:
        unit = "ROWS" if kind == "place" else draw(st.sampled_from(["ROWS", "GROUPS", ""]))
        function = draw(st.sampled_from(PLACED if kind == "place" else AGGREGATES))
        function += "" if kind == "place" else draw(st.sampled_from(FILTERS))
        over = partition + draw(orders(placed=unit == "ROWS"))
        if unit:
            over += f" {unit} {draw(bounds('n'))}{draw(st.sampled_from(EXCLUDED))}"
    return draw(st.sampled_from(AROUND)).format(f"{function} OVER ({over})")


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A query with some window calls, whose rows come in the order of ``id``."""
    calls = draw(st.lists(windows(), min_size=1, max_size=4, unique=True))
    columns = ", ".join(f"{call} AS w{k}" for k, call in enumerate(calls))
    where = draw(st.sampled_from(WHERES))
    source = draw(st.sampled_from(SOURCES))
    query = f"SELECT id, {columns} FROM {source}{where}"
    shape = draw(st.sampled_from(["plain", "plain", "qualify", "within", "grouped"]))
    if shape == "qualify":
        return f"{query} QUALIFY row_number() OVER (PARTITION BY p ORDER BY y, id) <= 2 ORDER BY id"
    if shape == "within":
        return f"WITH found AS ({query}) SELECT f.* FROM found f WHERE id % 2 = 0 ORDER BY id"
    if shape == "grouped":
        return (
            f"SELECT yes, count(*) AS n, median(id) AS m, sum(count(*)) OVER (ORDER BY yes) AS s "
            f"FROM ({query}) JOIN (SELECT id AS k, yes FROM t) ON id = k GROUP BY yes ORDER BY yes"
        )
    return f"{query} ORDER BY id"


#: Conditions of steps; in no group is one of them null in every row.
CONDITIONS = (
    "what = 'a'", "what = 'b'", "what = 'c'", "what IN ('b', 'c')", "what != 'x'", "much > 2",
    "what = 'a' AND much < 9", "much % 2 = 0 OR what = 'b'", "what IS NULL", "who > 'b'",
    "coalesce(what, '') = 'x'", "NOT what = 'a'",
)  # fmt: skip
TIMES = ("at", "at", "toUnixTimestamp(at)", "toDate(at)", "toUInt32(toUnixTimestamp(at) / 10)")
MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once")


@st.composite
def funnels(draw: st.DrawFn) -> str:
    """One call of ClickHouse's ``windowFunnel``."""
    modes = draw(st.lists(st.sampled_from(MODES), max_size=2, unique=True))
    if "strict_order" in modes and draw(st.booleans()):
        modes.append("allow_reentry")
    options = "".join(f", '{mode}'" for mode in modes)
    steps = draw(st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=5))
    window = draw(st.sampled_from([1, 5, 10, 30, 60, 86400, 10**12]))
    return f"windowFunnel({window}{options})({draw(st.sampled_from(TIMES))}, {', '.join(steps)})"


@st.composite
def funnel_queries(draw: st.DrawFn) -> str:
    """A query of ClickHouse with funnels, whose rows come in a defined order."""
    key = draw(st.sampled_from(["who", "upper(who)", "substring(who, 2, 1)"]))
    where = draw(st.sampled_from(["", "", " WHERE who != 'dan'", " WHERE what != 'x'"]))
    calls = draw(st.lists(funnels(), min_size=1, max_size=2, unique=True))
    levels = ", ".join(f"{call} AS l{k}" for k, call in enumerate(calls))
    query = f"SELECT {key} AS k, {levels} FROM events{where} GROUP BY k"
    shape = draw(st.sampled_from(["plain", "counted", "having", "ranked", "all", "beside"]))
    if shape == "counted":
        return f"SELECT l0, count() AS n, max(k) AS m FROM ({query}) GROUP BY l0 ORDER BY l0 DESC"
    if shape == "having":
        return f"{query} HAVING l0 > 1 OR count() > 3 ORDER BY k DESC"
    if shape == "ranked":
        return f"WITH f AS ({query}) SELECT *, rank() OVER (ORDER BY l0) AS r FROM f ORDER BY k"
    if shape == "all":
        return f"SELECT {levels} FROM events{where}"
    if shape == "beside":
        return (
            f"{query.replace(' AS k,', ' AS k, count() AS n, sum(length(who)) AS s,')} ORDER BY k"
        )
    return f"{query} ORDER BY k"

"""Parts of times by their numbers and names, and times as text."""

from sqlglot import exp

from workbench.dialects.kinds import NUMBERS, Kinds, kind_of
from workbench.dialects.times.distances import seconds_between
from workbench.dialects.times.formats import spark_format
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

_YEAR = "YEAR(:d)"
_MICROSECONDS = "BIGINT(EXTRACT(SECOND FROM :d) * 1000000)"
#: Parts of a time that Spark numbers or names otherwise, or has not.
_PARTS = {
    **dict.fromkeys(("DOW", "DAYOFWEEK", "WEEKDAY"), "DAYOFWEEK(:d) - 1"),
    "ISODOW": "WEEKDAY(:d) + 1",
    "EPOCH": "UNIX_MICROS(TIMESTAMP(:d)) / 1e6",
    "DECADE": f"BIGINT({_YEAR} DIV 10)",
    "CENTURY": f"BIGINT(IF({_YEAR} > 0, ({_YEAR} - 1) DIV 100 + 1, {_YEAR} DIV 100 - 1))",
    "MILLENNIUM": f"BIGINT(IF({_YEAR} > 0, ({_YEAR} - 1) DIV 1000 + 1, {_YEAR} DIV 1000 - 1))",
    "ISOYEAR": "BIGINT(EXTRACT(YEAROFWEEK FROM :d))",
}
#: Those that systems have of different types.
_OF_DUCKDB = {
    "MICROSECOND": _MICROSECONDS,
    "MILLISECOND": f"{_MICROSECONDS} DIV 1000",
    "ERA": f"BIGINT({_YEAR} > 0)",
    "YEARWEEK": "BIGINT(EXTRACT(YEAROFWEEK FROM :d) * 100 + WEEKOFYEAR(:d))",
    "JULIAN": "DATEDIFF(:d, DATE'2000-01-01') + 2451545 + (HOUR(:d) * 3600 + MINUTE(:d) * 60 "
    "+ DOUBLE(EXTRACT(SECOND FROM :d))) / 86400",
}
_OF_POSTGRES = {
    "MICROSECOND": _MICROSECONDS,
    "MILLISECOND": "EXTRACT(SECOND FROM :d) * 1000",
}
_OTHER_NAMES = {
    "MILLISECONDS": "MILLISECOND", "MS": "MILLISECOND", "MSEC": "MILLISECOND",
    "MSECS": "MILLISECOND", "MICROSECONDS": "MICROSECOND", "US": "MICROSECOND",
    "USEC": "MICROSECOND", "USECS": "MICROSECOND", "DECADES": "DECADE", "CENTURIES": "CENTURY",
    "MILLENNIA": "MILLENNIUM", "MILLENNIUMS": "MILLENNIUM", "MILLENIUM": "MILLENNIUM",
}  # fmt: skip
#: Functions of DuckDB by the names of the parts that they give.
PARTS_OF_DUCKDB = ("millisecond", "microsecond", "decade", "century", "millennium", "era", "julian")


def extracted(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    part = str(node.this.name).upper()
    part = _OTHER_NAMES.get(part, part)
    if part == "SECOND" and dialect == "duckdb":
        return exp.cast(node.copy(), "BIGINT")
    if part == "EPOCH" and (distance := seconds_between(node, node.expression, kinds)) is not None:
        return distance
    return part_of_time(part, node.expression, dialect)


def part_of_time(name: str, time: exp.Expr, dialect: str) -> exp.Expr | None:
    """Return a part of a time that Spark numbers or names otherwise; None of others.

    Examples
    --------
    >>> print(part_of_time("DECADE", exp.column("d"), "duckdb").sql("spark"))
    (BIGINT(YEAR(d) DIV 10))
    """
    template = _PARTS.get(name) or (_OF_DUCKDB if dialect == "duckdb" else _OF_POSTGRES).get(name)
    return exp.paren(fill_template(template, d=time), copy=False) if template else None


def _part(name: str, time: exp.Expr) -> exp.Expr:
    return exp.paren(fill_template(_PARTS[name], d=time), copy=False)


def day_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    is_iso = isinstance(node, exp.DayOfWeekIso) or dialect == "clickhouse"
    return _part("ISODOW" if is_iso else "DOW", node.this)


def name_of_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    letters = "EEEE" if isinstance(node, exp.Dayname) else "MMMM"
    return anonymous("DATE_FORMAT", node.this, exp.Literal.string(letters))


def week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("WEEKOFYEAR", node.this)


def year_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return fill_template("EXTRACT(YEAROFWEEK FROM :a)", a=node.this)


def time_as_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A time as text."""
    time, given = node.this, node.args["format"]
    if dialect == "duckdb" and isinstance(time, exp.Literal) and time.is_string:
        # The format may come first.
        time, given = given, time
    if kind_of(node, time, kinds) in NUMBERS:
        raise WorkbenchError(
            "query: a format of numbers is not available, as Spark fills up their places "
            "otherwise; take round(x, 2)::text, or lpad of the text."
        )
    if not isinstance(given, exp.Literal):
        return None
    return anonymous("DATE_FORMAT", time, exp.Literal.string(spark_format(given.this, dialect)))

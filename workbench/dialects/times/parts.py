"""Parts of times as numbers and names, and times as text."""

from sqlglot import exp

from workbench.dialects.kinds import NUMBERS, Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.times.distances import seconds_between
from workbench.dialects.times.formats import time_as_text
from workbench.errors import WorkbenchError

_YEAR = "YEAR(:d)"
_MICROSECONDS = "BIGINT(EXTRACT(SECOND FROM :d) * 1000000)"
#: Parts of a time that Spark numbers differently, or lacks.
_PARTS = {
    **dict.fromkeys(("DOW", "DAYOFWEEK", "WEEKDAY"), "DAYOFWEEK(:d) - 1"),
    "ISODOW": "WEEKDAY(:d) + 1",
    "EPOCH": "UNIX_MICROS(TIMESTAMP(:d)) / 1e6",
    "DECADE": f"BIGINT({_YEAR} DIV 10)",
    "CENTURY": f"BIGINT(IF({_YEAR} > 0, ({_YEAR} - 1) DIV 100 + 1, {_YEAR} DIV 100 - 1))",
    "MILLENNIUM": f"BIGINT(IF({_YEAR} > 0, ({_YEAR} - 1) DIV 1000 + 1, {_YEAR} DIV 1000 - 1))",
    "ISOYEAR": "BIGINT(EXTRACT(YEAROFWEEK FROM :d))",
}
#: Parts whose type differs between systems.
_DUCKDB_PARTS = {
    "MICROSECOND": _MICROSECONDS,
    "MILLISECOND": f"{_MICROSECONDS} DIV 1000",
    "ERA": f"BIGINT({_YEAR} > 0)",
    "YEARWEEK": "BIGINT(EXTRACT(YEAROFWEEK FROM :d) * 100 + WEEKOFYEAR(:d))",
    "JULIAN": "DATEDIFF(:d, DATE'2000-01-01') + 2451545 + (HOUR(:d) * 3600 + MINUTE(:d) * 60 "
    "+ DOUBLE(EXTRACT(SECOND FROM :d))) / 86400",
}
_POSTGRES_PARTS = {
    "MICROSECOND": _MICROSECONDS,
    "MILLISECOND": "EXTRACT(SECOND FROM :d) * 1000",
}
_SYNONYMS = {
    "MILLISECONDS": "MILLISECOND", "MS": "MILLISECOND", "MSEC": "MILLISECOND",
    "MSECS": "MILLISECOND", "MICROSECONDS": "MICROSECOND", "US": "MICROSECOND",
    "USEC": "MICROSECOND", "USECS": "MICROSECOND", "DECADES": "DECADE", "CENTURIES": "CENTURY",
    "MILLENNIA": "MILLENNIUM", "MILLENNIUMS": "MILLENNIUM", "MILLENIUM": "MILLENNIUM",
}  # fmt: skip
#: Functions of DuckDB with the name of the part that they return.
DUCKDB_PART_FUNCTIONS = (
    "millisecond",
    "microsecond",
    "decade",
    "century",
    "millennium",
    "era",
    "julian",
)


def extract_part(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    part = str(node.this.name).upper()
    part = _SYNONYMS.get(part, part)
    if part == "SECOND" and dialect == "duckdb":
        return exp.cast(node.copy(), "BIGINT")
    if part == "EPOCH" and (distance := seconds_between(node, node.expression, kinds)) is not None:
        return distance
    return part_of_time(part, node.expression, dialect)


def part_of_time(name: str, time: exp.Expr, dialect: str) -> exp.Expr | None:
    """Return a part of a time that Spark numbers differently or lacks; None for other parts.

    Examples
    --------
    >>> print(part_of_time("DECADE", exp.column("d"), "duckdb").sql("spark"))
    (BIGINT(YEAR(d) DIV 10))
    """
    template = _PARTS.get(name) or (_DUCKDB_PARTS if dialect == "duckdb" else _POSTGRES_PARTS).get(
        name
    )
    return exp.paren(fill_template(template, d=time), copy=False) if template else None


def day_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    is_iso = isinstance(node, exp.DayOfWeekIso) or dialect == "clickhouse"
    return part_of_time("ISODOW" if is_iso else "DOW", node.this, dialect)


def day_or_month_name(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    letters = "EEEE" if isinstance(node, exp.Dayname) else "MMMM"
    return anonymous("DATE_FORMAT", node.this, exp.Literal.string(letters))


def week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("WEEKOFYEAR", node.this)


def iso_year(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return fill_template("EXTRACT(YEAROFWEEK FROM :a)", a=node.this)


def format_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a time as text in a format."""
    time, format_node = node.this, node.args["format"]
    if dialect == "duckdb" and isinstance(time, exp.Literal) and time.is_string:
        # The format may come first.
        time, format_node = format_node, time
    if kind_of(node, time, kinds) in NUMBERS:
        raise WorkbenchError(
            "query: a format of numbers is not available, as Spark pads them differently; use "
            "round(x, 2)::text, or lpad of the text."
        )
    if not isinstance(format_node, exp.Literal):
        return None
    return time_as_text(time, format_node.this, dialect)

"""Parts of times by their numbers and names, and times as text."""

from sqlglot import exp

from workbench.dialects.distances import seconds_between
from workbench.dialects.kinds import Kinds
from workbench.dialects.time_formats import spark_format
from workbench.dialects.writing import anonymous, filled_in

#: Parts of a time that Spark numbers or names otherwise.
_PARTS = {
    **dict.fromkeys(("DOW", "DAYOFWEEK", "WEEKDAY"), "DAYOFWEEK(:d) - 1"),
    "ISODOW": "WEEKDAY(:d) + 1",
    "EPOCH": "UNIX_MICROS(TIMESTAMP(:d)) / 1e6",
}


def extracted(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    part = str(node.this.name).upper()
    if part == "SECOND" and dialect == "duckdb":
        return exp.cast(node.copy(), "BIGINT")
    if part == "EPOCH" and (distance := seconds_between(node, node.expression, kinds)) is not None:
        return distance
    return _part(part, node.expression) if part in _PARTS else None


def _part(name: str, time: exp.Expr) -> exp.Expr:
    return exp.paren(filled_in(_PARTS[name], d=time), copy=False)


def day_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return _part("ISODOW" if isinstance(node, exp.DayOfWeekIso) else "DOW", node.this)


def name_of_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    letters = "EEEE" if isinstance(node, exp.Dayname) else "MMMM"
    return anonymous("DATE_FORMAT", node.this, exp.Literal.string(letters))


def week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("WEEKOFYEAR", node.this)


def year_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return filled_in("EXTRACT(YEAROFWEEK FROM :a)", a=node.this)


def time_as_text(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A time as text."""
    given = node.args["format"]
    if not isinstance(given, exp.Literal):
        return None
    return anonymous(
        "DATE_FORMAT", node.this, exp.Literal.string(spark_format(given.this, dialect))
    )

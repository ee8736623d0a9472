"""Times of ClickHouse with fractions of seconds."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.errors import WorkbenchError

_MICROSECONDS = 6


def to_date_time64(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``toDateTime64``: a time from a text, a date or seconds, truncated to some digits."""
    if len(arguments) not in (2, 3):
        return None
    digits = _digits(arguments[1])
    time = fill_template("CAST(:of AS TIMESTAMP)", of=arguments[0])
    if len(arguments) == 3 and kind_of(node, arguments[0], kinds) == "string":
        time = fill_template(
            "TIMESTAMP(CONCAT(:of, ' ', :zone))", of=arguments[0], zone=arguments[2]
        )
    if digits == _MICROSECONDS:
        return time
    unit_micros = 10 ** (_MICROSECONDS - digits)
    truncated = f"TIMESTAMP_MICROS(UNIX_MICROS(:time) - PMOD(UNIX_MICROS(:time), {unit_micros}))"
    return fill_template(truncated, time=time)


def text_of_date_time64(value: exp.Expr) -> exp.Expr | None:
    """Return the text of a ``toDateTime64`` call with all its digits; None for other values."""
    if not isinstance(value, exp.Anonymous) or value.name.lower() != "todatetime64":
        return None
    if len(value.expressions) != 2:
        return None
    digits = _digits(value.expressions[1])
    text = exp.Literal.string("yyyy-MM-dd HH:mm:ss" + ("." + "S" * digits if digits else ""))
    return anonymous("DATE_FORMAT", value, text)


def _digits(node: exp.Expr) -> int:
    if isinstance(node, exp.Literal) and node.this.isdigit() and int(node.this) <= _MICROSECONDS:
        return int(node.this)
    raise WorkbenchError(
        f"query: toDateTime64 has {node.sql()} digits after the seconds; Spark's times have "
        "microseconds: write a number up to 6."
    )

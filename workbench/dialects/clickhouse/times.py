"""Times of ClickHouse with digits behind their seconds."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

_MICROSECONDS = 6


def to_time(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """``toDateTime64``: a time by its text, a day or its seconds, cut to some digits."""
    if len(given) not in (2, 3):
        return None
    digits = _digits(given[1])
    time = fill_template("CAST(:of AS TIMESTAMP)", of=given[0])
    if len(given) == 3 and kind_of(node, given[0], kinds) == "string":
        time = fill_template("TIMESTAMP(CONCAT(:of, ' ', :zone))", of=given[0], zone=given[2])
    if digits == _MICROSECONDS:
        return time
    size = 10 ** (_MICROSECONDS - digits)
    cut = f"TIMESTAMP_MICROS(UNIX_MICROS(:time) - PMOD(UNIX_MICROS(:time), {size}))"
    return fill_template(cut, time=time)


def text_of_time(given: exp.Expr) -> exp.Expr | None:
    """The text of what ``toDateTime64`` makes, with all its digits; None of other values."""
    if not isinstance(given, exp.Anonymous) or given.name.lower() != "todatetime64":
        return None
    if len(given.expressions) != 2:
        return None
    digits = _digits(given.expressions[1])
    text = exp.Literal.string("yyyy-MM-dd HH:mm:ss" + ("." + "S" * digits if digits else ""))
    return anonymous("DATE_FORMAT", given, text)


def _digits(node: exp.Expr) -> int:
    if isinstance(node, exp.Literal) and node.this.isdigit() and int(node.this) <= _MICROSECONDS:
        return int(node.this)
    raise WorkbenchError(
        f"query: toDateTime64 has {node.sql()} digits behind its seconds; Spark's times have "
        "microseconds: write a number up to 6."
    )

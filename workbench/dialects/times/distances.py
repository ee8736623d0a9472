"""Differences of two times, as other systems count them."""

from sqlglot import exp

from workbench.dialects.kinds import TIMES, Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.times.intervals import MONTHS, SECONDS
from workbench.errors import WorkbenchError

#: Units up to weeks, as intervals.
_INTERVALS = {
    "MICROSECOND": "'0.000001' SECOND", "MILLISECOND": "'0.001' SECOND", "SECOND": "'1' SECOND",
    "MINUTE": "'1' MINUTE", "HOUR": "'1' HOUR", "DAY": "'1' DAY", "WEEK": "'7' DAY",
}  # fmt: skip


def date_diff(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return how many boundaries of a unit lie between two times; Spark counts whole units."""
    unit = str(node.args["unit"].name if node.args.get("unit") else "DAY").upper().removesuffix("S")
    text = exp.Literal.string(unit)

    def unit_number(one: exp.Expr) -> exp.Expr:
        unit_start = anonymous("DATE_TRUNC", text, one)
        if unit in MONTHS:
            return fill_template(
                f"(YEAR(:t) * 12 + MONTH(:t) - 1) DIV {MONTHS[unit]}", t=unit_start
            )
        return fill_template(f"UNIX_SECONDS(TIMESTAMP(:t)) DIV {SECONDS[unit]}", t=unit_start)

    if unit in ("MILLISECOND", "MICROSECOND"):
        units = f"UNIX_{unit.removesuffix('SECOND')}S(TIMESTAMP(:b))"
        difference = f"{units} - {units.replace(':b', ':a')}"
        return exp.paren(fill_template(difference, a=node.expression, b=node.this), copy=False)
    if unit in MONTHS or unit in ("HOUR", "MINUTE", "SECOND"):
        return exp.paren(
            exp.Sub(this=unit_number(node.this), expression=unit_number(node.expression))
        )
    days = [exp.cast(one.copy(), "DATE") for one in (node.this, node.expression)]
    if unit == "DAY":
        return anonymous("DATEDIFF", *days)
    if unit == "WEEK":
        if dialect == "clickhouse":
            # DuckDB counts whole weeks.
            days = [exp.cast(anonymous("DATE_TRUNC", text, one), "DATE") for one in days]
        return exp.IntDiv(this=anonymous("DATEDIFF", *days), expression=exp.Literal.number(7))
    raise WorkbenchError(
        f"query: date_diff does not count {unit.lower()}s here; use years, quarters, months, "
        "weeks, days, hours, minutes, seconds, milliseconds or microseconds."
    )


def date_sub(arguments: list[exp.Expr]) -> exp.Expr:
    """Return how many whole units lie between two times: ``date_sub('month', a, b)``."""
    part, start, end = arguments
    unit = part.name.upper().removesuffix("S") if isinstance(part, exp.Literal) else ""
    start, end = (exp.cast(one.copy(), "TIMESTAMP_NTZ", dialect="spark") for one in (start, end))
    if unit in _INTERVALS:
        return exp.paren(
            fill_template(f"(:b - :a) DIV INTERVAL {_INTERVALS[unit]}", a=start, b=end)
        )
    if unit not in MONTHS:
        raise WorkbenchError(
            f"query: date_sub has no unit {part.sql()} here; use years, quarters, months, weeks, "
            "days, hours, minutes, seconds, milliseconds or microseconds, in quotes."
        )
    return fill_template(
        "CASE WHEN :a <= :b THEN :forward WHEN :a > :b THEN -(:backward) END",
        a=start,
        b=end,
        forward=_whole_months(start, end, unit),
        backward=_whole_months(end, start, unit),
    )


def _whole_months(start: exp.Expr, end: exp.Expr, unit: str) -> exp.Expr:
    """Return the whole units of months from an earlier time to a later one."""
    months = "((YEAR(:b) - YEAR(:a)) * 12 + MONTH(:b) - MONTH(:a))"
    is_early = f":a + MAKE_YM_INTERVAL(0, INT({months})) > :b"
    return fill_template(f"({months} - IF({is_early}, 1, 0)) DIV {MONTHS[unit]}", a=start, b=end)


def epoch(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the seconds of an interval, or of a time since 1970."""
    if (distance := seconds_between(node, node.this, kinds)) is not None:
        return distance
    if dialect == "duckdb" and kind_of(node, node.this, kinds) in ("date", *TIMES):
        return fill_template("DOUBLE(UNIX_MICROS(TIMESTAMP(:t))) / 1e6D", t=node.this)
    return None


def seconds_between(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> exp.Expr | None:
    """Return the seconds of an interval; None if the value is none."""
    if not isinstance(value.unnest(), exp.Sub | exp.Interval):
        return None
    if "interval" not in kind_of(node, value, kinds):
        return None
    # More than 68 years have more seconds than an integer holds.
    parts = {"DAY": "86400L", "HOUR": "3600", "MINUTE": "60", "SECOND": "1"}
    seconds = (f"EXTRACT({part} FROM :of) * {size}" for part, size in parts.items())
    return fill_template(f"DOUBLE({' + '.join(seconds)})", of=value)

"""Arithmetic of times whose values or types differ in Spark."""

from datetime import datetime

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.kinds import INTEGERS, NUMBERS, TIMES, Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.times.intervals import (
    DATE_UNITS,
    bucket_start,
    interval_of,
    shift_time,
    unit_in_full,
)
from workbench.errors import WorkbenchError

_UNITS = (*DATE_UNITS, "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")


def clickhouse_date_trunc(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the start of a unit in ClickHouse: a date for weeks and longer, else a time."""
    unit = _unit_of(node)
    unit_text = exp.Literal.string(unit)
    start = anonymous("DATE_TRUNC", unit_text, node.this)
    return exp.cast(start, "DATE") if unit in DATE_UNITS else start


def date_add(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a time plus or minus some units: ``dateAdd(HOUR, 2, t)``."""
    time, count = node.this, node.expression
    if isinstance(count, exp.Interval):
        operator = exp.Sub if isinstance(node, exp.DateSub | exp.TimestampSub) else exp.Add
        result = exp.paren(operator(this=time.copy(), expression=count.copy()), copy=False)
        is_day = dialect != "clickhouse" and kind_of(node, time, kinds) == "date"
        return exp.cast(result, "TIMESTAMP_NTZ", dialect="spark") if is_day else result
    if dialect != "clickhouse":
        return None
    unit = str(node.args["unit"].name if node.args.get("unit") else "DAY")
    is_subtraction = isinstance(node, exp.DateSub | exp.TimestampSub)
    return shift_time(time, count.copy(), unit, is_subtraction, kind_of(node, time, kinds))


def clickhouse_sum_of_times(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a sum or difference of times in ClickHouse, which counts seconds, or days of dates."""
    left, right = node.this, node.expression
    if any(is_interval(one) for one in (left, right)):
        return _date_and_days(node, kinds)
    if isinstance(left, exp.Literal) and isinstance(right, exp.Literal):
        return None
    left_type, right_type = kind_of(node, left, kinds), kind_of(node, right, kinds)
    time_types = {left_type, right_type} & {*TIMES, "date"}
    if not time_types:
        return None
    if isinstance(node, exp.Sub) and left_type in TIMES and right_type in TIMES:
        seconds = "UNIX_SECONDS(TIMESTAMP(:a)) - UNIX_SECONDS(TIMESTAMP(:b))"
        return exp.paren(fill_template(seconds, a=left, b=right), copy=False)
    if left_type == right_type == "date" and isinstance(node, exp.Sub):
        return fill_template("DATEDIFF(:a, :b)", a=left, b=right)
    if left_type in TIMES and right_type in NUMBERS:
        sign = "-" if isinstance(node, exp.Sub) else "+"
        span = interval_of(right, "SECOND")
        return exp.paren(fill_template(f"(:a) {sign} :b", a=left, b=span or right), copy=False)
    if left_type == "date" and right_type in NUMBERS:
        sign = "-" if isinstance(node, exp.Sub) else ""
        return fill_template(f"DATE_ADD(:a, {sign}INT(:b))", a=left, b=right)
    return None


def _date_and_days(node: exp.Expr, kinds: Kinds) -> exp.Expr | None:
    """Return the date that a date and a computed number of days are; Spark makes it a time."""
    for time, days in ((node.this, node.expression), (node.expression, node.this)):
        is_days = isinstance(days, exp.Anonymous) and days.name.upper() == "MAKE_DT_INTERVAL"
        if is_days and len(days.expressions) == 1 and kind_of(node, time, kinds) == "date":
            return exp.cast(node.copy(), "DATE")
    return None


def is_interval(node: exp.Expr) -> bool:
    """Return whether an expression is an interval literal, a call or a cast that makes one."""
    if isinstance(node, exp.Cast):
        return node.to.this is exp.DType.INTERVAL
    is_interval_call = isinstance(node, exp.Anonymous) and node.name.upper().endswith("_INTERVAL")
    return is_interval_call or isinstance(node, exp.Interval)


def interval(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return an interval whose number is an expression, as in ``INTERVAL (n) DAY``, or quarters."""
    if node.this is None or node.args.get("unit") is None:
        return None
    is_quarter = str(node.args["unit"].name).upper().rstrip("S") == "QUARTER"
    if isinstance(node.this, exp.Literal) and not is_quarter:
        return None
    return interval_of(node.this.unnest(), str(node.args["unit"].name))


def to_days(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return DuckDB's ``to_days(n)``."""
    return interval_of(node.this, "DAY")


def time_bucket(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the start of a bucket of ``time_bucket`` or ``date_bin``, which has an origin."""
    sql_name = "time_bucket" if dialect == "duckdb" else "date_bin"
    origins, seconds = ("2000-01-01", "2000-01-03"), 0
    if (node_of_origin := node.args.get("unit")) is not None:
        origin = _origin(node_of_origin, sql_name)
        day = origin.date().isoformat()
        origins, seconds = (day, day), origin.hour * 3600 + origin.minute * 60 + origin.second
    kind = kind_of(node, node.expression, kinds)
    if kind == "date" and (seconds or dialect != "duckdb"):
        kind = "timestamp_ntz"
    return bucket_start(node.expression, node.this, kind, origins, sql_name, seconds)


def _origin(node: exp.Expr, sql_name: str) -> datetime:
    """Return the constant time from which buckets are counted."""
    value = node.this if isinstance(node, exp.Cast) else node
    try:
        origin = datetime.fromisoformat(value.name)
    except ValueError:
        origin = None
    if origin is None or origin.tzinfo is not None or origin.microsecond:
        raise WorkbenchError(
            f"query: the origin of {sql_name} is a constant time of whole seconds here, such as "
            "TIMESTAMP '2024-01-01 09:30:00'; subtract an offset from the time first, and add it "
            "to the result."
        )
    return origin


def epoch_ms(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``epoch_ms``: the milliseconds of a time, or the time of some milliseconds."""
    scale = node.args.get("scale")
    if scale is None:
        return fill_template("TIMESTAMP_SECONDS(:a)", a=node.this)
    if scale.name == "3" and kind_of(node, node.this, kinds) in (*TIMES, "date"):
        return fill_template("UNIX_MILLIS(TIMESTAMP(:a))", a=node.this)
    return None


def current_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the time of now, of which Spark has all digits of its seconds."""
    if (digits := node.args.get("this")) is not None and digits.name != "6":
        raise WorkbenchError(
            f"query: Spark does not round the time of now to {digits.sql()} digits; use "
            "date_trunc('second', now()) or date_trunc('millisecond', now())."
        )
    return anonymous("LOCALTIMESTAMP") if isinstance(node, exp.Localtimestamp) else None


def at_time_zone(
    node: exp.Expr, dialect: str, kinds: Kinds, original: exp.Expr | None = None
) -> exp.Expr | None:
    """Return the instant of a local time in a zone, or the local time of an instant."""
    kind = kind_of(original or node, node.this, kinds)
    if kind == "timestamp":
        # Spark's own function returns an instant, which each session shows in its own zone.
        return fill_template(
            "TIMESTAMPADD(MICROSECOND, UNIX_MICROS(FROM_UTC_TIMESTAMP(:t, :zone)), "
            "TIMESTAMP_NTZ '1970-01-01')",
            t=node.this, zone=node.args["zone"],
        )  # fmt: skip
    if kind not in ("timestamp_ntz", "date"):
        return None
    value = exp.cast(node.this.copy(), "TIMESTAMP_NTZ", dialect="spark")
    # The time zone of the session has no effect on it.
    return fill_template(
        "MAKE_TIMESTAMP(YEAR(:t), MONTH(:t), DAY(:t), HOUR(:t), MINUTE(:t), "
        "EXTRACT(SECOND FROM :t), :zone)",
        t=value, zone=node.args["zone"],
    )  # fmt: skip


def check_date_trunc(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Write units in full; refuse those that Spark lacks, and time zones, which it ignores."""
    if node.args.get("zone") is not None and dialect in LIKE_POSTGRES:
        raise WorkbenchError(
            "query: date_trunc has no zone here; use date_trunc(unit, t AT TIME ZONE zone) AT TIME "
            "ZONE zone."
        )
    kind = kind_of(node, node.this, kinds)
    # The start is a time, also of what is known to be a date; TRUNC of Spark returns a date.
    start = exp.TimestampTrunc(this=node.this, unit=exp.var(_unit_of(node)))
    has_no_zone = kind == "timestamp_ntz" or (kind == "date" and dialect == "duckdb")
    # Spark's start is always an instant, which AT TIME ZONE would not read as local time.
    return exp.cast(start, "TIMESTAMP_NTZ", dialect="spark") if has_no_zone else start


def _unit_of(node: exp.Expr) -> str:
    """Return the unit of ``date_trunc`` in full, as Spark returns null for most abbreviations."""
    name = str(node.args["unit"].name)
    unit = unit_in_full(name)
    if unit in ("DECADE", "CENTURY", "CENTURIE", "MILLENNIUM", "MILLENNIA"):
        raise WorkbenchError(
            f"query: date_trunc has no {name.lower()} here; compute it from the year, as in "
            "make_date(year(d) - year(d) % 10, 1, 1)."
        )
    if unit not in _UNITS:
        raise WorkbenchError(
            f"query: date_trunc has no unit {name.lower()!r} here; write one of years, quarters, "
            "months, weeks, days, hours, minutes, seconds, milliseconds or microseconds."
        )
    return unit


def series(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a series of numbers, empty where its step leads away from its end.

    Make the ends of a series by an interval times: DuckDB returns times even between dates.
    """
    makes_rows = isinstance(node, exp.ExplodingGenerateSeries)
    if makes_rows and isinstance(node.parent, exp.Table | exp.Lateral):
        return None
    if kind_of(node, node.args["start"], kinds) in INTEGERS:
        last = "(:end) - INT(SIGN(:step))" if node.args.get("is_end_exclusive") else "(:end)"
        numbers = fill_template(
            f"IF(({last} - (:start)) * (:step) < 0, ARRAY(), SEQUENCE(:start, {last}, :step))",
            start=node.args["start"],
            end=node.args["end"],
            step=node.args.get("step") or exp.Literal.number(1),
        )
        return exp.Explode(this=numbers) if makes_rows else numbers
    step = node.args.get("step")
    step_kind = kind_of(node, step, kinds) if dialect == "duckdb" and step is not None else ""
    if step_kind.endswith("interval"):
        for end in ("start", "end"):
            time = exp.cast(node.args[end].copy(), "TIMESTAMP_NTZ", dialect="spark")
            node.set(end, time)
        return None if makes_rows else _times_of_series(node, step_kind)
    return None


def _times_of_series(node: exp.Expr, step_kind: str) -> exp.Expr:
    """Return the times from one to another; after a short month from its last day, as in DuckDB."""
    step, is_before_end = exp.paren(node.args["step"].copy()), "TRUE"
    is_reached = "(:start + :step > :start) = (:end > :start) OR :end = :start"
    times = "SEQUENCE(:start, :end, :step)"
    if step_kind == "yearmonthinterval":
        times = (
            "AGGREGATE(SEQUENCE(:start, :end + INTERVAL '3' DAY, :step), ARRAY(:start), "
            "(so_, each_) -> CONCAT(so_, ARRAY(ELEMENT_AT(so_, -1) + :step)))"
        )
        is_before_end = "IF(:start + :step > :start, each_ <= :end, each_ >= :end)"
    if node.args.get("is_end_exclusive"):
        is_before_end += " AND each_ <> :end"
    return fill_template(
        f"IF(NOT ({is_reached}), ARRAY(), FILTER({times}, each_ -> {is_before_end}))",
        start=node.args["start"], end=node.args["end"], step=step,
    )  # fmt: skip


def sum_of_times(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Make the sum of a date and an interval a time, and the difference of two dates a number."""
    left, right = node.this, node.expression
    if any(is_interval(one) for one in (left, right)):
        other = right if is_interval(left) else left
        if is_interval(other):
            return None
        if kind_of(node, other, kinds) == "date":
            # Spark has no sum of a date and hours that are no constant.
            time = exp.cast(other.copy(), "TIMESTAMP_NTZ", dialect="spark")
            left, right = (left, time) if is_interval(left) else (time, right)
            return exp.paren(type(node)(this=left.copy(), expression=right.copy()), copy=False)
    elif isinstance(node, exp.Sub) and not any(
        isinstance(one, exp.Literal | exp.Neg | exp.Count | exp.Sum | exp.Avg)
        for one in (left, right)
    ):
        types = kinds(node, [left, right])
        if types and all(one.typeName() == "date" for one in types):
            return anonymous("DATEDIFF", left, right)
    return None

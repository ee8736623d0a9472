"""Functions of times that other systems count or type otherwise than Spark."""

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.kinds import NUMBERS, Kinds, kind_of
from workbench.dialects.times.intervals import bucket, interval_of, moved
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

_TIMES = ("timestamp", "timestamp_ntz")
#: Units of whose begin ClickHouse gives the day.
_OF_DAYS = ("WEEK", "MONTH", "QUARTER", "YEAR")


def begun(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return when a unit of ClickHouse's begins: a day from weeks on, else a time."""
    unit = str(node.args["unit"].name).upper()
    word = exp.Literal.string(unit)
    found = anonymous("DATE_TRUNC", word, node.this)
    return exp.cast(found, "DATE") if unit in _OF_DAYS else found


def shifted(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a time some units behind or before another: ``dateAdd(HOUR, 2, t)``."""
    time, count = node.this, node.expression
    if isinstance(count, exp.Interval):
        kind = exp.Sub if isinstance(node, exp.DateSub | exp.TimestampSub) else exp.Add
        made = exp.paren(kind(this=time.copy(), expression=count.copy()), copy=False)
        is_day = dialect != "clickhouse" and kind_of(node, time, kinds) == "date"
        return exp.cast(made, "TIMESTAMP_NTZ", dialect="spark") if is_day else made
    if dialect != "clickhouse":
        return None
    unit = str(node.args["unit"].name if node.args.get("unit") else "DAY")
    back = isinstance(node, exp.DateSub | exp.TimestampSub)
    return moved(time, count.copy(), unit, back, kind_of(node, time, kinds))


def sum_with_seconds(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return what ClickHouse means by times that are added to and subtracted: seconds, and days."""
    left, right = node.this, node.expression
    if any(is_interval(one) for one in (left, right)):
        return None
    if isinstance(left, exp.Literal) and isinstance(right, exp.Literal):
        return None
    first, second = kind_of(node, left, kinds), kind_of(node, right, kinds)
    times = {first, second} & {*_TIMES, "date"}
    if not times:
        return None
    if isinstance(node, exp.Sub) and first in _TIMES and second in _TIMES:
        seconds = "UNIX_SECONDS(TIMESTAMP(:a)) - UNIX_SECONDS(TIMESTAMP(:b))"
        return exp.paren(fill_template(seconds, a=left, b=right), copy=False)
    if first == second == "date" and isinstance(node, exp.Sub):
        return fill_template("DATEDIFF(:a, :b)", a=left, b=right)
    if first in _TIMES and second in NUMBERS:
        sign = "-" if isinstance(node, exp.Sub) else "+"
        span = interval_of(right, "SECOND")
        return exp.paren(fill_template(f"(:a) {sign} :b", a=left, b=span or right), copy=False)
    if first == "date" and second in NUMBERS:
        sign = "-" if isinstance(node, exp.Sub) else ""
        return fill_template(f"DATE_ADD(:a, {sign}INT(:b))", a=left, b=right)
    return None


def is_interval(node: exp.Expr) -> bool:
    """Say whether an expression is an interval as it is written, or made of a number."""
    made = isinstance(node, exp.Anonymous) and node.name.upper().endswith("_INTERVAL")
    return made or isinstance(node, exp.Interval)


def interval(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return an interval of as many units as a row says: ``INTERVAL (n) DAY``."""
    if isinstance(node.this, exp.Literal) or node.this is None or node.args.get("unit") is None:
        return None
    return interval_of(node.this.unnest(), str(node.args["unit"].name))


def interval_by_name(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return DuckDB's ``to_days(n)`` and the like."""
    return interval_of(node.this, "DAY")


def bucketed(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return when a bucket of DuckDB's ``time_bucket`` begins."""
    if node.args.get("unit") is not None:
        raise WorkbenchError(
            "query: time_bucket has an origin or an offset, which is not available; take it from "
            "the time before, and add it behind."
        )
    kind = kind_of(node, node.expression, kinds)
    begins = ("2000-01-01", "2000-01-03")
    return bucket(node.expression, node.this, kind, begins, "time_bucket")


def milliseconds(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the milliseconds of a time, and the time of milliseconds: both are ``epoch_ms``."""
    scale = node.args.get("scale")
    if scale is None:
        return fill_template("TIMESTAMP_SECONDS(:a)", a=node.this)
    if scale.name == "3" and kind_of(node, node.this, kinds) in (*_TIMES, "date"):
        return fill_template("UNIX_MILLIS(TIMESTAMP(:a))", a=node.this)
    return None


def in_zone(
    node: exp.Expr, dialect: str, kinds: Kinds, stands: exp.Expr | None = None
) -> exp.Expr | None:
    """An instant as a zone's clocks show it, and the instant at which they show a time."""
    if kind_of(stands or node, node.this, kinds) not in ("timestamp_ntz", "date"):
        return None
    value = exp.cast(node.this.copy(), "TIMESTAMP_NTZ", dialect="spark")
    # The session's own zone has no part in it.
    return fill_template(
        "MAKE_TIMESTAMP(YEAR(:t), MONTH(:t), DAY(:t), HOUR(:t), MINUTE(:t), "
        "EXTRACT(SECOND FROM :t), :zone)",
        t=value, zone=node.args["zone"],
    )  # fmt: skip


def check_unit(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Refuse units of which Spark begins none, and says null, and zones, which it leaves out."""
    if node.args.get("zone") is not None and dialect in LIKE_POSTGRES:
        raise WorkbenchError(
            "query: date_trunc has no zone here; take date_trunc(unit, t AT TIME ZONE zone) AT "
            "TIME ZONE zone."
        )
    unit = str(node.args["unit"].name).upper()
    if unit.rstrip("S") in ("DECADE", "CENTURY", "CENTURIE", "MILLENNIUM", "MILLENNIA"):
        raise WorkbenchError(
            f"query: date_trunc knows no {unit.lower()} here; count the years, as by "
            "make_date(year(d) - year(d) % 10, 1, 1)."
        )
    return None


def series(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A series of times by an interval, which are no days although its ends may be."""
    if dialect == "duckdb" and isinstance(node.args.get("step"), exp.Interval):
        for end in ("start", "end"):
            time = exp.cast(node.args[end].copy(), "TIMESTAMP_NTZ", dialect="spark")
            node.set(end, time)
    return None


def sum_of_times(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A day and an interval is a time; the distance of two days is a number."""
    left, right = node.this, node.expression
    if any(is_interval(one) for one in (left, right)):
        other = right if is_interval(left) else left
        if is_interval(other):
            return None
        if kind_of(node, other, kinds) == "date":
            return exp.cast(node.copy(), "TIMESTAMP_NTZ", dialect="spark")
    elif isinstance(node, exp.Sub) and not any(
        isinstance(one, exp.Literal | exp.Neg | exp.Count | exp.Sum | exp.Avg)
        for one in (left, right)
    ):
        found = kinds(node, [left, right])
        if found and all(one.typeName() == "date" for one in found):
            return anonymous("DATEDIFF", left, right)
    return None

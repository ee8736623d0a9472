"""Parts and starts of times, and their arithmetic, in ClickHouse."""

import re
from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.clickhouse.times import to_date_time64
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.templates import anonymous, call_from_template, fill_template
from workbench.dialects.times.intervals import DATE_UNITS, bucket_start, shift_time
from workbench.errors import WorkbenchError

_MINUTES = "DATE_TRUNC('HOUR', :a) + MAKE_DT_INTERVAL(0, 0, (MINUTE(:a) DIV {0}) * {0})"
#: The days since the last Sunday.
_FROM_SUNDAY = "PMOD(WEEKDAY(:a) + 1, 7)"
#: Templates by name and number of arguments.
_TEMPLATES: dict[tuple[str, int], str] = {
    ("toyear", 1): "YEAR(:a)", ("tomonth", 1): "MONTH(:a)", ("toquarter", 1): "QUARTER(:a)",
    ("todayofmonth", 1): "DAY(:a)", ("todayofyear", 1): "DAYOFYEAR(:a)",
    ("tohour", 1): "HOUR(:a)", ("tominute", 1): "MINUTE(:a)", ("tosecond", 1): "SECOND(:a)",
    ("toyyyymm", 1): "YEAR(:a) * 100 + MONTH(:a)",
    ("toyyyymmdd", 1): "YEAR(:a) * 10000 + MONTH(:a) * 100 + DAY(:a)",
    ("tostartofweek", 1): f"DATE_ADD(DATE(:a), -{_FROM_SUNDAY})",
    ("tostartoffiveminutes", 1): _MINUTES.format(5),
    ("tostartoffiveminute", 1): _MINUTES.format(5),
    ("tostartoftenminutes", 1): _MINUTES.format(10),
    ("tostartoffifteenminutes", 1): _MINUTES.format(15),
    ("tolastdayofmonth", 1): "LAST_DAY(:a)",
    ("timeslot", 1): _MINUTES.format(30),
    ("fromunixtimestamp", 1): "TIMESTAMP_SECONDS(:a)",
    ("fromunixtimestamp64milli", 1): "TIMESTAMP_MILLIS(:a)",
    ("fromunixtimestamp64micro", 1): "TIMESTAMP_MICROS(:a)",
    ("fromunixtimestamp64milli", 2): "TIMESTAMP_MILLIS(:a)",
    ("fromunixtimestamp64micro", 2): "TIMESTAMP_MICROS(:a)",
    ("makedate", 3): "MAKE_DATE(:a, :b, :c)", ("now", 1): "NOW()",
    ("torelativedaynum", 1): "UNIX_DATE(DATE(:a))",
    ("torelativeweeknum", 1): "(UNIX_DATE(DATE(:a)) + 3) DIV 7",
    ("torelativemonthnum", 1): "YEAR(:a) * 12 + MONTH(:a)",
    ("torelativequarternum", 1): "YEAR(:a) * 4 + QUARTER(:a) - 1",
    ("torelativeyearnum", 1): "YEAR(:a)",
    **{
        (f"torelative{unit}num", 1): f"UNIX_SECONDS(TIMESTAMP(:a)) DIV {seconds}"
        for unit, seconds in (("second", 1), ("minute", 60), ("hour", 3600))
    },
    # A text of another form is null. A date that does not exist is an error, unlike there.
    **{
        (f"to{kind}ornull", 1): f"CAST(IF(:a RLIKE '{pattern}', :a, NULL) AS {spark_type})"
        for kind, pattern, spark_type in (
            ("date", "^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?|[0-9]{8})$", "DATE"),
            ("datetime", "^([0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?|"
             "[0-9]{7,14})$", "TIMESTAMP"),
        )
    },
    ("toyyyymmddhhmmss", 1): "(YEAR(:a) * 10000 + MONTH(:a) * 100 + DAY(:a)) * "
    "BIGINT(1000000) + HOUR(:a) * 10000 + MINUTE(:a) * 100 + SECOND(:a)",
    ("yyyymmddtodate", 1): "MAKE_DATE((:a) DIV 10000, (:a) DIV 100 % 100, (:a) % 100)",
    ("makedatetime", 6): "MAKE_TIMESTAMP(:a, :b, :c, :d, :e, :f)",
    ("tostartofisoyear", 1): "DATE(DATE_TRUNC('WEEK', "
    "MAKE_DATE(EXTRACT(YEAROFWEEK FROM :a), 1, 4)))",
    # Weeks begin on Sundays, and the first one of a year with its first Sunday.
    ("toweek", 1): f"(DAYOFYEAR(:a) + 6 - {_FROM_SUNDAY}) DIV 7",
    ("today", 0): "CURRENT_DATE()", ("yesterday", 0): "DATE_ADD(CURRENT_DATE(), -1)",
}  # fmt: skip
_UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_ADD_OR_SUBTRACT = re.compile(rf"(add|subtract)({'|'.join(_UNITS)})s$")


def rewrite_time_call(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return a call about times with the same meaning in Spark; None if the function is unknown.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("toYYYYMM(d)", read="clickhouse")
    >>> print(rewrite_time_call(node, lambda node, operands: None).sql("spark"))
    (YEAR(d) * 100 + MONTH(d))
    """
    name, arguments = node.name.lower(), list(node.expressions)
    if (call := call_from_template(_TEMPLATES, name, arguments)) is not None:
        return call
    if (rewrite := _REWRITES.get(name)) is not None:
        return rewrite(node, arguments, kinds)
    if (shift := _ADD_OR_SUBTRACT.match(name)) and len(arguments) == 2:
        kind = kind_of(node, arguments[0], kinds)
        return shift_time(arguments[0], arguments[1], shift[2], shift[1] == "subtract", kind)
    return None


#: The number of a day of the week, by ``toDayOfWeek``'s mode.
_DAYS_OF_WEEK = {
    "0": "WEEKDAY(:a) + 1", "1": "WEEKDAY(:a)", "2": _FROM_SUNDAY, "3": f"{_FROM_SUNDAY} + 1",
}  # fmt: skip
#: The week of ISO 8601, in the mode that is one.
_ISO_WEEKS = {
    "toweek": "WEEKOFYEAR(:a)",
    "toyearweek": "EXTRACT(YEAROFWEEK FROM :a) * 100 + WEEKOFYEAR(:a)",
}
#: The letters of Spark for a named part of a time.
_NAMED_PARTS = {
    "year": "yyyy", "quarter": "q", "month": "MMMM", "dayofyear": "D", "day": "d",
    "weekday": "EEEE", "hour": "H", "minute": "m", "second": "s",
}  # fmt: skip


def _day_of_week(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    mode = arguments[1].sql() if len(arguments) == 2 else ""
    template = _DAYS_OF_WEEK.get(mode)
    return exp.paren(fill_template(template, a=arguments[0]), copy=False) if template else None


def _week(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) == 1:
        # The days before a year's first Sunday belong to the last week of the year before.
        sunday = fill_template(f"DATE_ADD(DATE(:a), -{_FROM_SUNDAY})", a=arguments[0])
        return fill_template("(YEAR(:a) * 100 + (DAYOFYEAR(:a) + 6) DIV 7)", a=sunday)
    if node.name.lower() == "toweek" and len(arguments) == 2 and arguments[1].sql() == "1":
        # The days before the first week of a year, and after its last one, have numbers of it.
        return fill_template(
            "CASE WHEN EXTRACT(YEAROFWEEK FROM :a) < YEAR(:a) THEN 0 "
            "WHEN EXTRACT(YEAROFWEEK FROM :a) > YEAR(:a) THEN 53 ELSE WEEKOFYEAR(:a) END",
            a=arguments[0],
        )
    if len(arguments) == 2 and arguments[1].sql() == "3":
        return exp.paren(fill_template(_ISO_WEEKS[node.name.lower()], a=arguments[0]), copy=False)
    return None


def _named_part(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``dateName``: a part of a time as text, months and days of the week by name."""
    letters = _NAMED_PARTS.get(arguments[0].name.lower()) if len(arguments) == 2 else None
    if letters is None:
        return None
    return anonymous("DATE_FORMAT", arguments[1], exp.Literal.string(letters))


def _age(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the whole units between two times."""
    if len(arguments) != 3 or arguments[0].name.lower() not in _UNITS:
        return None
    return anonymous("TIMESTAMPDIFF", exp.var(arguments[0].name.upper()), *arguments[1:])


def _interval(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``toIntervalDay(n)`` and the like."""
    unit = exp.var(node.name[len("tointerval") :].upper())
    return exp.Interval(this=arguments[0].copy(), unit=unit) if len(arguments) == 1 else None


def _start_of_interval(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) == 3 and kind_of(node, arguments[2], kinds) != "string":
        raise WorkbenchError(
            "query: toStartOfInterval takes no origin here; subtract it from the time before, and "
            "add it after."
        )
    if len(arguments) != 2:
        return None
    time, width = arguments
    kind = kind_of(node, time, kinds)
    unit = str(width.args["unit"].name).upper().rstrip("S") if width.args.get("unit") else ""
    if unit in DATE_UNITS:
        time, kind = exp.cast(time.copy(), "DATE"), "date"
    # Weeks begin on Mondays.
    origin = "1970-01-05" if unit == "WEEK" else "1970-01-01"
    return bucket_start(time, width, kind, ("1900-01-01", origin), "toStartOfInterval")


def _start_of_week(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    if len(arguments) != 2 or arguments[1].sql() not in ("0", "1"):
        return None
    if arguments[1].sql() == "1":
        return fill_template("DATE_ADD(DATE(:a), -WEEKDAY(:a))", a=arguments[0])
    return call_from_template(_TEMPLATES, "tostartofweek", arguments[:1])


def _to_date_time(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return ``toDateTime`` with a zone: an instant, or a text that is a local time in the zone."""
    if len(arguments) != 2:
        return None
    if kind_of(node, arguments[0], kinds) == "string":
        return fill_template("TIMESTAMP(CONCAT(:a, ' ', :b))", a=arguments[0], b=arguments[1])
    return exp.cast(arguments[0].copy(), "TIMESTAMP", dialect="spark")


_REWRITES: dict[str, Callable[[exp.Expr, list[exp.Expr], Kinds], exp.Expr | None]] = {
    "age": _age,
    "todayofweek": _day_of_week,
    **dict.fromkeys(_ISO_WEEKS, _week),
    "datename": _named_part,
    **{f"tointerval{unit}": _interval for unit in _UNITS},
    "tostartofinterval": _start_of_interval,
    "tostartofweek": _start_of_week,
    "todatetime": _to_date_time,
    "todatetime64": to_date_time64,
}

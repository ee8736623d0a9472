"""Intervals whose number of units may be a column, and buckets of time."""

import re
from collections.abc import Sequence

from sqlglot import exp

from workbench.dialects.templates import fill_template
from workbench.durations import MONTHS_IN
from workbench.errors import WorkbenchError

#: The months of a unit.
MONTHS = {unit.upper(): months for unit, months in MONTHS_IN.items()}
#: The seconds of a unit.
SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3_600, "DAY": 86_400, "WEEK": 604_800}
#: Units whose start is a date in ClickHouse.
DATE_UNITS = ("WEEK", "MONTH", "QUARTER", "YEAR")


_PIECE = re.compile(r"\s*([+-]?)\s*(\d+)\s*([A-Za-z]+)")
#: Abbreviations of units in Postgres and DuckDB, without the S at their end.
_ABBREVIATIONS = {
    "MON": "MONTH", "Y": "YEAR", "YR": "YEAR", "D": "DAY", "H": "HOUR", "HR": "HOUR",
    "M": "MINUTE", "MIN": "MINUTE", "SEC": "SECOND", "": "SECOND", "W": "WEEK",
}  # fmt: skip
_BELOW_SECONDS = {
    "MS": "MILLISECOND", "MSEC": "MILLISECOND", "US": "MICROSECOND", "USEC": "MICROSECOND",
}  # fmt: skip


def spell_units(tree: exp.Expr) -> None:
    """Write the abbreviated units of intervals in full, as Spark knows no abbreviation.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT INTERVAL '5 mins', '1 hr 30 s'::INTERVAL", read="duckdb")
    >>> spell_units(tree)
    >>> print(tree.sql("duckdb"))
    SELECT INTERVAL '5' MINUTE, CAST('1 HOUR 30 SECOND' AS INTERVAL)
    """
    for node in tree.find_all(exp.Interval, exp.Cast):
        text, unit = node.this, node.args.get("unit")
        if isinstance(unit, exp.Var):
            unit.set("this", _spelled(unit.name))
        of_interval = isinstance(node, exp.Interval) or node.is_type("interval")
        if of_interval and isinstance(text, exp.Literal) and not _PIECE.sub("", text.this).strip():
            text.set("this", re.sub(r"[A-Za-z]+", lambda word: _spelled(word[0]), text.this))


def _spelled(unit: str) -> str:
    """Return a unit in full; as it is written, if it is no abbreviation."""
    # Those below a second are no plurals of M and U.
    if unit.upper() in ("MS", "US"):
        return unit
    return _ABBREVIATIONS.get(_singular(unit), unit)


def unit_in_full(unit: str) -> str:
    """Return a unit in capitals, neither abbreviated nor in the plural.

    Examples
    --------
    >>> [unit_in_full(unit) for unit in ("hours", "mon", "secs", "ms", "fortnight")]
    ['HOUR', 'MONTH', 'SECOND', 'MILLISECOND', 'FORTNIGHT']
    """
    if unit.upper() in ("MS", "US"):
        return _BELOW_SECONDS[unit.upper()]
    single = _singular(unit)
    return _BELOW_SECONDS.get(single) or _ABBREVIATIONS.get(single, single)


def split_intervals(tree: exp.Expr) -> None:
    """Split intervals of both months and days, which Spark lacks, into two sums.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT t - INTERVAL '1 month 2 days'", read="duckdb")
    >>> split_intervals(tree)
    >>> print(tree.sql("spark"))
    SELECT t - INTERVAL '1' MONTH - INTERVAL '2' DAY
    """
    for call in list(tree.find_all(exp.MakeInterval)):
        _split_call(call)
    for node in list(tree.find_all(exp.Interval, exp.Cast)):
        operation, text = node.parent, node.this
        if isinstance(node, exp.Cast) and node.args["to"].this is not exp.DType.INTERVAL:
            continue
        if not isinstance(operation, exp.Add | exp.Sub) or not isinstance(text, exp.Literal):
            continue
        pieces = _pieces(text.this)
        if {unit in MONTHS for _, unit in pieces} != {True, False}:
            continue
        # Months come first, all at once.
        months = sum(int(count) * MONTHS[unit] for count, unit in pieces if unit in MONTHS)
        days = [one for one in pieces if one[1] not in MONTHS]
        intervals = [
            exp.Interval(this=exp.Literal.string(count), unit=exp.var(unit))
            for count, unit in [(str(months), "MONTH"), *days]
        ]
        _replace_by_several(node, intervals)


def _replace_by_several(node: exp.Expr, intervals: Sequence[exp.Expr]) -> None:
    """Replace the interval of a sum by several, which are added one after the other."""
    operation = node.parent
    is_right = operation is not None and node is operation.args.get("expression")
    if isinstance(operation, exp.Add) or (isinstance(operation, exp.Sub) and is_right):
        total = operation.this if is_right else operation.expression
        for one in intervals:
            total = type(operation)(this=total.copy(), expression=one)
        operation.replace(total)


def _split_call(node: exp.MakeInterval) -> None:
    """Write ``t + make_interval(months => 1, hours => n)`` as a sum with an interval for each."""
    counts = {
        unit: value.expression if isinstance(value, exp.Kwarg) else value
        for unit in ("year", "month", "week", "day", "hour", "minute", "second")
        if (value := node.args.get(unit)) is not None
    }
    intervals = [
        exp.Interval(this=exp.paren(count.copy(), copy=False), unit=exp.var(unit.upper()))
        for unit, count in counts.items()
    ]
    if len(intervals) == 1:
        node.replace(intervals[0])
    else:
        _replace_by_several(node, intervals)


def _pieces(text: str) -> list[tuple[str, str]]:
    """Return the counts and units of an interval's text; an empty list if it has another form."""
    pieces = [(f"{sign}{count}".lstrip("+"), _singular(_spelled(unit))) for sign, count, unit in
             _PIECE.findall(text)]  # fmt: skip
    is_read = not _PIECE.sub("", text).strip()
    has_known_units = is_read and all(unit in MONTHS or unit in SECONDS for _, unit in pieces)
    return pieces if has_known_units else []


def interval_of(count: exp.Expr, unit: str) -> exp.Expr | None:
    """Return an interval of some units; None if Spark has no such unit.

    Examples
    --------
    >>> print(interval_of(exp.column("n"), "weeks").sql("spark"))
    MAKE_DT_INTERVAL(CAST((n) * 7 AS INT))
    """
    unit = _singular(unit)
    if unit in MONTHS:
        return fill_template(f"MAKE_YM_INTERVAL(0, INT((:n) * {MONTHS[unit]}))", n=count)
    if unit == "DAY":
        return fill_template("MAKE_DT_INTERVAL(INT(:n))", n=count)
    if unit == "WEEK":
        return fill_template("MAKE_DT_INTERVAL(INT((:n) * 7))", n=count)
    if unit in SECONDS:
        seconds = f"CAST((:n) * {SECONDS[unit]} AS DECIMAL(18, 6))"
        return fill_template(f"MAKE_DT_INTERVAL(0, 0, 0, {seconds})", n=count)
    return None


def add_to_date(count: exp.Expr, unit: str, day: exp.Expr) -> exp.Expr | None:
    """Return a date plus some units; None if the unit is shorter than a day."""
    unit = _singular(unit)
    if unit in MONTHS:
        return fill_template(f"ADD_MONTHS(:day, INT((:n) * {MONTHS[unit]}))", day=day, n=count)
    if unit in ("DAY", "WEEK"):
        size = SECONDS[unit] // SECONDS["DAY"]
        return fill_template(f"DATE_ADD(:day, INT((:n) * {size}))", day=day, n=count)
    return None


def shift_time(
    time: exp.Expr, count: exp.Expr, unit: str, is_subtraction: bool, kind: str
) -> exp.Expr | None:
    """Return a time plus or minus some units; None if there is no such unit.

    Parameters
    ----------
    time, count : sqlglot.exp.Expr
    unit : str
    is_subtraction : bool
    kind : str
        Spark's name for the type of the time.

    Examples
    --------
    >>> print(shift_time(exp.column("t"), exp.column("n"), "day", True, "date").sql("spark"))
    DATE_ADD(t, CAST((-(n)) * 1 AS INT))
    """
    count = exp.Neg(this=exp.paren(count)) if is_subtraction else count
    if kind == "date" and (day := add_to_date(count, unit, time)):
        return day
    interval = interval_of(count, unit)
    return None if interval is None else fill_template("((:a) + :b)", a=time, b=interval)


def bucket_start(
    time: exp.Expr,
    width: exp.Expr,
    kind: str,
    origins: tuple[str, str],
    sql_name: str,
    seconds: int = 0,
) -> exp.Expr:
    """Return the start of the bucket of a time.

    Parameters
    ----------
    time : sqlglot.exp.Expr
    width : sqlglot.exp.Expr
        A constant interval.
    kind : str
        Spark's name for the type of the time.
    origins : tuple of two str
        The date at which buckets of months start, and that of all other buckets.
    sql_name : str
        The name of the function in the query.
    seconds : int
        How long after midnight buckets start at the date.

    Raises
    ------
    WorkbenchError
        When the width is no constant, or not one number of one unit, and when buckets of months
        would not start with a month.
    """
    count, unit = _width(width, sql_name)
    if unit in MONTHS:
        if seconds or not origins[0].endswith("-01"):
            raise WorkbenchError(
                f"query: buckets of months begin on the first of a month here; give {sql_name} "
                "such an origin."
            )
        months = count * MONTHS[unit]
        month_count = "((YEAR(:t) * 12 + MONTH(:t)) - (YEAR(:o) * 12 + MONTH(:o)))"
        month_start = f"ADD_MONTHS(:o, INT({month_count} - PMOD({month_count}, {months})))"
        start = fill_template(month_start, t=time, o=_date_literal(origins[0]))
    elif kind == "date" and count * SECONDS[unit] % SECONDS["DAY"] == 0 and not seconds:
        days = count * SECONDS[unit] // SECONDS["DAY"]
        date_start = f"DATE_ADD(:t, -PMOD(DATEDIFF(:t, :o), {days}))"
        return fill_template(date_start, t=time, o=_date_literal(origins[1]))
    else:
        # By the local clock: a day in a time zone may have another number of seconds.
        seconds_past = (
            f"PMOD(BIGINT(DATEDIFF(:t, :o)) * 86400 + HOUR(:t) * 3600 + MINUTE(:t) * 60 "
            f"+ FLOOR(EXTRACT(SECOND FROM :t)) - {seconds}, {count * SECONDS[unit]})"
        )
        clock = "CAST(DATE_TRUNC('SECOND', :t) AS TIMESTAMP_NTZ)"
        start = fill_template(
            f"{clock} - MAKE_DT_INTERVAL(0, 0, 0, {seconds_past})",
            t=time,
            o=_date_literal(origins[1]),
        )
    names = {"date": "DATE", "timestamp": "TIMESTAMP"}
    return exp.cast(start, names.get(kind, "TIMESTAMP_NTZ"), dialect="spark")


def _date_literal(text: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), "DATE")


def _width(width: exp.Expr, sql_name: str) -> tuple[int, str]:
    """Return the number and the unit of a width."""
    node = width.this if isinstance(width, exp.Cast) else width
    interval_text = ""
    if isinstance(node, exp.Interval) and isinstance(node.this, exp.Literal):
        interval_text = (
            f"{node.this.this} {node.args['unit'].name if node.args.get('unit') else ''}"
        )
    elif isinstance(node, exp.Literal):
        interval_text = node.this
    pieces = interval_text.split()
    unit = _singular(pieces[1]) if len(pieces) == 2 else ""
    if not pieces or not pieces[0].isdigit() or unit not in (*MONTHS, *SECONDS):
        raise WorkbenchError(
            f"query: {sql_name} takes an interval of one number and one unit here, from seconds to "
            "years, such as INTERVAL '15 minutes'."
        )
    return int(pieces[0]), unit


def _singular(unit: str) -> str:
    return unit.upper().removesuffix("S")

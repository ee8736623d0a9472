"""Intervals of as many units as a row says, and the buckets of time that an interval makes."""

import re

from sqlglot import exp

from workbench.dialects.writing import fill_template
from workbench.durations import MONTHS_IN
from workbench.errors import WorkbenchError

#: Units by the months that they have.
MONTHS = {unit.upper(): months for unit, months in MONTHS_IN.items()}
#: And by the seconds.
SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3_600, "DAY": 86_400, "WEEK": 604_800}


_PIECE = re.compile(r"\s*([+-]?)\s*(\d+)\s*([A-Za-z]+)")
#: What Postgres and DuckDB call units for short.
_SHORT = {"MON": "MONTH", "Y": "YEAR", "D": "DAY", "H": "HOUR", "HR": "HOUR", "MIN": "MINUTE",
          "SEC": "SECOND", "S": "SECOND", "W": "WEEK"}  # fmt: skip


def with_intervals_apart(tree: exp.Expr) -> None:
    """Add months and days one after the other, of which Spark has no interval together.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT t - INTERVAL '1 month 2 days'", read="duckdb")
    >>> with_intervals_apart(tree)
    >>> print(tree.sql("spark"))
    SELECT t - INTERVAL '1' MONTH - INTERVAL '2' DAY
    """
    for node in list(tree.find_all(exp.Interval, exp.Cast)):
        of, text = node.parent, node.this
        if isinstance(node, exp.Cast) and node.args["to"].this is not exp.DType.INTERVAL:
            continue
        if not isinstance(of, exp.Add | exp.Sub) or not isinstance(text, exp.Literal):
            continue
        pieces = _pieces(text.this)
        if {unit in MONTHS for _, unit in pieces} != {True, False}:
            continue
        found = of.expression if node is of.this else of.this
        if isinstance(of, exp.Sub) and node is of.this:
            continue
        # Months come first, all at once.
        months = sum(int(count) * MONTHS[unit] for count, unit in pieces if unit in MONTHS)
        days = [one for one in pieces if one[1] not in MONTHS]
        for count, unit in [(str(months), "MONTH"), *days]:
            one = exp.Interval(this=exp.Literal.string(count), unit=exp.var(unit))
            found = type(of)(this=found.copy(), expression=one)
        of.replace(found)


def _pieces(text: str) -> list[tuple[str, str]]:
    """The counts and units of an interval as it is written; none where it is written otherwise."""
    found = [(f"{sign}{count}".lstrip("+"), _plain(unit)) for sign, count, unit in
             _PIECE.findall(text)]  # fmt: skip
    found = [(count, _SHORT.get(unit, unit)) for count, unit in found]
    is_read = not _PIECE.sub("", text).strip()
    known = is_read and all(unit in MONTHS or unit in SECONDS for _, unit in found)
    return found if known else []


def interval_of(count: exp.Expr, unit: str) -> exp.Expr | None:
    """Return an interval of as many units; None where Spark has no such unit.

    Examples
    --------
    >>> print(interval_of(exp.column("n"), "weeks").sql("spark"))
    MAKE_DT_INTERVAL(CAST((n) * 7 AS INT))
    """
    unit = _plain(unit)
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


def days_of(count: exp.Expr, unit: str, day: exp.Expr) -> exp.Expr | None:
    """Return the day that is as many units behind another; None where these are none of days."""
    unit = _plain(unit)
    if unit in MONTHS:
        return fill_template(f"ADD_MONTHS(:day, INT((:n) * {MONTHS[unit]}))", day=day, n=count)
    if unit in ("DAY", "WEEK"):
        size = SECONDS[unit] // SECONDS["DAY"]
        return fill_template(f"DATE_ADD(:day, INT((:n) * {size}))", day=day, n=count)
    return None


def moved(time: exp.Expr, count: exp.Expr, unit: str, back: bool, kind: str) -> exp.Expr | None:
    """Return a time that is some units behind or before another; None where there is no such unit.

    Parameters
    ----------
    time, count : sqlglot.exp.Expr
    unit : str
    back : bool
    kind : str
        What Spark calls the type of the time.

    Examples
    --------
    >>> print(moved(exp.column("t"), exp.column("n"), "day", True, "date").sql("spark"))
    DATE_ADD(t, CAST((-(n)) * 1 AS INT))
    """
    count = exp.Neg(this=exp.paren(count)) if back else count
    if kind == "date" and (day := days_of(count, unit, time)):
        return day
    interval = interval_of(count, unit)
    return None if interval is None else fill_template("((:a) + :b)", a=time, b=interval)


def bucket(
    time: exp.Expr, width: exp.Expr, kind: str, begin: tuple[str, str], written: str
) -> exp.Expr:
    """Return when the bucket of a time begins.

    Parameters
    ----------
    time : sqlglot.exp.Expr
    width : sqlglot.exp.Expr
        An interval that the query says itself.
    kind : str
        What Spark calls the type of the time.
    begin : tuple of two str
        The day at which buckets of months begin, and the one of all others.
    written : str
        What the query calls it.

    Raises
    ------
    WorkbenchError
        When the width is none of whole units, or not known.
    """
    count, unit = _width(width, written)
    if unit in MONTHS:
        months = count * MONTHS[unit]
        whole = "((YEAR(:t) * 12 + MONTH(:t)) - (YEAR(:o) * 12 + MONTH(:o)))"
        begun = f"ADD_MONTHS(:o, INT({whole} - PMOD({whole}, {months})))"
        found = fill_template(begun, t=time, o=_day(begin[0]))
    elif kind == "date" and count * SECONDS[unit] % SECONDS["DAY"] == 0:
        days = count * SECONDS[unit] // SECONDS["DAY"]
        past = f"DATE_ADD(:t, -PMOD(DATEDIFF(:t, :o), {days}))"
        return fill_template(past, t=time, o=_day(begin[1]))
    else:
        # By the clock: a day of a zone may have another number of seconds.
        past = (
            f"PMOD(BIGINT(DATEDIFF(:t, :o)) * 86400 + HOUR(:t) * 3600 + MINUTE(:t) * 60 "
            f"+ FLOOR(EXTRACT(SECOND FROM :t)), {count * SECONDS[unit]})"
        )
        clock = "CAST(DATE_TRUNC('SECOND', :t) AS TIMESTAMP_NTZ)"
        found = fill_template(
            f"{clock} - MAKE_DT_INTERVAL(0, 0, 0, {past})", t=time, o=_day(begin[1])
        )
    names = {"date": "DATE", "timestamp": "TIMESTAMP"}
    return exp.cast(found, names.get(kind, "TIMESTAMP_NTZ"), dialect="spark")


def _day(text: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(text), "DATE")


def _width(width: exp.Expr, written: str) -> tuple[int, str]:
    """How many of which unit."""
    found = width.this if isinstance(width, exp.Cast) else width
    said = ""
    if isinstance(found, exp.Interval) and isinstance(found.this, exp.Literal):
        said = f"{found.this.this} {found.args['unit'].name if found.args.get('unit') else ''}"
    elif isinstance(found, exp.Literal):
        said = found.this
    pieces = said.split()
    unit = _plain(pieces[1]) if len(pieces) == 2 else ""
    if not pieces or not pieces[0].isdigit() or unit not in (*MONTHS, *SECONDS):
        raise WorkbenchError(
            f"query: {written} takes an interval of one number and one unit here, from seconds to "
            "years, as INTERVAL '15 minutes'."
        )
    return int(pieces[0]), unit


def _plain(unit: str) -> str:
    return unit.upper().removesuffix("S")

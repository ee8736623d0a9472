"""Functions of times of ClickHouse in a time zone: their own, or that of their time."""

from sqlglot import exp

from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.times.intervals import DATE_UNITS

#: The number of arguments before the zone, by function.
_ARGUMENTS_BEFORE_ZONE = {
    **dict.fromkeys(
        ("toyear", "toquarter", "tomonth", "todayofmonth", "todayofyear", "tohour", "tominute",
         "tosecond", "toyyyymm", "toyyyymmdd", "todate", "tostring", "tolastdayofmonth",
         "tostartoffiveminutes", "tostartoffiveminute", "tostartoftenminutes",
         "tostartoffifteenminutes", "totimezone"),
        1,
    ),
    **dict.fromkeys(("tostartofinterval", "tostartofweek"), 2),
}  # fmt: skip
#: Functions with a class in sqlglot.
_CLASSES = (exp.TimestampTrunc, exp.DateTrunc, exp.TimeToStr, exp.DateDiff)


def rewrite_zones(tree: exp.Expr) -> None:
    """Convert times to the local time of a zone where a function takes their parts in that zone.

    The start of a unit in local time is converted back to an instant.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT toHour(at, 'Asia/Tokyo')", read="clickhouse")
    >>> rewrite_zones(tree)
    >>> print(tree.sql("spark"))
    SELECT TOHOUR(CONVERT_TIMEZONE('Asia/Tokyo', at))
    """
    zoned = [(one, zone) for one in tree.find_all(*_CLASSES, exp.Anonymous)
             if (zone := _zone_of(one)) is not None]  # fmt: skip
    for node, zone in reversed(zoned):
        node.replace(_in_local_time(node.copy(), zone.copy()))


def _zone_of(node: exp.Expr) -> exp.Expr | None:
    """Return the zone of a function: its own, else that of its time."""
    own = node.args.get("zone")
    if own is not None or isinstance(node, _CLASSES):
        return own or _zone_of_time(node.this)
    zone_index = _ARGUMENTS_BEFORE_ZONE.get(node.name.lower(), 0)
    if zone_index and len(node.expressions) == zone_index + 1:
        zone: exp.Expr = node.expressions[zone_index]
        # A call is an origin of toStartOfInterval.
        return zone if isinstance(zone, exp.Literal | exp.Column) else None
    return _zone_of_time(node.expressions[0]) if zone_index and node.expressions else None


def _zone_of_time(time: exp.Expr) -> exp.Expr | None:
    """Return the zone of a time that another function returns; None for dates, and without one."""
    time = time.unnest()
    if isinstance(time, exp.Anonymous) and time.name.lower() == "todatetime":
        return time.expressions[1] if len(time.expressions) == 2 else None
    is_time = isinstance(time, (exp.TimestampTrunc, exp.DateTrunc, exp.Anonymous))
    return _zone_of(time) if is_time and _is_instant(time) else None


def _is_instant(node: exp.Expr) -> bool:
    """Return whether a function returns a time, not a date, number or text."""
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        return node.args["unit"].name.upper() not in DATE_UNITS
    name = node.name.lower()
    if name == "tostartofinterval":
        width = node.expressions[1]
        unit = width.args.get("unit") if isinstance(width, exp.Interval) else None
        unit_name = unit.name if unit is not None else width.name.lower().removeprefix("tointerval")
        return unit_name.upper().rstrip("S") not in DATE_UNITS
    return name == "totimezone" or (name.startswith("tostartof") and name != "tostartofweek")


def _in_local_time(node: exp.Expr, zone: exp.Expr) -> exp.Expr:
    if isinstance(node, _CLASSES):
        node.set("zone", None)
        for part in ("this", *(("expression",) if isinstance(node, exp.DateDiff) else ())):
            node.set(part, _to_local_time(node.args[part], zone))
    else:
        name, arguments = (
            node.name.lower(),
            node.expressions[: _ARGUMENTS_BEFORE_ZONE[node.name.lower()]],
        )
        if name == "totimezone":
            return exp.cast(arguments[0].copy(), "TIMESTAMP", dialect="spark")
        arguments = [_to_local_time(arguments[0], zone), *arguments[1:]]
        if name == "tostring":
            return anonymous("DATE_FORMAT", arguments[0], exp.Literal.string("yyyy-MM-dd HH:mm:ss"))
        node.set("expressions", arguments)
    if not _is_instant(node):
        return node
    template = "CONVERT_TIMEZONE(:zone, CURRENT_TIMEZONE(), TIMESTAMP_NTZ(:of))"
    return exp.cast(fill_template(template, zone=zone, of=node), "TIMESTAMP", dialect="spark")


def _to_local_time(time: exp.Expr, zone: exp.Expr) -> exp.Expr:
    return anonymous("CONVERT_TIMEZONE", zone, time)

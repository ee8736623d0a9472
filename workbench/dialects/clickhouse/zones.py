"""ClickHouse's functions of times that go by the clocks of a zone: their own, or their time's."""

from sqlglot import exp

from workbench.dialects.writing import anonymous, fill_template

#: Functions by their names, and how many arguments stand before their zone.
_BEFORE_ZONE = {
    **dict.fromkeys(
        ("toyear", "toquarter", "tomonth", "todayofmonth", "todayofyear", "tohour", "tominute",
         "tosecond", "toyyyymm", "toyyyymmdd", "todate", "tostring", "tolastdayofmonth",
         "tostartoffiveminutes", "tostartoffiveminute", "tostartoftenminutes",
         "tostartoffifteenminutes", "totimezone"),
        1,
    ),
    **dict.fromkeys(("tostartofinterval", "tostartofweek"), 2),
}  # fmt: skip
#: Those that sqlglot has classes for.
_CLASSES = (exp.TimestampTrunc, exp.DateTrunc, exp.TimeToStr, exp.DateDiff)
_OF_DAYS = ("WEEK", "MONTH", "QUARTER", "YEAR")


def with_zones(tree: exp.Expr) -> None:
    """Put what a zone's clocks show in the place of times of which parts are asked by its clocks.

    What begins by these clocks is an instant again, as all times are.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT toHour(at, 'Asia/Tokyo')", read="clickhouse")
    >>> with_zones(tree)
    >>> print(tree.sql("spark"))
    SELECT TOHOUR(CONVERT_TIMEZONE('Asia/Tokyo', at))
    """
    zoned = [(one, zone) for one in tree.find_all(*_CLASSES, exp.Anonymous)
             if (zone := _zone(one)) is not None]  # fmt: skip
    for node, zone in reversed(zoned):
        node.replace(_by_clocks(node.copy(), zone.copy()))


def _zone(node: exp.Expr) -> exp.Expr | None:
    """The zone by whose clocks a function goes: its own, else that of the time it is of."""
    own = node.args.get("zone")
    if own is not None or isinstance(node, _CLASSES):
        return own or _zone_of_time(node.this)
    before = _BEFORE_ZONE.get(node.name.lower(), 0)
    if before and len(node.expressions) == before + 1:
        zone: exp.Expr = node.expressions[before]
        return zone
    return _zone_of_time(node.expressions[0]) if before and node.expressions else None


def _zone_of_time(time: exp.Expr) -> exp.Expr | None:
    """The zone of a time that another function makes; None of days, and of times of none."""
    time = time.unnest()
    if isinstance(time, exp.Anonymous) and time.name.lower() == "todatetime":
        return time.expressions[1] if len(time.expressions) == 2 else None
    is_time = isinstance(time, (exp.TimestampTrunc, exp.DateTrunc, exp.Anonymous))
    return _zone(time) if is_time and _is_instant(time) else None


def _is_instant(node: exp.Expr) -> bool:
    """Whether a function makes a time, and no day, number or text."""
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        return node.args["unit"].name.upper() not in _OF_DAYS
    name = node.name.lower()
    if name == "tostartofinterval":
        width = node.expressions[1]
        unit = width.args.get("unit") if isinstance(width, exp.Interval) else None
        said = unit.name if unit is not None else width.name.lower().removeprefix("tointerval")
        return said.upper().rstrip("S") not in _OF_DAYS
    return name == "totimezone" or (name.startswith("tostartof") and name != "tostartofweek")


def _by_clocks(node: exp.Expr, zone: exp.Expr) -> exp.Expr:
    if isinstance(node, _CLASSES):
        node.set("zone", None)
        for part in ("this", *(("expression",) if isinstance(node, exp.DateDiff) else ())):
            node.set(part, _clocks(node.args[part], zone))
    else:
        name, given = node.name.lower(), node.expressions[: _BEFORE_ZONE[node.name.lower()]]
        if name == "totimezone":
            return exp.cast(given[0].copy(), "TIMESTAMP", dialect="spark")
        given = [_clocks(given[0], zone), *given[1:]]
        if name == "tostring":
            return anonymous("DATE_FORMAT", given[0], exp.Literal.string("yyyy-MM-dd HH:mm:ss"))
        node.set("expressions", given)
    if not _is_instant(node):
        return node
    shown = "CONVERT_TIMEZONE(:zone, CURRENT_TIMEZONE(), TIMESTAMP_NTZ(:of))"
    return exp.cast(fill_template(shown, zone=zone, of=node), "TIMESTAMP", dialect="spark")


def _clocks(time: exp.Expr, zone: exp.Expr) -> exp.Expr:
    return anonymous("CONVERT_TIMEZONE", zone, time)

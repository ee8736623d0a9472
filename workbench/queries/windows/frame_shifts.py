"""ClickHouse's ``lagInFrame`` and ``leadInFrame``, which look at the rows of their frames alone."""

from math import inf

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import walk_own

#: What each of them is, and whether it looks back or ahead.
_KINDS: dict[str, tuple[type[exp.Expr], int]] = {
    "laginframe": (exp.Lag, -1),
    "leadinframe": (exp.Lead, 1),
}
#: Without a frame it ends at the current row.
_USUAL = exp.WindowSpec(
    kind="RANGE", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW", end_side=None
)


def with_frame_shifts(select: exp.Select) -> None:
    """Put ``lag`` and ``lead`` in the places of those that look at their frames alone.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its windows in full; it is changed.

    Raises
    ------
    WorkbenchError
        When the row that is looked at may lie outside of the frame.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT lagInFrame(x, 2) OVER (ORDER BY d)", "clickhouse")
    >>> with_frame_shifts(tree)
    >>> print(tree.sql("clickhouse"))
    SELECT lag(x, 2) OVER (ORDER BY d)
    """
    for window in [one for one in walk_own(select) if isinstance(one, exp.Window)]:
        call = window.this
        while isinstance(call, exp.RespectNulls):
            call = call.this
        if not isinstance(call, exp.Anonymous) or call.name.lower() not in _KINDS:
            continue
        kind, way = _KINDS[call.name.lower()]
        offset = call.expressions[1] if len(call.expressions) > 1 else exp.Literal.number(1)
        if not _is_inside(window.args.get("spec") or _USUAL, offset, way):
            raise WorkbenchError(
                f"query: {call.name} looks at the rows of its frame alone; write ROWS BETWEEN "
                "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, or take lag and lead."
            )
        names = ("this", "offset", "default")
        given = {name: one.copy() for name, one in zip(names, call.expressions, strict=False)}
        window.set("this", kind(**given))
        window.set("spec", None)


def _is_inside(spec: exp.Expr, offset: exp.Expr, way: int) -> bool:
    """Whether a row so far behind or ahead is in the frame, where the partition has one."""
    low, high = (_rows_off(spec, side) for side in ("start", "end"))
    if low is None or high is None:
        return False
    if str(spec.args.get("kind")).upper() == "ROWS" and offset.is_int:
        return low <= way * int(offset.name) <= high
    return (low == -inf and high >= 0) if way < 0 else (high == inf and low <= 0)


def _rows_off(spec: exp.Expr, side: str) -> float | None:
    """How far from the current row a bound of a frame is, None where only a run tells."""
    bound = spec.args.get(side)
    sign = -1 if str(spec.args.get(f"{side}_side")).upper() == "PRECEDING" else 1
    if isinstance(bound, exp.Expr):
        return sign * int(bound.name) if bound.is_int else None
    return sign * inf if bound == "UNBOUNDED" else 0

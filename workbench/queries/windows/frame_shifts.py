"""``lagInFrame`` and ``leadInFrame`` of ClickHouse, which only see the rows of their frame."""

from math import inf

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import walk_own

#: The class of each function, and its direction: -1 is back, 1 is ahead.
_KINDS: dict[str, tuple[type[exp.Expr], int]] = {
    "laginframe": (exp.Lag, -1),
    "leadinframe": (exp.Lead, 1),
}
#: The frame of a window without one: it ends at the current row.
_DEFAULT_FRAME = exp.WindowSpec(
    kind="RANGE", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW", end_side=None
)


def replace_frame_shifts(select: exp.Select) -> None:
    """Replace ``lagInFrame`` and ``leadInFrame`` by ``lag`` and ``lead``.

    Parameters
    ----------
    select : sqlglot.exp.Select
        Has its named windows resolved; it is changed.

    Raises
    ------
    WorkbenchError
        When the other row may lie outside of the frame.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT lagInFrame(x, 2) OVER (ORDER BY d)", "clickhouse")
    >>> replace_frame_shifts(tree)
    >>> print(tree.sql("clickhouse"))
    SELECT lag(x, 2) OVER (ORDER BY d)
    """
    for window in [one for one in walk_own(select) if isinstance(one, exp.Window)]:
        call = window.this
        while isinstance(call, exp.RespectNulls):
            call = call.this
        if not isinstance(call, exp.Anonymous) or call.name.lower() not in _KINDS:
            continue
        kind, direction = _KINDS[call.name.lower()]
        offset = call.expressions[1] if len(call.expressions) > 1 else exp.Literal.number(1)
        if not _is_inside(window.args.get("spec") or _DEFAULT_FRAME, offset, direction):
            raise WorkbenchError(
                f"query: {call.name} looks only at the rows of its frame; write ROWS BETWEEN "
                "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, or use lag and lead."
            )
        names = ("this", "offset", "default")
        arguments = {name: one.copy() for name, one in zip(names, call.expressions, strict=False)}
        window.set("this", kind(**arguments))
        window.set("spec", None)


def _is_inside(spec: exp.Expr, offset: exp.Expr, direction: int) -> bool:
    """Return whether a row at this offset is always in the frame if the partition has it."""
    low, high = (_offset_of(spec, side) for side in ("start", "end"))
    if low is None or high is None:
        return False
    if str(spec.args.get("kind")).upper() == "ROWS" and offset.is_int:
        return low <= direction * int(offset.name) <= high
    return (low == -inf and high >= 0) if direction < 0 else (high == inf and low <= 0)


def _offset_of(spec: exp.Expr, side: str) -> float | None:
    """Return how many rows a bound is from the current row; None if it is no constant."""
    bound = spec.args.get(side)
    sign = -1 if str(spec.args.get(f"{side}_side")).upper() == "PRECEDING" else 1
    if isinstance(bound, exp.Expr):
        return sign * int(bound.name) if bound.is_int else None
    return sign * inf if bound == "UNBOUNDED" else 0

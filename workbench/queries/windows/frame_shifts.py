"""ClickHouse's ``lagInFrame`` and ``leadInFrame``, whose frames hold all that they may look at."""

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import own

_KINDS: dict[str, tuple[type[exp.Expr], str]] = {
    "laginframe": (exp.Lag, "start"),
    "leadinframe": (exp.Lead, "end"),
}


def with_frame_shifts(select: exp.Select) -> None:
    """Put ``lag`` and ``lead`` in the places of those that look at their frames alone.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its windows in full; it is changed.

    Raises
    ------
    WorkbenchError
        When a frame ends before the partition does, on the side that is looked at.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parsed
    >>> tree = parsed("SELECT lagInFrame(x, 2) OVER (ORDER BY d)", "clickhouse")
    >>> with_frame_shifts(tree)
    >>> print(tree.sql("clickhouse"))
    SELECT lag(x, 2) OVER (ORDER BY d)
    """
    for window in [one for one in own(select) if isinstance(one, exp.Window)]:
        call = window.this
        while isinstance(call, exp.RespectNulls):
            call = call.this
        if not isinstance(call, exp.Anonymous) or call.name.lower() not in _KINDS:
            continue
        kind, side = _KINDS[call.name.lower()]
        spec = window.args.get("spec")
        # Without a frame it ends at the current row.
        bound = spec.args.get(side) if spec is not None else {"start": "UNBOUNDED"}.get(side)
        if bound != "UNBOUNDED":
            raise WorkbenchError(
                f"query: {call.name} looks at the rows of its frame alone; write ROWS BETWEEN "
                "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, or take lag and lead."
            )
        names = ("this", "offset", "default")
        given = {name: one.copy() for name, one in zip(names, call.expressions, strict=False)}
        window.set("this", kind(**given))
        window.set("spec", None)

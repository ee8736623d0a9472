"""``lag`` and ``lead`` by a distance that each row has of its own, as frames of one row."""

from sqlglot import exp

from workbench.queries.parsing import own


def with_shifts_by_row(select: exp.Select) -> exp.Select:
    """Return a SELECT in which ``lag(x, n)`` of a column ``n`` is the one row n rows back.

    A row without a distance has no answer; one whose row is beyond its partition has the default.

    Parameters
    ----------
    select : sqlglot.exp.Select
        With its windows in full; it is changed.

    Returns
    -------
    sqlglot.exp.Select

    Examples
    --------
    >>> from workbench.queries.parsing import parsed
    >>> tree = parsed("SELECT lag(x, n) OVER (ORDER BY id)", "duckdb")
    >>> print(with_shifts_by_row(tree).sql("duckdb"))
    SELECT CASE WHEN NOT n IS NULL THEN FIRST_VALUE(x) OVER (ORDER BY id ROWS BETWEEN \
COALESCE(n, 0) PRECEDING AND COALESCE(n, 0) PRECEDING) END
    """
    for window in [one for one in own(select) if isinstance(one, exp.Window)]:
        shift = window.this
        if isinstance(shift, exp.Lag | exp.Lead) and _varies(shift.args.get("offset")):
            window.replace(_of_one_row(window, shift))
    return select


def _varies(offset: exp.Expr | None) -> bool:
    return offset is not None and offset.find(exp.Column) is not None


def _of_one_row(window: exp.Window, shift: exp.Lag | exp.Lead) -> exp.Expr:
    n = shift.args["offset"]
    here = exp.Coalesce(this=n.copy(), expressions=[exp.Literal.number(0)])
    side = "PRECEDING" if isinstance(shift, exp.Lag) else "FOLLOWING"
    spec = exp.WindowSpec(kind="ROWS", start=here, start_side=side, end=here.copy(), end_side=side)
    found = window.copy()
    found.set("spec", spec)
    found.set("this", exp.FirstValue(this=shift.this.copy()))
    known = exp.Not(this=exp.Is(this=n.copy(), expression=exp.Null()))
    ifs = [exp.If(this=known, true=found)]
    if (default := shift.args.get("default")) is not None:
        rows = found.copy()
        rows.set("this", exp.Count(this=exp.Star()))
        none = exp.EQ(this=rows, expression=exp.Literal.number(0))
        beyond = exp.If(this=exp.and_(known.copy(), none), true=default.copy())
        ifs.insert(0, beyond)
    return exp.Case(ifs=ifs)

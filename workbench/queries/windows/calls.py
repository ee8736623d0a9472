"""The window calls of one SELECT as ``wb.Over`` objects, one a partition and order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from workbench.dialects.functions import RANKS, UNORDERED
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions import fn
from workbench.functions.catalogue import INT, NUMBERS, RANKING, info_of, kind_of
from workbench.queries.functions import SqlFunction, constant, read
from workbench.queries.reading.parsing import walk_own
from workbench.queries.staged import Staged
from workbench.queries.windows.bounds import frame_of, in_units
from workbench.queries.windows.own_orders import OWN_ORDER
from workbench.spark.table import name_of, nearest, quoted
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

#: What an order is where SQL asks for none and ranks are wanted: all rows are peers.
_NO_ORDER = exp.Literal.number(0)


@dataclass(frozen=True)
class SqlCall:
    """One window call: what is asked, over which columns of the staged table.

    Attributes
    ----------
    result : str
        The name of its answer.
    asked : SqlFunction
    arguments : tuple of str
    partition_by : tuple of str
    order_by : tuple of (str, str, str)
    frame : Frame or None
    condition, default, each : str or None
        Columns of the staged table.
    own_order : tuple of (str, str, str)
        The order among the arguments.
    """

    result: str
    asked: SqlFunction
    arguments: tuple[str, ...]
    partition_by: tuple[str, ...]
    order_by: tuple[tuple[str, str, str], ...]
    frame: Frame | None
    condition: str | None
    default: str | None
    each: str | None = None
    own_order: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_int(self) -> bool:
        """Whether the answer is an integer of 32 bits, which is none of other systems' ranks."""
        info = fn.Function(self.asked.name).info
        return info.gives == INT and info.family == RANKING


def named_windows(select: exp.Select) -> None:
    """Put what WINDOW says of a name into each window that names it; the query is changed.

    Raises
    ------
    WorkbenchError
        When there is no window of a name, there are two, or it is refined in a way that SQL has
        not.
    """
    known: dict[str, exp.Window] = {}
    for one in select.args.get("windows") or ():
        if one.name.lower() in known:
            raise WorkbenchError(
                f"query: WINDOW has the name {one.name!r} twice, whatever its case; say it once."
            )
        known[one.name.lower()] = _refined(one, known)
    select.set("windows", None)
    # Windows of nested queries have names of their own.
    for window in [one for one in walk_own(select) if isinstance(one, exp.Window)]:
        full = _refined(window, known)
        for part in ("partition_by", "order", "spec", "alias"):
            window.set(part, full.args.get(part))
        for node in list(walk_own(window)):
            # Within a window such text is only compared.
            if isinstance(node, exp.Collate) and node.expression.name.lower() == "nocase":
                node.replace(exp.Lower(this=node.this.copy()))


def _refined(window: exp.Window, known: dict[str, exp.Window]) -> exp.Window:
    window = window.copy()
    base_name = window.args.get("alias")
    if base_name is None:
        return window
    if base_name.name.lower() not in known:
        names = sorted(known)
        raise WorkbenchError(
            f"query: there is no window {base_name.name!r}; {nearest(base_name.name, names)}"
        )
    base = known[base_name.name.lower()]
    for part, word in (("partition_by", "PARTITION BY"), ("order", "ORDER BY"), ("spec", "frame")):
        said, before = window.args.get(part), base.args.get(part)
        if said and (before or part == "partition_by") and part != "spec":
            raise WorkbenchError(
                f"query: the window {base_name.name!r} is given another {word}; "
                "a named window can only be given what it lacks."
            )
        if before and not said:
            copied = [one.copy() for one in before] if isinstance(before, list) else before.copy()
            window.set(part, copied)
    window.set("alias", None)
    return window


def call_of(window: exp.Window, dialect: str, staged: Staged, hint: str) -> SqlCall | None:
    """Return a window call over staged columns; None where the kernels have no such function.

    Raises
    ------
    WorkbenchError
        When it asks for something that is not available.
    """
    asked = read(window.this, dialect)
    if not asked.name:
        return None
    walk_own = own_terms(window, asked)
    info = info_of(asked.name, bool(walk_own))
    if asked.condition is not None:
        _check_filter(asked.condition, asked.written, info.has_frame)
    order = window.args.get("order")
    terms = list(order.expressions) if order is not None else []
    spec = window.args.get("spec")
    _check_order(window, asked, terms, spec)
    peers = spec is not None and str(spec.args.get("kind")).lower() != "rows"
    if not terms and (peers or (info.needs_order and asked.name in RANKS.values())):
        terms = [exp.Ordered(this=_NO_ORDER.copy(), nulls_first=False)]
    frame = frame_of(spec, staged.name) if info.has_frame else None
    named = None if asked.condition is None else staged.name(asked.condition)
    default = asked.default
    return SqlCall(
        staged.new(hint or asked.written, bool(hint)),
        asked,
        tuple(staged.name(one) for one in asked.arguments),
        tuple(dict.fromkeys(staged.name(one) for one in window.args.get("partition_by") or ())),
        _terms(terms, staged),
        frame,
        named,
        None if default is None or _literal(default) is not _NONE else staged.name(default),
        None if asked.each is None else staged.name(asked.each),
        _terms(walk_own, staged),
    )


def own_terms(window: exp.Window, asked: SqlFunction) -> list[exp.Expr]:
    """Return the order among the arguments of a function, where it means something.

    Raises
    ------
    WorkbenchError
        When the function cannot have one.
    """
    order = window.args.get(OWN_ORDER)
    if order is None or asked.name in UNORDERED:
        return []
    if not info_of(asked.name).own_order:
        raise WorkbenchError(
            f"query: {asked.written} has an ORDER BY among its arguments, which it cannot have; "
            "order the window so."
        )
    return list(order.expressions)


def _check_filter(condition: exp.Expr, written: str, has_frame: bool) -> None:
    if not has_frame:
        raise WorkbenchError(f"query: {written} has no FILTER, as it looks at all rows.")
    if any(isinstance(one, exp.UDTF) for one in walk_own(condition)):
        raise WorkbenchError(
            f"query: FILTER of {written} makes rows of a list; write one condition for each row."
        )


def _check_order(
    window: exp.Window, asked: SqlFunction, terms: Sequence[exp.Expr], spec: exp.Expr | None
) -> None:
    if not terms and goes_by_order(window, asked, spec):
        raise WorkbenchError(
            f"query: {asked.written} goes by the order of the rows, and its window has no "
            "ORDER BY; rows of Spark have no order of their own, so name one."
        )


def goes_by_order(window: exp.Window, asked: SqlFunction, spec: exp.Expr | None) -> bool:
    """Say whether a window call without ORDER BY depends on which row comes first."""
    info = info_of(asked.name, bool(own_terms(window, asked)))
    counted = spec is not None and str(spec.args.get("kind")).lower() == "rows"
    bounded = (
        counted
        and spec is not None
        and any(spec.args.get(end) != "UNBOUNDED" for end in ("start", "end"))
    )
    needs = info.needs_order and (asked.name == "row_number" or asked.name not in RANKS.values())
    return needs or (bounded and info.has_frame)


def _terms(terms: Sequence[exp.Expr], staged: Staged) -> tuple[tuple[str, str, str], ...]:
    found: dict[str, tuple[str, str, str]] = {}
    for term in terms:
        name = staged.name(term.this)
        direction = "desc" if term.args.get("desc") else "asc"
        nulls = "nulls first" if term.args.get("nulls_first") else "nulls last"
        found.setdefault(name, (name, direction, nulls))
    return tuple(found.values())


class _None:
    """What is no literal."""


_NONE = _None()


def _literal(node: exp.Expr) -> Any:
    try:
        return constant(node) if not isinstance(node, exp.Cast) else _NONE
    except ValueError:
        return _NONE


def overs(calls: Sequence[SqlCall], schema: "StructType", dialect: str) -> list[Over]:
    """Return the window calls of a query: one object for those of one partition and order.

    Parameters
    ----------
    calls : sequence of SqlCall
    schema : pyspark.sql.types.StructType
        Of the staged table.
    dialect : str

    Returns
    -------
    list of Over
    """
    if dialect == "clickhouse":
        calls = [_with_units(call, schema) for call in calls]
    groups: dict[tuple[Any, ...], list[SqlCall]] = {}
    for call in calls:
        groups.setdefault((call.partition_by, call.order_by), []).append(call)
    return [_over(shared, schema) for shared in groups.values()]


def _with_units(call: SqlCall, schema: "StructType") -> SqlCall:
    if call.frame is None or len(call.order_by) != 1:
        return call
    along = schema[call.order_by[0][0]].dataType.typeName()
    return replace(call, frame=in_units(call.frame, along))


def _over(calls: Sequence[SqlCall], schema: "StructType") -> Over:
    first = calls[0]
    functions = {call.result: _function(call, schema) for call in calls}
    framed = [call for call in calls if functions[call.result].info.has_frame]
    shared = len({call.frame for call in framed}) == 1
    frame = framed[0].frame if shared else None
    if not shared:
        functions |= {
            call.result: functions[call.result].over(call.frame)
            for call in framed
            if call.frame is not None
        }
    order = [_order(term) for term in first.order_by]
    given: dict[str, Any] = dict(functions)
    return Over(list(first.partition_by), order, frame, **given)


def _order(term: tuple[str, str, str]) -> Any:
    """A term of an order as a person would write it."""
    name, direction, nulls = term
    if (direction, nulls) == ("asc", "nulls first") and not name.startswith("-"):
        return name
    return f"-{name}" if (direction, nulls) == ("desc", "nulls last") else term


def _function(call: SqlCall, schema: "StructType") -> fn.Function:
    asked = call.asked
    options = asked.options if call.each is None else (name_of(call.each),)
    made: Any = getattr(fn, asked.name)(*call.arguments, *options)
    if asked.default is not None:
        made = replace(made, options=replace(made.options, default=_default(call, schema)))
    if asked.distinct:
        made = made.distinct()
    if call.condition is not None:
        made = made.where(quoted(call.condition))
    if asked.ignore_nulls and made.info.picks:
        made = made.ignore_nulls()
    if call.own_order:
        made = made.order_by(*map(_order, call.own_order))
    found: fn.Function = made
    return found


def _default(call: SqlCall, schema: "StructType") -> Any:
    """What lag and lead give where there is no row, of the type of the column."""
    from pyspark.sql import functions as F

    kind = schema[call.arguments[0]].dataType
    if call.default is not None:
        return name_of(call.default).cast(kind)
    assert call.asked.default is not None
    value = _literal(call.asked.default)
    fits = (isinstance(value, str) and kind_of(kind) == "text") or (
        isinstance(value, int | float) and not isinstance(value, bool) and kind_of(kind) in NUMBERS
    )
    return value if fits else F.lit(value).cast(kind)

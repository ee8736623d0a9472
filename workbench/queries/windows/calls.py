"""The window calls of one SELECT as ``wb.Over`` objects, one for each partition and order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from workbench.dialects.functions import RANKS, UNORDERED
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions import fn
from workbench.functions.catalogue import INT, NUMBERS, RANKING, info_of, kind_of
from workbench.functions.order import OrderColumn, term_as_given
from workbench.queries.functions import SqlFunction, constant, read_function
from workbench.queries.reading.parsing import walk_own
from workbench.queries.staged import Staged
from workbench.queries.windows.bounds import frame_of, in_units
from workbench.queries.windows.own_orders import OWN_ORDER
from workbench.spark.names import name_of, nearest, quoted, unused
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

#: The order of a window without ORDER BY that needs one: all rows are peers.
_NO_ORDER = exp.Literal.number(0)
#: Names that no result of an ``Over`` can have, as they are those of its arguments.
_ARGUMENTS = tuple(signature(Over.__init__).parameters)[:-1]


@dataclass(frozen=True)
class SqlCall:
    """One window call: its function, over which columns of the staged table.

    Attributes
    ----------
    result : str
        The name of its result.
    function : SqlFunction
    arguments : tuple of str
    partition_by : tuple of str
    order_by : tuple of OrderColumn
    frame : Frame or None
    condition, default, per_row_n : str or None
        Columns of the staged table.
    own_order : tuple of OrderColumn
        The order among the arguments.
    """

    result: str
    function: SqlFunction
    arguments: tuple[str, ...]
    partition_by: tuple[str, ...]
    order_by: tuple[OrderColumn, ...]
    frame: Frame | None
    condition: str | None
    default: str | None
    per_row_n: str | None = None
    own_order: tuple[OrderColumn, ...] = ()

    @property
    def is_int(self) -> bool:
        """Whether the result is an integer of 32 bits; ranks of other systems have 64."""
        info = fn.Function(self.function.name).info
        return info.gives == INT and info.family == RANKING


def resolve_named_windows(select: exp.Select) -> None:
    """Replace references to windows named in WINDOW by their definitions; the query is changed.

    Raises
    ------
    WorkbenchError
        When a name has no window or two, or a window overrides a part of the one it refers to.
    """
    windows_by_name: dict[str, exp.Window] = {}
    for one in select.args.get("windows") or ():
        if one.name.lower() in windows_by_name:
            raise WorkbenchError(
                f"query: WINDOW defines {one.name!r} twice, as case does not matter; define it "
                "once."
            )
        windows_by_name[one.name.lower()] = _merge_window(one, windows_by_name)
    select.set("windows", None)
    # Nested queries have their own named windows.
    for window in [one for one in walk_own(select) if isinstance(one, exp.Window)]:
        merged = _merge_window(window, windows_by_name)
        for part in ("partition_by", "order", "spec", "alias"):
            window.set(part, merged.args.get(part))
        for node in list(walk_own(window)):
            # A window only compares such text.
            if isinstance(node, exp.Collate) and node.expression.name.lower() == "nocase":
                node.replace(exp.Lower(this=node.this.copy()))


def _merge_window(window: exp.Window, windows_by_name: dict[str, exp.Window]) -> exp.Window:
    window = window.copy()
    base_name = window.args.get("alias")
    if base_name is None:
        return window
    if base_name.name.lower() not in windows_by_name:
        names = sorted(windows_by_name)
        raise WorkbenchError(
            f"query: there is no window {base_name.name!r}; {nearest(base_name.name, names)}"
        )
    base = windows_by_name[base_name.name.lower()]
    for part, word in (("partition_by", "PARTITION BY"), ("order", "ORDER BY"), ("spec", "frame")):
        own_part, base_part = window.args.get(part), base.args.get(part)
        if own_part and (base_part or part == "partition_by") and part != "spec":
            raise WorkbenchError(
                f"query: the window {base_name.name!r} cannot be given another {word}; a named "
                "window can only be given what it lacks."
            )
        if base_part and not own_part:
            copied = (
                [one.copy() for one in base_part]
                if isinstance(base_part, list)
                else base_part.copy()
            )
            window.set(part, copied)
    window.set("alias", None)
    return window


def call_of(window: exp.Window, dialect: str, staged: Staged, hint: str) -> SqlCall | None:
    """Return a window call over staged columns; None if the kernels have no such function.

    Raises
    ------
    WorkbenchError
        When a part of it is not available.
    """
    function = read_function(window.this, dialect)
    if not function.name:
        return None
    own_order = own_terms(window, function)
    info = info_of(function.name, bool(own_order))
    if function.condition is not None:
        _check_filter(function.condition, function.sql_name, info.has_frame)
    order = window.args.get("order")
    terms = list(order.expressions) if order is not None else []
    spec = window.args.get("spec")
    _check_order(window, function, terms, spec)
    has_peers = spec is not None and str(spec.args.get("kind")).lower() != "rows"
    if not terms and (has_peers or (info.needs_order and function.name in RANKS.values())):
        terms = [exp.Ordered(this=_NO_ORDER.copy(), nulls_first=False)]
    frame = frame_of(spec, staged.name) if info.has_frame else None
    condition_column = None if function.condition is None else staged.name(function.condition)
    default = function.default
    return SqlCall(
        staged.new(unused(_ARGUMENTS, hint or function.sql_name), bool(hint)),
        function,
        tuple(staged.name(one) for one in function.arguments),
        tuple(dict.fromkeys(staged.name(one) for one in window.args.get("partition_by") or ())),
        _terms(terms, staged),
        frame,
        condition_column,
        None if default is None or _literal(default) is not _NO_LITERAL else staged.name(default),
        None if function.per_row_n is None else staged.name(function.per_row_n),
        _terms(own_order, staged),
    )


def own_terms(window: exp.Window, function: SqlFunction) -> list[exp.Expr]:
    """Return the order among the arguments of a function, if it matters.

    Raises
    ------
    WorkbenchError
        When the function cannot have one.
    """
    order = window.args.get(OWN_ORDER)
    if order is None or function.name in UNORDERED:
        return []
    if not info_of(function.name).own_order:
        raise WorkbenchError(
            f"query: {function.sql_name} takes no ORDER BY among its arguments; order the window "
            "instead."
        )
    return list(order.expressions)


def _check_filter(condition: exp.Expr, sql_name: str, has_frame: bool) -> None:
    if not has_frame:
        raise WorkbenchError(
            f"query: {sql_name} takes no FILTER, as it looks at all rows; leave it out."
        )
    if any(isinstance(one, exp.UDTF) for one in walk_own(condition)):
        raise WorkbenchError(
            f"query: FILTER of {sql_name} turns a list into rows; write one condition for each row."
        )


def _check_order(
    window: exp.Window, function: SqlFunction, terms: Sequence[exp.Expr], spec: exp.Expr | None
) -> None:
    if not terms and depends_on_order(window, function, spec):
        raise WorkbenchError(
            f"query: {function.sql_name} depends on the order of the rows, and its window has no "
            "ORDER BY; rows in Spark have no order of their own, so add one."
        )


def depends_on_order(window: exp.Window, function: SqlFunction, spec: exp.Expr | None) -> bool:
    """Return whether a window call without ORDER BY depends on the order of the rows."""
    info = info_of(function.name, bool(own_terms(window, function)))
    is_rows = spec is not None and str(spec.args.get("kind")).lower() == "rows"
    is_bounded = (
        is_rows
        and spec is not None
        and any(spec.args.get(end) != "UNBOUNDED" for end in ("start", "end"))
    )
    needs_order = info.needs_order and (
        function.name == "row_number" or function.name not in RANKS.values()
    )
    return needs_order or (is_bounded and info.has_frame)


def _terms(terms: Sequence[exp.Expr], staged: Staged) -> tuple[OrderColumn, ...]:
    terms_by_name: dict[str, OrderColumn] = {}
    for term in terms:
        name = staged.name(term.this)
        is_descending, nulls_first = (bool(term.args.get(one)) for one in ("desc", "nulls_first"))
        terms_by_name.setdefault(name, OrderColumn(name, is_descending, nulls_first))
    return tuple(terms_by_name.values())


class _NoLiteral:
    """Marks an expression that is no literal."""


_NO_LITERAL = _NoLiteral()


def _literal(node: exp.Expr) -> Any:
    try:
        return constant(node) if not isinstance(node, exp.Cast) else _NO_LITERAL
    except ValueError:
        return _NO_LITERAL


def group_calls(calls: Sequence[SqlCall], schema: "StructType", dialect: str) -> list[Over]:
    """Return one ``wb.Over`` for all window calls with the same partition and order.

    Parameters
    ----------
    calls : sequence of SqlCall
    schema : pyspark.sql.types.StructType
        The schema of the staged table.
    dialect : str

    Returns
    -------
    list of Over
    """
    if dialect in ("clickhouse", "spark"):
        calls = [_with_units(call, schema) for call in calls]
    groups: dict[tuple[Any, ...], list[SqlCall]] = {}
    for call in calls:
        groups.setdefault((call.partition_by, call.order_by), []).append(call)
    return [_over(shared, schema) for shared in groups.values()]


def _with_units(call: SqlCall, schema: "StructType") -> SqlCall:
    if call.frame is None or len(call.order_by) != 1:
        return call
    order_type = schema[call.order_by[0].name].dataType.typeName()
    return replace(call, frame=in_units(call.frame, order_type))


def _over(calls: Sequence[SqlCall], schema: "StructType") -> Over:
    first = calls[0]
    functions = {call.result: _function(call, schema) for call in calls}
    framed = [call for call in calls if functions[call.result].info.has_frame]
    same_frame = len({call.frame for call in framed}) == 1
    frame = framed[0].frame if same_frame else None
    if not same_frame:
        functions |= {
            call.result: functions[call.result].over(call.frame)
            for call in framed
            if call.frame is not None
        }
    order = [term_as_given(term) for term in first.order_by]
    given: dict[str, Any] = dict(functions)
    return Over(list(first.partition_by), order, frame, **given)


def _function(call: SqlCall, schema: "StructType") -> fn.Function:
    function = call.function
    options = function.options if call.per_row_n is None else (name_of(call.per_row_n),)
    result: Any = getattr(fn, function.name)(*call.arguments, *options)
    if function.default is not None:
        result = replace(result, options=replace(result.options, default=_default(call, schema)))
    if function.distinct:
        result = result.distinct()
    if call.condition is not None:
        result = result.where(quoted(call.condition))
    if function.ignore_nulls and result.info.picks:
        result = result.ignore_nulls()
    if call.own_order:
        result = result.order_by(*map(term_as_given, call.own_order))
    typed_result: fn.Function = result
    return typed_result


def _default(call: SqlCall, schema: "StructType") -> Any:
    """Return the default of lag and lead, in the type of the column."""
    from pyspark.sql import functions as F

    kind = schema[call.arguments[0]].dataType
    if call.default is not None:
        return name_of(call.default).cast(kind)
    assert call.function.default is not None
    value = _literal(call.function.default)
    fits_type = (isinstance(value, str) and kind_of(kind) == "text") or (
        isinstance(value, int | float) and not isinstance(value, bool) and kind_of(kind) in NUMBERS
    )
    return value if fits_type else F.lit(value).cast(kind)

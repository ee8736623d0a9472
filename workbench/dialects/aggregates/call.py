"""An aggregate of groups in a query, and what is around it: FILTER, WITHIN GROUP, IGNORE NULLS."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from workbench.dialects.templates import anonymous

#: What may be around a function.
WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate of groups, taken out of its FILTER, WITHIN GROUP and IGNORE NULLS.

    Attributes
    ----------
    node : sqlglot.exp.Expr
    within : sqlglot.exp.Order or None
        The order of WITHIN GROUP.
    condition : sqlglot.exp.Expr or None
        The condition of FILTER.
    nulls : str
        The name of sqlglot's class for IGNORE or RESPECT NULLS; empty without these.
    """

    node: exp.Expr
    within: exp.Expr | None
    condition: exp.Expr | None
    nulls: str

    @property
    def _argument(self) -> exp.Expr:
        is_generic = isinstance(self.node, exp.AnonymousAggFunc)
        argument: exp.Expr = self.node.expressions[0] if is_generic else self.node.this
        return argument

    @property
    def terms(self) -> list[exp.Expr]:
        """The order among the arguments."""
        return list(self._argument.expressions) if isinstance(self._argument, exp.Order) else []

    @property
    def value(self) -> exp.Expr:
        """The first argument, without order and DISTINCT."""
        argument = self._argument
        argument = argument.this if isinstance(argument, exp.Order) else argument
        return argument.expressions[0] if isinstance(argument, exp.Distinct) else argument

    @property
    def distinct(self) -> bool:
        """Whether the aggregate has DISTINCT."""
        return any(isinstance(one, exp.Distinct) for one in (self._argument, self._argument.this))

    def with_distinct(self, value: exp.Expr) -> exp.Expr:
        """Return a copy of a value, with DISTINCT if the aggregate has it."""
        return exp.Distinct(expressions=[value.copy()]) if self.distinct else value.copy()

    def where(self, *more: exp.Expr) -> exp.Expr | None:
        """Return the conjunction of the condition and others; None if there are none."""
        conditions = [one.copy() for one in (self.condition, *more) if one is not None]
        return exp.and_(*conditions) if conditions else None


#: Returns what replaces an aggregate of a dialect, or None to leave the call, perhaps changed.
Rewrite = Callable[[AggregateCall, str], exp.Expr | None]


def function_of(node: exp.Expr) -> exp.Expr:
    """Return a function without FILTER and the like around it.

    Examples
    --------
    >>> import sqlglot
    >>> print(function_of(sqlglot.parse_one("SUM(x) FILTER (WHERE y)")))
    SUM(x)
    """
    while isinstance(node, WRAPPERS):
        node = node.this
    return node


def unwrapped(node: exp.Expr) -> tuple[AggregateCall, exp.Expr]:
    """Return an aggregate, and the outermost node that wraps it."""
    outer, within, condition, nulls = node, None, None, ""
    while isinstance(outer.parent, WRAPPERS) and outer.arg_key == "this":
        outer = outer.parent
        if isinstance(outer, exp.Filter):
            condition = outer.expression.this
        elif isinstance(outer, exp.WithinGroup):
            within = outer.expression
        else:
            nulls = type(outer).__name__
    return AggregateCall(node, within, condition, nulls), outer


def filtered(node: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """Return an aggregate of the rows that meet a condition, if there is one."""
    where = None if condition is None else exp.Where(this=condition.copy())
    return node if where is None else exp.Filter(this=node, expression=where)


def filtered_call(name: str, *arguments: exp.Expr, where: exp.Expr | None = None) -> exp.Expr:
    """Return a call of an aggregate of Spark, of the rows that meet a condition."""
    return filtered(anonymous(name, *arguments), where)

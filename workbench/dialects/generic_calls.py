"""Scalar functions of DuckDB and Postgres without a class of their own in sqlglot, for Spark."""

from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.duckdb_names import rewrite_duckdb_call
from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds
from workbench.dialects.numbers import gcd_or_lcm
from workbench.dialects.templates import anonymous, fill_template, is_not_null
from workbench.dialects.texts.json_parts import value_as_json
from workbench.dialects.texts.split import regexp_match, regexp_split_to_array
from workbench.dialects.times.parts import extract_part
from workbench.dialects.times.shifts import at_time_zone
from workbench.errors import WorkbenchError


def rewrite_generic_call(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a call with the same meaning in Spark; None if it is the same there, or unknown.

    Raises
    ------
    WorkbenchError
        When Spark has nothing with the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("num_nulls(a, b)", read="postgres")
    >>> print(rewrite_generic_call(node, "postgres", lambda node, operands: None).sql("spark"))
    (CAST((a) IS NULL AS INT) + CAST((b) IS NULL AS INT))
    """
    rewrite = _REWRITES.get(node.name.lower())
    if rewrite is not None and (result := rewrite(node, dialect, kinds)) is not None:
        return result
    return rewrite_duckdb_call(node, kinds) if dialect == "duckdb" else None


def _date_part(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    if len(node.expressions) != 2:
        return None
    part, time = node.expressions
    if isinstance(part, exp.Array):
        raise WorkbenchError(
            f"query: {node.name.lower()} of a list of parts is not available; ask for each part by "
            "itself, as in date_part('year', t)."
        )
    if not isinstance(part, exp.Literal) or not part.is_string:
        return None
    extract_node = exp.Extract(this=exp.var(part.this.upper()), expression=time.copy())
    return extract_part(extract_node, dialect, kinds) or extract_node


def _timezone(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    if len(node.expressions) != 2:
        return None
    zone, time = node.expressions
    time_in_zone = exp.AtTimeZone(this=time.copy(), zone=zone.copy())
    return at_time_zone(time_in_zone, dialect, kinds, node) or time_in_zone


def _regexp_match(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    is_call = len(node.expressions) in (2, 3)
    return regexp_match(node.name.lower(), node.expressions) if is_call else None


def _regexp_split(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    is_call = len(node.expressions) in (2, 3) and dialect != "duckdb"
    return regexp_split_to_array(node.expressions) if is_call else None


def _divisor(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    name = _DIVISORS[node.name.lower()]
    return gcd_or_lcm(name, node, dialect, kinds) if len(node.expressions) == 2 else None


def _row(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    prefix = "f" if dialect in POSTGRES else "col"
    fields = [
        (exp.Literal.string(f"{prefix}{k}"), one) for k, one in enumerate(node.expressions, 1)
    ]
    return (
        anonymous("NAMED_STRUCT", *(part for pair in fields for part in pair)) if fields else None
    )


def _printf(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``printf``, which is null where a value is, and writes decimals as doubles."""
    values = node.expressions[1:]
    if not values:
        return None
    all_not_null = exp.and_(*(is_not_null(one) for one in values))
    for one, data_type in zip(values, kinds(node, values) or (), strict=False):
        if data_type.typeName() == "decimal":
            one.replace(exp.cast(one.copy(), "DOUBLE"))
    return exp.Case(ifs=[exp.If(this=all_not_null, true=node.copy())])


def _as_json(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    values = node.expressions
    return value_as_json(node, values[0], kinds) if len(values) == 1 else None


def _count_of_nulls(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return how many arguments are null, or are not: ``num_nulls`` and ``num_nonnulls``."""
    if not node.expressions or dialect not in POSTGRES:
        return None
    flag = "INT((:of) IS NULL)" if node.name.lower() == "num_nulls" else "INT((:of) IS NOT NULL)"
    total = fill_template(flag, of=node.expressions[0])
    for one in node.expressions[1:]:
        total = exp.Add(this=total, expression=fill_template(flag, of=one))
    return exp.paren(total, copy=False)


_DIVISORS = {
    "gcd": "gcd", "greatest_common_divisor": "gcd",
    "lcm": "lcm", "least_common_multiple": "lcm",
}  # fmt: skip
_REWRITES: dict[str, Callable[[exp.Anonymous, str, Kinds], exp.Expr | None]] = {
    **dict.fromkeys(("date_part", "datepart"), _date_part),
    "timezone": _timezone,
    "regexp_match": _regexp_match,
    "regexp_split_to_array": _regexp_split,
    **dict.fromkeys(_DIVISORS, _divisor),
    "row": _row,
    "printf": _printf,
    **dict.fromkeys(("to_json", "row_to_json", "array_to_json"), _as_json),
    **dict.fromkeys(("num_nulls", "num_nonnulls"), _count_of_nulls),
}

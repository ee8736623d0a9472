"""Casts: types that Spark has not, and numbers that become integers by being rounded."""

import re
from decimal import ROUND_HALF_UP, Decimal

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

#: Types that Spark has not by this name, by one that holds their values.
_HELD_BY = {
    exp.DType.UTINYINT: "SMALLINT",
    exp.DType.USMALLINT: "INT",
    exp.DType.UINT: "BIGINT",
    exp.DType.UBIGINT: "DECIMAL(20, 0)",
    exp.DType.INT128: "DECIMAL(38, 0)",
    exp.DType.UINT128: "DECIMAL(38, 0)",
    exp.DType.UUID: "STRING",
    **dict.fromkeys(
        (exp.DType.TIMESTAMP_S, exp.DType.TIMESTAMP_MS, exp.DType.TIMESTAMP_NS), "TIMESTAMP_NTZ"
    ),
}
#: What holds numbers of any digits, which Postgres's NUMERIC has and Spark's, of none behind the
#: point, has not.
_ANY_DIGITS = "DECIMAL(38, 18)"
_WHOLE = exp.DataType.INTEGER_TYPES
#: Integers of Spark, by their bits.
_BITS = {
    exp.DType.TINYINT: 8, exp.DType.SMALLINT: 16, exp.DType.INT: 32, exp.DType.BIGINT: 64,
}  # fmt: skip
#: Texts that are integers, and those that DuckDB rounds to one.
_INTEGER = re.compile(r"\s*[+-]?\d+\s*")
_NUMBER = re.compile(r"\s*[+-]?(\d+[.]?\d*|[.]\d+)([eE][+-]?\d{1,3})?\s*")


def with_types(tree: exp.Expr, dialect: str) -> None:
    """Put a type of Spark that holds the same values in the place of each that it has not.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT x::UINTEGER, y::HUGEINT", read="duckdb")
    >>> with_types(tree, "duckdb")
    >>> print(tree.sql("spark"))
    SELECT CAST(x AS BIGINT), CAST(y AS DECIMAL(38, 0))
    """
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this is exp.DType.DECIMAL and not kind.expressions and dialect != "duckdb":
            kind.replace(exp.DataType.build(_ANY_DIGITS, dialect="spark"))
        if kind.this is exp.DType.TIMESTAMP and dialect in POSTGRES:
            # Without a zone, also where AT TIME ZONE asks; Spark's is an instant.
            kind.replace(exp.DataType.build("TIMESTAMP_NTZ", dialect="spark"))
        if (held := _HELD_BY.get(kind.this)) is not None:
            kind.replace(exp.DataType.build(held, dialect="spark"))


def cast(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A cast to bytes, to a time of day or to an integer, which is rounded."""
    kind = node.args["to"]
    if kind.this is exp.DType.VARBINARY and dialect == "duckdb":
        return _bytes(node.this)
    if kind.this in (exp.DType.JSON, exp.DType.JSONB):
        # What takes parts of a text of JSON takes them of the text.
        of = node.parent.parent if isinstance(node.parent, exp.Paren) else node.parent
        return node.this.copy() if isinstance(of, exp.JSONExtract | exp.JSONExtractScalar) else None
    if kind.this is exp.DType.TIME:
        time = exp.DataType(this=exp.DType.USERDEFINED, kind="TIME")
        return exp.Cast(this=node.this.copy(), to=time)
    if kind.this in _WHOLE and not isinstance(node.this, exp.Boolean):
        return _as_integer(node, dialect, kinds)
    return None


def tried_cast(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A cast that may fail, of which only those of texts to integers are other ones."""
    if dialect != "duckdb" or node.args["to"].this not in _WHOLE:
        return None
    return _rounded_text(node) if kind_of(node, node.this, kinds) == "string" else None


def _bytes(value: exp.Expr) -> exp.Expr | None:
    r"""Bytes by a text in which ``\xAA`` is one of them."""
    if not isinstance(value, exp.Literal) or "\\" not in value.this:
        return None
    pieces = re.split(r"\\x([0-9a-fA-F]{2})", value.this)
    if any("\\" in one for one in pieces[::2]):
        raise WorkbenchError(
            f"query: {value.sql()} is no text of bytes; write each backslash as \\x5C."
        )
    found = "".join(one if k % 2 else one.encode("utf-8").hex() for k, one in enumerate(pieces))
    return anonymous("UNHEX", exp.Literal.string(found))


def _as_integer(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A number as an integer: decimals by the nearest one away from 0, doubles by the even one."""
    value = node.this
    if isinstance(value, exp.Literal):
        if value.is_string:
            return _literal_as_integer(node, dialect)
        if value.this.isdigit():
            return None
    kind = kind_of(node, value, kinds)
    if kind == "string" and dialect == "duckdb":
        return _rounded_text(node)
    word = {"decimal": "ROUND", "double": "RINT", "float": "RINT"}.get(kind)
    return exp.cast(anonymous(word, value), node.args["to"].copy()) if word else None


def _literal_as_integer(node: exp.Expr, dialect: str) -> exp.Expr:
    """The integer of a text in a query, which is refused here where it is none."""
    text, kind = node.this.this, node.args["to"]
    number = (_NUMBER if dialect == "duckdb" else _INTEGER).fullmatch(text)
    whole = int(Decimal(text.strip()).to_integral_value(ROUND_HALF_UP)) if number else None
    bound = 2 ** (_BITS.get(kind.this, 64) - 1)
    if whole is None or not -bound <= whole < bound:
        raise WorkbenchError(
            f"query: {node.this.sql()} is no {kind.sql('spark')}; write a number that is one."
        )
    return exp.cast(exp.Literal.string(str(whole)), kind.copy())


def _rounded_text(node: exp.Expr) -> exp.Expr:
    """Text as an integer, which may have digits behind a point to DuckDB; null where it is none."""
    kind, word = node.args["to"].sql("spark"), node.key.upper().replace("TRYCAST", "TRY_CAST")
    # The first digit behind the point decides; a decimal has no room for all others.
    plain = "REGEXP_REPLACE(:a, '(?<=[0-9])_(?=[0-9])', '')"
    digits = f"REGEXP_REPLACE({plain}, '([.][0-9])[0-9]+ *$', '$1')"
    return fill_template(
        f"COALESCE(TRY_CAST(:a AS {kind}), "
        f"{word}(ROUND({word}({digits} AS DECIMAL(38, 18))) AS {kind}))",
        a=node.this,
    )

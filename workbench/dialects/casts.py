"""Casts: types that Spark lacks, and casts to integers that round."""

import re
from decimal import ROUND_HALF_UP, Decimal

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template
from workbench.dialects.texts.json_parts import value_as_json
from workbench.dialects.texts.written import check_as_text, is_written_alike, text_of_type
from workbench.errors import WorkbenchError

#: Spark types that hold the values of types that Spark lacks.
_SPARK_TYPES = {
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
#: The type for NUMERIC of Postgres without parameters, which has any number of digits; Spark's has
#: none after the point.
_ANY_DIGITS = "DECIMAL(38, 18)"
_INTEGER_TYPES = exp.DataType.INTEGER_TYPES
#: The bits of Spark's integers.
_BITS = {
    exp.DType.TINYINT: 8, exp.DType.SMALLINT: 16, exp.DType.INT: 32, exp.DType.BIGINT: 64,
}  # fmt: skip
#: Where a time without seconds, which Spark takes for no time, has a zone.
_NO_SECONDS = re.compile(r"(?<=[ T]\d\d:\d\d)(?=\s*(?:[+-]\d|[A-Za-z]))")
#: Texts that are integers, and texts that DuckDB rounds to one.
_INTEGER = re.compile(r"\s*[+-]?\d+\s*")
_NUMBER = re.compile(r"\s*[+-]?(\d+[.]?\d*|[.]\d+)([eE][+-]?\d{1,3})?\s*")


def rewrite_types(tree: exp.Expr, dialect: str) -> None:
    """Replace each type that Spark lacks by one that holds the same values.

    Raises
    ------
    WorkbenchError
        When there is none.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT x::UINTEGER, y::HUGEINT", read="duckdb")
    >>> rewrite_types(tree, "duckdb")
    >>> print(tree.sql("spark"))
    SELECT CAST(x AS BIGINT), CAST(y AS DECIMAL(38, 0))
    """
    for kind in list(tree.find_all(exp.DataType)):
        if kind.this is exp.DType.BIT:
            raise WorkbenchError(
                f"query: Spark has no type {kind.sql(dialect)}; use integers, and & or |."
            )
        if kind.this is exp.DType.DECIMAL and not kind.expressions and dialect != "duckdb":
            kind.replace(exp.DataType.build(_ANY_DIGITS, dialect="spark"))
        times = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ)
        if kind.this in times and dialect in POSTGRES and kind.expressions:
            _check_digits_of_seconds(kind, dialect)
        if kind.this is exp.DType.TIMESTAMP and dialect in POSTGRES:
            # It has no zone, also within AT TIME ZONE; Spark's TIMESTAMP is an instant.
            kind.replace(exp.DataType.build("TIMESTAMP_NTZ", dialect="spark"))
        if kind.this is exp.DType.TIME and isinstance(kind.parent, exp.DataType):
            kind.replace(exp.DataType(this=exp.DType.USERDEFINED, kind="TIME"))
        if kind.this is exp.DType.ARRAY:
            kind.set("values", None)  # FLOAT[3]
        if (spark_type := _SPARK_TYPES.get(kind.this)) is not None:
            kind.replace(exp.DataType.build(spark_type, dialect="spark"))


def _check_digits_of_seconds(kind: exp.DataType, dialect: str) -> None:
    """Refuse a type of times that are rounded to fewer digits than those of Spark."""
    if kind.expressions[0].name != "6":
        raise WorkbenchError(
            f"query: Spark does not round times to {kind.sql(dialect)}; use date_trunc('second', t)"
            " or date_trunc('millisecond', t)."
        )


def cast(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a cast to text, bytes, JSON, a time of day, or an integer, which is rounded."""
    target = node.args["to"]
    if target.this in exp.DataType.TEXT_TYPES:
        if not is_written_alike(node.this):
            types = kinds(node, [node.this])
            check_as_text([node.this], types, dialect)
            if types and (text := text_of_type(node.this, types[0], dialect)) is not None:
                node.set("this", text)
        return _first_letters(node) if dialect in POSTGRES else None
    if target.this is exp.DType.VARBINARY:
        bytes_of = _postgres_bytes_literal if dialect in POSTGRES else _bytes_literal
        return bytes_of(node.this)
    if target.this in (exp.DType.JSON, exp.DType.JSONB):
        # Functions of JSON take the text itself.
        consumer = node.parent.parent if isinstance(node.parent, exp.Paren) else node.parent
        is_text = kind_of(node, node.this, kinds) == "string"
        if isinstance(consumer, exp.JSONExtract | exp.JSONExtractScalar) or is_text:
            json_text: exp.Expr = node.this.copy()
            return json_text
        return value_as_json(node, node.this, kinds)
    if isinstance(node.this, exp.Literal) and target.this in exp.DataType.TEMPORAL_TYPES:
        node.this.set("this", _NO_SECONDS.sub(":00", node.this.this))
    if target.this is exp.DType.TIME:
        time = exp.DataType(this=exp.DType.USERDEFINED, kind="TIME")
        return exp.Cast(this=node.this.copy(), to=time)
    if target.this in _INTEGER_TYPES and not isinstance(node.this, exp.Boolean):
        return _cast_to_integer(node, dialect, kinds)
    return None


def _first_letters(node: exp.Expr) -> exp.Expr | None:
    """Return the text of a cast to ``varchar(n)`` or ``char(n)``, which cuts it."""
    target = node.args["to"]
    is_padded = target.this is exp.DType.CHAR
    if not target.expressions and not is_padded:
        return None
    n = target.expressions[0].this if target.expressions else exp.Literal.number(1)
    letters = anonymous("LEFT", exp.cast(node.this.copy(), "TEXT"), n)
    # The blanks that fill char(n) do not count.
    return anonymous("RTRIM", letters) if is_padded else letters


def try_cast(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return ``TRY_CAST``, which differs from Spark's only from text to integers."""
    if dialect != "duckdb" or node.args["to"].this not in _INTEGER_TYPES:
        return None
    return _cast_text_rounded(node) if kind_of(node, node.this, kinds) == "string" else None


def cast_texts_like_others(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Give texts among the arguments of ``greatest`` and ``least`` the type of the others."""
    arguments = [node.this, *node.expressions]
    texts = [one for one in arguments if isinstance(one, exp.Literal) and one.is_string]
    others = [one for one in arguments if not any(one is text for text in texts)]
    if texts and others and (types := kinds(node, others[:1])):
        for one in texts:
            one.replace(exp.cast(one.copy(), types[0].simpleString(), dialect="spark"))
    return None


def _bytes_literal(value: exp.Expr) -> exp.Expr | None:
    r"""Return the bytes of a text in which ``\xAA`` is one byte."""
    if not isinstance(value, exp.Literal) or "\\" not in value.this:
        return None
    pieces = re.split(r"\\x([0-9a-fA-F]{2})", value.this)
    if any("\\" in one for one in pieces[::2]):
        raise WorkbenchError(
            f"query: {value.sql()} is not a valid text of bytes; write each backslash as \\x5C."
        )
    digits = "".join(one if k % 2 else one.encode("utf-8").hex() for k, one in enumerate(pieces))
    return anonymous("UNHEX", exp.Literal.string(digits))


def _postgres_bytes_literal(value: exp.Expr) -> exp.Expr | None:
    r"""Return the bytes of a text such as ``\xAAFF``, or of one in which ``\001`` is one byte."""
    if not isinstance(value, exp.Literal) or "\\" not in value.this:
        return None
    if value.this.startswith("\\x"):
        digits = re.sub(r"\s", "", value.this[2:])
        is_valid = re.fullmatch("([0-9a-fA-F]{2})*", digits) is not None
    else:
        pieces = re.split(r"\\(\\|[0-3][0-7]{2})", value.this)
        is_valid = not any("\\" in one for one in pieces[::2])
        digits = "".join(
            f"{int(one, 8):02x}" if k % 2 and one != "\\" else one.encode("utf-8").hex()
            for k, one in enumerate(pieces)
        )
    if not is_valid:
        raise WorkbenchError(
            f"query: {value.sql()} is not a valid text of bytes; write \\x and two hexadecimal "
            "digits for each byte."
        )
    return anonymous("UNHEX", exp.Literal.string(digits))


def _cast_to_integer(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a cast to an integer; ties of decimals round away from 0, of doubles to even."""
    value = node.this
    if isinstance(value, exp.Literal):
        if value.is_string:
            return _cast_literal(node, dialect)
        if value.this.isdigit():
            return None
    kind = kind_of(node, value, kinds)
    if kind == "string" and dialect == "duckdb":
        return _cast_text_rounded(node)
    rounding = {"decimal": "ROUND", "double": "RINT", "float": "RINT"}.get(kind)
    return exp.cast(anonymous(rounding, value), node.args["to"].copy()) if rounding else None


def _cast_literal(node: exp.Expr, dialect: str) -> exp.Expr:
    """Return the integer of a text literal, which is refused if it is none."""
    text, target = node.this.this, node.args["to"]
    number = (_NUMBER if dialect == "duckdb" else _INTEGER).fullmatch(text)
    whole = int(Decimal(text.strip()).to_integral_value(ROUND_HALF_UP)) if number else None
    bound = 2 ** (_BITS.get(target.this, 64) - 1)
    if whole is None or not -bound <= whole < bound:
        raise WorkbenchError(
            f"query: {node.this.sql()} is not of type {target.sql('spark')}; write a number that "
            "is."
        )
    return exp.cast(exp.Literal.string(str(whole)), target.copy())


def _cast_text_rounded(node: exp.Expr) -> exp.Expr:
    """Return a text as an integer; DuckDB allows and rounds digits after a point."""
    target_sql, cast_word = (
        node.args["to"].sql("spark"),
        node.key.upper().replace("TRYCAST", "TRY_CAST"),
    )
    # The first digit after the point decides; a decimal has no room for all others.
    without_underscores = "REGEXP_REPLACE(:a, '(?<=[0-9])_(?=[0-9])', '')"
    digits = f"REGEXP_REPLACE({without_underscores}, '([.][0-9])[0-9]+ *$', '$1')"
    return fill_template(
        f"COALESCE(TRY_CAST(:a AS {target_sql}), "
        f"{cast_word}(ROUND({cast_word}({digits} AS DECIMAL(38, 18))) AS {target_sql}))",
        a=node.this,
    )

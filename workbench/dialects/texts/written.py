"""Values that Spark writes as text in another way than the system of a query."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES, POSTGRES
from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError

#: What to write in place of a text of such a value, by Spark's name of its type.
_PARTS = {
    "struct": "its fields", "map": "its keys and values",
    **dict.fromkeys(
        ("daytimeinterval", "yearmonthinterval", "interval"),
        "its parts, as in extract(epoch FROM x)",
    ),
}  # fmt: skip
_OF_LISTS = {
    "clickhouse": "its elements by arrayStringConcat",
    "postgres": "its elements by array_to_string",
    "risingwave": "its elements by array_to_string",
}


def check_as_text(values: Sequence[exp.Expr], types: Sequence[Any] | None, dialect: str) -> None:
    """Refuse values that Spark would write as another text, where their types are known.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType
    >>> lists = [ArrayType(LongType())]
    >>> check_as_text([exp.column("l")], lists, "duckdb")
    >>> check_as_text([exp.column("l")], lists, "postgres")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: Spark writes l as text in another way than postgres; \
write its elements by array_to_string.
    """
    for value, data_type in zip(values, types or (), strict=False):
        if (parts := _parts(data_type, dialect)) is not None:
            raise WorkbenchError(
                f"query: Spark writes {value.sql(dialect)} as text in another way than {dialect}; "
                f"write {parts}."
            )


#: The least numbers that Postgres writes with a power of ten, by Spark's type of floats.
_POWERS_FROM = {"double": "1e15", "float": "1e6"}
#: A float as text: without a power of ten within the bounds, else with its sign and two digits.
_FLOAT = (
    "CASE WHEN ABS(:a) >= 1e-4 AND ABS(:a) < {bound} THEN "
    "REGEXP_REPLACE(CAST(CAST(CAST(:a AS STRING) AS DECIMAL(38, 21)) AS STRING), '{zeros}', '') "
    "WHEN :a = 0 OR ABS(:a) = DOUBLE('Infinity') OR ISNAN(:a) THEN {rest} "
    "ELSE REPLACE(REGEXP_REPLACE(REPLACE(REGEXP_REPLACE(REPLACE(CAST(:a AS STRING), '.0E', 'E'), "
    "'E-([0-9])$', 'e-0$1'), 'E-', 'e-'), 'E([0-9])$', 'e+0$1'), 'E', 'e+') END"
)


def text_of_float(value: exp.Expr, kind: str, dialect: str) -> exp.Expr | None:
    """Return a float as the text that DuckDB and Postgres write; None for another type.

    Examples
    --------
    >>> text = text_of_float(exp.column("x"), "double", "duckdb")
    >>> "ABS(x) < 1e16" in text.sql("spark"), text_of_float(exp.column("x"), "long", "duckdb")
    (True, None)
    """
    if kind not in _POWERS_FROM or dialect not in LIKE_POSTGRES:
        return None
    if dialect in POSTGRES and isinstance(value, exp.Literal) and not value.is_string:
        # There it is a numeric.
        return exp.Literal.string(f"{Decimal(value.this):f}")
    if dialect in POSTGRES:
        zeros, rest = "[.]?0+$", "REPLACE(CAST(:a AS STRING), '.0', '')"
        bound = _POWERS_FROM[kind]
    else:
        zeros, rest = "(?<=[.][0-9]{1,38})0+$", "REPLACE(LOWER(CAST(:a AS STRING)), 'inity', '')"
        bound = "1e16"
    return fill_template(_FLOAT.format(bound=bound, zeros=zeros, rest=rest), a=value)


def is_written_alike(value: exp.Expr) -> bool:
    """Return whether a value is a constant whose text in Spark is that in the query.

    Examples
    --------
    >>> [is_written_alike(exp.Literal.number(one)) for one in ("1.50", "1e10")]
    [True, False]
    """
    return isinstance(value, exp.Literal) and (value.is_string or "e" not in value.this.lower())


def letter_of_boolean(value: exp.Expr, kind: str, dialect: str) -> exp.Expr | None:
    """Return a boolean as the letter that functions of Postgres make of it; a cast makes words.

    Examples
    --------
    >>> print(letter_of_boolean(exp.column("x"), "boolean", "postgres").sql("spark"))
    LEFT(CAST(x AS STRING), 1)
    """
    if kind != "boolean" or dialect not in POSTGRES:
        return None
    return fill_template("LEFT(CAST(:a AS STRING), 1)", a=value)


def text_of_type(value: exp.Expr, data_type: Any, dialect: str) -> exp.Expr | None:
    """Return a float, bytes of Postgres or a list of DuckDB as text; None if Spark writes it so.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType
    >>> text = text_of_type(exp.column("l"), ArrayType(LongType()), "duckdb")
    >>> print(text.sql("spark"))
    CONCAT('[', ARRAY_JOIN(TRANSFORM(l, each_ -> CAST(each_ AS STRING)), ', ', 'NULL'), ']')
    """
    if data_type.typeName() == "binary" and dialect in POSTGRES:
        return fill_template("CONCAT(:x, LOWER(HEX(:of)))", x=exp.Literal.string("\\x"), of=value)
    if data_type.typeName() != "array":
        return text_of_float(value, data_type.typeName(), dialect)
    if dialect != "duckdb":
        return None
    each = exp.column("each_")
    element = text_of_type(each, data_type.elementType, dialect) or exp.cast(each, "TEXT")
    joined = "CONCAT('[', ARRAY_JOIN(TRANSFORM(:l, each_ -> :element), ', ', 'NULL'), ']')"
    return fill_template(joined, l=value, element=element)


def _parts(data_type: Any, dialect: str) -> str | None:
    name = data_type.typeName()
    if name != "array":
        return _PARTS.get(name)
    return _OF_LISTS.get(dialect) or _parts(data_type.elementType, dialect)

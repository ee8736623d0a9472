"""Spark's types: what they hold in words, and what Spark can do with their values."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

#: Spark's names of integer types, and their numbers of bits.
INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64}

TIMES = ("timestamp", "timestamp_ntz", "date")

NESTED = ("map", "struct", "array", "variant")

#: Plurals for values of types whose names are no words, by Spark's names.
_IN_WORDS = {
    "binary": "binary values",
    "daytimeinterval": "durations",
    "timestamp_ntz": "timestamps without a zone",
    "void": "only nulls",
    "yearmonthinterval": "durations in months",
}


def values_in_words(kind: "DataType | str") -> str:
    """Return a plural for the values of a type, or of one of Spark's names of types.

    Examples
    --------
    >>> values_in_words("daytimeinterval"), values_in_words("string")
    ('durations', 'strings')
    """
    name = kind if isinstance(kind, str) else kind.typeName()
    return _IN_WORDS.get(name, f"{name}s")


def has_hash(kind: "DataType") -> bool:
    """Return whether Spark can hash values of a type: it cannot hash maps and variants.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType, MapType
    >>> has_hash(ArrayType(LongType())), has_hash(ArrayType(MapType(LongType(), LongType())))
    (True, False)
    """
    from pyspark.sql.types import ArrayType, MapType, StructType, VariantType

    if isinstance(kind, ArrayType):
        return has_hash(kind.elementType)
    if isinstance(kind, StructType):
        return all(has_hash(field.dataType) for field in kind.fields)
    return not isinstance(kind, MapType | VariantType)


def has_order(kind: "DataType") -> bool:
    """Return whether Spark can sort a type: it cannot sort maps, variants, calendar intervals.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, CalendarIntervalType, LongType
    >>> has_order(ArrayType(LongType())), has_order(ArrayType(CalendarIntervalType()))
    (True, False)
    """
    from pyspark.sql.types import ArrayType, CalendarIntervalType, StructType

    if isinstance(kind, ArrayType):
        return has_order(kind.elementType)
    if isinstance(kind, StructType):
        return all(has_order(field.dataType) for field in kind.fields)
    return has_hash(kind) and not isinstance(kind, CalendarIntervalType)


def column_unit(schema: "StructType", name: str) -> str | None:
    """Return the unit of a column's values from its metadata, or None.

    Parameters
    ----------
    schema : pyspark.sql.types.StructType
    name : str
        An existing column.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from pyspark.sql.types import LongType, StructType
    >>> schema = StructType().add("wind", LongType(), metadata={"unit": "mph"}).add("gust", "long")
    >>> column_unit(schema, "wind"), column_unit(schema, "gust")
    ('mph', None)
    """
    unit = (schema[name].metadata or {}).get("unit")
    return unit if isinstance(unit, str) and unit.strip() else None

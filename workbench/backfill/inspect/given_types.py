"""Features that do not come from Spark: reads their types as those of a backfill."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyarrow.compute as pc

from workbench.errors import WorkbenchError
from workbench.spark.sources.arrow import spark_rows
from workbench.spark.sources.given import arrow_rows, is_spark, table
from workbench.spark.table import BoundTable, column, type_of
from workbench.spark.types import INTEGERS

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, MapType, StructType

    from workbench.spark.sources.given import TableLike

NUMBERS = (*INTEGERS, "float", "double", "decimal")
#: One representative for types that can be compared with each other.
COMPARABLE_AS = {
    **dict.fromkeys(NUMBERS, "number"),
    **dict.fromkeys(("char", "varchar"), "string"),
    "timestamp_ntz": "timestamp",
}


@dataclass(frozen=True)
class GivenTable:
    """A table of features, and those of its columns and fields that hold only nulls.

    Attributes
    ----------
    bound : BoundTable
    blank : frozenset of tuple of str
        A column, or a column and a field of its structs. pandas has no type for these, and they
        come as text. Not computed for Spark's own tables.
    """

    bound: BoundTable
    blank: frozenset[tuple[str, ...]]

    @classmethod
    def of(
        cls,
        what: "TableLike",
        argument: str,
        key: tuple[str, ...] = (),
        time: str = "",
        side: str = "",
    ) -> "GivenTable":
        """Return a table as Spark has it, without a check of its columns."""
        if is_spark(what):
            return cls(BoundTable.of(table(what, argument), key, time, side), frozenset())
        rows = spark_rows(arrow_rows(what, argument), argument)
        pairs = zip(rows.column_names, rows.columns, strict=True)
        blank = frozenset(path for name, values in pairs for path in _blank(values, (name,)))
        return cls(BoundTable.of(table(rows, argument), key, time, side), blank)


def _blank(values: pa.ChunkedArray, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if values.null_count == len(values):
        yield path
    elif pa.types.is_struct(values.type):
        for i, one in enumerate(values.type):
            yield from _blank(pc.struct_field(values, [i]), (*path, one.name))


def comparable(given: "DataType", wanted: "DataType") -> bool:
    """Return whether values of two types can be compared.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, DecimalType, LongType, StringType
    >>> comparable(LongType(), DecimalType(9, 2)), comparable(StringType(), LongType())
    (True, False)
    >>> comparable(ArrayType(LongType()), ArrayType(StringType()))
    False
    """
    from pyspark.sql.types import ArrayType, MapType, NullType, StructType

    if isinstance(given, NullType):
        return True
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return comparable(given.elementType, wanted.elementType)
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        return comparable(given.keyType, wanted.keyType) and comparable(
            given.valueType, wanted.valueType
        )
    if isinstance(given, StructType) and isinstance(wanted, StructType):
        pairs = zip(given.fields, wanted.fields, strict=False)
        alike = [comparable(one.dataType, other.dataType) for one, other in pairs]
        return given.names == wanted.names and all(alike)
    return _representative(given) == _representative(wanted)


def _representative(kind: "DataType") -> str:
    return COMPARABLE_AS.get(kind.typeName(), kind.typeName())


def is_map_as_struct(given: "DataType", wanted: "DataType") -> bool:
    """Return whether a map is given as a struct, as dictionaries of pandas are read."""
    from pyspark.sql.types import MapType, StructType

    return isinstance(given, StructType) and isinstance(wanted, MapType)


def read_as(given: GivenTable, name: str, wanted: "DataType", argument: str) -> "Column":
    """Return a column of features as one that can be compared with another type.

    Structs become maps where the backfill has maps, without null fields: a struct cannot
    distinguish an absent bucket from one with null.

    Parameters
    ----------
    given : GivenTable
    name : str
        One of its columns.
    wanted : DataType
        The type in the backfill.
    argument : str
        The name of the table in errors.

    Raises
    ------
    WorkbenchError
        When the types cannot be compared.
    """
    found = _column_as(given, name, wanted, argument)
    if found is None:
        kind = type_of(given.bound, name)
        raise WorkbenchError(
            f"{argument}: {name!r} holds {kind.simpleString()}, but a backfill gives "
            f"{wanted.simpleString()} there; cast it to that type."
        )
    return found


def read_alike(
    first: GivenTable, second: GivenTable, name: str, is_map: bool
) -> "tuple[Column, Column] | None":
    """Return a column of two tables as columns that can be compared, None if they cannot.

    Parameters
    ----------
    first, second : GivenTable
        Both have the column.
    name : str
    is_map : bool
        Whether it is a map, even if both tables have structs.
    """
    tables = first, second
    kinds = [type_of(one.bound, name) for one in tables]
    wanted = _common(tables, kinds, name, is_map)
    found = [_column_as(one, name, wanted, one.bound.side) for one in tables]
    if found[0] is None or found[1] is None:
        return None
    if any(is_map_as_struct(kind, wanted) for kind in kinds):
        # Nulls that one of them cannot hold are removed from the other.
        found = [without_null(one) for one in found if one is not None]
    return cast("tuple[Column, Column]", tuple(found))


def _common(
    tables: Sequence[GivenTable], kinds: "Sequence[DataType]", name: str, is_map: bool
) -> "DataType":
    """Return the type to read columns as: that of the second, unless it is blank."""
    from pyspark.sql.types import MapType, StringType, StructType

    typed = [
        kind for one, kind in zip(tables, kinds, strict=True) if (name,) not in one.blank
    ] or list(kinds)
    maps = [kind for kind in typed if isinstance(kind, MapType)]
    structs = [kind for kind in typed if isinstance(kind, StructType)]
    if not maps and is_map and len(structs) == len(typed):
        values = [
            field.dataType
            for one, kind in zip(tables, kinds, strict=True)
            for field in (kind.fields if isinstance(kind, StructType) else ())
            if (name, field.name) not in one.blank
        ]
        return MapType(StringType(), values[-1] if values else StringType())
    return (maps or typed)[-1]


def _column_as(given: GivenTable, name: str, wanted: "DataType", argument: str) -> "Column | None":
    value, kind = column(given.bound, name, argument), type_of(given.bound, name)
    return _value_as(value, kind, wanted, (name,), given.blank)


def _value_as(
    value: "Column",
    kind: "DataType",
    wanted: "DataType",
    path: tuple[str, ...],
    blank: frozenset[tuple[str, ...]],
) -> "Column | None":
    """Return a value as one of another type, None if that is not possible."""
    from pyspark.sql import functions as F

    if path in blank:
        return F.lit(None).cast(wanted)
    if not is_map_as_struct(kind, wanted):
        return value if comparable(kind, wanted) else None
    struct, of = cast("StructType", kind), cast("MapType", wanted)
    if _representative(of.keyType) != "string":
        return None
    fields = [
        _value_as(one, field.dataType, of.valueType, (*path, field.name), blank)
        for one, field in zip(_fields(value, struct), struct.fields, strict=True)
    ]
    values = [one for one in fields if one is not None]
    if len(values) < len(fields):
        return None
    names = F.array(*map(F.lit, struct.names))
    whole = F.map_from_arrays(names, F.array(*values)) if values else F.create_map().cast(wanted)
    return F.when(value.isNotNull(), without_null(whole))


def _fields(value: "Column", kind: "StructType") -> "list[Column]":
    """Return the fields of a struct by position: Spark does not distinguish the case of names."""
    from pyspark.sql.types import StructField, StructType

    named = StructType([StructField(f"f{i}", one.dataType) for i, one in enumerate(kind.fields)])
    return [value.cast(named).getField(name) for name in named.names]


def without_null(value: "Column") -> "Column":
    """Return maps without the entries whose value is null."""
    from pyspark.sql import functions as F

    return F.map_filter(value, lambda _, one: one.isNotNull())

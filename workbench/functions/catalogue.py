"""What each window function takes and gives: the types of its arguments, and of its answer.

Executors load this module, so it needs the standard library and nothing else at its top.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

#: In the name of a type of text that is not told apart by its bytes.
COLLATED = " collate "
RANKINGS = ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile")
#: Functions that see the whole partition, whatever the frame.
FRAMELESS = (*RANKINGS, "lag", "lead", "fill")
#: Functions that take the value of a row that they find by its place; nulls may be ignored.
PICKED = ("lag", "lead", "first", "last", "nth")
#: Functions that mean nothing where rows have no order.
ORDERED = (*RANKINGS, *PICKED, "fill", "string_agg", "first_k", "last_k")
#: Functions whose answer is the same whether a value counts once or as often as it is there.
WITHOUT_DISTINCT = (
    *("min", "max", "arg_min", "arg_max", "bool_and", "bool_or"),
    *("bounded_count_distinct", "approx_count_distinct"),
)
#: Functions that estimate their answer, by sketches of the partition's rows in chunks.
SKETCHED = ("approx_count_distinct", "approx_quantile", "approx_top_k")
#: Those whose answer is another where the chunks are others.
CHUNKED = ("approx_quantile", "approx_top_k")
#: Functions of which n is the only option that is shown, and always.
_COUNTED = (
    *("nth", "ntile", "first_k", "last_k", "top_k", "bottom_k"),
    *("bounded_count_distinct", "approx_top_k"),
)
#: The size of a sketch, where nothing else is said.
LG_K, QUANTILES_K = 12, 200

NUMBERS = ("integer", "float", "decimal")
TIMES = ("date", "timestamp", "timestamp_ntz")
SORTED = (*NUMBERS, *TIMES, "boolean", "text", "interval", "time")
#: The most digits of a decimal that fit 64 bits.
MOST_DIGITS = 18
#: The most digits of a decimal.
MOST_PRECISION = 38

LONG, DOUBLE, INT, BOOLEAN, SAME = "long", "double", "int", "boolean", "same"
LIKE_SUM, LIKE_QUANTILE = "like sum", "like quantile"
LIST, COUNTS = "list", "counts"


@dataclass(frozen=True)
class Options:
    """What a function is given beside columns.

    Attributes
    ----------
    n : int
        The distance of ``lag`` and ``lead``, the place of ``nth``, the buckets of ``ntile``, the k
        of ``top_k`` and the like, the size of a sketch.
    q : tuple of float
        The quantiles.
    single : bool
        Whether one quantile is given, and not a list.
    default : object
        What ``lag`` and ``lead`` give where there is no row.
    ignore_nulls : bool
    distinct : bool
        Whether each value counts once.
    separator : str
        What ``string_agg`` puts between two texts.
    """

    n: int = 1
    q: tuple[float, ...] = ()
    single: bool = False
    default: Any = None
    ignore_nulls: bool = False
    distinct: bool = False
    separator: str = ","

    def shown(self, name: str) -> list[Any]:
        """Return the options as they were given, for a person to read."""
        if name in _COUNTED:
            return [self.n]
        if name in ("lag", "lead"):
            return [self.n] if self.default is None else [self.n, self.default]
        if name in ("quantile", "quantile_disc"):
            return [self.q[0] if self.single else list(self.q)]
        if name == "approx_count_distinct":
            return [self.n] if self.n != LG_K else []
        if name == "approx_quantile":
            shares = self.q[0] if self.single else list(self.q)
            return [shares, self.n] if self.n != QUANTILES_K else [shares]
        if name == "string_agg":
            return [self.separator] if self.separator != "," else []
        return []


NO_OPTIONS = Options()


class Signature(NamedTuple):
    """The kinds of each argument, and what the answer is."""

    takes: tuple[tuple[str, ...], ...]
    gives: str


_ANY = ("any",)
_OF_NUMBERS = (
    *("product", "stddev", "stddev_pop", "variance", "variance_pop"),
    *("skewness", "kurtosis", "kurtosis_pop"),
)
_OF_PAIRS = ("covar_samp", "covar_pop", "corr")

#: Functions of which each value may count once.
DISTINCT = {
    *(
        "count",
        "count_distinct",
        "sum",
        "avg",
        "mode",
        "mad",
        "median",
        "quantile",
        "quantile_disc",
    ),
    *("string_agg", "top_k", "bottom_k", *WITHOUT_DISTINCT, *_OF_NUMBERS, *_OF_PAIRS),
}

SIGNATURES = {
    "count": Signature((_ANY,), LONG),
    "count_distinct": Signature((SORTED,), LONG),
    "sum": Signature((NUMBERS,), LIKE_SUM),
    "avg": Signature((NUMBERS,), DOUBLE),
    **{name: Signature((NUMBERS,), DOUBLE) for name in _OF_NUMBERS},
    **{name: Signature((NUMBERS, NUMBERS), DOUBLE) for name in _OF_PAIRS},
    "bool_and": Signature((("boolean",),), BOOLEAN),
    "bool_or": Signature((("boolean",),), BOOLEAN),
    "min": Signature((SORTED,), SAME),
    "max": Signature((SORTED,), SAME),
    "arg_min": Signature((_ANY, SORTED), SAME),
    "arg_max": Signature((_ANY, SORTED), SAME),
    "mode": Signature((SORTED,), SAME),
    "median": Signature(((*NUMBERS, *TIMES),), LIKE_QUANTILE),
    "quantile": Signature(((*NUMBERS, *TIMES),), LIKE_QUANTILE),
    "quantile_disc": Signature((SORTED,), SAME),
    "mad": Signature((NUMBERS,), DOUBLE),
    "string_agg": Signature((("text",),), SAME),
    "bounded_count_distinct": Signature((SORTED,), LONG),
    "first_k": Signature((_ANY,), LIST),
    "last_k": Signature((_ANY,), LIST),
    "top_k": Signature((SORTED,), LIST),
    "bottom_k": Signature((SORTED,), LIST),
    "histogram": Signature((SORTED,), COUNTS),
    "approx_count_distinct": Signature((SORTED,), LONG),
    "approx_quantile": Signature(((*NUMBERS, *TIMES),), LIKE_QUANTILE),
    "approx_top_k": Signature((SORTED,), COUNTS),
    "first": Signature((_ANY,), SAME),
    "last": Signature((_ANY,), SAME),
    "nth": Signature((_ANY,), SAME),
    "lag": Signature((_ANY,), SAME),
    "lead": Signature((_ANY,), SAME),
    "fill": Signature(((*NUMBERS, *TIMES),), SAME),
    "row_number": Signature((), INT),
    "rank": Signature((), INT),
    "dense_rank": Signature((), INT),
    "ntile": Signature((), INT),
    "percent_rank": Signature((), DOUBLE),
    "cume_dist": Signature((), DOUBLE),
}

_KINDS = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "integer"),
    **dict.fromkeys(("float", "double"), "float"),
    **dict.fromkeys(("string", "binary", "char", "varchar"), "text"),
    **dict.fromkeys((*TIMES, "decimal", "boolean", "time"), None),
}


def kind_of(data_type: "DataType") -> str:
    """Return what kind of values a type holds, as far as windows tell them apart.

    Parameters
    ----------
    data_type : pyspark.sql.types.DataType

    Returns
    -------
    str
        "integer", "float", "decimal", "date", "timestamp", "timestamp_ntz", "boolean", "text",
        "interval", "time"; "collated" for text whose equality is not that of its bytes; "other".

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, DecimalType, LongType
    >>> kind_of(LongType()), kind_of(DecimalType(9, 2)), kind_of(ArrayType(LongType()))
    ('integer', 'decimal', 'other')
    """
    from pyspark.sql.types import DayTimeIntervalType

    if isinstance(data_type, DayTimeIntervalType):
        return "interval"
    if COLLATED in data_type.simpleString():
        return "collated"
    name = data_type.typeName().partition("(")[0]
    return _KINDS.get(name, "other") or name


def answer_type(name: str, options: Options, argument: "DataType | None") -> "DataType":
    """Return the type of a function's answer.

    Parameters
    ----------
    name : str
    options : Options
    argument : pyspark.sql.types.DataType or None
        The type of the first argument.

    Returns
    -------
    pyspark.sql.types.DataType
    """
    from pyspark.sql import types as t

    plain: dict[str, DataType] = {LONG: t.LongType(), DOUBLE: t.DoubleType()}
    plain |= {INT: t.IntegerType(), BOOLEAN: t.BooleanType()}
    gives = SIGNATURES[name].gives
    if gives in plain:
        return plain[gives]
    assert argument is not None
    if gives == LIKE_SUM:
        return _sum_type(argument)
    if gives == LIST:
        return t.ArrayType(argument)
    if gives == COUNTS:
        return t.MapType(argument, t.LongType())
    one = _quantile_type(argument) if gives == LIKE_QUANTILE else argument
    return t.ArrayType(one) if options.q and not options.single else one


def _sum_type(argument: "DataType") -> "DataType":
    from pyspark.sql import types as t

    if isinstance(argument, t.DecimalType):
        return t.DecimalType(min(argument.precision + 10, MOST_PRECISION), argument.scale)
    return t.LongType() if kind_of(argument) == "integer" else t.DoubleType()


def _quantile_type(argument: "DataType") -> "DataType":
    from pyspark.sql import types as t

    same = {"timestamp": t.TimestampType(), "timestamp_ntz": t.TimestampNTZType()}
    # A date is a midnight without a zone, so what lies between two of them has none either.
    return (same | {"date": t.TimestampNTZType()}).get(kind_of(argument), t.DoubleType())


def check_arguments(column: str, name: str, arguments: "tuple[DataType, ...]") -> None:
    """Refuse arguments of a type that a function cannot take.

    Parameters
    ----------
    column : str
        The result's name.
    name : str
    arguments : tuple of pyspark.sql.types.DataType

    Raises
    ------
    WorkbenchError
    """
    for data_type, kinds in zip(arguments, SIGNATURES[name].takes, strict=False):
        kind = kind_of(data_type)
        if kinds != _ANY and kind not in kinds:
            raise WorkbenchError(
                f"{column}: {name} cannot take {data_type.simpleString()}; "
                f"give it a column of {_listed(kinds)}."
            )
        if name == "fill" and getattr(data_type, "precision", 0) > MOST_DIGITS:
            raise WorkbenchError(
                f"{column}: {name} of decimals of more than {MOST_DIGITS} digits is not "
                "available; cast the column to fewer digits or to double."
            )


def _listed(kinds: tuple[str, ...]) -> str:
    """The kinds as a person says them."""
    if kinds == SORTED:
        return "plain values, such as numbers, times or text"
    said = {"boolean": "booleans", "text": "text"}
    groups = [(NUMBERS, "numbers"), (TIMES, "times")]
    words = [word for group, word in groups if set(group) <= set(kinds)]
    return " or ".join(words + [said[kind] for kind in kinds if kind in said])

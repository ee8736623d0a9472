"""The catalogue: a row per function, with all properties that plans, workers and stores need.

To add a function, add its row here and its name in :mod:`workbench.functions.fn`; for a new
aggregate, add its kernel to :mod:`kernels.states.aggregates` too. Other code tests properties of
the row, never the function's name. Names in SQL are in :mod:`workbench.dialects.functions`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

#: Part of the name of a string type with a collation, whose equality is not that of its bytes.
COLLATED = " collate "
#: The default sizes of sketches.
LG_K, QUANTILES_K = 12, 200

NUMBERS = ("integer", "float", "decimal")
TIMES = ("date", "timestamp", "timestamp_ntz")
#: Kinds of values that can be interpolated.
MEASURED = (*NUMBERS, *TIMES, "time")
SORTED = (*NUMBERS, *TIMES, "boolean", "text", "interval", "time")
#: Kinds of values with equality; structs and lists have no order here.
EQUAL = (*SORTED, "nested")
#: The most digits of a decimal that fits 64 bits.
MOST_DIGITS = 18
#: The most digits of a decimal.
MOST_PRECISION = 38

LONG, DOUBLE, INT, BOOLEAN, SAME = "long", "double", "int", "boolean", "same"
LIKE_SUM, LIKE_QUANTILE = "like sum", "like quantile"
LIST, COUNTS = "list", "counts"

#: Families: how the engine computes a function. "aggregate" is any numeric aggregate of the
#: kernels, "exact sum" an aggregate that does not round integers and decimals, "row" the value of
#: the row that an aggregate of the kernels finds.
COUNT, COUNT_DISTINCT = "count", "count distinct"
EXACT_SUM, AGGREGATE, ROW = "exact sum", "aggregate", "row"
MODE, MAD, QUANTILE, QUANTILE_DISC = "mode", "mad", "quantile", "quantile disc"
STRING_AGG, END_VALUES, EXTREME_VALUES = "string agg", "end values", "extreme values"
HISTOGRAM, NTH, SHIFT, FILL, RANKING = "histogram", "nth", "shift", "fill", "ranking"
ARRAY_AGG, ENTROPY = "array agg", "entropy"
DISTINCT_SKETCH, QUANTILES_SKETCH = "distinct sketch", "quantiles sketch"
FREQUENT_SKETCH = "frequent sketch"
SKETCHES = (DISTINCT_SKETCH, QUANTILES_SKETCH, FREQUENT_SKETCH)

#: Extents: which rows a function looks at. Its frame; its frame in chunks counted from the
#: partition's first row; n rows back or ahead; rows before it, only to count them; the partition.
FRAME, CHUNKS, BACK, AHEAD = "frame", "chunks", "back", "ahead"
BEFORE, PARTITION = "before", "partition"
#: The row that is enough to keep of a part of a window.
FIRST, LAST, LEAST, GREATEST = "first", "last", "least", "greatest"
#: A sentinel that equals no option, so that the option is always shown.
_ALWAYS = object()


@dataclass(frozen=True)
class Options:
    """The arguments of a function that are not its columns.

    Attributes
    ----------
    n : int or Column
        The distance of ``lag`` and ``lead``, the position of ``nth``, the number of buckets of
        ``ntile``, the k of ``top_k`` and the like, the size of a sketch.
    q : tuple of float
        The quantiles.
    single : bool
        Whether ``q`` was given as one quantile, not as a list.
    default : object
        What ``lag`` and ``lead`` return where there is no row.
    ignore_nulls : bool
    distinct : bool
        Whether each value counts once.
    separator : str
        What ``string_agg`` puts between two strings.
    """

    n: Any = 1
    q: tuple[float, ...] = ()
    single: bool = False
    default: Any = None
    ignore_nulls: bool = False
    distinct: bool = False
    separator: str = ","

    def shown(self, name: str) -> list[Any]:
        """Return the options as they were given, without defaults."""
        values = []
        for option, default in CATALOGUE[name].options:
            value = getattr(self, option)
            if option == "q":
                value = self.q[0] if self.single else list(self.q)
            # A value may be a Column, whose == returns no bool.
            if default is _ALWAYS or not (isinstance(value, type(default)) and value == default):
                values.append(value)
        return values


NO_OPTIONS = Options()


@dataclass(frozen=True)
class FunctionInfo:
    """A row of the catalogue: the properties of a function.

    Attributes
    ----------
    family : str
        One function of :mod:`workbench.engine` computes all functions of a family.
    takes : tuple of tuple of str
        The kinds of values that each argument may have, as :func:`kind_of` names them.
    gives : str
        The type of the result: "long", "double", "int", "boolean", "same" as the first argument,
        or another word that :func:`answer_type` resolves.
    aggregate : str
        Its name in :data:`kernels.states.aggregates.AGGREGATES`, which finishes its states.
    states : tuple of str
        The aggregates whose states are merged for it. The first one is finished; one of them has
        to count rows. Empty where no state of a fixed size merges.
    keeps : str
        The row that is enough to keep of a part of a window: "first", "last", "least" or
        "greatest".
    keeps_n : bool
        Whether ``n`` such rows are kept instead of one.
    once : bool
        Whether it is enough to keep each distinct value of a part of a window.
    in_order : bool
        Whether it needs all rows of a window together, in order.
    distinct : bool
        Whether it has a DISTINCT form.
    distinct_is : str
        The function that is its DISTINCT form, where that is another one.
    repeats : bool
        Whether a value that occurs twice counts twice.
    picks : bool
        Whether it returns the value of a row found by its position; nulls may be ignored.
    needs_order : bool
        Whether it is undefined without an order of the rows.
    own_order : bool
        Whether an order of its own for the rows of the frame changes its result.
    by_row : bool
        Whether its ``n`` may be a column.
    extent : str
        How far it looks: "frame", "chunks", "back", "ahead", "before" or "partition".
    spark : str
        The name of the equivalent function in :mod:`pyspark.sql.functions`.
    not_in_spark : str
        Why there is none.
    options : tuple of (str, object)
        Its :class:`Options` in the order of its arguments, with defaults, which are not shown.
    instead : str
        The nearest function that a store can hold, where a store cannot hold this one.
    aliases : tuple of str
        Other names for it in an aggregation.
    own : tuple of str
        The kinds of values that it computes directly, where it takes others as well.
    others_as : str
        The type that values of other kinds are cast to.
    of_others : str
        The function that replaces it for values of other kinds.
    """

    family: str
    takes: tuple[tuple[str, ...], ...]
    gives: str
    aggregate: str = ""
    states: tuple[str, ...] = ()
    keeps: str = ""
    keeps_n: bool = False
    once: bool = False
    in_order: bool = False
    distinct: bool = False
    distinct_is: str = ""
    repeats: bool = True
    picks: bool = False
    needs_order: bool = False
    own_order: bool = False
    by_row: bool = False
    extent: str = FRAME
    spark: str = ""
    not_in_spark: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    instead: str = ""
    aliases: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    others_as: str = ""
    of_others: str = ""

    @property
    def has_frame(self) -> bool:
        """Whether it looks at a frame, not at rows of the whole partition."""
        return self.extent in (FRAME, CHUNKS)

    @property
    def any_order(self) -> bool:
        """Whether the result does not depend on the order of a frame's rows."""
        by_position = self.in_order and self.family not in (HISTOGRAM, ENTROPY, DISTINCT_SKETCH)
        return self.has_frame and not (self.own_order or by_position or self.extent == CHUNKS)

    @property
    def picks_row(self) -> bool:
        """Whether the result is the value of one row, and each part of a window has a candidate."""
        return bool(self.keeps) and not self.keeps_n and not self.once


def info_of(name: str, own_order: bool = False) -> FunctionInfo:
    """Return the catalogue row of a function, optionally for the function with its own order.

    With its own order, a function no longer needs the order of the window, and ranks, ``lag`` and
    ``lead`` look at a frame instead of the partition.

    Examples
    --------
    >>> info_of("rank").has_frame, info_of("rank", own_order=True).has_frame
    (False, True)
    """
    return _with_own_order(CATALOGUE[name]) if own_order else CATALOGUE[name]


@lru_cache
def _with_own_order(info: FunctionInfo) -> FunctionInfo:
    framed = info.family in (RANKING, SHIFT)
    return replace(info, needs_order=False, extent=FRAME if framed else info.extent)


_ANY = ("any",)
_N = (("n", _ALWAYS),)
_SHIFTED = (*_N, ("default", None))
_Q = ("q", _ALWAYS)


def _statistic(
    aggregate: str, spark: str = "", not_in_spark: str = "", columns: int = 1
) -> FunctionInfo:
    """Return the row of a statistic that is computed from the state of an aggregate."""
    takes, states = (NUMBERS,) * columns, (aggregate,)
    return FunctionInfo(
        *(AGGREGATE, takes, DOUBLE, aggregate, states),
        distinct=True, spark=spark, not_in_spark=not_in_spark,
    )  # fmt: skip


def _sum(name: str, gives: str, aliases: tuple[str, ...] = ()) -> FunctionInfo:
    """Return the row of a sum, or of a value computed from the sum and the number of rows."""
    states = ("sum",)
    return FunctionInfo(
        EXACT_SUM, (NUMBERS,), gives, name, states, distinct=True, spark=name, aliases=aliases
    )


def _extreme(keeps: str, of_other: bool = False) -> FunctionInfo:
    """Return the row of a minimum or maximum, or of another column's value in that row."""
    name = "min" if keeps == LEAST else "max"
    why = f"Spark's {name}_by looks at nulls, and takes any of several {keeps} rows"
    return FunctionInfo(
        *(ROW, (_ANY, SORTED) if of_other else (SORTED,), SAME, name),
        keeps=keeps, distinct=True, repeats=False, own_order=of_other,
        spark="" if of_other else name, not_in_spark=why if of_other else "",
    )  # fmt: skip


def _flags(name: str) -> FunctionInfo:
    takes, states = (("boolean",),), ("bool_and",)
    return FunctionInfo(
        AGGREGATE, takes, BOOLEAN, name, states, distinct=True, repeats=False, spark=name
    )


def _bits(name: str) -> FunctionInfo:
    """Return the row of a bitwise aggregate of integers."""
    return FunctionInfo(
        *(AGGREGATE, (("integer",),), LONG, name, (name, "count")),
        distinct=True, repeats=name == "bit_xor", spark=name,
    )  # fmt: skip


def _regression(name: str, gives: str = DOUBLE, **rest: Any) -> FunctionInfo:
    """Return the row of a statistic of a linear regression."""
    return FunctionInfo(
        *(AGGREGATE, (NUMBERS, NUMBERS), gives, name, (name,)), distinct=True, **rest
    )


def _k_values(family: str, keeps: str) -> FunctionInfo:
    """Return the row of a function that lists k values, by position or by size."""
    by_position = family == END_VALUES
    return FunctionInfo(
        *(family, (_ANY if by_position else SORTED,), LIST),
        keeps=keeps, keeps_n=True, distinct=not by_position, needs_order=by_position,
        own_order=by_position, options=_N,
    )  # fmt: skip


def _quantile(**rest: Any) -> FunctionInfo:
    return FunctionInfo(
        *(QUANTILE, (MEASURED,), LIKE_QUANTILE),
        distinct=True, spark="percentile", instead="approx_quantile", **rest,
    )  # fmt: skip


def _picked(family: str, **rest: Any) -> FunctionInfo:
    """Return the row of a function that returns the value of a row found by its position."""
    shared: dict[str, Any] = {"picks": True, "needs_order": True, "own_order": True}
    return FunctionInfo(family, (_ANY,), SAME, **shared, **rest)


def _ranking(name: str, gives: str, extent: str, **rest: Any) -> FunctionInfo:
    shared: dict[str, Any] = {"needs_order": True, "own_order": name != "dense_rank"}
    return FunctionInfo(RANKING, (), gives, extent=extent, spark=name, **shared, **rest)


NO_DISTINCT = "Spark refuses DISTINCT in a window"
_OF_POPULATION = "Spark's {} is that of a population"

#: Every function by its name.
CATALOGUE = {
    "count": FunctionInfo(
        *(COUNT, (_ANY,), LONG, "count", ("count",)),
        distinct=True, distinct_is="count_distinct", spark="count",
    ),
    "count_distinct": FunctionInfo(
        *(COUNT_DISTINCT, (EQUAL,), LONG),
        once=True, distinct=True, distinct_is="count_distinct",
        not_in_spark=NO_DISTINCT, aliases=("unique_count",),
    ),
    "sum": replace(
        _sum("sum", LIKE_SUM), takes=((*NUMBERS, "boolean"),), own=NUMBERS, others_as="int"
    ),
    "avg": _sum("avg", DOUBLE, aliases=("average", "mean")),
    "product": FunctionInfo(
        *(AGGREGATE, (NUMBERS,), DOUBLE, "product", ("product", "count")),
        distinct=True, spark="product",
    ),
    "stddev": _statistic("stddev_samp", "stddev_samp"),
    "stddev_pop": _statistic("stddev_pop", "stddev_pop"),
    "variance": _statistic("var_samp", "var_samp"),
    "variance_pop": _statistic("var_pop", "var_pop"),
    "skewness": replace(
        _statistic("skewness", not_in_spark=_OF_POPULATION.format("skewness")), aliases=("skew",)
    ),
    "kurtosis": _statistic("kurtosis", not_in_spark=_OF_POPULATION.format("kurtosis")),
    "kurtosis_pop": _statistic("kurtosis_pop"),
    "covar_samp": _statistic("covar_samp", "covar_samp", columns=2),
    "covar_pop": _statistic("covar_pop", "covar_pop", columns=2),
    "corr": _statistic("corr", not_in_spark="Spark's corr of equal values is null", columns=2),
    "sem": _statistic("sem"),
    "regr_count": _regression("regr_count", LONG, spark="regr_count"),
    "regr_avgx": _regression("regr_avgx", spark="regr_avgx"),
    "regr_avgy": _regression("regr_avgy", spark="regr_avgy"),
    "regr_sxx": _regression("regr_sxx", spark="regr_sxx"),
    "regr_syy": _regression("regr_syy", spark="regr_syy"),
    "regr_sxy": _regression("regr_sxy", spark="regr_sxy"),
    "regr_slope": _regression(
        "regr_slope", not_in_spark="Spark's regr_slope of equal values is null"
    ),
    "regr_intercept": _regression("regr_intercept", spark="regr_intercept"),
    "regr_r2": _regression("regr_r2", spark="regr_r2"),
    "bit_and": _bits("bit_and"),
    "bit_or": _bits("bit_or"),
    "bit_xor": _bits("bit_xor"),
    "bool_and": _flags("bool_and"),
    "bool_or": _flags("bool_or"),
    "min": _extreme(LEAST),
    "max": _extreme(GREATEST),
    "arg_min": _extreme(LEAST, of_other=True),
    "arg_max": _extreme(GREATEST, of_other=True),
    "mode": FunctionInfo(
        *(MODE, (EQUAL,), SAME),
        in_order=True, distinct=True, own_order=True, instead="approx_top_k",
        not_in_spark="Spark's mode is any of the equally frequent values",
    ),
    "median": replace(
        _quantile(), takes=(SORTED,), own=MEASURED, of_others="quantile_disc"
    ),
    "quantile": _quantile(options=(_Q,), aliases=("percentile",)),
    "quantile_disc": FunctionInfo(
        *(QUANTILE_DISC, (SORTED,), SAME),
        distinct=True, options=(_Q,), instead="approx_quantile",
        not_in_spark="Spark refuses percentile_disc with a frame",
    ),
    "mad": FunctionInfo(MAD, (NUMBERS,), DOUBLE, distinct=True, instead="approx_quantile"),
    "string_agg": FunctionInfo(
        *(STRING_AGG, (SORTED,), SAME), own=("text",), others_as="string",
        in_order=True, distinct=True, needs_order=True, own_order=True,
        options=(("separator", ","),),
        instead="last_k", not_in_spark="Spark's string_agg promises no order of the rows",
    ),
    "array_agg": FunctionInfo(
        *(ARRAY_AGG, (_ANY,), LIST),
        in_order=True, distinct=True, picks=True, needs_order=True, own_order=True,
        instead="last_k", not_in_spark="Spark's array_agg leaves out nulls",
    ),
    "bounded_count_distinct": FunctionInfo(
        *(COUNT_DISTINCT, (SORTED,), LONG),
        once=True, keeps=FIRST, keeps_n=True, distinct=True, repeats=False, options=_N,
        aliases=("bounded_unique_count",),
    ),
    "first_k": _k_values(END_VALUES, FIRST),
    "last_k": _k_values(END_VALUES, LAST),
    "top_k": _k_values(EXTREME_VALUES, GREATEST),
    "bottom_k": _k_values(EXTREME_VALUES, LEAST),
    "entropy": FunctionInfo(
        *(ENTROPY, (SORTED,), DOUBLE), in_order=True, distinct=True, instead="approx_top_k"
    ),
    "histogram": FunctionInfo(HISTOGRAM, (SORTED,), COUNTS, in_order=True),
    "approx_count_distinct": FunctionInfo(
        *(DISTINCT_SKETCH, (SORTED,), LONG),
        once=True, in_order=True, distinct=True, repeats=False, options=(("n", LG_K),),
        not_in_spark="Spark's approx_count_distinct uses another sketch",
        aliases=("approx_unique_count",),
    ),
    "approx_quantile": FunctionInfo(
        *(QUANTILES_SKETCH, ((*NUMBERS, *TIMES),), LIKE_QUANTILE),
        in_order=True, extent=CHUNKS, options=(_Q, ("n", QUANTILES_K)),
        aliases=("approx_percentile",),
    ),
    "approx_top_k": FunctionInfo(
        FREQUENT_SKETCH, (SORTED,), COUNTS, in_order=True, extent=CHUNKS, options=_N
    ),
    "lag": _picked(SHIFT, extent=BACK, spark="lag", by_row=True, options=_SHIFTED),
    "lead": _picked(SHIFT, extent=AHEAD, spark="lead", by_row=True, options=_SHIFTED),
    "first": _picked(NTH, aggregate="first", keeps=FIRST, spark="first"),
    "last": _picked(NTH, aggregate="last", keeps=LAST, spark="last"),
    "nth": _picked(NTH, keeps=FIRST, keeps_n=True, spark="nth_value", by_row=True, options=_N),
    "fill": FunctionInfo(
        FILL, (MEASURED,), SAME, needs_order=True, own_order=True, extent=PARTITION
    ),
    "row_number": _ranking("row_number", INT, BEFORE),
    "rank": _ranking("rank", INT, BEFORE),
    "dense_rank": _ranking("dense_rank", INT, BEFORE),
    "ntile": _ranking("ntile", INT, PARTITION, by_row=True, options=_N),
    "percent_rank": _ranking("percent_rank", DOUBLE, PARTITION),
    "cume_dist": _ranking("cume_dist", DOUBLE, PARTITION),
}  # fmt: skip
#: The functions that executors know; a row that is added at run time travels with its calls.
KNOWN_TO_EXECUTORS = frozenset(CATALOGUE)

_KINDS = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "integer"),
    **dict.fromkeys(("float", "double"), "float"),
    **dict.fromkeys(("string", "binary", "char", "varchar"), "text"),
    **dict.fromkeys((*TIMES, "decimal", "boolean", "time"), None),
}


def kind_of(data_type: "DataType") -> str:
    """Return the kind of values that a type holds, as windows distinguish them.

    Parameters
    ----------
    data_type : pyspark.sql.types.DataType

    Returns
    -------
    str
        "integer", "float", "decimal", "date", "timestamp", "timestamp_ntz", "boolean", "text",
        "interval", "time"; "nested" for structs and lists of these; "collated" for text whose
        equality is not that of its bytes; "other".

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, DecimalType, LongType
    >>> kind_of(LongType()), kind_of(DecimalType(9, 2)), kind_of(ArrayType(LongType()))
    ('integer', 'decimal', 'nested')
    """
    from pyspark.sql.types import ArrayType, DayTimeIntervalType, StructType

    if isinstance(data_type, ArrayType | StructType):
        if isinstance(data_type, ArrayType):
            parts = [data_type.elementType]
        else:
            parts = [one.dataType for one in data_type.fields]
        return "nested" if all(kind_of(part) in EQUAL for part in parts) else "other"
    if isinstance(data_type, DayTimeIntervalType):
        return "interval"
    if COLLATED in data_type.simpleString():
        return "collated"
    name = data_type.typeName().partition("(")[0]
    return _KINDS.get(name, "other") or name


def answer_type(name: str, options: Options, argument: "DataType | None") -> "DataType":
    """Return the type of a function's result.

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
    gives = CATALOGUE[name].gives
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

    same: dict[str, DataType] = {
        "timestamp": t.TimestampType(),
        "timestamp_ntz": t.TimestampNTZType(),
    }
    # A date is a midnight without a zone, so a value between two dates has no zone either.
    same |= dict.fromkeys(("timestamp_ntz", "date"), t.TimestampNTZType()) | {"time": argument}
    return same.get(kind_of(argument), t.DoubleType())


def check_arguments(column: str, name: str, arguments: "tuple[DataType, ...]") -> None:
    """Refuse arguments of a type that a function does not support.

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
    for data_type, kinds in zip(arguments, CATALOGUE[name].takes, strict=False):
        kind = kind_of(data_type)
        if kinds != _ANY and kind not in kinds:
            raise WorkbenchError(
                f"{column}: {name} cannot take {data_type.simpleString()}; "
                f"give it a column of {_listed(kinds)}."
            )


def _listed(kinds: tuple[str, ...]) -> str:
    """Return kinds as words for a message."""
    if kinds in (SORTED, EQUAL):
        return "plain values, such as numbers, times or text"
    plurals = {"boolean": "booleans", "text": "text"}
    groups = [(NUMBERS, "numbers"), (TIMES, "times")]
    words = [word for group, word in groups if set(group) <= set(kinds)]
    if "numbers" not in words:
        plurals |= {"integer": "integers", "float": "floats", "decimal": "decimals"}
    return " or ".join(words + [plurals[kind] for kind in kinds if kind in plurals])

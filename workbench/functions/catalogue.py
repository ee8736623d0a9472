"""The catalogue: a row a function, with all that plans, workers and stores must know of it.

A function is added by its row here and its name in :mod:`workbench.functions.fn`; a new aggregate
also by its kernel in :mod:`kernels.states.aggregates`. Nothing else names a function to tell what
it is, whoever needs to know reads the row; what SQL calls it stands in
:mod:`workbench.dialects.functions`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

#: In the name of a type of text that is not told apart by its bytes.
COLLATED = " collate "
#: The size of a sketch, where nothing else is said.
LG_K, QUANTILES_K = 12, 200

NUMBERS = ("integer", "float", "decimal")
TIMES = ("date", "timestamp", "timestamp_ntz")
#: What lies on a line, so that there are values between two of them.
MEASURED = (*NUMBERS, *TIMES, "time")
SORTED = (*NUMBERS, *TIMES, "boolean", "text", "interval", "time")
#: What may be equal: of structs and lists it is not known which is less.
EQUAL = (*SORTED, "nested")
#: The most digits of a decimal that fit 64 bits.
MOST_DIGITS = 18
#: The most digits of a decimal.
MOST_PRECISION = 38

LONG, DOUBLE, INT, BOOLEAN, SAME = "long", "double", "int", "boolean", "same"
LIKE_SUM, LIKE_QUANTILE = "like sum", "like quantile"
LIST, COUNTS = "list", "counts"

#: What the engine answers a function by; "aggregate" is for any aggregate of the kernels that is of
#: numbers, "exact sum" for those that do not round whole numbers and decimals, "row" for the value
#: in the row that an aggregate of the kernels finds.
COUNT, COUNT_DISTINCT = "count", "count distinct"
EXACT_SUM, AGGREGATE, ROW = "exact sum", "aggregate", "row"
MODE, MAD, QUANTILE, QUANTILE_DISC = "mode", "mad", "quantile", "quantile disc"
STRING_AGG, END_VALUES, EXTREME_VALUES = "string agg", "end values", "extreme values"
HISTOGRAM, NTH, SHIFT, FILL, RANKING = "histogram", "nth", "shift", "fill", "ranking"
ARRAY_AGG, ENTROPY = "array agg", "entropy"
DISTINCT_SKETCH, QUANTILES_SKETCH = "distinct sketch", "quantiles sketch"
FREQUENT_SKETCH = "frequent sketch"
SKETCHES = (DISTINCT_SKETCH, QUANTILES_SKETCH, FREQUENT_SKETCH)

#: How far a function looks: over its frame; over its frame in chunks that count from the
#: partition's first row; so many rows back or ahead; at rows before, which it only counts; at all.
FRAME, CHUNKS, BACK, AHEAD = "frame", "chunks", "back", "ahead"
BEFORE, PARTITION = "before", "partition"
#: Which rows of a part of a window are enough.
FIRST, LAST, LEAST, GREATEST = "first", "last", "least", "greatest"
#: What no option is: one that is never usual is always shown.
_ALWAYS = object()


@dataclass(frozen=True)
class Options:
    """What a function is given beside columns.

    Attributes
    ----------
    n : int or Column
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

    n: Any = 1
    q: tuple[float, ...] = ()
    single: bool = False
    default: Any = None
    ignore_nulls: bool = False
    distinct: bool = False
    separator: str = ","

    def shown(self, name: str) -> list[Any]:
        """Return the options as they were given, for a person to read."""
        found = []
        for option, usual in CATALOGUE[name].options:
            value = getattr(self, option)
            if option == "q":
                value = self.q[0] if self.single else list(self.q)
            # A default or n may be a column, which has no equality that says yes or no.
            if usual is _ALWAYS or not (isinstance(value, type(usual)) and value == usual):
                found.append(value)
        return found


NO_OPTIONS = Options()


@dataclass(frozen=True)
class FunctionInfo:
    """A row of the catalogue: what there is to know of a function.

    Attributes
    ----------
    family : str
        Functions of one family are answered by one function of :mod:`workbench.engine`.
    takes : tuple of tuple of str
        The kinds of values that each argument may have, as :func:`kind_of` names them.
    gives : str
        The type of the answer: "long", "double", "int", "boolean", "same" as the first argument,
        or what :func:`answer_type` makes of it.
    aggregate : str
        The name that it has in :data:`kernels.states.aggregates.AGGREGATES`; what finishes its
        states.
    states : tuple of str
        The aggregates whose states are merged for it, the one that is finished first; one of them
        has to count rows. None where no state of a fixed size merges.
    keeps : str
        Of a part of a window it is enough to know the "first", "last", "least" or "greatest" row.
    keeps_n : bool
        So many of these as the option ``n`` says, and not one.
    once : bool
        Of a part of a window it is enough to know each value once.
    in_order : bool
        It needs all rows of a window side by side, in their order.
    distinct : bool
        Each value may count once.
    distinct_is : str
        The function that it then is, where that is another one.
    repeats : bool
        Whether a value that is there twice counts twice.
    picks : bool
        It takes the value of a row that it finds by its place; nulls may be ignored.
    needs_order : bool
        It means nothing where rows have no order.
    own_order : bool
        It may look at the rows of its frame in an order of its own, and means another thing then.
    by_row : bool
        Its ``n`` may be a column.
    extent : str
        How far it looks: "frame", "chunks", "back", "ahead", "before" or "partition".
    spark : str
        Spark's function of the same meaning, by its name in :mod:`pyspark.sql.functions`.
    not_in_spark : str
        Why there is none.
    options : tuple of (str, object)
        Which of :class:`Options` it is given, in turn, and what is not shown as it is usual.
    instead : str
        What is nearest to it of what a store can hold, where a store cannot hold it.
    aliases : tuple of str
        Other names that an aggregation may call it by.
    own : tuple of str
        The kinds of values that it is of itself, where it takes others as well.
    others_as : str
        The type that values of the others are turned into.
    of_others : str
        The function that it is of the others.
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
        """Whether it looks at a frame, and not at rows of the whole partition."""
        return self.extent in (FRAME, CHUNKS)

    @property
    def any_order(self) -> bool:
        """Whether the answer is the same in whatever order the rows of a frame are."""
        by_place = self.in_order and self.family not in (HISTOGRAM, ENTROPY, DISTINCT_SKETCH)
        return self.has_frame and not (self.own_order or by_place or self.extent == CHUNKS)

    @property
    def picks_row(self) -> bool:
        """Whether its answer is the value of one row, and each part of a window has such a one."""
        return bool(self.keeps) and not self.keeps_n and not self.once


def info_of(name: str, own_order: bool = False) -> FunctionInfo:
    """Return the row of a function, as it is where its rows have an order of their own.

    Ranks, ``lag`` and ``lead`` then look at a frame instead of the partition, and nothing needs the
    order of the window.

    Examples
    --------
    >>> info_of("rank").has_frame, info_of("rank", own_order=True).has_frame
    (False, True)
    """
    return _in_own_order(CATALOGUE[name]) if own_order else CATALOGUE[name]


@lru_cache
def _in_own_order(info: FunctionInfo) -> FunctionInfo:
    framed = info.family in (RANKING, SHIFT)
    return replace(info, needs_order=False, extent=FRAME if framed else info.extent)


_ANY = ("any",)
_N = (("n", _ALWAYS),)
_SHIFTED = (*_N, ("default", None))
_Q = ("q", _ALWAYS)


def _statistic(
    aggregate: str, spark: str = "", not_in_spark: str = "", columns: int = 1
) -> FunctionInfo:
    """A number that the state of an aggregate tells."""
    takes, states = (NUMBERS,) * columns, (aggregate,)
    return FunctionInfo(
        *(AGGREGATE, takes, DOUBLE, aggregate, states),
        distinct=True, spark=spark, not_in_spark=not_in_spark,
    )  # fmt: skip


def _sum(name: str, gives: str, aliases: tuple[str, ...] = ()) -> FunctionInfo:
    """A sum, or what is made of it and of the number of rows."""
    states = ("sum",)
    return FunctionInfo(
        EXACT_SUM, (NUMBERS,), gives, name, states, distinct=True, spark=name, aliases=aliases
    )


def _extreme(keeps: str, beside: bool = False) -> FunctionInfo:
    """The least or the greatest value, or the value beside it."""
    name = "min" if keeps == LEAST else "max"
    why = f"Spark's {name}_by looks at nulls, and takes any of several {keeps} rows"
    return FunctionInfo(
        *(ROW, (_ANY, SORTED) if beside else (SORTED,), SAME, name),
        keeps=keeps, distinct=True, repeats=False, own_order=beside,
        spark="" if beside else name, not_in_spark=why if beside else "",
    )  # fmt: skip


def _flags(name: str) -> FunctionInfo:
    takes, states = (("boolean",),), ("bool_and",)
    return FunctionInfo(
        AGGREGATE, takes, BOOLEAN, name, states, distinct=True, repeats=False, spark=name
    )


def _bits(name: str) -> FunctionInfo:
    """Integers joined bit by bit."""
    return FunctionInfo(
        *(AGGREGATE, (("integer",),), LONG, name, (name, "count")),
        distinct=True, repeats=name == "bit_xor", spark=name,
    )  # fmt: skip


def _regression(name: str, gives: str = DOUBLE, **rest: Any) -> FunctionInfo:
    """What is known of a line through pairs of numbers."""
    return FunctionInfo(
        *(AGGREGATE, (NUMBERS, NUMBERS), gives, name, (name,)), distinct=True, **rest
    )


def _k_values(family: str, keeps: str) -> FunctionInfo:
    """A list of some values: by their places, or by their size."""
    by_place = family == END_VALUES
    return FunctionInfo(
        *(family, (_ANY if by_place else SORTED,), LIST),
        keeps=keeps, keeps_n=True, distinct=not by_place, needs_order=by_place, own_order=by_place,
        options=_N,
    )  # fmt: skip


def _quantile(**rest: Any) -> FunctionInfo:
    return FunctionInfo(
        *(QUANTILE, (MEASURED,), LIKE_QUANTILE),
        distinct=True, spark="percentile", instead="approx_quantile", **rest,
    )  # fmt: skip


def _picked(family: str, **rest: Any) -> FunctionInfo:
    """The value of a row that is found by its place."""
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
    "arg_min": _extreme(LEAST, beside=True),
    "arg_max": _extreme(GREATEST, beside=True),
    "mode": FunctionInfo(
        *(MODE, (EQUAL,), SAME),
        in_order=True, distinct=True, own_order=True, instead="approx_top_k",
        not_in_spark="Spark's mode is any of the values that are as frequent",
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
        not_in_spark="Spark's approx_count_distinct counts by another sketch",
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
#: Those that executors know; a row that is added while Python runs travels with its calls.
KNOWN_TO_EXECUTORS = frozenset(CATALOGUE)

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
    # A date is a midnight without a zone, so what lies between two of them has none either.
    same |= dict.fromkeys(("timestamp_ntz", "date"), t.TimestampNTZType()) | {"time": argument}
    return same.get(kind_of(argument), t.DoubleType())


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
    for data_type, kinds in zip(arguments, CATALOGUE[name].takes, strict=False):
        kind = kind_of(data_type)
        if kinds != _ANY and kind not in kinds:
            raise WorkbenchError(
                f"{column}: {name} cannot take {data_type.simpleString()}; "
                f"give it a column of {_listed(kinds)}."
            )


def _listed(kinds: tuple[str, ...]) -> str:
    """The kinds as a person says them."""
    if kinds in (SORTED, EQUAL):
        return "plain values, such as numbers, times or text"
    plurals = {"boolean": "booleans", "text": "text"}
    groups = [(NUMBERS, "numbers"), (TIMES, "times")]
    words = [word for group, word in groups if set(group) <= set(kinds)]
    if "numbers" not in words:
        plurals |= {"integer": "integers", "float": "floats", "decimal": "decimals"}
    return " or ".join(words + [plurals[kind] for kind in kinds if kind in plurals])

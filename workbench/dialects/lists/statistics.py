"""Statistics of the elements of a list, as DuckDB's ``list_median`` and ``list_entropy``."""

from sqlglot import exp

from workbench.dialects.kinds import FLOATS, NUMBERS, Kinds, kind_of_elements
from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError

#: How many of the values are equal to each of them.
_COUNT = "SIZE(FILTER(values_, other_ -> other_ = each_))"
#: The deviations from the mean, squared and summed, by Welford's method.
_MOMENTS = (
    "AGGREGATE(values_, NAMED_STRUCT('n', DOUBLE(0), 'mean', DOUBLE(0), 'squares', DOUBLE(0)), "
    "(so_, each_) -> NAMED_STRUCT('n', so_.n + 1, 'mean', {mean}, "
    "'squares', so_.squares + (each_ - so_.mean) * (each_ - ({mean}))), so_ -> {result})"
)
_MEAN = "so_.mean + (each_ - so_.mean) / (so_.n + 1)"
_OF_SAMPLE = "IF(so_.n > 1, {}(so_.squares / (so_.n - 1)), NULL)"
_OF_ALL = "IF(so_.n > 1, {}(so_.squares / so_.n), DOUBLE(0))"


def _moments(result: str) -> str:
    return _MOMENTS.format(mean=_MEAN, result=result)


def _quantile(share: float) -> str:
    """Return the value at a share of the sorted values, interpolated."""
    place = f"((SIZE(values_) - 1) * {share!r}D)"
    low, high = f"GET(values_, INT(FLOOR{place}))", f"GET(values_, INT(CEIL{place}))"
    part = f"({place} - FLOOR{place})"
    return f"IF({part} = 0, {low}, {low} * (1 - {part}) + {high} * {part})"


def _quantile_disc(share: float) -> str:
    """Return the first of the sorted values that has a share of them at or before it."""
    place = f"SIZE(values_) - INT(FLOOR(SIZE(values_) - SIZE(values_) * {share!r}D)) - 1"
    return f"GET(values_, GREATEST({place}, 0))"


def _with(values: str, body: str) -> str:
    """Return an expression of ``values_``, which are computed once."""
    return f"ELEMENT_AT(TRANSFORM(ARRAY({values}), values_ -> {body}), 1)"


#: Templates over the numbers ``values_``, as doubles.
_OF_NUMBERS = {
    "var_samp": _moments(_OF_SAMPLE.format("")), "stddev_samp": _moments(_OF_SAMPLE.format("SQRT")),
    "var_pop": _moments(_OF_ALL.format("")), "stddev_pop": _moments(_OF_ALL.format("SQRT")),
    "sem": _moments("SQRT(so_.squares / so_.n) / SQRT(so_.n)"),
}  # fmt: skip
#: Templates over values of any type.
_OF_ANY = {
    "mode": "(ARRAY_MAX(TRANSFORM(ARRAY_DISTINCT(values_), (each_, place_) -> "
    f"NAMED_STRUCT('n', {_COUNT}, 'place', -place_, 'each', each_)))).each",
    "entropy": "AGGREGATE(ARRAY_DISTINCT(values_), DOUBLE(0), (so_, each_) -> "
    f"so_ - LOG2({_COUNT} / SIZE(values_)) * {_COUNT} / SIZE(values_))",
    "histogram": "MAP_FROM_ENTRIES(TRANSFORM(ARRAY_SORT(ARRAY_DISTINCT(values_)), each_ -> "
    f"STRUCT(each_, BIGINT({_COUNT}))))",
}  # fmt: skip
_OF_SORTED = ("median", "mad", "quantile_cont", "quantile_disc")
#: The statistics by the names of DuckDB's aggregates.
STATISTICS = (*_OF_NUMBERS, *_OF_ANY, *_OF_SORTED)


def list_statistic(
    node: exp.Expr, name: str, arguments: list[exp.Expr], sql_name: str, kinds: Kinds
) -> exp.Expr:
    """Return a statistic of the elements that are not null; null if there are none.

    Raises
    ------
    WorkbenchError
        When the elements are no numbers, or a share is no constant.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType
    >>> kinds = lambda node, operands: [ArrayType(LongType())]
    >>> call = list_statistic(exp.null(), "mode", [exp.column("l")], "list_mode", kinds)
    >>> call.sql("spark").startswith("ELEMENT_AT(TRANSFORM(ARRAY(ARRAY_COMPACT(l)), values_ -> ")
    True
    """
    kind = kind_of_elements(node, arguments[0], kinds)
    of_any = name in (*_OF_ANY, "quantile_disc") or (
        name == "median" and kind in ("string", "boolean")
    )
    if not of_any and kind not in (*NUMBERS, "void"):
        raise WorkbenchError(f"query: {sql_name} takes a list of numbers; cast its elements.")
    values = "ARRAY_COMPACT(:l)"
    if not of_any or kind in FLOATS:
        # A double of 0 may have a sign, which its equals do not have.
        values = f"TRANSFORM({values}, each_ -> DOUBLE(each_) + 0D)"
    if name in _OF_SORTED:
        values = f"ARRAY_SORT({values})"
    body = _body(name, arguments[1:], sql_name, of_any)
    of_none = "DOUBLE(0)" if name == "entropy" else "NULL"
    is_empty = "SIZE(values_) = 0"
    return fill_template(_with(values, f"IF({is_empty}, {of_none}, {body})"), l=arguments[0])


def _body(name: str, options: list[exp.Expr], sql_name: str, of_any: bool) -> str:
    """Return the template of a statistic over ``values_``."""
    if name == "median":
        return _quantile_disc(0.5) if of_any else _quantile(0.5)
    if name == "mad":
        deviations = "TRANSFORM(values_, each_ -> ABS(each_ - middle_))"
        of_deviations = _with(f"ARRAY_SORT({deviations})", _quantile(0.5))
        return f"ELEMENT_AT(TRANSFORM(ARRAY({_quantile(0.5)}), middle_ -> {of_deviations}), 1)"
    if name in ("quantile_cont", "quantile_disc"):
        share = _share(options, sql_name)
        return _quantile(share) if name == "quantile_cont" else _quantile_disc(share)
    return _OF_ANY.get(name) or _OF_NUMBERS[name]


def _share(options: list[exp.Expr], sql_name: str) -> float:
    option = options[0].unnest() if options else None
    is_number = isinstance(option, exp.Literal) and not option.is_string
    share = float(option.name) if is_number and option is not None else -1.0
    if not 0 <= share <= 1:
        raise WorkbenchError(
            f"query: the share of a quantile of {sql_name} is a constant number from 0 to 1 here, "
            "as in list_aggregate(l, 'quantile_cont', 0.25)."
        )
    return share

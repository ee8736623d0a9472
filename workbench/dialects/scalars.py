"""Scalar functions that have another name or another meaning in Spark."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from workbench.dialects.casts import cast, cast_texts_like_others, rewrite_types, try_cast
from workbench.dialects.clickhouse.lists import array_compact, array_except
from workbench.dialects.clickhouse.texts import hex_digits
from workbench.dialects.clickhouse.texts import substring as clickhouse_substring
from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.generic_calls import rewrite_generic_call
from workbench.dialects.kinds import Kinds
from workbench.dialects.lists.aggregates import list_aggregate
from workbench.dialects.lists.functions import (
    array_length,
    array_position,
    array_remove,
    array_reverse,
    arrays_overlap,
    check_unnest,
    concat_all_lists,
    concat_lists,
    contains_all,
    element,
    flatten,
    in_list,
    index_from_one,
    is_null,
    list_as_text,
    list_contains,
    list_distinct,
    list_intersect,
    list_reduce,
    list_slice,
)
from workbench.dialects.lists.vectors import product_of_vectors
from workbench.dialects.maps import map_of_pairs
from workbench.dialects.numbers import (
    cast_condition,
    is_infinite,
    is_nan,
    log10_of_log,
    log_with_infinity,
    modulo,
    round_double,
    sign,
    truncate,
)
from workbench.dialects.templates import anonymous
from workbench.dialects.texts.functions import (
    base64,
    chr_of_code,
    code_of_letter,
    concat_as_text,
    concat_ws_as_text,
    decode,
    encode,
    format_text,
    hex_lower,
    initcap,
    joined_as_text,
    left_or_right,
    length_of,
    merge_flags,
    refuse_collate,
    regexp_replace_call,
    sha_as_bytes,
    similar_to,
    substring,
)
from workbench.dialects.texts.globs import glob
from workbench.dialects.texts.json_parts import (
    clickhouse_json_text,
    json_extract,
    json_extract_text,
    json_object,
)
from workbench.dialects.texts.patterns import like, regexp_ilike
from workbench.dialects.texts.split import (
    split_at_zero,
    split_by_text,
    string_to_array,
)
from workbench.dialects.times.distances import date_diff, epoch
from workbench.dialects.times.intervals import split_intervals
from workbench.dialects.times.parts import (
    day_of_week,
    day_or_month_name,
    extract_part,
    format_time,
    iso_year,
    week,
)
from workbench.dialects.times.shifts import (
    at_time_zone,
    check_date_trunc,
    clickhouse_date_trunc,
    clickhouse_sum_of_times,
    current_time,
    date_add,
    epoch_ms,
    interval,
    series,
    sum_of_times,
    time_bucket,
    to_days,
)
from workbench.dialects.times.texts import parse_time_call


def rewrite_scalars(tree: exp.Expr, dialect: str, kinds: Kinds, days: bool = True) -> None:
    """Replace scalar functions by expressions with the same meaning in Spark.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str
    kinds : Kinds
    days : bool
        Whether there may be dates, whose sums and differences have other types in Spark.

    Raises
    ------
    WorkbenchError
        When Spark has nothing with the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT log(x), extract(dow FROM d), epoch_us(t)", read="duckdb")
    >>> rewrite_scalars(tree, "duckdb", lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT LOG10(x), (DAYOFWEEK(d) - 1), (UNIX_MICROS(CAST(t AS TIMESTAMP)))
    """
    if dialect == "spark":
        return
    rewrites = _CLICKHOUSE_REWRITES if dialect == "clickhouse" else _REWRITES
    for kind in tree.find_all(exp.DataType):
        days = days or kind.this is exp.DType.DATE
        days = days or (dialect == "clickhouse" and kind.this in exp.DataType.TEMPORAL_TYPES)
    rewrite_types(tree, dialect)
    if dialect in LIKE_POSTGRES:
        split_intervals(tree)
    # Inner nodes are rewritten first: the rewrite of an outer one may copy them.
    for node in reversed(list(tree.find_all(*rewrites))):
        # find_all also yields subclasses, such as TRY_CAST, which may have no rewrite.
        rewrite = rewrites.get(type(node))
        if not days and isinstance(node, exp.Add | exp.Sub):
            continue
        if rewrite is not None and (result := rewrite(node, dialect, kinds)) is not None:
            node.replace(result)


def _grouping(node: exp.Grouping, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return GROUPING of several keys, a bit mask of them, as GROUPING_ID."""
    return anonymous("GROUPING_ID", *node.expressions) if len(node.expressions) > 1 else None


def _array_sum(node: exp.ArraySum, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the sum of the elements that are not null."""
    call = exp.Anonymous(this="array_sum", expressions=[node.this.copy()])
    call.parent = node.parent
    return list_aggregate(call, kinds)


_REWRITES: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    exp.Log: log10_of_log,
    exp.Extract: extract_part,
    exp.DayOfWeek: day_of_week,
    exp.DayOfWeekIso: day_of_week,
    exp.Dayname: day_or_month_name,
    exp.Monthname: day_or_month_name,
    exp.DateDiff: date_diff,
    exp.Bracket: element,
    exp.ToMap: map_of_pairs,
    exp.ArrayContains: list_contains,
    exp.ArrayContainsAll: contains_all,
    exp.ArrayContainedBy: contains_all,
    exp.ArrayPosition: array_position,
    exp.ArrayRemove: array_remove,
    exp.Is: is_null,
    exp.SHA2Digest: sha_as_bytes,
    exp.ArrayIntersect: list_intersect,
    exp.ArraySlice: list_slice,
    exp.Reduce: list_reduce,
    exp.RegexpReplace: regexp_replace_call,
    exp.RegexpLike: merge_flags,
    exp.RegexpExtract: merge_flags,
    exp.RegexpExtractAll: merge_flags,
    exp.Left: left_or_right,
    exp.Right: left_or_right,
    exp.Substring: substring,
    exp.AtTimeZone: at_time_zone,
    exp.UnixToTime: epoch_ms,
    exp.DateBin: time_bucket,
    exp.Interval: interval,
    exp.ToDays: to_days,
    exp.DateAdd: date_add,
    exp.DateSub: date_add,
    exp.ArrayDistinct: list_distinct,
    exp.ArraySum: _array_sum,
    exp.JSONExtract: json_extract,
    exp.JSONExtractScalar: json_extract_text,
    exp.JSONObject: json_object,
    exp.SimilarTo: similar_to,
    exp.RegexpFullMatch: similar_to,
    exp.Week: week,
    exp.YearOfWeekIso: iso_year,
    exp.ArrayReverse: array_reverse,
    exp.Transform: index_from_one,
    exp.ArrayFilter: index_from_one,
    exp.Chr: chr_of_code,
    exp.Unicode: code_of_letter,
    exp.Initcap: initcap,
    exp.RegexpILike: regexp_ilike,
    exp.Like: like,
    exp.ILike: like,
    exp.Grouping: _grouping,
    exp.Round: round_double,
    exp.In: in_list,
    exp.ArrayOverlaps: arrays_overlap,
    exp.Format: format_text,
    exp.Length: length_of,
    exp.ArraySize: array_length,
    exp.Hex: hex_lower,
    exp.Encode: encode,
    exp.ToBase64: base64,
    exp.Decode: decode,
    exp.Cast: cast,
    exp.TryCast: try_cast,
    **dict.fromkeys((exp.If, exp.Where, exp.Having, exp.Qualify), cast_condition),
    **dict.fromkeys((exp.GenerateSeries, exp.ExplodingGenerateSeries), series),
    **dict.fromkeys((exp.CurrentTimestamp, exp.Localtimestamp), current_time),
    exp.Explode: check_unnest,
    exp.Unnest: check_unnest,
    exp.Collate: refuse_collate,
    exp.Anonymous: rewrite_generic_call,
    exp.Add: sum_of_times,
    exp.Sub: sum_of_times,
    exp.Mod: modulo,
    exp.IsNan: is_nan,
    exp.IsInf: is_infinite,
    exp.Concat: concat_as_text,
    exp.ConcatWs: concat_ws_as_text,
    exp.GroupConcat: joined_as_text,
    exp.DPipe: concat_lists,
    exp.ArrayConcat: concat_all_lists,
    exp.ArrayToString: list_as_text,
    exp.Flatten: flatten,
    exp.SplitPart: split_at_zero,
    **dict.fromkeys((exp.Greatest, exp.Least), cast_texts_like_others),
    **dict.fromkeys((exp.Trunc, exp.Floor, exp.Ceil), truncate),
    exp.Sign: sign,
    exp.TimestampTrunc: check_date_trunc,
    exp.DateTrunc: check_date_trunc,
    exp.TimeToUnix: epoch,
    exp.TimeToStr: format_time,
    exp.StrToTime: parse_time_call,
    exp.StrToDate: parse_time_call,
    exp.Glob: glob,
    exp.StringToArray: string_to_array,
    exp.Split: split_by_text,
    **dict.fromkeys((exp.Distance, exp.EuclideanDistance, exp.CosineDistance), product_of_vectors),
}

#: Classes with the same rewrite for ClickHouse.
_IN_CLICKHOUSE = (
    exp.ArrayContains, exp.ArrayDistinct, exp.ArrayReverse, exp.Bracket, exp.Ceil, exp.DateAdd,
    exp.DateDiff, exp.DateSub, exp.DayOfWeek, exp.DayOfWeekIso, exp.Floor, exp.Format, exp.Grouping,
    exp.ILike, exp.Initcap, exp.Interval, exp.IsInf, exp.IsNan, exp.Left, exp.Length, exp.Like,
    exp.Mod, exp.Monthname, exp.RegexpReplace, exp.Right, exp.Sign, exp.Split, exp.TimeToStr,
    exp.Trunc, exp.YearOfWeekIso,
)  # fmt: skip
_CLICKHOUSE_REWRITES: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    **{kind: _REWRITES[kind] for kind in _IN_CLICKHOUSE},
    exp.ArrayCompact: array_compact,
    exp.ArrayExcept: array_except,
    exp.Hex: hex_digits,
    exp.Substring: clickhouse_substring,
    exp.DateTrunc: clickhouse_date_trunc,
    exp.TimestampTrunc: clickhouse_date_trunc,
    exp.TimestampAdd: date_add,
    exp.TimestampSub: date_add,
    exp.Add: clickhouse_sum_of_times,
    exp.Sub: clickhouse_sum_of_times,
    exp.JSONExtractScalar: clickhouse_json_text,
    exp.Ln: log_with_infinity,
    exp.Log: log_with_infinity,
}

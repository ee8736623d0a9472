"""Functions of one row that Spark has by the same name, and means something else by."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from workbench.dialects.casts import cast, tried_cast, with_types
from workbench.dialects.duckdb_names import named_by_duckdb
from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.kinds import Kinds
from workbench.dialects.lists import (
    common_values,
    contains,
    contains_all,
    counted_from_one,
    different_values,
    element,
    in_list,
    overlap,
    position,
    reduced,
    reversed_list,
    size,
    sliced,
    spread_out,
)
from workbench.dialects.maps import map_of_pairs
from workbench.dialects.numbers import (
    common_divisor,
    condition,
    is_infinite,
    is_nan,
    logarithm,
    logarithm_of_all,
    rounded,
    sign,
    whole,
)
from workbench.dialects.texts.functions import (
    collated,
    concatenated,
    flagged,
    formatted,
    hexadecimal,
    initcap,
    left,
    length,
    letter,
    replaced_pattern,
    similar,
    substring,
)
from workbench.dialects.texts.globs import glob
from workbench.dialects.texts.json_parts import part_of_json, text_of_json, text_of_part
from workbench.dialects.texts.patterns import like, without_case
from workbench.dialects.texts.split import matched, split_by_pattern, split_by_text
from workbench.dialects.times.distances import date_diff, epoch
from workbench.dialects.times.intervals import with_intervals_apart
from workbench.dialects.times.parts import (
    day_of_week,
    extracted,
    name_of_time,
    time_as_text,
    week,
    year_of_week,
)
from workbench.dialects.times.shifts import (
    begun,
    bucketed,
    check_unit,
    in_zone,
    interval,
    interval_by_name,
    milliseconds,
    series,
    shifted,
    sum_of_times,
    sum_with_seconds,
)
from workbench.dialects.times.texts import read_time
from workbench.dialects.writing import anonymous, is_not_null
from workbench.errors import WorkbenchError


def rewrite_scalars(tree: exp.Expr, dialect: str, kinds: Kinds, days: bool = True) -> None:
    """Put what Spark calls it in the place of each function of one row that it calls otherwise.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str
    kinds : Kinds
    days : bool
        Whether there may be days, whose sums and differences Spark types otherwise.

    Raises
    ------
    WorkbenchError
        When Spark has nothing of the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT log(x), extract(dow FROM d), epoch_us(t)", read="duckdb")
    >>> rewrite_scalars(tree, "duckdb", lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT LOG10(x), (DAYOFWEEK(d) - 1), (UNIX_MICROS(CAST(t AS TIMESTAMP)))
    """
    meant_by = _MEANT if dialect in LIKE_POSTGRES else _MEANT_BY_CLICKHOUSE
    if dialect not in (*LIKE_POSTGRES, "clickhouse"):
        return
    for kind in tree.find_all(exp.DataType):
        days = days or kind.this is exp.DType.DATE
        days = days or (dialect == "clickhouse" and kind.this in exp.DataType.TEMPORAL_TYPES)
    with_types(tree, dialect)
    if dialect in LIKE_POSTGRES:
        with_intervals_apart(tree)
    # What stands within another is turned first: the outer one may take it along as a copy.
    for node in reversed(list(tree.find_all(*meant_by))):
        # What is of a kind of its own, as TRY_CAST, is none of them.
        found = meant_by.get(type(node))
        if not days and isinstance(node, exp.Add | exp.Sub):
            continue
        if found is not None and (meant := found(node, dialect, kinds)) is not None:
            node.replace(meant)


_DIVISORS = {
    "gcd": "gcd", "greatest_common_divisor": "gcd",
    "lcm": "lcm", "least_common_multiple": "lcm",
}  # fmt: skip


def _named(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Functions that have no class of their own."""
    name, given = node.name.lower(), node.expressions
    if name in ("date_part", "datepart") and len(given) == 2:
        part, of = given
        if isinstance(part, exp.Array):
            raise WorkbenchError(
                f"query: {name} of a list of parts is not available; ask for each part by itself, "
                "as date_part('year', t)."
            )
        if isinstance(part, exp.Literal) and part.is_string:
            asked = exp.Extract(this=exp.var(part.this.upper()), expression=of.copy())
            return extracted(asked, dialect, kinds) or asked
    if name == "timezone" and len(given) == 2:
        shown = exp.AtTimeZone(this=given[1].copy(), zone=given[0].copy())
        return in_zone(shown, dialect, kinds, node) or shown
    if name == "regexp_match" and len(given) in (2, 3):
        return matched(name, given)
    if name == "regexp_split_to_array" and len(given) in (2, 3) and dialect != "duckdb":
        return split_by_pattern(given)
    if name in _DIVISORS and len(given) == 2:
        return common_divisor(_DIVISORS[name], node, dialect, kinds)
    if name == "row" and given:
        named = [(exp.Literal.string(f"col{k}"), one) for k, one in enumerate(given, 1)]
        return anonymous("NAMED_STRUCT", *(part for pair in named for part in pair))
    if name == "printf" and len(given) > 1:
        # Of null there is no text.
        every = exp.and_(*(is_not_null(one) for one in given[1:]))
        return exp.Case(ifs=[exp.If(this=every, true=node.copy())])
    return named_by_duckdb(node, kinds) if dialect == "duckdb" else None


def _grouping(node: exp.Grouping, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Which of several keys a row is a total of, as a number of their bits."""
    return anonymous("GROUPING_ID", *node.expressions) if len(node.expressions) > 1 else None


_MEANT: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    exp.Log: logarithm,
    exp.Extract: extracted,
    exp.DayOfWeek: day_of_week,
    exp.DayOfWeekIso: day_of_week,
    exp.Dayname: name_of_time,
    exp.Monthname: name_of_time,
    exp.DateDiff: date_diff,
    exp.Bracket: element,
    exp.ToMap: map_of_pairs,
    exp.ArrayContains: contains,
    exp.ArrayContainsAll: contains_all,
    exp.ArrayContainedBy: contains_all,
    exp.ArrayPosition: position,
    exp.ArrayIntersect: common_values,
    exp.ArraySlice: sliced,
    exp.Reduce: reduced,
    exp.RegexpReplace: replaced_pattern,
    exp.RegexpLike: flagged,
    exp.RegexpExtract: flagged,
    exp.RegexpExtractAll: flagged,
    exp.Left: left,
    exp.Right: left,
    exp.Substring: substring,
    exp.AtTimeZone: in_zone,
    exp.UnixToTime: milliseconds,
    exp.DateBin: bucketed,
    exp.Interval: interval,
    exp.ToDays: interval_by_name,
    exp.DateAdd: shifted,
    exp.DateSub: shifted,
    exp.ArrayDistinct: different_values,
    exp.JSONExtract: part_of_json,
    exp.JSONExtractScalar: text_of_part,
    exp.SimilarTo: similar,
    exp.RegexpFullMatch: similar,
    exp.Week: week,
    exp.YearOfWeekIso: year_of_week,
    exp.ArrayReverse: reversed_list,
    exp.Transform: counted_from_one,
    exp.ArrayFilter: counted_from_one,
    exp.Chr: letter,
    exp.Initcap: initcap,
    exp.RegexpILike: without_case,
    exp.Like: like,
    exp.ILike: like,
    exp.Grouping: _grouping,
    exp.Round: rounded,
    exp.In: in_list,
    exp.ArrayOverlaps: overlap,
    exp.Format: formatted,
    exp.Length: length,
    exp.ArraySize: size,
    exp.Hex: hexadecimal,
    exp.Cast: cast,
    exp.TryCast: tried_cast,
    exp.If: condition,
    exp.GenerateSeries: series,
    exp.Explode: spread_out,
    exp.Unnest: spread_out,
    exp.Collate: collated,
    exp.Anonymous: _named,
    exp.Add: sum_of_times,
    exp.Sub: sum_of_times,
    exp.IsNan: is_nan,
    exp.IsInf: is_infinite,
    exp.Concat: concatenated,
    **dict.fromkeys((exp.Trunc, exp.Floor, exp.Ceil), whole),
    exp.Sign: sign,
    exp.TimestampTrunc: check_unit,
    exp.DateTrunc: check_unit,
    exp.TimeToUnix: epoch,
    exp.TimeToStr: time_as_text,
    exp.StrToTime: read_time,
    exp.StrToDate: read_time,
    exp.Glob: glob,
    exp.StringToArray: split_by_text,
}

_MEANT_BY_CLICKHOUSE: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    kind: _MEANT[kind]
    for kind in (
        *(
            exp.DayOfWeek,
            exp.DayOfWeekIso,
            exp.DateDiff,
            exp.Format,
            exp.Length,
            exp.ArrayDistinct,
            exp.Interval,
        ),
        *(exp.YearOfWeekIso, exp.ArrayReverse, exp.Trunc, exp.Floor, exp.Ceil, exp.Sign),
        *(exp.Like, exp.ILike, exp.Initcap),
        *(exp.IsNan, exp.IsInf, exp.TimeToStr, exp.RegexpReplace, exp.Bracket, exp.ArrayContains),
    )
} | {
    exp.DateTrunc: begun,
    exp.TimestampTrunc: begun,
    exp.DateAdd: shifted,
    exp.DateSub: shifted,
    exp.TimestampAdd: shifted,
    exp.TimestampSub: shifted,
    exp.Add: sum_with_seconds,
    exp.Sub: sum_with_seconds,
    exp.JSONExtractScalar: text_of_json,
    exp.Ln: logarithm_of_all,
    exp.Log: logarithm_of_all,
}

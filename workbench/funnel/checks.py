"""Refuse invalid arguments of a funnel with one sentence, before a job starts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.arguments import whole_number
from workbench.errors import WorkbenchError
from workbench.funnel.columns import RESULTS, check_event
from workbench.funnel.prepared import Prepared
from workbench.funnel.segments import Cohort
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.levels import ENTERED
from workbench.funnel.worker.summary import EXCLUDED
from workbench.spark.table import BoundTable, check_arrow_type, check_key, check_plain, column
from workbench.spark.types import INTEGERS, values_in_words

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

MOST_BINS = 1_000
#: Columns that lists of people have only while they are computed: the time of the last event, and
#: in which columns the segment is null.
END, NULLS = "__end__", "__nulls__"


def check_events(funnel: FunnelSpec, events: BoundTable) -> None:
    """Refuse a table that lacks the key, time or events, or has them in wrong types.

    Raises
    ------
    WorkbenchError
    """
    for name, argument in funnel.counting.columns.items():
        column(events, name, argument)
        check_plain(events.schema, name, argument, _results(funnel))
        check_arrow_type(events.schema[name].dataType, name, argument)
        if events.schema[name].dataType.typeName() == "void":
            raise WorkbenchError(
                f"{argument}: column {name!r} is null in every row, so no chain has a value "
                "of it; name another column."
            )
    check_key(events, RESULTS)
    for key in funnel.key:
        check_plain(events.schema, key, "key", _results(funnel))
    _check_spans(funnel, events.integer_time)
    if funnel.conditions is None:
        check_event(events, funnel.event)


def check_prepared(funnel: FunnelSpec, events: Prepared, by: Sequence[str]) -> None:
    """Refuse prepared events that do not hold what the funnel needs.

    Raises
    ------
    WorkbenchError
    """
    _check_prepared_by(funnel, events, "key")
    # Another funnel prepared them, whose result may have fewer columns.
    for key in funnel.key:
        argument = funnel.counting.columns.get(key, "key")
        check_plain(events.schema, key, argument, _results(funnel))
    _check_prepared_by(funnel, events, "time")
    _check_spans(funnel, events.integer_time)
    named = isinstance(events.event, str)
    if named != (funnel.conditions is None):
        kinds = ("event names", "conditions")[:: 1 if named else -1]
        argument = funnel.argument_of.get(funnel.labels[0], "steps")
        asks, anew = ("the funnel asks", "funnel.prepare(events)")
        if argument != "steps":
            asks, anew = ("retention asks", "wb.prepare(events, ...)")
        raise WorkbenchError(
            f"{argument}: the events were prepared by {kinds[0]} and {asks} for {kinds[1]}; "
            f"prepare them anew with {anew}."
        )
    if named:
        _check_prepared_by(funnel, events, "event")
    else:
        _check_same_conditions(funnel, events, by)
    columns = funnel.segmenting.columns(by)
    if missing := [name for name in columns if name not in events.keep]:
        raise WorkbenchError(
            f"by: the prepared events do not hold {missing[0]!r}; "
            f"prepare them with keep={list(columns)}."
        )


def check_segments(
    funnel: FunnelSpec, schema: "StructType", by: Sequence[str], reserved: Sequence[str] = ()
) -> None:
    """Refuse segments whose values cannot be compared, or that hide a column of the result.

    Raises
    ------
    WorkbenchError
    """
    result_columns = (*_results(funnel), *reserved)
    cohorts = {one.label: one for one in funnel.segmenting.of(by)}
    for name in by:
        if name in cohorts:
            _check_cohort(cohorts[name], schema, result_columns)
            continue
        check_plain(schema, name, "by", result_columns)
        check_arrow_type(schema[name].dataType, name, "by")


def _check_cohort(cohort: Cohort, schema: "StructType", result_columns: Sequence[str]) -> None:
    """Refuse a cohort that hides a column, or whose values its column cannot hold."""
    if cohort.label.lower() in {name.lower() for name in (*schema.names, *result_columns)}:
        raise WorkbenchError(
            f"cohorts: {cohort.label!r} is a column of the table or of the result; "
            "give the cohort another label."
        )
    if cohort.column is None:
        return
    kind = schema[cohort.column].dataType.typeName()
    text = kind in ("string", "char", "varchar")
    types = {"boolean": bool} | dict.fromkeys(INTEGERS, int) | ({kind: str} if text else {})
    if kind not in types:
        raise WorkbenchError(
            f"cohorts: column {cohort.column!r} holds {values_in_words(kind)}; name one of "
            "text, integers or booleans, or give conditions by label for steps and cohorts."
        )
    for value in cohort.values:
        if not isinstance(value, types[kind]) or (kind in INTEGERS and not _holds(kind, value)):
            raise WorkbenchError(
                f"cohorts: {value!r} is not a value of {cohort.column!r}, which holds "
                f"{values_in_words(kind)}; give one of that type."
            )


def _holds(kind: str, value: Any) -> bool:
    """Return whether an integer type can hold a value."""
    number, end = whole_number(value), 1 << (INTEGERS[kind] - 1)
    return number is not None and -end <= number < end


def check_bins(bins: Any) -> None:
    """Refuse anything but a number of intervals.

    Raises
    ------
    WorkbenchError
    """
    if whole_number(bins) not in range(1, MOST_BINS + 1):
        raise WorkbenchError(f"bins: {bins!r} is not possible; give 1 to {MOST_BINS:,} intervals.")


def check_level(funnel: FunnelSpec, stopped_at: Any) -> None:
    """Refuse anything but a level of this funnel.

    Raises
    ------
    WorkbenchError
    """
    if stopped_at is None:
        raise WorkbenchError(
            f"stopped_at: no level is given; give 0 to {len(funnel.labels)}, or reached= a step."
        )
    if whole_number(stopped_at) not in range(len(funnel.labels) + 1):
        raise WorkbenchError(
            f"stopped_at: {stopped_at!r} is not a level of this funnel; "
            f"give 0 to {len(funnel.labels)}."
        )


def _results(funnel: FunnelSpec) -> tuple[str, ...]:
    """Return the names of the result's own columns."""
    number = () if funnel.counting.number is None else (funnel.counting.number,)
    excluded = (EXCLUDED,) if funnel.rules.exclusions else ()
    return (*RESULTS, *number, *excluded, ENTERED, END, NULLS)


def _check_spans(funnel: FunnelSpec, integer_time: bool) -> None:
    """Refuse durations that do not fit the time column."""
    funnel.span(integer_time)
    funnel.counting.gap(integer_time)


def _check_prepared_by(funnel: FunnelSpec, events: Prepared, argument: str) -> None:
    prepared, requested = getattr(events, argument), getattr(funnel, argument)
    if prepared != requested:
        raise WorkbenchError(
            f"{argument}: the events were prepared by {prepared!r} and the funnel asks for "
            f"{requested!r}; prepare them anew with funnel.prepare(events)."
        )


def _check_same_conditions(funnel: FunnelSpec, events: Prepared, by: Sequence[str]) -> None:
    prepared = {label: str(condition) for label, condition in dict(events.event).items()}  # type: ignore[arg-type]
    cohorts = funnel.segmenting.of(by)
    of_cohorts = {one.label: one.condition for one in cohorts if one.condition is not None}
    for label, condition in ((funnel.all_conditions or {}) | of_cohorts).items():
        if prepared.get(label) != str(condition):
            argument = funnel.argument_of.get(label, "steps")
            raise WorkbenchError(
                f"{argument}: the events were not prepared by the condition of {label!r}; "
                "prepare them anew with funnel.prepare(events)."
            )

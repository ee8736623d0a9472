"""What a funnel must not be asked for: refused with one sentence, before a job starts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.arguments import whole_number
from workbench.errors import WorkbenchError
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.spark.table import (
    RESULTS,
    BoundTable,
    check_event,
    check_key,
    check_plain,
    check_sent,
)

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from workbench.spark.shuffle import Condition

MOST_BINS = 1_000


def check_events(funnel: FunnelSpec, events: BoundTable) -> None:
    """Refuse a table that lacks the key, the time or the events, or has them in other types.

    Raises
    ------
    WorkbenchError
    """
    check_key(events)
    funnel.span(events.integer_time)
    if funnel.conditions is None:
        check_event(events, funnel.event)


def check_prepared(funnel: FunnelSpec, events: Prepared, by: Sequence[str]) -> None:
    """Refuse blocks that do not hold what is asked.

    Raises
    ------
    WorkbenchError
    """
    _check_prepared_by(funnel, events, "key")
    _check_prepared_by(funnel, events, "time")
    funnel.span(events.integer_time)
    named = isinstance(events.event, str)
    if named != (funnel.conditions is None):
        kinds = ("event names", "conditions")[:: 1 if named else -1]
        raise WorkbenchError(
            f"steps: the events were prepared by {kinds[0]} and the funnel asks for "
            f"{kinds[1]}; prepare them anew with funnel.prepare(events)."
        )
    if named:
        _check_prepared_by(funnel, events, "event")
    else:
        _check_same_conditions(funnel, events)
    if missing := [name for name in by if name not in events.keep]:
        raise WorkbenchError(
            f"by: the prepared events do not hold {missing[0]!r}; "
            f"prepare them with keep={list(by)}."
        )


def check_segments(
    funnel: FunnelSpec, schema: "StructType", by: Sequence[str], taken: Sequence[str] = ()
) -> None:
    """Refuse segments that cannot be told apart, or hide a column of the result.

    Raises
    ------
    WorkbenchError
    """
    for name in by:
        check_plain(schema, name, "by", (*funnel.key, *RESULTS, *taken))
        check_sent(schema[name].dataType, name, "by")


def check_bins(bins: Any) -> None:
    """Refuse what is no number of intervals.

    Raises
    ------
    WorkbenchError
    """
    if whole_number(bins) not in range(1, MOST_BINS + 1):
        raise WorkbenchError(f"bins: {bins!r} is no number of intervals; give 1 to {MOST_BINS:,}.")


def check_level(funnel: FunnelSpec, stopped_at: Any) -> None:
    """Refuse what is no level of a funnel.

    Raises
    ------
    WorkbenchError
    """
    if whole_number(stopped_at) not in range(len(funnel.labels) + 1):
        raise WorkbenchError(
            f"stopped_at: {stopped_at!r} is no level of this funnel; "
            f"give 0 to {len(funnel.labels)}."
        )


def _check_prepared_by(funnel: FunnelSpec, events: Prepared, argument: str) -> None:
    prepared, requested = getattr(events, argument), getattr(funnel, argument)
    if prepared != requested:
        raise WorkbenchError(
            f"{argument}: the events were prepared by {prepared!r} and the funnel asks for "
            f"{requested!r}; prepare them anew with funnel.prepare(events)."
        )


def _conditions(funnel: FunnelSpec) -> "dict[str, Condition]":
    """The conditions by label, none where events are looked for by name."""
    return funnel.looked_for if isinstance(funnel.looked_for, dict) else {}


def _check_same_conditions(funnel: FunnelSpec, events: Prepared) -> None:
    prepared = {label: str(condition) for label, condition in dict(events.event).items()}  # type: ignore[arg-type]
    for label, condition in _conditions(funnel).items():
        if prepared.get(label) != str(condition):
            raise WorkbenchError(
                f"steps: the events were not prepared by the condition of {label!r}; "
                "prepare them anew with funnel.prepare(events)."
            )

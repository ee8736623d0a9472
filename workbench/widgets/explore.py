"""``wb.explore``: the explorer of a specification."""

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from workbench.backfill.backfill import Backfill
from workbench.errors import WorkbenchError
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.online.view import OnlineView
from workbench.spark.shuffle import any_of
from workbench.spark.table import table
from workbench.widgets.explorers.funnel import FunnelExplorer
from workbench.widgets.explorers.live_stream import LiveStream, is_stream
from workbench.widgets.explorers.origin import OriginExplorer
from workbench.widgets.explorers.over import OverExplorer
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_SEGMENTS_OFFERED = 6


def explore(
    what: Any,
    *tables: Any,
    by: str | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    key: Any = None,
) -> Any:
    """Open the explorer of a specification: its controls beside what they change.

    Parameters
    ----------
    what : Funnel, Over, Backfill or OnlineView
        Where the explorer begins. Of an online view, its backfill's numbers are compared with what
        it says.
    *tables
        The specification's tables; for a funnel its events, as a DataFrame or prepared. A
        DataFrame is prepared first, which scans it once. For a backfill its queries and events. For
        a window call a table, or a stream: a streaming DataFrame, or a
        :class:`workbench.lessons.Replay`.
    by : str or sequence of str, optional
        The column, or the columns together, that a funnel is broken down by at first.
    keep : sequence of str, optional
        The columns offered to break down by; without it, up to six text columns.
    key : value, or tuple of values, optional
        The key that a backfill is looked at for at first; without it, that of the most queries.

    Returns
    -------
    FunnelExplorer, OverExplorer, LiveStream or OriginExplorer
        A widget; ``explorer.funnel`` or ``explorer.over`` is the specification as the controls
        have it, ``explorer.origin`` is where the number that is shown comes from.

    Raises
    ------
    WorkbenchError
        When there is no explorer for it, or the tables do not fit.

    Examples
    --------
    >>> import workbench as wb
    >>> clicks = wb.datasets.clickstream(wb.session(), users=100)
    >>> wb.explore(wb.Funnel(["signup", "checkout"], window="1 day"), clicks)
    Explorer of wb.Funnel(['signup', 'checkout'], window='1 day')
    """
    return _explore(what, *tables, by=by, keep=keep, key=key)


@singledispatch
def _explore(what: Any, *tables: Any, **_options: Any) -> Any:
    raise WorkbenchError(
        f"what: a {type(what).__name__} has no explorer; give a Funnel, an Over or a Backfill."
    )


@_explore.register
def _explore_over(
    what: Over, *tables: Any, by: str | None, keep: Sequence[str] | None, key: Any
) -> OverExplorer | LiveStream:
    if len(tables) != 1:
        raise WorkbenchError(f"df: a window call explores one table, and {len(tables)} are given.")
    if by is not None or keep is not None:
        raise WorkbenchError("by, keep: they are for funnels; leave them out.")
    _check_no_key(key)
    if is_stream(tables[0]):
        return LiveStream(what, tables[0])
    return OverExplorer(what, table(tables[0], "df"))


@_explore.register
def _explore_online(
    what: OnlineView, *tables: Any, by: str | None, keep: Sequence[str] | None, key: Any
) -> OriginExplorer:
    explored: OriginExplorer = _explore_backfill(
        what.backfill, *tables, by=by, keep=keep, key=key, view=what
    )
    return explored


@_explore.register
def _explore_backfill(
    what: Backfill,
    *tables: Any,
    by: str | None,
    keep: Sequence[str] | None,
    key: Any,
    view: OnlineView | None = None,
) -> OriginExplorer:
    if len(tables) != 2:
        raise WorkbenchError(
            f"queries, events: a backfill explores two tables, and {len(tables)} are given."
        )
    if by is not None or keep is not None:
        raise WorkbenchError("by, keep: they are for funnels; leave them out.")
    return OriginExplorer(what, *tables, key=key, view=view)


@_explore.register
def _explore_funnel(
    what: Funnel, *tables: Any, by: Any, keep: Sequence[str] | None, key: Any
) -> FunnelExplorer:
    _check_no_key(key)
    if len(tables) != 1:
        raise WorkbenchError(f"events: a funnel explores one table, and {len(tables)} are given.")
    events, names = tables[0], any_of(by, "by")
    if not isinstance(events, Prepared):
        offered = _offered(what, table(events)) if keep is None else tuple(keep)
        events = what.prepare(events, keep=tuple(dict.fromkeys((*names, *offered))))
    return FunnelExplorer(what, events, names)


def _check_no_key(key: Any) -> None:
    if key is not None:
        raise WorkbenchError("key: it is for backfills; leave it out.")


def _offered(funnel: Funnel, events: "DataFrame") -> tuple[str, ...]:
    """The text columns that are neither key nor time; the event's name only beside conditions."""
    taken = {*funnel.key, funnel.time, *([funnel.event] if funnel.conditions is None else [])}
    texts = [f.name for f in events.schema.fields if f.dataType.typeName() == "string"]
    return tuple(name for name in texts if name not in taken)[:MOST_SEGMENTS_OFFERED]

"""``wb.explore``: the explorer of a specification."""

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from workbench.columns import table
from workbench.errors import WorkbenchError
from workbench.funnel import Funnel
from workbench.prepared import Prepared
from workbench.widgets.funnel_explorer import FunnelExplorer
from workbench.widgets.over_explorer import OverExplorer
from workbench.windows import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_SEGMENTS_OFFERED = 6


def explore(
    what: Any, *tables: Any, by: str | None = None, keep: Sequence[str] | None = None
) -> Any:
    """Open the explorer of a specification: its controls beside what they change.

    Parameters
    ----------
    what : Funnel or Over
        Where the explorer begins.
    *tables
        The specification's tables; for a funnel its events, as a DataFrame or prepared. A
        DataFrame is prepared first, which scans it once.
    by : str, optional
        The column that a funnel is broken down by at first.
    keep : sequence of str, optional
        The columns offered to break down by; without it, up to six text columns.

    Returns
    -------
    FunnelExplorer or OverExplorer
        A widget; ``explorer.funnel`` or ``explorer.over`` is the specification as the controls
        have it.

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
    return _explore(what, *tables, by=by, keep=keep)


@singledispatch
def _explore(what: Any, *tables: Any, **_options: Any) -> Any:
    raise WorkbenchError(
        f"what: a {type(what).__name__} has no explorer; give a Funnel or an Over."
    )


@_explore.register
def _explore_over(
    what: Over, *tables: Any, by: str | None, keep: Sequence[str] | None
) -> OverExplorer:
    if len(tables) != 1:
        raise WorkbenchError(f"df: a window call explores one table, and {len(tables)} are given.")
    if by is not None or keep is not None:
        raise WorkbenchError("by, keep: they are for funnels; leave them out.")
    return OverExplorer(what, table(tables[0], "df"))


@_explore.register
def _explore_funnel(
    what: Funnel, *tables: Any, by: str | None, keep: Sequence[str] | None
) -> FunnelExplorer:
    if len(tables) != 1:
        raise WorkbenchError(f"events: a funnel explores one table, and {len(tables)} are given.")
    events = tables[0]
    if not isinstance(events, Prepared):
        offered = _offered(what, table(events)) if keep is None else tuple(keep)
        kept = offered if by is None or by in offered else (by, *offered)
        events = what.prepare(events, keep=kept)
    return FunnelExplorer(what, events, by)


def _offered(funnel: Funnel, events: "DataFrame") -> tuple[str, ...]:
    """The text columns that are neither key nor time; the event's name only beside conditions."""
    taken = {*funnel.key, funnel.time, *([funnel.event] if funnel.conditions is None else [])}
    texts = [f.name for f in events.schema.fields if f.dataType.typeName() == "string"]
    return tuple(name for name in texts if name not in taken)[:MOST_SEGMENTS_OFFERED]

"""``wb.explore``: the explorer of a specification, or the front door of a table."""

import sys
from collections.abc import Sequence
from functools import singledispatch
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from workbench.arguments import optional_names
from workbench.backfill.backfill import Backfill
from workbench.errors import WorkbenchError, kind_in_words
from workbench.funnel.checks import check_prepared
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.online.view import OnlineView
from workbench.profiles.profile import profile
from workbench.queries.query import Query
from workbench.spark.sources.given import is_table, table
from workbench.spark.table import BoundTable, check_column
from workbench.widgets.explorers.front_door import FrontDoor
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
    keep: str | Sequence[str] | None = None,
    key: Any = None,
    state: str | None = None,
) -> Any:
    """Open the explorer of a specification, with its controls; or the front door of a table.

    Parameters
    ----------
    what : Funnel, Over, Backfill, OnlineView, Query, or anything that is a table
        The initial specification. For a :func:`workbench.query`, the explorer is that of its one
        window call or funnel. For an online view, the features of its backfill are compared with
        those that it serves. A table, as :func:`workbench.table` takes it, is shown with a profile
        of its columns, those that may be the key, the time, the event and the value, and the
        questions it can answer: a funnel, a moving band, or features as of queries.
    *tables
        The specification's tables, as :func:`workbench.table` takes them; for a funnel its events,
        which may be prepared. A table is prepared first, which scans it once. For a backfill its
        queries and events. For a window call a table, or a stream: a streaming DataFrame, or a
        :class:`workbench.lessons.replay.Replay`. A stream is drawn as a band: it needs quantiles
        of a column.
    by : str or sequence of str, optional
        The column, or the columns together, that a funnel is initially broken down by.
    keep : str or sequence of str, optional
        The columns offered to break down by; by default up to six text columns.
    key : value, or tuple of values, optional
        The initial key of a backfill's explorer; by default the one with the most queries.
    state : str, optional
        The view to open with: an ``explorer.state``, or the address of a page that
        ``explorer.to_html`` wrote.

    Returns
    -------
    FunnelExplorer, OverExplorer, LiveStream, OriginExplorer or FrontDoor
        A widget; ``explorer.funnel`` or ``explorer.over`` is the specification with the values of
        the controls, ``explorer.origin`` is the origin of the number that is shown. A front door
        has the ``profile`` of the table, and in ``code`` the lines that make the explorer.

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
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> wb.explore(plants)
    Front door of plants: 24 rows · 3 columns · 2 different plant · 2019-01-02 to 2019-01-13 \
(11 days), key plant, time date, value mwh
    """
    if not tables and is_table(what):
        _check_absent("specifications", by=by, keep=keep, key=key, state=state)
        return _front_door(what, _name_of(what))
    explorer = _explore(what, *tables, by=by, keep=keep, key=key)
    if state is not None:
        _open_at(explorer, state)
    return explorer


def _open_at(explorer: Any, state: str) -> None:
    if isinstance(explorer, LiveStream):
        raise WorkbenchError(
            "state: a stream keeps changing, and has no view to open; leave it out."
        )
    explorer.state = state


def _front_door(what: Any, name: str) -> FrontDoor:
    given = isinstance(what, str | PathLike)
    title = fspath(what) if given else name or "A table"
    return FrontDoor(profile(what), title, repr(title) if given else name, explore)


def _name_of(what: Any) -> str:
    """Return the caller's variable name of a table, or an empty string."""
    calling = sys._getframe(2)
    for names in (calling.f_locals, calling.f_globals):
        for name, value in names.items():
            if value is what and not name.startswith("_"):
                return name
    return ""


@singledispatch
def _explore(what: Any, *tables: Any, **_options: Any) -> Any:
    raise WorkbenchError(
        f"what: {kind_in_words(what)} has no explorer; give a Funnel, an Over, a Backfill, an "
        "OnlineView or a wb.query, or a table alone."
    )


@_explore.register
def _explore_over(
    what: Over, *tables: Any, by: str | None, keep: str | Sequence[str] | None, key: Any
) -> OverExplorer | LiveStream:
    if len(tables) != 1:
        raise WorkbenchError(f"df: a window call explores one table, and {len(tables)} are given.")
    _check_absent("funnels", by=by, keep=keep)
    _check_absent("backfills", key=key)
    if is_stream(tables[0]):
        return LiveStream(what, tables[0])
    return OverExplorer(what, table(tables[0], "df"))


@_explore.register
def _explore_query(what: Query, *tables: Any, **options: Any) -> Any:
    if tables:
        raise WorkbenchError("what: a query has its tables already; give it alone.")
    specification, df = what.one()
    return _explore(specification, df, **options)


@_explore.register
def _explore_online(
    what: OnlineView, *tables: Any, by: str | None, keep: str | Sequence[str] | None, key: Any
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
    keep: str | Sequence[str] | None,
    key: Any,
    view: OnlineView | None = None,
) -> OriginExplorer:
    if len(tables) != 2:
        raise WorkbenchError(
            f"queries, events: a backfill explores two tables, and {len(tables)} are given."
        )
    _check_absent("funnels", by=by, keep=keep)
    return OriginExplorer(what, *tables, key=key, view=view)


@_explore.register
def _explore_funnel(
    what: Funnel, *tables: Any, by: Any, keep: str | Sequence[str] | None, key: Any
) -> FunnelExplorer:
    _check_absent("backfills", key=key)
    if len(tables) != 1:
        raise WorkbenchError(f"events: a funnel explores one table, and {len(tables)} are given.")
    events, names = tables[0], optional_names(by, "by")
    if not isinstance(events, Prepared):
        events = table(events)
        columns = what.segmenting.columns(names)
        for name in columns:
            check_column(BoundTable.of(events), name, "by")
        offered = _offered(what, events) if keep is None else optional_names(keep, "keep")
        events = what.prepare(events, keep=tuple(dict.fromkeys((*columns, *offered))))
    check_prepared(what, events, names)
    return FunnelExplorer(what, events, names)


def _check_absent(whose: str, **options: Any) -> None:
    """Refuse options that are for something else, by the names of those that are given."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        they, them = ("it is", "it") if len(given) == 1 else ("they are", "them")
        raise WorkbenchError(f"{', '.join(given)}: {they} for {whose}; leave {them} out.")


def _offered(funnel: Funnel, events: "DataFrame") -> tuple[str, ...]:
    """Return the text columns that are neither key nor time nor, without conditions, the event."""
    taken = {*funnel.key, funnel.time, *([funnel.event] if funnel.conditions is None else [])}
    texts = [f.name for f in events.schema.fields if f.dataType.typeName() == "string"]
    return tuple(name for name in texts if name not in taken)[:MOST_SEGMENTS_OFFERED]

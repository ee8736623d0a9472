"""What happened in the window around this event? Kernels, Spark plans and widgets that answer it.

Names load on first use: a Spark worker that imports a plan's module does not load the widgets.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kernels.lazy import lazily

# At once, as a lazy name would be hidden by the submodule of the same name.
from workbench.spark.sessions.session import session as session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from workbench import datasets as datasets
    from workbench import stores as stores
    from workbench.backfill import Aggregation as Aggregation
    from workbench.backfill import Backfill as Backfill
    from workbench.backfill import Entities as Entities
    from workbench.errors import WorkbenchError as WorkbenchError
    from workbench.errors import WorkbenchWarning as WorkbenchWarning
    from workbench.frames import Frame as Frame
    from workbench.functions import fn as fn
    from workbench.funnel import Funnel as Funnel
    from workbench.funnel import Prepared as Prepared
    from workbench.funnel import Retention as Retention
    from workbench.funnel import prepare as prepare
    from workbench.funnel import retention as retention
    from workbench.groups import last_in_group as last_in_group
    from workbench.groups import quantiles as quantiles
    from workbench.online import OnlineView as OnlineView
    from workbench.online import consistency as consistency
    from workbench.profiles.profile import profile as profile
    from workbench.queries import explain_sql as explain_sql
    from workbench.queries.query import query as query
    from workbench.queries.sql import sql as sql
    from workbench.spark.sources.given import table as table
    from workbench.widgets.explore import explore as explore
    from workbench.widgets.lesson_page import lesson as lesson
    from workbench.widgets.plan import plan as plan
    from workbench.widgets.play import play as play
    from workbench.widgets.predict import predict as predict
    from workbench.windows import Over as Over
    from workbench.windows import folded as folded
    from workbench.windows import late_rows as late_rows
    from workbench.windows import stream_counts as stream_counts
    from workbench.windows import stream_state as stream_state
    from workbench.windows.over import over as over

_MODULES = {
    "datasets": "workbench.datasets",
    "fn": "workbench.functions.fn",
    "stores": "workbench.stores",
}
_find, _names = lazily(
    __name__,
    {
        "Aggregation": "workbench.backfill",
        "Backfill": "workbench.backfill",
        "Entities": "workbench.backfill",
        "Frame": "workbench.frames",
        "Funnel": "workbench.funnel",
        "OnlineView": "workbench.online",
        "Over": "workbench.windows",
        "Prepared": "workbench.funnel",
        "Retention": "workbench.funnel",
        "WorkbenchError": "workbench.errors",
        "WorkbenchWarning": "workbench.errors",
        "consistency": "workbench.online",
        "explain_sql": "workbench.queries",
        "explore": "workbench.widgets.explore",
        "folded": "workbench.windows",
        "last_in_group": "workbench.groups",
        "late_rows": "workbench.windows",
        "lesson": "workbench.widgets.lesson_page",
        "over": "workbench.windows.over",
        "plan": "workbench.widgets.plan",
        "play": "workbench.widgets.play",
        "predict": "workbench.widgets.predict",
        "prepare": "workbench.funnel",
        "profile": "workbench.profiles.profile",
        "quantiles": "workbench.groups",
        "query": "workbench.queries.query",
        "retention": "workbench.funnel",
        "sql": "workbench.queries.sql",
        "stream_counts": "workbench.windows",
        "stream_state": "workbench.windows",
        "table": "workbench.spark.sources.given",
    },
)
__all__ = [*_MODULES, "session", *_names()]


def __getattr__(name: str) -> object:
    return import_module(_MODULES[name]) if name in _MODULES else _find(name)


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Add ``%%wbsql`` to a notebook; ``%load_ext workbench`` calls this."""
    from workbench.widgets.cell_magic import register

    register(shell)

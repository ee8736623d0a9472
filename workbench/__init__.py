"""What happened in the window around this event? Kernels, Spark plans and widgets that answer it.

Names load on first use: a Spark worker that imports a plan's module does not load the widgets.
"""

from importlib import import_module
from typing import TYPE_CHECKING

# At once, as a lazy name would be hidden by the submodule of the same name.
from workbench.spark.session import session as session

if TYPE_CHECKING:
    from workbench import datasets as datasets
    from workbench import stores as stores
    from workbench.backfill.aggregation import Aggregation as Aggregation
    from workbench.backfill.backfill import Backfill as Backfill
    from workbench.backfill.entities.entities import Entities as Entities
    from workbench.errors import WorkbenchError as WorkbenchError
    from workbench.errors import WorkbenchWarning as WorkbenchWarning
    from workbench.frames.frame import Frame as Frame
    from workbench.functions import fn as fn
    from workbench.funnel.funnel import Funnel as Funnel
    from workbench.funnel.prepared import Prepared as Prepared
    from workbench.funnel.prepared import prepare as prepare
    from workbench.groups.groups import last_in_group as last_in_group
    from workbench.groups.groups import quantiles as quantiles
    from workbench.online.agreement import consistency as consistency
    from workbench.online.view import OnlineView as OnlineView
    from workbench.widgets.explore import explore as explore
    from workbench.widgets.plan import plan as plan
    from workbench.widgets.play import play as play
    from workbench.windows.over import Over as Over
    from workbench.windows.over import over as over
    from workbench.windows.stream.changelog import folded as folded
    from workbench.windows.stream.report import late_rows as late_rows
    from workbench.windows.stream.report import stream_counts as stream_counts
    from workbench.windows.stream.report import stream_state as stream_state

_MODULES = {
    "datasets": "workbench.datasets",
    "fn": "workbench.functions.fn",
    "stores": "workbench.stores",
}
_HOME = {
    "Aggregation": "workbench.backfill.aggregation",
    "Backfill": "workbench.backfill.backfill",
    "Entities": "workbench.backfill.entities.entities",
    "consistency": "workbench.online.agreement",
    "Frame": "workbench.frames.frame",
    "Funnel": "workbench.funnel.funnel",
    "OnlineView": "workbench.online.view",
    "Over": "workbench.windows.over",
    "Prepared": "workbench.funnel.prepared",
    "WorkbenchError": "workbench.errors",
    "WorkbenchWarning": "workbench.errors",
    "explore": "workbench.widgets.explore",
    "folded": "workbench.windows.stream.changelog",
    "last_in_group": "workbench.groups.groups",
    "late_rows": "workbench.windows.stream.report",
    "plan": "workbench.widgets.plan",
    "over": "workbench.windows.over",
    "play": "workbench.widgets.play",
    "prepare": "workbench.funnel.prepared",
    "quantiles": "workbench.groups.groups",
    "stream_counts": "workbench.windows.stream.report",
    "stream_state": "workbench.windows.stream.report",
}

__all__ = [*_MODULES, "session", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _HOME:
        # Kept in the package's namespace: a submodule of the same name must not take its place.
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value
    raise AttributeError(f"module 'workbench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

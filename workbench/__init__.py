"""What happened in the window around this event? Kernels, Spark plans and widgets that answer it.

Names load on first use: a Spark worker that imports a plan's module does not load the widgets.
"""

from importlib import import_module
from typing import TYPE_CHECKING

# At once, as a lazy name would be hidden by the submodule of the same name.
from workbench.session import session as session

if TYPE_CHECKING:
    from workbench import datasets as datasets
    from workbench import fn as fn
    from workbench import stores as stores
    from workbench.aggregation import Aggregation as Aggregation
    from workbench.agreement import consistency as consistency
    from workbench.backfill import Backfill as Backfill
    from workbench.entities import Entities as Entities
    from workbench.errors import WorkbenchError as WorkbenchError
    from workbench.errors import WorkbenchWarning as WorkbenchWarning
    from workbench.frame import Frame as Frame
    from workbench.funnel import Funnel as Funnel
    from workbench.group_last import last_in_group as last_in_group
    from workbench.group_quantiles import quantiles as quantiles
    from workbench.online import OnlineView as OnlineView
    from workbench.prepared import Prepared as Prepared
    from workbench.prepared import prepare as prepare
    from workbench.stream_fold import folded as folded
    from workbench.stream_report import late_rows as late_rows
    from workbench.stream_report import stream_counts as stream_counts
    from workbench.stream_report import stream_state as stream_state
    from workbench.widgets.explore import explore as explore
    from workbench.widgets.plan import plan as plan
    from workbench.widgets.play import play as play
    from workbench.windows import Over as Over
    from workbench.windows import over as over

_MODULES = ("datasets", "fn", "stores")
_HOME = {
    "Aggregation": "workbench.aggregation",
    "Backfill": "workbench.backfill",
    "Entities": "workbench.entities",
    "consistency": "workbench.agreement",
    "Frame": "workbench.frame",
    "Funnel": "workbench.funnel",
    "OnlineView": "workbench.online",
    "Over": "workbench.windows",
    "Prepared": "workbench.prepared",
    "WorkbenchError": "workbench.errors",
    "WorkbenchWarning": "workbench.errors",
    "explore": "workbench.widgets.explore",
    "folded": "workbench.stream_fold",
    "last_in_group": "workbench.group_last",
    "late_rows": "workbench.stream_report",
    "plan": "workbench.widgets.plan",
    "over": "workbench.windows",
    "play": "workbench.widgets.play",
    "prepare": "workbench.prepared",
    "quantiles": "workbench.group_quantiles",
    "stream_counts": "workbench.stream_report",
    "stream_state": "workbench.stream_report",
}

__all__ = [*_MODULES, "session", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"workbench.{name}")
    if name in _HOME:
        # Kept in the package's namespace: a submodule of the same name must not take its place.
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value
    raise AttributeError(f"module 'workbench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

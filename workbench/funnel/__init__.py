"""Funnels over a Spark table. Figures of whole groups are in ``groups``, windows in ``windows``."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.funnel.behaviour.retention import Retention as Retention
    from workbench.funnel.behaviour.retention import retention as retention
    from workbench.funnel.funnel import Funnel as Funnel
    from workbench.funnel.prepared import Prepared as Prepared
    from workbench.funnel.prepared import prepare as prepare

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Funnel": "workbench.funnel.funnel",
        "Prepared": "workbench.funnel.prepared",
        "Retention": "workbench.funnel.behaviour.retention",
        "prepare": "workbench.funnel.prepared",
        "retention": "workbench.funnel.behaviour.retention",
    },
)

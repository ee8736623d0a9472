"""What people do around a funnel's steps, as figures. Its own tables are drawn in ``funnel``."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.figures.behaviour.drivers import drivers_figure as drivers_figure
    from workbench.figures.behaviour.paths import paths_figure as paths_figure
    from workbench.figures.behaviour.retention import retention_figure as retention_figure

__getattr__, __dir__ = lazily(
    __name__,
    {
        "drivers_figure": "workbench.figures.behaviour.drivers",
        "paths_figure": "workbench.figures.behaviour.paths",
        "retention_figure": "workbench.figures.behaviour.retention",
    },
)

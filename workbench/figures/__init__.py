"""Figures: data in, a plotly figure out, a file a subject; ``stills`` draws any of them as SVG."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily
from workbench.figures.call_later import call_later

if TYPE_CHECKING:
    from workbench.figures.behaviour.drivers import drivers_figure as drivers_figure
    from workbench.figures.behaviour.paths import paths_figure as paths_figure
    from workbench.figures.consistency import consistency_figure as consistency_figure
    from workbench.figures.intervals.comparison import comparison_figure as comparison_figure
    from workbench.figures.intervals.trend import trend_figure as trend_figure
    from workbench.figures.pictured import Pictured as Pictured
    from workbench.figures.served import served_figure as served_figure
    from workbench.figures.stills.affected import affected_svg as affected_svg

# plotly's widgets import nbformat, and that jsonschema, which names this function to validate what
# no notebook has. Its module builds forty grammars: a second of a core before the first chart.
call_later("rfc3987_syntax", "is_valid_syntax")

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Pictured": "workbench.figures.pictured",
        "affected_svg": "workbench.figures.stills.affected",
        "comparison_figure": "workbench.figures.intervals.comparison",
        "consistency_figure": "workbench.figures.consistency",
        "drivers_figure": "workbench.figures.behaviour.drivers",
        "paths_figure": "workbench.figures.behaviour.paths",
        "served_figure": "workbench.figures.served",
        "trend_figure": "workbench.figures.intervals.trend",
    },
)

"""Figures: data in, a plotly figure out, a file a subject; ``stills`` draws any of them as SVG."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily
from workbench.figures.load_on_use import load_on_use

if TYPE_CHECKING:
    from workbench.figures.consistency import consistency_figure as consistency_figure
    from workbench.figures.served import served_figure as served_figure
    from workbench.figures.stills.affected import affected_svg as affected_svg
    from workbench.markup import BREAK as BREAK
    from workbench.markup import element as element

# plotly's widgets import it for figures that are shown without a widget, and with it a library that
# builds forty grammars: more than a second of a core before the first chart.
load_on_use("nbformat")

__getattr__, __dir__ = lazily(
    __name__,
    {
        "BREAK": "workbench.markup",
        "affected_svg": "workbench.figures.stills.affected",
        "consistency_figure": "workbench.figures.consistency",
        "element": "workbench.markup",
        "served_figure": "workbench.figures.served",
    },
)

"""Figures: data in, a plotly figure out, a file a subject; ``stills`` draws any of them as SVG."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily
from workbench.figures.call_later import call_later

if TYPE_CHECKING:
    from workbench.figures.consistency import consistency_figure as consistency_figure
    from workbench.figures.served import served_figure as served_figure
    from workbench.figures.stills.affected import affected_svg as affected_svg
    from workbench.markup import BREAK as BREAK
    from workbench.markup import element as element

# plotly's widgets import nbformat, and that jsonschema, which names this function to validate what
# no notebook has. Its module builds forty grammars: a second of a core before the first chart.
call_later("rfc3987_syntax", "is_valid_syntax")

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

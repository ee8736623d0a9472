"""Results for whole groups: quantiles by selection, and the last row of each group.

Results for each row are in ``windows``.
"""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.groups.groups import last_in_group as last_in_group
    from workbench.groups.groups import quantiles as quantiles

__getattr__, __dir__ = lazily(
    __name__,
    {
        "last_in_group": "workbench.groups.groups",
        "quantiles": "workbench.groups.groups",
    },
)

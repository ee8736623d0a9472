"""Window calls over a Spark table. The answer on one block lives in ``engine``."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.windows.over import Over as Over
    from workbench.windows.stream.changelog import folded as folded
    from workbench.windows.stream.report import late_rows as late_rows
    from workbench.windows.stream.report import stream_counts as stream_counts
    from workbench.windows.stream.report import stream_state as stream_state

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Over": "workbench.windows.over",
        "folded": "workbench.windows.stream.changelog",
        "late_rows": "workbench.windows.stream.report",
        "stream_counts": "workbench.windows.stream.report",
        "stream_state": "workbench.windows.stream.report",
    },
)

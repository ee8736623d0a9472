"""Aggregates of windows before a point in time.

The ladder leads from nested loops to tiles and sawtooths. Frames around a row are in ``windows``.
"""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from kernels.tiling.cells import COUNT as COUNT
    from kernels.tiling.cells import HEAD as HEAD
    from kernels.tiling.cells import join_windows as join_windows
    from kernels.tiling.ladder import RUNGS as RUNGS

__getattr__, __dir__ = lazily(
    __name__,
    {
        "COUNT": "kernels.tiling.cells",
        "HEAD": "kernels.tiling.cells",
        "RUNGS": "kernels.tiling.ladder",
        "join_windows": "kernels.tiling.cells",
    },
)

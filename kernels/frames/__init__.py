"""Which rows are in the frame of each row, and how frames move.

Functions over frames are in ``windows``.
"""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from kernels.frames.extent import FrameExtent as FrameExtent
    from kernels.frames.extent import frame_extent as frame_extent

__getattr__, __dir__ = lazily(
    __name__,
    {
        "FrameExtent": "kernels.frames.extent",
        "frame_extent": "kernels.frames.extent",
    },
)

"""Specifications of frames. How a block computes them lives in ``engine``."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.frames.frame import Frame as Frame

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Frame": "workbench.frames.frame",
    },
)

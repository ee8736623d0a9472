"""The algorithms, on NumPy columns, one partition at a time. Imports numpy and numba alone."""

from kernels.frames import BoundKeys as BoundKeys
from kernels.frames import frame_ranges as frame_ranges
from kernels.frames import frames_of_kept as frames_of_kept
from kernels.funnel import window_funnel as window_funnel
from kernels.funnel_once import window_funnel_once as window_funnel_once
from kernels.interpolation import fill as fill
from kernels.kernel import Kernel as Kernel
from kernels.kernel import kernel as kernel
from kernels.kernel import registry as registry
from kernels.levels import funnel_levels as funnel_levels
from kernels.peers import Order as Order
from kernels.peers import order_by_key as order_by_key
from kernels.peers import order_by_starts as order_by_starts
from kernels.ranking import ranking as ranking
from kernels.ranking import tiles as tiles
from kernels.trace import Step as Step
from kernels.trace import Trace as Trace
from kernels.trace import trace as trace
from kernels.values import lag_rows as lag_rows
from kernels.values import lead_rows as lead_rows
from kernels.values import value_rows as value_rows

__all__ = [
    "BoundKeys",
    "Kernel",
    "Order",
    "Step",
    "Trace",
    "fill",
    "frame_ranges",
    "frames_of_kept",
    "funnel_levels",
    "kernel",
    "lag_rows",
    "lead_rows",
    "order_by_key",
    "order_by_starts",
    "ranking",
    "registry",
    "tiles",
    "trace",
    "value_rows",
    "window_funnel",
    "window_funnel_once",
]

"""The algorithms, on NumPy columns, one partition at a time. Imports numpy and numba alone."""

from kernels.aggregates import AGGREGATES as AGGREGATES
from kernels.distinct import moving_count_distinct as moving_count_distinct
from kernels.funnel import window_funnel as window_funnel
from kernels.funnel_once import window_funnel_once as window_funnel_once
from kernels.kernel import Kernel as Kernel
from kernels.kernel import kernel as kernel
from kernels.kernel import registry as registry
from kernels.levels import funnel_levels as funnel_levels
from kernels.mad import moving_mad as moving_mad
from kernels.mode import moving_mode as moving_mode
from kernels.moving import moving_aggregate as moving_aggregate
from kernels.quantile import find_quantile_rows as find_quantile_rows
from kernels.quantile import moving_quantile as moving_quantile
from kernels.trace import Step as Step
from kernels.trace import Trace as Trace
from kernels.trace import trace as trace

__all__ = [
    "AGGREGATES",
    "Kernel",
    "Step",
    "Trace",
    "find_quantile_rows",
    "funnel_levels",
    "kernel",
    "moving_aggregate",
    "moving_count_distinct",
    "moving_mad",
    "moving_mode",
    "moving_quantile",
    "registry",
    "trace",
    "window_funnel",
    "window_funnel_once",
]

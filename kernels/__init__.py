"""The algorithms, on NumPy columns, one partition at a time. Imports numpy and numba alone.

Names load on first use: a Spark worker loads the kernels that it runs, and not all of them.
"""

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

# At once, as lazy names would be hidden by the submodules of the same names.
from kernels.kernel import kernel as kernel
from kernels.trace import trace as trace

if TYPE_CHECKING:
    from kernels.aggregates import AGGREGATES as AGGREGATES
    from kernels.distinct import moving_count_distinct as moving_count_distinct
    from kernels.distinct_mad import moving_distinct_mad as moving_distinct_mad
    from kernels.distinct_quantile import (
        find_distinct_quantile_rows as find_distinct_quantile_rows,
    )
    from kernels.distinct_states import moving_distinct as moving_distinct
    from kernels.ends import moving_ends as moving_ends
    from kernels.frames import BoundKeys as BoundKeys
    from kernels.frames import frame_ranges as frame_ranges
    from kernels.frames import frames_of_kept as frames_of_kept
    from kernels.frequencies import moving_extremes as moving_extremes
    from kernels.frequencies import moving_histogram as moving_histogram
    from kernels.funnel import window_funnel as window_funnel
    from kernels.funnel_once import window_funnel_once as window_funnel_once
    from kernels.interpolation import fill as fill
    from kernels.joined import moving_join as moving_join
    from kernels.kernel import Kernel as Kernel
    from kernels.kernel import registry as registry
    from kernels.levels import funnel_levels as funnel_levels
    from kernels.mad import moving_mad as moving_mad
    from kernels.mode import moving_mode as moving_mode
    from kernels.moving import moving_aggregate as moving_aggregate
    from kernels.peers import Order as Order
    from kernels.peers import order_by_key as order_by_key
    from kernels.peers import order_by_starts as order_by_starts
    from kernels.quantile import find_quantile_rows as find_quantile_rows
    from kernels.quantile import moving_quantile as moving_quantile
    from kernels.rank_functions import ranking as ranking
    from kernels.rank_functions import tiles as tiles
    from kernels.tiling import tiled_aggregate as tiled_aggregate
    from kernels.trace import Step as Step
    from kernels.trace import Trace as Trace
    from kernels.values import lag_rows as lag_rows
    from kernels.values import lead_rows as lead_rows
    from kernels.values import value_rows as value_rows

_HOME = {
    "AGGREGATES": "aggregates",
    "BoundKeys": "frames",
    "Kernel": "kernel",
    "Order": "peers",
    "Step": "trace",
    "Trace": "trace",
    "fill": "interpolation",
    "find_distinct_quantile_rows": "distinct_quantile",
    "find_quantile_rows": "quantile",
    "frame_ranges": "frames",
    "frames_of_kept": "frames",
    "funnel_levels": "levels",
    "lag_rows": "values",
    "lead_rows": "values",
    "moving_aggregate": "moving",
    "moving_count_distinct": "distinct",
    "moving_distinct": "distinct_states",
    "moving_distinct_mad": "distinct_mad",
    "moving_ends": "ends",
    "moving_extremes": "frequencies",
    "moving_histogram": "frequencies",
    "moving_join": "joined",
    "moving_mad": "mad",
    "moving_mode": "mode",
    "moving_quantile": "quantile",
    "order_by_key": "peers",
    "order_by_starts": "peers",
    "ranking": "rank_functions",
    "registry": "kernel",
    "tiled_aggregate": "tiling",
    "tiles": "rank_functions",
    "value_rows": "values",
    "window_funnel": "funnel",
    "window_funnel_once": "funnel_once",
}

__all__ = ["kernel", "trace", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'kernels' has no attribute {name!r}")
    if name == "registry":
        # A kernel enters the registry when its module is loaded, so all of them are.
        for module in pkgutil.iter_modules(__path__):
            if module.name != "__main__":
                import_module(f"kernels.{module.name}")
    value = globals()[name] = getattr(import_module(f"kernels.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__

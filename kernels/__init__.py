"""The algorithms, on NumPy columns, one partition at a time. They import only numpy and numba.

Names load on first use, so a Spark worker loads only the kernels that it runs.
"""

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from kernels.core.kernel import Kernel as Kernel
    from kernels.core.kernel import kernel as kernel
    from kernels.core.kernel import registry as registry
    from kernels.core.trace import Step as Step
    from kernels.core.trace import Trace as Trace
    from kernels.core.trace import trace as trace
    from kernels.frames.frames import BoundKeys as BoundKeys
    from kernels.frames.frames import frame_ranges as frame_ranges
    from kernels.frames.frames import frames_of_kept as frames_of_kept
    from kernels.frames.ordering import Order as Order
    from kernels.frames.ordering import order_by_key as order_by_key
    from kernels.frames.ordering import order_by_starts as order_by_starts
    from kernels.funnel.levels import funnel_levels as funnel_levels
    from kernels.funnel.scan import window_funnel as window_funnel
    from kernels.funnel.strict_once import window_funnel_once as window_funnel_once
    from kernels.states.aggregates import AGGREGATES as AGGREGATES
    from kernels.tiling.ladder import tiled_aggregate as tiled_aggregate
    from kernels.windows.aggregate import moving_aggregate as moving_aggregate
    from kernels.windows.distinct.aggregate import moving_distinct as moving_distinct
    from kernels.windows.distinct.count import moving_count_distinct as moving_count_distinct
    from kernels.windows.distinct.mad import moving_distinct_mad as moving_distinct_mad
    from kernels.windows.distinct.quantile import (
        find_distinct_quantile_rows as find_distinct_quantile_rows,
    )
    from kernels.windows.fill import fill as fill
    from kernels.windows.first_last_k import moving_ends as moving_ends
    from kernels.windows.histogram import moving_extremes as moving_extremes
    from kernels.windows.histogram import moving_histogram as moving_histogram
    from kernels.windows.lead_lag import lag_rows as lag_rows
    from kernels.windows.lead_lag import lead_rows as lead_rows
    from kernels.windows.lead_lag import value_rows as value_rows
    from kernels.windows.mad import moving_mad as moving_mad
    from kernels.windows.mode import moving_mode as moving_mode
    from kernels.windows.quantile import find_quantile_rows as find_quantile_rows
    from kernels.windows.quantile import moving_quantile as moving_quantile
    from kernels.windows.ranking import ranking as ranking
    from kernels.windows.ranking import tiles as tiles
    from kernels.windows.string_agg import moving_join as moving_join

_find, _names = lazily(
    __name__,
    {
        "AGGREGATES": "kernels.states.aggregates",
        "BoundKeys": "kernels.frames.frames",
        "Kernel": "kernels.core.kernel",
        "Order": "kernels.frames.ordering",
        "Step": "kernels.core.trace",
        "Trace": "kernels.core.trace",
        "fill": "kernels.windows.fill",
        "find_distinct_quantile_rows": "kernels.windows.distinct.quantile",
        "find_quantile_rows": "kernels.windows.quantile",
        "frame_ranges": "kernels.frames.frames",
        "frames_of_kept": "kernels.frames.frames",
        "funnel_levels": "kernels.funnel.levels",
        "kernel": "kernels.core.kernel",
        "lag_rows": "kernels.windows.lead_lag",
        "lead_rows": "kernels.windows.lead_lag",
        "moving_aggregate": "kernels.windows.aggregate",
        "moving_count_distinct": "kernels.windows.distinct.count",
        "moving_distinct": "kernels.windows.distinct.aggregate",
        "moving_distinct_mad": "kernels.windows.distinct.mad",
        "moving_ends": "kernels.windows.first_last_k",
        "moving_extremes": "kernels.windows.histogram",
        "moving_histogram": "kernels.windows.histogram",
        "moving_join": "kernels.windows.string_agg",
        "moving_mad": "kernels.windows.mad",
        "moving_mode": "kernels.windows.mode",
        "moving_quantile": "kernels.windows.quantile",
        "order_by_key": "kernels.frames.ordering",
        "order_by_starts": "kernels.frames.ordering",
        "ranking": "kernels.windows.ranking",
        "tiled_aggregate": "kernels.tiling.ladder",
        "tiles": "kernels.windows.ranking",
        "trace": "kernels.core.trace",
        "value_rows": "kernels.windows.lead_lag",
        "window_funnel": "kernels.funnel.scan",
        "window_funnel_once": "kernels.funnel.strict_once",
    },
)
__all__ = ["registry", *_names()]


def __getattr__(name: str) -> object:
    if name == "registry":
        # A kernel enters the registry when its module is loaded, so load all modules.
        for module in pkgutil.walk_packages(__path__, "kernels."):
            if module.name != "kernels.__main__":
                import_module(module.name)
        from kernels.core.kernel import registry

        globals()[name] = registry
        return registry
    return _find(name)


def __dir__() -> list[str]:
    return __all__

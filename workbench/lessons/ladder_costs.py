"""The operations of each rung of the ladder of window tiling, counted by its kernels."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kernels.tiling.ladder import RUNGS, tiled_aggregate
from workbench.durations import DAY
from workbench.errors import WorkbenchError


def ladder_costs_table(
    sizes: Sequence[int],
    rungs: Sequence[str] = tuple(RUNGS),
    *,
    window: int = 90 * DAY,
    hop: int = DAY,
    days: int = 360,
) -> pd.DataFrame:
    """Count the operations of each rung, for as many queries as events.

    Parameters
    ----------
    sizes : sequence of int
        The number of queries, and of events, all of one key.
    rungs : sequence of str
        Names in :data:`kernels.tiling.ladder.RUNGS`.
    window, hop : int
        Microseconds.
    days : int
        The days over which queries and events are spread, evenly and at random: more of them are
        closer together, as when a key becomes busier.

    Returns
    -------
    pandas.DataFrame
        A row for each size, a column for each rung.

    Raises
    ------
    WorkbenchError
        When a size is less than 1, or a rung is not known.

    Examples
    --------
    >>> ladder_costs_table([100, 200], ["naive"])
         naive
    100  10000
    200  40000
    """
    if unknown := [rung for rung in rungs if rung not in RUNGS]:
        raise WorkbenchError(f"rungs: {unknown[0]!r} is not known; use {', '.join(RUNGS)}.")
    if least := [size for size in sizes if size < 1]:
        raise WorkbenchError(f"sizes: {least[0]} is not possible; give 1 or more.")
    rows = []
    for size in sizes:
        random = np.random.default_rng(size)
        query, time = np.sort(random.integers(0, days * DAY, (2, size)))
        one = "count", query, time, time, window, hop
        rows.append({rung: tiled_aggregate(rung, *one).operations for rung in rungs})
    return pd.DataFrame(rows, index=pd.Index(sizes))


def growth(table: pd.DataFrame) -> "pd.Series[float]":
    """Return the factor by which a doubled size multiplies the operations, at the table's end.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`ladder_costs_table` returns it, with two sizes or more.

    Returns
    -------
    pandas.Series
        4 for quadratic growth, 2 for linear growth.

    Examples
    --------
    >>> growth(ladder_costs_table([100, 400], ["naive"]))
    naive    4.0
    dtype: float64
    """
    last, before = table.iloc[-1], table.iloc[-2]
    doublings = np.log2(table.index[-1] / table.index[-2])
    return pd.Series((last / before) ** (1 / doublings))

"""Each rung of window tiling on one key, without Spark."""

from functools import partial

import numpy as np

from benchmarks.measuring.measure import side_by_side
from benchmarks.measuring.report import Report, Result, milliseconds
from kernels.tiling.hops import DAY
from kernels.tiling.ladder import RUNGS, tiled_aggregate

#: The setting of Chronon's own test: 100k queries and 10k events of one key, and their times there.
QUERIES, EVENTS = 100_000, 10_000
PUBLISHED = {"naive": 256_011.0, "stack hops": 1_597.0, "sawtooth": 914.0}
WINDOW, SPAN = 30 * DAY, 365 * DAY
SUBTRACTING = ("cursors", "cursor hops", "cursor sawtooth")


def ladder(report: Report) -> None:
    """Report the time of every rung for an average, with those published for average and top-k.

    Parameters
    ----------
    report : Report
        Gets the results.

    Notes
    -----
    Source of the published times: a comment in the tests of Chronon (airbnb/chronon, 2026), for one
    JVM on another machine: they show the order of magnitude.
    """
    random = np.random.default_rng(0)
    query, time = (np.sort(random.integers(0, SPAN, size)) for size in (QUERIES, EVENTS))
    values = random.integers(0, 10_000, EVENTS) / 100
    for rung in RUNGS:
        name = "integer_avg" if rung in SUBTRACTING else "avg"
        column = values.astype(np.int64) if rung in SUBTRACTING else values
        ask = partial(tiled_aggregate, rung, name, query, time, column, WINDOW)
        took = side_by_side({rung: ask}, same=False)[rung].median
        published = PUBLISHED.get(rung)
        cells = milliseconds(took), "" if published is None else f"{published:,.0f} ms"
        what = f"average by {rung}, 10k events"
        against = "Chronon's own, other machine" if published else ""
        ratio = took if published is None else published / 1e3 / took
        unit = "s" if published is None else "x"
        report.add(Result(what, against, QUERIES, *cells, ratio, None, unit))

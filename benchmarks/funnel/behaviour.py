"""Retention, paths and drivers over prepared events, against the plain funnel's steps."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from benchmarks.funnel import data
from benchmarks.measuring.measure import side_by_side
from benchmarks.measuring.report import Report, Result, plain_seconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEPS = ("signup", "add_to_cart", "checkout")
PLAIN = "the plain funnel's steps"


def behaviour(spark: "SparkSession", rows: int, folder: Path, rounds: int, report: Report) -> None:
    """Time retention, paths and drivers over 100 event names and 5 columns.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    rows : int
    folder : Path
        The folder of generated files.
    rounds : int
        Measured runs of each call.
    report : Report
    """
    path, funnel = data.wide(spark, rows, folder), wb.Funnel(STEPS, "1 day")
    columns = [f"c{k}" for k in range(data.COLUMNS)]
    with funnel.prepare(spark.read.parquet(path), keep=columns) as events:
        options: dict[str, Any] = {"step": "add_to_cart", "landmark": "2 minutes", "by": columns}
        ways: dict[str, tuple[Callable[[], Any], float]] = {
            PLAIN: (lambda: funnel.steps(events), 1.0),
            "retention by week": (
                lambda: wb.retention(events, "signup", "add_to_cart", every="1 week"), 3.0
            ),
            "paths between two steps": (
                lambda: funnel.paths(events, after="signup", before="checkout"), 3.0
            ),
            "paths of drop-offs": (
                lambda: funnel.paths(events, after="signup", dropped=True), 3.0
            ),
            "drivers, 100 names and 5 columns": (lambda: funnel.drivers(events, **options), 3.0),
        }  # fmt: skip
        times = side_by_side({name: way for name, (way, _) in ways.items()}, rounds, same=False)
    plain = times[PLAIN].median
    for name, (_, target) in [*ways.items()][1:]:
        cells = plain_seconds(times[name].median), plain_seconds(plain)
        ratio = times[name].median / plain
        report.add(Result(f"prepared, {name}", PLAIN, rows, *cells, ratio, target))

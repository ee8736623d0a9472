"""The queries, and the same calls in Python: of DuckDB's article on windows, and a funnel."""

from typing import TYPE_CHECKING, Any

import workbench as wb

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: DuckDB's article asks this of a few days of power plants, we of as many as there are rows.
_SEVEN = """
    WINDOW seven AS (
        PARTITION BY plant ORDER BY date ASC
        RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND INTERVAL 3 DAYS FOLLOWING)
"""
AVERAGE = f"SELECT plant, date, avg(mwh) OVER seven AS mean FROM plants {_SEVEN}"
IQR = f"""
    SELECT plant, date, quantile_cont(mwh, [0.25, 0.5, 0.75]) OVER seven AS iqr
    FROM plants {_SEVEN}
"""
LAST = """
    SELECT plant, mwh FROM (
        SELECT plant, mwh, rank() OVER (PARTITION BY plant ORDER BY date DESC) AS r FROM plants
    ) t WHERE r = 1
"""
STEPS, WINDOW = ("signup", "add_to_cart", "checkout"), 3_600
_CONDITIONS = ", ".join(f"event = '{step}'" for step in STEPS)
FUNNEL = f"""
    SELECT user_id,
        windowFunnel({WINDOW})(timestamp, {_CONDITIONS}) AS level
    FROM clicks GROUP BY user_id
"""

_FRAME = wb.Frame.range("-3 days", "3 days")


def average(plants: "DataFrame") -> "DataFrame":
    """Return the result of :data:`AVERAGE`, computed in Python."""
    return wb.over(plants, "plant", _ASCENDING, _FRAME, mean=wb.fn.avg("mwh")).drop("mwh")


def quartiles(plants: "DataFrame") -> "DataFrame":
    """Return the result of :data:`IQR`, computed in Python."""
    iqr = wb.fn.quantile("mwh", [0.25, 0.5, 0.75])
    return wb.over(plants, "plant", _ASCENDING, _FRAME, iqr=iqr).drop("mwh")


def last(plants: "DataFrame") -> "DataFrame":
    """Return the result of :data:`LAST`, computed in Python."""
    ranked = wb.over(plants, "plant", "-date", r=wb.fn.rank())
    return ranked.where("r = 1").select("plant", "mwh")


def levels(clicks: "DataFrame") -> "DataFrame":
    """Return the result of :data:`FUNNEL`, computed in Python."""
    steps: dict[str, Any] = {step: f"event = '{step}'" for step in STEPS}
    return wb.Funnel(steps, f"{WINDOW} seconds").levels(clicks).select("user_id", "level")


_ASCENDING = [("date", "asc", "nulls last")]

#: A report on plants and regions: names by WITH, groups, windows of three orders, and a join.
LONG = """
WITH readings AS (
    SELECT
        plant,
        date,
        mwh,
        lower(trim(region)) AS region,
        CASE
            WHEN mwh < 500000 THEN 'low'
            WHEN mwh < 600000 THEN 'middle'
            ELSE 'high'
        END AS band
    FROM generation
    WHERE mwh IS NOT NULL
      AND date >= DATE '2019-01-01'
),
daily AS (
    SELECT
        region,
        date,
        sum(mwh) AS total,
        count(*) AS plants,
        max(mwh) - min(mwh) AS spread
    FROM readings
    GROUP BY
        region,
        date
    HAVING count(*) > 0
),
moving AS (
    SELECT
        plant,
        region,
        date,
        mwh,
        band,
        quantile_cont(mwh, [0.25, 0.5, 0.75]) OVER seven AS iqr,
        avg(mwh) OVER seven AS mean,
        min(mwh) OVER seven AS least,
        max(mwh) OVER seven AS most,
        mad(mwh) OVER seven AS deviation,
        mode(band) OVER (
            PARTITION BY plant
            ORDER BY date
            ROWS BETWEEN 6 PRECEDING AND CURRENT ROW
        ) AS usual,
        lag(mwh) OVER (
            PARTITION BY plant
            ORDER BY date
        ) AS before,
        sum(mwh) FILTER (WHERE band = 'high') OVER (
            PARTITION BY plant
            ORDER BY date
            ROWS BETWEEN 30 PRECEDING AND CURRENT ROW
            EXCLUDE CURRENT ROW
        ) AS high
    FROM readings
    WINDOW seven AS (
        PARTITION BY plant
        ORDER BY date
        RANGE BETWEEN INTERVAL 3 DAYS PRECEDING
                  AND INTERVAL 3 DAYS FOLLOWING
    )
),
ranked AS (
    SELECT
        region,
        date,
        total,
        plants,
        rank() OVER (
            PARTITION BY region
            ORDER BY total DESC
        ) AS place,
        avg(total) OVER (
            PARTITION BY region
            ORDER BY date
            ROWS 6 PRECEDING
        ) AS trend
    FROM daily
)
SELECT
    moving.plant,
    moving.date,
    moving.mwh,
    moving.mwh - moving.mean AS above_mean,
    moving.mwh - moving.before AS change,
    round(100 * moving.mwh / ranked.total, 1) AS share,
    coalesce(moving.high, 0) AS high_of_a_month,
    ranked.place,
    ranked.trend
FROM moving
JOIN ranked
  ON moving.region = ranked.region
 AND moving.date = ranked.date
WHERE moving.deviation > 0
QUALIFY row_number() OVER (
    PARTITION BY moving.plant
    ORDER BY moving.date DESC
) <= 100
ORDER BY
    moving.plant,
    moving.date
"""

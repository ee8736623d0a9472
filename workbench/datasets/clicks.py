"""A web shop's clickstream of any size, generated inside Spark."""

from collections.abc import Sequence
from hashlib import blake2b
from sys import float_info

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from workbench.arguments import is_number, whole_number
from workbench.errors import WorkbenchError
from workbench.spark.sessions.session import check_session

# What happens in a visit: (percent of visits, events). In a first visit, users may sign up.
_FIRST_VISITS = [
    (10, "landing_page signup welcome add_to_cart checkout"),
    (6, "landing_page signup add_to_cart * checkout"),
    (4, "landing_page add_to_cart signup * checkout"),
    (16, "landing_page signup welcome * add_to_cart"),
    (12, "landing_page signup welcome * *"),
    (20, "landing_page * signup welcome *"),
    (8, "landing_page * add_to_cart * *"),
    (24, "landing_page * * * *"),
]
_LATER_VISITS = [
    (20, "landing_page * add_to_cart * checkout"),
    (8, "product_page add_to_cart add_to_cart checkout *"),
    (36, "landing_page * * add_to_cart *"),
    (36, "landing_page * * * *"),
]
_BROWSING = [(34, "product_page"), (18, "related"), (18, "search"), (18, "reviews"), (12, "help")]
_VISIT = 5

_COUNTRIES = [(30, "US"), (20, "IN"), (15, "DE"), (15, "BR"), (10, "GB"), (10, "JP")]
_DEVICES = [(55, "mobile"), (35, "desktop"), (10, "tablet")]

_MOST = 2**31 - 1
_START = 1_704_067_200_000  # 2024-01-01 00:00 UTC, in milliseconds
_MINUTE = 60_000
_DAY = 1440 * _MINUTE


def clickstream(
    spark: SparkSession,
    users: int = 10_000,
    seed: int = 0,
    skew: float = 1.1,
    events_per_user: int = 10,
    days: int = 30,
    partitions: int | None = None,
) -> DataFrame:
    """Return a web shop's clickstream of any size, generated inside Spark.

    Every user has a first visit, in which six of ten sign up; the other visits belong to users by
    Zipf's law. Visits have up to five events, some are interrupted and continue within three days,
    and about 4% of the events share their millisecond with the one before.

    Parameters
    ----------
    spark
        The session, classic or Connect.
    users
        How many users there are, 1 or more.
    seed
        Each seed gives other rows; the same seed gives the same rows in any partitioning.
    skew
        Exponent of Zipf's law, 0 or more: 0 spreads visits evenly, at 1.1 the busiest user
        of 100,000, number 1, has 5% of all events.
    events_per_user
        Mean number of events per user, 1 or more.
    days
        Length of the period in which visits start, from 2024-01-01 on.
    partitions
        Number of Spark partitions, Spark's default parallelism if None.

    Returns
    -------
    DataFrame
        Exactly ``users * events_per_user`` rows in no useful order: `user_id` (long, from 1),
        `timestamp` (timestamp, whole milliseconds), `event` (string), `country` and `device`
        (string, the same for all rows of a user). About a quarter of the rows is ``signup``,
        ``add_to_cart`` or ``checkout``.

    Raises
    ------
    WorkbenchError
        When ``spark`` is no session, or an argument is out of range.

    Notes
    -----
    Each row is a function of its number and the seed, so generating is one narrow stage without
    shuffle: a million rows a second on each core or more, nothing on the driver.

    Examples
    --------
    >>> import workbench as wb
    >>> clicks = wb.datasets.clickstream(wb.session(), users=1000)
    >>> clicks.count()
    10000
    """
    check_session(spark)
    _check_counts(users=users, events_per_user=events_per_user, days=days)
    _check_counts(partitions=1 if partitions is None else partitions)
    if whole_number(seed) is None:
        raise WorkbenchError(f"seed: {seed!r} is not a whole number.")
    if not is_number(skew) or not 0 <= skew <= float_info.max:
        raise WorkbenchError(f"skew: {skew!r} is not a finite number of 0 or more.")
    rows = spark.range(0, users * events_per_user, 1, partitions)
    visits = _visits(rows, _Draw(seed), users, min(_VISIT, events_per_user), skew)
    return _events(visits, _Draw(seed), days * _DAY)


class _Draw:
    """Uniform numbers in [0, 1) that depend only on the seed, a purpose and some columns."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, purpose: str, *of: str | Column) -> Column:
        columns = (F.col(name) if isinstance(name, str) else name for name in of)
        salt = blake2b(f"{self.seed} {purpose}".encode(), digest_size=7).digest()
        bits = F.xxhash64(F.lit(int.from_bytes(salt)), *columns)
        return F.shiftrightunsigned(bits, 11) * F.lit(2.0**-53)


def _visits(rows: DataFrame, draw: _Draw, users: int, length: int, skew: float) -> DataFrame:
    """Return the visit, position and user of each row; the first visits are one for each user."""
    numbered = rows.select(
        F.expr(f"id div {length}").alias("visit"), (F.col("id") % length).cast("int").alias("place")
    )
    first = F.col("visit") < users
    user = F.when(first, F.col("visit") + 1).otherwise(_zipf(draw("user", "visit"), users, skew))
    return numbered.select("visit", "place", first.alias("first"), user.alias("user_id"))


def _zipf(uniform: Column, users: int, skew: float) -> Column:
    """Return a rank from 1 to `users`, by inverting the continuous distribution of Zipf's law."""
    if abs(skew - 1) < 1e-9:
        rank = F.pow(F.lit(users + 1.0), uniform)
    else:
        tail = float(users + 1) ** (1 - skew) - 1
        rank = F.pow(uniform * tail + 1, F.lit(1 / (1 - skew)))
    return F.least(F.floor(rank), F.lit(users)).cast("long")


def _events(visits: DataFrame, draw: _Draw, period: int) -> DataFrame:
    device = _choice(draw("device", "user_id"), _DEVICES)
    with_device = visits.withColumn("device", device)
    return with_device.select(
        "user_id",
        F.timestamp_millis(_time(draw, period)).alias("timestamp"),
        _event(draw).alias("event"),
        _choice(draw("country", "user_id"), _COUNTRIES).alias("country"),
        "device",
    )


def _time(draw: _Draw, period: int) -> Column:
    """Return milliseconds: the start of the visit, its pace, and a break in some visits."""
    arrival = draw("arrival", "user_id") * F.lit(0.5)
    later = arrival + (1 - arrival) * draw("start", "visit")
    start = F.when(F.col("first"), arrival).otherwise(later) * period
    # A tied event has the position, and so the time, of the event before it.
    position = F.col("place") - F.when(draw("tie", "visit", "place") < 0.05, 1).otherwise(0)
    position = F.greatest(position, F.lit(0))
    steps = position + draw("gap", "visit", position)
    pace = -F.log(1 - draw("pace", "visit")) * 3 * _MINUTE + 2000
    pause = draw("pause", "visit") ** 2 * 3 * _DAY
    pause = F.when(position > F.floor(draw("break", "visit") * 12), pause).otherwise(0)
    return F.lit(_START) + F.floor(start + steps * pace + pause).cast("long")


def _event(draw: _Draw) -> Column:
    """Return the event at this position of the visit's script; mobile users get less far."""
    script = F.pow(draw("script", "visit"), F.when(F.col("device") == "mobile", 0.8).otherwise(1.1))
    index = F.floor(script * 100).cast("int") * _VISIT + F.col("place") + 1
    first, later = (
        F.element_at(F.array(*(F.lit(e) for s in _repeated(scripts) for e in s.split())), index)
        for scripts in (_FIRST_VISITS, _LATER_VISITS)
    )
    event = F.when(F.col("first"), first).otherwise(later)
    return F.when(event == "*", _choice(draw("page", "visit", "place"), _BROWSING)).otherwise(event)


def _choice(uniform: Column, weighted: Sequence[tuple[int, str]]) -> Column:
    """Return the value whose share of 100 contains the uniform number."""
    values = F.array(*(F.lit(value) for value in _repeated(weighted)))
    return F.element_at(values, F.floor(uniform * 100).cast("int") + 1)


def _repeated(weighted: Sequence[tuple[int, str]]) -> list[str]:
    """Repeat each value by its share of 100: a lookup is cheaper than a chain of cases."""
    return [value for share, value in weighted for _ in range(share)]


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        number = whole_number(count)
        if number is None or number < 1:
            raise WorkbenchError(f"{name}: {count!r} is not a whole number of 1 or more.")
        if number > _MOST:
            raise WorkbenchError(f"{name}: {count!r} is too many; give at most {_MOST:,}.")

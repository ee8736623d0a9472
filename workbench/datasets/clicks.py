"""A web shop's clickstream of any size, generated inside Spark."""

from collections.abc import Sequence
from hashlib import blake2b
from numbers import Real

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from workbench.arguments import whole_number
from workbench.errors import WorkbenchError

# What happens in a visit: (how often of 100, events). A first visit may sign up.
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
    """A web shop's clickstream of any size, generated inside Spark.

    Every user has a first visit, in which six of ten sign up; the other visits belong to users by
    Zipf's law. Visits have up to five events, some are broken off and taken up again within three
    days, and about 4% of the events share their millisecond with the one before.

    Parameters
    ----------
    spark
        The session, classic or Connect.
    users
        How many users there are, 1 or more.
    seed
        Another seed gives other rows; the same seed the same rows, however they are partitioned.
    skew
        Exponent of Zipf's law, 0 or more: 0 spreads visits evenly, at 1.1 the busiest user
        of 100,000, number 1, has 5% of all events.
    events_per_user
        Events per user in the mean, 1 or more.
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
        When an argument is out of its range.

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
    _check_counts(users=users, events_per_user=events_per_user, days=days)
    _check_counts(partitions=1 if partitions is None else partitions)
    if whole_number(seed) is None:
        raise WorkbenchError(f"seed: {seed!r} is not a whole number.")
    if isinstance(skew, bool) or not isinstance(skew, Real) or not 0 <= skew < float("inf"):
        raise WorkbenchError(f"skew: {skew!r} is not a finite number of 0 or more.")
    rows = spark.range(0, users * events_per_user, 1, partitions)
    visits = _visits(rows, _Draw(seed), users, min(_VISIT, events_per_user), skew)
    return _events(visits, _Draw(seed), days * _DAY)


class _Draw:
    """Uniform numbers in [0, 1) that depend on the seed, a purpose and some columns alone."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, purpose: str, *of: str | Column) -> Column:
        columns = (F.col(name) if isinstance(name, str) else name for name in of)
        salt = blake2b(f"{self.seed} {purpose}".encode(), digest_size=7).digest()
        bits = F.xxhash64(F.lit(int.from_bytes(salt)), *columns)
        return F.shiftrightunsigned(bits, 11) * F.lit(2.0**-53)


def _visits(rows: DataFrame, draw: _Draw, users: int, length: int, skew: float) -> DataFrame:
    """Which visit, place in it and user each row is; the first visits are one to each user."""
    numbered = rows.select(
        F.expr(f"id div {length}").alias("visit"), (F.col("id") % length).cast("int").alias("place")
    )
    first = F.col("visit") < users
    user = F.when(first, F.col("visit") + 1).otherwise(_zipf(draw("user", "visit"), users, skew))
    return numbered.select("visit", "place", first.alias("first"), user.alias("user_id"))


def _zipf(uniform: Column, users: int, skew: float) -> Column:
    """A rank from 1 to `users`, by inverting the continuous distribution of Zipf's law."""
    if abs(skew - 1) < 1e-9:
        rank = F.pow(F.lit(users + 1.0), uniform)
    else:
        tail = float(users + 1) ** (1 - skew) - 1
        rank = F.pow(uniform * tail + 1, F.lit(1 / (1 - skew)))
    return F.least(F.floor(rank), F.lit(users)).cast("long")


def _events(visits: DataFrame, draw: _Draw, period: int) -> DataFrame:
    device = _choice(draw("device", "user_id"), _DEVICES)
    known = visits.withColumn("device", device)
    return known.select(
        "user_id",
        F.timestamp_millis(_time(draw, period)).alias("timestamp"),
        _event(draw).alias("event"),
        _choice(draw("country", "user_id"), _COUNTRIES).alias("country"),
        "device",
    )


def _time(draw: _Draw, period: int) -> Column:
    """Milliseconds: the visit's start, its pace for each event, and a break in some visits."""
    arrival = draw("arrival", "user_id") * F.lit(0.5)
    later = arrival + (1 - arrival) * draw("start", "visit")
    start = F.when(F.col("first"), arrival).otherwise(later) * period
    # A tie stands where the event before it stands.
    place = F.col("place") - F.when(draw("tie", "visit", "place") < 0.05, 1).otherwise(0)
    place = F.greatest(place, F.lit(0))
    steps = place + draw("gap", "visit", place)
    pace = -F.log(1 - draw("pace", "visit")) * 3 * _MINUTE + 2000
    pause = draw("pause", "visit") ** 2 * 3 * _DAY
    pause = F.when(place > F.floor(draw("break", "visit") * 12), pause).otherwise(0)
    return F.lit(_START) + F.floor(start + steps * pace + pause).cast("long")


def _event(draw: _Draw) -> Column:
    """The event at this place of the visit's script; a mobile user gets less far."""
    luck = F.pow(draw("script", "visit"), F.when(F.col("device") == "mobile", 0.8).otherwise(1.1))
    place = F.floor(luck * 100).cast("int") * _VISIT + F.col("place") + 1
    first, later = (
        F.element_at(F.array(*(F.lit(e) for s in _spread(scripts) for e in s.split())), place)
        for scripts in (_FIRST_VISITS, _LATER_VISITS)
    )
    event = F.when(F.col("first"), first).otherwise(later)
    return F.when(event == "*", _choice(draw("page", "visit", "place"), _BROWSING)).otherwise(event)


def _choice(uniform: Column, weighted: Sequence[tuple[int, str]]) -> Column:
    """The value on whose share of 100 the uniform number falls."""
    values = F.array(*(F.lit(value) for value in _spread(weighted)))
    return F.element_at(values, F.floor(uniform * 100).cast("int") + 1)


def _spread(weighted: Sequence[tuple[int, str]]) -> list[str]:
    """Each value as often as its share of 100: a look-up is cheaper than a chain of cases."""
    return [value for share, value in weighted for _ in range(share)]


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        number = whole_number(count)
        if number is None or number < 1:
            raise WorkbenchError(f"{name}: {count!r} is not a whole number of 1 or more.")
        if number > _MOST:
            raise WorkbenchError(f"{name}: {count!r} is too many; give {_MOST:,} at the most.")

"""The shuffle by key as a plan: the columns of a table that go to the workers, in bundles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import KEEP, TIME, key_columns
from workbench.columnar.bundles import BUNDLE, PARTITION, SKIPPED, BundleTask
from workbench.spark.jobs import collected
from workbench.spark.partitions import Shuffle, shuffle_of
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation

#: The lower bits of ``monotonically_increasing_id``: the number of a row within its task.
ROW_OF_TASK = (1 << 33) - 1


@dataclass
class Carried:
    """The columns of a table that go to the workers, each once, by the names that workers use.

    Attributes
    ----------
    table : BoundTable
    wanted : dict of str to Column
    """

    table: BoundTable
    wanted: "dict[str, Column]" = field(default_factory=dict)

    @classmethod
    def every(cls, table: BoundTable, argument: str = "df") -> "Carried":
        """Return all columns of a table."""
        carried = cls(table)
        carried.wanted = {
            carried.of(name): column(table, name, argument) for name in table.schema.names
        }
        return carried

    def of(self, name: str) -> str:
        """Return the name that the workers use for a column of the table."""
        return f"c{self.table.schema.names.index(name)}"

    def add(self, given: Any, value: "Column") -> str:
        """Add a value unless it is already there, and return the name that the workers use for it.

        Parameters
        ----------
        given : str, Column or None
            The name of the column, if the value is a column of the table.
        value : Column
        """
        if isinstance(given, str) and given in self.table.schema.names:
            name = self.of(given)
        else:
            # Spark's Columns do not compare by value, so equal values are found by identity.
            known = (name for name, other in self.wanted.items() if other is value)
            name = next(known, f"x{len(self.wanted)}")
        self.wanted.setdefault(name, value)
        return name


def select_rows(
    events: BoundTable,
    what: "Mapping[str, Column]",
    keep: Sequence[str] = (),
    only_matching: bool = False,
    with_latest: bool = False,
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return the rows that have a key and a time as bundles, each key in one Spark partition.

    Parameters
    ----------
    events : BoundTable
    what : dict of str to Column
        The columns that describe the event, by the names that the workers use.
    keep : sequence of str
        Further columns of the table.
    only_matching : bool
        Keep only one row of each key among the rows that fulfil no condition.
    with_latest : bool
        Also keep the row with the latest time of all.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that are dropped, for :func:`skipped_of`.

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.
    """
    keys = key_columns(events.key)
    return bundle_rows(
        events.df,
        worker_columns(events, what, keep),
        keys,
        present=(*keys, TIME),
        only_matching=only_matching,
        text_as_codes=True,
        latest=TIME if with_latest else None,
        skipped=skipped,
    )


def worker_columns(
    events: BoundTable, what: "Mapping[str, Column]", keep: Sequence[str] = ()
) -> "dict[str, Column]":
    """Return key, time, event and further columns, by the names that the workers use."""
    keys = key_columns(events.key)
    wanted = {alias: column(events, k, "key") for alias, k in zip(keys, events.key, strict=True)}
    wanted |= {TIME: events.instants} | dict(what)
    return wanted | {KEEP + name: column(events, name, "keep") for name in keep}


def bundle_rows(
    df: "DataFrame",
    wanted: "Mapping[str, Column]",
    key: Sequence[str],
    present: Sequence[str] = (),
    only_matching: bool = False,
    text_as_codes: bool = False,
    latest: str | None = None,
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return columns of a table as bundles, each key in one Spark partition.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    wanted : dict of str to Column
        The columns to send, by the names that the workers use.
    key : sequence of str
        Those of the columns that make the key; without any, all rows go to one partition.
    present : sequence of str
        Columns that must not be null: rows with a null in one of them are dropped.
    only_matching : bool
        Keep only one row of each key among the rows that fulfil no condition.
    text_as_codes : bool
        Send text other than that of keys as codes and a dictionary.
    latest : str, optional
        A column of times; the row with the latest time is kept whatever it fulfils.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that are dropped.

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.
    """
    rows, number = numbered(df, wanted)
    shuffle = shuffle_of(rows) if key else Shuffle(1)
    routed = with_partition(rows, [number[name] for name in key], shuffle.partitions)
    task = BundleTask(
        (*wanted, PARTITION),
        tuple(key),
        shuffle.partitions,
        only_matching=only_matching,
        text_as_codes=text_as_codes,
        latest=latest,
        hashed=shuffle.hashed,
        present=tuple(present),
    )
    return shuffled(routed, task, skipped=skipped)


def numbered(df: "DataFrame", wanted: "Mapping[str, Column]") -> "tuple[DataFrame, dict[str, str]]":
    """Return columns of a table under the names ``c0``, ``c1``, ..., and a dict to these names.

    ``mapInArrow`` would parse a dot or a backtick in a name as syntax.
    """
    number = {name: f"c{i}" for i, name in enumerate(wanted)}
    return df.select(*(value.alias(number[name]) for name, value in wanted.items())), number


def with_partition(rows: "DataFrame", key: Sequence[str], partitions: int) -> "DataFrame":
    """Add a column with the number of the shuffle partition that each row's key goes to."""
    from pyspark.sql import functions as F

    hashed = F.hash(*key) if key else F.lit(0)
    return rows.withColumn(PARTITION, F.pmod(hashed, F.lit(partitions)))


def without_null(rows: "DataFrame", names: Sequence[str]) -> "DataFrame":
    """Drop the rows with a null in some columns; unlike `dropna`, keep NaN, which is a key."""
    from pyspark.sql import functions as F

    present = [F.col(name).isNotNull() for name in names]
    return rows.where(reduce(lambda a, b: a & b, present)) if present else rows


def with_value(rows: "DataFrame", name: str, value: "Column") -> "DataFrame":
    """Add one value, such as that of a subquery, to the first row of each task."""
    from pyspark.sql import functions as F

    first = F.monotonically_increasing_id().bitwiseAND(F.lit(ROW_OF_TASK)) == 0
    return rows.withColumn(name, F.when(first, value))


def bundled(
    routed: "DataFrame",
    task: BundleTask,
    name: str = "bundle by key",
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return rows as bundles, each with the number of its shuffle partition.

    Parameters
    ----------
    routed : pyspark.sql.DataFrame
    task : BundleTask
    name : str
        The name of the step in the plan.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that the task drops. Spark would observe every row, outside of its
        generated code; instead the task adds one row with the count.
    """
    from pyspark.sql import functions as F

    sent = routed.mapInArrow(named_task(name, task.run), task.schema)
    if not task.present:
        return sent
    if skipped is not None:
        many = F.coalesce(F.sum(SKIPPED), F.lit(0)).alias("skipped")
        sent = sent.observe(skipped, many)
    return sent.select(PARTITION, BUNDLE)


def repartitioned(bundles: "DataFrame", shuffle: Shuffle) -> "DataFrame":
    """Shuffle bundles by their partition numbers, each partition to one task."""
    if shuffle.coalesced:
        return bundles.repartition(PARTITION)
    return bundles.repartitionById(shuffle.partitions, PARTITION)


def shuffled(
    routed: "DataFrame",
    task: BundleTask,
    name: str = "bundle by key",
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return rows as :func:`bundled` does, shuffled to the partitions that the task gives them."""
    shuffle = Shuffle(task.partitions, task.hashed is not None)
    return repartitioned(bundled(routed, task, name, skipped), shuffle).select(BUNDLE)


def count_skipped(events: BoundTable) -> "Column":
    """Return the number of rows whose key or time is null, as an aggregate."""
    from pyspark.sql import functions as F

    missing = [column(events, name, "key").isNull() for name in events.key]
    missing.append(column(events, events.time, "time").isNull())
    return F.count_if(reduce(lambda a, b: a | b, missing)).alias("skipped")


def skipped_of(skipped: "Observation", answered: bool, events: BoundTable) -> int:
    """Return how many rows were dropped, after the query that counted them.

    Parameters
    ----------
    skipped : pyspark.sql.Observation
    answered : bool
        Whether the query returned any row. If not, Spark may have pruned the plan together with
        the count, so the rows are counted by another query.
    events : BoundTable
    """
    return int(skipped.get.get("skipped", 0)) if answered else skipped_in(events)


def skipped_in(events: BoundTable) -> int:
    """Run a query and return how many rows have no key or no time."""
    return int(collected(events.df.agg(count_skipped(events)))[0][0])

"""The rows of a user's table as the workers take them: key, time, what happened, and no nulls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Union, cast

from kernels.funnel.levels import MAX_STEPS
from workbench.arguments import check_text, listed
from workbench.columnar.blocks import CONDITIONS, KEEP, NAME, TIME, key_columns
from workbench.columnar.bundles import BUNDLE, PARTITION, SKIPPED, BundleTask
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected
from workbench.spark.partitions import Shuffle, shuffle_of
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, check_repeatable, column, value_types

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation

Condition = Union[str, "Column"]
#: The lower bits of ``monotonically_increasing_id``: the number of a row within its task.
ROW_OF_TASK = (1 << 33) - 1


def several(names: str | Sequence[str], argument: str = "key") -> tuple[str, ...]:
    """Return names of columns as a tuple, each once, whether one or several are given.

    Parameters
    ----------
    names : str or sequence of str
    argument : str
        What the caller calls them, for the error's sake.

    Returns
    -------
    tuple of str

    Raises
    ------
    WorkbenchError
        When none is named, or when one is not text.

    Examples
    --------
    >>> several("user_id"), several(["shop", "user_id"])
    (('user_id',), ('shop', 'user_id'))
    """
    found = listed(names, argument)
    if not found:
        raise WorkbenchError(
            f"{argument}: no column is named; give one column, or several in a list."
        )
    if wrong := [name for name in found if not isinstance(name, str)]:
        raise WorkbenchError(
            f"{argument}: {wrong[0]!r} is not text; "
            "give the name of a column, or several in a list."
        )
    return tuple(dict.fromkeys(map(str, found)))


def any_of(names: str | Sequence[str] | None, argument: str) -> tuple[str, ...]:
    """Return names of columns as :func:`several` does, or none of None and of an empty list.

    Examples
    --------
    >>> any_of((), "by"), any_of("shop", "by")
    ((), ('shop',))
    """
    none = names is None or (isinstance(names, list | tuple) and not names)
    return () if none else several(cast("str | Sequence[str]", names), argument)


def one_name(name: str, argument: str) -> str:
    """Return the name of one column, and refuse what is none.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> one_name("ts", "time")
    'ts'
    """
    if not isinstance(name, str):
        raise WorkbenchError(f"{argument}: {name!r} is not text; give the name of one column.")
    return name


def check_steps(steps: Sequence[str] | Mapping[str, Condition], argument: str) -> None:
    """Refuse steps that are too few, too many, or no text and no conditions.

    Parameters
    ----------
    steps : sequence of str, or dict of str to (str or Column)
    argument : str
        What the caller calls them, for the error's sake.

    Raises
    ------
    WorkbenchError
    """
    from pyspark.sql import Column

    if not 1 <= len(steps) <= MAX_STEPS:
        raise WorkbenchError(f"{argument}: there are {len(steps)}; give 1 to {MAX_STEPS} steps.")
    if wrong := [step for step in steps if not isinstance(step, str)]:
        raise WorkbenchError(
            f"{argument}: {wrong[0]!r} is not text; "
            "name events by text, and label conditions by text."
        )
    for step in steps:
        check_text(step, argument)
    for label, condition in steps.items() if isinstance(steps, Mapping) else ():
        if not isinstance(condition, str | Column):
            raise WorkbenchError(
                f"{argument}: the condition of {label!r} is {condition!r}; "
                "give SQL text or a Column."
            )
        check_text(condition, argument)


@dataclass
class Carried:
    """The columns of a table that go to the workers: each once, by the name that they have there.

    Attributes
    ----------
    table : BoundTable
    wanted : dict of str to Column
    """

    table: BoundTable
    wanted: "dict[str, Column]" = field(default_factory=dict)

    @classmethod
    def every(cls, table: BoundTable, argument: str = "df") -> "Carried":
        """Take all columns of a table along."""
        carried = cls(table)
        carried.wanted = {
            carried.of(name): column(table, name, argument) for name in table.schema.names
        }
        return carried

    def of(self, name: str) -> str:
        """Return the name that a column of the table has on the way."""
        return f"c{self.table.schema.names.index(name)}"

    def add(self, given: Any, value: "Column") -> str:
        """Return the name of a value on the way, which is taken along unless it is there.

        Parameters
        ----------
        given : str, Column or None
            The name of a column of the table, where the value is one.
        value : Column
        """
        if isinstance(given, str) and given in self.table.schema.names:
            name = self.of(given)
        else:
            # Columns have no equality of their own: the same one twice is the same object.
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
    """Return the rows with a key and a time in bundles, those of a key in one Spark partition.

    Parameters
    ----------
    events : BoundTable
    what : dict of str to Column
        What happened, by the names that the workers know.
    keep : sequence of str
        Further columns of the table.
    only_matching : bool
        Of rows that fulfil no condition, one for each key is enough.
    with_latest : bool
        And the one with the last time of all.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that are left out, for :func:`skipped_of`.

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.
    """
    keys = key_columns(events.key)
    latest = TIME if with_latest else None
    wanted = selected(events, what, keep)
    present = *keys, TIME
    return bundle_rows(events.df, wanted, keys, present, only_matching, True, latest, skipped)


def selected(
    events: BoundTable, what: "Mapping[str, Column]", keep: Sequence[str] = ()
) -> "dict[str, Column]":
    """Return key, time, what happened and further columns, by the names that the workers know."""
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
    """Return columns of a table in bundles, the rows of a key in one Spark partition.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    wanted : dict of str to Column
        What goes along, by the names that the workers know.
    key : sequence of str
        Which of these make the key; without any, all rows go to one partition.
    present : sequence of str
        Rows in which one of these is null stay behind.
    only_matching : bool
        Of rows that fulfil no condition, one for each key is enough.
    text_as_codes : bool
        Send text other than that of keys as codes and a dictionary.
    latest : str, optional
        A column of times, of which the last goes along whatever its row fulfils.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that stay behind.

    Returns
    -------
    pyspark.sql.DataFrame
        What :func:`workbench.columnar.bundles.unbundled` takes.
    """
    rows, number = numbered(df, wanted)
    shuffle = shuffle_of(rows) if key else Shuffle(1)
    goes = with_partition(rows, [number[name] for name in key], shuffle.partitions)
    given = (*wanted, PARTITION), tuple(key), shuffle.partitions
    which = only_matching, text_as_codes, latest
    task = BundleTask(*given, *which, hashed=shuffle.hashed, present=tuple(present))
    return shuffled(goes, task, skipped=skipped)


def numbered(df: "DataFrame", wanted: "Mapping[str, Column]") -> "tuple[DataFrame, dict[str, str]]":
    """Return columns of a table under names that mean nothing, and these by what they stand for.

    ``mapInArrow`` would take a dot or a backtick in a name for syntax.
    """
    number = {name: f"c{i}" for i, name in enumerate(wanted)}
    return df.select(*(value.alias(number[name]) for name, value in wanted.items())), number


def with_partition(rows: "DataFrame", key: Sequence[str], partitions: int) -> "DataFrame":
    """Return numbered columns with the number of the partition that each row's key goes to."""
    from pyspark.sql import functions as F

    hashed = F.hash(*key) if key else F.lit(0)
    return rows.withColumn(PARTITION, F.pmod(hashed, F.lit(partitions)))


def without_null(rows: "DataFrame", names: Sequence[str]) -> "DataFrame":
    """Return rows that lack none of some columns; unlike `dropna`, it keeps NaN, which is a key."""
    from pyspark.sql import functions as F

    present = [F.col(name).isNotNull() for name in names]
    return rows.where(reduce(lambda a, b: a & b, present)) if present else rows


def with_value(rows: "DataFrame", name: str, value: "Column") -> "DataFrame":
    """Return rows with one value for each task, such as of a subquery: its first row has it."""
    from pyspark.sql import functions as F

    first = F.monotonically_increasing_id().bitwiseAND(F.lit(ROW_OF_TASK)) == 0
    return rows.withColumn(name, F.when(first, value))


def bundled(
    goes: "DataFrame",
    task: BundleTask,
    name: str = "bundle by key",
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return rows in bundles, with a number that says where each goes.

    Parameters
    ----------
    goes : pyspark.sql.DataFrame
    task : BundleTask
    name : str
        Of the step, in the plan.
    skipped : pyspark.sql.Observation, optional
        Counts the rows that the task leaves out. Spark would count among all rows, outside of the
        code that it generates for them; the task adds one row with a number.
    """
    from pyspark.sql import functions as F

    sent = goes.mapInArrow(named_task(name, task.run), task.schema)
    if not task.present:
        return sent
    if skipped is not None:
        many = F.coalesce(F.sum(SKIPPED), F.lit(0)).alias("skipped")
        sent = sent.observe(skipped, many)
    return sent.select(PARTITION, BUNDLE)


def brought_together(bundles: "DataFrame", shuffle: Shuffle) -> "DataFrame":
    """Return bundles by their numbers, those of a partition in one task."""
    if shuffle.coalesced:
        return bundles.repartition(PARTITION)
    return bundles.repartitionById(shuffle.partitions, PARTITION)


def shuffled(
    goes: "DataFrame",
    task: BundleTask,
    name: str = "bundle by key",
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return rows as :func:`bundled` does, each in the partition that the task gives it."""
    shuffle = Shuffle(task.partitions, task.hashed is not None)
    return brought_together(bundled(goes, task, name, skipped), shuffle).select(BUNDLE)


def count_skipped(events: BoundTable) -> "Column":
    """Return the number of rows whose key or time is null, as an aggregate."""
    from pyspark.sql import functions as F

    missing = [column(events, name, "key").isNull() for name in events.key]
    missing.append(column(events, events.time, "time").isNull())
    return F.count_if(reduce(lambda a, b: a | b, missing)).alias("skipped")


def skipped_of(skipped: "Observation", answered: bool, events: BoundTable) -> int:
    """Return how many rows were left out, after the query that counted them.

    Where nothing was left to answer, Spark drops the end of the plan, and the count with it: then
    the rows are counted once more.
    """
    return int(skipped.get.get("skipped", 0)) if answered else skipped_in(events)


def skipped_in(events: BoundTable) -> int:
    """Return how many rows have no key or no time, by a query of its own."""
    return int(collected(events.df.agg(count_skipped(events)))[0][0])


def name_of(events: BoundTable, event: str) -> "dict[str, Column]":
    """Return what happened as the name of an event."""
    return {NAME: column(events, event, "event").cast("string")}


def bits_of(
    events: BoundTable,
    conditions: "Mapping[str, Condition]",
    argument: str = "steps",
    argument_of: Mapping[str, str] | None = None,
) -> "dict[str, Column]":
    """Return what happened as bits: bit k is set when condition k is true.

    Parameters
    ----------
    events : BoundTable
    conditions : dict of str to (str or Column)
        SQL text or a Column by label; null counts as false.
    argument : str
        What the caller calls them, for the error's sake.
    argument_of : mapping of str to str, optional
        What the caller calls some of them instead, by label.

    Returns
    -------
    dict of str to Column

    Raises
    ------
    WorkbenchError
        When a condition does not fit the table, or is not true or false.
    """
    from pyspark.sql import functions as F

    called = dict.fromkeys(conditions, argument) | dict(argument_of or {})
    known = [
        (
            f"{called[label]}: the condition of {label!r}",
            F.expr(one) if isinstance(one, str) else one,
        )
        for label, one in conditions.items()
    ]
    kinds = value_types(events.without_rows, known)
    for (what, _), kind in zip(known, kinds, strict=True):
        if kind.typeName() != "boolean":
            raise WorkbenchError(
                f"{what} gives {kind.typeName()}s; write one that is true or false."
            )
    check_repeatable(events.without_rows, known)
    bits = [
        F.when(true, F.lit(_signed(1 << k))).otherwise(F.lit(0))
        for k, (_, true) in enumerate(known)
    ]
    return {CONDITIONS: reduce(lambda a, b: a.bitwiseOR(b), bits)}


def bits_of_names(
    events: BoundTable, event: str, steps: Sequence[Sequence[str]]
) -> "dict[str, Column]":
    """Return what happened as bits: bit k is set when the event has a name of step k.

    Parameters
    ----------
    events : BoundTable
    event : str
        The column of event names.
    steps : sequence of sequence of str
        The names that each step looks for.

    Returns
    -------
    dict of str to Column
    """
    from pyspark.sql import functions as F

    name, bits = column(events, event, "event").cast("string"), F.lit(0)
    # A row has one name, so the first that fits is the last that is looked at.
    for one in reversed(dict.fromkeys(one for names in steps for one in names)):
        mask = sum(1 << k for k, names in enumerate(steps) if one in names)
        bits = F.when(name == one, F.lit(_signed(mask))).otherwise(bits)
    return {CONDITIONS: bits}


def _signed(bits: int) -> int:
    """32 bits as Spark's integers have them: the highest is the sign."""
    return bits - (1 << 32) if bits >> 31 else bits

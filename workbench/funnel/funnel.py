"""The funnel on Spark: who got how far through a sequence of steps, and how fast."""

import difflib
import warnings
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from workbench.arguments import listed, whole_number
from workbench.columnar.blocks import KEEP, NAME
from workbench.columnar.bundles import BUNDLE
from workbench.durations import Duration, microseconds, ticks
from workbench.errors import WorkbenchError, WorkbenchWarning
from workbench.funnel.prepared import MOST_NAMES, Prepared, prepare
from workbench.funnel.summary_worker import ReachedTask, SummaryTask
from workbench.funnel.worker import FunnelTask
from workbench.spark.jobs import collected, in_one_sentence
from workbench.spark.shipping import ship
from workbench.spark.shuffle import (
    Condition,
    bits_of,
    bits_of_names,
    check_steps,
    name_of,
    one_name,
    select_rows,
    several,
    skipped_in,
    skipped_of,
    watched,
)
from workbench.spark.table import (
    INTEGERS,
    RESULTS,
    check_event,
    check_key,
    check_plain,
    check_sent,
    column,
    is_integer_time,
    nearest,
    table,
)

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import Column, DataFrame, Row
    from pyspark.sql.types import DataType, StructType

    from workbench.funnel.summary import Summary

MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry")

Steps = Sequence[str] | Mapping[str, Condition]


class Funnel:
    """A sequence of steps that each user may pass through within a window of time.

    The answers are those of ClickHouse's ``windowFunnel``, in every mode.

    Parameters
    ----------
    steps : list of str, or dict of str to (str or Column)
        Names of events in the column ``event``; or conditions by label, as SQL text or Columns.
        1 to 32 steps.
    window : str, timedelta or int
        The longest time from the first step to the last, inclusive: text with a unit such as
        ``"1 hour"``; an integer only where the time column holds integers, in its unit.
    key : str or list of str
        The column or columns whose values are one user.
    time : str
        A column of timestamps (with or without a zone), dates or integers.
    event : str
        The column of event names.
    modes : sequence of str
        Any of ``strict_order``: no other event may come between the steps;
        ``strict_deduplication``: a step that repeats ends the funnel; ``strict_increase``: each
        step is later than the one before, not at the same time; ``strict_once``: a row counts for
        one step only; ``allow_reentry``: with ``strict_order``, a step too far ahead is passed
        over.

    Raises
    ------
    WorkbenchError
        When the steps, the window or the modes cannot be meant.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> funnel = wb.Funnel(["signup", "add_to_cart", "checkout"], window="1 hour")
    >>> events = spark.sql('''
    ...     SELECT 1 AS user_id, timestamp_seconds(i) AS timestamp, event FROM (
    ...     SELECT posexplode(array("signup", "welcome", "add_to_cart", "checkout")) AS (i, event))
    ... ''')
    >>> funnel.levels(events).select("user_id", "level").show()
    +-------+-----+
    |user_id|level|
    +-------+-----+
    |      1|    3|
    +-------+-----+
    <BLANKLINE>
    """

    def __init__(
        self,
        steps: Steps,
        window: Duration,
        key: str | Sequence[str] = "user_id",
        time: str = "timestamp",
        event: str = "event",
        modes: Sequence[str] = (),
    ) -> None:
        self.labels, self.conditions = _checked_steps(steps)
        self.window, self.key = window, several(key)
        self.time, self.event = one_name(time, "time"), one_name(event, "event")
        self.modes = _checked_modes(modes)
        if not isinstance(window, int) or isinstance(window, bool):
            microseconds(window)
        else:
            ticks(window)

    def __repr__(self) -> str:
        steps = list(self.labels) if self.conditions is None else self.conditions
        key = self.key[0] if len(self.key) == 1 else list(self.key)
        given = {"key": key, "time": self.time, "event": self.event, "modes": list(self.modes)}
        usual = {"key": "user_id", "time": "timestamp", "event": "event", "modes": []}
        rest = "".join(f", {n}={v!r}" for n, v in given.items() if v != usual[n])
        return f"wb.Funnel({steps!r}, window={self.window!r}{rest})"

    def prepare(self, events: "DataFrame", keep: Sequence[str] = ()) -> Prepared:
        """Scan, shuffle and sort the events once, to ask this funnel and its variants again.

        Parameters
        ----------
        events : pyspark.sql.DataFrame
        keep : sequence of str
            Further columns to hold, for segments.

        Returns
        -------
        Prepared
        """
        what = self.event if self.conditions is None else self.conditions
        return prepare(events, self.key, self.time, what, keep)

    def levels(self, events: "DataFrame | Prepared", by: str | None = None) -> "DataFrame":
        """Return how far each key got, as one row for every key of the input.

        Parameters
        ----------
        events : pyspark.sql.DataFrame or Prepared
            Rows whose key or time is null are left out; :meth:`skipped` counts them.
        by : str, optional
            A column whose value at the first step of the winning chain is returned as well.

        Returns
        -------
        pyspark.sql.DataFrame
            The key's columns, ``level`` (0 to the number of steps), and ``reached``: the times of
            each step on the winning chain. Nothing runs until it is used.

        Raises
        ------
        WorkbenchError
            When a column is missing or has a wrong type.
        """
        return self._ask(events, by=by)

    def steps(self, events: "DataFrame | Prepared", by: str | None = None) -> "pd.DataFrame":
        """Return what each step keeps and loses.

        Parameters
        ----------
        events : pyspark.sql.DataFrame or Prepared
        by : str, optional
            A column; each of its values at the first step is a segment.

        Returns
        -------
        pandas.DataFrame
            A row for each step (and segment): ``users`` who reached it, ``from_first`` and
            ``from_previous`` as shares, ``lost`` since the step before, and the median and 90th
            percentile of the time since the step before. ``attrs["skipped"]`` is the number of
            rows that were left out.

        Warns
        -----
        WorkbenchWarning
            When rows were left out, or when a step matches no event; the nearest names are given.

        Examples
        --------
        >>> import workbench as wb
        >>> clicks = wb.datasets.clickstream(wb.session(), users=500)
        >>> funnel = wb.Funnel(["signup", "add_to_cart", "checkout"], window="1 day")
        >>> table = funnel.steps(clicks)
        >>> table["step"].tolist(), bool(table["users"].is_monotonic_decreasing)
        (['signup', 'add_to_cart', 'checkout'], True)
        """
        return self._summary(events, by).steps

    def times(self, events: "DataFrame | Prepared", bins: int = 30) -> "pd.DataFrame":
        """Return how long those who reached every step took, as a histogram.

        Parameters
        ----------
        events : pyspark.sql.DataFrame or Prepared
        bins : int
            How many intervals of equal width, at the most.

        Returns
        -------
        pandas.DataFrame
            ``from``, ``to`` (exclusive, but for the last) and ``users``, empty intervals included.
        """
        return self._summary(events, bins=bins, warn=False).times

    def summary(
        self, events: "DataFrame | Prepared", by: str | None = None, bins: int = 30
    ) -> "Summary":
        """Return :meth:`steps` and :meth:`times` of one question to Spark.

        Parameters
        ----------
        events : pyspark.sql.DataFrame or Prepared
        by : str, optional
            A column; each of its values at the first step is a segment of the steps.
        bins : int
            How many intervals of time, at the most.

        Returns
        -------
        Summary
            Two pandas tables, ``steps`` and ``times``.

        Warns
        -----
        WorkbenchWarning
            As :meth:`steps`.
        """
        return self._summary(events, by, bins)

    def _summary(
        self,
        events: "DataFrame | Prepared",
        by: str | None = None,
        bins: int = 30,
        warn: bool = True,
    ) -> "Summary":
        from workbench.funnel.summary import (
            MOST_BINS,
            STEP_COLUMNS,
            Summary,
            nobody,
            steps_table,
            times_table,
        )

        if whole_number(bins) not in range(1, MOST_BINS + 1):
            raise WorkbenchError(
                f"bins: {bins!r} is no number of intervals; give 1 to {MOST_BINS:,}."
            )
        self._check_asked(events, by, STEP_COLUMNS)
        integers = self.integer_time(events)
        with in_one_sentence():
            if isinstance(events, Prepared):
                found, skipped = self._figures_of_prepared(events, by, bins), events.skipped
            else:
                counted, on_the_way = watched(events, self.key, self.time)
                found = self._figures_of_rows(counted, by, bins)
                skipped = skipped_of(on_the_way, bool(found), events, self.key, self.time)
        whole: list[Any] = [row for row in found if row["whole"]] or [nobody(len(self.labels))]
        segments = whole if by is None else [row for row in found if not row["whole"]]
        steps = steps_table(segments, self.labels, by, integers)
        steps.attrs["skipped"] = skipped
        if warn:
            self._warn(events, steps, skipped)
        return Summary(steps, times_table(whole[0]["width"], whole[0]["histogram"], integers))

    def people(self, events: "DataFrame | Prepared", stopped_at: int) -> "DataFrame":
        """Return the keys that stopped at a level, and what they did next.

        Parameters
        ----------
        events : pyspark.sql.DataFrame or Prepared
        stopped_at : int
            The level: 0 for those who never took the first step, up to the number of steps.

        Returns
        -------
        pyspark.sql.DataFrame
            As :meth:`levels`, with ``next_time`` and, where the event column is known,
            ``next_event``: the earliest event later than the last step reached.
        """
        if whole_number(stopped_at) not in range(len(self.labels) + 1):
            raise WorkbenchError(
                f"stopped_at: {stopped_at!r} is no level of this funnel; "
                f"give 0 to {len(self.labels)}."
            )
        return self._ask(events, stopped_at=stopped_at)

    def skipped(self, events: "DataFrame | Prepared") -> int:
        """Return how many rows are left out because their key or their time is null.

        Parameters
        ----------
        events : pyspark.sql.DataFrame or Prepared

        Returns
        -------
        int
        """
        if isinstance(events, Prepared):
            return events.skipped
        self._check(table(events))
        return skipped_in(events, self.key, self.time)

    def span(self, integer_time: bool) -> int:
        """Return the window in microseconds, or in the unit of an integer time column."""
        return ticks(self.window) if integer_time else microseconds(self.window)

    def integer_time(self, events: "DataFrame | Prepared") -> bool:
        """Say whether the events' time column holds integers."""
        if isinstance(events, Prepared):
            return events.integer_time
        return is_integer_time(table(events), self.time)

    def task(
        self, integer_time: bool, names: bool, known: Sequence[str] = (), **more: Any
    ) -> FunnelTask:
        """Return what the workers have to know: the funnel without its columns.

        Parameters
        ----------
        integer_time : bool
        names : bool
            Whether the events are given by name, and not by the bits of conditions.
        known : sequence of str
            The labels of the bits, when they are not just this funnel's own.
        **more
            Further fields of the task.

        Returns
        -------
        FunnelTask
        """
        steps: tuple[str | int, ...] = self.labels
        if not names:
            steps = tuple(map(list(known or self.labels).index, self.labels))
        modes = {mode: mode in self.modes for mode in MODES}
        return FunnelTask(self.key, steps, self.span(integer_time), modes, **more)

    def prepared_task(self, events: Prepared, **more: Any) -> FunnelTask:
        """Return what the workers have to know to answer from prepared events."""
        self._check_asked(events, more.get("by"))
        named = isinstance(events.event, str)
        if named or self.event in events.keep:
            more["next"] = NAME if named else KEEP + self.event
        return self.task(events.integer_time, named, events.names, **more)

    def _ask(self, events: "DataFrame | Prepared", **more: Any) -> "DataFrame":
        if isinstance(events, Prepared):
            return self._ask_prepared(events, **more)
        return self._ask_rows(events, **more)

    def _ask_rows(self, events: "DataFrame", **more: Any) -> "DataFrame":
        rows, task = self._rows(events, **more)
        return rows.mapInArrow(task.from_rows, task_schema(task, events.schema, self.time))

    def _rows(self, events: "DataFrame", **more: Any) -> "tuple[DataFrame, FunnelTask]":
        """The rows in bundles, and what the workers have to know of them."""
        by = more.get("by")
        self._check_asked(events, by)
        integer_time = is_integer_time(events, self.time)
        ship(events.sparkSession)
        what = self.bits(events)
        if "stopped_at" in more and self.event in events.columns:
            more["next"], what = NAME, what | name_of(events, self.event)
        task = self.task(integer_time, names=False, **more)
        keep = () if by is None else (by,)
        return select_rows(events, self.key, self.time, what, keep, task.only_matching), task

    def _ask_prepared(self, events: Prepared, **more: Any) -> "DataFrame":
        task = self.prepared_task(events, **more)
        schema = task_schema(task, events.schema, self.time)
        return events.packed().mapInArrow(task.from_blocks, schema)

    def _figures_of_prepared(
        self, events: Prepared, by: str | None, bins: int
    ) -> "Sequence[Row | dict[str, Any]]":
        """A row of figures for all keys, and with ``by`` one for each segment."""
        answer = ReachedTask(self.prepared_task(events, by=by, timed=True))
        summary, schema = self._summed_up(events, by, bins)
        # A timestamp would come out of Arrow with a time zone and out of Spark without one.
        if events.tasks == 1 and not (by and schema["segment"].dataType.typeName() == "timestamp"):
            found = list(summary.run(answer.from_blocks(events.fetched())))
            return [row for batch in found for row in batch.to_pylist()]
        bundles = events.packed().mapInArrow(answer.from_blocks, f"{BUNDLE} binary")
        return collected(bundles.repartition(1).mapInArrow(summary.run, schema))

    def _figures_of_rows(
        self, events: "DataFrame", by: str | None, bins: int
    ) -> "Sequence[Row | dict[str, Any]]":
        rows, task = self._rows(events, by=by, timed=True)
        bundles = rows.mapInArrow(ReachedTask(task).from_rows, f"{BUNDLE} binary")
        summary, schema = self._summed_up(events, by, bins)
        return collected(bundles.repartition(1).mapInArrow(summary.run, schema))

    def _summed_up(
        self, events: "DataFrame | Prepared", by: str | None, bins: int
    ) -> "tuple[SummaryTask, StructType]":
        """What one worker does with all bundles, and the schema of what it returns."""
        from workbench.funnel.summary import MOST_SEGMENTS, ROUND_COUNTS, ROUND_TIMES

        widths = ROUND_COUNTS if self.integer_time(events) else ROUND_TIMES
        summary = SummaryTask(len(self.labels), bins, widths, MOST_SEGMENTS)
        return summary, summary_schema(None if by is None else events.schema[by].dataType)

    def bits(self, events: "DataFrame") -> "dict[str, Column]":
        """Return which steps each row fulfils, whether they are named or conditions themselves."""
        if self.conditions is not None:
            return bits_of(events, self.conditions)
        return bits_of_names(events, self.event, self.labels)

    def _check_asked(
        self, events: "DataFrame | Prepared", by: str | None, taken: Sequence[str] = ()
    ) -> None:
        """Check everything that is asked of the events before a job starts."""
        if isinstance(events, Prepared):
            self._check_prepared(events, by)
        else:
            self._check(table(events))
            if by is not None:
                column(events, by, "by")
        if by is not None:
            check_plain(events.schema, by, "by", (*self.key, *RESULTS, *taken))
            check_sent(events.schema[by].dataType, by, "by")

    def _check(self, events: "DataFrame") -> None:
        check_key(events, self.key)
        self.span(is_integer_time(events, self.time))
        if self.conditions is None:
            check_event(events, self.event)

    def _check_prepared(self, events: Prepared, by: str | None) -> None:
        """Check that the blocks hold what is asked."""
        self._check_prepared_by(events, "key")
        self._check_prepared_by(events, "time")
        self.span(events.integer_time)
        named = isinstance(events.event, str)
        if named != (self.conditions is None):
            kinds = ("event names", "conditions")[:: 1 if named else -1]
            raise WorkbenchError(
                f"steps: the events were prepared by {kinds[0]} and the funnel asks for "
                f"{kinds[1]}; prepare them anew with funnel.prepare(events)."
            )
        if named:
            self._check_prepared_by(events, "event")
        else:
            self._check_same_conditions(events)
        if by is not None and by not in events.keep:
            raise WorkbenchError(
                f"by: the prepared events do not hold {by!r}; prepare them with keep=[{by!r}]."
            )

    def _check_prepared_by(self, events: Prepared, argument: str) -> None:
        held, asked = getattr(events, argument), getattr(self, argument)
        if held != asked:
            raise WorkbenchError(
                f"{argument}: the events were prepared by {held!r} and the funnel asks for "
                f"{asked!r}; prepare them anew with funnel.prepare(events)."
            )

    def _check_same_conditions(self, events: Prepared) -> None:
        held = {label: str(condition) for label, condition in dict(events.event).items()}  # type: ignore[arg-type]
        for label, condition in (self.conditions or {}).items():
            if held.get(label) != str(condition):
                raise WorkbenchError(
                    f"steps: the events were not prepared by the condition of {label!r}; "
                    "prepare them anew with funnel.prepare(events)."
                )

    def _warn(self, events: "DataFrame | Prepared", found: "pd.DataFrame", skipped: int) -> None:
        if skipped:
            one = "1 row was left out: its key or its time is null."
            some = f"{skipped:,} rows were left out: their key or their time is null."
            warnings.warn(
                one if skipped == 1 else some,
                WorkbenchWarning,
                stacklevel=3,
            )
        if found.attrs["cut"]:
            warnings.warn(
                f"by: there are more than {len(found) // len(self.labels):,} segments; "
                "those with the most users are given.",
                WorkbenchWarning,
                stacklevel=3,
            )
        reached = set(found.loc[found["users"] > 0, "step"])
        for label in dict.fromkeys(self.labels):
            if label in reached:
                continue
            if (hint := self._unmatched(events, label)) is not None:
                warnings.warn(
                    f"steps: {label!r} matches no event; {hint}", WorkbenchWarning, stacklevel=3
                )

    def _unmatched(self, events: "DataFrame | Prepared", label: str) -> str | None:
        """The end of a sentence when a step matches no event of the data, else None."""
        if isinstance(events, Prepared):
            return None if label in events.names else nearest(label, events.names)
        from pyspark.sql import functions as F

        if self.conditions is not None:
            condition = self.conditions[label]
            true = F.expr(condition) if isinstance(condition, str) else condition
            return None if collected(events.where(true).limit(1)) else "look at its condition."
        name = column(events, self.event, "event").cast("string").alias(NAME)
        names = [row[0] for row in collected(events.select(name).distinct().limit(MOST_NAMES))]
        known = sorted(name for name in names if name is not None)
        return None if label in known else nearest(label, known)


def task_schema(task: FunnelTask, source: "StructType", time: str) -> "StructType":
    """Return the schema of what a task's workers return.

    Parameters
    ----------
    task : FunnelTask
    source : pyspark.sql.types.StructType
        The schema of the user's table.
    time : str
        Its time column.

    Returns
    -------
    pyspark.sql.types.StructType
    """
    from pyspark.sql import types as T

    kept = source[time].dataType
    instant = T.LongType() if kept.typeName() in INTEGERS else kept
    kinds = {key: source[key].dataType for key in task.keys}
    kinds |= {"level": T.IntegerType(), "reached": T.ArrayType(instant)}
    if task.by is not None:
        kinds[task.by] = source[task.by].dataType
    if task.timed:
        kinds["since_first"] = T.ArrayType(T.LongType())
    if task.stopped_at is not None:
        kinds |= {} if task.next is None else {"next_event": T.StringType()}
        kinds["next_time"] = instant
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])


def summary_schema(segment: "DataType | None") -> "StructType":
    """Return the schema of a summary, given the type of the segments where there are some."""
    from pyspark.sql import types as T

    whole, one, real = T.BooleanType(), T.LongType(), T.ArrayType(T.DoubleType())
    kinds = {"whole": whole, "users": T.ArrayType(one), "median": real, "p90": real}
    kinds |= {"width": one, "histogram": T.ArrayType(one)}
    kinds |= {} if segment is None else {"segment": segment}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])


def _checked_steps(steps: Steps) -> tuple[tuple[str, ...], dict[str, Condition] | None]:
    if isinstance(steps, str) or not isinstance(steps, Sequence | Mapping):
        raise WorkbenchError(
            "steps: give a list of event names, or a dict of conditions by label, "
            'such as {"late": "delay > 15"}.'
        )
    check_steps(steps, "steps")
    return tuple(steps), dict(steps) if isinstance(steps, Mapping) else None


def _checked_modes(modes: Sequence[str]) -> tuple[str, ...]:
    # The order of modes says nothing, so a set of them is as good as a list.
    chosen = tuple(modes) if isinstance(modes, Set) else listed(modes, "modes")
    for mode in chosen:
        if mode not in MODES:
            close = difflib.get_close_matches(str(mode), MODES, n=1, cutoff=0)
            raise WorkbenchError(
                f"modes: {mode!r} is not a mode; did you mean {close[0]!r}? "
                f"There are {', '.join(MODES)}."
            )
    if "allow_reentry" in chosen and "strict_order" not in chosen:
        raise WorkbenchError(
            "modes: 'allow_reentry' relaxes 'strict_order'; give both, or leave it out."
        )
    return tuple(mode for mode in MODES if mode in chosen)

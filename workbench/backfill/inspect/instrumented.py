"""Counts the rows and the seconds of a backfill's tasks, in the tasks themselves."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter

import pyarrow as pa

from workbench.backfill.split.map_side import COPY
from workbench.backfill.tree.map_side import EVENT_OF, STATES_OF
from workbench.backfill.worker.partials import SLOT
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.subpartitions import subpartitions

#: The kinds of rows: of the tables, or copies and states of events of other tasks.
QUERIES, EVENTS, EARLIER, STATES = KINDS = "queries", "events", "earlier", "states"
#: The columns of a task's report, and their types.
SCHEMA = f"task int, {', '.join(f'{kind} long' for kind in KINDS)}, answers long, seconds double"


@dataclass(frozen=True)
class InstrumentedTask:
    """Runs a task, and returns counts of its input and output instead of its answers.

    Attributes
    ----------
    task : BackfillTask
    """

    task: BackfillTask

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one row: the number of the Spark partition, its rows by kind, and the seconds."""
        from pyspark import TaskContext

        rows: Counter[str] = Counter()
        answers, seconds = 0, 0.0
        for parts in subpartitions(batches):
            for part in parts:
                rows[kind_of(part.schema.names)] += len(part)
            begin = perf_counter()
            answers += sum(len(batch) for batch in self.task.answer_subpartition(parts))
            seconds += perf_counter() - begin
        context = TaskContext.get()
        number = context.partitionId() if context else 0
        counts = {kind: pa.array([rows[kind]]) for kind in KINDS}
        yield pa.record_batch(
            {
                "task": pa.array([number], pa.int32()),
                **counts,
                "answers": pa.array([answers]),
                "seconds": pa.array([seconds]),
            }
        )


def kind_of(names: Iterable[str]) -> str:
    """Return the kind of rows with these columns.

    Examples
    --------
    >>> kind_of(["k0", QUERY]), kind_of(["k0", COPY])
    ('queries', 'earlier')
    """
    marks = {QUERY: QUERIES, COPY: EARLIER, EVENT_OF: EARLIER, SLOT: STATES, STATES_OF: STATES}
    return next((kind for mark, kind in marks.items() if mark in names), EVENTS)

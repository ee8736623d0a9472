"""The plans of paths, drivers and retention: one shuffle, or none from prepared events."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from workbench.columnar.bundles import BUNDLE
from workbench.funnel.prepared import Prepared
from workbench.funnel.worker.blocks import BlockTask, answer_packed, answer_rows
from workbench.spark.jobs import collected
from workbench.spark.steps import named_task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.types import StructType


class BehaviourPlan(NamedTuple):
    """A plan that counts something in the blocks of all keys, and sums up the counts.

    Attributes
    ----------
    name : str
        The prefix of its steps in a Spark plan, such as "paths kernel" and "paths figures".
    sum_up : function
        Turns the counts of all blocks into figures.
    schema : str
        The schema of the figures.
    """

    name: str
    sum_up: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    schema: str

    def answers(
        self, rows: "DataFrame | Prepared", task: BlockTask, schema: "StructType | str"
    ) -> "DataFrame":
        """Return the task's results for all blocks; nothing runs until it is used.

        Parameters
        ----------
        rows : pyspark.sql.DataFrame or Prepared
            Bundles, those of a key in one Spark partition; or prepared events.
        task : BlockTask
        schema : pyspark.sql.types.StructType or str

        Returns
        -------
        pyspark.sql.DataFrame
        """
        prepared = isinstance(rows, Prepared)
        run = partial(answer_packed if prepared else answer_rows, task)
        blocks = rows.packed() if isinstance(rows, Prepared) else rows
        return blocks.mapInArrow(named_task(f"{self.name} kernel", run), schema)

    def figures(
        self, rows: "DataFrame | Prepared", task: BlockTask
    ) -> "Sequence[Row | dict[str, Any]]":
        """Return the figures, summed up by one worker, or in this process if there are few blocks.

        Parameters
        ----------
        rows : pyspark.sql.DataFrame or Prepared
            As :meth:`answers` takes them.
        task : BlockTask

        Returns
        -------
        sequence of pyspark.sql.Row, or of dict
        """
        if isinstance(rows, Prepared) and rows.tasks == 1:
            batches = self.sum_up(answer_packed(task, rows.fetched()))
            return [row for batch in batches for row in batch.to_pylist()]
        bundles = self.answers(rows, task, f"{BUNDLE} binary").repartition(1)
        run = named_task(f"{self.name} figures", self.sum_up)
        return collected(bundles.mapInArrow(run, self.schema))

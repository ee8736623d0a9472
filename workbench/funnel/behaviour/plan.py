"""The plans of what people do: from rows in one shuffle, or from prepared events without any."""

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
    """What is asked of the events of all keys.

    Attributes
    ----------
    name : str
        Its steps in a plan are called a kernel and figures of that name.
    sum_up : function
        From what all blocks counted to the figures.
    schema : str
        Of the figures.
    """

    name: str
    sum_up: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    schema: str

    def answers(
        self, rows: "DataFrame | Prepared", task: BlockTask, schema: "StructType | str"
    ) -> "DataFrame":
        """Return what the task answers for each block; nothing runs until it is used.

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
        """Return what one worker makes of the counts of all blocks, or this process of few.

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
            found = self.sum_up(answer_packed(task, rows.fetched()))
            return [row for batch in found for row in batch.to_pylist()]
        bundles = self.answers(rows, task, f"{BUNDLE} binary").repartition(1)
        summed = named_task(f"{self.name} figures", self.sum_up)
        return collected(bundles.mapInArrow(summed, self.schema))

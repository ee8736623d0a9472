"""Features as of each query. What is served without Spark lives in ``online``."""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.backfill.aggregation import Aggregation as Aggregation
    from workbench.backfill.backfill import Backfill as Backfill
    from workbench.backfill.entities.entities import Entities as Entities

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Aggregation": "workbench.backfill.aggregation",
        "Backfill": "workbench.backfill.backfill",
        "Entities": "workbench.backfill.entities.entities",
    },
)

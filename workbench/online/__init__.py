"""Features now: a backfill's states in a store, fetched without Spark.

The stores themselves live in ``stores``.
"""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.online.inspect.agreement import consistency as consistency
    from workbench.online.view import OnlineView as OnlineView

__getattr__, __dir__ = lazily(
    __name__,
    {
        "OnlineView": "workbench.online.view",
        "consistency": "workbench.online.inspect.agreement",
    },
)

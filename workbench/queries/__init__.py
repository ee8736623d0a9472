"""SQL of DuckDB, ClickHouse, RisingWave and Postgres, split into parts for Spark and the kernels.

No kernel is called from here: window calls, funnels and quantiles become objects of ``windows``,
``funnel`` and ``groups``, and the rest is Spark's own SQL.
"""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.queries.explained import explain_sql as explain_sql

__getattr__, __dir__ = lazily(__name__, {"explain_sql": "workbench.queries.explained"})

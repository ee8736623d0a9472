"""One JVM for the sessions of many notebooks, one after the other.

A new JVM loads, interprets and compiles the same classes of Spark again, which takes half of a
short notebook's time. PySpark uses a JVM that its environment names, as under `spark-submit`. Each
notebook still starts a separate Spark in it, with its own settings, tables and workers.
"""

from typing import Any

import workbench as wb


class OneJvm:
    """A JVM that this process has started, for other processes that start Spark."""

    def __init__(self) -> None:
        spark = wb.session()
        self._gateway: Any = spark.sparkContext._gateway
        # Spark keeps the folder of its first result's socket, which must outlive all sessions.
        spark.range(1).collect()
        spark.stop()

    def environment(self) -> dict[str, str]:
        """Return the environment variables that make a process use this JVM."""
        address = self._gateway.gateway_parameters
        return {
            "PYSPARK_GATEWAY_PORT": str(address.port),
            "PYSPARK_GATEWAY_SECRET": address.auth_token,
        }

    def stop_spark(self) -> None:
        """Stop the Spark of a notebook whose kernel has ended, as a JVM can have only one."""
        sessions = self._gateway.jvm.org.apache.spark.sql.classic.SparkSession
        if (spark := sessions.getDefaultSession()).isDefined():
            spark.get().stop()

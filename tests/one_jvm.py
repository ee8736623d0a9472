"""One JVM for the sessions of many notebooks, one after the other.

A new JVM loads, interprets and compiles the same classes of Spark anew, which takes half of a
short notebook's time. PySpark takes a JVM that its environment names, as it does below
`spark-submit`; what a notebook starts in it is a Spark of its own, with its own settings, tables
and workers.
"""

from typing import Any

import workbench as wb


class OneJvm:
    """A JVM that this process has started, for others that start Spark."""

    def __init__(self) -> None:
        spark = wb.session()
        self._gateway: Any = spark.sparkContext._gateway
        # Spark keeps the folder of the sockets of its first answer, which must outlive them all.
        spark.range(1).collect()
        spark.stop()

    def environment(self) -> dict[str, str]:
        """What says where it is to all that start with it."""
        address = self._gateway.gateway_parameters
        return {
            "PYSPARK_GATEWAY_PORT": str(address.port),
            "PYSPARK_GATEWAY_SECRET": address.auth_token,
        }

    def stop_spark(self) -> None:
        """Stop the Spark of a notebook whose kernel has ended: a JVM has one at a time."""
        sessions = self._gateway.jvm.org.apache.spark.sql.classic.SparkSession
        if (spark := sessions.getDefaultSession()).isDefined():
            spark.get().stop()

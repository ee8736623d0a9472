"""The sessions of the questions: settings that differ from the default."""

from dataclasses import dataclass, field

from tests.clusters import ALL_PARTITIONS, NO_CODEGEN, PARTITIONS

#: A value other than the default for every setting of Arrow and Python, internal ones included.
ARROW = {
    "spark.sql.execution.arrow.cache.prefetch.enabled": "true",
    "spark.sql.execution.arrow.compression.codec": "zstd",
    "spark.sql.execution.arrow.compression.zstd.level": "1",
    "spark.sql.execution.arrow.enabled": "false",
    "spark.sql.execution.arrow.fallback.enabled": "false",
    "spark.sql.execution.arrow.localRelationThreshold": "1b",
    "spark.sql.execution.arrow.maxBytesPerBatch": "64",
    "spark.sql.execution.arrow.maxBytesPerOutputBatch": "64",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1",
    "spark.sql.execution.arrow.maxRecordsPerOutputBatch": "1",
    "spark.sql.execution.arrow.pyspark.enabled": "false",
    "spark.sql.execution.arrow.pyspark.fallback.enabled": "false",
    "spark.sql.execution.arrow.pyspark.selfDestruct.enabled": "true",
    "spark.sql.execution.arrow.pyspark.validateSchema.enabled": "true",
    "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled": "false",
    "spark.sql.execution.arrow.sparkr.enabled": "true",
    "spark.sql.execution.arrow.transformWithStateInPySpark.maxStateRecordsPerBatch": "1",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
    "spark.sql.execution.pandas.convertToArrowArraySafely": "false",
    "spark.sql.execution.pythonUDF.arrow.concurrency.level": "2",
    "spark.sql.execution.pythonUDF.arrow.enabled": "false",
    "spark.sql.execution.pythonUDF.arrow.legacy.fallbackOnUDT": "true",
    "spark.sql.execution.pythonUDTF.arrow.enabled": "false",
}
#: The same for the other settings of Python's workers.
PYTHON = {
    "spark.sql.execution.python.udf.buffer.size": "4096",
    "spark.sql.execution.python.udf.maxBytesPerBatch": "64",
    "spark.sql.execution.python.udf.maxRecordsPerBatch": "1",
    "spark.sql.execution.pythonUDF.mapInBatch.legacy.acceptAnyIterable.enabled": "false",
    "spark.sql.execution.pythonUDF.pandas.intToDecimalCoercionEnabled": "true",
    "spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype": "true",
    "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled": "true",
    "spark.sql.legacy.execution.pythonUDTF.pandas.conversion.enabled": "true",
    "spark.sql.planner.pythonExecution.memory": "512",
    "spark.sql.python.filterPushdown.enabled": "true",
}
#: Settings with such names that no user chooses: the path of Python.
NO_CHOICE = {"spark.sql.execution.pyspark.python"}
ANSI, ZONE = "spark.sql.ansi.enabled", "spark.sql.session.timeZone"
CASE, ADAPTIVE = "spark.sql.caseSensitive", "spark.sql.adaptive.enabled"
#: Spark refuses this limit together with the one in records.
OUTPUT_BYTES = "spark.sql.execution.arrow.maxBytesPerOutputBatch"
#: Settings that only a new JVM reads.
STATIC = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.unsafe": "true",
    "spark.shuffle.compress": "true",
    "spark.io.compression.codec": "zstd",
    "spark.python.unix.domain.socket.enabled": "false",
    "spark.python.worker.reuse": "false",
    "spark.python.sql.dataFrameDebugging.enabled": "true",
}


@dataclass(frozen=True)
class Session:
    """The settings of a session, and the source of its tables.

    Attributes
    ----------
    conf : dict of str to str
    source : str
    static : dict of str to str
        If there are any, the session starts a new JVM.
    connect : bool
    """

    conf: dict[str, str] = field(default_factory=dict)
    source: str = "files"
    static: dict[str, str] = field(default_factory=dict)
    connect: bool = False


#: Sessions that differ from the default in one thing.
SESSIONS = {
    "without ANSI": Session({ANSI: "false"}),
    "case sensitive": Session({CASE: "true"}),
    "not adaptive": Session({ADAPTIVE: "false"}),
    "no code generation": Session(NO_CODEGEN),
    "1 partition": Session({PARTITIONS: "1"}),
    "200 partitions": Session({PARTITIONS: "200"}),
    "2,000 partitions": Session({PARTITIONS: "2000", **ALL_PARTITIONS}),
    "New York": Session({ZONE: "America/New_York"}),
    "Lord Howe": Session({ZONE: "Australia/Lord_Howe"}),
    "Kathmandu": Session({ZONE: "Asia/Kathmandu"}),
    **{f"{name}={value}": Session({name: value}) for name, value in (ARROW | PYTHON).items()},
    "views": Session(source="views"),
    "caches": Session(source="caches"),
    "streams": Session(source="streams"),
    "python": Session(source="python"),
    "Connect": Session(connect=True),
    "Connect, New York": Session({ZONE: "America/New_York"}, connect=True),
    **{f"{name}={value}": Session(static={name: value}) for name, value in STATIC.items()},
}
#: Sessions with many settings at once, to check all settings in little time.
TOGETHER = {
    "everything else": Session(
        {ANSI: "false", CASE: "true", ADAPTIVE: "false", PARTITIONS: "1"}
        | {ZONE: "America/New_York"}
        | {name: value for name, value in (ARROW | PYTHON).items() if name != OUTPUT_BYTES}
        | NO_CODEGEN,
        "views",
    ),
    "large types, of a stream": Session(
        {ZONE: "Australia/Lord_Howe", PARTITIONS: "5"}
        | {"spark.sql.execution.arrow.useLargeVarTypes": "true", OUTPUT_BYTES: "64"},
        "streams",
    ),
}

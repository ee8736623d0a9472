"""What is wrong with a session is said in one sentence, with what to do."""

from typing import Any

import pytest

from workbench.doctor.findings import (
    Finding,
    executor_findings,
    settings_findings,
    version_findings,
)

VERSIONS = dict.fromkeys(("numpy", "pyarrow", "numba", "llvmlite", "datasketches"), "1.0")
HERE: dict[str, Any] = {
    "host": "driver", "python": "3.12.1", "executable": "/lab/python", "versions": VERSIONS,
    "kernels": {"place": "compiled/a"}, "memory": 2**34,
}  # fmt: skip
GOOD = {
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    "spark.driver.extraJavaOptions": "-Xss4m -Darrow.enable_unsafe_memory_access=true",
    "spark.executor.extraJavaOptions": "-Darrow.enable_unsafe_memory_access=true",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.shuffle.partitions": "64",
}


def executor(**changes: Any) -> dict[str, Any]:
    return HERE | {"host": "one"} | changes


def bad(found: list[Finding]) -> list[str]:
    return [finding.sentence for finding in found if not finding.good]


def test_nothing_is_to_be_done_where_all_is_well() -> None:
    found = [*settings_findings(GOOD, 64), *executor_findings(HERE, [executor()], 2**30)]
    assert bad([*version_findings("4.3.0", "4.3.2", "21", ">=4.3,<4.4"), *found]) == []
    assert any("begin in Asia/Tokyo" in finding.sentence for finding in found)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("spark.sql.execution.arrow.maxBytesPerBatch", "67108864", "twice the time"),
        ("spark.executor.extraJavaOptions", "-Xss4m", "to spark.executor.extraJavaOptions: it"),
        ("spark.sql.streaming.stateStore.providerClass", "a.HDFSBacked", "streams need"),
        ("spark.sql.shuffle.partitions", "8", "8 partitions for 64 cores; raise"),
    ],
)
def test_an_option_that_costs_time_is_named(name: str, value: str, words: str) -> None:
    (sentence,) = bad(list(settings_findings(GOOD | {name: value}, 64)))
    assert words in sentence


def test_partitions_that_spark_chooses_are_enough() -> None:
    found = settings_findings(GOOD | {"spark.sql.shuffle.partitions": "auto"}, 64)
    (shuffles,) = [finding for finding in found if finding.subject == "Shuffles"]
    assert shuffles.good
    assert shuffles.sentence.startswith("Spark chooses")


def test_where_nobody_says_how_many_cores_there_are_none_are_counted() -> None:
    found = settings_findings(GOOD | {"spark.sql.shuffle.partitions": "4"}, None)
    (shuffles,) = [finding for finding in found if finding.subject == "Shuffles"]
    assert shuffles.good
    assert shuffles.sentence.startswith("a shuffle has 4 partitions; set at least as many as")


@pytest.mark.parametrize(("cores", "good"), [(None, True), (6, True), (7, False)])
def test_each_task_that_runs_at_once_needs_its_share_of_a_host_s_memory(
    cores: int | None, good: bool
) -> None:
    hosts = [executor(memory=2**31), executor(host="two", memory=2**31)]
    (memory,) = [
        one for one in executor_findings(HERE, hosts, 2**29, cores=cores) if one.subject == "Memory"
    ]
    assert memory.good is good


def test_options_that_are_not_set_are_named_too() -> None:
    assert len(bad(list(settings_findings({}, 500)))) == 4


@pytest.mark.parametrize(
    ("lacks", "words"),
    [
        (
            {"versions": VERSIONS | {"numba": None, "numpy": None}},
            "one lacks numpy, numba; install it there (pip install numba numpy).",
        ),
        ({"versions": VERSIONS | {"datasketches": None}}, "for the functions wb.fn.approx_"),
        (
            {"versions": VERSIONS | {"numpy": "0.9"}},
            'one has numpy 0.9; install it there (pip install "numpy>=1.0").',
        ),
        ({"kernels": {"fault": "ImportError: no numba"}}, "one: ImportError: no numba"),
        (
            {"python": "3.12.9", "kernels": {"place": "compiled/b"}},
            "once (Python 3.12.1 here and 3.12.9 there)",
        ),
        ({"kernels": {"place": "compiled/b"}}, "once (another processor)"),
        (
            {"memory": 2**29 + 2**28},
            "have 0.2 GiB in addition to the JVM; give the JVM less",
        ),
    ],
)
def test_what_an_executor_lacks_is_said_of_it_alone(lacks: dict[str, Any], words: str) -> None:
    there = [executor(host="two"), executor(**lacks)]
    wanted = {"numpy": ">=1.0", "pyarrow": "<2,>=0.9"} if "0.9" in str(lacks) else {}
    (sentence,) = bad(list(executor_findings(HERE, there, 2**29, required=wanted)))
    assert words in sentence
    assert "two" not in sentence


def test_of_kernels_that_cannot_be_loaded_it_is_not_said_that_they_run() -> None:
    broken = executor(kernels={"fault": "ImportError: no numba"})
    found = {one.subject: one for one in executor_findings(HERE, [broken], 0)}
    assert not found["Kernels there"].good
    assert not found["Compiled kernels"].good
    assert "before kernels can be loaded" in found["Compiled kernels"].sentence
    found = {one.subject: one for one in executor_findings(HERE, [broken, executor(host="two")], 0)}
    assert found["Compiled kernels"].good
    assert found["Compiled kernels"].sentence.endswith("runs where kernels can be loaded.")


def test_where_workers_of_this_host_run_another_python_the_variable_that_says_so_is_named() -> None:
    lacking = {"versions": VERSIONS | {"numba": None}, "executable": "/usr/bin/python3"}
    (sentence,) = bad(list(executor_findings(HERE, [executor(host="driver", **lacking)], 0)))
    assert sentence == (
        "driver lacks numba; install it there (pip install numba), or set PYSPARK_PYTHON to "
        "/lab/python before the session is started: workers run /usr/bin/python3."
    )
    same = lacking | {"executable": "/lab/python"}
    for one in (executor(**lacking), executor(host="driver", **same)):
        (sentence,) = bad(list(executor_findings(HERE, [one], 0)))
        assert "PYSPARK_PYTHON" not in sentence


def test_days_that_begin_elsewhere_than_in_utc_and_a_large_heap_have_their_option_named() -> None:
    zone, *_ = settings_findings(GOOD, 64)
    assert zone.sentence.endswith("; set spark.sql.session.timeZone if yours begin elsewhere.")
    (sentence,) = bad(list(executor_findings(HERE, [HERE], 2**34, "spark.driver.memory")))
    assert "give the JVM less (spark.driver.memory)" in sentence


def test_the_versions_that_executors_have_are_said() -> None:
    there = [executor(), executor(host="two", versions=VERSIONS | {"numpy": "2.0"})]
    found = {
        one.subject: one for one in executor_findings(HERE, there, 0, required={"numpy": ">=1.0"})
    }
    assert found["Executors"].sentence == "Python 3.12.1 answers on one, two."
    assert found["Packages"].good
    assert found["Packages"].sentence.startswith("numpy 1.0, numpy 2.0, pyarrow 1.0")


@pytest.mark.parametrize(("java", "good"), [("17.0.15", True), ("25", True), ("1.8.0_392", False)])
def test_a_java_that_is_too_old_is_named(java: str, good: bool) -> None:
    *_, found = version_findings("4.3.0", "4.3.0", java, ">=4.3,<4.4")
    assert found.good is good
    assert ("install 17 or newer" in found.sentence) is not good


def test_where_no_executor_answers_nothing_is_good_about_them() -> None:
    assert not next(executor_findings(HERE, [], 0)).good


@pytest.mark.parametrize(("theirs", "good"), [("4.3.1", True), ("4.2.0", False), ("5.0.0", False)])
def test_spark_has_the_version_of_pyspark_but_for_its_last_digit(theirs: str, good: bool) -> None:
    assert next(version_findings("4.3.0", theirs, "17", ">=4.3,<4.4")).good is good

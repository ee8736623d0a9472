"""Each finding about a session is one sentence that says what to do."""

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


def problems(findings: list[Finding]) -> list[str]:
    return [finding.sentence for finding in findings if not finding.good]


def test_a_good_session_has_no_problems() -> None:
    findings = [*settings_findings(GOOD, 64), *executor_findings(HERE, [executor()], 2**30)]
    assert problems([*version_findings("4.3.0", "4.3.2", "21", ">=4.3,<4.4"), *findings]) == []
    assert any("begin in Asia/Tokyo" in finding.sentence for finding in findings)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("spark.sql.execution.arrow.maxBytesPerBatch", "67108864", "twice the time"),
        ("spark.executor.extraJavaOptions", "-Xss4m", "to spark.executor.extraJavaOptions: it"),
        ("spark.sql.streaming.stateStore.providerClass", "a.HDFSBacked", "streams need"),
        ("spark.sql.shuffle.partitions", "8", "8 partitions for 64 cores; raise"),
    ],
)
def test_an_option_that_costs_time_is_a_problem(name: str, value: str, words: str) -> None:
    (sentence,) = problems(list(settings_findings(GOOD | {name: value}, 64)))
    assert words in sentence


def test_partitions_that_spark_chooses_are_enough() -> None:
    findings = settings_findings(GOOD | {"spark.sql.shuffle.partitions": "auto"}, 64)
    (shuffles,) = [finding for finding in findings if finding.subject == "Shuffles"]
    assert shuffles.good
    assert shuffles.sentence.startswith("Spark chooses")


def test_partitions_are_no_problem_if_the_number_of_cores_is_unknown() -> None:
    findings = settings_findings(GOOD | {"spark.sql.shuffle.partitions": "4"}, None)
    (shuffles,) = [finding for finding in findings if finding.subject == "Shuffles"]
    assert shuffles.good
    assert shuffles.sentence.startswith("a shuffle has 4 partitions; set at least as many as")


@pytest.mark.parametrize(("cores", "good"), [(None, True), (6, True), (7, False)])
def test_each_concurrent_task_needs_its_share_of_a_host_s_memory(
    cores: int | None, good: bool
) -> None:
    hosts = [executor(memory=2**31), executor(host="two", memory=2**31)]
    (memory,) = [
        one for one in executor_findings(HERE, hosts, 2**29, cores=cores) if one.subject == "Memory"
    ]
    assert memory.good is good


def test_options_that_are_not_set_are_problems_too() -> None:
    assert len(problems(list(settings_findings({}, 500)))) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
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
def test_a_problem_of_an_executor_names_that_executor_only(
    changes: dict[str, Any], words: str
) -> None:
    executors = [executor(host="two"), executor(**changes)]
    required = {"numpy": ">=1.0", "pyarrow": "<2,>=0.9"} if "0.9" in str(changes) else {}
    (sentence,) = problems(list(executor_findings(HERE, executors, 2**29, required=required)))
    assert words in sentence
    assert "two" not in sentence


def test_kernels_that_cannot_be_loaded_are_not_reported_to_run() -> None:
    broken = executor(kernels={"fault": "ImportError: no numba"})
    findings = {one.subject: one for one in executor_findings(HERE, [broken], 0)}
    assert not findings["Kernels there"].good
    assert not findings["Compiled kernels"].good
    assert "before kernels can be loaded" in findings["Compiled kernels"].sentence
    findings = {
        one.subject: one for one in executor_findings(HERE, [broken, executor(host="two")], 0)
    }
    assert findings["Compiled kernels"].good
    assert findings["Compiled kernels"].sentence.endswith("runs where kernels can be loaded.")


def test_pyspark_python_is_named_where_workers_of_this_host_run_another_python() -> None:
    lacking = {"versions": VERSIONS | {"numba": None}, "executable": "/usr/bin/python3"}
    (sentence,) = problems(list(executor_findings(HERE, [executor(host="driver", **lacking)], 0)))
    assert sentence == (
        "driver lacks numba; install it there (pip install numba), or set PYSPARK_PYTHON to "
        "/lab/python before the session is started: workers run /usr/bin/python3."
    )
    same = lacking | {"executable": "/lab/python"}
    for one in (executor(**lacking), executor(host="driver", **same)):
        (sentence,) = problems(list(executor_findings(HERE, [one], 0)))
        assert "PYSPARK_PYTHON" not in sentence


def test_findings_on_the_time_zone_and_a_large_heap_name_their_option() -> None:
    zone, *_ = settings_findings(GOOD, 64)
    assert zone.sentence.endswith("; set spark.sql.session.timeZone if yours begin elsewhere.")
    (sentence,) = problems(list(executor_findings(HERE, [HERE], 2**34, "spark.driver.memory")))
    assert "give the JVM less (spark.driver.memory)" in sentence


def test_findings_list_the_versions_of_executors() -> None:
    executors = [executor(), executor(host="two", versions=VERSIONS | {"numpy": "2.0"})]
    findings = {
        one.subject: one
        for one in executor_findings(HERE, executors, 0, required={"numpy": ">=1.0"})
    }
    assert findings["Executors"].sentence == "Python 3.12.1 answers on one, two."
    assert findings["Packages"].good
    assert findings["Packages"].sentence.startswith("numpy 1.0, numpy 2.0, pyarrow 1.0")


@pytest.mark.parametrize(("java", "good"), [("17.0.15", True), ("25", True), ("1.8.0_392", False)])
def test_a_java_that_is_too_old_is_a_problem(java: str, good: bool) -> None:
    *_, finding = version_findings("4.3.0", "4.3.0", java, ">=4.3,<4.4")
    assert finding.good is good
    assert ("install 17 or newer" in finding.sentence) is not good


def test_executors_that_do_not_answer_are_a_problem() -> None:
    assert not next(executor_findings(HERE, [], 0)).good


@pytest.mark.parametrize(("theirs", "good"), [("4.3.1", True), ("4.2.0", False), ("5.0.0", False)])
def test_spark_and_pyspark_may_differ_in_the_last_part_of_their_version_only(
    theirs: str, good: bool
) -> None:
    assert next(version_findings("4.3.0", theirs, "17", ">=4.3,<4.4")).good is good
